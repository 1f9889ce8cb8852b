#!/usr/bin/env python3
"""Models that are trained and that generate under torch.compile(backend="ferrite"), beside eager: the same losses step by
step, the same tokens."""

import copy
import os
import sys
import tempfile

import torch
import torch.nn.functional as F

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.dirname(os.path.abspath(__file__))]

import torchvision_shim  # noqa: E402,F401  timm and transformers import torchvision
import ferrite.door  # noqa: E402,F401
import timm  # noqa: E402
import transformers  # noqa: E402

STRICT = {"fallback": "error"}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def losses(model, step, optimiser, count=4):
    """The loss of each of so many steps on the same data."""
    made, seen = optimiser(model.parameters()), []
    for _ in range(count):
        made.zero_grad()
        loss = step(model)
        loss.backward()
        made.step()
        seen.append(loss.item())
    return seen


def same_losses(model, step, optimiser, **options):
    ours = copy.deepcopy(model)
    want = losses(model, step, optimiser)
    compiled = torch.compile(ours, backend="ferrite", options=STRICT, **options)
    got = losses(compiled, step, optimiser)
    torch.testing.assert_close(torch.tensor(got), torch.tensor(want), rtol=1e-5, atol=1e-6)
    assert got[-1] < got[0], got
    # gradients of the bias of keys are 0 but for rounding, which Adam makes as large as others
    for (name, p), q in zip(model.state_dict().items(), ours.state_dict().values()):
        torch.testing.assert_close(q, p, rtol=1e-5, atol=5e-5, msg=lambda said: f"{name}: {said}")


@test
def a_small_resnet_learns_as_in_eager():
    images, labels = torch.randn(4, 3, 32, 32), torch.tensor([0, 1, 2, 1])
    model = timm.create_model("resnet10t", num_classes=3, stem_width=8, channels=(8, 16, 32, 64)).train()
    same_losses(model, lambda m: F.cross_entropy(m(images), labels), lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9))


@test
def a_small_language_model_learns_as_in_eager():
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=32, resid_pdrop=0, embd_pdrop=0,
                                     attn_pdrop=0, use_cache=False)
    model, tokens = transformers.GPT2LMHeadModel(config).train(), torch.randint(0, 99, (2, 12))
    same_losses(model, lambda m: m(input_ids=tokens, labels=tokens).loss, lambda p: torch.optim.AdamW(p, lr=1e-3))


class Block(torch.nn.Module):
    def __init__(self, channels, out):
        super().__init__()
        self.norm, self.conv = torch.nn.GroupNorm(4, channels), torch.nn.Conv2d(channels, out, 3, padding=1)
        self.time = torch.nn.Linear(16, out)

    def forward(self, x, t):
        return self.conv(F.silu(self.norm(x))) + self.time(t)[:, :, None, None]


class UNet(torch.nn.Module):
    """Noise of an image, as diffusion models have it: down, attention, up beside what was kept."""

    def __init__(self):
        super().__init__()
        self.enter = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.down, self.middle, self.up = Block(8, 16), Block(16, 16), Block(24, 8)
        self.attend = torch.nn.MultiheadAttention(16, 2, batch_first=True)
        self.leave = torch.nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x, t):
        steps = t[:, None] * torch.exp(-torch.arange(8) / 2.0)
        t = torch.cat([steps.sin(), steps.cos()], 1)
        kept = self.enter(x)
        y = self.middle(F.avg_pool2d(self.down(kept, t), 2), t)
        rows = y.flatten(2).transpose(1, 2)
        y = y + self.attend(rows, rows, rows, need_weights=False)[0].transpose(1, 2).reshape(y.shape)
        y = F.interpolate(y, scale_factor=2.0, mode="nearest")
        return self.leave(F.silu(self.up(torch.cat([y, kept], 1), t)))


@test
def a_diffusion_model_learns_as_in_eager_and_denoises():
    images, noise, t = torch.randn(2, 3, 16, 16), torch.randn(2, 3, 16, 16), torch.tensor([0.3, 0.8])
    model = UNet().train()
    noisy = images * (1 - t)[:, None, None, None] + noise * t[:, None, None, None]
    same_losses(model, lambda m: F.mse_loss(m(noisy, t), noise), lambda p: torch.optim.Adam(p, lr=1e-3))
    model.eval()
    compiled = torch.compile(model, backend="ferrite", options=STRICT)
    with torch.no_grad():
        ours = theirs = noise
        for step in (0.9, 0.6, 0.3):
            ours, theirs = (x - 0.3 * m(x, torch.full((2,), step)) for m, x in ((compiled, ours), (model, theirs)))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


