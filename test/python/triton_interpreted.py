#!/usr/bin/env python3
"""Runs all kernels that test_triton.py compiles in Triton's interpreter (TRITON_INTERPRET=1 in the environment) and writes their
results to a file."""

import sys

import torch

import triton_descriptors
import triton_library
import triton_loops
import triton_models
import triton_more
import triton_numbers
from triton_kernels import CASES

__all__ = ["triton_descriptors", "triton_library", "triton_loops", "triton_models", "triton_more", "triton_numbers"]


def results(value):
    return value if isinstance(value, tuple) else (value,)


def main(path, names):
    torch.save({name: [(results(function(*copies)), copies) for copies in [[arg.clone() for arg in args] for args in arguments]]
                for name, (function, arguments) in CASES.items() if name in names or not names}, path)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
