#!/usr/bin/env python3
"""Arguments that do not fit each other: each call of good_calls.txt with one argument changed by rule, or other dtypes (calls.py): PyTorch's
verdict on it against ours. Both refuse it, or both give the same numbers.

    test_mismatch.py [--all] [--seed N] [--count N] [--only PATTERN] [--symbols] [--list FILE]

Without --all: a sample of so many calls, in which operators of mismatch_open.txt do not count. --symbols: sizes are symbols, and what does not fit is there at the run alone;
without it some of these are in the sample too.
"""

import argparse
import collections
import logging
import os
import pickle
import random
import re
import resource
import signal
import sys
import time
import warnings

import torch

import calls
from calls import Call
from eager_reads import asked_meta, is_read_elsewhere
from in_process import Program, Refused

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 20  # for one call
AGAIN = 3  # for eager among other memory, which may hold any number

# ---- the program of one call ----


def program(call, results, symbolic=False):
    """results: None, one tensor or number; else which of those in a tuple. -> text"""
    lines, hints = [], {}
    names = iter(range(len(call.specs())))

    def size(number):
        if not symbolic:
            return str(number)
        hints[f"s{len(hints)}"] = number
        return f"s{len(hints) - 1}"

    def given(spec):
        k = next(names)
        lines.append(f'  placeholder %i{k} user "i{k}" : {spec.dtype}[{",".join(map(size, spec.sizes))}]')
        return f"%i{k}"

    lines.append(f"  %v = {call.text(given)}")
    if results is None:
        lines.append("  output (user %v)")
    else:
        lines += [f"  %r{k} = _operator.getitem(%v, {k})" for k in results]
        lines.append(f"  output ({', '.join(f'user %r{k}' for k in results)})")
    ranges = "".join(f"  {name} in [{min(2, hint)}, inf] hint {hint}\n" for name, hint in hints.items())
    return (f"symbols {{\n{ranges}}}\n" if hints else "") + "graph main {\n" + "\n".join(lines) + "\n}\n"


def which(call, eager):
    """Those that eager gives; what a mask leaves out is None."""
    returns = call.schema().returns
    if len(returns) == 1 and "List" not in str(returns[0].type):
        return None
    given = eager if isinstance(eager, (list, tuple)) else [0] * len(returns)
    return [k for k, item in enumerate(given) if item is not None]


# ---- verdicts ----


def asked_eager(call, tensors):
    """(what it gives, None) or (None, why it does not). An operator without a CPU kernel: what its meta function says, no numbers."""
    try:
        with torch.no_grad():
            return call.run([t.clone() for t in tensors]), None
    except Exception as error:
        if NO_KERNEL.search(str(error)):
            return asked_meta(call, tensors)
        return None, f"{type(error).__name__}: {str(error)[:200]}"


class Number:
    def __init__(self, value):
        self.tensor = torch.tensor(value)


