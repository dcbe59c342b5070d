"""Operators of ``torch.ops.aten`` and ``torch._C._nn`` that are functions of networks with other arguments: paddings, resizings, folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.loading.table import find_function
from ..engine.tape.grad_modes import enable_grad
from .autograd.gradients import grad

__all__ = ["LAYERS"]


def _f(name: str) -> Any:
    return find_function("nn.functional." + name)


def padded(mode: str) -> Callable:
    return lambda input, padding: _f("pad")(input, list(padding), mode=mode)


def resized(mode: str, takes_corners: bool) -> Callable:
    """A resizing to a size, or by factors where the size is None."""

    def of(input: Any, output_size: Any, *rest: Any, **named: Any) -> Any:
        given = list(rest)
        corners = named.get("align_corners", given.pop(0) if takes_corners and given else False)
        factors = named.get("scale_factors", given[0] if given and isinstance(given[0], list | tuple) else None)
        options = {"align_corners": bool(corners)} if takes_corners else {}
        size = None if output_size is None else list(output_size)
        return _f("interpolate")(input, size, None if size is not None else list(factors), mode, **options)

    return of


def in_place(name: str) -> Callable:
    return lambda input, *args, **kwargs: input.copy_(_f(name)(input, *args, **kwargs))


def gradient(function: Callable) -> Callable:
    """The gradient of a function's input, of that of its result."""

    def of(grad_output: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            leaf = self.detach().requires_grad_()
            return grad(function(leaf, *args, **kwargs), leaf, grad_output)[0]

    return of


def activation(name: str) -> Callable:
    return lambda input, *args, **kwargs: _f(name)(input, *args, **kwargs)


RESIZED = {
    "upsample_nearest": ("nearest", "123"), "_upsample_nearest_exact": ("nearest-exact", "123"), "upsample_linear": ("linear", "1"),
    "upsample_bilinear": ("bilinear", "2"), "upsample_bicubic": ("bicubic", "2"), "upsample_trilinear": ("trilinear", "3"),
}  # fmt: skip
LAYERS: dict[str, Callable] = {
    **{f"{kind}tion_pad{n}d": padded(mode) for kind, mode in (("reflec", "reflect"), ("replica", "replicate")) for n in "123"},
    **{f"{name}{n}d": resized(mode, "nearest" not in mode) for name, (mode, dims) in RESIZED.items() for n in dims},
    **{f"{name}_": in_place(name) for name in "gelu silu mish relu6 hardswish hardsigmoid".split()},
    **{f"{n}_backward": gradient(activation(n)) for n in "gelu silu hardtanh hardswish hardsigmoid mish softplus softshrink hardshrink glu".split()},
    "threshold_backward": gradient(lambda input, threshold: _f("threshold")(input, threshold, 0)),
    "logit_backward": gradient(lambda input, eps=None: find_function("logit")(input, eps)),
    "sigmoid_backward": lambda grad_output, output: grad_output * (1 - output) * output,
    "tanh_backward": lambda grad_output, output: grad_output * (1 - output * output),
    "log_sigmoid": lambda input: _f("logsigmoid")(input),
    "im2col": lambda input, kernel_size, dilation, padding, stride: _f("unfold")(input, kernel_size, dilation, padding, stride),
    "col2im": lambda input, output_size, kernel_size, dilation, padding, stride: _f("fold")(
        input, list(output_size), list(kernel_size), list(dilation), list(padding), list(stride)
    ),
    "numpy_T": lambda input: input.permute([*range(input.dim())][::-1]),
}  # fmt: skip
"""Them, by their names."""
