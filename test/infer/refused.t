# arguments that PyTorch refuses: matrices, rows along a dimension, parts, layers, what is not there
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("p" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do ferrite inspect p$n.fx --stage loop 2>&1 | sed -n '1p'; done
--in--
placeholder %a user "a" : f32[3,4]; placeholder %b user "b" : f32[5,2]; %v = aten.mm.default(%a, %b)
placeholder %a user "a" : f32[4]; %v = aten.tril.default(%a)
placeholder %a user "a" : f32[2,3,4]; %v = aten.trace.default(%a)
placeholder %x user "x" : f32[5,2,4]; placeholder %h user "h" : f32[1,2,3]; placeholder %w user "w" : f32[12,4]; placeholder %u user "u" : f32[12,3]; placeholder %b user "b" : f32[12]; %v = aten.lstm.input(%x, [%h, %h], [%w, %u, %b], True, 1, 0.0, False, False, False)
placeholder %a user "a" : f32[8,8]; placeholder %i user "i" : i64[5]; placeholder %s user "s" : f32[5,4]; %v = aten.index_add.default(%a, 0, %i, %s)
placeholder %a user "a" : f32[8,8]; placeholder %s user "s" : f32[4,4]; %v = aten.slice_scatter.default(%a, %s, 0, 0, 4)
placeholder %a user "a" : f32[2,3,8,8]; placeholder %w user "w" : f32[4,3,3,3]; placeholder %b user "b" : f32[2]; %v = aten.conv2d.default(%a, %w, %b)
placeholder %a user "a" : f32[2,3,2,2]; placeholder %w user "w" : f32[4,3,3,3]; %v = aten.conv2d.default(%a, %w)
placeholder %a user "a" : f32[2,3,8,8]; placeholder %w user "w" : f32[4,3,3,3]; %v = aten.conv2d.default(%a, %w, None, [1, 1], [-1, 0])
placeholder %a user "a" : i64[2,3,8,8]; %v = aten.adaptive_max_pool2d.default(%a, [2, 2])
placeholder %a user "a" : f32[4]; %v = aten.roll.default(%a, [1], [1])
placeholder %a user "a" : f32[3,4]; %v = aten.mm.default(%a, None)
--out--
error: infer: aten.mm.default: mat2 is f32[5,2] where [k,m] is wanted: its size in dimension 0 is not 4
error: infer: aten.tril.default: self is f32[4] where [...,_,_] is wanted
error: infer: aten.trace.default: self is f32[2,3,4] where [_,_] is wanted
error: infer: aten.lstm.input: 3 weights for 1 layers in 1 directions
error: infer: aten.index_add.default: Source/destination tensor must have same slice shapes: f32[8,8] and f32[5,4] at dimension 1
error: infer: aten.slice_scatter.default: expected src to have a size equal to the slice of self. src is f32[4,4], slice is f32[4,8]
error: infer: aten.conv2d.default: bias is f32[2] where [o] is wanted: its size in dimension 0 is not 4
error: infer: aten.conv2d.default: calculated output size of f32[2,3,2,2] with weight f32[4,3,3,3] is too small
error: infer: aten.conv2d.default: padding has to be at least 0
error: infer: aten.adaptive_max_pool2d.default: self is i64[2,3,8,8]: it has to hold floating point numbers
error: infer: aten.roll.default: dimension 1 of a tensor that has 1
error: infer: aten.mm.default: expected a value for argument 'mat2', but it is None
--status-- 1
--run-- ferrite inspect --stage fx - | tee again.fx | grep require; ferrite inspect again.fx --stage loop | grep assert
--in--
symbols {
  s0 in [2, inf]
  s1 in [2, inf]
  s2 in [2, inf]
}
graph main {
  placeholder %a user "a" : f32[s0,8]
  placeholder %i user "i" : i64[s1]
  placeholder %s user "s" : f32[s2,8]
  placeholder %b user "b" : f32[s1]
  %add = aten.index_add.default(%a, 0, %i, %s)
  %mul = aten.mul.Tensor(%add, %b)
  output (user %mul)
}
--out--
  require s1 == s2 "aten.index_add.default: Number of indices (s1) should be equal to source.size(dim): f32[s2,8] (add)"
  require s1 == 8 "aten.mul.Tensor: The size of tensor a (8) must match the size of tensor b (s1) at non-singleton dimension 1 (mul)"
assert s1 == s2 "aten.index_add.default: Number of indices (s1) should be equal to source.size(dim): f32[s2,8] (add): s1 == s2"
assert s1 == 8 "aten.mul.Tensor: The size of tensor a (8) must match the size of tensor b (s1) at non-singleton dimension 1 (mul): s1 == 8"
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("p" n ".fx")}'; for n in 1 2 3 4 5 6; do ferrite inspect p$n.fx --stage loop 2>&1 | sed -n '1p'; done
--in--
placeholder %a user "a" : f32[3,4]; placeholder %b user "b" : f32[5,6]; %v = aten.einsum.default("ij,jk->ik", [%a, %b])
placeholder %a user "a" : f32[1,12,10]; %v = aten.col2im.default(%a, [4, 4], [2, 2], [1, 1], [0, 0], [1, 1])
placeholder %a user "a" : f32[2,10]; placeholder %b user "b" : f32[3,5]; %v = aten.searchsorted.Tensor(%a, %b)
placeholder %a user "a" : f32[3,4]; placeholder %b user "b" : f32[5]; %v = aten.prelu.default(%a, %b)
placeholder %a user "a" : f32[1,5,4,4]; %v = aten.pixel_shuffle.default(%a, 2)
placeholder %a user "a" : f32[5,6]; placeholder %i user "i" : i64[2]; placeholder %b user "b" : f32[2,5]; %v = aten.index_put.default(%a, [%i], %b, True)
--out--
error: infer: aten.einsum.default: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2
error: infer: aten.col2im.default: expected size of input's dimension 2 to match the calculated number of sliding blocks, but got f32[1,12,10]
error: infer: aten.searchsorted.Tensor: the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got f32[2,10] and f32[3,5]
error: infer: aten.prelu.default: Mismatch of parameter numbers and input channel size. Found parameter numbers = 5 and channel size = 4
error: infer: aten.pixel_shuffle.default: pixel_shuffle expects its input f32[1,5,4,4] to be divisible in dimension 1
error: infer: aten.index_put.default: the value is f32[2,5]: dimension 1 does not broadcast
--status-- 1
--run-- for z in 8388608 4194304 1; do sed "s/Z/$z/" big.fx | ferrite inspect --stage loop - 2>&1 | sed -n 1p; done; sed 's/1099511627776,2/4611686018427387904/; s/Z/1/' big.fx | ferrite inspect --stage fx - 2>&1 | sed -n 1p
--file big.fx--
graph main {
  placeholder %x user "x" : f32[1099511627776,2]
  %w = aten.repeat.default(%x, [Z, 1])
  output (user %w)
}
--out--
error: infer: aten.repeat.default: f32[1099511627776*8388608,2] does not fit in any memory
error: infer: aten.repeat.default: f32[4611686018427387904,2] does not fit in any memory
program stdin
error: infer: the tensor does not fit in any memory

