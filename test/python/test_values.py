#!/usr/bin/env python3
"""Every operator on NaN, infinities, signed zeros, subnormal and huge numbers, the least and the greatest integers, held
against eager: where NaN is, the sign of infinities and of zeros, and what is finite within a tolerance.

    test_values.py [--wide] [--only PATTERN] [ARGUMENTS OF ferrite run ...]

One program a dtype and a kind of operand, with a result for each expression. --wide: all dtypes, not a few.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FERRITE = os.environ.get("FERRITE", os.path.join(ROOT, "build", "ferrite"))
SHORT = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
         torch.complex64: "c64", torch.complex128: "c128", torch.int64: "i64", torch.int32: "i32", torch.int16: "i16",
         torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}
RTOL = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float64: 1e-9, torch.complex128: 1e-9}

# ---- operands ----


def floats(dtype):
    facts = torch.finfo(dtype)
    huge = [1e150] if dtype == torch.float64 else [facts.max / 2, facts.max]  # judged in float64
    given = [0.0, facts.smallest_normal, facts.smallest_normal / 4, 1e-3, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 7, 88.9, 104, 170.6,
             12345.678, 2.0**31, 2.0**63, *huge, float("inf")]
    return torch.tensor([float("nan")] + [x for y in given for x in (y, -y)], dtype=torch.float64).to(dtype)


def integers(dtype):
    facts = torch.iinfo(dtype)
    given = [facts.min, facts.min + 1, -7, -3, -2, -1, 0, 1, 2, 3, 5, 8, 31, 63, 64, facts.max // 2, facts.max - 1, facts.max]
    return torch.tensor(sorted({x for x in given if x >= facts.min}), dtype=dtype)


def numbers(dtype):
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if dtype.is_complex:
        real = torch.tensor([0.0, -0.0, 1.0, -1.5, 3e-3, float("inf"), -float("inf"), float("nan"), 80], dtype=dtype.to_real())
        return torch.complex(real.repeat_interleave(len(real)), real.repeat(len(real)))
    return floats(dtype) if dtype.is_floating_point else integers(dtype)


def crossed(dtype, count):
    """`count` operands in which each number meets each."""
    values = numbers(dtype)
    if count == 2 and dtype in (torch.int32, torch.int64):
        values = values[values != torch.iinfo(dtype).min]  # eager's division by -1 ends the process
    if len(values) ** count > 4000:
        draw = torch.Generator().manual_seed(0)
        return [values[torch.randint(len(values), (3000,), generator=draw)] for _ in range(count)]
    return [grid.flatten().contiguous() for grid in torch.meshgrid(*[values] * count, indexing="ij")]


def sprinkled(dtype, shape, seed, specials, rate=0.04):
    draw = torch.Generator().manual_seed(seed)
    if not dtype.is_floating_point and not dtype.is_complex:
        return torch.randint(0, 5, shape, generator=draw).to(dtype)
    out = torch.randn(shape, generator=draw, dtype=torch.float64)
    out = torch.complex(out, out.roll(1)).to(dtype) if dtype.is_complex else out.to(dtype)
    chosen = torch.rand(shape, generator=draw) < rate
    picks = torch.tensor(specials, dtype=torch.float64)[torch.randint(len(specials), shape, generator=draw)]
    return torch.where(chosen, picks.to(dtype), out)


# ---- expressions ----

UNARY = """
x.abs() x.neg() x.sign() x.square() x.sqrt() x.rsqrt() x.reciprocal() x.exp() x.exp2() x.expm1() x.log() x.log2() x.log10()
x.log1p() x.sin() x.cos() x.tan() x.asin() x.acos() x.atan() x.sinh() x.cosh() x.tanh() x.asinh() x.acosh() x.atanh() x.erf()
x.erfc() x.erfinv() x.lgamma() x.digamma() x.sigmoid() x.floor() x.ceil() x.round() x.round(decimals=2) x.trunc() x.frac()
x.isnan() x.isinf() x.isfinite() x.signbit() x.isposinf() x.isneginf() x.nan_to_num() x.nan_to_num(1.5,2.5,-3.5) x.sgn()
x.logit() x.logit(0.1) x.sinc() x.i0() x.positive() x.deg2rad() x.rad2deg() x.logical_not() x.angle() x.conj()
x.bitwise_not() x.to(torch.int64) x.to(torch.int32) x.to(torch.int16) x.to(torch.int8) x.to(torch.uint8) x.to(torch.bool)
x.to(torch.float32) x.to(torch.float64) x.to(torch.float16) x.to(torch.bfloat16)
x.to(torch.int64).to(x.dtype) x.to(torch.int32).to(x.dtype) x.to(torch.int8).to(x.dtype) 1/(x.to(torch.int64).to(torch.float32))
(x.to(torch.int64)+0).to(torch.float64) x.to(torch.int32).to(torch.float32).signbit()
F.relu(x) F.relu6(x) F.elu(x) F.selu(x) F.celu(x,0.7) F.gelu(x) F.gelu(x,approximate="tanh") F.silu(x) F.mish(x)
F.softplus(x) F.softplus(x,2,5) F.softsign(x) F.hardtanh(x) F.hardswish(x) F.hardsigmoid(x) F.hardshrink(x) F.softshrink(x)
F.tanhshrink(x) F.threshold(x,0.1,7) F.leaky_relu(x) F.logsigmoid(x) F.rrelu(x)
x.clamp(-1,2) x.clamp(min=0) x.clamp(max=0) x.clamp_min(0.) x.clamp(0,0) x.pow(2) x.pow(3) x.pow(-1) x.pow(-2) x.pow(0.5) x.pow(-0.5) x.pow(0) x.pow(1)
x.pow(4) x.pow(0.3) 2**x 0**x 1**x (-1.5)**x x+1 x-1 1-x x*0 x*2 x/0 0/x 1/x x/2 x//2 x//-1 x%2 x%-3 x.fmod(2) x.fmod(-3) x//0.3 0.5//x
7%x 7//x x.remainder(float("inf")) x.remainder(2.5) x.fmod(float("inf")) x==x x!=x x<0 x<=0 x>0 x>=0 x==0 x.logical_and(x) x.bool()
x.ldexp(torch.tensor(3)) x.mvlgamma(2) x.polygamma(1) torch.special.entr(x) torch.special.ndtr(x) torch.special.log_ndtr(x) torch.special.ndtri(x)
torch.special.i0e(x) torch.special.i1(x) torch.special.i1e(x) torch.special.bessel_j0(x) torch.special.bessel_j1(x)
torch.special.bessel_y0(x) torch.special.modified_bessel_i0(x) torch.special.modified_bessel_k0(x) torch.special.erfcx(x)
torch.special.spherical_bessel_j0(x) torch.special.airy_ai(x) torch.special.zeta(x,2.) torch.special.xlog1py(x,0.) torch.special.xlogy(0,x)
torch.special.expit(x) torch.special.psi(x) torch.polar(x,x) torch.complex(x,x) x.abs().sqrt() torch.frexp(x)[0] torch.frexp(x)[1]
torch.where(x>0,x,0) torch.where(x.isnan(),1.,x) x.masked_fill(x>0,2) torch.heaviside(x,x) x.lerp(x,0.3) x.max(x) -x+0 x+0. x-0. x*1 x*-1 0-x -(0-x) -(x-1) x*0+x
x.real x.imag x.angle() torch.view_as_real(x) x.conj()*x x.sgn() x.abs()**2
x.cumsum(0) x.cumprod(0) x.logcumsumexp(0) x.cummax(0)[0] x.cummax(0)[1] x.cummin(0)[0] x.sum() x.prod() x.mean() x.amax() x.amin() x.max() x.argmax() x.argmin()
x.std() x.var() x.logsumexp(0) x.norm() x.norm(1) x.norm(0) x.norm(float("inf")) x.norm(-float("inf")) x.norm(3) x.softmax(0) x.log_softmax(0) x.sort()[0] x.sort(stable=True)[1] x.sort(descending=True)[0] x.median() x.nanmedian() x.nansum() x.nanmean()
x.any() x.all() x.count_nonzero() x.isin(x[:3]) x.diff() x.topk(5)[0] x.kthvalue(3)[0] x.aminmax()[0]
x.bitwise_left_shift(1) x.bitwise_right_shift(1) x<<2 x>>1 x&1 x|1 x^3 x.floor_divide(3) x.floor_divide(-1) x//-1 x.div(3,rounding_mode="trunc") x.div(3,rounding_mode="floor") x.true_divide(3)
torch.fake_quantize_per_tensor_affine(x,0.1,0,-128,127)
"""
BINARY = """
x+y x-y x*y x/y x//y x%y x.fmod(y) x**y x.pow(y) x.atan2(y) x.hypot(y) x.copysign(y) x.nextafter(y) x.maximum(y) x.minimum(y)
x.fmax(y) x.fmin(y) x.logaddexp(y) x.logaddexp2(y) x.xlogy(y) torch.special.xlog1py(x,y) x.heaviside(y) x.div(y,rounding_mode="trunc")
x.div(y,rounding_mode="floor") x.eq(y) x.ne(y) x.lt(y) x.le(y) x.gt(y) x.ge(y) x.logical_and(y) x.logical_or(y) x.logical_xor(y)
x.lerp(y,0.3) x.lerp(y,0.7) x.add(y,alpha=2) x.sub(y,alpha=0) x.rsub(y) x.clamp(min=y) x.clamp(max=y) torch.where(x>y,x,y)
x.float_power(y) x.isclose(y) x.isclose(y,equal_nan=True) F.prelu(x,y[:1]) torch.special.zeta(x,y) torch.igamma(x,y) torch.igammac(x,y)
torch.complex(x,y) torch.polar(x,y) x.gcd(y) x.lcm(y) x&y x|y x^y x<<y x>>y x.dot(y) x.squared_difference(y) F.mse_loss(x,y,reduction="none")
F.l1_loss(x,y,reduction="none") F.smooth_l1_loss(x,y,reduction="none") F.huber_loss(x,y,reduction="none",delta=0.5) F.kl_div(x,y,reduction="none") F.kl_div(x,y,reduction="none",log_target=True)
F.binary_cross_entropy_with_logits(x,y,reduction="none") F.soft_margin_loss(x,y,reduction="none") F.poisson_nll_loss(x,y,reduction="none",full=True) F.hinge_embedding_loss(x,y,reduction="none")
torch.ops.prims.div(x,y) F.threshold(x,0,0)*y x.ldexp(y) x.clamp(x,y) x*y+1 x*y-x*y x-y+y
torch.ops.aten.sigmoid_backward(x,y) torch.ops.aten.tanh_backward(x,y) torch.ops.aten.threshold_backward(x,y,0.5) torch.ops.aten.elu_backward(x,1,1,1,False,y)
torch.ops.aten.gelu_backward(x,y) torch.ops.aten.silu_backward(x,y) torch.ops.aten.hardtanh_backward(x,y,-1,1) torch.ops.aten.hardswish_backward(x,y)
torch.ops.aten.hardsigmoid_backward(x,y) torch.ops.aten.leaky_relu_backward(x,y,0.1,False) torch.ops.aten.softplus_backward(x,y,1,20) torch.ops.aten.log_sigmoid_backward(x,y,torch.zeros(0))
torch.ops.aten.mish_backward(x,y) torch.ops.aten.softshrink_backward(x,y,0.5) torch.ops.aten.hardshrink_backward(x,y,0.5) torch.ops.aten.logit_backward(x,y,0.1)
"""
TERNARY = """
x.addcmul(y,z) x.addcmul(y,z,value=0.5) x.addcdiv(y,z) x.addcdiv(y,z,value=2) x.clamp(y,z) x.lerp(y,z) torch.where(x>0,y,z) x*y+z x*y-z z-x*y x.addcmul(y,z,value=0)
"""
SHAPED = """
m@m2 m.sum(0) m.sum(1) m.mean(0) m.mean(1) m.var(1) m.var(0) m.std(1,correction=0) torch.var_mean(m,1)[0] torch.var_mean(m,1)[1] torch.std_mean(m,0)[1] m.amax(1) m.amin(0) m.max(1)[0] m.max(1)[1] m.min(0)[0] m.min(0)[1]
m.argmax(1) m.argmin(0) m.prod(1) m.cumsum(1) m.cumprod(0) m.cummax(1)[0] m.cummax(1)[1] m.cummin(0)[0] m.logcumsumexp(1) m.logcumsumexp(0) m.logsumexp(1) m.softmax(1) m.softmax(0) m.log_softmax(1) m.norm(dim=1) m.norm(1,1) m.norm(0,1) m.norm(float("inf"),1) m.norm(float("-inf"),1) m.norm(3,0)
m.sort(1)[0] m.sort(1,stable=True)[1] m.sort(1,stable=True,descending=True)[1] m.topk(3,1)[0] m.topk(3,1,largest=False)[1] m.kthvalue(2,1)[0] m.median(1)[0] m.median(1)[1] m.nanmedian(1)[0] m.mode(1)[0] m.quantile(0.3,dim=1) m.nanquantile(0.3,dim=1) m.nansum(1) m.nanmean(1) m.renorm(2,0,1.)
m.aminmax(dim=1)[0] torch.ops.aten.all.dims(m>0,[]) torch.ops.aten.any.dims(m,[],True) m.histc(4,-1,1) torch.cdist(m,m) torch.cdist(m,m,1.) torch.cdist(m,m,float("inf")) F.normalize(m) F.cosine_similarity(m,m.flip(0)) F.pairwise_distance(m,m.flip(0)) torch.pdist(m)
F.layer_norm(m,(12,)) F.layer_norm(m,(12,),w12,w12) F.rms_norm(m,(12,)) F.group_norm(im,2) F.instance_norm(im) F.batch_norm(im,w4,w4.abs(),w4,w4) F.batch_norm(im,w4+1,w4.abs(),w4,w4,True) F.local_response_norm(im,3)
F.max_pool2d(im,2) F.max_pool2d(im,3,1,1) F.max_pool2d(im,2,return_indices=True)[1] F.max_pool1d(im[0],3,2) F.avg_pool2d(im,2) F.avg_pool2d(im,3,1,1) F.adaptive_avg_pool2d(im,3) F.adaptive_max_pool2d(im,3) F.lp_pool2d(im,2,2) F.lp_pool2d(im,3,2)
F.conv2d(im,w) F.conv2d(im,w,w5,padding=1) F.conv2d(im,w,stride=2,padding=1) F.conv2d(im,wd,groups=4,padding=1) F.conv_transpose2d(im,wt,stride=2) F.conv1d(im[0],w[:,:,0]) F.unfold(im,2) F.linear(m,m) F.linear(m[:1],m) F.bilinear(m,m,wb) m.mv(w12) torch.addmm(mm,m,m2) torch.addmm(mm,m,m2,beta=0) torch.addmm(mm,m,m2,alpha=0) torch.baddbmm(im[0],im[0],im[0],beta=0) torch.bmm(im[0],im[0]) torch.einsum("ij,kj->ik",m,m) torch.addmv(w7,m,w12,beta=0) torch.addr(mm,w7,w7) torch.outer(w7,w12) torch.addbmm(im[0,0],im[0],im[0])
F.scaled_dot_product_attention(q,k,v) F.scaled_dot_product_attention(q,k[:,:1],v[:,:1]) F.scaled_dot_product_attention(q,k,v,is_causal=True) F.scaled_dot_product_attention(q,k,v,mask) F.scaled_dot_product_attention(q,k,v,fmask) F.scaled_dot_product_attention(q0,k0,v,mask) F.scaled_dot_product_attention(q0,k0,v,fmask) F.scaled_dot_product_attention(q0,k0,v0,fmask) F.scaled_dot_product_attention(q0,k0,v0,mask) F.scaled_dot_product_attention(q0,k0,v,is_causal=True) ((q0@k0.mT).masked_fill(~mask,float("-inf"))).softmax(-1)@v ((q0@k0.mT)+fmask).softmax(-1)@v
F.interpolate(im,scale_factor=2,mode="bilinear") F.interpolate(im,size=(7,9),mode="bilinear",align_corners=True) F.interpolate(im,scale_factor=2,mode="nearest") F.interpolate(im,size=(7,9),mode="bicubic") F.interpolate(im,size=(4,4),mode="area") F.interpolate(im[0],size=7,mode="linear") F.interpolate(im,size=(3,3),mode="bilinear",antialias=True) F.interpolate(im,size=(15,15),mode="bilinear",align_corners=True) F.interpolate(im,size=(12,im.shape[3]),mode="bilinear") F.interpolate(im,size=(im.shape[2],3),mode="bilinear",align_corners=True) F.interpolate(im,size=(12,im.shape[3]),mode="bicubic",antialias=True) F.interpolate(im,size=(im.shape[2],3),mode="bilinear",antialias=True)
F.grid_sample(im,grid) F.grid_sample(im,grid,padding_mode="border") F.grid_sample(im,grid,padding_mode="reflection",align_corners=True) F.grid_sample(im,grid,mode="nearest") F.grid_sample(im,grid,mode="nearest",padding_mode="border") F.grid_sample(im,grid,mode="nearest",padding_mode="reflection") F.grid_sample(im,grid,mode="bicubic") F.grid_sample(im,grid,mode="bicubic",padding_mode="border") F.grid_sample(im,grid0) F.grid_sample(im,grid0,mode="bicubic")
F.pad(im,(1,1,1,1),mode="reflect") F.pad(im,(1,1)) F.glu(m,1) F.pixel_shuffle(im,2) m.tril() m.triu() m.roll(1) m.cross(m.flip(0),0) m[:3,:3].det() m[:,:3].cross(m[:,3:6],1)
m.scatter_add(1,idx,m) m.index_add(0,idx[0,:3],m[:3]) m.scatter_reduce(1,idx,m,"amax") m.scatter_reduce(1,idx,m,"amin") m.scatter_reduce(1,idx,m,"prod") m.scatter_reduce(1,idx,m,"mean",include_self=False) m.scatter_reduce(1,idx,m,"amax",include_self=False) m.index_reduce(0,idx[0,:3],m[:3],"amin") F.embedding_bag(idx,m,mode="mean") F.embedding_bag(idx,m,mode="max") m.masked_fill(m>0,float("inf")) m.index_put((idx[0],),w12,accumulate=True)
F.cross_entropy(m,idx[:,0]) F.cross_entropy(m,idx[:,0],label_smoothing=0.1) F.nll_loss(m,idx[:,0],reduction="none") F.multi_margin_loss(m,idx[:,0]) F.multilabel_soft_margin_loss(m,m>0) F.cross_entropy(m,m.softmax(1)) F.triplet_margin_loss(m,m.flip(0),m.roll(1)) F.cosine_embedding_loss(m,m.flip(0),w7.sign()) F.margin_ranking_loss(m,m.flip(0),m.sign())
torch.fft.fft(m) torch.trapezoid(m) torch.cumulative_trapezoid(m) torch.gradient(m)[0] torch.bucketize(m,w12.nan_to_num().sort()[0]) torch.searchsorted(w12.nan_to_num().sort()[0],m) torch.isin(m,m[:2]) torch.kron(m[:2,:2],m[:2,:2]) torch.linalg.vector_norm(m,0.5) torch.linalg.matrix_norm(m) torch.linalg.matrix_norm(m,1) torch.linalg.matrix_norm(m,float("inf"))
"""
# Where eager has no one answer: which of two zeros is the greater one.
ANY_ZERO = re.compile(r"maximum|minimum|clamp|lerp|fmax|fmin|amax|amin")
# Where eager's own answer is not to be had. Far from the zeros of Bessel's and Airy's functions it has a few digits, or none,
# as has polygamma of whole numbers below 0, ndtr and the derivative of gelu where they vanish. Of NaN: its mode takes it for
# the most frequent number wherever it stands, the greatest distance does not see it, and Fourier transforms spread it by the
# order of their sums, as does the mean beside a variance (NaN where infinity comes first in its row, infinite where last).
# Greatest common divisors of narrow integers are negative where one is the least; multiples overflow in int.
NOT_JUDGED = re.compile(r"bessel|airy|polygamma|ndtr\(|gelu_backward|mode\(|cdist\(m,m,float|fft|var_mean\(m,1\)\[1\]|std_mean|gcd|lcm")
# In float64 it computes these with numbers of float32, and incomplete gamma functions of subnormal numbers are 0.
NOT_JUDGED_WIDE = re.compile(r"%|fmod|nanmedian|hardsigmoid_backward|fake_quant|igamma")


def listed(text):
    out, line = [], text.split()
    for piece in line:
        if piece not in out:
            out.append(piece)
    return out


class Program(torch.nn.Module):
    def __init__(self, names, expressions):
        super().__init__()
        body = ",\n  ".join(f"({e})" for e in expressions)
        space = {"torch": torch, "F": F}
        exec(f"def forward({', '.join(names)}):\n return (\n  {body},)\n", space)
        self.run = space["forward"]

    def forward(self, *values):
        return self.run(*values)


def runs(names, expression, values):
    """What eager gives, or None where it refuses the dtype, has no static size, or draws."""
    try:
        out = Program(names, [expression])(*[v.clone() for v in values])[0]
        return out if isinstance(out, torch.Tensor) else None
    except (RuntimeError, TypeError, NotImplementedError, AttributeError, ValueError, IndexError):
        return None


def others(job, expression, dtype):
    """What eager gives too: from operands that do not lie in a row, which its vector code does not take, and in float64."""
    apart = [torch.stack([v, v], -1)[..., 0] for v in job.values]
    wide = [v.to(torch.complex128 if v.is_complex() else torch.float64) if v.is_floating_point() or v.is_complex() else v for v in job.values]
    found = [runs(job.names, expression, apart)]
    exact = runs(job.names, expression, wide)
    if exact is not None and (dtype.is_floating_point or dtype.is_complex) and exact.dtype.is_complex == dtype.is_complex:
        found.append(exact.to(dtype))
    return [f for f in found if f is not None]


# ---- what is the same ----


def parts(t):
    if t.is_complex():
        return torch.view_as_real(t.resolve_conj().to(torch.complex128))
    return t.to(torch.float64) if t.is_floating_point() else t


def differs(got, wants, rtol, any_zero):
    """The first place where `got` is none of `wants`, or None. A zero has the sign that one of them has."""
    bad = None
    signs = [parts(want).signbit() for want in wants if want.dtype == got.dtype and want.shape == got.shape]
    for want in wants:
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{got.dtype} {tuple(got.shape)}"
        g, w = parts(got), parts(want)
        if not w.is_floating_point():
            ok = g == w
        else:
            scale = w.abs().nan_to_num(0, 0, 0)
            signed = sum(g.signbit() == sign for sign in signs or [w.signbit()]) > 0
            near = (g - w).abs() <= rtol * scale + torch.finfo(want.dtype).smallest_normal * 2
            ok = (g.isnan() & w.isnan()) | (g == w) & ((g != 0) | any_zero | signed) | (near & (w != 0))
        bad = ~ok if bad is None else bad & ~ok
    return bad if bool(bad.any()) else None


class Value:
    """A dtype, its operands by name, and expressions of them."""

    def __init__(self, title, names, values, expressions):
        self.title, self.names, self.values = title, names, values
        self.expressions = expressions

    def skips(self, expression):
        double = self.title.startswith(("f64", "c128"))
        wide = ONE_STEP.search(expression) and not self.title.startswith(("i", "u"))
        truth = self.title.startswith("bool") and "prims" in expression  # its fake tensors have another dtype
        halves = self.title.startswith("f16") and "complex" in expression
        return (NOT_JUDGED.search(expression) or wide or halves or truth or double and NOT_JUDGED_WIDE.search(expression)
                or self.title.startswith("c") and NOT_COMPLEX.search(expression))

    def usable(self):
        keep = [e for e in self.expressions if not self.skips(e) and runs(self.names, e, self.values) is not None]
        self.expressions = keep


def export(program, values):
    return torch.export.export(program, tuple(v.clone() for v in values), strict=False)


def exported(job):
    """The program of all expressions; what does not export is left out."""
    try:
        return export(Program(job.names, job.expressions), job.values)
    except Exception:
        keep = []
        for e in job.expressions:
            try:
                export(Program(job.names, [e]), job.values)
                keep.append(e)
            except Exception:
                print(f"{job.title}: no export of {e}")
        job.expressions = keep
        return export(Program(job.names, keep), job.values)


def loaded(path):
    """safetensors; its own reader and writer do not know complex numbers of 16 bytes."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        facts, data = json.loads(file.read(length)), file.read()
    named = {short.upper(): dtype for dtype, short in SHORT.items()}
    out = {}
    for name, fact in facts.items():
        if name != "__metadata__":
            first, last = fact["data_offsets"]
            raw = torch.frombuffer(bytearray(data[first:last]), dtype=torch.uint8) if last > first else torch.zeros(0, dtype=torch.uint8)
            out[name] = raw.view(named[fact["dtype"]]).view(fact["shape"])
    return out


