# 146942: the lines of a program as an FX graph: allocations, kernels and operators with what they write to, results of several tensors,
# views, releases; test/python/test_targets.py runs each recorded program as such a graph in PyTorch
--skip-if-missing-- python3
--run-- ferrite inspect - --stage graph | python3 read.py
--in--
graph main {
  range s0 in [4, 64]
  placeholder %x user "x" : f32[s0,8]
  placeholder %w user "w" : f32[8,8]
  %e = aten.exp.default(%x) : f32[s0,8]
  %m = aten.mm.default(%e, %w) : f32[s0,8]
  %t = aten.topk.default(%m, 2, 1) : (f32[s0,2], i64[s0,2])
  %v = _operator.getitem(%t, 0) : f32[s0,2]
  %i = _operator.getitem(%t, 1) : i64[s0,2]
  %n = aten.neg.default(%v) : f32[s0,2]
  output (user %n, user %i)
}
--file read.py--
import json, sys
program = json.load(sys.stdin)
for n in program["graphs"]["main"]:
    if not n["target"].startswith("ferrite.check") and n["target"] != "ferrite.as_strided":
        print(n["op"], n["target"])
--out--
placeholder arg__0
call_function ferrite.input
call_function ferrite.same
placeholder arg__1
call_function ferrite.input
call_function ferrite.same
get_attr library
call_function ferrite.size
call_function torch.empty_strided
call_function torch.empty_strided
call_function ferrite.view
call_function torch.empty_strided
call_function operator.mul
call_function ferrite.kernel
call_function torch.empty_strided
call_function ferrite.extern
call_function ferrite.delete
call_function ferrite.extern
call_function ferrite.delete
call_function operator.mul
call_function ferrite.kernel
output output
