"""Notation for dimensions in every operation."""

import einx
import torch

torch.manual_seed(0)
x = torch.randn(2, 3, 4)
print(einx.sum("a [b] c", x), einx.id("a b c -> c (a b)", x).shape)
print(einx.dot("a b c, c d -> a b d", x, torch.ones(4, 2)))