def results_of(value):
    """Leaves; None for what is not compared."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value if item is not None for leaf in results_of(item)]
    if isinstance(value, torch.Tensor):
        return [value.resolve_conj().resolve_neg()]
    return [Number(value)] if isinstance(value, (bool, int, float)) else [None]


LOOSE = {torch.float16: 1e-2, torch.bfloat16: 5e-2, torch.complex64: 1e-3, torch.float32: 1e-3}


def tolerance_of(call, dtype):
    """By the coarsest dtype among the arguments: eager rounds to it in between, or not."""
    return max(LOOSE.get(d, 1e-6) for d in [dtype, *(calls.DTYPES[spec.dtype] for spec in call.specs())])


def difference(call, got, want, looks_at_numbers):
    for k, (g, w) in enumerate(zip(got, want)):
        if w is None:
            continue
        if isinstance(w, Number):
            g, w = g.double(), w.tensor.double()
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"result {k} is {g.dtype} {list(g.shape)}, not {w.dtype} {list(w.shape)}"
        if looks_at_numbers and w.numel() and not w.is_meta:
            tolerance = tolerance_of(call, w.dtype)
            near = torch.isclose(g.cdouble(), w.cdouble(), rtol=tolerance, atol=tolerance, equal_nan=True) if w.is_complex() \
                else torch.isclose(g.double(), w.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
            if not near.all():
                at = int((~near).flatten().nonzero()[0])
                return f"result {k} differs at {at}: {g.flatten()[at].item()} not {w.flatten()[at].item()}"
    return None


def kind_of(eager, why, ferrite, message):
    """eager: it gives something. ferrite: results, or how it refuses."""
    if ferrite == "fault":
        return "fault", message
    if ferrite == "lapack" and why and "LinAlgError" in why:
        return "ok", ""  # of the numbers, which were not computed here
    runs = ferrite in ("numbers", "lapack")
    if why is not None:
        return ("accepted", why) if runs else ("ok", "")
    if ferrite == "unsupported":
        return "unsupported", message
    return ("ok", "") if runs else ("refused", message)


def shapes(value):
    return [(tuple(leaf.shape), leaf.dtype) for leaf in results_of(value) if isinstance(leaf, torch.Tensor)]


def is_answer(call, tensors, kind, eager, found):
    """Whether what eager gives is to be held against ours: its meta function says the same, and it read nothing else."""
    meta, why = asked_meta(call, tensors)
    if why and kind == "refused":
        return False
    if kind == "wrong" and meta is not None and shapes(meta) != shapes(eager) and shapes(meta) == shapes(found):
        return False
    return not is_read_elsewhere(call, tensors)


def verdict(call, tell):
    tensors = call.values()
    tell("eager")
    eager, why = asked_eager(call, tensors)
    tell("ferrite")
    compiled = None
    try:
        compiled = Program(program(call, which(call, eager)))
        found, state, message = compiled.run(tensors), "numbers", ""
    except Refused as refused:
        found, state, message = None, refused.kind, str(refused)
    kind, message = kind_of(eager, why, state, message)
    if kind == "ok" and state == "lapack" and why is None:
        found = compiled.declared()
    if kind == "ok" and found is not None and why is None:
        wrong = difference(call, found, results_of(eager), state == "numbers" and call.name not in RANDOM)
        if wrong:
            kind, message = "wrong", wrong
    tell("eager")
    signal.alarm(AGAIN)
    if kind in ("refused", "wrong") and not excused(call, kind, message) and not is_answer(call, tensors, kind, eager, found):
        return "excused", message
    return kind, message


def verdict_at_run(call, good, tell):
    """The program of `good`, its sizes symbols, called with what `call` has."""
    tensors = call.values()
    tell("eager")
    first, _ = asked_eager(good, good.values())
    eager, why = asked_eager(call, tensors)
    tell("ferrite")
    try:
        compiled = Program(program(good, which(good, first), symbolic=True))
        compiled.run(good.values())
    except Refused as refused:
        return ("fault", str(refused)) if refused.kind == "fault" else ("unsupported", "")
    try:
        found, state, message = compiled.run(tensors), "numbers", ""
    except Refused as refused:
        found, state, message = None, refused.kind, str(refused)
    kind, message = kind_of(eager, why, state, message)
    if kind == "refused":  # the export says so too: sizes that were equal have to be
        return "ok", ""
    if kind == "ok" and found is not None and why is None:
        wrong = difference(call, found, results_of(eager), call.name not in RANDOM)
        if wrong:
            tell("eager")
            signal.alarm(AGAIN)
            return ("excused" if is_read_elsewhere(call, tensors) else "wrong"), wrong
    return kind, message


def alone(call, good, tell):
    """Whether the call ends the process also where eager has not run before it, and broken its memory."""
    tell("ferrite")
    results = which(call, None)
    try:
        compiled = Program(program(good or call, results, symbolic=bool(good)))
        compiled.run(call.values())
    except Refused:
        pass
    return "eager", ""


# ---- many of them, each in a process that may end ----


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)


def child(jobs, first, pipe):
    limit()
    with os.fdopen(pipe, "wb", buffering=0) as out:
        for k in range(first, len(jobs)):
            signal.alarm(SECONDS)
            out.write(pickle.dumps((k, jobs[k](lambda stage: out.write(pickle.dumps((k, stage)))))))
    os._exit(0)


def each(jobs):
    """jobs(tell) -> results, or (stage, signal) where the process ended; the next process goes on."""
    results, first = [None] * len(jobs), 0
    while first < len(jobs):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                child(jobs, first, write)
            finally:
                os._exit(1)
        os.close(write)
        at, stage = first, "start"
        with os.fdopen(read, "rb") as said:
            while True:
                try:
                    at, told = pickle.load(said)
                except (EOFError, pickle.UnpicklingError):
                    break
                if isinstance(told, str):
                    stage = told
                else:
                    results[at], stage, at = told, "start", at + 1
        status = os.waitpid(pid, 0)[1]
        if at < len(jobs):
            number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            results[at] = (stage, number)
        first = at + 1
    return results


def crash(result):
    stage, number = result
    if stage in ("eager", "start"):
        return "eager", ""  # no verdict
    name = signal.Signals(number).name if number else "exit"
    return "crash", "took too long" if name == "SIGALRM" else name


# ---- what is judged ----


def rows(flag=""):
    """Names of the operators that have a row, and the flag."""
    for space, base, overload, _, columns in calls.operator_rows():
        if not flag or re.search(rf"\bIS\([^)]*\b{flag}\b", columns):
            yield f"{space}.{base}.{overload or 'default'}"


RANDOM = {*rows("RANDOM"), *(f"aten.{name}" for name in (
    "empty.memory_format", "empty_like.default", "new_empty.default", "empty_strided.default", "new_empty_strided.default",
    "empty_permuted.default", "resize.default"))}

# Refusals of eager's that say nothing of the operator: what its CPU kernels or their libraries lack, or how it is built.
NOT_OF_THE_OPERATOR = re.compile(r"not implemented for '(Half|BFloat16)'|[Uu]nsupported dtype (Half|BFloat16)|MKL FFT|primitive desc|pin_memory|"
                                 r"INTERNAL ASSERT|tensor does not have a device|can require gradients|itensor_view_from_dense|\"slow_conv")
NO_KERNEL = re.compile(r"^Could not run '.*from the 'CPU' backend|^xor_sum only implemented with inductor|for privateuse1 backends")
BAD = ("fault", "crash", "accepted", "refused", "wrong")


# No call of a graph that computes anything, or one whose results are PyTorch's own business.
LEFT_OUT = re.compile(r"_sym_constrain|_assert|_resize_|resize_|\.set_?\.|_inverse\.default\(.*slice|_make_token|_dep_token")


def good_calls(only):
    for line in open(os.path.join(HERE, "good_calls.txt"), encoding="utf-8"):
        if LEFT_OUT.search(line):
            continue
        if line.strip() and not line.startswith("#") and re.search(only, line):
            yield Call.read(line)


def rows_without():
    """Rows that have no call, and do not stand in the list of those."""
    path = os.path.join(HERE, "mismatch_without.txt")
    excused = [line.split()[0] for line in open(path, encoding="utf-8") if not line.startswith("#")]
    have = {line.split("(")[0] for line in open(os.path.join(HERE, "good_calls.txt"), encoding="utf-8")}
    return [name for name in rows() if name not in have
            and not any(name == one or one.endswith("*") and name.startswith(one[:-1]) for one in excused)]


def jobs_of(good, symbols):
    if symbols:
        return [(call, good) for call in calls.wrong_calls(good, calls.other_sizes)]
    return [(call, None) for call in [good, *calls.wrong_calls(good), *calls.mixed_calls(good), *calls.uniform_calls(good)]]


def unlooked():
    """Arguments that an operator of PyTorch does not look at, by its name: it reads what is not there, and gives numbers."""
    for line in open(os.path.join(HERE, "mismatch_unlooked.txt"), encoding="utf-8"):
        if not line.startswith("#"):
            name, *arguments = line.split()
            yield name, set(arguments)


UNLOOKED = dict(unlooked())

# Numbers that choose among a few ways: PyTorch takes any other for one of these.
CHOICES = {"reduction", "interpolation_mode", "padding_mode", "normalization"}


def excused(call, kind, message):
    if kind == "accepted":
        return NOT_OF_THE_OPERATOR.search(message)
    return kind == "refused" and bool(call.changed & (CHOICES | UNLOOKED.get(call.name, set())))


def opened():
    """Kinds and operators whose verdicts are known to differ."""
    path = os.path.join(HERE, "mismatch_open.txt")
    for line in open(path, encoding="utf-8") if os.path.exists(path) else []:
        kind, *names = line.partition("#")[0].split() or [""]
        for name in names:
            yield kind.removeprefix("pytorch-"), name


def run(found):
    def job(call, good):
        return lambda tell: verdict_at_run(call, good, tell) if good else verdict(call, tell)

    results = each([job(*one) for one in found])
    ended = [k for k, r in enumerate(results) if isinstance(r[1], int)]
    results = [crash(r) if isinstance(r[1], int) else r for r in results]
    again = [k for k in ended if results[k][0] == "crash" and results[k][1] != "took too long"]
    for k, verdict_alone in zip(again, each([lambda tell, k=k: alone(*found[k], tell) for k in again])):
        results[k] = crash(verdict_alone) if isinstance(verdict_alone[1], int) else verdict_alone
    return [("excused", m) if excused(c, k, m) else (k, m) for (c, _), (k, m) in zip(found, results)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--only", default="")
    parser.add_argument("--symbols", action="store_true")
    parser.add_argument("--list")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    torch.set_num_threads(1)
    begun = time.time()
    found = [one for good in good_calls(args.only) for one in jobs_of(good, args.symbols)]
    if not args.all:
        if not args.symbols:
            found += [one for good in good_calls(args.only) for one in jobs_of(good, True)]
        found = random.Random(args.seed).sample(found, min(args.count, len(found)))
    results = run(found)
    counts = collections.Counter(kind for kind, _ in results)
    is_open = set(opened())
    out = open(args.list, "w", encoding="utf-8") if args.list else sys.stdout
    for (call, good), (kind, message) in zip(found, results):
        if kind in BAD and (kind, call.name) not in is_open or (args.list and kind not in ("ok", "excused")):
            at_run = f" as {good.text()}" if good else ""
            print(f"{kind.upper()} {call.text()}{at_run}: {' '.join(message.split())[:300]}", file=out)
    without = rows_without()
    for name in without:
        print(f"WITHOUT {name}: a row of ops.def that has no call in good_calls.txt")
    new = [k for (c, _), (k, _) in zip(found, results) if k in BAD and (args.all or (k, c.name) not in is_open)]
    failed = len(new) + len(without)
    print(f"{len(found)} calls of {len({c.name for c, _ in found})} operators in {time.time() - begun:.0f} s: "
          + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    print(f"{len(found) - len(new)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
