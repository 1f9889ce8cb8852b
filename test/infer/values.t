# numbers, words and lists that operators refuse; a line is the inputs and a call
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%v)\n}\n'; done | awk '/^graph/ {n++} {print > ("g" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do ferrite inspect g$n.fx --stage loop 2>&1 | grep -e ^error -e ^output; done
--in--
placeholder %x user "x" : f32[4]; %v = aten.celu.default(%x, 0.0)
placeholder %x user "x" : f32[4]; %v = aten.uniform.default(%x, 2.0, 1.0)
placeholder %x user "x" : f32[4]; %v = aten.uniform.default(%x, 1.0, 1.0)
placeholder %x user "x" : f32[4]; %v = aten.geometric.default(%x, 1.0)
placeholder %x user "x" : f32[4]; %v = aten.div.Scalar_mode(%x, 2, "up")
placeholder %x user "x" : f32[4,4]; %v = aten.index.Tensor(%x, [])
placeholder %x user "x" : f32[4,4]; %v = aten.layer_norm.default(%x, [])
placeholder %x user "x" : f32[1,3,3]; %v = aten.constant_pad_nd.default(%x, [-4, 2], 0)
placeholder %x user "x" : i64[4]; placeholder %m user "m" : bool[4]; %v = aten.masked_fill.Scalar(%x, %m, -inf)
placeholder %x user "x" : f32[4,4]; %v = aten.split.Tensor(%x, 0, 1)
placeholder %x user "x" : f32[4,1]; %v = aten.expand.default(%x, [-1, 4, 4])
placeholder %x user "x" : i64[4]; %v = aten.cumsum_.default(%x, 0, torch.float32)
placeholder %x user "x" : i64[2,2]; placeholder %a user "a" : f32[2]; %v = aten.addr_.default(%x, %a, %a)
placeholder %x user "x" : f32[4,3]; placeholder %t user "t" : f32[2,1]; %v = aten.linalg_pinv.rcond_tensor(%x, %t)
--out--
error: infer: aten.celu.default: alpha has to be other than 0
error: infer: aten.uniform.default: to is 1, but has to be at least from
output @buf2[4]{1}
error: infer: aten.geometric.default: p is 1, but has to be less than 1
error: infer: aten.div.Scalar_mode: rounding_mode is "up", which is none of trunc|floor
error: infer: aten.index.Tensor: indices is an empty list
error: infer: aten.layer_norm.default: normalized_shape is an empty list
error: infer: aten.constant_pad_nd.default: narrow(): length must be non-negative: f32[1,3,3]
error: infer: aten.masked_fill.Scalar: value cannot be converted to type i64 without overflow
error: infer: aten.split.Tensor: split_size can only be 0 if dimension size is 0, but got f32[4,4]
error: infer: aten.expand.default: The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0
error: infer: aten.cumsum_.default: Bad in-place call: input tensor dtype i64 and output tensor dtype f32 should match
error: infer: aten.addr_.default: result type f32[2,2] can't be cast to the desired output type i64[2,2]
output @buf9[2,1,3,4]{12,12,4,1}
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%x)\n}\n'; done | awk '/^graph/ {n++} {print > ("h" n ".fx")}'; for n in 1 2 3; do ferrite inspect h$n.fx --stage loop 2>&1 | grep -e ^error -e ^output; done
--in--
placeholder %x user "x" : bool[4]; placeholder %y user "y" : i64[4]; %v = aten._foreach_add_.List([%x], [%y, %y])
placeholder %x user "x" : bool[4]; placeholder %y user "y" : i64[4]; %v = aten._foreach_maximum_.List([%x], [%y])
placeholder %x user "x" : bool[4]; %v = aten._foreach_neg_.default([])
--out--
error: infer: aten._foreach_add_.List: Tensor lists must have the same number of tensors, got 1 and 2
error: lists: aten._foreach_maximum_.List: result type i64 can't be cast to the desired output type bool
error: infer: aten._foreach_neg_.default: Tensor list must have at least one tensor.
--status-- 1
--run-- while read -r line; do printf 'graph main {\n'; printf '%s\n' "$line" | tr ';' '\n'; printf '  output (user %%x)\n}\n'; done | awk '/^graph/ {n++} {print > ("n" n ".fx")}'; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do ferrite inspect n$n.fx --stage loop 2>&1 | grep -e ^error -e ^output; done
--in--
placeholder %x user "x" : f16[4]; placeholder %m user "m" : bool[4]; %v = aten.masked_fill.Scalar(%x, %m, -1e9)
placeholder %x user "x" : f16[4]; placeholder %m user "m" : bool[4]; %v = aten.masked_fill.Scalar(%x, %m, -inf)
placeholder %x user "x" : u8[4]; %v = aten.fill.Scalar(%x, 255.5)
placeholder %x user "x" : u8[4]; %v = aten.fill.Scalar(%x, -1.0)
placeholder %x user "x" : u8[4]; %v = aten.fill.Scalar(%x, -1)
placeholder %x user "x" : i8[4]; %v = aten.constant_pad_nd.default(%x, [1, 1], 128)
placeholder %x user "x" : f32[4]; %v = aten.full.default([4], 1e39, dtype=torch.float32)
placeholder %x user "x" : i64[4]; %v = aten.igamma.default(%x, %x)
placeholder %x user "x" : i64[4]; placeholder %y user "y" : f32[]; %v = aten.igamma.default(%x, %y)
placeholder %x user "x" : bool[4]; %v = aten.addcmul.default(%x, %x, %x)
placeholder %x user "x" : bool[4]; placeholder %y user "y" : i64[4]; %v = aten.gcd.default(%x, %y)
placeholder %x user "x" : bool[4]; %v = aten.div.Tensor_mode(%x, %x, rounding_mode="floor")
placeholder %x user "x" : i64[4]; %v = aten.add.Tensor(%x, %x, alpha=2.5)
placeholder %x user "x" : bool[4]; placeholder %i user "i" : i64[4]; %v = aten.index_reduce.default(%x, 0, %i, %x, "mean")
placeholder %x user "x" : f32[4]; %v = aten.histc.default(%x, 4, 3, 2)
placeholder %x user "x" : i64[1,3,2,2]; placeholder %y user "y" : i64[1,3,4,4]; %v = aten.avg_pool2d_backward.default(%x, %y, [2, 2], [2, 2], [0, 0], False, True, None)
--out--
error: infer: aten.masked_fill.Scalar: value cannot be converted to type f16 without overflow
output @x[4]{1}
error: infer: aten.fill.Scalar: value cannot be converted to type u8 without overflow
error: infer: aten.fill.Scalar: value cannot be converted to type u8 without overflow
output @x[4]{1}
error: infer: aten.constant_pad_nd.default: value cannot be converted to type i8 without overflow
error: infer: aten.full.default: value cannot be converted to type f32 without overflow
error: infer: aten.igamma.default: the operands promote to i64: they have to promote to floating point numbers
output @x[4]{1}
error: infer: aten.addcmul.default: the operands promote to bool: they have to promote to no bools
output @x[4]{1}
error: infer: aten.div.Tensor_mode: a quotient of bool cannot be rounded
error: infer: aten.add.Tensor: For integral input tensors, argument alpha must not be a floating point number.
error: infer: aten.index_reduce.default: index_reduce of bools by mean
error: infer: aten.histc.default: max has to be at least min
error: decompose: cannot handle aten.avg_pool2d_backward.default: a gradient of integers, whose quotients are cut off one by one
--status-- 1
