#!/usr/bin/env python3
"""PyTorch's own tests through torch.compile(backend="ferrite").

    PYTORCH_SRC=TREE test/conformance/run.py [--suites common,dynamic] [--match REGEX] [--tests FILE] [--failed FILE.json]
                                             [--backend aot_eager] [--out FILE.json] [--limit 120]

The tests are read from a source tree of PyTorch and are not part of this project. With `--backend aot_eager` the same tests
run through PyTorch's own operators: what passes so is what a backend without a fault passes (a test that looks at generated
code does not). It needs to be asked only about what did not pass: `--failed FILE.json` takes the tests of an earlier result
that did not. compare.py puts the two together.

Each test has a limit in seconds; one that ends its process counts as a crash, and the others go on in a new one."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = [sys.executable, os.path.join(HERE, "worker.py")]
START_SECONDS = 300  # until a worker has imported its suite
CHUNK = 100  # tests in one process


def environment():
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS")}
    return {**os.environ, **threads, "PYTHONDONTWRITEBYTECODE": "1"}


def names_of(suite):
    made = subprocess.run(WORKER + ["--list", suite], env=environment(), capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(f"{suite}: its tests cannot be listed:\n{made.stderr[-3000:]}")
    return [line for line in made.stdout.splitlines() if re.fullmatch(r"\w+\.test\w*", line)]


class Chunk:
    """Some tests of a suite in a process of their own."""

    def __init__(self, suite, backend, names, limit):
        self.suite, self.backend, self.names, self.limit = suite, backend, list(names), limit
        self.results = {}

    def _process(self, file, log):
        process = subprocess.Popen(WORKER + [self.suite, self.backend, file.name], env=environment(), stdin=subprocess.PIPE,
                                   stdout=log, stderr=subprocess.STDOUT, text=True)
        process.stdin.write("\n".join(self.names))
        process.stdin.close()
        return process

    def _take(self, line):
        event = json.loads(line)
        if "outcome" not in event:
            return event["test"]
        self.results[event["test"]] = event
        self.names.remove(event["test"])
        return None

    def _watch(self, process, file):
        """The test in hand and whether its time is over, once the process has ended."""
        running, since, limit = None, time.time(), START_SECONDS
        while True:
            ended = process.poll() is not None
            for line in iter(file.readline, ""):
                running, since, limit = self._take(line), time.time(), self.limit
            if ended:
                return running, False
            if time.time() - since > limit:
                process.kill()
                process.wait()
                return running, True
            time.sleep(0.2)

    def run(self):
        """{test: what became of it}"""
        while self.names:
            with tempfile.NamedTemporaryFile("r") as file, tempfile.TemporaryFile("w+", errors="replace") as log:
                process = self._process(file, log)
                running, late = self._watch(process, file)
                log.seek(0)
                tail = log.read()[-300:]
            if running is None and self.names:
                sys.exit(f"{self.suite}: a worker did not begin (status {process.returncode}): {tail}")
            if running is not None:
                self.names.remove(running)
                self.results[running] = {"test": running, "outcome": "timeout" if late else "crash",
                                         "why": "" if late else f"status {process.returncode}: {tail}", "graphs": 1}
        return self.results


def chosen(suite, options):
    names = [name for name in names_of(suite) if re.search(options.match, name)]
    if options.tests:
        with open(options.tests) as file:
            wanted = set(file.read().split())
        names = [name for name in names if name in wanted]
    if options.failed:
        with open(options.failed) as file:
            earlier = json.load(file)["suites"].get(suite, {})
        names = [name for name in names if earlier.get(name, {}).get("outcome") not in ("pass", "skip")]
    return names


def run_suite(suite, options):
    """{test: what became of it} so far, after each chunk"""
    names = chosen(suite, options)
    results = {}
    for first in range(0, len(names), CHUNK):
        results.update(Chunk(suite, options.backend, names[first:first + CHUNK], options.limit).run())
        print(f"{suite}: {len(results)} of {len(names)}: {counted(results)}", file=sys.stderr, flush=True)
        yield results


def counted(results):
    return dict(collections.Counter(result["outcome"] for result in results.values()))


def write(options, results):
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"backend": options.backend, "suites": results}, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", default="common,dynamic", help="names in suites.py, with commas between")
    parser.add_argument("--match", default="", help="a regular expression that a test's name must hold")
    parser.add_argument("--tests", help="a file of names: others are left out")
    parser.add_argument("--failed", help="a result of this runner: only tests that did not pass there")
    parser.add_argument("--backend", default="ferrite")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a test")
    parser.add_argument("--out", help="where the results go, as JSON")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(os.environ.get("PYTORCH_SRC", ""), "test", "inductor")):
        sys.exit("PYTORCH_SRC must name a source tree of PyTorch (Debian's source package pytorch has one)")
    results = {}
    for suite in options.suites.split(","):
        for results[suite] in run_suite(suite, options):
            write(options, results)
    for suite, tests in results.items():
        print(f"{suite}: {counted(tests)}")


if __name__ == "__main__":
    main()
