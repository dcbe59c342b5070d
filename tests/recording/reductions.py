"""Expressions about reductions, norms, scans, sorting, searching and statistics, with what PyTorch gave for them.

The table has a subject, an expression, an outcome: an error's type and first line, the dtype, shape and elements of a tensor,
or a list of these; in "gradients" the gradient and the gradient of the gradient; in "graphs" the nodes behind a result.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..support.outcomes import headline, history
from .origin import one_thread, write


def scattered(torch: Any, *shape: int, ties: int = 0) -> Any:
    """Numbers in no order, the same everywhere; `ties`: that many different ones."""
    n = math.prod(shape)
    values = [((k * 7919 + 13) % 1009) for k in range(n)]
    values = [v % ties - ties // 2 for v in values] if ties else [(v - 500) / 250 for v in values]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def names(torch: Any) -> dict[str, Any]:
    """What the expressions may use."""
    x = scattered(torch, 4, 6).float()
    hole = [[1.0, float("nan"), 3], [float("nan")] * 3, [float("inf"), 2, -1], [0.0, -0.0, 0]]
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "inf": float("inf"),
        "x": x,
        "v": scattered(torch, 12).float(),
        "d": scattered(torch, 3, 5, 2),
        "long": scattered(torch, 3, 40).float(),
        "tie": scattered(torch, 3, 40, ties=5).float(),
        "few": scattered(torch, 5, 7, ties=4).float(),
        "i": scattered(torch, 5, 7, ties=6).long(),
        "u8": scattered(torch, 5, 7, ties=6).abs().to(torch.uint8),
        "b": scattered(torch, 5, 7, ties=3) > 0,
        "h": x.half(),
        "bf": x.bfloat16(),
        "c": torch.complex(x, x.flip(1)),
        "hole": torch.tensor(hole),
        "e": torch.zeros(0, 3),
        "s": torch.tensor(2.5),
        "idx": torch.tensor([3, 1, 2, 1]),
    }


FOLDS = "sum mean nansum nanmean prod amax amin argmax argmin all any std var median nanmedian norm max min logsumexp"
ALONG = "cumsum cumprod cummax cummin logcumsumexp softmax log_softmax mode sort argsort"


def value_expressions() -> list[str]:
    found = []
    for name in "x v d few i u8 b h bf c hole e s".split():
        dims = [0] if name in ("v", "s") else [0, -1]
        for f in FOLDS.split():
            if f not in ("logsumexp",):
                found.append(f"{name}.{f}()")
            found += [f"{name}.{f}(dim={k})" for k in dims]
            found.append(f"{name}.{f}(dim=0, keepdim=True)")
        found += [f"{name}.{f}({k})" for f in ALONG.split() for k in dims]
        found += [
            f"{name}.{call}"
            for call in (
                "sum((0, -1))", "amax((0, -1))", "sum(dtype=torch.float64)", "aminmax()", "count_nonzero()", "msort()",
                "topk(1)", "topk(2, 0)", "kthvalue(1)", "unique(return_inverse=True, return_counts=True)", "quantile(0.3)",
                "nanquantile(0.6, 0)", "histc(4)", "renorm(2, 0, 1.0)", "diff()", "norm(1)", "norm(3, 0)", "norm(inf)",
                "sort(descending=True)", "sort(stable=True)", "unique_consecutive()", "cumsum(0, dtype=torch.float64)",
            )
        ]  # fmt: skip
        found += [f"torch.{f}({name})" for f in ("std_mean", "var_mean", "cov", "trapezoid", "gradient", "linalg.norm")]
    found += [f"long.{f}({k})" for f in ("softmax", "log_softmax", "norm", "sum", "mean") for k in ("dim=1", "dim=0")]
    return found + OTHERS.strip().splitlines()


OTHERS = """
x.std(0, unbiased=False)
x.var(False)
x.std(1, correction=2)
x.sum(0, dtype=torch.float64)
i.sum(dtype=torch.int32)
x.softmax(0, dtype=torch.float64)
x.quantile(torch.tensor([0.1, 0.5, 0.9]), 1)
x.quantile(torch.tensor([0.1, 0.5]), 1, True)
x.quantile(0.3, interpolation='lower')
x.quantile(0.3, interpolation='midpoint')
x.quantile(0.3, interpolation='nearest')
torch.linalg.matrix_norm(x, 1)
torch.linalg.matrix_norm(x, -inf, keepdim=True)
torch.linalg.matrix_norm(d, 'fro', (0, 2))
torch.linalg.matrix_norm(x, 2)
torch.linalg.matrix_norm(x, 'nuc', keepdim=True)
torch.linalg.vector_norm(x, 0)
torch.linalg.vector_norm(x, 2.5, 1, True)
torch.dist(x, x.flip(0), 3)
torch.trapezoid(x, x.sort()[0])
torch.trapezoid(x, dx=0.5, dim=0)
torch.cumulative_trapezoid(x)
torch.cumulative_trapezoid(x, v[:6])
torch.gradient(x, spacing=(0.5, 2.0))
torch.gradient(v, spacing=(v.sort()[0],), edge_order=2)
torch.gradient(x, dim=1, edge_order=2)
x.diff(2, 0)
x.diff(prepend=x[:, :2], append=x[:, :1])
torch.searchsorted(v.sort()[0], x)
torch.searchsorted(x.sort()[0], x, right=True)
torch.searchsorted(v, 0.5, sorter=v.argsort())
torch.bucketize(x, torch.tensor([-1.0, 0, 1]))
torch.bucketize(i, torch.tensor([-1, 0, 1]), right=True, out_int32=True)
torch.isin(i, torch.tensor([1, 2]))
torch.isin(i, 1, invert=True)
x.histogram(3)
v.histogram(torch.tensor([-2.0, 0, 1, 2]), density=True)
torch.histogramdd(x[:, :2], [2, 3])
idx.bincount()
idx.bincount(torch.tensor([0.5, 1, 2, 3]), minlength=6)
i.unique(dim=0, return_inverse=True, return_counts=True)
i.unique_consecutive(return_inverse=True, return_counts=True, dim=1)
x.cov(fweights=torch.tensor([1, 2, 1, 1, 3, 1]), correction=0)
x.corrcoef()
c.cov()
x.sum_to_size(1, 6)
torch.max(x, x.flip(0))
x.max(axis=1)
x.sum(axis=1, keepdims=True)
torch.sum(input=x, dim=0)
x.std((0, 1), keepdim=True)
torch.max(x, other=x.flip(0))
torch.max(input=x, dim=0)
x.var(0, True, True)
torch.std(x, 0, keepdim=True, correction=0)
x.sort(descending=True, dim=0)
x.clone().cumsum_(0)
x.clone().cumprod_(1)
x.clone().renorm_(2, 0, 0.5)
torch.softmax(x, 1, out=torch.zeros(4, 6))
torch.amax(x, 1, out=torch.zeros(4))
torch.max(x, 1).indices
x.sum(out=torch.empty(0))
torch.sort(v, out=(torch.empty(12), torch.empty(12, dtype=torch.long)))
torch.max(x, 0, out=(torch.empty(6), torch.empty(6, dtype=torch.long)))
"""

TIES = [
    f"{name}.{call}"
    for name in ("tie", "tie.long()", "few", "i")
    for call in (
        "sort(1)", "sort(dim=1, descending=True)", "argsort(1)", "sort(dim=1, stable=True)", "topk(1)", "topk(3)",
        "topk(4, largest=False)", "kthvalue(3)", "median(1)", "mode(1)", "max(1)", "min(1)", "argmax(1)", "cummax(1)",
        "cummin(1)",
    )
]  # fmt: skip

ERRORS = """
i.mean()
i.mean(dtype=torch.int64)
x.sum(3)
x.sum((0, 0))
x.sum('a')
x.sum(0, 1)
x.sum(keepdim=True)
x.sum(foo=1)
x.sum(0, True, 3)
torch.sum(3)
x.prod((0, 1))
e.max()
e.max(0)
e.argmax()
e.argmax(0)
e.amax()
e.amax(0)
e.aminmax()
e.aminmax(dim=0)
c.max()
c.max(0)
c.argmax()
c.amax()
b.argmax()
x.max((0, 1))
x.max(keepdim=True)
i.std()
torch.var_mean(i)
x.std(0, unbiased=False, correction=1)
x.softmax()
x.softmax(2)
i.softmax(0)
i.log_softmax(1)
i.cumsum()
x.cumsum(2)
c.cummax(0)
i.logcumsumexp(0)
c.sort()
x.sort(True)
x.sort(dim=5)
x.topk(7)
b.topk(1)
c.topk(1)
x.kthvalue(0)
e.kthvalue(1, 0)
b.kthvalue(1)
e.median(0)
c.median()
e.mode(0)
i.quantile(0.5)
x.quantile(1.5)
x.quantile(0.5, interpolation='foo')
e.quantile(0.5)
x.quantile(torch.zeros(1, 1))
i.norm()
x.norm('foo')
torch.linalg.matrix_norm(s)
torch.linalg.matrix_norm(x, 3)
torch.linalg.matrix_norm(x, dim=(0, 0))
torch.linalg.norm(d, 2)
torch.linalg.vector_norm(e, inf)
torch.linalg.vector_norm(x, 2, dtype=torch.float16)
torch.renorm(s, 2, 0, 1.0)
torch.renorm(x, -1, 0, 1.0)
torch.dist(i, i)
i.nanmean()
c.nansum()
x.diff(n=-1)
s.diff()
torch.trapezoid(s)
torch.trapezoid(x, torch.zeros(5))
torch.cumulative_trapezoid(b)
torch.gradient(x[:1])
torch.gradient(x, edge_order=3)
torch.searchsorted(x, torch.zeros(3))
torch.searchsorted(v, x, side='foo')
torch.searchsorted(s, x)
torch.bucketize(x, x)
i.histc()
x.histc(0)
x.histc(3, 2, 1)
x.histogram(3, range=(2.0, 1.0))
x.bincount()
i.bincount()
torch.isin(x, c)
torch.cov(d)
torch.cov(b)
torch.cov(x, fweights=torch.tensor([1, 2]))
torch.corrcoef(d)
torch.unique(c)
e.unique(dim=1)
torch.max()
torch.max(3)
x.sort(1, 2)
x.cumsum('a')
x.argmax(1.5)
x.topk(2.5)
x.sum(True)
""".strip().splitlines()

DIFFERENTIABLE = """
z.sum()
z.sum(0)
z.mean((0, 1), keepdim=True)
z.nansum(1)
z.nanmean()
z.prod()
z.prod(0)
z.prod(1, keepdim=True)
z.max()
z.min(1)[0]
z.max(0, keepdim=True)[0]
z.amax(1)
z.amin((0, 1))
z.aminmax(dim=0)[0]
z.std()
z.std(0)
z.var(1, correction=0)
torch.var_mean(z, 0)[1] * torch.var_mean(z, 0)[0]
torch.std_mean(z)[0]
z.median()
z.median(1)[0]
z.nanmedian(0)[0]
z.mode(1)[0]
z.quantile(0.3, 1)
z.quantile(torch.tensor([0.2, 0.7], dtype=torch.float64))
z.nanquantile(0.4)
z.logsumexp(0)
z.logsumexp((0, 1))
z.softmax(0)
z.softmax(1)
z.log_softmax(1)
F.softmin(z, 0)
z.cumsum(0)
z.cumprod(1)
z.cumprod(0)
z.cummax(1)[0]
z.cummin(0)[0]
z.logcumsumexp(1)
z.norm()
z.norm(1)
z.norm(3, 0)
z.norm(1.5, 1, True)
z.norm(inf)
z.norm(-inf, 0)
z.norm(0.5)
z.norm(0)
torch.linalg.matrix_norm(z, 1)
z.renorm(2, 0, 1.0)
torch.dist(z, z.flip(0))
torch.dist(z, z.detach() + 1, 3)
z.diff(2)
torch.trapezoid(z)
torch.trapezoid(z, z.detach().sort()[0])
torch.cumulative_trapezoid(z, dx=0.5)
torch.gradient(z)[0] * torch.gradient(z)[1]
z.sort()[0]
z.sort(0, True)[0]
z.msort()
z.topk(2)[0]
z.kthvalue(2, 0)[0]
z.cov()
z.corrcoef()
z.sum_to_size(1, 4)
z.sum(dtype=torch.float32)
""".strip().splitlines()

POINTS = {
    "smooth": [[0.5, -1.2, 2.0, 0.3], [1.1, 0.7, -0.4, -2.1], [-0.8, 1.9, 0.2, 1.4]],
    "tied": [[1.0, 2.0, 2.0, -1.0], [0.0, 2.0, 0.0, -1.0], [1.0, 3.0, 3.0, 0.0]],
}


def simple(torch: Any, value: Any) -> Any:
    """A result as JSON."""
    if isinstance(value, torch.Tensor):
        value = value.detach().clone()
        numbers = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
        if value.is_complex():
            numbers = torch.view_as_real(value)
        return [str(value.dtype), list(value.shape), [repr(n) for n in numbers.reshape(-1).tolist()]]
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [simple(torch, part) for part in value]}
    return repr(value)


def outcome(torch: Any, expression: str, space: dict) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return simple(torch, eval(expression, dict(space)))
        except Exception as error:
            return headline(error)


def gradients(torch: Any, expression: str, point: str) -> list:
    """The gradient of the weighted result, and that of the weighted gradient."""
    z = torch.tensor(POINTS[point], dtype=torch.float64, requires_grad=True)
    value = eval(expression, {"torch": torch, "F": torch.nn.functional, "z": z, "inf": float("inf")})
    weights = torch.arange(1.0, 1 + value.numel(), dtype=torch.float64).reshape(value.shape).cos()
    (first,) = torch.autograd.grad((value * weights).sum(), z, create_graph=True, allow_unused=True)
    if first is None or not first.requires_grad:
        return [None if first is None else simple(torch, first), None]
    weights = torch.arange(1.0, 13.0, dtype=torch.float64).reshape(3, 4).sin()
    (second,) = torch.autograd.grad((first * weights).sum(), z, allow_unused=True)
    return [simple(torch, first), None if second is None else simple(torch, second)]


def graph(torch: Any, expression: str) -> str:
    z = torch.tensor(POINTS["smooth"], dtype=torch.float64, requires_grad=True)
    value = eval(expression, {"torch": torch, "F": torch.nn.functional, "z": z, "inf": float("inf")})
    return history(value.grad_fn, 6)


def record() -> None:
    import torch

    one_thread()
    space = names(torch)
    write("reductions", "reductions", [
        *(["values", text, outcome(torch, text, space)] for text in value_expressions()),
        *(["ties", text, outcome(torch, text, space)] for text in TIES),
        *(["errors", text, outcome(torch, text, space)] for text in ERRORS),
        *(["gradients", f"{p}: {text}", gradients(torch, text, p)] for p in POINTS for text in DIFFERENTIABLE),
        *(["graphs", text, graph(torch, text)] for text in DIFFERENTIABLE),
    ])  # fmt: skip
