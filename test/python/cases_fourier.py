"""Operator cases of Fourier transforms. See make_cases.py."""

import torch

from cases_ops import f64, op, real, whole

fft = torch.fft


@op(real(3, 37), real(20, 9), whole(6, low=-3, high=4), real(1, 74))
def fourier_one_dimension(x, y, numbers, row):
    z = torch.complex(y, y.flip(0))
    forward = fft.fft(x), fft.fft(z, dim=0, norm="ortho"), fft.fft(z.mT, n=30, dim=0), fft.fft(numbers)
    backward = fft.ifft(z, norm="forward"), fft.ifft(x, n=16), fft.ifft(row)
    reals = fft.rfft(x), fft.rfft(row, norm="ortho"), fft.rfft(y, n=25, dim=0), fft.irfft(z), fft.irfft(z, n=15, dim=0)
    hermitian = fft.hfft(z, n=11), fft.ihfft(x, norm="ortho"), fft.hfft(y, dim=0)
    return *forward, *backward, *reals, *hermitian


@op(real(2, 6, 10), real(3, 5, 7, dtype=f64))
def fourier_several_dimensions(x, y):
    z = torch.complex(y, y * 2 - 1)
    whole_ones = fft.fft2(x), fft.ifftn(x, s=(4, 13), dim=(0, 2), norm="ortho"), fft.fftn(x.mT)
    halves = fft.rfft2(x), fft.rfftn(x, dim=(1, 0)), fft.irfft2(torch.complex(x, -x)), fft.hfft2(torch.complex(x, x))
    doubles = fft.irfftn(z, s=(5, 9), dim=(2, 0)), fft.ihfft2(y, norm="forward"), fft.hfftn(z, dim=(1, 2))
    as_pairs = [torch.view_as_real(t) if t.is_complex() else t for t in doubles]
    return *whole_ones, *halves, *as_pairs, fft.fftshift(fft.fft(x), dim=1)


@op(real(2, 90), real(20, low=0.1, high=1), real(33, 6))
def fourier_short_time(signal, window, parts):
    spectrum = torch.stft(signal, 24, 8, 20, window, return_complex=True)
    others = torch.stft(signal[0], 16, normalized=True, onesided=False, center=False, return_complex=True)
    whole = torch.complex(parts[:32], parts[1:])
    back = torch.istft(spectrum, 24, 8, 20, window, length=90)
    return spectrum, others, back, torch.istft(whole, 32, 16, onesided=False, return_complex=True)


@op(real(4, 6), real(4, 6), real(4, low=0.5, high=1))
def fourier_windows_with_zeros(a, b, w):
    """Where none but a window's zeros are over the signal is nothing that is kept; windows may be complex."""
    parts, ends = torch.complex(a, b), torch.tensor([0.0, 1, 1, 0]) * w
    turned = torch.complex(ends, w)
    back = torch.istft(parts[:3], 4, 2, 4, ends), torch.istft(parts[:3], 4, 2, 4, w, length=20)
    return *back, torch.istft(parts, 4, 1, 4, turned, onesided=False, return_complex=True)


@op(real(1, 600), real(450, 2))
def fourier_long_rows(x, y):
    return fft.rfft(x), fft.fft(x[:, :509]), fft.irfft(fft.rfft(y, dim=0), n=450, dim=0)
