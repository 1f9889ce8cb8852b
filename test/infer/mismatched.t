# arguments that PyTorch refuses: windows, transposed convolutions, norms of nothing, matrices in three parts
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("p" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27; do ferrite inspect p$n.fx --stage loop 2>&1 | sed -n '1p'; done
--in--
placeholder %a user "a" : c64[2,13,12]; %v = aten.istft.default(%a, 24, 8, 20, None, True, False, None, 100)
placeholder %a user "a" : c64[2,13,12]; %v = aten.istft.default(%a, 24, 8, 20, None, False, False, None, 90)
placeholder %a user "a" : f32[0,60]; %v = aten.stft.center(%a, 16, 4, 16, None, True, "reflect", False, None, True, None)
placeholder %a user "a" : f32[1,2,0,3]; placeholder %w user "w" : f32[2,2,2,2]; %v = aten.conv_transpose2d.input(%a, %w)
placeholder %a user "a" : f32[1,1,4]; placeholder %w user "w" : f32[1,0,3]; %v = aten.convolution.default(%a, %w, None, [2], [1], [1], True, [1], 1)
placeholder %a user "a" : f32[1,2,3,6]; %v = aten.max_pool2d.default(%a, [3, 3], [2, 2], [1, 2], [1, 2])
placeholder %a user "a" : f32[2,0,3]; %v = aten.linalg_matrix_norm.default(%a, -2)
placeholder %a user "a" : f32[2,3,0]; %v = aten.linalg_matrix_norm.default(%a, -1)
placeholder %a user "a" : bf16[2,3,4]; %v = aten.linalg_matrix_norm.str_ord(%a, "nuc")
placeholder %a user "a" : f32[2,4]; placeholder %o user "o" : i64[3]; %v = aten._jagged_to_padded_dense_forward.default(%a, [%o, %o], [3, 2])
placeholder %a user "a" : f16[2,4]; %v = aten.linalg_vander.default(%a)
placeholder %a user "a" : i64[2,12,12]; %v = aten.col2im.default(%a, [4, 5], [2, 2], [1, 1], [0, 0], [1, 1])
placeholder %a user "a" : f32[5,10]; placeholder %t user "t" : i64[]; %v = aten.multi_margin_loss.default(%a, %t)
placeholder %a user "a" : f32[]; placeholder %i user "i" : i64[1]; placeholder %s user "s" : f32[1]; %v = aten.index_add.default(%a, 0, %i, %s)
placeholder %a user "a" : f32[2,2,0]; placeholder %x user "x" : f32[2]; %v = aten.cumulative_trapezoid.x(%a, %x, dim=2)
placeholder %a user "a" : u8[3,6,7]; %v = aten.to.dtype_layout(%a, dtype=torch.uint8, memory_format=torch.channels_last)
placeholder %a user "a" : f32[2,0,4]; %v = aten.norm_except_dim.default(%a, 2, 1)
placeholder %a user "a" : f32[2,3]; placeholder %b user "b" : f32[5,3,4]; placeholder %c user "c" : f32[1,4]; %v = aten._trilinear.default(%a, %b, %c, [1, 3], [0], [1, 2], [2, 3], 1)
placeholder %a user "a" : f32[1,3]; placeholder %b user "b" : f32[5,3,4]; placeholder %c user "c" : f32[1,4]; %v = aten._trilinear.default(%a, %b, %c, [1, 3], [0], [1, 2], [2, 3, 3], 1)
placeholder %a user "a" : f32[2,3,4]; placeholder %s user "s" : f32[3]; placeholder %z user "z" : i64[3]; %v = aten.fake_quantize_per_channel_affine.default(%a, %s, %z, 1, -128, 127)
placeholder %a user "a" : f32[2,2]; placeholder %p user "p" : i64[2]; placeholder %b user "b" : f32[2,5]; %v = aten.linalg_ldl_solve.default(%a, %p, %b)
placeholder %a user "a" : f32[4,6]; %v = aten.kthvalue.default(%a, 0, 1)
placeholder %a user "a" : f32[4,6]; %v = aten.hsplit.int(%a, 4)
placeholder %a user "a" : f32[6]; %v = aten.dsplit.int(%a, 2)
placeholder %a user "a" : f32[1,3,4]; %v = aten.reflection_pad1d.default(%a, [-5, 1])
placeholder %a user "a" : f32[1,3,4,4]; %v = aten.reflection_pad2d.default(%a, [-5, 1, -5, 1])
placeholder %a user "a" : f32[3,5]; placeholder %t user "t" : f32[3,5]; %v = aten.nll_loss_nd.default(%a, %t)
--out--
error: infer: aten.istft.default: istft: window overlap add min is 0 behind the last window of c64[2,13,12]
error: infer: aten.istft.default: istft: window overlap add min is 0 before the first window
error: infer: aten.stft.center: stft pads f32[0,60]
error: infer: aten.conv_transpose2d.input: Only zero batch or zero channel inputs are supported, but got size 0
error: infer: aten.convolution.default: non-empty weight tensor expected, but got f32[1,0,3]
error: infer: aten.max_pool2d.default: pad should be at most half of the kernel size
error: infer: aten.linalg_matrix_norm.default: cannot compute the -2 norm of f32[2,0,3]: dimension 1 has no elements
error: infer: aten.linalg_matrix_norm.default: cannot compute the -1 norm of f32[2,3,0]: dimension 2 has no elements
error: infer: aten.linalg_matrix_norm.str_ord: a norm by singular values of bf16[2,3,4]: float32, float64 or complex
error: infer: aten._jagged_to_padded_dense_forward.default: rows are told by one tensor of offsets
error: infer: aten.linalg_vander.default: x is f16[2,4]: it has to hold float32, float64, complex numbers or integers
error: infer: aten.col2im.default: self is i64[2,12,12]: it has to hold floating point or complex numbers or bools
error: infer: aten.multi_margin_loss.default: expected a target for each of f32[5,10], got i64[]
error: infer: aten.index_add.default: source tensor shape must match self tensor shape, excluding the specified dimension. Got self f32[], source f32[1]
error: infer: aten.cumulative_trapezoid.x: trapezoid: There must be one `x` value for each sample point
error: infer: aten.to.dtype_layout: required rank 4 tensor to use channels_last format, got u8[3,6,7]
error: infer: aten.norm_except_dim.default: norms of f32[2,0,4] for each of no sizes of dimension 1
error: infer: aten._trilinear.default: f32[1,1,1,4] and f32[2,1,3,1] do not fit along dimension 0
error: infer: aten._trilinear.default: dim 3 appears multiple times in the list of dims
error: infer: aten.fake_quantize_per_channel_affine.default: zero_point is i64[3]: it has to hold int32, float32 or float16
error: infer: aten.linalg_ldl_solve.default: expected pivots of int32, got i64[2]
error: infer: aten.kthvalue.default: k has to be greater than 0
error: infer: aten.hsplit.int: the size of the dimension is not divisible by the sections. Got 6
error: infer: aten.dsplit.int: self is f32[6] where [_,_,_,...] is wanted
error: infer: aten.reflection_pad1d.default: input f32[1,3,4] is too small. Calculated output size: 0
error: infer: aten.reflection_pad2d.default: input f32[1,3,4,4] is too small. Calculated output size: 0
error: infer: aten.nll_loss_nd.default: target is f32[3,5]: it has to hold integers
--status-- 1
--run-- ferrite inspect --stage fx - | grep require
--in--
symbols {
  s0 in [2, inf] hint 2
  s1 in [2, inf] hint 2
  s2 in [2, inf] hint 6
  s3 in [2, inf] hint 2
}
graph main {
  placeholder %q user "q" : f32[s0,s2,5,4]
  placeholder %k user "k" : f32[s1,s3,5,4]
  placeholder %v user "v" : f32[s1,s3,5,4]
  %a = aten.scaled_dot_product_attention.default(%q, %k, %v, None, 0.0, False, enable_gqa=True)
  output (user %a)
}
--out--
  require s0 == s1 "aten.scaled_dot_product_attention.default: attention of f32[s0,s2,5,4] to f32[s1,s3,5,4] (a)"
  require s2 % s3 == 0 "aten.scaled_dot_product_attention.default: Number of heads in key and value must divide the number of heads in query, but got f32[s1,s3,5,4] and f32[s0,s2,5,4] (a)"
--run-- ferrite inspect --stage fx - 2>&1
--in--
symbols {
  s0 in [0, inf] hint 4
}
graph main {
  placeholder %x user "x" : f32[s0]
  %n = aten.sym_size.int(%x, 0)
  %b = _operator.gt(%n, 4)
  %y = higher_order.cond(%b, @up, @down, [%n])
  %z = _operator.getitem(%y, 0)
  output (user %z)
}
graph up {
  placeholder %v user "v" : f32[4]
  %w = aten.add.Tensor(%v, 1)
  output (user %w)
}
graph down {
  placeholder %v user "v" : f32[4]
  %w = aten.sub.Tensor(%v, 1)
  output (user %w)
}
--out--
error: infer: higher_order.cond: operand 0 is no tensor, and %v of the subgraph is one
  at %y in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage fx - 2>&1
--in--
graph main {
  placeholder %h user "h" : f32[4]
  placeholder %x user "x" : f32[5,4]
  %y = higher_order.scan(@step, [%h], [%x], [])
  %z = _operator.getitem(%y, 0)
  output (user %z)
}
graph step {
  placeholder %carry user "carry" : f32[4]
  placeholder %row user "row" : f32[3,4]
  %s = aten.sum.dim_IntList(%row, [0])
  %next = aten.add.Tensor(%carry, %s)
  output (user %next)
}
--out--
error: infer: higher_order.scan: operand 1 is f32[4], and %row of graph step is f32[3,4]
  at %y in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
