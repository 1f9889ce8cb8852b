#!/usr/bin/env python3
"""Times eager PyTorch, torch.compile in its default mode, ONNX Runtime, OpenVINO and ferrite on the same archives, side by side.

  bench.py [--models DIR] [--ferrite PATH] [--only NAME ...] [--threads N ...] [--rounds N] [--seconds S]
           [--peers NAME ...] [--json OUT]

DIR is what export_models.py fills; without it, that script fills build/models first. PATH is build/ferrite if not
given, and left out if it is not there. The candidates take turns (A B C A B C ...), since a shared machine has good
and bad seconds; the best and the median call of all rounds are shown, a line a model as soon as it is measured. Compile
time is that of a first call with empty caches.
"""

import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CANDIDATES = ("eager", "inductor", "onnx", "openvino", "ferrite")
FACTS = ("compile_ms", "arena_bytes", "arena_lower_bound", "artifact_bytes", "kernels", "unique_kernels")


class Timings:
    """The calls of one candidate over all rounds, in microseconds."""

    def __init__(self):
        self.best, self.medians, self.compile_s, self.facts = None, [], None, {}

    def add(self, best, median):
        self.best = best if self.best is None else min(self.best, best)
        self.medians.append(median)

    def summary(self):
        middle = statistics.median(self.medians)
        compiled = {} if self.compile_s is None else {"compile_s": round(self.compile_s, 3)}
        return {"min_us": round(self.best, 2), "median_us": round(middle, 2), **compiled, **self.facts}


# ---- the peers, in a process of their own for each number of threads: Inductor compiles that number in ----


def time_calls(call, seconds):
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1e6)
    return {"min": min(times), "median": statistics.median(times)}


