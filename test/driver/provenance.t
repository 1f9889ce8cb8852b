# provenance: lines and kernels to nodes, and back; what was inlined, viewed, decomposed or fused is somewhere; a text without a graph has lines alone
--run-- ferrite inspect - --stage provenance | sed 's/\(k_[a-z_]*\)_[0-9a-f]\{6\}/\1/g'
--in--
graph main {
  placeholder %x user "x" : f32[4,8]
  placeholder %y user "y" : f32[8,4]
  %t = aten.transpose.int(%x, 0, 1) : f32[8,4]
  %mul = aten.mul.Tensor(%t, %y) : f32[8,4]
  %exp = aten.exp.default(%mul) : f32[8,4]
  %softmax = aten._softmax.default(%exp, 1, False) : f32[8,4]
  %mm = aten.mm.default(%x, %softmax) : f32[4,4]
  %relu = aten.relu.default(%mm) : f32[4,4]
  output (user %relu)
}
--out--
{
  "program": "stdin",
  "lines": [
    {"line": 3, "does": "kernel", "kernel": "k_mul_exp", "nodes": ["exp"], "inlined": ["mul", "t"]},
    {"line": 5, "does": "kernel", "kernel": "k_max", "nodes": ["softmax"], "inlined": []},
    {"line": 8, "does": "kernel", "kernel": "k_sub_exp", "nodes": ["softmax"], "inlined": []},
    {"line": 10, "does": "kernel", "kernel": "k_sum", "nodes": ["softmax"], "inlined": []},
    {"line": 13, "does": "kernel", "kernel": "k_div", "nodes": ["softmax"], "inlined": []},
    {"line": 15, "does": "extern", "operator": "bmm", "kernel": "k_max", "nodes": ["mm", "relu"], "inlined": []}
  ],
  "kernels": {
    "k_mul_exp": {"lines": [3], "nodes": ["exp"], "inlined": ["mul", "t"]},
    "k_max": {"lines": [5], "nodes": ["softmax"], "inlined": []},
    "k_sub_exp": {"lines": [8], "nodes": ["softmax"], "inlined": []},
    "k_sum": {"lines": [10], "nodes": ["softmax"], "inlined": []},
    "k_div": {"lines": [13], "nodes": ["softmax"], "inlined": []},
    "k_max": {"lines": [15], "nodes": ["mm", "relu"], "inlined": []}
  },
  "nodes": {
    "t": {"op": "aten.transpose.int", "lines": [3], "kernels": ["k_mul_exp"]},
    "mul": {"op": "aten.mul.Tensor", "lines": [3], "kernels": ["k_mul_exp"]},
    "exp": {"op": "aten.exp.default", "lines": [3], "kernels": ["k_mul_exp"]},
    "softmax": {"op": "aten._softmax.default", "lines": [5, 8, 10, 13], "kernels": ["k_max", "k_sub_exp", "k_sum", "k_div"]},
    "mm": {"op": "aten.mm.default", "lines": [15], "kernels": ["k_max"]},
    "relu": {"op": "aten.relu.default", "lines": [15], "kernels": ["k_max"]},
    "output": {"op": "output", "lines": [], "kernels": []}
  },
  "exported": {
  }
}
--run-- printf 'program p\ninput @x : f32[8] strides [1]\ntemp @y : f32[8] strides [1]\nextern copy (@x[8]{1}) -> (@y[8]{1}) ints [0] floats []\noutput @y[8]{1}\n' | ferrite inspect - --from loop --stage provenance
--out--
{
  "program": "p",
  "lines": [
    {"line": 1, "does": "extern", "operator": "copy", "nodes": [], "inlined": []}
  ],
  "kernels": {
  },
  "nodes": {
  },
  "exported": {
  }
}
--run-- d=$ROOT/demo/digits.pt2; for o in '' '--split op=relu' '--no-passes --nan-check'; do ferrite compile $d $o -o d.so --provenance p.json --quiet && ferrite inspect $d $o --stage provenance | cmp - p.json; ferrite compile $d $o --emit fx -o graph/ --provenance graph/p.json --quiet; cmp p.json graph/p.json; done; grep -c '"line"' p.json; ferrite compile $d -o d.so --provenance no/p.json --quiet
--err--
error: file: cannot write no/p.json: No such file or directory
--out--
15
--status-- 1
