#!/usr/bin/env python3
"""Several programs in one library (`ferrite compile` of an archive with several, or of several files): weights and kernels
that they share are there once, contexts share what both change, and what does not fit is refused. A decoder reads a prompt
with one program and goes on with the other, in Python and in C, where the two are linked."""

import os
import subprocess
import sys
import tempfile

import torch
from torch import nn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
import ferrite  # noqa: E402

FERRITE = os.path.join(ROOT, "build", "ferrite")
ROOM, WORDS, WIDTH, HEADS = 48, 101, 32, 2
passed = 0


def expect(condition, what):
    global passed
    if not condition:
        raise AssertionError(what)
    passed += 1


class Decoder(nn.Module):
    """One layer of attention, whose keys and values are buffers."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(WORDS, WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.filter = nn.Conv1d(WIDTH, WIDTH, 1)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, HEADS, ROOM, WIDTH // HEADS))

    def forward(self, words, places):
        x = self.embed(words)
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        self.keys.index_copy_(2, places, k)
        self.values.index_copy_(2, places, v)
        mask = torch.arange(ROOM) <= places[:, None]
        y = nn.functional.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        x = x + self.filter(x.transpose(1, 2)).transpose(1, 2).sigmoid()
        return nn.functional.linear(x[:, -1], self.embed.weight)


class Counter(nn.Module):
    """Changes a buffer of the same name, of another shape."""

    def __init__(self, size=1):
        super().__init__()
        self.register_buffer("keys", torch.zeros(size))

    def forward(self, x):
        self.keys.add_(x.sum())
        return self.keys + 0


def programs(model):
    n = torch.export.Dim("n", min=2, max=ROOM)
    with torch.no_grad():
        return {"prompt": torch.export.export(model, (torch.zeros(1, 9).long(), torch.arange(9)), dynamic_shapes=({1: n}, {0: n})),
                "step": torch.export.export(model, (torch.zeros(1, 1).long(), torch.tensor([9])))}


def package(path, exported):
    from torch.export.pt2_archive._package import package_pt2
    package_pt2(path, exported_programs=exported)


def run(*arguments):
    return subprocess.run([FERRITE, *arguments], capture_output=True, text=True)


def compiled(*arguments):
    done = run("compile", *arguments)
    expect(done.returncode == 0, done.stderr)
    return done.stdout


def refused(words, *arguments):
    done = run("compile", *arguments)
    expect(done.returncode != 0 and words in done.stderr, f"{arguments}: {done.stderr}")


def fails(words, body):
    try:
        body()
    except ferrite.Error as error:
        expect(words in str(error), str(error))
    else:
        raise AssertionError(f"nothing says {words}")


def figures(text, name):
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith(name)]


def check_weights(folder, paths):
    alone = [figures(compiled(path, "-o", f"{folder}/alone.so"), "weights:")[0] for path in paths]
    both = figures(compiled(*paths, "-o", f"{folder}/both.so"), "weights:")
    expect(alone[0] == alone[1] == both[0] == both[1], f"{alone} {both}: weights are there once")
    expect(os.path.getsize(f"{folder}/both.so") < 1.1 * os.path.getsize(f"{folder}/alone.so"), "and the runtime too")


def check_decoding(model, path):
    prompt, step = (ferrite.load(path, name=name) for name in ("prompt", "step"))
    expect(step.share_states(prompt) == ["keys", "values"], "what both change")
    words = torch.randint(0, WORDS, (1, 11))
    with torch.no_grad():
        wanted, found = model(words, torch.arange(11)), prompt(words, torch.arange(11))
        for place in range(11, ROOM):
            expect(torch.allclose(wanted, found, atol=1e-5), f"step {place}: {(wanted - found).abs().max()}")
            word, places = wanted.argmax(-1)[None], torch.tensor([place])
            wanted, found = model(word, places), step(word, places)
            if place == 20:
                del prompt  # what it shared lives on
                prompt = None
    alone = ferrite.load(path, name="step")
    expect(not torch.allclose(alone(word, places), found), "another context has states of its own")


HOST = """
#include "both.h"
#include <stdio.h>
#include <stdlib.h>

static int run(const fe_artifact *a, fe_context *c, int64_t *words, int64_t *places, int64_t n)
{
    fe_tensor in[] = {{words, FE_I64, 2, (int64_t[]){1, n}, NULL}, {places, FE_I64, 1, &n, NULL}}, out = {0};
    if (a->run(c, in, 2, &out, 1)) exit(puts(a->error(c)));
    int best = 0;
    for (int k = 0; k < STEP_OUTPUT_0_SIZE_1; k++) best = ((float *)out.data)[k] > ((float *)out.data)[best] ? k : best;
    return best;
}

