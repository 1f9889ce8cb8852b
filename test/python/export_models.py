#!/usr/bin/env python3
"""Exports the models of the end-to-end tests and of bench.py: random weights, a fixed seed, eval mode, batch 1.

  export_models.py --out DIR [--only NAME ...] [--force]

What a model's files hold is said in case_files.py. A model whose files are newer than this script is left alone. Each
is made in a process of its own, so that the memory of one is gone before the next.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEMO = os.path.join(HERE, os.pardir, os.pardir, "demo")
TOKENS = 128


def digits():
    """The demo's own archive: nothing is built; the case is recorded from it."""
    import torch
    from safetensors.torch import load_file

    module = torch.export.load(os.path.join(DEMO, "digits.pt2")).module()
    return module, (load_file(os.path.join(DEMO, "digits.safetensors"))["x"][:1],)


def mlp():
    import torch
    from torch import nn

    layers = [part for _ in range(8) for part in (nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64))]
    return nn.Sequential(*layers), (torch.randn(8, 64),)


def picture_model(name):
    def build():
        import timm
        import torch

        return timm.create_model(name, pretrained=False), (torch.randn(1, 3, 224, 224),)

    return build


def bert_base():
    import torch
    from transformers import BertConfig, BertModel

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = BertModel(BertConfig(attn_implementation="sdpa"))

        def forward(self, input_ids, attention_mask, token_type_ids):
            result = self.model(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
            return result.last_hidden_state, result.pooler_output

    mask = torch.ones(1, TOKENS, dtype=torch.int64)
    mask[:, -TOKENS // 8 :] = 0
    kinds = torch.zeros(1, TOKENS, dtype=torch.int64)
    kinds[:, TOKENS // 2 :] = 1
    return Plain(), (torch.randint(0, 30522, (1, TOKENS)), mask, kinds)


def savable_gpt2(config):
    import torch
    from transformers import AttentionInterface, AttentionMaskInterface, GPT2LMHeadModel
    from transformers.integrations.executorch import sdpa_mask_without_vmap

    # The usual attention; only the causal mask is made without vmap, which torch.export.save cannot store.
    AttentionInterface.register("sdpa_to_save", AttentionInterface()["sdpa"])
    AttentionMaskInterface.register("sdpa_to_save", sdpa_mask_without_vmap)
    config._attn_implementation = "sdpa_to_save"

    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = GPT2LMHeadModel(config)

        def forward(self, input_ids):
            return self.model(input_ids, use_cache=False).logits

    return Plain()


def gpt2():
    import torch
    from transformers import GPT2Config

    return savable_gpt2(GPT2Config()), (torch.randint(0, 50257, (1, TOKENS)),)


MODELS = {
    "digits": digits,
    "mlp": mlp,
    "resnet18": picture_model("resnet18"),
    "mobilenetv3_large_100": picture_model("mobilenetv3_large_100"),
    "vit_tiny_patch16_224": picture_model("vit_tiny_patch16_224"),
    "bert_base": bert_base,
    "gpt2": gpt2,
}


def make_typical(module, inputs):
    """Fresh weights have gains of 1, biases of 0 and running statistics of (0, 1), which hide mistakes."""
    import torch

    with torch.no_grad():
        for name, value in module.named_parameters():
            if value.dim() == 1 and name.endswith("weight"):
                value.uniform_(0.5, 1.5)
            elif value.dim() == 1:
                value.normal_(0.0, 0.05)
        norms = [part for part in module.modules() if isinstance(part, torch.nn.modules.batchnorm._BatchNorm)]
        if not norms:
            return
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the plain mean over the calls below
        module.train()
        for _ in range(2):
            module(*(torch.randn(8, *x.shape[1:]) for x in inputs))
        module.eval()
        for norm in norms:
            norm.running_mean.add_(0.1 * torch.randn_like(norm.running_mean) * norm.running_var.sqrt())
            norm.running_var.mul_(torch.empty_like(norm.running_var).uniform_(0.8, 1.25))


def build(name):
    """The module in eval mode and its inputs; the same on every call."""
    import torch
    import torchvision_shim  # noqa: F401  timm and transformers import torchvision

    torch.manual_seed(1000 + list(MODELS).index(name))
    module, inputs = MODELS[name]()
    if name != "digits":
        module.eval()
        make_typical(module, inputs)
    return module, inputs


def export_one(name, out):
    import torch
    from case_files import write_case

    torch.set_num_threads(min(2, os.cpu_count()))
    module, inputs = build(name)
    stem = os.path.join(out, name)
    work = os.path.join(out, ".unfinished", name)  # not under the real name before it is whole
    os.makedirs(os.path.dirname(work), exist_ok=True)
    side = write_case(work, module, [inputs], name=name)
    if name == "digits":
        shutil.copyfile(os.path.join(DEMO, "digits.pt2"), f"{work}.pt2")
    for kind in ("pt2", "safetensors", "json"):
        os.replace(f"{work}.{kind}", f"{stem}.{kind}")
    shutil.rmtree(os.path.dirname(work))
    size = os.path.getsize(f"{stem}.pt2") / 1e6
    worst = max(side["eager_err_vs_f64"])
    calls = sum(side["ops"].values())
    print(f"{name}: {calls} calls, {size:.1f} MB, eager is within {worst:.1e} of float64", flush=True)


def is_done(name, out):
    made_from = [__file__, os.path.join(HERE, "case_files.py")]
    if name == "digits":
        made_from.append(os.path.join(DEMO, "digits.pt2"))
    newest = max(os.path.getmtime(path) for path in made_from)
    files = [os.path.join(out, f"{name}.{kind}") for kind in ("pt2", "safetensors", "json")]
    return all(os.path.exists(file) and os.path.getmtime(file) > newest for file in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", nargs="+", choices=list(MODELS), metavar="NAME", default=list(MODELS))
    parser.add_argument("--force", action="store_true", help="make them again")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    if args.in_this_process:
        export_one(args.only[0], args.out)
        return 0
    failed = []
    for name in args.only:
        if not args.force and is_done(name, args.out):
            continue
        began = time.time()
        command = [sys.executable, __file__, "--out", args.out, "--in-this-process", "--only", name]
        if subprocess.run(command, env={**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}).returncode:
            print(f"{name}: failed after {time.time() - began:.0f} s", file=sys.stderr)
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
