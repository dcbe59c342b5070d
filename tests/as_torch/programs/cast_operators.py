# ruff: noqa
"""Operators of a program whose tensors autocast makes smaller first."""

import torch


def t(n, f):
    try:
        print(n, f())
    except Exception as e:
        print(n, type(e).__name__, str(e)[:200].split("\n")[0])


@torch.library.custom_op("ac::f", mutates_args=())
def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    print(x.dtype, y.dtype, torch.is_autocast_enabled("cpu"))
    return x * y


f.register_autocast("cpu", torch.bfloat16)
x = torch.ones(2)
print(f(x, x).dtype)
with torch.autocast("cpu", dtype=torch.float16):
    print(f(x, x).dtype, f(x, x.long()).dtype, f(x.double(), x).dtype, torch.ops.ac.f(x, x).dtype)
    print(torch.is_autocast_enabled("cpu"))
f.register_autograd(lambda ctx, g: (g, g))
y = torch.ones(2, requires_grad=True)
with torch.autocast("cpu"):
    z = f(y, x)
    print(z.dtype, z.requires_grad)
z.sum().backward()
print(y.grad)
t("dev", lambda: torch.library.register_autocast("ac::f", "foo", torch.float16))
t("type", lambda: torch.library.register_autocast(3, "cpu", torch.float16))
torch.library.define("ac::g", "(Tensor x) -> Tensor")
torch.library.impl("ac::g", "cpu", lambda x: x + 1)
torch.library.register_autocast("ac::g", "cpu", torch.float16)
with torch.autocast("cpu"):
    print(torch.ops.ac.g(x).dtype)
print(torch.ops.ac.g(x).dtype)
t("meth", lambda: f.register_autocast(3, torch.float16))