def onnx_session(path, inputs, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    began = time.perf_counter()
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    took = time.perf_counter() - began
    feed = {one.name: value.numpy() for one, value in zip(session.get_inputs(), inputs, strict=True)}
    return lambda: session.run(None, feed), took


def openvino_request(path, inputs, threads):
    """In float32, as the others: by itself it takes bfloat16 where the CPU has it."""
    import openvino

    wanted = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    began = time.perf_counter()
    request = openvino.Core().compile_model(path, "CPU", wanted).create_infer_request()
    took = time.perf_counter() - began
    feed = [openvino.Tensor(value.numpy(), shared_memory=True) for value in inputs]
    return lambda: request.infer(feed, share_outputs=True), took


SESSIONS = {"onnx": onnx_session, "openvino": openvino_request}


def session(candidate, program, inputs, threads):
    """A call without arguments, and the seconds that its making took."""
    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        torch.onnx.export(program, inputs, path, dynamo=True, external_data=True, verbose=False)
        return SESSIONS[candidate](path, inputs, threads)


def peer(stem, threads):
    """Answers one line a request on standard input: a candidate to prepare, or one to time and for how long."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print goes elsewhere
    import torch
    from safetensors.torch import load_file

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    program = torch.export.load(f"{stem}.pt2")
    recorded = load_file(f"{stem}.safetensors")
    inputs = tuple(recorded[f"0.in.{k}"] for k in range(sum(key.startswith("0.in.") for key in recorded)))
    module = program.module()
    calls = {}

    def prepare(candidate):
        began = time.perf_counter()
        if candidate in SESSIONS:
            calls[candidate], took = session(candidate, program, inputs, threads)
            return {"compile_s": took}
        chosen = torch.compile(module) if candidate == "inductor" else module
        calls[candidate] = lambda: chosen(*inputs)
        chosen(*inputs)
        return {"compile_s": time.perf_counter() - began} if candidate == "inductor" else {}

    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                reply = prepare(request["candidate"])
            else:
                reply = time_calls(calls[request["candidate"]], request["seconds"])
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        answers.write(json.dumps(reply) + "\n")


class Peers:
    def __init__(self, stem, threads, cache):
        command = [sys.executable, __file__, "--peer", stem, str(threads)]
        settings = {"TORCHINDUCTOR_CACHE_DIR": cache, "OMP_NUM_THREADS": str(threads), "PYTHONWARNINGS": "ignore"}
        self.log = tempfile.TemporaryFile()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log, "text": True}
        self.process = subprocess.Popen(command, env={**os.environ, **settings}, **pipes)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"error": "its process ended early"}
        line = self.process.stdout.readline()
        if not line:
            self.log.seek(0)
            sys.stderr.write(self.log.read().decode(errors="replace")[-2000:])
            return {"error": "its process ended early"}
        return json.loads(line)

    def close(self):
        self.process.kill()
        self.process.wait()


# ---- ferrite, through its command ----


class Ferrite:
    def __init__(self, path, stem, threads, folder):
        from safetensors.torch import load_file, save_file

        recorded = load_file(f"{stem}.safetensors")
        inputs = os.path.join(folder, "inputs.safetensors")
        save_file({key[2:]: value for key, value in recorded.items() if key.startswith("0.in.")}, inputs)
        self.command = [path, "run", f"{stem}.pt2", "--inputs", inputs, "--threads", str(threads), "--json"]
        cache = os.path.join(folder, "cache")  # empty, so that the first run compiles
        self.environment = {**os.environ, "FERRITE_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}

    def run(self, repeat):
        command = [*self.command, "--repeat", str(repeat)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            return {"error": (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[0][:200]}
        return json.loads(done.stdout)


# ---- a model at a number of threads, and the whole ----


def measure(stem, threads, args):
    """Yields {candidate: Timings} after every round, so that an interrupt loses little."""
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(stem, threads, os.path.join(folder, "inductor"))
        try:
            timings, errors = {}, {}
            for candidate in args.peers:
                reply = peers.ask(do="prepare", candidate=candidate)
                if "error" in reply:
                    errors[candidate] = reply["error"]
                    continue
                timings[candidate] = Timings()
                timings[candidate].compile_s = reply.get("compile_s")
            ferrite = Ferrite(args.ferrite, stem, threads, folder) if args.ferrite else None
            if ferrite:
                first = ferrite.run(1)
                if "error" in first:
                    errors["ferrite"], ferrite = first["error"], None
                else:
                    timings["ferrite"] = Timings()
                    timings["ferrite"].compile_s = first["compile_ms"]["total"] / 1e3
                    timings["ferrite"].facts = {key: first[key] for key in FACTS if key in first}
            repeat = 10
            for _ in range(args.rounds):
                for candidate, timing in list(timings.items()):
                    if candidate == "ferrite":
                        reply = ferrite.run(repeat)
                        call = reply.get("call_us", reply)
                    else:
                        call = peers.ask(do="time", candidate=candidate, seconds=args.seconds)
                    if "error" in call:
                        errors[candidate] = call["error"]
                        del timings[candidate]
                        continue
                    timing.add(call["min"], call["median"])
                    if candidate == "ferrite":
                        repeat = max(3, min(100000, int(args.seconds * 1e6 / max(call["median"], 0.1))))
                yield timings, errors
        finally:
            peers.close()


def cell(entry, candidate):
    if candidate in entry.get("errors", {}):
        return "failed"
    if candidate not in entry:
        return "-"
    return f"{entry[candidate]['min_us'] / 1e3:.3f} / {entry[candidate]['median_us'] / 1e3:.3f}"


def row(name, threads, *columns):
    *cells, ratio, compiled = columns
    print(f"{name:24}{threads:>3} ", *(f"{cell:>19}" for cell in cells), f"{ratio:>7}  {compiled}", flush=True)


def ratio(entry):
    """Of the best calls, ferrite's to the best peer's; None where one of both is missing."""
    peers = [entry[peer]["min_us"] for peer in CANDIDATES[:-1] if peer in entry]
    return entry["ferrite"]["min_us"] / min(peers) if peers and "ferrite" in entry else None


def show_head():
    print("ms a call, best / median; the ratio is that of the best calls, ferrite to the best peer; compile: cold, s\n")
    row("model", "thr", *CANDIDATES, "ratio", "compile: " + ", ".join(CANDIDATES[1:]))


def show(key, entry):
    known = ratio(entry)
    compiled = (entry.get(candidate, {}).get("compile_s") for candidate in CANDIDATES[1:])
    compiled = ", ".join("-" if seconds is None else f"{seconds:.2f}" for seconds in compiled)
    row(*key.rsplit("@", 1), *(cell(entry, candidate) for candidate in CANDIDATES), f"{known:.2f}" if known else "-", compiled)
    for candidate, message in entry.get("errors", {}).items():
        print(f"    {candidate}: {message}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", metavar="DIR")
    parser.add_argument("--ferrite", metavar="PATH")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--threads", nargs="+", type=int, default=[2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4, help="for one candidate in one round")
    parser.add_argument("--peers", nargs="+", choices=CANDIDATES[:-1], default=CANDIDATES[:-1], metavar="NAME",
                        help="of eager, inductor, onnx and openvino")
    parser.add_argument("--json", metavar="OUT")
    args = parser.parse_args()
    if not args.models:
        args.models = os.path.join(ROOT, "build", "models")
        subprocess.run([sys.executable, os.path.join(ROOT, "test", "python", "export_models.py"), "--out", args.models])
    built = os.path.join(ROOT, "build", "ferrite")
    if not args.ferrite and os.path.exists(built):
        args.ferrite = built
    found = sorted(path.removesuffix(".pt2") for path in glob.glob(os.path.join(args.models, "*.pt2")))
    stems = [stem for stem in found if not args.only or os.path.basename(stem) in args.only]
    if not stems:
        parser.error(f"no such model in {args.models}")
    results, interrupted = {}, False
    show_head()
    try:
        for stem in stems:
            for threads in args.threads:
                key = f"{os.path.basename(stem)}@{threads}"
                for count, (timings, errors) in enumerate(measure(stem, threads, args), 1):
                    results[key] = {candidate: timing.summary() for candidate, timing in timings.items()}
                    results[key]["errors"] = errors
                    if sys.stderr.isatty():
                        print(f"\r{key}: round {count} of {args.rounds}   ", end="", file=sys.stderr, flush=True)
                if sys.stderr.isatty():
                    print("\r\033[K", end="", file=sys.stderr, flush=True)
                show(key, results[key])
                if args.json:
                    write(args.json, results)
    except KeyboardInterrupt:
        interrupted = True
    return 130 if interrupted else 0


def write(path, results):
    with open(f"{path}.new", "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    os.replace(f"{path}.new", path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
