#!/usr/bin/env python3
"""Makes test/cases: the recorded cases that come with the repository, so that a clone is tested without Python.

  make_cases.py [--out DIR] [--only NAME ...] [--list]

ops/ has a case an operator or family of operators (cases_ops.py), programs/ small whole programs (cases_programs.py).
Programs with custom operators (cases_custom.py) go to test/custom_ops, beside the C side of some.
Every value depends on the case's name alone, so a case made again is the same one. Each archive is loaded back and run.
"""

import argparse
import os
import sys
import warnings
import zlib

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.simplefilter("ignore")

import torch  # noqa: E402
import torchvision_shim  # noqa: E402,F401  timm and transformers import torchvision

from case_files import write_case  # noqa: E402
import cases_awkward  # noqa: E402,F401  its cases are among OPS
import cases_moves  # noqa: E402,F401
import cases_bf16  # noqa: E402,F401  its case is among PROGRAMS
import cases_float8  # noqa: E402,F401
import cases_fourier  # noqa: E402,F401  and these
import cases_linalg  # noqa: E402,F401  and these
import cases_losses  # noqa: E402,F401  and these
import cases_quantised  # noqa: E402,F401  and these
import cases_rare  # noqa: E402,F401  and these
import cases_overlap  # noqa: E402,F401  its case is among PROGRAMS
import cases_passes  # noqa: E402,F401  its cases are among PROGRAMS
import cases_tiles  # noqa: E402,F401  and these
from cases_custom import CUSTOM  # noqa: E402
from cases_ops import AMBIGUOUS, OPS, SINGLE  # noqa: E402
from cases_programs import PROGRAMS  # noqa: E402
from export_models import make_typical  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


FOLDERS = {"ops": "ops", "programs": "programs", "custom": os.path.join(os.pardir, "custom_ops")}


def operator_case(name):
    make, inputs = OPS[name]
    inputs = tuple(one() for one in inputs)
    made = make()
    if not isinstance(made, torch.nn.Module):
        # The export records source lines of functions of this name alone.
        made.__code__ = made.__code__.replace(co_name="forward")
        made = type("Function", (torch.nn.Module,), {"forward": staticmethod(made)})()
    compare = "ambiguous" if name in AMBIGUOUS else "values"
    return made, [inputs], {"op": name, "with_samples": False, "compare": compare, "double": name not in SINGLE}


def program_case(name):
    module, sets, *rest = (PROGRAMS.get(name) or CUSTOM[name])()
    return module, sets, {"name": name, **(rest[0] if rest else {})}


def check_loads(stem, args):
    """torch itself runs what was saved, and gets what was recorded."""
    from safetensors.torch import load_file
    from torch.utils import _pytree as pytree

    args, kwargs = args if len(args) == 2 and isinstance(args[1], dict) else (args, {})
    with torch.no_grad():
        outputs = torch.export.load(f"{stem}.pt2").module()(*args, **kwargs)
    recorded = load_file(f"{stem}.safetensors")
    for k, value in enumerate(pytree.tree_leaves(outputs)):
        if isinstance(value, torch.Tensor):
            expected = recorded[f"out.{k}"] if f"out.{k}" in recorded else recorded[f"0.out.{k}"]
            torch.testing.assert_close(value, expected, equal_nan=True)


def make(name, kind, out):
    torch.manual_seed(zlib.crc32(name.encode()))
    module, sets, keywords = operator_case(name) if kind == "ops" else program_case(name)
    module.eval()
    make_typical(module, sets[0])
    stem = os.path.join(out, FOLDERS[kind], name)
    os.makedirs(os.path.dirname(stem), exist_ok=True)
    write_case(stem, module, sets, frames=1, **keywords)
    check_loads(stem, sets[0])
    return sum(os.path.getsize(f"{stem}.{part}") for part in ("pt2", "safetensors", "json"))


def main():
    names = {**dict.fromkeys(OPS, "ops"), **dict.fromkeys(PROGRAMS, "programs"), **dict.fromkeys(CUSTOM, "custom")}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(HERE, os.pardir, "cases"))
    parser.add_argument("--only", nargs="+", choices=list(names), metavar="NAME", default=list(names))
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list:
        print(*names, sep="\n")
        return 0
    torch.set_num_threads(1)
    total, failed = 0, 0
    for name in args.only:
        try:
            size = make(name, names[name], args.out)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            failed += 1
            continue
        total += size
        print(f"{name:28}{size / 1024:8.1f} KB")
    print(f"{len(args.only) - failed} cases, {total / 1024:.0f} KB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
