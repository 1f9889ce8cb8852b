#!/usr/bin/env python3
"""Makes the demo's files: trains a small convolutional network on scikit-learn's handwritten digits, on one CPU core.

digits.pt2          the trained network as torch.export.save writes it; takes one digit, float32 [1, 1, 8, 8]
digits.safetensors  the held-out digits: x float32 [n, 1, 8, 8], y int64 [n], PyTorch's logits float32 [n, 10]
digits.json         how many of them PyTorch gets right

Needs test/python/requirements.txt. The demo itself needs none of it: the files are kept in the repository.
"""

import json
import os
import sys

import torch
from safetensors.torch import save_file
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "test", "python"))
from case_files import save_program  # noqa: E402

EPOCHS = 30


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classify = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 10))

    def forward(self, x):
        return self.classify(self.features(x))


def train(model, x, y):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(x)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        schedule.step()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    bunch = load_digits()
    x = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / 16
    y = torch.tensor(bunch.target, dtype=torch.int64)
    kept, held_out = train_test_split(range(len(x)), test_size=0.2, random_state=0, stratify=bunch.target)

    model = Digits()
    train(model, x[kept], y[kept])
    model.eval()
    x, y = x[held_out], y[held_out]
    with torch.no_grad():
        logits = torch.cat([model(one) for one in x.split(1)])
        program = torch.export.export(model, (x[:1].clone(),))

    right = int((logits.argmax(1) == y).sum())
    save_program(program, os.path.join(HERE, "digits.pt2"))
    save_file({"x": x, "y": y, "logits": logits}, os.path.join(HERE, "digits.safetensors"))
    with open(os.path.join(HERE, "digits.json"), "w") as file:
        json.dump({"accuracy": right / len(y), "right": right, "count": len(y)}, file, indent=1)
        file.write("\n")
    print(f"PyTorch: {right} of {len(y)} held-out digits right, {100 * right / len(y):.2f} %")


if __name__ == "__main__":
    main()