--status-- 1
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("p" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do ferrite inspect p$n.fx --stage loop 2>&1 | sed -n '1p'; done
--in--
placeholder %a user "a" : f32[5,6]; placeholder %m user "m" : bool[4]; placeholder %b user "b" : f32[6]; %v = aten.index_put_.default(%a, [%m], %b)
placeholder %a user "a" : f32[6,3]; %v = aten.split_with_sizes.default(%a, [1, 2], 0)
placeholder %a user "a" : f32[4,5]; placeholder %b user "b" : f32[2,3]; %v = aten.as_strided_scatter.default(%a, %b, [2, 3], [5, 100], 2)
placeholder %a user "a" : i64[3]; placeholder %b user "b" : f32[3]; %v = aten.add_.Tensor(%a, %b)
placeholder %a user "a" : f32[3]; placeholder %b user "b" : f32[2,3]; %v = aten.mul_.Tensor(%a, %b)
placeholder %a user "a" : i64[3,40]; %v = aten.gelu.default(%a, "none")
placeholder %a user "a" : bool[3,40]; %v = aten.hardswish_.default(%a)
placeholder %a user "a" : f32[2,60]; placeholder %w user "w" : f32[17]; %v = aten.stft.default(%a, 16, 4, 17, %w, False, None, True, None)
placeholder %a user "a" : f32[2,40,3]; placeholder %h user "h" : f32[1,2,2]; placeholder %c user "c" : f32[1,2,5]; placeholder %w user "w" : f32[20,3]; placeholder %u user "u" : f32[20,2]; placeholder %p user "p" : f32[5,2]; %v = aten.lstm.input(%a, [%h, %c], [%w, %u, %p], False, 1, 0.0, False, False, True)
placeholder %a user "a" : f32[5,10]; %v = aten.kthvalue.default(%a, 11, 1, False)
placeholder %a user "a" : f32[5,5]; placeholder %b user "b" : f32[4]; %v = aten.linalg_solve.default(%a, %b)
placeholder %a user "a" : f32[2,3,4]; placeholder %b user "b" : f32[4]; placeholder %c user "c" : i32[4]; %v = aten.fake_quantize_per_channel_affine.default(%a, %b, %c, 1, -128, 127)
--out--
error: infer: aten.index_put_.default: The shape of the mask bool[4] at index 0 does not match the shape of the indexed tensor f32[5,6] at index 0
error: infer: aten.split_with_sizes.default: split_with_sizes expects split_sizes to sum exactly to 6, but they sum to 3
error: infer: aten.as_strided_scatter.default: setStorage: sizes and strides of f32[2,3]{5,100}+2 are out of bounds for storage of f32[4,5]
error: infer: aten.add_.Tensor: result type f32[3] can't be cast to the desired output type i64[3]
error: infer: aten.mul_.Tensor: f32[2,3] cannot be written to f32[3]
error: infer: aten.gelu.default: self is i64[3,40]: it has to hold floating point numbers
error: infer: aten.hardswish_.default: self is bool[3,40]: it has to hold floating point numbers
error: infer: aten.stft.default: stft with n_fft 16, hop_length 4, win_length 17
error: infer: aten.lstm.input: weight 2 is f32[5,2], its rows have to be 2
error: infer: aten.kthvalue.default: selected index k out of range: 11 of f32[5,10]
error: infer: aten.linalg_solve.default: B is f32[4], which is no matrix
error: infer: aten.fake_quantize_per_channel_affine.default: scale f32[4] does not match the size 3 of the axis

--status-- 1
--run-- for n in sum relu sort; do sed "s/OP/$n/" eight.fx | ferrite inspect --stage fx - 2>&1 | sed -n 1p; done
--file eight.fx--
graph main {
  placeholder %x user "x" : f8e4m3fn[3,4]
  %w = aten._to_copy.default(%x, dtype=f32)
  %v = aten.OP.default(%x)
  output (user %v)
}
--out--
error: infer: aten.sum.default: "sum" not implemented for 'torch.float8_e4m3fn'
error: infer: aten.relu.default: "relu" not implemented for 'torch.float8_e4m3fn'
error: infer: aten.sort.default: "sort" not implemented for 'torch.float8_e4m3fn'
--status-- 1
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  %%g = _operator.getitem(%%v, 0)\n  output (user %%g)\n}\n'; done | awk '/^graph/ {n++} {print > ("g" n ".fx")}'; for n in 1 2 3 4 5 6; do ferrite inspect g$n.fx --stage loop 2>&1 | grep -e ^error -e ^output; done
--in--
placeholder %a user "a" : f32[2]; placeholder %s user "s" : f32[]; %v = aten.gradient.tensorarray(%a, [%s], [0], 1)
placeholder %a user "a" : f32[4,5]; placeholder %s user "s" : f32[4]; %v = aten.gradient.tensorarray(%a, [%s], [0, 1], 1)
placeholder %a user "a" : f32[4,5]; %v = aten.gradient.scalarint(%a, 2.0, 0, 3)
placeholder %a user "a" : f32[1,5]; %v = aten.gradient.array(%a, [0], 1)
placeholder %a user "a" : f32[4,5]; placeholder %s user "s" : f32[4]; %v = aten.gradient.tensorarray(%a, [%s], [0], 2)
placeholder %a user "a" : f32[2]; placeholder %s user "s" : f32[1]; %v = aten.gradient.tensorarray(%a, [%s], [0], 1)
--out--
error: infer: aten.gradient.tensorarray: expected each element of spacing to have one dimension, but got f32[]
error: infer: aten.gradient.tensorarray: torch.gradient expected as many spacings as dims, but got 1 and 2
error: infer: aten.gradient.scalarint: gradient with edge_order 3
error: infer: aten.gradient.array: gradient expects each dimension size to be at least edge_order + 1, but got f32[1,5]
output @buf6[4,5]{5,1}
error: infer: aten.gradient.tensorarray: a spacing of f32[1] has fewer than edge_order + 1 places

