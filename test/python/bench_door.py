#!/usr/bin/env python3
"""Times models that are trained and that generate under torch.compile, beside eager PyTorch and Inductor.

  bench_door.py [--only NAME ...] [--threads N] [--seconds S] [--json OUT]

Each backend runs a model in two processes: the first finds empty caches, the second what the first left. A line a model and
backend:

  cold, warm   seconds that the first round of calls took beyond a later one: tracing, compiling, recompiling; with empty
               and with filled caches
  compiler     of cold, what the backend itself took: all but Dynamo and AOTAutograd. Inductor's is told by PyTorch's own
               counters, ferrite's by those of its compiles
  call         milliseconds of a round of calls, the median
  peak         MiB that the process had resident at most, beyond what it had with the model made
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.dirname(os.path.abspath(__file__))]
BACKENDS = ("eager", "inductor", "ferrite")


# ---- what is measured: each gives a function of how to compile that gives a round of calls ----


def _training(model, step, optimiser):
    def prepare(compiled):
        trained = compiled(model.train())
        made = optimiser(model.parameters())

        def round_of_calls():
            made.zero_grad()
            step(trained).backward()
            made.step()
        return round_of_calls
    return prepare


def resnet_training(torch):
    import timm
    images, labels = torch.randn(8, 3, 64, 64), torch.randint(0, 10, (8,))
    return _training(timm.create_model("resnet18", num_classes=10),
                     lambda m: torch.nn.functional.cross_entropy(m(images), labels),
                     lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9))


def gpt_training(torch):
    import transformers
    config = transformers.GPT2Config(n_embd=256, n_layer=4, n_head=4, vocab_size=1000, n_positions=128, resid_pdrop=0,
                                     embd_pdrop=0, attn_pdrop=0, use_cache=False)
    tokens = torch.randint(0, 1000, (4, 64))
    return _training(transformers.GPT2LMHeadModel(config), lambda m: m(input_ids=tokens, labels=tokens).loss,
                     lambda p: torch.optim.AdamW(p, lr=1e-3))


def llama_generating(torch):
    """32 tokens behind 16, with a static cache."""
    import transformers
    config = transformers.LlamaConfig(hidden_size=256, num_hidden_layers=4, num_attention_heads=8, num_key_value_heads=4,
                                      intermediate_size=688, vocab_size=1000, max_position_embeddings=128)
    model, tokens = transformers.LlamaForCausalLM(config).eval(), torch.randint(1, 1000, (1, 16))
    model.generation_config.pad_token_id = 0

    def prepare(compiled):
        model.forward = compiled(model.forward)
        return lambda: model.generate(tokens, max_new_tokens=32, do_sample=False, eos_token_id=None, cache_implementation="static",
                                      disable_compile=True)
    return prepare


def unet_denoising(torch):
    """Ten steps."""
    import test_training
    model, noise = test_training.UNet().eval(), torch.randn(2, 3, 64, 64)

    def prepare(compiled):
        step = compiled(model)

        def round_of_calls():
            x = noise
            with torch.no_grad():
                for k in range(10):
                    x = x - 0.1 * step(x, torch.full((2,), 1 - k / 10))
        return round_of_calls
    return prepare


def bert_over_ragged_batches(torch):
    """Eight batches of other sizes, by a program of sizes that differ."""
    import transformers
    config = transformers.BertConfig(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024,
                                     vocab_size=1000)
    model = transformers.BertModel(config).eval()
    batches = [torch.randint(0, 1000, (2 + k % 3, 8 * k + 5)) for k in range(1, 9)]

    def prepare(compiled):
        embed = compiled(model, dynamic=True)

        def round_of_calls():
            with torch.no_grad():
                for tokens in batches:
                    embed(input_ids=tokens, attention_mask=torch.ones_like(tokens))
        return round_of_calls
    return prepare


MODELS = {f.__name__: f for f in (resnet_training, gpt_training, llama_generating, unet_denoising, bert_over_ragged_batches)}


# ---- in a process of one backend ----


def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compiler_seconds(torch, backend):
    times = torch._dynamo.utils.compilation_time_metrics
    names = {"inductor": ("compile_fx_inner", "inductor_compile"), "ferrite": ("ferrite_compile",)}.get(backend, ())
    return next((sum(times[name]) for name in names if name in times), None)


def measure(name, backend, threads, seconds):
    import torch
    import torchvision_shim  # noqa: F401  timm and transformers import torchvision
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    prepare = MODELS[name](torch)
    if backend == "ferrite":
        import ferrite.door  # noqa: F401
    options = {"options": {"fallback": "error"}} if backend == "ferrite" else {}

    def compiled(what, **more):
        return what if backend == "eager" else torch.compile(what, backend=backend, **options, **more)
    before, round_of_calls, times = resident(), prepare(compiled), []
    began = time.perf_counter()
    round_of_calls()
    first = time.perf_counter() - began
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        began = time.perf_counter()
        round_of_calls()
        times.append(time.perf_counter() - began)
    call = statistics.median(times)
    return {"compile_s": first - call, "compiler_s": compiler_seconds(torch, backend), "call_ms": call * 1e3,
            "peak_mib": resident() - before}


# ---- all of them ----


def run(name, backend, args, cache):
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=os.path.join(cache, "inductor"), XDG_CACHE_HOME=cache,
                       OMP_NUM_THREADS=str(args.threads))
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--inside", name, backend, "--threads", str(args.threads),
                           "--seconds", str(args.seconds)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return {"error": done.stderr.decode(errors="replace").strip().splitlines()[-1][:200]}
    return json.loads(done.stdout.decode().splitlines()[-1])


def shown(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--json")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        print(json.dumps(measure(*args.inside, args.threads, args.seconds)))
        return 0
    found, failed = {}, 0
    print(f"{'':26} {'':9} {'cold s':>8} {'compiler':>8} {'warm s':>8} {'call ms':>9} {'peak MiB':>9}")
    for name in args.only:
        for backend in BACKENDS:
            with tempfile.TemporaryDirectory() as cache:
                cold = run(name, backend, args, cache)
                warm = cold if "error" in cold else run(name, backend, args, cache)
            found.setdefault(name, {})[backend] = {"cold": cold, "warm": warm}
            error = cold.get("error") or warm.get("error")
            failed += bool(error)
            print(f"{name:26} {backend:9} " + (error or f"{shown(cold['compile_s']):>8} {shown(cold['compiler_s']):>8} "
                  f"{shown(warm['compile_s']):>8} {shown(warm['call_ms'], 1):>9} {shown(warm['peak_mib'], 0):>9}"), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(found, out, indent=1)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
