"""Sentences of a docstring that follow from an operator's record: shapes and dtypes, its other forms, its gradient."""

from __future__ import annotations

from typing import Any

from ..loading.table import FUNCTIONS, METHODS


def described(record: Any, name: str, doc: str) -> str:
    """The docstring of a function, by its dotted name, with what its record says."""
    found = [*shapes(record), *forms(record, name), *gradients(record)]
    return "\n".join([doc.rstrip().replace("\n    ", "\n"), "", *found])


def enumerated(names: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``"""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def shapes(record: Any) -> list[str]:
    promote = getattr(record, "promote", None)
    if not promote and not record.domain:
        return []
    if len(getattr(record, "promoted", ())) < 2:
        one = "Elementwise, on a tensor of any shape"
        if promote == "float":
            return [one + "; whole numbers and booleans become the default float dtype."]
        return [one + ("." if record.differentiable is None else "; the dtype stays.")]
    names = enumerated([f"`{record.params[i]}`" for i in record.promoted])
    numbers = ", numbers among them," if record.scalars else ""
    floats = ", a float one" if promote == "float" else ""
    return [f"Elementwise: {names}{numbers} broadcast to a common shape and are brought to a common dtype{floats}."]


def forms(record: Any, name: str) -> list[str]:
    last = name.rpartition(".")[2]
    found = []
    if name.startswith("Tensor."):
        if getattr(FUNCTIONS.get(last), "_operator", None) is record:
            found.append(f"as the function `torch.{last}`")
    elif getattr(METHODS.get(last), "_operator", None) is record:
        found.append(f"as the method `x.{last}`")
    if getattr(METHODS.get(last + "_"), "_operator", None) is record:
        found.append(f"in place, `x.{last}_`")
    if getattr(record, "out", False) is True and name in record.names:
        found.append("with ``out=``")
    others = [each for each in record.names if each not in (name, last) and each[0] != "_"]
    told = [f"Also {enumerated(found)}."] if found else []
    return told + ([f"Also called {enumerated([f'`torch.{each}`' for each in others])}."] if others else [])


def gradients(record: Any) -> list[str]:
    if record.differentiable is None:
        return ["It is made of other operators, which record its gradient."]
    if not record.differentiable:
        return ["Its result has no gradient."]
    names = [f"`{record.params[i]}`" for i, shown in zip(record.tensors, record.shown(), strict=True) if shown]
    node = f"; the result's grad_fn is {record.node}" if isinstance(record.node, str) else ""
    return [f"Gradients reach {enumerated(names)}{node}."]
