#!/usr/bin/env python3
"""Arena against lower bound of every program in some folders: at the sizes of their examples, and of those with symbolic
sizes at others.

  measure_arena.py [--ferrite PATH] [--all] DIR ...

Both are of the order that was chosen, with sizes rounded up to the planner's alignment. Other sizes: every symbol alone and
all together at a quarter to eight times the example's, where its range and the program's own divisions allow them. A line
for what is not at its bound (--all: for everything), then how many are. Nothing is compiled, so it takes about 30 ms a
program.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLAN = re.compile(r"plan \S+: arena (\d+) bytes(?: \+ \d+ a thread)?, bound (\d+), .*?(\d+) buffers")
SYMBOL = re.compile(r"^symbol (\w+) in \[(-?\d*), *(-?\d*)\](?: hint (\d+))?", re.M)
FACTORS = (0.25, 0.5, 0.75, 1.5, 2, 3, 8)
USUAL = 64  # what the compiler takes for sizes that no example has
MOST_SYMBOLS = 6


def inspect(ferrite, path, stage, *options):
    done = subprocess.run([ferrite, "inspect", path, "--stage", stage, *options], capture_output=True, text=True, timeout=600,
                          check=False)
    return done.stdout if done.returncode == 0 else None


def symbols_of(ferrite, path):
    """Name, least, most, example's value."""
    for name, least, most, hint in SYMBOL.findall(inspect(ferrite, path, "loop") or ""):
        yield name, int(least or 0), int(most or 2**40), int(hint or USUAL)


def other_sizes(symbols):
    for chosen in [symbols] + [[one] for one in symbols] * (len(symbols) > 1):
        for factor in FACTORS:
            values = [f"{name}={max(least, min(most, round(hint * factor)))}" for name, least, most, hint in chosen]
            yield ",".join(values)


def measure(ferrite, path):
    """[(sizes, arena, bound, buffers)]; the first are the example's."""
    rows = []
    symbols = list(symbols_of(ferrite, path))[:MOST_SYMBOLS]
    for sizes in ["", *dict.fromkeys(other_sizes(symbols) if symbols else [])]:
        plan = PLAN.match(inspect(ferrite, path, "plan", *(["--sizes", sizes] if sizes else [])) or "")
        if plan:
            rows.append((sizes, *map(int, plan.groups())))
    return rows


def show(path, row):
    sizes, arena, bound, buffers = row
    print(f"{os.path.basename(path)[:-4]:32} {arena:>12} {bound:>12} {arena / bound if bound else 1:8.4f} {buffers:>8}  {sizes}")


def summary(what, ratios):
    at_bound = sum(ratio == 1 for ratio in ratios)
    print(f"{what}: {at_bound} of {len(ratios)} at the bound ({100 * at_bound / max(1, len(ratios)):.2f} %), "
          f"at most {max(ratios, default=1):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--ferrite", default=os.path.join(ROOT, "build", "ferrite"))
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    found = (os.path.join(folder, name) for top in options.folders for folder, _, names in os.walk(top)
             for name in sorted(names) if name.endswith(".pt2"))
    paths = list({os.path.basename(path): path for path in found}.values())  # the same program may be in several
    examples, others, failed = [], [], []
    print(f"{'program':32} {'arena':>12} {'bound':>12} {'ratio':>8} {'buffers':>8}  sizes")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, rows in zip(paths, pool.map(lambda path: measure(options.ferrite, path), paths)):
            if not rows or rows[0][0]:
                failed.append(path)
            for row in rows:
                ratio = row[1] / row[2] if row[2] else 1
                (others if row[0] else examples).append(ratio)
                if options.all or ratio != 1:
                    show(path, row)
    for path in failed:
        print(f"{os.path.basename(path)[:-4]:32} no plan")
    summary("examples", examples)
    summary("other sizes", others)
    return 0 if max(examples, default=1) <= 1.01 and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
