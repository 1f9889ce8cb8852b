"""Triton kernels on descriptors of tensors, that the program makes or the kernel: for test_triton.py, see triton_kernels.py."""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton
from triton.tools.tensor_descriptor import TensorDescriptor

from triton_kernels import case, floats


@triton.jit
def double_kernel(x_desc, out_desc, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    out_desc.store([m, n], x_desc.load([m, n]) * 2 + 1)


@triton_op("ferrite_triton::described", mutates_args={})
def described_of(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    x_desc, out_desc = (TensorDescriptor.from_tensor(tensor, [16, 16]) for tensor in (x, out))
    wrap_triton(double_kernel)[(triton.cdiv(x.shape[0], 16), triton.cdiv(x.shape[1], 16))](x_desc, out_desc, 16, 16)
    return out


@case((floats(40, 36),), (floats(56, 24),))
def described(x):
    return described_of(x)


@triton_op("ferrite_triton::described_rows", mutates_args={"y"})
def described_rows_of(x: torch.Tensor, y: torch.Tensor) -> None:
    B, M, N = x.shape
    x_desc = TensorDescriptor(x, shape=[B * M, N], strides=[N, 1], block_shape=[16, 16])
    y_desc = TensorDescriptor(y, shape=[B * M, N], strides=[N, 1], block_shape=[16, 16], padding="nan")
    wrap_triton(double_kernel)[(triton.cdiv(B * M, 16), triton.cdiv(N, 16))](x_desc, y_desc, 16, 16)


@case((floats(3, 11, 36), floats(3, 11, 36)))
def described_rows(x, y):
    """Descriptors that see a tensor of three dimensions as rows."""
    described_rows_of(x, y)
    return y * 2


@triton.jit
def product_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Of descriptors that the kernel makes; its two halves are stored apart."""
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN // 2])
    pid, columns = tl.program_id(0), tl.cdiv(N, BN)
    m, n = (pid // columns) * BM, (pid % columns) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        sums = tl.dot(a_desc.load([m, k * BK]), b_desc.load([n, k * BK]).T, sums, input_precision="ieee")
    left, right = tl.split(tl.permute(tl.reshape(sums, (BM, 2, BN // 2)), (0, 2, 1)))
    c_desc.store([m, n], left)
    c_desc.store([m, n + BN // 2], right)


@triton_op("ferrite_triton::described_product", mutates_args={})
def described_product_of(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    M, K, N = *a.shape, b.shape[0]
    c = torch.empty(M, N)
    wrap_triton(product_kernel)[(triton.cdiv(M, 32) * triton.cdiv(N, 32),)](a, b, c, M, N, K, 32, 32, 32)
    return c


@case((floats(40, 72), floats(48, 72)))
def described_product(a, b):
    return described_product_of(a, b)
