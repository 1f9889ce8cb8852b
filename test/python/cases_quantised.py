"""Operator cases of quantised numbers. See make_cases.py."""

import torch
import torch._higher_order_ops
import torch.ao.quantization.fx._decomposed  # noqa: F401  declares the operators

from cases_ops import INF, NAN, SINGLE, i32, op, real, values, whole

quantised = torch.ops.quantized_decomposed
i8, u8 = torch.int8, torch.uint8
SINGLE |= {"product_with_a_weight_of_halves", "quantise_whole", "quantise_parts", "quantise_and_back",
           "products_of_integers", "weights_of_4_bits", "product_between_bytes", "channels_too_large_to_quantise"}


@op(real(3, 7), values(0.05), values(3, dtype=i32), real(3, 7, dtype=torch.bfloat16))
def quantise_whole(x, scale, zero, half):
    by_number = quantised.quantize_per_tensor(x, 0.02, 5, 0, 255, u8)
    by_tensor = quantised.quantize_per_tensor.tensor(x, scale, zero, -128, 127, i8)
    back = quantised.dequantize_per_tensor(by_number, 0.02, 5, 0, 255, u8, out_dtype=torch.float16)
    others = quantised.dequantize_per_tensor.tensor(by_tensor, scale, zero, -128, 127, i8)
    scale, zero = quantised.choose_qparams(x, -128, 127, 1e-5, i8)
    symmetric = quantised.choose_qparams_symmetric(half, 0, 255, 1e-5, u8)
    dynamic = quantised.quantize_per_tensor.tensor(x, scale, zero, -128, 127, i8)
    return by_number, by_tensor, back, others, scale, zero, *symmetric, dynamic


@op(real(2, 3, 4), real(3, low=0.01, high=0.1), whole(3, low=-5, high=6), real(4, 6))
def quantise_parts(x, scales, zeros, rows):
    integers = quantised.quantize_per_channel(x, scales, zeros, 1, -128, 127, i8)
    channels = quantised.dequantize_per_channel(integers, scales, None, 1, -128, 127, i8)
    scale, zero = quantised.choose_qparams_per_token_asymmetric(rows, i8)
    tokens = quantised.quantize_per_token(rows, scale, zero, -128, 127, i8)
    back = quantised.dequantize_per_token(tokens, scale, zero, -128, 127, i8, torch.float32)
    group_scales = rows.abs().reshape(4, 2, 3).amax(2) / 7
    group_zeros = torch.zeros_like(group_scales)
    groups = quantised.quantize_per_channel_group(rows, group_scales, group_zeros, -8, 7, i8, 3)
    whole_again = quantised.dequantize_per_channel_group(groups, group_scales, None, -8, 7, i8, 3, torch.float32)
    return integers, channels, scale, zero, tokens, back, groups, whole_again


@op(
    values(0.3, -0.126, NAN, INF, -INF, 9.0),
    real(2, 3, 4),
    real(3, low=0.01, high=0.1),
    whole(3, dtype=i32),
    values(2.5),
    values(0.07),
)
def quantise_and_back(x, image, scales, zeros, point, step):
    affine = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(x, 0.05, 3, -128, 127)
    channels = torch.fake_quantize_per_channel_affine(image, scales, zeros, 1, -128, 127)
    floating = torch.fake_quantize_per_channel_affine(image, scales, zeros + 0.4, 1, -128, 127)
    learnt = torch._fake_quantize_learnable_per_tensor_affine(image, step, point, -128, 127)
    return *affine, channels, floating, learnt


@op(whole(18, 16, low=-128, high=128, dtype=i8), whole(8, 16, low=-128, high=128, dtype=i8), real(3, 16), real(8))
def products_of_integers(a, b, x, scales):
    return torch._int_mm(a, b.mT), torch._weight_int8pack_mm(x, b, scales)


@op(real(5, 64), real(4, 64), whole(8, 32, low=0, high=256, dtype=u8), real(8, 1, low=0.01, high=0.1), real(8, 2, low=0.01, high=0.1), real(8))
def weights_of_4_bits(x, half, weight, scales, block_scales, bias):
    pack, matmul = torch.ops.aten._dyn_quant_pack_4bit_weight, torch.ops.aten._dyn_quant_matmul_4bit
    rows, blocks = pack(weight, scales, bias, 64, 64, 8), pack(weight, block_scales, None, 32, 64, 8)
    zeros = matmul(torch.zeros_like(x), rows, 64, 64, 8)
    return rows, matmul(x, rows, 64, 64, 8), matmul(half.bfloat16(), rows, 64, 64, 8), matmul(x - 0.5, blocks, 32, 64, 8), zeros


@op(real(3, 8), real(4, 8), real(4), values(0.03), values(120, dtype=i32), values(0.025), values(-2, dtype=i32))
def product_between_bytes(x, weight, bias, x_scale, x_zero, scale, zero):
    return torch.ops._quantized.wrapped_quantized_linear(x, x_scale, x_zero, weight, scale, zero, bias, x_scale * 2, x_zero + 8, 4)


@op(real(2, 3, 8), real(4, 8, low=-70000, high=70000), real(4))
def product_with_a_weight_of_halves(x, weight, bias):
    linear = torch.ops.quantized.linear_dynamic_fp16_unpacked_weight
    small = linear(x[0], weight / 1e5, None)  # before the next one, which writes what is too large into the weight
    return small, linear(x, weight.clone(), bias)


@op(values(0.3, NAN, INF, -INF, 9.0, 1e30, -1e30, 3e9), real(2, low=0.01, high=0.1), whole(2, dtype=i32))
def channels_too_large_to_quantise(x, scales, zeros):
    """Kernels of channels go by way of int64."""
    rows = torch.stack([x, x.flip(0)])
    by_channel = torch.ops.aten.fake_quantize_per_channel_affine_cachemask(rows, scales, zeros, 0, -128, 127)
    floating = torch.fake_quantize_per_channel_affine(rows, scales, zeros + 0.4, 0, -128, 127)
    return *by_channel, floating, torch.fake_quantize_per_tensor_affine(rows, 0.05, 3, -128, 127)


@op(whole(4, 6, low=-99, high=99, dtype=i8), whole(6, 5, low=-99, high=99, dtype=i8), whole(5, 6, low=-99, high=99, dtype=i8), real(6))
def operators_with_another_dtype_for_their_result(a, b, w, x):
    aten, out_dtype = torch.ops.aten, torch._higher_order_ops.out_dtype
    i32, f64 = torch.int32, torch.float64
    products = out_dtype(aten.mm.default, i32, a, b), out_dtype(aten.linear.default, i32, a, w, None)
    scaled = out_dtype(aten.mul.Tensor, i32, a, a.flip(0)), out_dtype(aten.mul.Scalar, torch.float32, a, 2.5)
    narrow = out_dtype(aten.mul.Tensor, torch.int16, a.to(i32) * 300, a)
    return *products, *scaled, narrow, out_dtype(aten.div.Tensor, f64, a, x), out_dtype(aten.div.Scalar, f64, x, 4.0)
