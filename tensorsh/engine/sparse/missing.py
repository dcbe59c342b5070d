"""What no sparse layout can do, in PyTorch's words."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..arrays.layout import strided
from ..loading.recorded import beside, entries

FILE = beside(__file__, "missing.txt")
BACKENDS = {"strided": "CPU", "sparse_coo": "SparseCPU"}
"""What PyTorch calls the kernels of a layout; those of the others are one kind."""


def kernels(array: Any) -> str:
    """What PyTorch calls the kernels of an array's device; of a layout, the CPU's."""
    parts = getattr(array, "values", array)
    return "CUDA" if hasattr(type(parts), "__cuda_array_interface__") else "CPU"


class Missing(NotImplementedError):
    """Something was asked of a sparse array that it has not; each function that was called puts its names before those of what
    it called, and the first that is known says what is missing."""

    def __init__(self, array: Any, name: str = "") -> None:
        """array: what was asked, or its layout."""
        layout = getattr(array, "layout", strided if hasattr(array, "ndim") else array)
        super().__init__(layout)
        self.layout, self.device = str(layout)[6:], kernels(array)
        self.names = [name] if name else []
        self.number = False

    def worded(self, names: list[str]) -> Exception:
        """The error as a function of these names raises it."""
        self.names[:0] = names
        kind: Any = MissingAtRuntime if self.found()[:13] == "!RuntimeError" else Missing
        if type(self) is kind:
            return self
        made = kind(self.layout)
        made.layout, made.names, made.number, made.device = self.layout, self.names, self.number, self.device
        return made

    def form_of(self, names: list[str]) -> Any:
        """The function that answers for sparse tensors, where a function made of operators met one that has no rule."""
        from .forms import FORMS

        return next((FORMS[name] for name in names if name in FORMS), None)

    def found(self) -> str:
        """The kernel that is missing, or the error, as it is recorded."""
        known, backend = recorded(), BACKENDS.get(self.layout, "SparseCsrCPU")
        overload = next((OVERLOADS[name] for name in self.names if name in OVERLOADS), None)
        if overload is not None:
            return overload
        for name in self.names:
            for each in (name, name.lstrip("_"), "nn.functional." + name.lstrip("_"), name.rstrip("_")):
                kernel = known.get((backend, each)) or ALIASES.get(each)
                if kernel:
                    return kernel.replace(".Tensor", ".Scalar") if self.number and kernel[:3] in COMPARED else kernel
        return self.names[-1].strip("_").rpartition(".")[2] if self.names else "as_strided"

    def __str__(self) -> str:
        found = self.found()
        if found[:1] == "!":
            words = found.partition(" ")[2].replace("{layout}", "Sparse" + self.layout[7:].title())
            return words.replace("Sparse CSR tensors", f"Sparse {self.layout[7:].upper()} tensors")
        backend = BACKENDS.get(self.layout, "SparseCsrCPU").replace("CPU", self.device)
        return f"Could not run 'aten::{found}' with arguments from the '{backend}' backend."


def refused(name: str) -> Any:
    """A gradient formula for which PyTorch misses a kernel."""

    def formula(t: Any, g: Any, input: Any) -> Any:
        raise Missing(getattr(input, "_array", input), name)

    return formula


class MissingAttribute(Missing, AttributeError):
    """The same where an attribute was asked for, so that `hasattr` tells."""


class MissingOperand(Missing, TypeError):
    """The same where an operand was of no use to a function of numpy's, after which a more general way is tried."""


class MissingAtRuntime(RuntimeError):
    """The same where PyTorch raises a RuntimeError."""

    layout: str
    device: str
    names: list[str]
    number: bool

    def __init__(self, layout: Any) -> None:
        super().__init__(layout)

    worded, form_of, found, __str__ = Missing.worded, Missing.form_of, Missing.found, Missing.__str__  # type: ignore[assignment]


for _shown in (Missing, MissingAttribute, MissingOperand, MissingAtRuntime):
    _shown.__name__ = _shown.__qualname__ = "RuntimeError" if _shown is MissingAtRuntime else "NotImplementedError"
    _shown.__module__ = "builtins"
COMPARED = frozenset(("eq.", "ne.", "lt.", "le.", "gt.", "ge."))
"""Kernels that have a form for a number in the place of a tensor."""
ALIASES = {
    "_put_back": "select_backward", "_part": "as_strided", "_slice": "as_strided", "_index_select_backward": "index_add_",
    "norm_backward": "masked_fill_.Scalar", "tanh_backward": "tanh_backward",
    "moveaxis": "index_add_", "_sparse_mm_reduce_impl": "_sparse_mm_reduce_impl",  "_all": "all",
}  # fmt: skip
"""What an operator of the engine is called among those recorded."""
OVERLOADS = {"_max_all": "max", "_min_all": "min"}
"""Operators that are one overload of a function, whatever is recorded of the function's name."""


@lru_cache(1)
def recorded() -> dict[tuple[str, str], str]:
    """The kernel that a function misses on a backend, or, after a `!`, the error that it raises."""
    return {(backend, name): kernel for head, kernel in entries(FILE) for backend, name in [head.split(" ")]}
