#!/usr/bin/env python3
"""Writes chat.pt2, a language model as two programs: `prompt` reads any number of words, `step` one; and chat.tokens, the tables
of its tokenizer.

  export.py [--model FOLDER] [--room WORDS] [--steps N] [--out FOLDER]

FOLDER is what transformers' save_pretrained() writes, of a decoder with a byte-level tokenizer (GPT-2, Llama 3, Qwen, ...).
Without it a small model is trained on ferrite's documents, for N steps, which takes a minute: it then speaks like them."""

import argparse
import glob
import json
import os

import torch
import transformers
from torch.export.pt2_archive._package import package_pt2

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class Cached(torch.nn.Module):
    """The model with its keys and values as buffers, which both programs change."""

    def __init__(self, model, room):
        super().__init__()
        config = model.config
        self.model, self.cache = model, transformers.StaticCache(config=config, max_cache_len=room)
        heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
        depth = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.cache.early_initialization(1, heads, depth, model.dtype, "cpu")
        for k, layer in enumerate(self.cache.layers):
            self.register_buffer(f"keys_{k}", layer.keys)
            self.register_buffer(f"values_{k}", layer.values)

    def forward(self, words, places):
        """words [1, n], places [n]; the scores [1, vocabulary] of what comes next."""
        return self.model(input_ids=words, cache_position=places, past_key_values=self.cache, use_cache=True,
                          logits_to_keep=1).logits[:, -1].float()


def programs(model, room):
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.executorch import sdpa_mask_without_vmap
    AttentionInterface.register("sdpa_to_save", AttentionInterface()["sdpa"])
    AttentionMaskInterface.register("sdpa_to_save", sdpa_mask_without_vmap)
    model.set_attn_implementation("sdpa_to_save")
    cached, n = Cached(model.eval(), room), torch.export.Dim("n", min=2, max=room)
    with torch.no_grad():
        prompt = torch.export.export(cached, (torch.zeros(1, 8).long(), torch.arange(8)), dynamic_shapes=({1: n}, {0: n}))
        step = torch.export.export(cached, (torch.zeros(1, 1).long(), torch.tensor([8])))
    return {"prompt": prompt, "step": step}


# ---- the tokenizer ----


def alphabet():
    """Each byte as the character that byte-level tokenizers write for it."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + k): byte for k, byte in enumerate(others)}


def pattern(steps):
    """The expression that text is cut into pieces by."""
    steps = steps["pretokenizers"] if steps and steps["type"] == "Sequence" else [steps]
    kinds = [step and step["type"] for step in steps]
    if kinds == ["ByteLevel"] and steps[0]["use_regex"] and not steps[0]["add_prefix_space"]:
        return GPT2
    if kinds == ["Split", "ByteLevel"] and "Regex" in steps[0]["pattern"] and steps[0]["behavior"] == "Isolated" \
            and not steps[1]["use_regex"]:
        return steps[0]["pattern"]["Regex"]
    raise SystemExit(f"the tokenizer cuts text by {', '.join(map(str, kinds))}: this example takes byte-level ones alone")


def frame(tokenizer):
    """What stands in front of the user's first words, of his next ones, and of a reply."""
    if not tokenizer.chat_template:
        return tokenizer.bos_token if getattr(tokenizer, "add_bos_token", False) else "", "\n", ""
    talk = [{"role": "user", "content": "<1>"}, {"role": "assistant", "content": "<2>"}, {"role": "user", "content": "<3>"}]
    text = tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True)
    first, _, rest = text.partition("<1>")
    before_reply, _, rest = rest.partition("<2>")
    before_next, _, reply = rest.partition("<3>")
    return first, before_next, reply or before_reply


def write_tables(tokenizer, ends, path):
    written = json.loads(tokenizer.backend_tokenizer.to_str())
    model, of = written["model"], alphabet()
    if model["type"] != "BPE" or model.get("byte_fallback"):
        raise SystemExit(f"the tokenizer is {model['type']}: this example takes byte-level BPE alone")
    added = {word["id"]: word for word in written["added_tokens"]}
    words = {k: bytes(of[c] for c in text) for text, k in model["vocab"].items() if k not in added}
    words |= {k: word["content"].encode() for k, word in added.items()}
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
    with open(path, "w") as file:
        print("tables", max(words) + 1, len(merges), int(bool(model.get("ignore_merges"))), file=file)
        print("split", pattern(written["pre_tokenizer"]).encode().hex(), file=file)
        for name, text in zip(("first", "next", "reply"), frame(tokenizer)):
            print(name, text.encode().hex(), file=file)
        for k, text in sorted(words.items()):
            print("word", k, ("s" if k in added else "") + ("." if k in ends else ""), text.hex(), file=file)
        for left, right in merges:
            print("pair", model["vocab"][left], model["vocab"][right], model["vocab"][left + right], file=file)


# ---- a model of one's own ----


def trained(steps):
    """A small Llama, and its tokenizer, that have read the documents."""
    import tokenizers
    paths = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "doc", "*.md")))]
    text = "\n".join(open(path, encoding="utf-8").read() for path in paths)
    learned = tokenizers.ByteLevelBPETokenizer()
    learned.train_from_iterator([text], vocab_size=1024, min_frequency=2, show_progress=False, special_tokens=["<|end|>"])
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=learned._tokenizer, eos_token="<|end|>")
    ids = torch.tensor(tokenizer(text)["input_ids"])
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=1024, hidden_size=192, num_hidden_layers=4, num_attention_heads=6, num_key_value_heads=2, intermediate_size=512,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=max(2, steps))
    for _ in range(steps):
        starts = torch.randint(0, len(ids) - 96, (16,))
        batch = torch.stack([ids[start:start + 96] for start in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model, tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", metavar="FOLDER")
    parser.add_argument("--room", type=int, default=1024, metavar="WORDS", help="that a conversation may have")
    parser.add_argument("--steps", type=int, default=300, metavar="N")
    parser.add_argument("--out", default=".", metavar="FOLDER")
    args = parser.parse_args()
    if args.model:
        tokenizer = transformers.AutoTokenizer.from_pretrained(args.model)
        model = transformers.AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32)
    else:
        model, tokenizer = trained(args.steps)
    ends = {model.config.eos_token_id, model.generation_config.eos_token_id, tokenizer.eos_token_id} if not isinstance(
        model.generation_config.eos_token_id, list) else {*model.generation_config.eos_token_id, tokenizer.eos_token_id}
    write_tables(tokenizer, ends, os.path.join(args.out, "chat.tokens"))
    package_pt2(os.path.join(args.out, "chat.pt2"), exported_programs=programs(model, args.room))


if __name__ == "__main__":
    main()
