# ruff: noqa
"""Functions of a program's own, differentiated forwards: what they save, change, return."""

import torch
from torch.autograd import Function
from torch.autograd import forward_ad as fwAD


def tried(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


class Doubled(Function):
    """Changes its argument in place, and the tangent, unless it is told not to."""

    @staticmethod
    def forward(ctx, x, apart):
        ctx.mark_dirty(x)
        ctx.apart = apart
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return 2 * g, None

    @staticmethod
    def jvp(ctx, t, _):
        return 2 * t if ctx.apart else t.mul_(2)


class Kept(Function):
    """Keeps other tensors for each direction."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x

    @staticmethod
    def jvp(ctx, t, u):
        (y,) = ctx.saved_tensors
        return t * y


class KeptBackward(Function):
    """Keeps nothing for its jvp."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * len(ctx.saved_tensors)

    @staticmethod
    def jvp(ctx, t):
        print("kept for jvp", len(ctx.saved_tensors))
        return t


class Part(Function):
    """A view of its argument, whose tangent is one, or not."""

    @staticmethod
    def forward(ctx, x, how):
        ctx.how, ctx.shape = how, x.shape
        return x.narrow(0, 0, 2)

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, g.new_zeros(ctx.shape[0] - 2)]), None

    @staticmethod
    def jvp(ctx, t, _):
        found = t.narrow(0, 0, 2)
        if ctx.how != "view":
            found = found.clone()
        return found.view_as(found) if ctx.how == "other" else found


class Unmarked(Function):
    """Two results, of which the second has no gradient."""

    @staticmethod
    def forward(ctx, x, y, wrong):
        out = y.clone()
        ctx.wrong = wrong
        ctx.mark_non_differentiable(out)
        return x.clone(), out

    @staticmethod
    def jvp(ctx, t, u, _):
        return t, t.clone() if ctx.wrong else None


class Several(Function):
    """A tensor, something else, another tensor."""

    @staticmethod
    def forward(ctx, x):
        return x.clone(), "text", x * 2

    @staticmethod
    def jvp(ctx, t):
        return t, None, 2 * t


def pushed(function, *args):
    with fwAD.dual_level():
        found = function(fwAD.make_dual(args[0], torch.ones_like(args[0])), *args[1:])
        found = found if isinstance(found, tuple) else (found,)
        return [fwAD.unpack_dual(each).tangent if isinstance(each, torch.Tensor) else each for each in found]


x = torch.tensor([1.0, 2.0, 3.0])
for wanted in (False, True):
    at = x.clone().requires_grad_(wanted)
    tried("doubled", lambda: pushed(lambda v: Doubled.apply(v.clone(), False), at))
    tried("doubled apart", lambda: pushed(lambda v: Doubled.apply(v.clone(), True), at))
    tried("kept", lambda: pushed(Kept.apply, at, torch.tensor([2.0, 3.0, 4.0])))
    tried("kept backward", lambda: pushed(KeptBackward.apply, at))
    for how in ("view", "none", "other"):
        tried("part " + how, lambda: pushed(Part.apply, at, how))
        tried("part of a view " + how, lambda: pushed(lambda v: Part.apply(v.view_as(v), how), at))
    tried("unmarked", lambda: pushed(Unmarked.apply, at, x.clone(), False))
    tried("unmarked wrong", lambda: pushed(Unmarked.apply, at, x.clone(), True))
    tried("several", lambda: pushed(Several.apply, at))
at = x.clone().requires_grad_()
y = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
Kept.apply(at, y).sum().backward()
print(at.grad, y.grad)
KeptBackward.apply(at).sum().backward()
print(at.grad)


# A function that changes the tangents is found out, whichever argument it is of.
def spoiled(a, b):
    if fwAD._current_level >= 0:
        primal, tangent = fwAD.unpack_dual(b)
        b = fwAD.make_dual(primal, tangent * 1.1)
    return a + b, b


a, b = (torch.rand(2, dtype=torch.double, requires_grad=True) for _ in range(2))
tried("sound", lambda: torch.autograd.gradcheck(lambda a, b: (a + b, b), (a, b), check_forward_ad=True))
tried("spoiled", lambda: torch.autograd.gradcheck(spoiled, (a, b), check_forward_ad=True))


class Same(Function):
    """A view, whose tangent is the argument's as it came."""

    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs, None)

    @staticmethod
    def vjp(ctx, g):
        return g

    @staticmethod
    def jvp(ctx, dx):
        print(len(ctx.saved_for_forward), ctx.saved_for_forward[1])
        return dx


class SameAlone(Same):
    jvp = Function.jvp


class Neither(Same):
    vjp = Function.vjp


class Flat(Doubled):
    """No view, with a tangent that is one."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, dx):
        return (dx * 2).view(-1)


x = torch.ones(2)
tried("view of a view", lambda: pushed(lambda v: Same.apply(v.view(1, 2)), x))
tried("view of a part", lambda: pushed(lambda v: Same.apply((v * 2).select(0, 0)), x))
tried("view of a dual", lambda: pushed(Same.apply, x))
tried("view of a function", lambda: pushed(lambda v: Same.apply(Flat.apply(v)), x))
tried("transformed", lambda: torch.func.jvp(Same.apply, (x,), (x,)))
tried("without jvp", lambda: pushed(SameAlone.apply, x))
for function in (SameAlone, Neither):
    tried("backward", lambda: torch.autograd.grad(function.apply(at).sum(), at))
tried("jvp", lambda: Function.jvp(None, x))
tried("vjp", lambda: Function.vjp(None, x))
tried("kept", lambda: SameAlone._backward_cls().save_for_forward(3))
