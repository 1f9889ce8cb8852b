"""Programs of bf16 whose sums are exact, so that every processor has the same results."""

import torch
import torch.nn.functional as F
from cases_programs import program
from torch import nn
from torch.export import Dim


def whole_numbers(*sizes, most=3):
    return torch.randint(-most, most + 1, sizes).bfloat16()


@program
def convolutions_of_bf16():
    """Convolutions that are strided, dilated, padded, grouped, transposed, of one and of three dimensions."""

    class Convolutions(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv2d(3, 24, 7, stride=2, padding=3)
            self.conv = nn.ModuleList((nn.Conv2d(24, 40, 3, padding=1), nn.Conv2d(40, 48, 3, dilation=2, padding=2, groups=2),
                                       nn.Conv2d(48, 33, 1), nn.Conv2d(33, 36, 3, stride=2, padding=1, groups=3),
                                       nn.Conv2d(36, 70, (2, 4), padding="same", bias=False), nn.ConvTranspose2d(70, 9, 3, stride=2),
                                       nn.Conv2d(9, 9, 3, groups=9)))
            self.line, self.cube = nn.Conv1d(9, 20, 4, stride=3), nn.Conv3d(2, 20, (2, 3, 2), padding=1)
            for p in self.parameters():
                p.data = whole_numbers(*p.shape, most=1)

        def forward(self, x, line, cube, weight):
            y = F.relu(self.first(x))
            for conv in self.conv:
                y = conv(y.clamp(-4, 4))
            return y, self.line(line) * 2, self.cube(cube) + 1, F.conv2d(x.relu(), weight, padding=1), self.line(line[0])

    sets = [(whole_numbers(n, 3, 13, 19), whole_numbers(2, 9, 71), whole_numbers(1, 2, 5, 5, 6), whole_numbers(5, 3, 3, 3))
            for n in (2, 3)]
    return Convolutions(), sets, {"dynamic_shapes": ({0: Dim("n", min=1, max=16)}, None, None, None)}
