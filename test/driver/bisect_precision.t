# bisect: what is computed in float and kept as double is as near as floats are, not as doubles
--run-- ferrite run $ROOT/demo/digits.pt2 --output-dir o >/dev/null; ferrite run mixed.fx --input o/0.npy --bisect | grep -c call:
--file mixed.fx--
graph main {
  placeholder %x user "x" : f32[1,10]
  %exp = aten.exp.default(%x)
  %exact = aten._to_copy.default(%exp, dtype=f64)
  %sum = aten.sum.dim_IntList(%x, [1])
  %total = aten._to_copy.default(%sum, dtype=f64)
  %half = aten._to_copy.default(%x, dtype=bf16)
  %sin = aten.sin.default(%half)
  %wide = aten._to_copy.default(%sin, dtype=f32)
  output (user %exact, user %total, user %wide)
}
--out--
1
