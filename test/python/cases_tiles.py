"""Programs of products that are large enough for tiles of local memory on devices, of sizes that no tile divides."""

import torch
import torch.nn.functional as F
from cases_programs import program
from torch import nn
from torch.export import Dim


@program
def products_in_tiles():
    """Matrix products of each dtype with transposed, strided and broadcast operands, and what follows them."""

    class Products(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.ModuleList((nn.Linear(37, 66), nn.Linear(66, 40, bias=False)))
            self.short, self.brain = nn.Linear(37, 33).half(), nn.Linear(37, 33).bfloat16()

        def forward(self, x, y, whole):
            a = self.linear[1](F.relu(self.linear[0](x))) + 1
            b = torch.addmm(x[:, :1], x, x.t(), alpha=0.5).tanh()
            c = y.transpose(1, 2) @ y[:1, :, ::2]
            d = self.short(x.to(self.short.weight.dtype)) * 2
            e = F.relu(self.brain(x.to(self.brain.weight.dtype)))
            f = (x.double() @ x[:33].double().t()).sum(0)
            g = whole @ whole[:, :33]
            return a, b, c, d, e, f, g

    sets = [(torch.randn(n, 37), torch.randn(2, 37, 66), torch.randint(-9, 9, (35, 35))) for n in (70, 34)]
    sets[0][0][3, 5], sets[0][0][69, 36] = float("inf"), float("nan")
    return Products(), sets, {"dynamic_shapes": ({0: Dim("n", min=34, max=512)}, None, None)}


@program
def convolutions_in_tiles():
    """Convolutions that are strided, dilated, padded, grouped, transposed, of one and of three dimensions."""

    class Convolutions(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(3, 20, (3, 2), padding=1)
            self.conv = nn.ModuleList((nn.Conv2d(20, 22, 3, stride=2, padding=1), nn.Conv2d(22, 40, 3, dilation=2, padding=2),
                                       nn.Conv2d(40, 42, 1, groups=2), nn.ConvTranspose2d(42, 20, 3, stride=2),
                                       nn.Conv2d(20, 20, (1, 5), padding=(0, 1))))
            self.line, self.cube = nn.Conv1d(9, 20, 4), nn.Conv3d(2, 20, (2, 3, 2), padding=1)

        def forward(self, x, line, cube):
            y = F.relu(self.first(x))
            for conv in self.conv:
                y = F.silu(conv(y))
            return y, self.line(line).sigmoid(), self.cube(cube) + 1

    args = torch.randn(2, 3, 14, 15), torch.randn(2, 9, 71), torch.randn(1, 2, 5, 5, 6)
    return Convolutions(), [args]
