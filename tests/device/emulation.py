"""cupy's ElementwiseKernel and ReductionKernel without a GPU: their C, as far as ours uses it, run by numpy.

Understood are assignments and declarations, arithmetic, comparisons, calls, ``T(number)`` and ``a ? b : c``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import standin

FUNCTIONS = {
    "exp": np.exp, "log": np.log, "log1p": np.log1p, "tanh": np.tanh, "sqrt": np.sqrt, "where": np.where,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip


def split(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that stand in no brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == mark and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def python(expression: str) -> str:
    """A C expression as Python's."""
    found = re.search(r"\(", expression)
    if found:
        # Innermost first: what is in the first pair of brackets, translated, then the rest.
        depth = 0
        for i in range(found.start(), len(expression)):
            depth += (expression[i] == "(") - (expression[i] == ")")
            if not depth:
                break
        inner = ", ".join(python(p) for p in split(expression[found.start() + 1 : i], ","))
        held = f"@{abs(hash(inner))}@"
        rest = python(expression[: found.start()] + held + expression[i + 1 :])
        return rest.replace(held, f"({inner})")
    if "?" in expression:
        condition, _, rest = expression.partition("?")
        yes, _, no = rest.partition(":")
        return f"where({python(condition)}, {python(yes)}, {python(no)})"
    return expression.strip()


def parameters(text: str) -> list[tuple[str, str]]:
    return [tuple(p.split()) for p in text.split(",")]  # type: ignore[misc]


class Kernel:
    def __init__(self, inputs: str, outputs: str) -> None:
        self.inputs, self.outputs = parameters(inputs), parameters(outputs)
        assert all(kind == "T" for kind, _ in self.inputs + self.outputs)

    def bound(self, args: tuple) -> tuple[dict, Any, int]:
        """The parameters by name as numpy's arrays, with their dtype and device; TypeError where cupy has it."""
        from scipy.special import erf

        arrays = [a for a in args if isinstance(a, standin.ndarray)]
        if any(not isinstance(a, standin.ndarray | np.generic | int | float) for a in args):
            raise TypeError("Unsupported type")
        dtype, index = arrays[0].dtype, arrays[0]._index
        if any(a.dtype != dtype for a in args if isinstance(a, standin.ndarray | np.generic)):
            raise TypeError("Type is mismatched")
        if any(a._index != index for a in arrays):
            raise ValueError("Array device must be same as the current device")
        names = [name for _, name in self.inputs + self.outputs]
        space = {
            n: a._held if isinstance(a, standin.ndarray) else dtype.type(a) for n, a in zip(names, args, strict=False)
        }
        return space | FUNCTIONS | {"T": dtype.type, "erf": erf}, dtype, index


class ElementwiseKernel(Kernel):
    def __init__(self, inputs: str, outputs: str, operation: str, name: str) -> None:
        super().__init__(inputs, outputs)
        statements = [s.strip() for s in operation.split(";") if s.strip()]
        self.program = [re.fullmatch(r"(?:T )?(\w+) = (.+)", s).groups() for s in statements]  # type: ignore[union-attr]
        self.name = name

    def __call__(self, *args: Any) -> Any:
        assert len(args) in (len(self.inputs), len(self.inputs) + len(self.outputs)), self.name
        space, dtype, index = self.bound(args)
        shape = np.broadcast_shapes(*(np.shape(a._held) for a in args if isinstance(a, standin.ndarray)))
        given = {name: space[name] for _, name in self.outputs if name in space}
        with np.errstate(all="ignore"):
            for name, expression in self.program:
                space[name] = np.asarray(eval(python(expression), space), dtype)
        results = []
        for _, name in self.outputs:
            if name in given:
                given[name][...] = space[name]
            results.append(standin.on_device(given.get(name, np.broadcast_to(space[name], shape).copy()), index))
        return results[0] if len(results) == 1 else tuple(results)


class ReductionKernel(Kernel):
    def __init__(self, inputs: str, outputs: str, term: str, fold: str, last: str, identity: str, name: str) -> None:
        super().__init__(inputs, outputs)
        assert (fold, last, identity) == ("a + b", f"{self.outputs[0][1]} = a", "0"), name
        self.term, self.name = term, name

    def __call__(self, *args: Any, axis: Any = None, keepdims: bool = False) -> Any:
        assert len(args) == len(self.inputs), self.name
        space, dtype, index = self.bound(args)
        with np.errstate(all="ignore"):
            shape = np.broadcast_shapes(*(np.shape(a._held) for a in args if isinstance(a, standin.ndarray)))
            terms = np.broadcast_to(np.asarray(eval(python(self.term), space), dtype), shape)
        return standin.on_device(np.asarray(np.add.reduce(terms, axis, keepdims=keepdims)), index)