def save(tensors, path):
    facts, data = {}, b""
    for name, tensor in tensors.items():
        raw = bytes(tensor.contiguous().view(-1).view(torch.uint8).numpy())
        facts[name] = {"dtype": SHORT[tensor.dtype].upper(), "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps(facts).encode()
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head + data)


def ferrite(path, inputs, folder, arguments):
    out = os.path.join(folder, "out.safetensors")
    save({f"in.{k}": v for k, v in enumerate(inputs)}, os.path.join(folder, "in.safetensors"))
    done = subprocess.run([FERRITE, "run", path, "--inputs", os.path.join(folder, "in.safetensors"), "--outputs", out, "--cache", "",
                           *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return loaded(out)


def judge(job, arguments, folder):
    job.usable()
    if not job.expressions:
        return 0
    path = os.path.join(folder, "p.pt2")
    torch.export.save(exported(job), path)
    got = ferrite(path, job.values, folder, arguments)
    failed = 0
    eager = Program(job.names, job.expressions)(*[v.clone() for v in job.values])
    for k, e in enumerate(job.expressions):
        wants = [eager[k], *others(job, e, eager[k].dtype)]
        rtol = RTOL.get(wants[0].dtype, 1e-4)
        bad = differs(got[f"out.{k}"], wants, rtol, bool(ANY_ZERO.search(e)) or eager[k].is_complex())
        if bad is None:
            continue
        failed += 1
        if isinstance(bad, str):
            print(f"{job.title} {' '.join(arguments)}: {e}: is {bad}")
            continue
        where = bad.flatten().nonzero().flatten()
        at = int(where[0])
        shown = []
        for at in where[:: max(1, len(where) // 4)][:4].tolist():
            item = at // 2 if got[f"out.{k}"].is_complex() else at
            args = [v.flatten()[item].item() for v in job.values if v.numel() == got[f"out.{k}"].numel()]
            shown.append(f"{args} is {got[f'out.{k}'].flatten()[item].item()} not {eager[k].flatten()[item].item()}")
        print(f"{job.title} {' '.join(arguments)}: {e}: {len(where)} of {bad.numel()}: " + "; ".join(shown))
    print(f"{job.title} {' '.join(arguments)}: {failed} of {len(job.expressions)}", flush=True)
    return failed


def shaped(dtype):
    def some(shape, seed, rate=0.03, specials=(float("nan"), float("inf"), -float("inf"), -0.0, 0.0, torch.finfo(dtype).smallest_normal / 2)):
        return sprinkled(dtype, shape, seed, specials, rate)
    plain = lambda shape, seed: sprinkled(dtype, shape, seed, (1.0,), 0)
    q, k, v = (1, 2, 5, 16), (1, 2, 6, 16), (1, 2, 6, 8)
    mask = torch.ones(5, 6, dtype=torch.bool).tril()
    mask[1] = False
    grid = sprinkled(torch.float64, (1, 5, 4, 2), 3, (float("nan"), float("inf"), -float("inf"), 4.5, -1.0, 1.0), 0.3).to(dtype)
    given = {
        "m": some((7, 12), 0), "m2": some((12, 9), 1, 0.01), "mm": some((7, 9), 2, 0.05), "im": some((1, 4, 8, 8), 3), "w": some((5, 4, 3, 3), 4, 0.005),
        "w5": some((5,), 5, 0), "wd": plain((4, 1, 3, 3), 6), "wt": plain((4, 3, 2, 2), 7), "wb": plain((3, 12, 12), 8), "w12": some((12,), 9, 0.1),
        "w7": some((7,), 10, 0), "w4": plain((4,), 11), "q": some(q, 12, 0.01), "k": some(k, 13, 0.01), "v": some(v, 14, 0.05), "q0": plain(q, 15),
        "k0": plain(k, 16), "v0": plain(v, 17), "mask": mask, "fmask": torch.zeros(5, 6, dtype=dtype).masked_fill(~mask, -float("inf")),
        "grid": grid, "grid0": (torch.rand(1, 5, 4, 2, generator=torch.Generator().manual_seed(1)) * 2 - 1).to(dtype),
        "idx": torch.randint(0, 7, (7, 12), generator=torch.Generator().manual_seed(2)),
    }
    return Value(f"{SHORT[dtype]} shaped", list(given), list(given.values()), listed(SHAPED))


# What multiplies and adds in one step does not overflow, nor vanish, between the two.
ONE_STEP = re.compile(r"x\*y|kl_div|poisson")
NOT_COMPLEX = re.compile(r"loss|nan_to_num|logsumexp|logaddexp|pow|silu|\*\*|lerp|x\*y|logcumsum|softmax|norm|square|rsqrt|recip|exp|log1p|sigmoid"
                         r"|^[01]/x|conj\(\)\*|diff")


def jobs_of(dtypes, only):
    for dtype in dtypes:
        jobs = [Value(f"{SHORT[dtype]} unary", ["x"], crossed(dtype, 1), listed(UNARY)),
                Value(f"{SHORT[dtype]} binary", ["x", "y"], crossed(dtype, 2), listed(BINARY))]
        if dtype.is_floating_point or dtype.is_complex:
            jobs.append(Value(f"{SHORT[dtype]} ternary", ["x", "y", "z"], crossed(dtype, 3), listed(TERNARY)))
        if dtype.is_floating_point:
            jobs.append(shaped(dtype))
        for job in jobs:
            if not only or re.search(only, job.title):
                yield job


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--expr")
    options, arguments = parser.parse_known_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    few = re.compile("f32|i32|c64")
    failed = judged = 0
    for job in jobs_of(SHORT, options.only):
        if not options.wide and not few.match(job.title):
            continue
        if options.expr:
            job.expressions = [e for e in job.expressions if options.expr in e]
        with tempfile.TemporaryDirectory() as folder:
            try:
                failed += judge(job, arguments, folder)
                judged += len(job.expressions)
            except RuntimeError as e:
                print(f"{job.title}: {e}")
                failed += 1
    print(f"{max(judged - failed, 0)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
