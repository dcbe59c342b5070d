"""The engine's results with one build of the kernels, as hashes: ``python -m tests.engine.build_results [compiled.so] [threads]``.

`builds.py` compares those of builds for several processors, by several compilers.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import sys
import warnings
from typing import Any

from ..recording.bits import numbers

SHAPES = [(7,), (40, 33), (3, 4, 130), (1 << 17,)]
IMAGES = [(2, 6, 9, 11), (3, 4, 20, 20)]
MATRICES = [(1, 7, 1), (3, 5, 2), (17, 33, 9), (64, 800, 40), (40, 1, 30), (1, 500, 12), (12, 500, 1)]

SYSTEMS = [(9, 4), (32, 33), (33, 7), (50, 90), (70, 1)]

FUNCTIONS = """
abs acos acosh angle asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0 lgamma
special.erfcx special.log_ndtr special.ndtri log log10 log1p log2 logit neg rad2deg reciprocal relu round rsqrt sigmoid sign sin sinc sinh sqrt square tan tanh trunc
cumsum cumprod logcumsumexp cummax cummin sort argsort msort softmax log_softmax sum mean prod std var amax amin logsumexp
median norm count_nonzero argmax argmin flip roll diff
""".split()
ALONG = {
    "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin", "softmax", "log_softmax", "sum", "mean", "prod", "std", "var", "amax",
    "amin", "logsumexp", "median", "argmax", "argmin", "sort", "argsort", "count_nonzero",
}  # fmt: skip
PAIRS = """
add sub mul div atan2 copysign floor_divide fmod remainder hypot ldexp logaddexp logaddexp2 maximum minimum nextafter pow xlogy
eq lt dist
""".split()
ACTIVATIONS = """
celu elu gelu glu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 rrelu selu silu softplus softshrink
softsign tanhshrink threshold normalize
""".split()
LOSSES = """
binary_cross_entropy_with_logits huber_loss kl_div l1_loss mse_loss smooth_l1_loss soft_margin_loss poisson_nll_loss
cosine_similarity pairwise_distance
""".split()
NETWORKS = [
    "F.layer_norm(x, x.shape[-1:], w, b)",
    "F.layer_norm(x, x.shape[-1:])",
    "F.rms_norm(x, x.shape[-1:], w)",
    "F.batch_norm(x.movedim(-1, 1), mean, var, w, b, True, 0.3)",
    "F.batch_norm(x.movedim(-1, 1), mean, var, w, b)",
    "F.linear(x, torch.outer(w, b), b)",
    "F.scaled_dot_product_attention(x, x, x)",
    "F.cross_entropy(x.reshape(-1, x.shape[-1]), classes)",
    "F.embedding(classes, x.reshape(-1, x.shape[-1]))",
    "x.reshape(-1, x.shape[-1]).index_add(0, classes % x[..., 0].numel(), x.reshape(-1, x.shape[-1]))",
    "x.gather(-1, x.argsort())",
    "torch.zeros_like(x).scatter_add(-1, x.argsort(), x * p)",
    "torch.lerp(x, y, q)",
    "torch.addcmul(x, y, p, value=0.3)",
    "torch.addcdiv(x, y, p, value=0.3)",
    "F.gelu(x, approximate='tanh')",
    "torch.logaddexp(x, y)",
    "torch.cdist(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]))",
    "x.half() * y.half()",
    "x.bfloat16().exp()",
    "(x.bfloat16() + y.bfloat16()).sum(0)",
]
CONVOLUTIONS = [
    "F.conv2d(x, k3, b4, padding=1)",
    "F.conv2d(x, k3)",
    "F.conv2d(x, k5, padding=2)",
    "F.conv2d(x, k3, stride=2)",
    "F.conv2d(x, k3[:, :, :1, :1])",
    "F.conv2d(x.expand(300, -1, -1, -1), k3[:1, :, 1:2, 1:2], b4[:1]).norm()",
    "F.group_norm(x.expand(300, -1, -1, -1).half(), 2)",
    "F.batch_norm(x.expand(300, -1, -1, -1).bfloat16(), None, None, training=True)",
    "F.group_norm(x, 2, w, b)",
    "F.instance_norm(x)",
    "F.max_pool2d(x, 2)",
    "F.avg_pool2d(x, 3, 2, 1)",
    "F.interpolate(x, scale_factor=1.7, mode='bilinear')",
    "F.interpolate(x.double(), scale_factor=1.7, mode='bilinear')",
    "F.nll_loss(x, x[:, 0].abs().long() % x.shape[1], x[0, :, 0, 0].abs() + 1)",
    "x.logsumexp(1)",
    "x.transpose(2, 3).sum(1)",
    "x.amax(1)",
]
STEPS = [
    "torch.optim.SGD([t], 0.1)",
    "torch.optim.SGD([t], 0.1, momentum=0.9, nesterov=True, weight_decay=0.01)",
    "torch.optim.Adam([t], 0.1, amsgrad=True, weight_decay=0.01)",
    "torch.optim.AdamW([t], 0.1)",
]
TRANSFORMS = [
    "fft(z)",
    "ifft(z)",
    "fft(z, dim=0)",
    "rfft(x)",
    "fft(x)",
    "rfft2(x)",
    "rfftn(x.reshape(-1, 4, x.shape[-1]))",
    "fft(z[0])",
]
RANDOM = [
    "randn(16)",
    "randn(1001)",
    "randn(70, dtype=torch.float64)",
    "rand(33)",
    "randint(9, (50,))",
    "randperm(200)",
]


def load(path: str) -> None:
    """Take the kernels from another build than the one beside their sources."""
    name = "tensorsh.engine.kernels.compiled"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


class Results:
    """Hashes of what expressions give, and of its gradients."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.found: dict[str, str] = {}

    def add(self, expression: str, kind: str = "", **names: Any) -> None:
        torch, made = self.torch, []
        wanted = [t for t in names.values() if isinstance(t, torch.Tensor) and t.is_leaf and t.requires_grad]
        title = f"{expression} {kind}"
        try:
            result = eval(expression, {"torch": torch, "F": torch.nn.functional, **names})
            for t in result if isinstance(result, tuple) else (result,):
                made.append(t)
                if t.requires_grad and t.grad_fn is not None:
                    slopes = torch.linspace(-1, 2, t.numel(), dtype=t.dtype).reshape(t.shape)
                    made += torch.autograd.grad(t, wanted, slopes, retain_graph=True, allow_unused=True)
            parts = [
                bytes(t.detach().contiguous().reshape(-1).view(torch.uint8).numpy()) for t in made if t is not None
            ]
        except (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError) as error:
            parts = [f"{type(error).__name__}: {error}".encode()]
            title += " (refused)"
        self.found[title] = hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def computed(torch: Any) -> dict[str, str]:
    results = Results(torch)

    def made(shape: tuple, seed: int, dtype: Any = torch.float32, scale: float = 1.0, shift: float = 0.0) -> Any:
        flat = numbers(math.prod(shape), seed) * scale + shift
        return torch.from_numpy(flat).reshape(shape).to(dtype).requires_grad_()

    for shape in SHAPES:
        for dtype in (torch.float32, torch.float64) if shape != SHAPES[-1] else (torch.float32,):
            kind = f"{str(dtype)[6:]} {shape}"
            x, y = made(shape, 1, dtype), made(shape, 2, dtype)
            p, q = made(shape, 3, dtype, 0.3, 0.91), made(shape, 4, dtype, 0.16, 0.5)
            for name in FUNCTIONS:
                more = (
                    [f", {axis}" for axis in range(len(shape))]
                    if name in ALONG
                    else [{"roll": ", 3", "flip": ", (0,)"}.get(name, "")]
                )
                for end in more:
                    results.add(f"torch.{name}(x{end})", kind, x=x)
                    results.add(f"torch.{name}(q{end})", kind, q=q)
            for name in PAIRS:
                results.add(f"torch.{name}(x, y)", kind, x=x, y=y)
                results.add(f"torch.{name}(p, 0.7)", kind, p=p)
            for name in ACTIVATIONS:
                results.add(f"F.{name}(x)", kind, x=x)
            for name in LOSSES:
                results.add(f"F.{name}(x, q)", kind, x=x, q=q)
            if len(shape) > 1:
                n, rows = shape[-1], x[..., 0].numel()
                names = {"classes": torch.arange(rows) * 7 % n, "w": made((n,), 5, dtype), "b": made((n,), 6, dtype)}
                names |= {"mean": torch.linspace(-1, 1, n, dtype=dtype), "var": torch.linspace(0.5, 2, n, dtype=dtype)}
                for expression in NETWORKS:
                    results.add(expression, kind, x=x, y=y, p=p, q=q, **names)
    for shape in IMAGES:
        c = shape[1]
        names = {"x": made(shape, 1), "w": made((c,), 5), "b": made((c,), 6), "b4": made((4,), 9)}
        names |= {"k3": made((4, c, 3, 3), 7), "k5": made((9, c, 5, 5), 8)}
        for expression in CONVOLUTIONS:
            results.add(expression, str(shape), **names)
        at = made((shape[0], 5, 9, 2), 10, scale=0.4)
        for mode in ("bilinear", "nearest", "bicubic"):
            for padding in ("zeros", "reflection"):
                how = f"'{mode}', '{padding}', align_corners=False"
                for dtype in (torch.float32, torch.float64):
                    images = {"x": made(shape, 1, dtype), "at": at.detach().to(dtype).requires_grad_()}
                    results.add(f"F.grid_sample(x, at, {how})", f"{shape} {dtype}", **images)
    for n, k in SYSTEMS:
        for dtype in (torch.float32, torch.float64):
            b = made((n, k), 2, dtype)
            a = (made((n, n), 1, dtype).detach() / n + torch.eye(n, dtype=dtype)).requires_grad_()
            for expression in (
                "torch.linalg.solve_triangular(a, b, upper=True)",
                "torch.linalg.lu_solve(a, torch.arange(1, len(a) + 1, dtype=torch.int32), b)",
                "torch.linalg.lu_factor(a)[0]",
                "torch.linalg.cholesky(a @ a.T)",
            ):
                results.add(expression, f"{n} {k} {dtype}", a=a, b=b)
    for m, k, n in MATRICES:
        for dtype in (torch.float32, torch.float64):
            kind = f"{m} {k} {n} {dtype}"
            results.add("a @ b", kind, a=made((m, k), 1, dtype), b=made((k, n), 2, dtype))
            results.add("a @ b.T", kind, a=made((m, k), 1, dtype), b=made((n, k), 2, dtype))
            results.add("torch.bmm(a, b)", kind, a=made((3, m, k), 3, dtype), b=made((3, k, n), 4, dtype))
    for name in ("LSTM", "GRU"):
        layer = getattr(torch.nn, name)(6, 10)
        with torch.no_grad():
            for seed, parameter in enumerate(layer.parameters()):
                parameter.copy_(made(tuple(parameter.shape), seed + 3, scale=0.2))
        results.add("layer(x)[0]", name, layer=layer, x=made((5, 3, 6), 1), **dict(layer.named_parameters()))
    for step in STEPS:
        t = torch.nn.Parameter(made((1003,), 1).detach())
        optimizer = eval(step, {"torch": torch, "t": t})
        for k in range(3):
            t.grad = made((1003,), 20 + k).detach()
            optimizer.step()
        results.add("t.detach()", step, t=t)
    for n in (15, 32, 64, 68, 100, 256, 400, 1000, 2048):
        for dtype in (torch.float32, torch.float64):
            x, y = made((18, n), 11, dtype).detach(), made((18, n), 12, dtype).detach()
            for call in TRANSFORMS:
                results.add(f"torch.view_as_real(torch.fft.{call})", f"{n} {dtype}", x=x, z=torch.complex(x, y))
            results.add("torch.fft.irfft(z)", f"{n} {dtype}", z=torch.complex(x, y))
    for call in RANDOM:
        torch.manual_seed(7)
        results.add("torch." + call)
    return results.found


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1]:
        load(sys.argv[1])
    warnings.simplefilter("ignore")
    from tensorsh import torch

    torch.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    json.dump(computed(torch), sys.stdout, indent=0)
