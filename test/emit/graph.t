# each kind of line as nodes of an FX graph; regions are graphs of their own
--skip-if-missing-- python3
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program memory
input  @x : f32[16] strides [1]
temp   @a : f32[16] strides [1]
temp   @b : f64[8] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 128 bound 128 weights 0 kernels 0 calls 1
memory @y output 0
alloc @a live [0, 1) at 64 bytes 64
reuse @a -> @b live [1, 2) at 64 bytes 64
free @b
extern copy (@x[16]{1}) -> (@y[16]{1}) ints [0] floats []
output 0 @y[16]{1}
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [16], [1], "[16]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[16], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "a", "target": "torch.empty_strided", "args": [[16], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "b", "target": "torch.empty_strided", "args": [[8], [1]], "kwargs": {"dtype": {"dtype": "torch.float64"}}},
    {"op": "call_function", "name": "delete__0", "target": "ferrite.delete", "args": [{"node": "b"}]},
    {"op": "call_function", "name": "view__1", "target": "ferrite.as_strided", "args": [{"node": "x"}, [16], [1], 0]},
    {"op": "call_function", "name": "view__2", "target": "ferrite.as_strided", "args": [{"node": "y"}, [16], [1], 0]},
    {"op": "call_function", "name": "copy__3", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__1"}]], "kwargs": {"out": [{"node": "view__2"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "y"}, [16], [1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__4"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program kernels
input  @x : f32[16] strides [1]
const  @w : f32[4] strides [1]
state  @s : f32[4] strides [1]
temp   @y : f32[16] strides [1]
wrapper arena 0 bound 0 weights 128 kernels 2 calls 3
weight 0 @s at 0 bytes 16
weight 1 @w at 64 bytes 16
memory @y output 0
note "relu (a /* comment */ in the program)"
kernel k_rows (@x, @y) ints [4, 16] m 4 cost 700
kernel k_columns (@x, none, @w, @s, @y) ints [] m 4 n 16 cost 12
output 0 @y[4,2]{4,2} + 1
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [16], [1], "[16]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "get_attr", "name": "bytes__0", "target": "weight_1", "args": []},
    {"op": "call_function", "name": "w", "target": "ferrite.view", "args": [{"node": "bytes__0"}, {"dtype": "torch.float32"}, [4], [1], 0]},
    {"op": "get_attr", "name": "bytes__1", "target": "state_0", "args": []},
    {"op": "call_function", "name": "s", "target": "ferrite.view", "args": [{"node": "bytes__1"}, {"dtype": "torch.float32"}, [4], [1], 0]},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[16], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "k_rows__2", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_rows", [{"node": "x"}, {"node": "y"}], [4, 16]], "kwargs": {"grid": [4, null], "cost": 700, "mutated": null}, "note": "relu (a /* comment */ in the program)"},
    {"op": "call_function", "name": "k_columns__3", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_columns", [{"node": "x"}, null, {"node": "w"}, {"node": "s"}, {"node": "y"}], []], "kwargs": {"grid": [4, 16], "cost": 12, "mutated": null}, "note": "relu (a /* comment */ in the program)"},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "y"}, [4, 2], [4, 2], 1]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__4"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program extern_calls
input  @x : f32[8,32] strides [32,1]
const  @w : f32[64,32] strides [32,1]
temp   @p : f32[8,64] strides [64,1]
temp   @y : f32[8,64] strides [64,1]
wrapper arena 2048 bound 2048 weights 8192 kernels 1 calls 2
weight 0 @w at 0 bytes 8192 packed gemm 1
memory @y output 0
alloc @p live [0, 2) at 0 bytes 2048
extern gemm (@x[8,32]{32,1} + 0, @w[32,64]{1,32} packed 0, none) -> (@p[8,64]{64,1}) ints [1] floats [0.0, inf] then k_gelu (@p, @y) ints [64] m 8 n 64 cost 5
extern copy (@p[4,64]{64,1} + 256) -> (@y[4,64]{64,1}) ints [0] floats []
free @p
output 0 @y[8,64]{64,1}
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [8, 32], [32, 1], "[8, 32]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[8, 64], [64, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "p", "target": "torch.empty_strided", "args": [[8, 64], [64, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__0", "target": "ferrite.as_strided", "args": [{"node": "x"}, [8, 32], [32, 1], 0]},
    {"op": "get_attr", "name": "bytes__1", "target": "weight_0", "args": []},
    {"op": "call_function", "name": "view__2", "target": "ferrite.as_strided", "args": [{"node": "p"}, [8, 64], [64, 1], 0]},
    {"op": "call_function", "name": "gemm__3", "target": "ferrite.extern", "args": [{"node": "library"}, "gemm", [{"node": "view__0"}, {"packed": {"node": "bytes__1"}, "as": [{"dtype": "torch.float32"}, [32, 64], [1, 32]]}, null]], "kwargs": {"out": [{"node": "view__2"}], "ints": [1], "floats": [0.0, {"float": "inf"}], "epilogue": ["k_gelu", [{"node": "p"}, {"node": "y"}], [64]]}},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "p"}, [4, 64], [64, 1], 256]},
    {"op": "call_function", "name": "view__5", "target": "ferrite.as_strided", "args": [{"node": "y"}, [4, 64], [64, 1], 0]},
    {"op": "call_function", "name": "copy__6", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__4"}]], "kwargs": {"out": [{"node": "view__5"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "delete__7", "target": "ferrite.delete", "args": [{"node": "p"}]},
    {"op": "call_function", "name": "view__8", "target": "ferrite.as_strided", "args": [{"node": "y"}, [8, 64], [64, 1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__8"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program symbols
symbol s0 in [2, 64]
symbol s1 in [0, ]
input  @x : f32[s0,2*s1 + 3] strides [2*s1 + 3,1]
scalar "n" = s2
temp   @a : f32[s0,s0] strides [s0,1]
wrapper arena -1 bound -1 weights 0 kernels 0 calls 0
symbol s0 = size 0 0
symbol s2 = input 1
symbol s1 = size 0 1 less 3 by 2
assert s0 <= s2 && !(s1 == 4) "s0 is \"too large\""
symbol s3 = s0*s1 // 4 + min(s0, s2) % 3
alloc @a live [0, 1) bytes 4*s0*s0
free @a
output 0 int s3 - 1
output 1 bool s0 < s1
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [-1, -1], [-1, 1], "[s0, 2*s1 + 3]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "placeholder", "name": "arg__1", "target": "arg__1", "args": []},
    {"op": "call_function", "name": "given__1", "target": "ferrite.input", "args": [{"node": "arg__1"}, "n", {"dtype": "torch.int64"}, [], [], "[]", true]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "s0", "target": "ferrite.size", "args": [{"node": "given__0"}, 0]},
    {"op": "call_function", "name": "s2", "target": "ferrite.number", "args": [{"node": "given__1"}]},
    {"op": "call_function", "name": "s1__0", "target": "ferrite.size", "args": [{"node": "given__0"}, 1]},
    {"op": "call_function", "name": "s1", "target": "ferrite.solve", "args": [{"node": "s1__0"}, 3, 2]},
    {"op": "call_function", "name": "check__1", "target": "ferrite.check_range", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0", 2, 64, false]},
    {"op": "call_function", "name": "check__2", "target": "ferrite.check_range", "args": [{"node": "given__1"}, "n", null, {"node": "s2"}, "s2", 0, null, false]},
    {"op": "call_function", "name": "check__3", "target": "ferrite.check_range", "args": [{"node": "given__0"}, "x", 1, {"node": "s1"}, "s1", 0, null, true]},
    {"op": "call_function", "name": "check__4", "target": "ferrite.check_size", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0"]},
    {"op": "call_function", "name": "ps__5", "target": "operator.mul", "args": [2, {"node": "s1"}]},
    {"op": "call_function", "name": "ps__6", "target": "operator.add", "args": [{"node": "ps__5"}, 3]},
    {"op": "call_function", "name": "check__7", "target": "ferrite.check_size", "args": [{"node": "given__0"}, "x", 1, {"node": "ps__6"}, "2*s1 + 3"]},
    {"op": "call_function", "name": "check__8", "target": "ferrite.check_stride", "args": [{"node": "given__0"}, "x", 0, {"node": "ps__6"}, "2*s1 + 3"]},
    {"op": "call_function", "name": "ps__10", "target": "operator.ne", "args": [{"node": "s1"}, 4]},
    {"op": "call_function", "name": "ps__11", "target": "operator.le", "args": [{"node": "s0"}, {"node": "s2"}]},
    {"op": "call_function", "name": "ps__12", "target": "ferrite.both", "args": [{"node": "ps__10"}, {"node": "ps__11"}]},
    {"op": "call_function", "name": "holds__9", "target": "operator.ne", "args": [{"node": "ps__12"}, 0]},
    {"op": "call_function", "name": "check__13", "target": "ferrite.check", "args": [{"node": "holds__9"}, "s0 is \"too large\""], "kwargs": {"s1": {"node": "s1"}, "s0": {"node": "s0"}, "s2": {"node": "s2"}}},
    {"op": "call_function", "name": "ps__14", "target": "operator.mul", "args": [{"node": "s0"}, {"node": "s1"}]},
    {"op": "call_function", "name": "ps__15", "target": "ferrite.div", "args": [{"node": "ps__14"}, 4]},
    {"op": "call_function", "name": "ps__16", "target": "ferrite.min", "args": [{"node": "s0"}, {"node": "s2"}]},
    {"op": "call_function", "name": "ps__17", "target": "ferrite.mod", "args": [{"node": "ps__16"}, 3]},
    {"op": "call_function", "name": "ps__18", "target": "operator.add", "args": [{"node": "ps__15"}, {"node": "ps__17"}]},
    {"op": "call_function", "name": "s3", "target": "ferrite.same", "args": [{"node": "ps__18"}]},
    {"op": "call_function", "name": "a", "target": "torch.empty_strided", "args": [[{"node": "s0"}, {"node": "s0"}], [{"node": "s0"}, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "delete__19", "target": "ferrite.delete", "args": [{"node": "a"}]},
    {"op": "call_function", "name": "ps__20", "target": "operator.add", "args": [{"node": "s3"}, -1]},
    {"op": "call_function", "name": "ps__21", "target": "operator.lt", "args": [{"node": "s0"}, {"node": "s1"}]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "ps__20"}, {"bool": {"node": "ps__21"}}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program outputs
input  @x : i64[4] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 0 calls 0
output 0 @x[2]{2} + 1
output 1 int -7
output 2 bool 1
output 3 float -inf
output 4 "text"
output 5 none
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.int64"}, [4], [1], "[4]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "view__0", "target": "ferrite.as_strided", "args": [{"node": "x"}, [2], [2], 1]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__0"}, -7, {"bool": 1}, {"float": "-inf"}, "text", null]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program laws
symbol s0 in [2, 64]
input  @x : f32[s0,8] strides [8,1]
input  @p : bool[] strides []
temp   @a : f32[16,8] strides [8,1]
temp   @b : f32[16,8] strides [8,1]
temp   @more : bool[] strides []
temp   @y : f32[16,8] strides [8,1]
wrapper arena 1088 bound 1088 weights 0 kernels 2 calls 5
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 7) at 0 bytes 512
kernel k_exp (@x, @a) ints [s0] m 1 n 128 cost 100
if @p[]{} -> (@y[16,8]{8,1})
alloc @b live [2, 4) at 512 bytes 512
kernel k_neg (@a, @b) ints [] m 1 n 128 cost 100
kernel k_abs (@b, @y) ints [] m 1 n 128 cost 100
free @b
else
kernel k_abs (@a, @y) ints [] m 1 n 128 cost 100
repeat u0 < s0
alloc @more live [5, 6) at 512 bytes 1
kernel k_test (@a, @more) ints [u0] m 1 cost 100
while @more[]{}
free @more
kernel k_neg (@a, @y) ints [] m 1 n 128 cost 100
end
end
free @a
output 0 @y[16,8]{8,1}
--out--
"graphs": {
  "then__5": [
    {"op": "placeholder", "name": "library", "target": "library", "args": []},
    {"op": "placeholder", "name": "a", "target": "a", "args": []},
    {"op": "placeholder", "name": "y", "target": "y", "args": []},
    {"op": "call_function", "name": "b", "target": "torch.empty_strided", "args": [[16, 8], [8, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "k_neg__6", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_neg", [{"node": "a"}, {"node": "b"}], []], "kwargs": {"grid": [1, 128], "cost": 100, "mutated": null}},
    {"op": "call_function", "name": "k_abs__7", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_abs", [{"node": "b"}, {"node": "y"}], []], "kwargs": {"grid": [1, 128], "cost": 100, "mutated": null}},
    {"op": "call_function", "name": "delete__8", "target": "ferrite.delete", "args": [{"node": "b"}]},
    {"op": "output", "name": "output", "target": "output", "args": []}
  ],
  "rest__15": [
    {"op": "placeholder", "name": "more", "target": "more", "args": []},
    {"op": "placeholder", "name": "library", "target": "library", "args": []},
    {"op": "placeholder", "name": "a", "target": "a", "args": []},
    {"op": "placeholder", "name": "y", "target": "y", "args": []},
    {"op": "call_function", "name": "delete__16", "target": "ferrite.delete", "args": [{"node": "more"}]},
    {"op": "call_function", "name": "k_neg__17", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_neg", [{"node": "a"}, {"node": "y"}], []], "kwargs": {"grid": [1, 128], "cost": 100, "mutated": null}},
    {"op": "output", "name": "output", "target": "output", "args": []}
  ],
  "body__11": [
    {"op": "placeholder", "name": "library", "target": "library", "args": []},
    {"op": "placeholder", "name": "a", "target": "a", "args": []},
    {"op": "placeholder", "name": "y", "target": "y", "args": []},
    {"op": "placeholder", "name": "u0", "target": "u0", "args": []},
    {"op": "call_function", "name": "more", "target": "torch.empty_strided", "args": [[], []], "kwargs": {"dtype": {"dtype": "torch.bool"}}},
    {"op": "call_function", "name": "k_test__12", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_test", [{"node": "a"}, {"node": "more"}], [{"node": "u0"}]], "kwargs": {"grid": [1, null], "cost": 100, "mutated": null}},
    {"op": "call_function", "name": "view__14", "target": "ferrite.as_strided", "args": [{"node": "more"}, [], [], 0]},
    {"op": "call_function", "name": "test__13", "target": "ferrite.item", "args": [{"node": "view__14"}]},
    {"op": "call_function", "name": "done__18", "target": "ferrite.go_on", "args": [{"node": "test__13"}, {"graph": "rest__15"}, [{"node": "more"}, {"node": "library"}, {"node": "a"}, {"node": "y"}]]},
    {"op": "output", "name": "output", "target": "output", "args": [{"node": "done__18"}]}
  ],
  "otherwise__9": [
    {"op": "placeholder", "name": "library", "target": "library", "args": []},
    {"op": "placeholder", "name": "a", "target": "a", "args": []},
    {"op": "placeholder", "name": "y", "target": "y", "args": []},
    {"op": "placeholder", "name": "s0", "target": "s0", "args": []},
    {"op": "call_function", "name": "k_abs__10", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_abs", [{"node": "a"}, {"node": "y"}], []], "kwargs": {"grid": [1, 128], "cost": 100, "mutated": null}},
    {"op": "call_function", "name": "done__19", "target": "ferrite.repeat", "args": [{"node": "s0"}, {"graph": "body__11"}, [{"node": "library"}, {"node": "a"}, {"node": "y"}]]},
    {"op": "output", "name": "output", "target": "output", "args": []}
  ],
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [-1, 8], [8, 1], "[s0, 8]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "placeholder", "name": "arg__1", "target": "arg__1", "args": []},
    {"op": "call_function", "name": "p", "target": "ferrite.input", "args": [{"node": "arg__1"}, "p", {"dtype": "torch.bool"}, [], [], "[]", false]},
    {"op": "call_function", "name": "given__1", "target": "ferrite.same", "args": [{"node": "p"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "s0", "target": "ferrite.size", "args": [{"node": "given__0"}, 0]},
    {"op": "call_function", "name": "check__0", "target": "ferrite.check_range", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0", 2, 64, false]},
    {"op": "call_function", "name": "check__1", "target": "ferrite.check_size", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0"]},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[16, 8], [8, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "a", "target": "torch.empty_strided", "args": [[16, 8], [8, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "k_exp__2", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_exp", [{"node": "x"}, {"node": "a"}], [{"node": "s0"}]], "kwargs": {"grid": [1, 128], "cost": 100, "mutated": null}},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "p"}, [], [], 0]},
    {"op": "call_function", "name": "test__3", "target": "ferrite.item", "args": [{"node": "view__4"}]},
    {"op": "call_function", "name": "done__20", "target": "ferrite.cond", "args": [{"node": "test__3"}, {"graph": "then__5"}, [{"node": "library"}, {"node": "a"}, {"node": "y"}], {"graph": "otherwise__9"}, [{"node": "library"}, {"node": "a"}, {"node": "y"}, {"node": "s0"}]]},
    {"op": "call_function", "name": "delete__21", "target": "ferrite.delete", "args": [{"node": "a"}]},
    {"op": "call_function", "name": "view__22", "target": "ferrite.as_strided", "args": [{"node": "y"}, [16, 8], [8, 1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__22"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program segments
symbol s0 in [1, 64]
input  @x : f32[s0,8] strides [8,1]
input  @n : i64[] strides []
temp   @a : f32[s0,8] strides [8,1]
temp   @b : f32[s0,8] strides [8,1]
temp   @c : f32[2*s0,8] strides [8,1]
temp   @d : f32[s0,8] strides [8,1]
temp   @e : f32[u0] strides [1]
temp   @f : f32[4] strides [1]
temp   @y : f32[4] strides [1]
part @a in @c at 0
part @b in @c at 8*s0
wrapper arena -1 bound -1 weights 0 kernels 0 calls 6
memory @a in @c
memory @b in @c at 8*s0
memory @y output 0
symbol s0 = size 0 0
alloc @a live [0, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@a[s0,8]{8,1}) ints [0] floats []
alloc @b live [1, 3) bytes 32*s0
extern copy (@x[s0,8]{8,1}) -> (@b[s0,8]{8,1}) ints [0] floats []
alloc @c live [2, 5) bytes 64*s0
alloc @d live [2, 4) bytes 32*s0
extern copy (@c[s0,8]{16,1}) -> (@d[s0,8]{8,1}) ints [0] floats []
free @a
free @b
symbol u0 = @n[]{}
assert 0 <= u0 "a size"
place 1
alloc @e live [3, 6) segment 1 bytes 4*u0
extern copy (@d[u0]{1}) -> (@e[u0]{1}) ints [0] floats []
free @d
alloc @f live [4, 6) bytes 16
extern copy (@c[4]{1}) -> (@f[4]{1}) ints [0] floats []
free @c
extern copy (@f[4]{1}) -> (@y[4]{1}) ints [0] floats []
free @e
free @f
output 0 @y[4]{1}
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [-1, 8], [8, 1], "[s0, 8]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "placeholder", "name": "arg__1", "target": "arg__1", "args": []},
    {"op": "call_function", "name": "n", "target": "ferrite.input", "args": [{"node": "arg__1"}, "n", {"dtype": "torch.int64"}, [], [], "[]", false]},
    {"op": "call_function", "name": "given__1", "target": "ferrite.same", "args": [{"node": "n"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "s0", "target": "ferrite.size", "args": [{"node": "given__0"}, 0]},
    {"op": "call_function", "name": "check__0", "target": "ferrite.check_range", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0", 1, 64, false]},
    {"op": "call_function", "name": "check__1", "target": "ferrite.check_size", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0"]},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[4], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "ps__3", "target": "operator.mul", "args": [64, {"node": "s0"}]},
    {"op": "call_function", "name": "memory__2", "target": "ferrite.memory", "args": [{"node": "ps__3"}]},
    {"op": "call_function", "name": "a", "target": "ferrite.view", "args": [{"node": "memory__2"}, {"dtype": "torch.float32"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "x"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "view__5", "target": "ferrite.as_strided", "args": [{"node": "a"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "copy__6", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__4"}]], "kwargs": {"out": [{"node": "view__5"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "ps__7", "target": "operator.mul", "args": [32, {"node": "s0"}]},
    {"op": "call_function", "name": "b", "target": "ferrite.view", "args": [{"node": "memory__2"}, {"dtype": "torch.float32"}, [{"node": "s0"}, 8], [8, 1], {"node": "ps__7"}]},
    {"op": "call_function", "name": "view__8", "target": "ferrite.as_strided", "args": [{"node": "x"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "view__9", "target": "ferrite.as_strided", "args": [{"node": "b"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "copy__10", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__8"}]], "kwargs": {"out": [{"node": "view__9"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "ps__11", "target": "operator.mul", "args": [2, {"node": "s0"}]},
    {"op": "call_function", "name": "c", "target": "ferrite.view", "args": [{"node": "memory__2"}, {"dtype": "torch.float32"}, [{"node": "ps__11"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "d", "target": "torch.empty_strided", "args": [[{"node": "s0"}, 8], [8, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__12", "target": "ferrite.as_strided", "args": [{"node": "c"}, [{"node": "s0"}, 8], [16, 1], 0]},
    {"op": "call_function", "name": "view__13", "target": "ferrite.as_strided", "args": [{"node": "d"}, [{"node": "s0"}, 8], [8, 1], 0]},
    {"op": "call_function", "name": "copy__14", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__12"}]], "kwargs": {"out": [{"node": "view__13"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "delete__15", "target": "ferrite.delete", "args": [{"node": "a"}]},
    {"op": "call_function", "name": "delete__16", "target": "ferrite.delete", "args": [{"node": "b"}]},
    {"op": "call_function", "name": "view__17", "target": "ferrite.as_strided", "args": [{"node": "n"}, [], [], 0]},
    {"op": "call_function", "name": "u0", "target": "ferrite.item", "args": [{"node": "view__17"}]},
    {"op": "call_function", "name": "holds__18", "target": "operator.le", "args": [0, {"node": "u0"}]},
    {"op": "call_function", "name": "check__19", "target": "ferrite.check", "args": [{"node": "holds__18"}, "a size"], "kwargs": {"u0": {"node": "u0"}}},
    {"op": "call_function", "name": "e", "target": "torch.empty_strided", "args": [[{"node": "u0"}], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__20", "target": "ferrite.as_strided", "args": [{"node": "d"}, [{"node": "u0"}], [1], 0]},
    {"op": "call_function", "name": "view__21", "target": "ferrite.as_strided", "args": [{"node": "e"}, [{"node": "u0"}], [1], 0]},
    {"op": "call_function", "name": "copy__22", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__20"}]], "kwargs": {"out": [{"node": "view__21"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "delete__23", "target": "ferrite.delete", "args": [{"node": "d"}]},
    {"op": "call_function", "name": "f_", "target": "torch.empty_strided", "args": [[4], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__24", "target": "ferrite.as_strided", "args": [{"node": "c"}, [4], [1], 0]},
    {"op": "call_function", "name": "view__25", "target": "ferrite.as_strided", "args": [{"node": "f_"}, [4], [1], 0]},
    {"op": "call_function", "name": "copy__26", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__24"}]], "kwargs": {"out": [{"node": "view__25"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "delete__27", "target": "ferrite.delete", "args": [{"node": "c"}]},
    {"op": "call_function", "name": "view__28", "target": "ferrite.as_strided", "args": [{"node": "f_"}, [4], [1], 0]},
    {"op": "call_function", "name": "view__29", "target": "ferrite.as_strided", "args": [{"node": "y"}, [4], [1], 0]},
    {"op": "call_function", "name": "copy__30", "target": "ferrite.extern", "args": [{"node": "library"}, "copy", [{"node": "view__28"}]], "kwargs": {"out": [{"node": "view__29"}], "ints": [0], "floats": []}},
    {"op": "call_function", "name": "delete__31", "target": "ferrite.delete", "args": [{"node": "e"}]},
    {"op": "call_function", "name": "delete__32", "target": "ferrite.delete", "args": [{"node": "f_"}]},
    {"op": "call_function", "name": "view__33", "target": "ferrite.as_strided", "args": [{"node": "y"}, [4], [1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__33"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program numbers
input  @x : f32[4] strides [1]
temp   @a : c64[4] strides [1]
temp   @y : f32[2,4] strides [4,1]
wrapper arena 64 bound 64 weights 0 kernels 1 calls 1
memory @y output 0
check @x[4]{1} no_nan "input 'x'"
alloc @a live [0, 1) at 0 bytes 32
clear @a[4]{1}
kernel k_rows (@x, @a, @y) ints [] m 4 cost 700
check @a[4]{1} no_nan "the result of %a, \"m.py\":3"
free @a
check output @y[2,2]{4,1} + 2 finite "output 0"
output 0 @y[2,2]{4,1} + 2
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [4], [1], "[4]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[2, 4], [4, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__0", "target": "ferrite.as_strided", "args": [{"node": "x"}, [4], [1], 0]},
    {"op": "call_function", "name": "check__1", "target": "ferrite.check_numbers", "args": [{"node": "view__0"}, false, "input 'x'"]},
    {"op": "call_function", "name": "a", "target": "torch.empty_strided", "args": [[4], [1]], "kwargs": {"dtype": {"dtype": "torch.complex64"}}},
    {"op": "call_function", "name": "view__2", "target": "ferrite.as_strided", "args": [{"node": "a"}, [4], [1], 0]},
    {"op": "call_function", "name": "clear__3", "target": "ferrite.clear", "args": [{"node": "view__2"}]},
    {"op": "call_function", "name": "k_rows__4", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_rows", [{"node": "x"}, {"node": "a"}, {"node": "y"}], []], "kwargs": {"grid": [4, null], "cost": 700, "mutated": null}},
    {"op": "call_function", "name": "view__5", "target": "ferrite.as_strided", "args": [{"node": "a"}, [4], [1], 0]},
    {"op": "call_function", "name": "check__6", "target": "ferrite.check_numbers", "args": [{"node": "view__5"}, false, "the result of %a, \"m.py\":3"]},
    {"op": "call_function", "name": "delete__7", "target": "ferrite.delete", "args": [{"node": "a"}]},
    {"op": "call_function", "name": "view__8", "target": "ferrite.as_strided", "args": [{"node": "y"}, [2, 2], [4, 1], 2]},
    {"op": "call_function", "name": "check__9", "target": "ferrite.check_numbers", "args": [{"node": "view__8"}, true, "output 0"]},
    {"op": "call_function", "name": "view__10", "target": "ferrite.as_strided", "args": [{"node": "y"}, [2, 2], [4, 1], 2]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__10"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program devices
input  @x : f32[8] strides [1]
temp   @d : f32[8] strides [1] cuda 0
temp   @e : f32[8] strides [1] cuda 0
temp   @h : f32[8] strides [1] pinned
temp   @y : f32[8] strides [1]
wrapper arena 0 bound 0 weights 0 kernels 2 calls 2
memory @y output 0
place 1 cuda 0
alloc @d live [0, 2) segment 1 bytes 32
copy @x[8]{1} -> @d[8]{1}
alloc @e live [1, 3) segment 1 bytes 32
device cuda 0
kernel k_relu (@d, @e) ints [] m 1 n 8 cost 54
mark 0 cuda 0 kernels
free @d
place 2 pinned
alloc @h live [2, 4) segment 2 bytes 32
after 0 cuda 0 copies
copy @e[8]{1} -> @h[8]{1} async
free @e
wait @h
device cpu
kernel k_neg (@h, @y) ints [] m 1 n 8 cost 54
free @h
output 0 @y[8]{1}
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [8], [1], "[8]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "y", "target": "torch.empty_strided", "args": [[8], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "d", "target": "torch.empty_strided", "args": [[8], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}, "device": {"device": "cuda:0"}}},
    {"op": "call_function", "name": "view__0", "target": "ferrite.as_strided", "args": [{"node": "x"}, [8], [1], 0]},
    {"op": "call_function", "name": "view__1", "target": "ferrite.as_strided", "args": [{"node": "d"}, [8], [1], 0]},
    {"op": "call_function", "name": "copy__2", "target": "ferrite.transfer", "args": [{"node": "library"}, {"node": "view__0"}, {"node": "view__1"}, false]},
    {"op": "call_function", "name": "e", "target": "torch.empty_strided", "args": [[8], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}, "device": {"device": "cuda:0"}}},
    {"op": "call_function", "name": "device__3", "target": "ferrite.on_device", "args": [{"node": "library"}, {"device": "cuda:0"}]},
    {"op": "call_function", "name": "k_relu__4", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_relu", [{"node": "d"}, {"node": "e"}], []], "kwargs": {"grid": [1, 8], "cost": 54, "mutated": null}},
    {"op": "call_function", "name": "mark__5", "target": "ferrite.mark", "args": [{"node": "library"}, 0, {"device": "cuda:0"}, "kernels"]},
    {"op": "call_function", "name": "delete__6", "target": "ferrite.delete", "args": [{"node": "d"}]},
    {"op": "call_function", "name": "h", "target": "ferrite.empty_pinned", "args": [[8], [1]], "kwargs": {"dtype": {"dtype": "torch.float32"}, "pinned": true}},
    {"op": "call_function", "name": "after__7", "target": "ferrite.after", "args": [{"node": "library"}, 0, {"device": "cuda:0"}, "copies"]},
    {"op": "call_function", "name": "view__8", "target": "ferrite.as_strided", "args": [{"node": "e"}, [8], [1], 0]},
    {"op": "call_function", "name": "view__9", "target": "ferrite.as_strided", "args": [{"node": "h"}, [8], [1], 0]},
    {"op": "call_function", "name": "copy__10", "target": "ferrite.transfer", "args": [{"node": "library"}, {"node": "view__8"}, {"node": "view__9"}, true]},
    {"op": "call_function", "name": "delete__11", "target": "ferrite.delete", "args": [{"node": "e"}]},
    {"op": "call_function", "name": "wait__12", "target": "ferrite.wait", "args": [{"node": "library"}, {"node": "h"}]},
    {"op": "call_function", "name": "device__13", "target": "ferrite.on_device", "args": [{"node": "library"}, {"device": "cpu"}]},
    {"op": "call_function", "name": "k_neg__14", "target": "ferrite.kernel", "args": [{"node": "library"}, "k_neg", [{"node": "h"}, {"node": "y"}], []], "kwargs": {"grid": [1, 8], "cost": 54, "mutated": null}},
    {"op": "call_function", "name": "delete__15", "target": "ferrite.delete", "args": [{"node": "h"}]},
    {"op": "call_function", "name": "view__16", "target": "ferrite.as_strided", "args": [{"node": "y"}, [8], [1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__16"}]]}
  ]
}
}
--run-- ferrite inspect - --from wrap --stage graph | sed '1,/^"states"/d' | python3 -c 'import json, sys; text = sys.stdin.read(); json.loads("{" + text); print(text, end="")'
--in--
program rows
symbol s0 in [2, 50]
input  @x : f32[4,s0] strides [s0,1] origin 0
temp   @buf1 : f32[4,s0] strides [s0,1] origin 1
wrapper arena 0 bound 0 weights 0 kernels 0 calls 1
memory @buf1 output 0
symbol s0 = size 0 1
scratch -64*((-s0) // 4)
note "s"
extern sort (@x[4,s0]{s0,1}) -> (@buf1[4,s0]{s0,1}, none) ints [1, 0] floats []
output 0 @buf1[4,s0]{s0,1}
--out--
"graphs": {
  "main": [
    {"op": "placeholder", "name": "arg__0", "target": "arg__0", "args": []},
    {"op": "call_function", "name": "x", "target": "ferrite.input", "args": [{"node": "arg__0"}, "x", {"dtype": "torch.float32"}, [4, -1], [-1, 1], "[4, s0]", false]},
    {"op": "call_function", "name": "given__0", "target": "ferrite.same", "args": [{"node": "x"}]},
    {"op": "get_attr", "name": "library", "target": "library", "args": []},
    {"op": "call_function", "name": "s0", "target": "ferrite.size", "args": [{"node": "given__0"}, 1]},
    {"op": "call_function", "name": "check__0", "target": "ferrite.check_range", "args": [{"node": "given__0"}, "x", 1, {"node": "s0"}, "s0", 2, 50, false]},
    {"op": "call_function", "name": "check__1", "target": "ferrite.check_size", "args": [{"node": "given__0"}, "x", 1, {"node": "s0"}, "s0"]},
    {"op": "call_function", "name": "check__2", "target": "ferrite.check_stride", "args": [{"node": "given__0"}, "x", 0, {"node": "s0"}, "s0"]},
    {"op": "call_function", "name": "buf1", "target": "torch.empty_strided", "args": [[4, {"node": "s0"}], [{"node": "s0"}, 1]], "kwargs": {"dtype": {"dtype": "torch.float32"}}},
    {"op": "call_function", "name": "view__3", "target": "ferrite.as_strided", "args": [{"node": "x"}, [4, {"node": "s0"}], [{"node": "s0"}, 1], 0], "note": "s"},
    {"op": "call_function", "name": "view__4", "target": "ferrite.as_strided", "args": [{"node": "buf1"}, [4, {"node": "s0"}], [{"node": "s0"}, 1], 0], "note": "s"},
    {"op": "call_function", "name": "sort__5", "target": "ferrite.extern", "args": [{"node": "library"}, "sort", [{"node": "view__3"}]], "kwargs": {"out": [{"node": "view__4"}, null], "ints": [1, 0], "floats": []}, "note": "s"},
    {"op": "call_function", "name": "view__6", "target": "ferrite.as_strided", "args": [{"node": "buf1"}, [4, {"node": "s0"}], [{"node": "s0"}, 1], 0]},
    {"op": "output", "name": "output", "target": "output", "args": [[{"node": "view__6"}]]}
  ]
}
}
