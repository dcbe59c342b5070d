# ruff: noqa
"""Operators of a program's own: defaults of every kind, forms in the place of names, kernels that are switched off, tags."""

import torch
from typing import Optional


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:300].split("\n")[0])


@torch.library.custom_op("c::cast", mutates_args=())
def cast(
    x: torch.Tensor,
    dtype: torch.dtype = torch.float32,
    device: torch.device = torch.device("cpu"),
    s: str = "a",
    b: bool = True,
    f: float = 3.5,
    i: int = 2,
    o: Optional[int] = None,
) -> torch.Tensor:
    return x.to(dtype) + i


t("schema", lambda: torch.ops.c.cast.default._schema)
t("cast", lambda: cast(torch.ones(2), torch.float64))
t("cast", lambda: cast(torch.ones(2)))


@torch.library.custom_op("c::sin", mutates_args=())
def nsin(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


op = torch.ops.c.sin.default
x = torch.ones(2, requires_grad=True)
torch.library.register_autograd(op, lambda ctx, g: g * 2)
t("grad", lambda: torch.autograd.grad(nsin(x).sum(), x))
t("fake", lambda: torch.library.register_fake(op, lambda x: torch.empty_like(x)) is not None)
torch.library.register_kernel(op, "cpu", lambda x: x.cos())
t("cos", lambda: nsin(torch.zeros(2)))
t("packet", lambda: torch.library.register_autograd(torch.ops.c.sin, lambda ctx, g: g * 3))


def off():
    with nsin.set_kernel_enabled("cpu", enabled=False):
        return nsin(torch.zeros(2))


t("off", off)
t("on", lambda: nsin(torch.zeros(2)))
torch.library.register_kernel(op, "cpu", lambda x: x.cos())
torch.library.register_vmap(op, lambda info, dims, x: (x.cos(), dims[0]))
t("vmapped", lambda: torch.vmap(nsin)(torch.zeros(2, 2)))
t("bad", lambda: torch.library.register_autograd(3, lambda x: x))
t("named", lambda: torch.library.register_autograd("nothing", lambda x: x))


# defaults
@torch.library.custom_op("c::foo", mutates_args=[])
def foo(w: int, x: torch.Tensor, y: float = 2.0, *, z: float = 3.0) -> torch.Tensor:
    return x * w * y * z


def setup(ctx, inputs, keyword_only_inputs, output):
    print(inputs[0], inputs[2:], keyword_only_inputs)


foo.register_autograd(lambda ctx, g: (None, g, None), setup_context=setup)
t("foo", lambda: torch.autograd.grad(foo(2, x).sum(), x))
t("foo", lambda: torch.autograd.grad(foo(2, x, z=1.0).sum(), x))


# tags
@torch.library.custom_op("c::tagged", mutates_args=[], tags=[torch.Tag.flexible_layout])
def tagged(x: torch.Tensor) -> torch.Tensor:
    return x + 1


print(torch.Tag.flexible_layout in torch.ops.c.tagged.default.tags)
torch.library.define("c::d", "(Tensor x) -> Tensor", tags=torch.Tag.inplace_view)
t("tags", lambda: torch.ops.c.d.default.tags)
torch.library.define("c::d2", "(Tensor x) -> Tensor", tags=(torch.Tag.inplace_view, torch.Tag.core))
t("tags", lambda: torch.ops.c.d2.default.tags)
torch.library.impl("c::d", "cpu")(lambda x: x + 1)
t("call", lambda: torch.ops.c.d(torch.ones(1)))
# no grad skips
calls = []


@torch.library.custom_op("c::ng", mutates_args=[])
def ng(x: torch.Tensor) -> torch.Tensor:
    return x + 1


ng.register_autograd(lambda ctx, g: g, setup_context=lambda ctx, inputs, output: calls.append(1))
with torch.no_grad():
    ng(x)
ng(x.detach())
print("calls", len(calls))
ng(x)
print(len(calls))


# mutation
@torch.library.custom_op("c::mut", mutates_args={"x"})
def mut(x: torch.Tensor) -> None:
    x.add_(1)


m = torch.zeros(2)
v = m._version
mut(m)
print(m, m._version > v)


@torch.library.custom_op("c::mut2", mutates_args="unknown")
def mut2(x: torch.Tensor) -> None:
    x.add_(1)


m = torch.zeros(2)
v = m._version
mut2(m)
print(m, m._version > v)


@torch.library.custom_op("c::factory", mutates_args=[])
def factory(s: int, device: torch.device) -> torch.Tensor:
    return torch.ones(s)


t("factory", lambda: factory(2, torch.device("cpu")))
t(
    "schema err",
    lambda: torch.library.custom_op("c::bad2", lambda x: x, mutates_args=[], schema="(Tensor(a!) x) -> Tensor"),
)


def kw(x: torch.Tensor, *, y: torch.Tensor) -> torch.Tensor:
    return x + y


t("kw", lambda: torch.library.custom_op("c::kw", kw, mutates_args=[]))