class Images(torch.nn.Module):
    """Convolutions of several kinds, and views of what they give."""

    def __init__(self):
        super().__init__()
        self.enter, self.norm = torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.BatchNorm2d(16)
        self.each, self.mix = torch.nn.Conv2d(16, 16, 3, 2, 1, groups=16), torch.nn.Conv2d(32, 6, 1)
        self.leave = torch.nn.Linear(96, 5)

    def forward(self, x):
        y = F.relu(self.norm(self.enter(x)))
        z = self.mix(torch.cat([self.each(y), F.max_pool2d(y, 2)], 1))
        return self.leave(F.gelu(F.avg_pool2d(z, 2)).flatten(1)), z, z.view(len(x), 2, -1), y.mean((2, 3))


@test
def images_are_kept_channels_last_and_given_as_in_eager():
    for dynamic in (False, True):
        torch._dynamo.reset()
        model = Images().train()
        ours = copy.deepcopy(model)
        compiled = torch.compile(ours, backend="ferrite", options=STRICT, dynamic=dynamic)
        for count in (4, 3):
            x = torch.randn(count, 3, 16, 16)
            inputs = [x.clone().requires_grad_() for _ in range(2)]
            want, got = model(inputs[0]), compiled(inputs[1])
            kept = [t for t in got[0].grad_fn.saved_tensors if t.dim() == 4 and t.shape[1] > 1 and t.shape[2] > 3]
            assert len(kept) > 3 and all(t.is_contiguous(memory_format=torch.channels_last) for t in kept)
            for outputs in (want, got):
                sum((t * t).sum() for t in outputs).backward()
            for a, b in zip((*want, inputs[0].grad, *(p.grad for p in model.parameters())),
                            (*got, inputs[1].grad, *(p.grad for p in ours.parameters()))):
                assert a.stride() == b.stride(), (a.shape, a.stride(), b.stride())
                torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-4 * max(a.abs().max().item(), 1))  # a bias before a norm: 0
            model.zero_grad(), ours.zero_grad()


@test
def gradients_are_made_over_what_was_kept_for_them_unless_the_graph_is_kept():
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.LayerNorm(256), torch.nn.Linear(256, 64),
                                torch.nn.Tanh())
    x = torch.randn(512, 64, requires_grad=True)

    def gradients(function, times):
        x.grad = None
        model.zero_grad()
        made = function(x)
        for k in range(times):
            made.square().sum().backward(retain_graph=k < times - 1)
        return [x.grad, *(p.grad for p in model.parameters())]

    with tempfile.TemporaryDirectory() as folder:
        compiled = torch.compile(model, backend="ferrite", options={"trace": folder, **STRICT})
        for times in (1, 2, 1, 3):
            torch.testing.assert_close(gradients(compiled, times), gradients(model, times), rtol=1e-4, atol=1e-4)
        assert " + donated " in open(os.path.join(folder, "graph_2", "plan.txt")).read()

    def seen_by_hooks(keep):
        kept = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: (kept.append((keep(t), t.clone())), t)[1], lambda t: t):
            torch.testing.assert_close(gradients(compiled, 1), gradients(model, 1), rtol=1e-4, atol=1e-4)
        assert kept and all(torch.equal(now, then) for now, then in kept)
    seen_by_hooks(lambda t: t)
    seen_by_hooks(lambda t: t.detach())


@test
def a_language_model_generates_the_same_tokens():
    config = transformers.LlamaConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                                      intermediate_size=128, vocab_size=99, max_position_embeddings=64)
    model, tokens = transformers.LlamaForCausalLM(config).eval(), torch.randint(1, 99, (2, 7))
    model.generation_config.pad_token_id = 0
    options = {"max_new_tokens": 8, "do_sample": False, "eos_token_id": None}
    want, forward = model.generate(tokens, **options), model.forward
    for cache in ({}, {"cache_implementation": "static"}):
        torch._dynamo.reset()
        model.forward = torch.compile(forward, backend="ferrite", options=STRICT)
        assert torch.equal(model.generate(tokens, **options, **cache), want), cache


@test
def sentences_of_any_length_are_embedded_by_one_program():
    config = transformers.BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=99)
    model = transformers.BertModel(config).eval()
    compiled = torch.compile(model, backend="ferrite", options=STRICT, dynamic=True)
    with torch.no_grad():
        for rows, length in ((2, 5), (3, 9), (5, 17), (2, 30)):
            tokens = torch.randint(0, 99, (rows, length))
            mask = (torch.arange(length) < torch.randint(1, length + 1, (rows, 1))).long()
            got, want = (m(input_ids=tokens, attention_mask=mask).last_hidden_state for m in (compiled, model))
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def main():
    torch.set_num_threads(1)
    failed, wanted = 0, sys.argv[1:]
    for function in TESTS:
        if wanted and function.__name__ not in wanted:
            continue
        torch.manual_seed(0)
        torch._dynamo.reset()
        try:
            function()
        except Exception as error:
            failed += 1
            print(f"FAIL {function.__name__}: {type(error).__name__}: {str(error)[:1500]}")
    count = len([f for f in TESTS if not wanted or f.__name__ in wanted])
    print(f"{count - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
