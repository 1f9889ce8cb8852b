#!/usr/bin/env python3
"""Times models of many families, which nobody tuned for, beside eager PyTorch, ONNX Runtime, OpenVINO and torch.compile: where ferrite is behind.

  sweep.py [--only REGEX] [--batch N ...] [--threads N ...] [--isa NAME ...] [--peers NAME ...] [--rounds N] [--seconds S] [--json OUT]
  sweep.py --errors [--only REGEX] [--batch N ...] [--isa NAME ...]
  sweep.py --list

A model is exported with random weights, measured as bench.py does, each candidate in turns, and forgotten. OUT is read first and
what it has is not measured again. The table at the end has the worst ratio to the best peer first, and the geometric means.
With --errors it times nothing, but says how far ferrite is from a run of the model in float64, to how far eager is.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import bench

ROOT = bench.ROOT
PICTURES = """
    resnet18 resnet50 resnext50_32x4d wide_resnet50_2 regnety_008 regnetx_016 seresnet50 densenet121 dla34 vgg16 repvgg_a2
    cspresnet50 darknet53 hrnet_w18 res2net50_26w_4s resnest14d ecaresnet50t skresnet18 selecsls42b
    mobilenetv2_100 mobilenetv3_small_100 mnasnet_100 ghostnet_100 efficientnet_b0 efficientnet_lite0 tf_efficientnetv2_b0 fbnetc_100
    hardcorenas_a mixnet_s lcnet_100 tinynet_a spnasnet_100 mobileone_s1 fastvit_t8 repghostnet_100 mobilenetv4_conv_small
    convnext_tiny convnextv2_atto convmixer_768_32 edgenext_small poolformer_s12 inception_v3 xception41 nfnet_l0 dm_nfnet_f0
    vit_tiny_patch16_224 vit_small_patch16_224 deit_small_patch16_224 swin_tiny_patch4_window7_224 mixer_s32_224 gmlp_s16_224
    cait_xxs24_224 levit_128 mobilevit_s mobilevitv2_050 coatnet_0_rw_224 maxvit_tiny_rw_224 pvt_v2_b0 twins_svt_small crossvit_9_240
    efficientformer_l1 volo_d1_224 xcit_nano_12_p16_224 eva02_tiny_patch14_224 tiny_vit_5m_224 beit_base_patch16_224 visformer_tiny
