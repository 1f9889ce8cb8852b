"""Import this before torchvision (timm imports it) when torch is a CPU build.

The registry's torchvision is built for CUDA. Beside a CPU torch its library of operators does not load, and its
Python part then fails at import because it attaches rules to operators that are not there. No model of the tests
calls any of them, so placeholders with the right names are enough.
"""

import glob
import importlib.util
import os

import torch

NAMES = ["nms", "qnms"] + [
    name
    for op in ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d")
    for name in (op, f"_{op}_backward")
]


def operators_load():
    folder = os.path.dirname(importlib.util.find_spec("torchvision").origin)
    try:
        for library in glob.glob(os.path.join(folder, "_C*.so")):
            torch.ops.load_library(library)
            return True
    except OSError:
        pass
    return False


if not operators_load():
    placeholders = torch.library.Library("torchvision", "DEF")
    for name in NAMES:
        placeholders.define(f"{name}(Tensor unused) -> Tensor")
