"""Signatures on demand: what `inspect.signature` answers for a function, a method, its in-place and ``out=`` forms.

A function's `__wrapped__` is a Form, which `inspect` follows: it makes the signature from the operator's record (or the
Python function) when it is asked, so that `inspect` is not imported before. That of a function which is Python's in PyTorch is
recorded; other functions that sort out overloads by themselves, and the few whose parameter PyTorch names otherwise, stand in
`signatures.txt`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from inspect import Parameter, Signature, cleandoc
from types import NoneType
from typing import Any

from ..arrays.device import device
from ..arrays.dtype import dtype
from ..arrays.layout import layout, memory_format
from ..examples import example
from ..loading.recorded import beside, entries, told
from ..loading.table import FUNCTIONS, METHODS
from ..tensors.shape import Size
from ..tensors.tensor import Tensor
from ..wording.overloads import PYTHON, parameter_text
from ..wording.steps import binder
from .arguments import told_in_full

FILE = beside(__file__, "signatures.txt")


class Form:
    """Where the signature of a function comes from: its name, its record or itself, and whether it has ``out=``."""

    __slots__ = ("name", "owner", "source", "out", "told")

    def __init__(self, name: str, owner: Any, source: Any = None, out: bool = False) -> None:
        self.name = name
        self.owner = owner
        self.source = source or owner
        self.out = out
        self.told: list[str] = []
        """The docstrings that it has written."""

    @property
    def __signature__(self) -> Any:
        self.document()
        return self.made()

    def titled(self, title: str) -> Any:
        """The signature of one of its forms that is Python's in PyTorch."""
        self.document()
        return self.made(title.removeprefix("torch."))

    def made(self, name: str = "") -> Any:
        """The signature, of a form that goes by another name."""
        python = parameter_text(name := name or self.name)
        text = python.removeprefix(PYTHON) if python.startswith(PYTHON) else written().get(self.name)
        if text is None:
            return of_kernel(self.source, self.out)
        found = Signature.from_callable(binder("", text))
        notes, _, answer = (told(name, "typed") or "").partition(" -> ")
        if not notes:
            return found
        told_of = zip(found.parameters.values(), eval(f"[{notes}]", NOTES), strict=True)  # noqa: S307 - text of our own
        typed = [each.replace(annotation=note) for each, note in told_of]
        return Signature(typed, return_annotation=eval(answer or "_", NOTES))  # noqa: S307

    def example(self) -> Any:
        """The example of a function, a property of its record."""
        return example(self.name, *getattr(self.source, "names", ()))

    def forms(self) -> list[Any]:
        """The function and what else has this signature: its other names, its method."""
        own = self.name.removeprefix("Tensor.")
        names = [own, *(each for name in getattr(self.source, "names", ()) for each in (name, name.strip("_")))]
        known = [self.owner, *(table.get(name) for table in (FUNCTIONS, METHODS) for name in names)]
        return [each for each in known if each is self.owner or getattr(each, "__wrapped__", None) is self]

    def document(self) -> None:
        """Add to the docstrings of its forms what arguments mean that are not named there, an example and its shape: `help`
        and its like ask for the signature first."""
        forms = [each for each in self.forms() if each.__doc__ not in self.told]
        if not forms:
            return
        found, parameters = self.example(), self.made().parameters.values()
        for each in forms:
            said = told_in_full(self.name, parameters, cleandoc(each.__doc__ or self.name))
            if found is not None and ">>> " not in said:
                said = f"{said.rstrip()}\n\n{found}\n\nThis is {found.result}.\n"
            each.__doc__ = said
            self.told.append(said)


KINDS: tuple[Any, ...] = (Tensor, Size, NoneType, dtype, device, layout, memory_format, Callable, Iterable, Sequence)
NOTES = {each.__name__: each for each in KINDS} | {"Any": Any, "_": Parameter.empty}
"""The names in annotations."""


@lru_cache(1)
def written() -> dict[str, str]:
    """The parameter lists in `signatures.txt`, by name."""
    found: dict[str, str] = {}
    for names, text in entries(FILE):
        found.update(dict.fromkeys(names.split(), text))
    return found


def of_kernel(source: Any, out: bool) -> Any:
    """The parameters of an operator, or of a composite's or any other function, without annotations, and ``out``."""
    # What wraps an operator's own function has the operator's parameters.
    source = getattr(getattr(source, "kernel", None), "_operator", source)
    if hasattr(source, "params"):
        found = []
        for at, (name, default) in enumerate(zip(source.params, source.defaults, strict=True)):
            kind = Parameter.POSITIONAL_OR_KEYWORD if at < source.positional else Parameter.KEYWORD_ONLY
            found.append(Parameter(name, kind, default=shown(default)))
    else:
        function: Callable = getattr(source, "kernel", source)
        signature = Signature.from_callable(function, follow_wrapped=False)
        found = [p.replace(annotation=Parameter.empty, default=shown(p.default)) for p in signature.parameters.values()]
    if out and all(p.name != "out" for p in found):
        found.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None))
    return Signature(found)


def shown(default: Any) -> Any:
    """A default as PyTorch has it; markers of what was not given are no defaults."""
    return Parameter.empty if type(default).__name__ in ("Required", "Absent") else default
