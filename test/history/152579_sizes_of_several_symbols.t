# 152579: an input whose size holds several symbols waits for those that tell them; a size that does not fit is named, and
# so is one that no input tells
--skip-if-missing-- python3
--run-- ferrite inspect sums.fx --stage wrap | grep '^symbol s. =' && ferrite compile sums.fx -o m.so --quiet && ${FERRITE_TEST_CC:-cc} -I$ROOT/include $ROOT/test/artifact/call.c -o call -ldl && ./call ./m.so
--file sums.fx--
symbols {
  s3 in [2, 64]
  s4 in [1, 64]
}
graph main {
  placeholder %a user "a" : f32[s3 + s4 - 1,2]
  placeholder %b user "b" : f32[s3 - 1]
  placeholder %c user "c" : f32[3*s4,2]
  %m = aten.sum.dim_IntList(%a, [0]) : f32[2]
  %n = aten.add.Tensor(%c, %m) : f32[3*s4,2]
  %r = aten.neg.default(%b) : f32[s3 - 1]
  output (user %n, user %r)
}
--in--
in 0 f32 [3,2]
in 1 f32 [2]
in 2 f32 [3,2]
run
show out 0
show out 1
in 2 f32 [4,2]
run
in 0 f32 [4,2]
in 2 f32 [3,2]
run
in 0 f32 [3,2]
in 1 f32 [3]
run
--out--
symbol s3 = size 1 0 less -1 by 1
symbol s4 = size 2 0 less 0 by 3
out 0 [3,2]{2,1}: 0.250 1.750 1.000 -0.250 1.750 0.500
out 1 [2]{1}: 0.500 -1.250
failed 1: input 'c' has size 4 in dimension 0, expected 3*s4 = 3
failed 1: input 'a' has size 4 in dimension 0, expected s3 + s4 - 1 = 3
failed 1: input 'a' has size 3 in dimension 0, expected s3 + s4 - 1 = 4
--run-- ferrite compile sums.fx --emit python -o sums.py --quiet && python3 call.py
--file call.py--
import ctypes, sys
sys.path.insert(0, ".")
import sums
import ferrite_runtime as rt

def ones(*sizes):
    count = 1
    for size in sizes:
        count *= size
    data = (ctypes.c_float * count)(*[1] * count)
    return rt.Tensor(ctypes.addressof(data), rt.F32, sizes, rt._contiguous(sizes), data)

n, r = sums.run(ones(3, 2), ones(2), ones(3, 2))
print(n, (ctypes.c_float * 1).from_address(n.address)[0], r)
try:
    sums.run(ones(3, 2), ones(2), ones(4, 2))
except rt.InputError as error:
    print(error)
--out--
Tensor(float32, [3, 2], strides [2, 1]) 4.0 Tensor(float32, [2], strides [1])
input 'c' has size 4 in dimension 0, expected 3*s4 = 3
--run-- sed 's/3\*s4,2\]/2]/g; s/\[s3 - 1\]/[s3 + s4]/g' sums.fx | ferrite inspect - --stage wrap
--status-- 1
