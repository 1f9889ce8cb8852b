"""Operator cases of linear algebra; some need LAPACK. See make_cases.py."""

import torch

from cases_ops import AMBIGUOUS, op, real

c64, f64 = torch.complex64, torch.float64
la = torch.linalg


def firm(*shape, dtype=torch.float32):
    """Matrices far from singular: errors stay small."""
    return lambda: (torch.randn(shape, dtype=dtype) + 4 * torch.eye(*shape[-2:])).to(dtype)


def positive(*shape, dtype=torch.float32):
    """Hermitian, positive-definite ones."""

    def make():
        half = torch.randn(shape, dtype=dtype) / 2
        return half @ half.mH + torch.eye(shape[-1], dtype=dtype)

    return make


@op(firm(2, 4, 4), real(4, 3), real(2, 2, 4))
def linalg_systems(a, b, c):
    solved = la.solve(a, b), la.solve(a, c, left=False), la.solve(a[0].mT, b[:, 0]), *la.solve_ex(a[0], b)
    return *solved, la.inv(a), *la.inv_ex(a[1].mT), la.tensorsolve(a[0], b[:, 1]), la.tensorinv(a[0], 1)


@op(firm(3, 4, 4), firm(3, 5))
def linalg_lu(a, wide):
    lu, pivots = la.lu_factor(a)
    solved = la.lu_solve(lu, pivots, a[:2, None]), la.lu_solve(lu, pivots, a, left=False, adjoint=True)
    unpacked = *torch.lu_unpack(lu, pivots), *la.lu(wide), *torch.lu_unpack(lu, pivots, unpack_data=False)
    return lu, pivots, *la.lu_factor_ex(wide), *solved, *unpacked


@op(firm(2, 3, 4, 4), firm(2, 4, 4, dtype=c64))
def linalg_determinants(a, c):
    logs = *torch.slogdet(a), *la.slogdet(c.mT), torch.logdet(a), torch.logdet(c)
    return torch.det(a), la.det(c), torch.zeros(3, 3).det(), torch.det(a[..., :0, :0]), *logs


@op(positive(2, 4, 4), positive(3, 3, dtype=c64), real(4, 2))
def linalg_cholesky(a, c, b):
    lower, upper = la.cholesky(a), torch.cholesky(c, upper=True)
    solved = torch.cholesky_solve(b, lower), torch.cholesky_inverse(upper, upper=True)
    return lower, upper, *la.cholesky_ex(a.mT, upper=True), *solved, la.cholesky_ex(-a).info


@op(firm(21, 4, 4), firm(37, 37), firm(34, 20, dtype=c64), positive(35, 35), positive(18, 3, 3, dtype=c64))
def linalg_many_and_large(many, large, tall, square, few):
    """More matrices than vectors have lanes, and ones of several blocks with rows left over."""
    lu, pivots = la.lu_factor(tall)
    solved = la.solve(many, many.mT), la.inv(large), la.solve_triangular(large.triu(), large[:, :19], upper=True)
    factors = la.cholesky(square), la.cholesky(square, upper=True), la.cholesky(few), la.cholesky(few, upper=True)
    return *solved, lu, pivots, la.det(many), *factors, la.inv(few), la.solve_triangular(few, few, upper=False)


@op(firm(2, 4, 4), real(4, 3), real(2, 3, 4), firm(3, 3, dtype=c64))
def linalg_triangular(a, b, c, d):
    solve = la.solve_triangular
    left = solve(a, b, upper=True), solve(a[0].mT, b, upper=False, unitriangular=True)
    right = solve(a, c, upper=False, left=False), solve(d, d.mT, upper=True, left=False, unitriangular=True)
    return *left, *right, *torch.triangular_solve(b, a[0], upper=False, transpose=True)


@op(firm(37, 21), firm(20, 75), firm(9, 23, 6), firm(43, 34, dtype=c64), firm(70, 66, dtype=f64), firm(19, 4, 5))
def linalg_reflections(tall, wide, many, c, large, small):
    """Columns of several strips, groups of reflections with some left over, scales whose squares are no floats."""
    scales, broken = torch.logspace(-18, 18, 21), wide.clone()
    scales[3], broken[2, 7] = 0, float("nan")
    q, r = la.qr(tall * scales)
    packed, tau = torch.geqrf(c)
    power = torch.ones(19, 1, 1)
    power[3], power[7], power[18] = 1e-30, 0, 1e30
    aside, r_aside = la.qr(small * power)
    factors = aside, r_aside / (power + (power == 0)), *torch.geqrf(small.mT), *torch.geqrf(c[:6, :8].reshape(4, 4, 3)), q, r / scales, *torch.geqrf(wide), *la.qr(many), *torch.geqrf(large), torch.geqrf(broken)[0]
    sides = torch.ormqr(packed, tau, c), torch.ormqr(packed, tau, c, transpose=True), torch.ormqr(packed, tau, c.mT, left=False)
    return *factors, packed, tau, *sides, torch.ormqr(packed, tau, c.mT, left=False, transpose=True), la.householder_product(packed, tau)


