"""A sweep of all public operators: each at three sizes, of several types, contiguous and in steps, forward and backward.

The operators are those of the table (`tensorsh.assist.operator_tables`). What an operator is called with stands in `CALLS`, or is the
first of a few usual calls that it takes. Both libraries run the same text on the same numbers; a call that one of them
refuses is no row.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator

from .cases import Case
from .engines import Engine, Times, measure
from .tables import shown

SIDES = {"16": 4, "1e4": 100, "1e6": 1000}
"""Elements of `x`, and the side of the square that it is."""

IMAGES = {4: (1, 1, 4, 4), 100: (2, 4, 35, 35), 1000: (8, 16, 88, 88)}

SETUP = """\
torch.manual_seed(0)
F, s = torch.nn.functional, {side}
def numbers(*shape):
    t = torch.rand(*shape, dtype=torch.float64) * 0.8 + 0.1
    return (t * 10).long() if "{kind}" == "int64" else t.to(torch.{kind})
def laid(t):
    return t if "{layout}" == "contiguous" else torch.stack([t, t], -1)[..., 0]
x, y, z = (laid(numbers(s, s)) for _ in range(3))
v, u = laid(numbers(s * s)), laid(numbers(s * s))
a = laid(numbers(*{image}))
w = numbers(a.shape[1], a.shape[1], 3, 3)
T = laid(numbers(8, max(s * s // 256, 2), 32))
V = a.reshape(a.shape[0], a.shape[1], 1, *a.shape[2:])
C = a.reshape(a.shape[0], a.shape[1], -1)
i, k, K = torch.randint(0, s, (s, s)), torch.randint(0, s, (s,)), torch.randint(0, max(s * s // 10, 1), (s * s,))
m, n, bins = x > 0.5, torch.tensor(2), torch.linspace(0.1, 0.9, 9).to(x.dtype)
side = min(s, 200)
P = numbers(side, side)
if P.dtype in (torch.float32, torch.float64):
    P = P @ P.t() / side + torch.eye(side, dtype=P.dtype)
    L, pivots = torch.linalg.lu_factor(P)
    Z = torch.complex(x, y)
    theta = torch.eye(2, 3, dtype=x.dtype).expand(a.shape[0], 2, 3)
    grid = F.affine_grid(theta, list(a.shape), align_corners=False) * 0.9
"""

_USUAL = (
    "f(x)", "f(x, y)", "f(x, 0)", "f(x, 2)", "f([x, y])", "f(x, y, z)", "f(i)", "f(i, i)", "f(x, 0, k)", "f(x, m)", "f(x, 0, 0)",
    "f(x, (0, 1))", "f(x, x.shape)", "f(Z)", "f(a)", "f(a, 2)", "f(a, (2, 2))", "f(V, 2)", "f(C)", "f(C, 2)", "f(v)", "f(v, u)", "f(v, 2)",
    "f(x, v)", "f(x, i)", "f(s)", "f(s, s)", "f((s, s))", "f(2, x)",
)  # fmt: skip
_OF_MATRICES = ("f(P)", "f(P, P)", "f(P, 2)", "f(P, P, P)", "f(P, P[0])", "f(P, P[0], P[0])", "f([P, P])")

CALLS = {
    "addbmm": "torch.addbmm(x, x.unsqueeze(0), y.unsqueeze(0))",
    "addmm": "torch.addmm(x, y, z)",
    "addmv": "torch.addmv(x[0], x, y[0])",
    "addr": "torch.addr(x, y[0], z[0])",
    "baddbmm": "torch.baddbmm(x.unsqueeze(0), y.unsqueeze(0), z.unsqueeze(0))",
    "bmm": "torch.bmm(x.unsqueeze(0), y.unsqueeze(0))",
    "dot": "torch.dot(v, u)",
    "vdot": "torch.vdot(v, u)",
    "mv": "torch.mv(x, y[0])",
    "outer": "torch.outer(x[0], y[0])",
    "ger": "torch.outer(x[0], y[0])",
    "kron": "torch.kron(x[:, :2], y[:2, :2])",
    "einsum": "torch.einsum('ij,jk->ik', x, y)",
    "tensordot": "torch.tensordot(x, y, 1)",
    "bilinear": "F.bilinear(x[:, :4], y[:, :4], P[:4, :4].unsqueeze(0))",
    "nn.functional.linear": "F.linear(x, y, z[0])",
    "gather": "torch.gather(x, 1, i)",
    "take_along_dim": "torch.take_along_dim(x, i, 1)",
    "take": "torch.take(x, K)",
    "put": "torch.put(x, K, v)",
    "scatter": "torch.scatter(x, 1, i, y)",
    "scatter_add": "torch.scatter_add(x, 1, i, y)",
    "scatter_reduce": "torch.scatter_reduce(x, 1, i, y, 'amax')",
    "index_select": "torch.index_select(x, 0, k)",
    "index_add": "torch.index_add(x, 0, k, y)",
    "index_copy": "torch.index_copy(x, 0, k, y)",
    "index_fill": "torch.index_fill(x, 0, k, 0.5)",
    "index_put": "torch.index_put(x, (k,), y)",
    "index_reduce": "torch.index_reduce(x, 0, k, y, 'amax')",
    "masked_fill": "torch.masked_fill(x, m, 2)",
    "masked_scatter": "torch.masked_scatter(x, m, y)",
    "masked_select": "torch.masked_select(x, m)",
    "where": "torch.where(m, x, y)",
    "select": "torch.select(x, 0, 1)",
    "narrow": "torch.narrow(x, 0, 1, 2)",
    "unflatten": "torch.unflatten(x, 0, (2, -1))",
    "repeat_interleave": "torch.repeat_interleave(x, 2)",
    "Tensor.repeat": "x.repeat(1, 2)",
    "tile": "torch.tile(x, (1, 2))",
    "roll": "torch.roll(x, 2, 0)",
    "diff": "torch.diff(x)",
    "searchsorted": "torch.searchsorted(bins, x)",
    "bucketize": "torch.bucketize(x, bins)",
    "bincount": "torch.bincount(K)",
    "isin": "torch.isin(x, x[0, :4])",
    "quantile": "torch.quantile(x, 0.3)",
    "nanquantile": "torch.nanquantile(x, 0.3)",
    "kthvalue": "torch.kthvalue(x, 2)",
    "logsumexp": "torch.logsumexp(x, 1)",
    "logcumsumexp": "torch.logcumsumexp(x, 1)",
    "softmax": "torch.softmax(x, 1)",
    "log_softmax": "torch.log_softmax(x, 1)",
    "nn.functional.log_softmax": "F.log_softmax(x, 1)",
    "nn.functional.softmax": "F.softmax(x, 1)",
    "acosh": "torch.acosh(x + 1)",
    "clamp": "torch.clamp(x, 0.2, 0.8)",
    "lerp": "torch.lerp(x, y, 0.3)",
    "polygamma": "torch.polygamma(1, x)",
    "multinomial": "torch.multinomial(x, 2)",
    "poisson": "torch.poisson(x)",
    "normal": "torch.normal(x, y)",
    "binomial": "torch.binomial(x * 10, y)",
    "randint": "torch.randint(0, 9, (s, s))",
    "randperm": "torch.randperm(s * s)",
    "arange": "torch.arange(s * s)",
    "linspace": "torch.linspace(0, 1, s * s)",
    "full": "torch.full((s, s), 2.0)",
    "nn.functional.one_hot": "F.one_hot(k, s)",
    "nn.functional.embedding": "F.embedding(i, x)",
    "embedding": "torch.embedding(x, i)",
    "nn.functional.embedding_bag": "F.embedding_bag(i, x)",
    "nn.functional.cross_entropy": "F.cross_entropy(x, k)",
    "nn.functional.nll_loss": "F.nll_loss(x, k)",
    "nn.functional.multi_margin_loss": "F.multi_margin_loss(x, k)",
    "nn.functional.gaussian_nll_loss": "F.gaussian_nll_loss(x, y, z)",
    "nn.functional.triplet_margin_loss": "F.triplet_margin_loss(x, y, z)",
    "nn.functional.margin_ranking_loss": "F.margin_ranking_loss(v, u, u)",
    "nn.functional.cosine_embedding_loss": "F.cosine_embedding_loss(x, y, y[0])",
    "nn.functional.ctc_loss": "F.ctc_loss(F.log_softmax(T.transpose(0, 1), 2), i[:1, :2].clamp(1).expand(8, 2), [T.shape[1]] * 8, [1] * 8)",
    "nn.functional.scaled_dot_product_attention": "F.scaled_dot_product_attention(T, T, T)",
    "nn.functional.layer_norm": "F.layer_norm(x, (s,), y[0], z[0])",
    "layer_norm": "torch.layer_norm(x, (s,), y[0], z[0])",
    "rms_norm": "torch.rms_norm(x, (s,))",
    "group_norm": "torch.group_norm(a, 1)",
    "instance_norm": "F.instance_norm(a)",
    "nn.functional.batch_norm": "F.batch_norm(a, None, None, training=True)",
    "nn.functional.local_response_norm": "F.local_response_norm(a, 2)",
    "conv1d": "torch.conv1d(C, w[..., 0], padding=1)",
    "conv2d": "torch.conv2d(a, w, padding=1)",
    "conv3d": "torch.conv3d(V, w.unsqueeze(2), padding=(0, 1, 1))",
    "conv_transpose1d": "torch.conv_transpose1d(C, w[..., 0])",
    "conv_transpose2d": "torch.conv_transpose2d(a, w)",
    "conv_transpose3d": "torch.conv_transpose3d(V, w.unsqueeze(2))",
    "convolution": "torch.conv2d(a, w, stride=2, padding=1)",
    "conv_tbc": "torch.conv_tbc(T, P[:4, :4].repeat(8, 8).unsqueeze(0), P[:4, :4].repeat(1, 8)[0])",
    "nn.functional.max_pool2d_with_indices": "F.max_pool2d(a, 2)",
    "nn.functional.max_pool3d_with_indices": "F.max_pool3d(V, (1, 2, 2))",
    "max_pool1d": "torch.max_pool1d(C, 2)",
    "nn.functional.max_pool1d_with_indices": "F.max_pool1d(C, 2, return_indices=True)",
    "max_pool2d": "torch.max_pool2d(a, 3, 2, 1)",
    "max_pool3d": "torch.max_pool3d(V, (1, 3, 3), (1, 2, 2))",
    "nn.functional.avg_pool2d": "F.avg_pool2d(a, 2)",
    "nn.functional.avg_pool3d": "F.avg_pool3d(V, (1, 2, 2))",
    "nn.functional.lp_pool2d": "F.lp_pool2d(a, 2, 2)",
    "nn.functional.interpolate": "F.interpolate(a, scale_factor=2)",
    "nn.functional.upsample": "F.interpolate(a, scale_factor=1.5, mode='bicubic')",
    "nn.functional.upsample_bilinear": "F.interpolate(a, scale_factor=2, mode='bilinear')",
    "nn.functional.grid_sample": "F.grid_sample(a, grid, align_corners=False)",
    "nn.functional.affine_grid": "F.affine_grid(theta, list(a.shape), align_corners=False)",
    "nn.functional.pad": "F.pad(a, (1, 1, 1, 1), 'reflect')",
    "constant_pad_nd": "F.pad(a, (1, 1, 1, 1))",
    "nn.functional.fold": "F.fold(F.unfold(a, 3), a.shape[2:], 3)",
    "nn.functional.unfold": "F.unfold(a, 3, padding=1)",
    "pixel_shuffle": "torch.pixel_shuffle(a.flatten(0, 1).unsqueeze(0)[:, :a.shape[0] * a.shape[1] // 4 * 4 or 1], 2 if a.shape[1] > 1 else 1)",
    "channel_shuffle": "torch.channel_shuffle(a, 1)",
    "prelu": "torch.prelu(x, y[0, :1])",
    "nn.functional.threshold": "F.threshold(x, 0.5, 2.0)",
    "threshold": "torch.threshold(x, 0.5, 2.0)",
    "nn.functional.dropout": "F.dropout(x)",
    "dropout": "torch.dropout(x, 0.5, True)",
    "lu_unpack": "torch.lu_unpack(L, pivots)",
    "lu_solve": "torch.lu_solve(P, L, pivots)",
    "linalg.lu_solve": "torch.linalg.lu_solve(L, pivots, P)",
    "linalg.solve_triangular": "torch.linalg.solve_triangular(P.triu(), P, upper=True)",
    "matrix_exp": "torch.matrix_exp(P)",
    "combinations": "torch.combinations(x[0])",
    "diag_embed": "torch.diag_embed(x[:4])",
    "diagflat": "torch.diagflat(x[0])",
    "nn.functional.multilabel_margin_loss": "F.multilabel_margin_loss(P, i[:side, :side].clamp(max=side - 1))",
    "nn.functional.linear_cross_entropy": "",
    "adaptive_avg_pool1d": "torch.adaptive_avg_pool1d(C, 2)",
    "adaptive_max_pool1d": "torch.adaptive_max_pool1d(C, 2)",
    "nn.functional.adaptive_max_pool1d": "F.adaptive_max_pool1d(C, 2)",
    "nn.functional.lp_pool1d": "F.lp_pool1d(C, 2, 2)",
    "nn.functional.lp_pool3d": "F.lp_pool3d(V, 2, (1, 2, 2))",
    "nn.functional.max_unpool2d": "F.max_unpool2d(*F.max_pool2d(a, 2, return_indices=True), 2)",
    "nn.functional.fractional_max_pool2d": "F.fractional_max_pool2d(a, 2, 2)",
    "grid_sampler_3d": "F.grid_sample(V, F.pad(grid, (0, 1)).unsqueeze(1), align_corners=False)",
    "grid_sampler": "F.grid_sample(a, grid, 'bicubic', align_corners=False)",
    "as_strided": "torch.as_strided(v, (2, 2), (2, 1))",
    "narrow_copy": "torch.narrow_copy(x, 0, 1, 2)",
    "unfold_copy": "torch.unfold_copy(x, 0, 2, 2)",
    "Tensor.unfold": "x.unfold(0, 2, 2)",
    "alpha_dropout": "torch.alpha_dropout(x, 0.5, True)",
    "feature_dropout": "torch.feature_dropout(a, 0.5, True)",
    "batch_norm": "torch.batch_norm(a, None, None, None, None, True, 0.1, 1e-5, False)",
    "cosine_embedding_loss": "torch.cosine_embedding_loss(x, y, y[0])",
    "poisson_nll_loss": "torch.poisson_nll_loss(x, y, True, False, 1e-8, 1)",
    "native_layer_norm": "torch.native_layer_norm(x, (s,), y[0], z[0], 1e-5)",
    "nonzero_static": "torch.nonzero_static(x, size=8)",
    "split_with_sizes": "torch.split_with_sizes(x, (2, s - 2))",
    "select_scatter": "torch.select_scatter(x, y[0], 0, 1)",
    "diagonal_scatter": "torch.diagonal_scatter(x, y[0])",
    "as_strided_scatter": "torch.as_strided_scatter(v, u[:4].reshape(2, 2), (2, 2), (2, 1))",
    "logspace": "torch.logspace(0, 1, s * s)",
    "renorm": "torch.renorm(x, 2, 0, 1)",
    "linalg.cross": "torch.linalg.cross(x[:, :3], y[:, :3])",
    "vander": "torch.vander(v, 3)",
    "linalg.vander": "torch.linalg.vander(v, N=3)",
    "unravel_index": "torch.unravel_index(K, (s, s))",
    "segment_reduce": "torch.segment_reduce(v, 'sum', lengths=torch.full((s,), s))",
    "empty_strided": "torch.empty_strided((s, s), (1, s))",
    "lobpcg": "",
    "Tensor.requires_grad_": "",
    "Tensor.numpy": "",
    "Tensor.copy_": "z.copy_(y)",
    "zero_": "z.zero_()",
    "Tensor.fill_diagonal_": "z.fill_diagonal_(0)",
    "stft": "torch.stft(v, 16, return_complex=True)",
    "istft": "",
    "fft.fft": "torch.fft.fft(x)",
    "histogramdd": "",
    "complex": "torch.complex(x, y)",
    "polar": "torch.polar(x, y)",
    "view_as_complex": "torch.view_as_complex(torch.stack([x, y], -1))",
    "angle": "torch.angle(Z)",
    "Tensor.item": "x[0, 0].item()",
    "Tensor.to": "x.to(torch.float64)",
    "Tensor.tolist": "x[:4, :4].tolist()",
    "Tensor.expand": "x.expand(2, s, s)",
    "Tensor.view": "v.reshape(s, s).view(-1)",
}
"""The call of an operator, by its first name; empty: none, for it is made for other work."""

MORE = {
    "x + 1": "x + 1", "x * 2.5": "x * 2.5", "1 / x": "1 / x", "x ** 2": "x ** 2", "x ** 0.5": "x ** 0.5", "x + row": "x + y[0]",
    "x + column": "x + y[:, :1]", "x[0]": "x[0]", "x[1:, ::2]": "x[1:, ::2]", "x[m]": "x[m]", "x[k]": "x[k]", "x[k, k]": "x[k, k]",
    "z[0] = 1": "z[0] = 1", "z.add_(0)": "z.add_(0)", "z.mul_(1)": "z.mul_(1)",
    "x.t().contiguous()": "x.t().contiguous()", "x.float()": "x.float()", "x.half()": "x.half()", "x.long()": "x.long()",
    "scatter_add_ into a tenth": "v[:s * s // 10 + 1].scatter_add(0, K, u)", "abs of complex": "Z.abs()", "complex product": "Z * Z",
    "complex matmul": "Z @ Z", "conv2d in steps of 2": "F.conv2d(a, w, stride=2)", "conv2d in groups": "F.conv2d(a, w[:, :1], groups=a.shape[1])",
    "conv2d 1x1": "F.conv2d(a, w[:, :, :1, :1])", "bicubic": "F.interpolate(a, scale_factor=2, mode='bicubic')",
    **{f"{name} of rows": f"x.{name}(1)" for name in ("sum", "mean", "amax", "max", "argmax", "var", "prod", "norm", "cumsum", "sort", "median", "any")},
    **{f"{name} of columns": f"x.{name}(0)" for name in ("sum", "mean", "amax", "max", "argmax", "var", "prod", "cumsum", "sort", "any")},
    "softmax of columns": "x.softmax(0)", "topk": "x.topk(3)", "argsort of all": "v.argsort()",
}  # fmt: skip
"""Calls of operators that are worth a second look."""

ASIDE = re.compile(
    r"sparse\.|creation\.(legacy|memory|asarray|quantization)|shapes\.(layout|method_functions)|linalg\.(common|lowrank)|nn\.(cells|sequences|multihead)"
)
"""Families that take other things than plain tensors, or that cost the same at any size."""

FLOATS = ("x", "y", "z", "v", "u", "a", "w", "T", "V", "C", "P", "Z", "grid")
MARK = "def first(o):\n    return o if isinstance(o, torch.Tensor) else first(o[0])\n"


def expressions() -> dict[str, tuple[str, bool]]:
    """The call of each operator that has one, and whether it is differentiable."""
    from tensorsh import torch
    from tensorsh.assist.operator_tables import rows

    names = {"torch": torch}
    exec(SETUP.format(side=4, kind="float32", layout="contiguous", image=IMAGES[4]) + MARK, names)
    found: dict[str, tuple[str, bool]] = {}
    warnings.simplefilter("ignore")  # some operators say that they are old
    for family, members in rows().items():
        if ASIDE.match(family):
            continue
        for row in members:
            name = row.names[0]
            if name in CALLS:
                tried: tuple[str, ...] = (CALLS[name],)
            else:
                usual = _OF_MATRICES if family.startswith("linalg") else _USUAL
                tried = tuple(written(name, call) for call in usual)
            for call in tried:
                if call and (kind := works(call, names)):
                    found[name] = (call, kind == 2)
                    break
    for name, call in MORE.items():
        if kind := works(call, names):
            found[name] = (
                call,
                kind == 2
                and "_(" not in call
                and "="
                not in call.replace("mode=", "").replace("stride=", "").replace("groups=", "").replace("factor=", ""),
            )
    return found


def written(name: str, call: str) -> str:
    """A usual call of an operator; what a method writes to is `z`, so that the other rows keep their numbers."""
    if not name.startswith("Tensor."):
        return call.replace("f(", f"torch.{name}(")
    first, _, rest = call[2:].partition(", ") if ", " in call else (call[2:-1], "", ")")
    return f"{'z' if name.endswith('_') and first == 'x' else first}.{name[7:]}({rest}"


def works(call: str, names: dict) -> int:
    """0: not at all, 1: forward, 2: its result has a gradient."""
    try:
        eval(compile(call, "call", "eval"), names) if " = " not in call else exec(call, names)
    except Exception:
        return 0
    return (
        2 if runs(leaves(call) + f"torch.autograd.grad(first({call}).sum(), LEAVES, allow_unused=True)", names) else 1
    )


def runs(program: str, names: dict) -> bool:
    try:
        exec(program, dict(names))
    except Exception:
        return False
    return True


def leaves(call: str) -> str:
    """A program that makes leaves of what the call uses."""
    used = [name for name in FLOATS if re.search(rf"\b{name}\b", call)]
    return "".join(f"{n} = {n}.detach().requires_grad_()\n" for n in used) + f"LEAVES = [{', '.join(used)}]\n"


def sweep() -> Iterator[Case]:
    """The rows, those of one setup after another."""
    calls = expressions()
    for size, side in SIDES.items():
        wanted = [
            ("float32", "contiguous"),
            ("float64", "contiguous"),
            ("float16", "contiguous"),
            ("int64", "contiguous"),
        ]
        for kind, layout in wanted + [("float32", "steps")] * (size != "16"):
            setup = SETUP.format(side=side, kind=kind, layout=layout, image=IMAGES[side]) + MARK
            group = f"{size}, {kind}" + ", in steps" * (layout == "steps")
            for name, (call, differentiable) in calls.items():
                yield Case(f"{name}: {group}", setup, call, group=group)
                if (
                    differentiable
                    and layout == "contiguous"
                    and (kind == "float32" or size == "1e6" and kind != "int64")
                ):
                    more = leaves(call) + f"g = torch.ones_like(first({call}))\n"
                    both = f"torch.autograd.grad(first({call}), LEAVES, g, allow_unused=True)"
                    with_gradient = group + ", forward and backward"
                    yield Case(f"{name}: {with_gradient}", setup, both, more=more, group=with_gradient)


def measured(case: Case, engines: dict[str, Engine], rounds: int, budget: float) -> Times:
    """The least times of a row; one that seems to be behind is measured again, longer."""
    times = measure(case, engines, rounds, budget, of=min)
    ours, theirs = times.get("tensorsh"), times.get("torch")
    if isinstance(ours, float) and isinstance(theirs, float) and 0.2 * ours < theirs < 0.8 * ours:
        again = measure(case, engines, 2 * rounds, budget, of=min)
        pairs = ((name, value, again.get(name)) for name, value in times.items())
        times = {name: min(value, other) if isinstance(other, float) else value for name, value, other in pairs}  # type: ignore[type-var]
    return times


def table(rows: list[tuple[Case, dict]]) -> str:
    """What the sweep found, in Markdown: means by size and type, and each row below 0.8 of PyTorch."""
    groups: dict[str, list[float]] = {}
    found, refused = [], Counter()
    for case, times in rows:
        refused.update(engine for engine, value in times.items() if isinstance(value, str))
        ours, theirs = times.get("tensorsh"), times.get("torch")
        if isinstance(ours, float) and isinstance(theirs, float):
            groups.setdefault(case.group, []).append(theirs / ours)
            found.append((theirs / ours, case.name, ours, theirs))
    lines = ["## Sweep of all operators", "", "PyTorch's time divided by tensorsh's.", ""]
    lines += ["| | rows | geometric mean | below 0.8 | below 0.5 |", "|---|---|---|---|---|"]
    for group, many in [*groups.items(), ("all", [ratio for ratio, *_ in found])]:
        mean = math.exp(sum(map(math.log, many)) / max(len(many), 1))
        lines.append(
            f"| {group} | {len(many)} | {mean:.2f} | {sum(r < 0.8 for r in many)} | {sum(r < 0.5 for r in many)} |"
        )
    lines += ["", f"Calls that are no row: tensorsh refuses {refused['tensorsh']}, PyTorch {refused['torch']}.", ""]
    lines += ["| below 0.8 | tensorsh | torch | PyTorch / tensorsh |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {shown(ours)} | {shown(theirs)} | {r:.2f} |" for r, name, ours, theirs in sorted(found) if r < 0.8
    ]
    return "\n".join(lines) + "\n"
