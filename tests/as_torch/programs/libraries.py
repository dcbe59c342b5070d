# ruff: noqa
"""Libraries of operators: overloads, kernels by the key they are for, schemas, operators that go with their library."""

import warnings

import torch
from torch.library import Library, impl


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:200].split("\n")[0])


lib = Library("one", "FRAGMENT")
print(
    lib.define("f(Tensor x) -> Tensor"),
    lib.define("f.two(Tensor x, Tensor y) -> Tensor"),
    lib.define("f.n(Tensor x, int n) -> Tensor"),
)
lib.impl("f", lambda x: x + 1, "CPU")
lib.impl("f.two", lambda x, y: x + y, "CPU")
lib.impl(torch.ops.one.f.n, lambda x, n: x * n, "CPU")
x = torch.arange(3.0)
print(torch.ops.one.f.overloads())
print(
    torch.ops.one.f(x),
    torch.ops.one.f(x, x),
    torch.ops.one.f(x, 4),
    torch.ops.one.f.two(x, x),
    torch.ops.one.f.default(x),
)
t("no overload", lambda: torch.ops.one.f(x, "s"))
t("absent form", lambda: torch.ops.one.f.three)
t("absent", lambda: torch.ops.one.g)
t(
    "repr",
    lambda: (torch.ops.one.f, torch.ops.one.f.two, str(torch.ops.one.f.two), torch.ops.one.f.two.name(), torch.ops.one),
)
s = torch.ops.one.f.two._schema
print(s, s.name, s.overload_name, [(a.name, str(a.type)) for a in s.arguments], [str(r.type) for r in s.returns])
lib.define("g(Tensor(a!) x, Tensor[] y, float k=2.5, *, int? n=None, str mode='sum') -> (Tensor, Tensor)")
s = torch.ops.one.g.default._schema
print(s, s.is_mutable)
for a in s.arguments:
    print(
        a.name,
        a.type,
        a.default_value,
        a.has_default_value(),
        a.kwarg_only,
        a.alias_info is not None and a.alias_info.is_write,
    )
print(
    torch.ops.one.f.default.namespace,
    torch.ops.one.f.default._opname,
    torch.ops.one.f.default.overloadpacket is torch.ops.one.f,
)


# the argument itself
lib.define("same(Tensor x) -> Tensor")
lib.impl("same", lambda x: x, "CPU")
print(torch.ops.one.same(x) is x or torch.equal(torch.ops.one.same(x), x))

# wrong ways
t("kind", lambda: Library("one", "BLA"))
t("reserved", lambda: Library("prim", "DEF"))
t("no function", lambda: lib.impl("f", [], "CPU"))
t("no name", lambda: lib.impl(3, lambda x: x, "CPU"))
t("types", lambda: lib.define("h(asdf x) -> Tensor"))
t("alias", lambda: lib.define("h(Tensor x) -> Tensor", "PURE_FUNCTION"))
t("space", lambda: Library("two", "DEF").impl(torch.ops.one.f.default, lambda x: x, "CPU"))
t("override", lambda: lib.impl("f", lambda x: x, "CPU", allow_override=False))
t("no kernel", lambda: torch.ops.one.g(x, [x]))
t("twice", lambda: lib.define("f(Tensor x) -> Tensor"))
t("key", lambda: lib.impl("f", lambda x: x, "Nothing"))
t("undefined", lambda: lib.impl("nothing", lambda x: x, "CPU"))

# gradients
lib.define("sq(Tensor x) -> Tensor")


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.one.sq(x)

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]


lib.impl("sq", Square.apply, "Autograd")
lib.impl("sq", lambda x: x * x, "CPU")
lib.impl("sq", lambda x: torch.empty_like(x), "Meta")
y = x.clone().requires_grad_()
r = torch.ops.one.sq(y)
print(r, torch.autograd.grad(r.sum(), y), torch.ops.one.sq(x.to("meta")))
with torch.no_grad():
    print(torch.ops.one.sq(y).requires_grad)

lib.define("made(Tensor x) -> Tensor")
lib.impl("made", lambda x: x.sin() * 2, "CompositeImplicitAutograd")
print(torch.ops.one.made(y).grad_fn.name(), torch.autograd.grad(torch.ops.one.made(y).sum(), y))
lib.define("bare(Tensor x) -> Tensor")
lib.impl("bare", lambda x: x.sin() * 2, "CPU")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    r = torch.ops.one.bare(y)
    t("bare", lambda: (r.requires_grad, torch.autograd.grad(r.sum(), y)))
    print([str(w.message)[:150] for w in caught])
lib.define("expl(Tensor x) -> Tensor")
lib.impl("expl", lambda x: x.sin() * 2, "CompositeExplicitAutograd")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    r = torch.ops.one.expl(y)
    t("expl", lambda: (r.requires_grad, torch.autograd.grad(r.sum(), y)))
    print([str(w.message)[:150] for w in caught])
lib.define("reg(Tensor x) -> Tensor")
lib.impl("reg", lambda x: x.sin(), "CPU")
torch.library.register_autograd("one::reg", lambda ctx, g: g * 3, lib=lib)
print(torch.autograd.grad(torch.ops.one.reg(y).sum(), y))

# forms without data
lib.define("form(Tensor x) -> Tensor")
lib._register_fake("form", lambda x: x.new_empty(7))
print(torch.ops.one.form(x.to("meta")).shape)

# decorators
two = Library("two", "DEF")
two.define("a(Tensor x) -> Tensor")


@impl(two, "a", "CPU")
def a(x):
    return x + 10


print(torch.ops.two.a(x))


@torch.library.define(two, "b(Tensor x) -> Tensor")
def b(x):
    return x + 20


print(torch.ops.two.b(x), b.__name__)
key = Library("two", "IMPL", "CPU")
two.define("c(Tensor x) -> Tensor")
key.impl("c", lambda x: x + 30)
print(torch.ops.two.c(x), key)
t("other key", lambda: key.impl("c", lambda x: x, "Meta"))
with_keys = []
two.define("k(Tensor x) -> Tensor")
two.impl("k", lambda keys, x: with_keys.append(type(keys).__name__) or x + 1, "CPU", with_keyset=True)
print(torch.ops.two.k(x), with_keys)

# gone with their library
with torch.library._scoped_library("three", "FRAGMENT") as third:
    third.define("a(Tensor x) -> Tensor")
    third.impl("a", lambda x: x, "CPU")
    print(hasattr(torch.ops.three, "a"))
print(hasattr(torch.ops.three, "a"))
