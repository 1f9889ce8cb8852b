"""A program that keeps a device and the host busy with each other: inputs that are needed late, results that are
ready early, values that the host works on meanwhile, memory that others take over, and an index that is looked up."""

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from cases_programs import program


@program
def copies_beside_kernels():
    """What runs elsewhere by --device goes there and back several times; sizes vary."""

    class Busy(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(24, 24) for _ in range(3))
            self.table = nn.Embedding(11, 24)

        def forward(self, x, y, z, index):
            early = F.relu(self.layers[0](x))
            ranks = torch.sort(x * 3 - 1, dim=1).values
            middle = self.layers[1](early) + ranks
            found = self.table(index)
            late = torch.cumsum(middle * 2, 1) + y
            spectrum = torch.fft.rfft(late, dim=1).abs()
            joined = torch.cat((late, self.layers[2](middle), found))
            end = torch.softmax(joined @ z, 1)
            return early, ranks, end.mean(0), spectrum, torch.sort(end, dim=0).values[:2], joined.sum(1)

    sets = [(torch.randn(n, 24), torch.randn(n, 24), torch.randn(24, 40), torch.randint(0, 11, (n,)))
            for n in (7, 2, 33)]
    n = Dim("n", min=2, max=64)
    return Busy(), sets, {"dynamic_shapes": ({0: n}, {0: n}, None, {0: n})}