int main(int count, char **given)
{
    const fe_artifact *prompt = ferrite_artifact_prompt(), *step = ferrite_artifact_step();
    fe_model *models[2];
    fe_context *first, *next;
    int64_t words[64], places[64], n = 0;
    for (; n + 1 < count; n++) words[n] = atoi(given[n + 1]), places[n] = n;
    if (prompt->open(NULL, &models[0]) || step->open(NULL, &models[1])) return puts(prompt->error(NULL)), 1;
    if (prompt->context_new(models[0], 1, &first) || step->context_new(models[1], 1, &next)) return 1;
    if (step->share_states(next, first)) return puts(step->error(next)), 1;
    int64_t word = run(prompt, first, words, places, n);
    prompt->context_free(first);
    for (; n < 20; n++) {
        printf("%d ", (int)word);
        word = run(step, next, &word, &n, 1);
    }
    step->context_free(next);
    prompt->close(models[0]);
    step->close(models[1]);
}
"""


def check_linked(model, folder, paths):
    """As an archive, whose weights lie beside the program, under the name of both."""
    compiled(*paths, "-o", f"{folder}/libboth.a")
    with open(f"{folder}/host.c", "w") as file:
        file.write(HOST)
    subprocess.run([*os.environ.get("FERRITE_TEST_CC", "cc").split(), "-std=gnu11", "-Wall", "-I", f"{ROOT}/include", "host.c", "libboth.a",
                    "-lm", "-lpthread", "-o", "host"], cwd=folder, check=True)
    given = [3, 1, 4, 1, 5]
    said = subprocess.run(["./host", *map(str, given)], cwd=folder, capture_output=True, text=True, check=True).stdout.split()
    with torch.no_grad():
        word, wanted = model(torch.tensor([given]), torch.arange(5)).argmax(), []
        for place in range(5, 20):
            wanted.append(str(int(word)))
            word = model(word[None, None], torch.tensor([place])).argmax()
    expect(said == wanted, f"{said} {wanted}")


def check_sources(model, folder, archive):
    """They build by themselves, with and without vector types."""
    compiled(archive, "--emit", "c", "-o", f"{folder}/sources")
    for options in (["ISAS=base"], ["SCALAR=1"]):
        subprocess.run(["make", "-s", "-C", f"{folder}/sources", "clean"], check=True)
        build = os.path.join(ROOT, "test/artifact/sources.sh")
        subprocess.run(["sh", build, "-O0", f"{folder}/sources", *options], check=True, stdout=subprocess.DEVNULL)
        prompt, step = (ferrite.load(f"{folder}/sources/sources.so", name=name) for name in ("prompt", "step"))
        step.share_states(prompt)
        words = torch.randint(0, WORDS, (1, 7))
        with torch.no_grad():
            expect(torch.allclose(model(words[:, :6], torch.arange(6)), prompt(words[:, :6], torch.arange(6)), atol=1e-5), "the prompt")
            expect(torch.allclose(model(words[:, 6:], torch.tensor([6])), step(words[:, 6:], torch.tensor([6])), atol=1e-5), "a step")
        del prompt, step


def check_refusals(folder, paths, archive):
    several = ferrite.load
    fails("name= is one of prompt, step", lambda: several(f"{folder}/both.so"))
    fails("has no program other: name= is one of", lambda: several(f"{folder}/both.so", name="other"))
    fails("it has no program other", lambda: several(f"{folder}/alone.so", name="other"))
    refused("several programs make a library", archive, "-o", f"{folder}/graph.json")
    refused("several programs make a library", *paths, "-o", f"{folder}/module.py")
    refused("--name is for one program", *paths, "-o", f"{folder}/x.so", "--name", "both")
    refused("two programs are called step", paths[1], paths[1], "-o", f"{folder}/x.so")
    refused("there is no model 'other'", archive, "--model", "other", "-o", f"{folder}/x.so")
    with torch.no_grad():
        package(f"{folder}/odd.pt2", {"count": torch.export.export(Counter(), (torch.ones(2),)), **programs(Decoder().eval())})
        package(f"{folder}/apart.pt2", {"a": torch.export.export(nn.ReLU(), (torch.ones(2),)),
                                        "b": torch.export.export(Counter(3), (torch.ones(2),))})
    compiled(f"{folder}/odd.pt2", "-o", f"{folder}/odd.so")
    compiled(f"{folder}/apart.pt2", "-o", f"{folder}/apart.so")
    count, step = (ferrite.load(f"{folder}/odd.so", name=name) for name in ("count", "step"))
    fails("'keys' of count and that of step differ in dtype, sizes or strides", lambda: count.share_states(step))
    expect(count(torch.ones(2)).tolist() == [2.0] and count(torch.ones(2)).tolist() == [4.0], "it kept its own")
    a, b = (ferrite.load(f"{folder}/apart.so", name=name) for name in ("a", "b"))
    fails("a and b change no buffer of the same name", lambda: a.share_states(b))
    fails("compile the programs together", lambda: b.share_states(count))
    one, two = (ferrite.load(f"{folder}/odd.so", name="count") for _ in range(2))
    one(torch.ones(2))
    expect(two.share_states(one) == ["keys"] and two(torch.ones(2)).tolist() == [4.0] and one(torch.ones(2)).tolist() == [6.0],
           "contexts of one program share as well")


def main():
    torch.manual_seed(3)
    model = Decoder().eval()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FERRITE_CACHE_DIR"] = f"{folder}/cache"
        exported, archive = programs(model), f"{folder}/decoder.pt2"
        paths = [f"{folder}/{name}.pt2" for name in exported]
        for path, program in zip(paths, exported.values()):
            torch.export.save(program, path)
        package(archive, exported)
        check_weights(folder, paths)
        check_decoding(model, f"{folder}/both.so")
        for options in ([], ["--isa", "scalar"], ["--quantize", "int8"]):
            compiled(archive, "-o", f"{folder}/decoder.so", *options)
            expect(ferrite.load(f"{folder}/decoder.so", name="step").name == "step", "each has its name")
        model.load_state_dict(Decoder().state_dict() | {k: v for k, v in model.state_dict().items() if k not in ("keys", "values")})
        check_linked(model, folder, paths)
        check_sources(model, folder, archive)
        check_refusals(folder, paths, archive)
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