--status-- 1
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("n" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do ferrite inspect n$n.fx --stage loop 2>&1 | sed -n '1p'; done
--in--
placeholder %a user "a" : f32[4]; %v = aten.quantile.scalar(%a, 0.5, None, False, interpolation="bogus")
placeholder %a user "a" : f32[4]; placeholder %b user "b" : f32[4]; %v = aten.huber_loss.default(%a, %b, 1, -1.0)
placeholder %a user "a" : f32[4]; %v = aten.bernoulli.p(%a, 1.5)
placeholder %a user "a" : f32[4,4]; %v = aten.fake_quantize_per_tensor_affine.default(%a, 0.5, 9, 0, 7)
placeholder %a user "a" : f32[2,3,4]; placeholder %w user "w" : f64[3]; %v = aten.batch_norm.default(%a, %w, None, None, None, True, 0.1, 1e-05, False)
placeholder %a user "a" : bf16[2,3,4]; placeholder %w user "w" : f32[3]; placeholder %b user "b" : bf16[3]; %v = aten.batch_norm.default(%a, %w, %b, None, None, True, 0.1, 1e-05, False)
placeholder %a user "a" : f32[2,3,4]; %v = aten.instance_norm.default(%a, None, None, None, None, False, 0.1, 1e-05, False)
placeholder %a user "a" : f32[2]; placeholder %b user "b" : f64[2]; %v = aten.complex.default(%a, %b)
placeholder %a user "a" : c64[3]; %v = aten.matrix_H.default(%a)
placeholder %a user "a" : f32[3]; placeholder %b user "b" : i64[3]; %l = aten.meshgrid.indexing([%a, %b], "ij"); %v = _operator.getitem(%l, 0)
placeholder %a user "a" : f32[1,3,9,9]; placeholder %r user "r" : f32[1,3,2]; %l = aten.fractional_max_pool2d.default(%a, [3, 3], [2, 8], %r); %v = _operator.getitem(%l, 0)
placeholder %a user "a" : f32[1,0,3,6]; %v = aten.max_pool2d.default(%a, [3, 3], [2, 2], [1, 1], [1, 1], False)
placeholder %a user "a" : f32[1,3,4]; placeholder %w user "w" : f32[3,3,3]; %v = aten.conv_transpose1d.default(%a, %w, None, [2], [2], [2], 1, [1])
placeholder %a user "a" : f32[2,2,2,2,0]; placeholder %w user "w" : f32[2,2,2,2,2]; %v = aten.conv3d.default(%a, %w, None, [1, 1, 1], [1])
placeholder %a user "a" : f32[3,1]; placeholder %w user "w" : f32[1,2,3]; %v = aten.convolution.default(%a, %w, None, [1], [0], [1], False, [0], 1)
placeholder %a user "a" : f32[3,4]; placeholder %b user "b" : f64[4,5]; %v = aten.einsum.default("ij,jk->ik", [%a, %b])
placeholder %a user "a" : f32[5,1]; placeholder %b user "b" : f32[5,3]; %v = aten.cross.default(%a, %b)
placeholder %a user "a" : f32[4,4]; %v = aten.sum_to_size.default(%a, [4, 3])
placeholder %a user "a" : f32[]; %v = aten.unfold_copy.default(%a, 0, 7, 1)
placeholder %a user "a" : i64[6,0,2]; %l = aten.unique_dim.default(%a, 0, True, True, False); %v = _operator.getitem(%l, 0)
placeholder %a user "a" : f32[5,6]; %v = aten.fft_rfftn.default(%a, None, [], None)
placeholder %a user "a" : f32[5,6]; %v = aten.fft_fft2.default(%a, [3], [0, 1], None)
placeholder %a user "a" : f32[2,6]; placeholder %b user "b" : f32[2]; %v = aten.fill_.Tensor(%a, %b)
placeholder %a user "a" : f32[2,2,3,4]; placeholder %b user "b" : f32[2,2,5,4]; placeholder %m user "m" : f32[2,5]; %v = aten.scaled_dot_product_attention.default(%a, %b, %b, %m)
placeholder %a user "a" : f32[2,2,3,4]; placeholder %b user "b" : f32[2,3,5,4]; %v = aten.scaled_dot_product_attention.default(%a, %b, %b)
placeholder %a user "a" : f32[5]; placeholder %b user "b" : f32[5]; placeholder %t user "t" : f32[5]; %v = aten.cosine_embedding_loss.default(%a, %b, %t)
placeholder %a user "a" : f32[2,3]; placeholder %b user "b" : f32[3]; %v = aten.triplet_margin_loss.default(%a, %b, %b, 1.0, 2.0, 1e-06, False, 0)
placeholder %a user "a" : i64[3]; %v = aten.randn_like.default(%a)
placeholder %a user "a" : f32[3]; %v = aten.random.to(%a, -1)
placeholder %a user "a" : f32[2,3]; %v = aten.layer_norm.default(%a, [3], None, None, 1e-05, False); %w = aten.clamp.Tensor(%a, None, None)
placeholder %a user "a" : f32[0,2,3]; placeholder %h user "h" : f32[1,2,4]; placeholder %w user "w" : f32[4,3]; placeholder %u user "u" : f32[4,4]; %l = aten.rnn_tanh.input(%a, %h, [%w, %u], False, 1, 0.0, False, False, False); %v = _operator.getitem(%l, 0)
placeholder %a user "a" : f32[6,4]; placeholder %i user "i" : i64[3]; placeholder %j user "j" : i64[6,4,3,4]; placeholder %e user "e" : f32[]; %v = aten.index_put.default(%a, [%i, %j], %e)
placeholder %a user "a" : f32[4,3]; %v = prims.copy_strided.default(%a, [0, 1])
placeholder %t user "t" : f32[2,2,3]; %v = aten.affine_grid_generator.default(%t, [2, 3, 4, 5, 5], False)
placeholder %a user "a" : f32[2,5]; placeholder %w user "w" : f32[5]; placeholder %b user "b" : f32[4]; %v = aten.linear.default(%a, %w, %b)
placeholder %a user "a" : f32[1,3,3]; %v = aten.pad.default(%a, [1, 2], "bogus")
placeholder %a user "a" : f32[3]; %v = aten.pad.default(%a, [1, 2], "circular")
placeholder %a user "a" : f32[3]; %v = aten.nuclear_norm.default(%a)
placeholder %a user "a" : f32[5,5]; placeholder %b user "b" : f32[5]; %v = aten.linalg_solve.default(%a, %b, left=False)
placeholder %a user "a" : i64[3,5]; %v = aten.linalg_lu_factor.default(%a)
--out--
error: infer: aten.quantile.scalar: interpolation is "bogus", which is none of linear|lower|higher|midpoint|nearest
error: infer: aten.huber_loss.default: delta is -1, but has to be greater than 0
error: infer: aten.bernoulli.p: p is 1.5, but has to be at most 1
error: infer: aten.fake_quantize_per_tensor_affine.default: zero_point has to be at most quant_max
error: infer: aten.batch_norm.default: weight is f64[3] and input is f32[2,3,4]: expected them to have the same dtype
error: infer: aten.batch_norm.default: bias is bf16[3] and weight is f32[3]: expected them to have the same dtype
error: infer: aten.instance_norm.default: running_mean must be defined in evaluation mode
error: infer: aten.complex.default: real is f32[2] and imag is f64[2]: expected them to have the same dtype
error: infer: aten.matrix_H.default: self is c64[3] where [|_,_] is wanted
error: infer: aten.meshgrid.indexing: tensors is i64[3] and tensors.0 is f32[3]: expected them to have the same dtype
error: infer: aten.fractional_max_pool2d.default: pool 3 too large relative to input f32[1,3,9,9]
error: infer: aten.max_pool2d.default: c has to be greater than 0
error: infer: aten.conv_transpose1d.default: output padding must be smaller than either stride or dilation, but got output_padding: 2, stride: 2, dilation: 1
error: infer: aten.conv3d.default: Only zero batch or zero channel inputs are supported, but got size 0
error: infer: aten.convolution.default: a convolution of f32[3,1] with f32[1,2,3]
error: infer: aten.einsum.default: expected operands of the same dtype that can be multiplied and summed, but got f32[3,1,4]{4,0,1} and f64[1,5,4]{0,1,5}
error: infer: aten.cross.default: inputs dimension 1 must have length 3: f32[5,1]
error: infer: aten.sum_to_size.default: what it is summed to is f32[4,3]: dimension 1 does not broadcast
error: infer: aten.unfold_copy.default: maximum size for tensor at dimension 0 is 1 but size is 7
error: infer: aten.unique_dim.default: There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: i64[6,0,2]
error: infer: aten.fft_rfftn.default: must transform at least one axis
error: infer: aten.fft_fft2.default: When given, dim and shape arguments must have the same length
error: infer: aten.fill_.Tensor: value is f32[2] where [] is wanted
error: infer: aten.scaled_dot_product_attention.default: attn_mask is f32[2,5]: dimension 0 does not broadcast
error: infer: cannot infer aten.scaled_dot_product_attention.default: cannot broadcast attention of f32[2,2,3,4] to f32[2,3,5,4]
error: infer: aten.cosine_embedding_loss.default: 1D target tensor expects 2D input tensors, but found inputs f32[5] and f32[5].
error: infer: aten.triplet_margin_loss.default: The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got f32[2,3], f32[3], f32[3]
error: infer: aten.randn_like.default: "randn_like" not implemented for 'i64'
error: infer: aten.random.to: random_ expects 'from' to be less than 'to', but got from=0 >= to=-1
error: infer: aten.clamp.Tensor: torch.clamp: At least one of 'min' or 'max' must not be None
error: infer: aten.rnn_tanh.input: Expected sequence length to be larger than 0 in RNN
error: infer: aten.index_put.default: the indices do not broadcast: i64[6,4,3,4] with others
error: infer: prims.copy_strided.default: unsupported operation: more than one element of the written-to tensor refers to a single memory location
error: infer: aten.affine_grid_generator.default: Expected a batch of 3x4 affine matrices, but got f32[2,2,3]
error: infer: aten.linear.default: mat2 must be a matrix, got 1-D tensor
error: infer: aten.pad.default: mode is "bogus", which is none of constant|reflect|replicate|circular
error: infer: aten.pad.default: 2 paddings of f32[3]
error: infer: aten.nuclear_norm.default: self is f32[3] where [...,_,_] is wanted
error: infer: aten.linalg_solve.default: Incompatible shapes of A and B for the equation XA = B: f32[5,5] and f32[5]
error: infer: aten.linalg_lu_factor.default: A is i64[3,5]: it has to hold float32, float64 or complex
--status-- 1
--run-- for n in 1 2 3; do ferrite inspect p$n.fx --stage loop; done
--file p1.fx--
graph main {
  placeholder %a user "a" : f32[2]
  placeholder %b user "b" : f32[2,4]
  %v = aten.cat.default([%a, %b], 1)
  output (user %v)
}
--file p2.fx--
graph main {
  placeholder %a user "a" : f32[2]
  placeholder %b user "b"
  %v = aten.add.Tensor(%a, %b)
  output (user %v)
}
--file p3.fx--
operators { "shop::one(Tensor x) -> Tensor" "shop::two(Tensor x) -> Tensor" }
graph main {
  placeholder %a user "a" : f32[2]
  %u = shop.one(%a)
  %v = aten.relu.default(%u)
  %w = aten.add.Tensor(%v, %u)
  %x = shop.two(%a)
  output (user %w, user %x)
}
--err--
error: infer: aten.cat.default: f32[2,4] and f32[2] cannot be joined in dimension 1
  at %v in graph main
  help: PyTorch refuses such arguments too: is the program whole?
error: infer: aten.add.Tensor: expected a value for argument 'other', but it is None
  at %v in graph main
  help: PyTorch refuses such arguments too: is the program whole?
error: infer: cannot infer shop.one.default: what shop.one.default gives is not known
  at %u in graph main
  help: give the node its metadata, or add a row for the operator
error: infer: cannot infer shop.two.default: what shop.two.default gives is not known
  at %x in graph main
  help: give the node its metadata, or add a row for the operator
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
graph main {
  placeholder %x user "x" : i64[-9223372036854775808,6]
  output (user %x)
}
--out--
error: infer: the tensor does not fit in any memory
  at %x in graph main
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
# groups of heads that do not divide those of the queries
graph main {
  placeholder %q user "q" : f32[2,6,5,8]
  placeholder %k user "k" : f32[2,6,5,8]
  placeholder %v user "v" : f32[2,4,5,8]
  %y = ferrite.attention.default(%q, %k, %v, None, scale=0.2)
  output (user %y)
}
--out--
error: infer: ferrite.attention.default: Number of heads in key and value must divide the number of heads in query, but got f32[2,4,5,8] and f32[2,6,5,8]
  at %y in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
graph main {
  placeholder %x user "x" : f32[6,2]{2,-1}
  %y = aten.neg.default(%x)
  output (user %y)
}
--out--
error: infer: the tensor has a stride below 0
  at %x in graph main
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
# what a subgraph gives is what was recorded of the call
graph main {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %wrap = higher_order.wrap_with_set_grad_enabled(False, @both, %x) : (f32[3,4]{4,1}@2)
  %y = _operator.getitem(%wrap, 0) : f32[3,4]{4,1}@2
  output (user %y)
}
graph both {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %cat = aten.cat.default([%x, %x]) : f32[6,4]{4,1}@2
  output (user %cat)
}
--out--
error: infer: higher_order.wrap_with_set_grad_enabled: result 0 is recorded as f32[3,4], and is f32[6,4] in graph both
  at %wrap in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
# and lies where it does in the subgraph
graph main {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %wrap = higher_order.wrap_with_set_grad_enabled(False, @both, %x) : (f32[3,4]{1,3}@2)
  %y = _operator.getitem(%wrap, 0) : f32[3,4]{1,3}@2
  output (user %y)
}
graph both {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %sin = aten.sin.default(%x) : f32[3,4]{4,1}@2
  output (user %sin)
}
--out--
error: infer: higher_order.wrap_with_set_grad_enabled: result 0 is recorded with other strides than it has in graph both
  at %wrap in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
--run-- ferrite inspect --stage loop - 2>&1
--in--
# there can be memory for what a branch gives
graph main {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  placeholder %p user "p" : bool[]{}@2
  %cond = higher_order.cond(%p, @one, @one, [%x]) : (f32[3,4]{1,4611686018427387904}@3)
  %y = _operator.getitem(%cond, 0) : f32[3,4]{1,4611686018427387904}@3
  output (user %y)
}
graph one {
  placeholder %x user "x" : f32[3,4]{4,1}@1
  %sin = aten.sin.default(%x) : f32[3,4]{4,1}@2
  output (user %sin)
}
--out--
error: infer: higher_order.cond: f32[3,4]{1,4611686018427387904} does not fit in any memory
  at %cond in graph main
  help: PyTorch refuses such arguments too: is the program whole?
--status-- 1
