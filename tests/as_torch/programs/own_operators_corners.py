# ruff: noqa
"""Operators of a program: lists that they write into, arguments at their defaults, tensors by name alone."""

import torch
from torch import Tensor
from typing import *


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:330])


@torch.library.custom_op("own_corners::f", mutates_args={"y", "z", "w"})
def f(x: Tensor, y: Optional[Tensor], z: List[Tensor], w: List[Optional[Tensor]]) -> None:
    return


x, y = torch.zeros(3), torch.zeros(3)
z = [torch.zeros(3), torch.zeros(3)]
w = [torch.zeros(3), None]
f(x, y, z, w)
print(x._version, y._version, [a._version for a in z], w[0]._version)
f(x, None, z, w)
print(x._version, y._version, [a._version for a in z], w[0]._version)
lib = torch.library.Library("own_corners", "FRAGMENT")
lib.define("foo(Tensor w, int x = 2, *, int y = 3, int z) -> Tensor")
lib.impl("foo", lambda w, x=2, *, y=3, z: w * x * y * z, "CPU")


def setup(ctx, inputs, keyword_only_inputs, output):
    print(len(inputs), inputs[1], keyword_only_inputs)
    ctx.c = keyword_only_inputs["y"] * keyword_only_inputs["z"] * inputs[1]


torch.library.register_autograd("own_corners::foo", lambda ctx, g: g * ctx.c, setup_context=setup, lib=lib)
v = torch.ones(3, requires_grad=True)
torch.ops.own_corners.foo(v, z=42).sum().backward()
print(v.grad)
lib.define("bar(Tensor x, *, Tensor y) -> Tensor")
t(
    lambda: torch.library.register_autograd(
        "own_corners::bar", lambda g: g, setup_context=lambda ctx, inputs, keyword_only_inputs, output: None, lib=lib
    )
)
t(lambda: torch.library.register_vmap("own_corners::bar", lambda info, in_dims, x, *, y: (x, 0), lib=lib))
for many in (64, 65):
    t(
        lambda: print(
            lib.define(
                f"many{many}("
                + ", ".join(f"Tensor a{i}" for i in range(many - 1))
                + ", *, int[2] b=[1, 2]) -> (Tensor, int)"
            )
        )
    )
