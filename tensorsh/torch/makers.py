"""What a file may call by a name, and why a name means nothing. A file may also give such a name as a value: what a program then holds
has nothing that it can read, call or change."""

from __future__ import annotations

import _pickle
from types import NoneType
from typing import Any


class UnpicklingError(_pickle.UnpicklingError):
    """A file that is not what it says, or that asks for more than plain data."""

    __module__ = "_pickle"


UNSAFE = """\
Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only if you trust \
the source of the checkpoint\x1b[0m. 
\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. \
Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. \
Do it only if you got the file from a trusted source.
\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following error message.
\tWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by default. Please use \
`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context manager to \
allowlist this global if you trust this class/function.

Check the documentation of torch.load to learn more about types accepted by default with weights_only \
https://pytorch.org/docs/stable/generated/torch.load.html."""  # noqa: W291
"""Why a name in a file means nothing, as PyTorch says it."""


REFUSED = """\
Weights only load failed. In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to \
`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code \
execution. Do it only if you got the file from a trusted source.
{why}

Check the documentation of torch.load to learn more about types accepted by default with weights_only \
https://pytorch.org/docs/stable/generated/torch.load.html."""
"""What is no checkpoint, as PyTorch says it."""
UNKNOWN = """\
Please file an issue with the following so that we can make `weights_only=True` compatible with your use case: WeightsUnpickler \
error: 

Unsupported operand {code}"""  # noqa: W291
BLOCKED = "\n\nTrying to load unsupported GLOBAL {name} whose module {module} is blocked."


OWN: dict[str, Any] = {}
"""Classes of the library that are safe once their module is imported, by full name."""


class Maker:
    """A function that a file may call."""

    __slots__ = ("_made",)

    def __init__(self, made: Any) -> None:
        self._made = made

    def _call(self, *parts: Any) -> Any:
        return self._made(*parts)


class Kind(Maker):
    """A type of Python's that a file may name: what a `defaultdict` calls, and a container that is made of another."""

    __slots__ = ()

    def _call(self, *parts: Any) -> Any:
        known = self._made is not str and all(type(part) in (list, tuple, dict, int, NoneType) for part in parts)
        if parts and not known:  # no range, which may be long, nor the text of what holds one thing many times
            raise UnpicklingError(f"damaged file: a {self._made.__name__} of unknown form")
        return self._made(*parts)


def makers(functions: dict[tuple[str, str], Any]) -> dict[tuple[str, str], Any]:
    """Names with the functions that files may call by them."""
    return {name: made if isinstance(made, Maker) else Maker(made) for name, made in functions.items()}
