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
--run-- for z in 8388608 4194304 1; do sed "s/Z/$z/" big.fx | ferrite inspect --stage loop - 2>&1 | sed -n 1p; done; sed s/1099511627776,2/4611686018427387904/ big.fx | ferrite inspect --stage fx - 2>&1 | sed -n 1p
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
error: infer: aten.gradient.tensorarray: gradient in 2 dimensions with 1 spacings
error: infer: aten.gradient.scalarint: gradient with edge_order 3
error: infer: aten.gradient.array: gradient expects each dimension size to be at least edge_order + 1, but got f32[1,5]
output @buf6[4,5]{5,1}
error: infer: aten.gradient.tensorarray: a spacing of f32[1] has fewer than edge_order + 1 places
