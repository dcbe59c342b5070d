"""``torch.utils.flop_counter``: the multiplications and additions of matrix products, convolutions and attention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import prod
from typing import Any

from ...engine.arrays.warning import warn
from ...engine.tensors.tensor import Tensor
from .._ops import OpOverloadPacket
from ..dispatching import TorchDispatchMode
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

SUFFIXES = ("", "K", "M", "B", "T")


def mm_flop(a: tuple, b: tuple, *_: Any, **__: Any) -> int:
    """Operations of a product of two matrices."""
    return a[0] * a[1] * 2 * b[1]


def bmm_flop(a: tuple, b: tuple, *_: Any, **__: Any) -> int:
    """Operations of a product of two batches of matrices."""
    return a[0] * a[1] * b[2] * 2 * a[2]


def conv_flop(
    x: tuple, w: tuple, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, *_: Any,
    out_shape: tuple, **__: Any,
) -> int:  # fmt: skip
    """Operations of a convolution."""
    return prod((x if transposed else out_shape)[2:]) * prod(w) * x[0] * 2


def conv_backward_flop(
    grad: tuple, x: tuple, w: tuple, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, mask: Any, *, out_shape: Any,
) -> int:  # fmt: skip
    """Operations of a convolution's gradients: for its input the other convolution, for its weight one of input and gradient."""
    both = (grad, x) if transposed else (x, grad)
    pair = [(a[1], a[0], *a[2:]) for a in (*both, w)]
    form = (None, stride, padding, dilation)
    return (mask[0] and conv_flop(grad, w, *form, not transposed, out_shape=out_shape[0])) + (
        mask[1] and conv_flop(pair[0], pair[1], *form, False, out_shape=pair[2])
    )


flop_registry: dict[str, Callable] = {
    "mm": mm_flop,
    "addmm": lambda bias, a, b, *_, **__: mm_flop(a, b),
    "bmm": bmm_flop,
    "baddbmm": lambda bias, a, b, *_, **__: bmm_flop(a, b),
    "convolution": conv_flop,
    "convolution_backward": conv_backward_flop,
}
_own: dict[Any, Callable] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable:
    """Says how the operations of an operator are counted: the function decorated gets shapes in place of tensors."""

    def register(formula: Callable) -> Callable:
        for each in targets if isinstance(targets, (list, tuple)) else [targets]:
            if not isinstance(each, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. torch.ops.mylib.foo), "
                    f"JitFunction, or HigherOrderOperator, got {each} which is of type {type(each)}"
                )
            if each in _own or each._name.removeprefix("aten.") in flop_registry:
                raise RuntimeError(f"duplicate registrations for {each}")
            _own[each] = formula if get_raw else shaped(formula)
        return formula

    return register


def shaped(formula: Callable) -> Callable:
    """A formula that is given tensors, of one that takes shapes."""
    return lambda *args, out_val=None, **kwargs: formula(
        *map(_shape, args), **{k: _shape(v) for k, v in kwargs.items()}, out_shape=_shape(out_val)
    )


def _shape(x: Any) -> Any:
    return tuple(x.shape) if isinstance(x, Tensor) else [_shape(y) for y in x] if type(x) in (list, tuple) else x


class FlopCounterMode(TorchDispatchMode):
    """A context that counts operations, in all (``Global``) and within each module. Only the products are counted."""

    __module__ = "torch.utils.flop_counter"

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict | None = None
    ) -> None:
        super().__init__()
        if mods is not None:
            warn("mods argument is not needed anymore, you can stop passing it")
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._custom = {k: v if getattr(v, "_get_raw", False) else shaped(v) for k, v in (custom_mapping or {}).items()}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """All operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The operations of each module, by operator."""
        return {k: dict(v) for k, v in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The operations as a table."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        scale = max(0, min(len(SUFFIXES) - 1, (len(str(total)) - 2) // 3))
        shown = [name for name in sorted(self.flop_counts) if name != "Global" and name.count(".") < depth]

        def lines(name: str, indent: int) -> list[list[str]]:
            counts = self.flop_counts[name]
            every = [(" " * indent + name, sum(counts.values()))] + [
                (" " * indent + f" - {op}", n) for op, n in counts.items()
            ]
            return [
                [label, f"{n / 1000**scale:.3f}{SUFFIXES[scale]}", f"{n / total:.2%}" if total else "0%"]
                for label, n in every
            ]

        rows = [row for name in shown for row in lines(name, name.count("."))]
        if "Global" in self.flop_counts and all(sum(self.flop_counts[name].values()) < total for name in shown):
            rows = lines("Global", 0) + [[" " + r[0], *r[1:]] for r in rows]
        if not rows:
            rows = [["Global", "0", "0%"]]
        head = ["Module", "FLOP", "% Total"]
        widths = [max(map(len, (head[i] + ("  " if i else ""), *[r[i] for r in rows]))) for i in range(3)]
        put = lambda r: "  ".join([r[0].ljust(widths[0]), *(r[i].rjust(widths[i]) for i in (1, 2))]).rstrip()  # noqa: E731
        return "\n".join([put(head), "  ".join("-" * w for w in widths), *map(put, rows)])

    def __enter__(self) -> Any:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.mod_tracker.__exit__(*exception)
        if self.display:
            print(self.get_table(self.depth))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        packet = func.overloadpacket if hasattr(func, "overloadpacket") else func
        formula = self._custom.get(packet) or _own.get(packet)
        if formula is None and func._opname in flop_registry:
            formula = shaped(flop_registry[func._opname])
        if formula is not None:
            count = formula(*args, **(kwargs or {}), out_val=found)
            for name in self.mod_tracker.parents:
                self.flop_counts[name][packet] += count
        return found
