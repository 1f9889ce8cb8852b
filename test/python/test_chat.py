#!/usr/bin/env python3
"""examples/chat: its tables cut text as the tokenizer does that they were written from, of GPT-2's kind and of Llama 3's, and
a conversation of several turns is word for word what PyTorch makes of the same model. Skipped where there is no PCRE2."""

import os
import random
import subprocess
import sys
import tempfile

import torch
import torchvision_shim  # noqa: F401  transformers imports torchvision

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHAT = os.path.join(ROOT, "examples", "chat")
sys.path.insert(0, CHAT)
import export  # noqa: E402

CC = [*os.environ.get("FERRITE_TEST_CC", "cc").split(), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", os.path.join(ROOT, "include")]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEMPLATE = ("{% for m in messages %}{{ '<|start|>' + m['role'] + '\n' + m['content'] + '<|end|>\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|start|>assistant\n' }}{% endif %}")
ENCODE = """
#include "tokens.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **paths)
{
    static char text[1 << 20];
    static int64_t ids[1 << 18];
    tokens *t = tokens_read(paths[1]);
    size_t length = fread(text, 1, sizeof text, stdin), back = 0;
    if (!t || count != 2) return 1;
    for (char *at = text; at < text + length; at += strlen(at) + 1) {
        size_t n = tokens_encode(t, at, strlen(at), ids, sizeof ids / sizeof *ids);
        char *whole = at;
        for (size_t k = 0; k < n; k++) {
            const char *bytes = tokens_bytes(t, ids[k], &back);
            printf("%lld ", (long long)ids[k]);
            if (memcmp(whole, bytes, back) != 0) return 2;
            whole += back;
        }
        puts("");
        if (*whole) return 3;
    }
    tokens_free(t);
}
"""
passed = 0


def expect(condition, what):
    global passed
    if not condition:
        raise AssertionError(what)
    passed += 1


def texts():
    dice = random.Random(5)
    kinds = ["abcdefghij", "ABC", "0123456789", "  \t\n\r", ".,;:!?'\"<>[]|", "äßéøñ", "中文字", "١٢٣", "\u00a0\u3000", "😀🏳️‍🌈", "e\u0301", "'s't're"]
    made = ["I'll go; they've 12345 numbers, don't they?  \n\n  yes\t!", "<|start|>user\nhi<|end|>\n", "<|sta", "", " ", "it's<|end|>"]
    for _ in range(400):
        made.append("".join(dice.choice(dice.choice(kinds)) for _ in range(dice.randrange(1, 40))))
    return made


def llama3_like(text):
    """A tokenizer that splits as Llama 3's does, takes words whole, and has a template."""
    import tokenizers
    import transformers
    from tokenizers import pre_tokenizers
    learned = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    learned.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(tokenizers.Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    learned.decoder = tokenizers.decoders.ByteLevel()
    learned.train_from_iterator([text], tokenizers.trainers.BpeTrainer(
        vocab_size=700, show_progress=False, special_tokens=["<|start|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=learned, eos_token="<|end|>")
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def check_tokens(folder, tokenizer, name):
    path = os.path.join(folder, f"{name}.tokens")
    export.write_tables(tokenizer, {tokenizer.eos_token_id}, path)
    given = [text for text in texts() if text]
    done = subprocess.run([os.path.join(folder, "encode"), path], input="\0".join(given).encode() + b"\0", capture_output=True)
    expect(done.returncode == 0, f"{name}: {done.returncode} {done.stderr}")
    for text, line in zip(given, done.stdout.decode().split("\n")):
        wanted = tokenizer(text, add_special_tokens=False)["input_ids"]
        expect([int(k) for k in line.split()] == wanted, f"{name}: {text!r}: {line} {wanted}")


def check_mistakes(folder):
    for text in ("", "word 1 s 41\n", "tables 300 2 0\npair 1 2 400\n", "tables 9999999999 1 0\n", "tables 300 1 0\nwords\n"):
        path = os.path.join(folder, "wrong.tokens")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([os.path.join(folder, "encode"), path], input=b"a", capture_output=True)
        expect(done.returncode == 1 and b"wrong.tokens" in done.stderr, f"{text!r}: {done}")


def expected_reply(cached, tokenizer, frame, said, line, count):
    """(the reply, how many words were said by then)."""
    ids = tokenizer(frame + line, add_special_tokens=False)["input_ids"]
    reply = []
    with torch.no_grad():
        scores = cached(torch.tensor([ids]), torch.arange(said, said + len(ids)))
        said += len(ids)
        for _ in range(count):
            word = int(scores.argmax())
            if word == tokenizer.eos_token_id:
                break
            reply.append(word)
            scores = cached(torch.tensor([[word]]), torch.tensor([said]))
            said += 1
    return tokenizer.decode(reply), said


def check_talk(folder, model, tokenizer):
    from torch.export.pt2_archive._package import package_pt2
    package_pt2(os.path.join(folder, "chat.pt2"), exported_programs=export.programs(model, 128))
    subprocess.run([os.path.join(ROOT, "build", "ferrite"), "compile", "chat.pt2", "-o", "chat.so", "--quiet"], cwd=folder, check=True)
    subprocess.run([*CC, os.path.join(CHAT, "chat.c"), os.path.join(CHAT, "tokens.c"), "-I", folder, "chat.so", "-Wl,-rpath,$ORIGIN",
                    "-lpcre2-8", "-lm", "-o", "chat"], cwd=folder, check=True)
    lines = ["A compiler of programs", "and memory?", "x"]
    done = subprocess.run(["./chat", "-n", "12", "small.tokens"], cwd=folder, input="\n".join(lines) + "\n", capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    first, following, _ = export.frame(tokenizer)
    cached, said, wanted = export.Cached(model, 128), 0, ""
    for line in lines:
        reply, said = expected_reply(cached, tokenizer, following if said else first, said, line, 12)
        wanted += reply + "\n"
    expect(done.stdout == wanted, f"{done.stdout!r} {wanted!r}")
    full = subprocess.run(["./chat", "small.tokens"], cwd=folder, input="word " * 200 + "\n", capture_output=True, text=True)
    expect(full.returncode == 1 and "no room" in full.stderr, full.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "encode.c"), "w") as file:
            file.write(ENCODE)
        probe = subprocess.run([*CC, "-E", "-"], input="#define PCRE2_CODE_UNIT_WIDTH 8\n#include <pcre2.h>\n", capture_output=True, text=True)
        if probe.returncode:
            return print("test_chat.py: there is no PCRE2\n0 passed, 0 failed, 1 skipped")
        subprocess.run([*CC, "-I", CHAT, "encode.c", os.path.join(CHAT, "tokens.c"), "-lpcre2-8", "-o", "encode"], cwd=folder, check=True)
        model, tokenizer = export.trained(12)
        check_tokens(folder, tokenizer, "small")
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            check_tokens(folder, llama3_like(file.read()), "whole")
        check_mistakes(folder)
        check_talk(folder, model, tokenizer)
    return print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
