# views compose indices: a permuted, cut, reshaped and widened tensor is read where it lies
--run-- ferrite inspect --stage loop -
--in--
graph main {
  placeholder %x user "x" : f32[2,6,5]
  placeholder %b user "b" : f32[3,1]
  %permute = aten.permute.default(%x, [2, 0, 1]) : f32[5,2,6]{1,30,5}
  %slice = aten.slice.Tensor(%permute, 0, 1, 4) : f32[3,2,6]{1,30,5}
  %clone = aten.clone.default(%slice, torch.contiguous_format) : f32[3,2,6]
  %view = aten.view.default(%clone, [3, 12]) : f32[3,12]
  %expand = aten.expand.default(%b, [3, 12]) : f32[3,12]{1,0}
  %flip = aten.flip.default(%expand, [0]) : f32[3,12]
  %sub = aten.sub.Tensor(%view, %flip) : f32[3,12]
  %select = aten.select.int(%x, 1, -1) : f32[2,5]{30,1}+25
  output (user %sub, user %select)
}
--out--
program stdin
input  @x : f32[2,6,5] strides [30,5,1] origin 0
input  @b : f32[3,1] strides [1,1] origin 1
temp   @buf2 : f32[3,12] strides [12,1] origin 8
nest [i0 < 3, i1 < 12] origin 8 {
  %0 = load f32 @x[i0 + 5*i1 + 1]
  %1 = load f32 @b[-i0 + 2]
  %2 = sub %0, %1 : f32
  @buf2[12*i0 + i1] = %2
}
output @buf2[3,12]{12,1}
output @x[2,5]{30,1} + 25
--run-- ferrite inspect --stage loop - | sed -n '/^nest/,$p'
--in--
graph as_strided_counts_in_all_that_was_split {
  placeholder %x user "x" : f32[3,4]
  %neg = aten.neg.default(%x) : f32[3,4]
  %split = aten.split.Tensor(%neg, 2, 1) : (f32[3,2]{4,1}, f32[3,2]{4,1}+2)
  %second = _operator.getitem(%split, 1) : f32[3,2]{4,1}+2
  %most = aten.as_strided.default(%second, [2,3], [4,1], 5) : f32[2,3]{4,1}+5
  output (user %most)
}
--out--
nest [i0 < 3, i1 < 4] origin 4 {
  %0 = load f32 @x[4*i0 + i1]
  %1 = neg %0 : f32
  @buf1[4*i0 + i1] = %1
}
output @buf1[2,3]{4,1} + 5
--run-- ferrite inspect --stage loop - | sed -n '/^output/,$p'
--in--
graph cuts_that_do_not_grow {
  placeholder %x user "x" : f32[6]
  %v = aten.tensor_split.indices(%x, [4, 2, -1], 0)
  %a = _operator.getitem(%v, 0)
  %b = _operator.getitem(%v, 1)
  %c = _operator.getitem(%v, 2)
  %d = _operator.getitem(%v, 3)
  %e = aten.mul.Tensor(%c, 2)
  output (user %a, user %b, user %e, user %d)
}
--out--
output @x[4]{1}
output @buf1[0]{1}
output @buf2[3]{1}
output @x[1]{1} + 5
--run-- ferrite inspect - --stage loop | grep -e define -e assert
--in--
# where a part begins in its storage is a number that the program may read
graph main {
  range u0 in [-inf, inf]
  range u1 in [0, 5]
  range u2 in [-inf, inf]
  range u3 in [-inf, inf]
  placeholder %x user "x" : f32[5,4]{4,1}
  placeholder %n user "n" : i64[]
  %i = aten.item.default(%n) : int u0
  %s = aten.slice.Tensor(%x, 0, %i, None, 1) : f32[u1,4]{4,1}+u2
  %o = aten.sym_storage_offset.default(%s) : int u2
  %r = aten.select.int(%x, 1, %i) : f32[5]{4}+u3
  %p = aten.sym_storage_offset.default(%r) : int u3
  %f = aten.full.default([3], %o, dtype=torch.int64) : i64[3]
  output (user %f, user %p)
}
--out--
define u0 = @n[]{} origin 2
assert -4 <= u0 "an index is out of range: -4 <= u0 (r)" origin 5
assert u0 < 4 "an index is out of range: u0 < 4 (r)" origin 5
define u1 = -min(max(u0 - 5*max(min(u0, 0), -1), 0), 5) + 5 origin 3
assert 0 <= u1 "0 <= u1 does not hold (s)" origin 3
assert u1 <= 5 "u1 <= 5 does not hold (s)" origin 3
define u2 = 4*min(max(u0 - 5*max(min(u0, 0), -1), 0), 5) origin 3
define u3 = u0 - 4*max(min(u0, 0), -1) origin 5
--run-- ferrite inspect - --stage loop | grep -e temp -e output
--in--
# no differences of a tensor are the tensor, whatever stands around it
graph main {
  placeholder %x user "x" : i64[5,5]{5,1}
  placeholder %a user "a" : i64[2,5]{5,1}
  %d = aten.diff.default(%x, 0, 0, %a, %a)
  output (user %d)
}
--out--
temp   @buf2 : i64[5,5] strides [5,1] origin 3
output @buf2[5,5]{5,1}
--run-- ferrite inspect - --stage wrap --isa baseline | grep -e ^memory -e ^alloc -e ^output
--in--
# an output that shows one element of many in several places is not where the many are computed
graph main {
  placeholder %x user "x" : f32[2,3]{3,1}
  %a = aten.exp.default(%x) : f32[2,3]{3,1}
  %b = aten.slice.Tensor(%a, 0, 0, 1, 1) : f32[1,3]{3,1}
  %c = aten.expand.default(%b, [2, 3], False) : f32[2,3]{0,1}
  output (user %c)
}
--out--
alloc @buf1 live [0, 2) at 0 bytes 24
output 0 @buf1[2,3]{0,1}
--run-- ferrite inspect - --stage wrap --isa baseline | grep -c ^memory
--in--
# nor where windows of it meet, whatever the sizes
graph main {
  range s0 in [2, inf]
  placeholder %x user "x" : f32[s0,2]{2,1}
  %a = aten.exp.default(%x) : f32[s0,2]{2,1}
  %b = aten.as_strided.default(%a, [s0, 2], [1, 1], 0) : f32[s0,2]{1,1}
  output (user %b)
}
--out--
0
--status-- 1
--run-- ferrite inspect v.fx --stage loop | grep -E '^nest|load'
--file v.fx--
graph main {
  placeholder %x user "x" : f32[14,1280,20]
  placeholder %y user "y" : f32[14,1280,1]
  %a = aten.sub.Tensor(%x, %y) : f32[14,1280,20]
  %b = aten.view.default(%a, [10,35840]) : f32[10,35840]
  %c = aten._softmax.default(%b, 1, False) : f32[10,35840]
  output (user %c)
}
--out--
nest [i0 < 14, i1 < 1280, i2 < 20] origin 2 {
  %0 = load f32 @x[25600*i0 + 20*i1 + i2]
  %1 = load f32 @y[1280*i0 + i1]
nest [i0 < 10] reduce [r0 < 35840] origin 4 {
  %0 = load f32 @buf2[35840*i0 + r0]
nest [i0 < 10, i1 < 35840] origin 4 {
  %0 = load f32 @buf2[35840*i0 + i1]
  %1 = load f32 @buf3[i0]
nest [i0 < 10] reduce [r0 < 35840] origin 4 {
  %0 = load f32 @buf4[35840*i0 + r0]
nest [i0 < 10, i1 < 35840] origin 4 {
  %0 = load f32 @buf4[35840*i0 + i1]
  %1 = load f32 @buf5[i0]
