"""Shapes in annotations, checked."""

import torch
from jaxtyping import Float, Int, jaxtyped


def check(value, kind):
    return isinstance(value, kind)


print(check(torch.zeros(2, 3), Float[torch.Tensor, "2 3"]), check(torch.zeros(2, 3), Float[torch.Tensor, "2 4"]))
print(check(torch.zeros(2, dtype=torch.int64), Int[torch.Tensor, "n"]), check(torch.zeros(2), Int[torch.Tensor, "n"]))
with jaxtyped("context"):
    print(check(torch.zeros(2, 3), Float[torch.Tensor, "a b"]), check(torch.zeros(4, 3), Float[torch.Tensor, "a b"]))
print(Float[torch.Tensor, "batch channels"])
