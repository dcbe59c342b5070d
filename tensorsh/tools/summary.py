"""`summary(module, input_size)`: the layers of a network with their output shapes and parameters, as a table.

It runs the network once on zeros, without gradients and in evaluation mode; the mode comes back afterwards.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from ..display.cells import draws_unicode
from ..display.sizes import size_text
from ..display.table import table_text
from .shown import Shown

if TYPE_CHECKING:
    from ..language.workspace import Workspace


TITLES = ("layer", "output", "parameters")


def summarize(module: Any, inputs: tuple[Any, ...]) -> tuple[list[tuple[str, str, str]], str]:
    """The rows of a network's table, and what they come to; without inputs the shapes are left out."""
    shapes: dict[int, str] = {}
    handles = []
    layers = list(module.named_modules())

    def noting(layer: Any) -> Any:
        def note(_: Any, __: Any, output: Any) -> None:
            shapes[id(layer)] = _shape(output)

        return layer.register_forward_hook(note)

    if inputs:
        from ..engine.tape.grad_modes import no_grad

        modes = [(layer, layer.training) for _, layer in layers]
        try:
            handles = [noting(layer) for _, layer in layers]
            module.eval()
            with no_grad():
                module(*inputs)
        finally:
            for handle in handles:
                handle.remove()
            for layer, training in modes:
                layer.training = training
    rows = []
    for name, layer in layers:
        depth = name.count(".") + 1 if name else 0
        title = "  " * depth + (f"{name.rpartition('.')[2]}: " if name else "") + type(layer).__name__
        own = sum(p.numel() for p in layer._parameters.values() if p is not None)
        rows.append((title, shapes.get(id(layer), ""), f"{own:,}" if own else ""))
    parameters = {id(p): p for p in module.parameters()}.values()
    total = sum(p.numel() for p in parameters)
    trained = sum(p.numel() for p in parameters if p.requires_grad)
    memory = sum(p._array.nbytes for p in parameters)
    return rows, f"{total:,} parameters, {trained:,} of them trained, {size_text(memory)}"


def _shape(output: Any) -> str:
    if hasattr(output, "_array"):
        return str(list(output._array.shape))
    if isinstance(output, tuple | list):
        return ", ".join(_shape(each) for each in output)
    return type(output).__name__


def make(session: Workspace) -> dict[str, Any]:
    def summary(module: Any, input_size: Any = None, dtype: Any = None) -> Any:
        """The layers of a network as a table. input_size: the shape of its input, batch included, or a list of shapes."""
        if not hasattr(module, "named_modules"):
            raise TypeError(f"summary(): expected a Module, not {type(module).__name__}")
        from ..engine.loading.table import find_function

        sizes = [] if input_size is None else input_size if isinstance(input_size, list) else [input_size]
        for size in sizes:
            if not isinstance(size, tuple | list):
                raise TypeError(f"summary(): expected a shape, as in summary(net, (1, 3)), not {type(size).__name__}")
        zeros = find_function("zeros")
        inputs = tuple(zeros(*size, dtype=dtype) for size in sizes)
        width = shutil.get_terminal_size().columns - 1
        rows, note = summarize(module, inputs)
        table = table_text(TITLES, rows, right=("parameters",), width=width, unicode=draws_unicode(sys.stdout))

        def drawn() -> dict[str, str]:
            from ..display import vector

            return {"text/html": vector.table(TITLES, rows, note)}

        return Shown(f"{table}\n{note}", drawn=drawn)

    return {"summary": summary}
