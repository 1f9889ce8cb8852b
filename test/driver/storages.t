# as_strided counts from the start of the storage that an input lies in, which a call tells; results in memory of the host's
--run-- ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/examples/own_memory.c -o own -ldl; ferrite compile reads.fx -o reads.so --quiet; for s in "4 12" "0 0" "4 9" "-1 12" "4 10"; do ./own ./reads.so $s; done; ferrite compile writes.fx -o writes.so --quiet; ./own ./writes.so 4 12; grep INPUTS reads.h
--file reads.fx--
graph main {
  placeholder %x user "x" : f32[6]{1}
  placeholder %c constant "c" : f32[2]{1} data [9.0, 8.0]
  %v = aten.as_strided.default(%x, [3], [1], 2)
  %m = aten.mul.Tensor(%v, 2)
  %w = aten.as_strided.default(%x, [3, 2], [4, 1], 0)
  %s = aten.sum.default(%w)
  %g = aten.gt.Scalar(%x, 4.0)
  %l = aten.index.Tensor(%x, [%g])
  output (user %m, user %s, user %l, user %c)
}
--file writes.fx--
graph main {
  placeholder %x user "x" : f32[6]{1}
  %v = aten.as_strided.default(%x, [3], [1], 2)
  %a = aten.add_.Scalar(%v, 100)
  %m = aten.mul_.Scalar(%x, 2)
  %s = aten.add.Scalar(%x, 0)
  output (user %s)
}
--out--
output 0, own: 0 2 4
output 1, own: 15
output 2, own: 5 6 7
output 3, own: 9 8
input: -2 -1 0 1 2 3 4 5 6 7 8 9
aten.as_strided.default: sizes, strides and storage offset are out of bounds for the storage of x (w): 10 <= storage0: storage0 = 6
input: -2 -1 0 1 2 3 4 5 6 7 8 9
input 'x' begins at element 4 of its storage, which has 9, and reaches over 6
input: -2 -1 0 1 2 3 4 5 6 7 8 9
input 'x' begins at element -1 of its storage, which has 12, and reaches over 6
input: -2 -1 0 1 2 3 4 5 6 7 8 9
output 0, own: 0 2 4
output 1, own: 15
output 2, own: 5 6 7
output 3, own: 9 8
input: -2 -1 0 1 2 3 4 5 6 7 8 9
output 0, own: 204 6 8 10 12 14
input: -2 -1 100 101 204 6 8 10 12 14 8 9
#define READS_INPUTS 1