@op(firm(2, 4, 3, dtype=f64), firm(3, 5), positive(2, 4, 4), firm(4, 4), firm(3, 4, dtype=c64))
def linalg_factors(tall, wide, symmetric, square, c):
    qr = *la.qr(tall), *la.qr(tall, mode="complete"), *la.qr(wide, mode="r"), *la.qr(c), *torch.geqrf(c)
    svd = *la.svd(tall), *la.svd(wide, full_matrices=False), *la.svd(c), *torch.svd(wide, some=False)
    ldl = *la.ldl_factor(symmetric - 2 * symmetric.mean(0)), *la.ldl_factor_ex(c[:, :3] @ c[:, :3].mH, hermitian=True)
    eigen = *la.eigh(symmetric), *la.eigh(square, UPLO="U"), *la.eig(square), la.eigvals(c[:, :3])
    return *qr, *svd, *ldl, *eigen


AMBIGUOUS.add("linalg_factors")


@op(real(37, 37), real(5, 9, 9), real(70, 70, dtype=f64))
def linalg_symmetric(large, many, wide):
    """Eigenvalues of matrices with one triangle that counts, with blocks of other scales; vectors by what they make."""
    apart, w, v = large.clone(), [], []
    apart[20:, :20], apart[20:, 20:], apart[5:20, 5:20] = 0, apart[20:, 20:] * 1e12, 0
    for values, vectors in (la.eigh(large), la.eigh(many, UPLO="U"), la.eigh(wide), la.eigh(large * 1e30), la.eigh(large * 1e-38)):
        scale = values.abs().amax(-1, keepdim=True)
        w, v = [*w, values / scale], [*v, (vectors * (values / scale).unsqueeze(-2)) @ vectors.mT, vectors.mT @ vectors]
    values, vectors = la.eigh(apart)
    back = (vectors * values) @ vectors.mT
    return *w, *v, back[20:, 20:] / 1e12, back[:20, :20], la.eigvalsh(wide, UPLO="U")


@op(real(33, 21), real(19, 40), real(3, 9, 9), real(70, 11, dtype=f64), real(1, 5))
def linalg_singular(tall, wide, many, narrow, row):
    """Singular values of matrices that become triangular first and of others, of all scales; vectors by what they make."""
    values, products = [], []
    for a in (tall, wide, many.mT, narrow, row, row.mT, tall[:22] * 1e30, wide * 1e-38, many * 0):
        for all_of_them in (False, True):
            u, s, vh = la.svd(a, full_matrices=all_of_them)
            k, scale = s.shape[-1], s.amax(-1, keepdim=True) + 1e-44
            values.append(s / scale)
            products += [(u[..., :k] * (s / scale).unsqueeze(-2)) @ vh[..., :k, :], u.mT @ u, vh @ vh.mT]
    return *values, *products, la.svdvals(narrow.mT), la.svdvals(wide)


@op(firm(2, 4, 3, dtype=f64), firm(3, 4), positive(4, 4))
def linalg_from_factors(tall, wide, a):
    packed, tau = torch.geqrf(tall)
    applied = torch.ormqr(packed, tau, tall), torch.ormqr(packed, tau, tall.mT, left=False, transpose=True)
    products = la.householder_product(packed, tau), *applied
    inverses = la.pinv(wide), la.pinv(tall, rtol=0.4), la.pinv(a, hermitian=True), torch.pinverse(wide)
    ldl, pivots = la.ldl_factor(a)
    return *products, *inverses, la.ldl_solve(ldl, pivots, wide.mT), la.eigvalsh(a), la.svdvals(tall)


@op(firm(2, 3, 4), firm(2, 3, 3, dtype=c64), firm(4, 4))
def linalg_norms(a, c, square):
    spectral = la.matrix_norm(a, 2), la.matrix_norm(c, -2, keepdim=True), la.matrix_norm(a, "nuc", dim=(2, 0))
    others = la.norm(a, "fro", dim=(0, 1)), la.norm(square, 1), torch.norm(square, "nuc"), torch.nuclear_norm(square)
    conditions = la.cond(a), la.cond(square, 1), la.cond(square, "fro"), la.cond(c, "nuc"), la.cond(square, -2)
    return *spectral, *others, *conditions, la.matrix_rank(a), la.matrix_rank(square * 0), la.matrix_rank(a, tol=4.0)


@op(real(2, 3, 4, dtype=torch.bfloat16), real(3, 5, dtype=torch.float16))
def linalg_norms_of_halves(a, h):
    named = la.matrix_norm(a, dtype=f64), la.matrix_norm(h, 1, dtype=f64), la.norm(a, dim=(0, 2))
    return *named, la.matrix_norm(a, float("inf"), keepdim=True), la.vector_norm(h, 3, dtype=f64)


@op(firm(2, 3, 3), real(3, 3, dtype=c64), real(2, 4))
def linalg_functions(a, c, x):
    powers = la.matrix_power(a, -2), la.matrix_power(a, 0), la.matrix_power(c, 5)
    vectors = la.vander(x), la.vander(x, N=2), torch.vander(x[0]), la.vecdot(c, c.mT), torch.vdot(c[0], c[1])
    return *powers, torch.matrix_exp(a - 4), torch.matrix_exp(c), torch.matrix_exp(x[:, :1, None]), *vectors