""".split()
TOKENS = (32, 128, 512)


# ---- models: each gives a module and its inputs for a batch ----


def picture(name, batch):
    import timm
    import torch
    model = timm.create_model(name, pretrained=False)
    return model, (torch.randn(batch, *model.default_cfg["input_size"]),)


def _plain(model, pick):
    import torch

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, *inputs):
            return pick(self.model, *inputs)
    return Plain()


def encoder(kind, tokens, batch, **settings):
    """Of transformers, over tokens without padding."""
    import torch
    import transformers
    config = getattr(transformers, f"{kind}Config")(**settings)
    config._attn_implementation = "sdpa" if getattr(getattr(transformers, f"{kind}Model"), "_supports_sdpa", False) else "eager"
    ids = torch.randint(3, 1000, (batch, tokens))
    return _plain(getattr(transformers, f"{kind}Model")(config),
                  lambda model, ids: model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state), (ids,)


def decoder(kind, tokens, batch, **settings):
    import torch
    import transformers
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.executorch import sdpa_mask_without_vmap
    AttentionInterface.register("sdpa_to_save", AttentionInterface()["sdpa"])
    AttentionMaskInterface.register("sdpa_to_save", sdpa_mask_without_vmap)
    config = getattr(transformers, f"{kind}Config")(**settings)
    config._attn_implementation = "sdpa_to_save"
    return _plain(getattr(transformers, f"{kind}ForCausalLM")(config),
                  lambda model, ids: model(ids, use_cache=False).logits), (torch.randint(3, 1000, (batch, tokens)),)


def recurrent(kind, batch, steps=64, size=256, layers=2, **more):
    import torch
    model = getattr(torch.nn, kind)(size, size, layers, batch_first=True, **more)
    return _plain(model, lambda model, x: model(x)[0]), (torch.randn(batch, steps, size),)


def waves(batch):
    """Dilated convolutions over sound."""
    import torch
    from torch import nn
    layers = [nn.Conv1d(1, 32, 3, padding=1)]
    for k in range(8):
        layers += [nn.Conv1d(32, 32, 3, padding=2**k, dilation=2**k), nn.GELU()]
    return nn.Sequential(*layers, nn.Conv1d(32, 1, 1)), (torch.randn(batch, 1, 16000),)


def speech(batch):
    import torch
    import transformers
    config = transformers.WhisperConfig(encoder_layers=4, d_model=384, encoder_attention_heads=6, encoder_ffn_dim=1536)
    config._attn_implementation = "sdpa"
    encoder_ = transformers.models.whisper.modeling_whisper.WhisperEncoder(config)
    return _plain(encoder_, lambda model, x: model(x).last_hidden_state), (torch.randn(batch, 80, 3000),)


def unet(batch):
    import test_training
    import torch
    return test_training.UNet(), (torch.randn(batch, 3, 64, 64), torch.rand(batch))


def generator(batch):
    """Transposed convolutions."""
    import torch
    from torch import nn
    layers, sizes = [], (100, 512, 256, 128, 64)
    for k, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers += [nn.ConvTranspose2d(a, b, 4, 2 if k else 1, 1 if k else 0, bias=False), nn.BatchNorm2d(b), nn.ReLU()]
    return nn.Sequential(*layers, nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh()), (torch.randn(batch, 100, 1, 1),)


def volumes(batch):
    """Convolutions of three dimensions."""
    import torch
    from torch import nn
    layers, sizes = [], (1, 16, 32, 64, 64)
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Conv3d(a, b, 3, padding=1, bias=False), nn.BatchNorm3d(b), nn.ReLU(), nn.MaxPool3d(2)]
    return nn.Sequential(*layers), (torch.randn(batch, 1, 32, 64, 64),)


def recommender(batch):
    """Bags of embeddings, their products two by two, and layers over them."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(10000, 32, mode="sum") for _ in range(8))
            self.dense = nn.Sequential(nn.Linear(13, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(36 + 32, 256), nn.ReLU(), nn.Linear(256, 1), nn.Sigmoid())

        def forward(self, dense, words):
            x = self.dense(dense)
            rows = torch.stack([x] + [table(words[:, k]) for k, table in enumerate(self.tables)], 1)
            products = torch.bmm(rows, rows.transpose(1, 2))
            i, j = torch.tril_indices(9, 9, -1)
            return self.top(torch.cat([x, products[:, i, j]], 1))
    return Net(), (torch.randn(32 * batch, 13), torch.randint(0, 10000, (32 * batch, 8, 4)))


def graph_net(batch):
    """Messages along edges, summed at their ends."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.into = nn.ModuleList(nn.Linear(64, 64) for _ in range(3))
            self.own = nn.ModuleList(nn.Linear(64, 64) for _ in range(3))

        def forward(self, x, edges):
            for into, own in zip(self.into, self.own):
                summed = torch.zeros_like(x).index_add(0, edges[1], into(x)[edges[0]])
                x = torch.relu(own(x) + summed)
            return x
    nodes = 1000 * batch
    return Net(), (torch.randn(nodes, 64), torch.randint(0, nodes, (2, 8 * nodes)))


def tabular(batch):
    import torch
    from torch import nn
    layers = [nn.Linear(64, 256), nn.SiLU()]
    for _ in range(4):
        layers += [nn.Linear(256, 256), nn.LayerNorm(256), nn.SiLU()]
    return nn.Sequential(*layers, nn.Linear(256, 10), nn.Softmax(-1)), (torch.randn(64 * batch, 64),)


SMALL = {"vocab_size": 1000, "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 6, "intermediate_size": 1536}
MODELS = {name: lambda batch, name=name: picture(name, batch) for name in PICTURES}
for _tokens in TOKENS:
    MODELS |= {
        f"bert_small_{_tokens}": lambda batch, n=_tokens: encoder("Bert", n, batch, **SMALL),
        f"distilbert_{_tokens}": lambda batch, n=_tokens: encoder("DistilBert", n, batch, vocab_size=1000, dim=384, n_layers=6, n_heads=6,
                                                                  hidden_dim=1536),
        f"llama_small_{_tokens}": lambda batch, n=_tokens: decoder("Llama", n, batch, **SMALL, num_key_value_heads=2),
        f"qwen2_small_{_tokens}": lambda batch, n=_tokens: decoder("Qwen2", n, batch, **SMALL, num_key_value_heads=2),
        f"gpt2_small_{_tokens}": lambda batch, n=_tokens: decoder("GPT2", n, batch, vocab_size=1000, n_embd=384, n_layer=6, n_head=6),
        f"opt_small_{_tokens}": lambda batch, n=_tokens: decoder("OPT", n, batch, vocab_size=1000, hidden_size=384, num_hidden_layers=6,
                                                                 num_attention_heads=6, ffn_dim=1536, word_embed_proj_dim=384),
    }
MODELS |= {
    "albert_128": lambda batch: encoder("Albert", 128, batch, **SMALL, embedding_size=128),
    "roberta_128": lambda batch: encoder("Roberta", 128, batch, **SMALL),
    "electra_128": lambda batch: encoder("Electra", 128, batch, **SMALL, embedding_size=128),
    "mpnet_128": lambda batch: encoder("MPNet", 128, batch, **SMALL),
    "lstm": lambda batch: recurrent("LSTM", batch),
    "lstm_both_ways": lambda batch: recurrent("LSTM", batch, bidirectional=True),
    "gru": lambda batch: recurrent("GRU", batch),
    "rnn": lambda batch: recurrent("RNN", batch),
    "lstm_long_and_small": lambda batch: recurrent("LSTM", batch, 512, 64, 1),
    "waves": waves, "speech": speech, "unet": unet, "generator": generator, "volumes": volumes, "recommender": recommender,
    "graph_net": graph_net, "tabular": tabular,
}


# ---- in a process of its own ----


def made(name, batch):
    import torch
    import torchvision_shim  # noqa: F401  timm and transformers import torchvision
    from export_models import make_typical
    torch.manual_seed(1)
    module, inputs = MODELS[name](batch)
    module.eval()
    if len(inputs) == 1 and inputs[0].is_floating_point():
        make_typical(module, inputs)
    return module, inputs


def export(name, batch, stem):
    import torch
    from safetensors.torch import save_file
    module, inputs = made(name, batch)
    with torch.no_grad():
        torch.export.save(torch.export.export(module, inputs), f"{stem}.pt2")
    save_file({f"0.in.{k}": value.contiguous() for k, value in enumerate(inputs)}, f"{stem}.safetensors")


def compare(name, batch):
    """Root mean squares of what ferrite's and eager's results are off, as a share of that of the results: the worst result."""
    import torch
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import ferrite
    module, inputs = made(name, batch)
    with torch.no_grad():
        program = ferrite.compile(torch.export.export(module, inputs))
        eager, ours = flat(module(*inputs)), flat(program(*inputs))
        exact = flat(module.double()(*[value.double() if value.is_floating_point() else value for value in inputs]))
    worst = max(((off(mine, true), off(theirs, true)) for mine, theirs, true in zip(ours, eager, exact) if true.is_floating_point()),
                key=lambda pair: pair[0] / max(pair[1], 1e-9))
    print(json.dumps(worst))


def flat(results):
    import torch
    return torch.utils._pytree.tree_leaves(results)


def off(value, true):
    return ((value - true).square().mean().sqrt() / true.square().mean().sqrt().clamp(min=1e-30)).item()


# ---- all ----


def exported(name, batch, folder):
    """The stem of its files, or what is wrong."""
    stem = os.path.join(folder, name)
    _, wrong = apart("--export", name, str(batch), stem)
    return (None, wrong) if wrong else (stem, None)


def apart(*words):
    """What this program prints in a process of its own, or what is wrong."""
    done = subprocess.run([sys.executable, os.path.abspath(__file__), *words], capture_output=True, text=True,
                          env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"})
    return (done.stdout, None) if done.returncode == 0 else (None, (done.stderr.strip().splitlines() or ["it failed"])[-1][:200])


def show_errors(names, args):
    rows = []
    for name in names:
        for batch, isa in ((batch, isa) for batch in args.batch for isa in args.isa):
            os.environ["FERRITE_ISA"] = isa or "native"
            printed, wrong = apart("--compare", name, str(batch))
            if wrong:
                print(f"{name}: {wrong}", flush=True)
                continue
            ours, eager = json.loads(printed.splitlines()[-1])
            rows.append((max(ours, 1e-9) / max(eager, 1e-9), f"{name}x{batch}{isa and '-' + isa}", ours, eager))
            print("  {0:6.2f}  {1:44} {2:.2e}  eager {3:.2e}".format(*rows[-1]), flush=True)
    if not rows:
        return
    print(f"\nferrite's error to that of eager, the worst first; the geometric mean is {mean([row[0] for row in rows]):.2f}\n")
    for row in sorted(rows, reverse=True):
        print("  {0:6.2f}  {1}".format(*row))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def show_worst_first(results):
    known = sorted((pair for pair in ((bench.ratio(entry), key) for key, entry in results.items()) if pair[0]), reverse=True)
    print("\nferrite's time to that of the best peer, the worst first\n")
    for value, key in known:
        print(f"  {value:5.2f}  {key}")
    for peer in bench.CANDIDATES[:-1]:
        both = [entry["ferrite"]["min_us"] / entry[peer]["min_us"] for entry in results.values() if peer in entry and "ferrite" in entry]
        if both:
            print(f"\n  geometric mean to {peer}: {mean(both):.2f} of {len(both)}", end="")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="")
    parser.add_argument("--batch", nargs="+", type=int, default=[1])
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--isa", nargs="+", default=[""], metavar="NAME", help="ferrite's alone; the peers take what the machine has")
    parser.add_argument("--peers", nargs="+", choices=bench.CANDIDATES[:-1], default=["eager", "onnx"], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="for one candidate in one round")
    parser.add_argument("--ferrite", metavar="PATH", default=os.path.join(ROOT, "build", "ferrite"))
    parser.add_argument("--json", metavar="OUT")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--errors", action="store_true", help="not the times, but what ferrite and eager are off")
    parser.add_argument("--export", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--compare", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = [name for name in MODELS if re.search(args.only, name)]
    if args.export:
        return export(args.export[0], int(args.export[1]), args.export[2])
    if args.compare:
        return compare(args.compare[0], int(args.compare[1]))
    if args.errors:
        return show_errors(names, args)
    if args.list:
        return print("\n".join(names))
    results = {}
    if args.json and os.path.exists(args.json):
        with open(args.json) as file:
            results = json.load(file)
    bench.show_head()
    try:
        sweep(names, args, results)
    except KeyboardInterrupt:
        pass
    show_worst_first(results)
    return None


def sweep(names, args, results):
    for name in names:
        for batch in args.batch:
            wanted = {(threads, isa): f"{name}x{batch}{isa and '-' + isa}@{threads}" for threads in args.threads for isa in args.isa}
            if all(key in results for key in wanted.values()):
                continue
            with tempfile.TemporaryDirectory() as folder:
                stem, wrong = exported(name, batch, folder)
                for (threads, isa), key in wanted.items() if stem else ():
                    os.environ["FERRITE_ISA"] = isa
                    os.environ.pop("FERRITE_ISA") if not isa else None
                    for timings, errors in bench.measure(stem, threads, args):
                        results[key] = {**{who: timing.summary() for who, timing in timings.items()}, "errors": errors}
                    bench.show(key, results[key])
                    if args.json:
                        bench.write(args.json, results)
            if wrong:
                print(f"{name}: {wrong}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
