"""Random numbers in a function that `vmap` maps: what each mode of randomness allows, and numbers for all slices at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...engine.tensors.tensor import Tensor
from .rules import DRAWN

OF_PARAMETERS = frozenset(
    "bernoulli bernoulli_ multinomial poisson normal binomial _standard_gamma _sample_dirichlet".split()
)
"""Functions whose numbers have a distribution that tensors say."""
ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags "
    "on vmap or perform the randomness operation out of vmap"
)
SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this "
    "is necessary for your usage, please file an issue with functorch."
)


def drawable(level: Any, name: str, args: tuple, kwargs: dict) -> None:
    """Refuse random numbers that the mode of a level has not; those of the generator of all are refused where they are drawn."""
    writes = name[-1] == "_"
    if level.randomness == "error":
        if kwargs.get("generator") is not None:
            raise RuntimeError(ERROR)
    elif level.randomness == "same":
        parameters = args[1:] if writes else args
        if name in OF_PARAMETERS and level.depend([*parameters, *kwargs.values()]):
            raise RuntimeError(SAME)
    elif writes and "dropout" not in name and isinstance(args[0], Tensor) and not level.depend(args):
        raise RuntimeError(UNBATCHED)


def drawn_at_once(level: Any, name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
    """Random numbers for all slices, of a size that is given; None where there is none."""
    if name in ("rand", "randn"):
        size = kwargs.pop("size", None) or (args[0] if len(args) == 1 and not isinstance(args[0], int) else args)
        return func(level.count, *size, **kwargs)
    given = list(args)
    for at, each in enumerate(given):
        if isinstance(each, (tuple, list)):
            given[at] = (level.count, *each)
            return func(*given, **kwargs)
    if "size" in kwargs:
        return func(*args, **{**kwargs, "size": (level.count, *kwargs["size"])})
    if name in DRAWN and name[-1] != "_" and any(isinstance(x, Tensor) for x in args):
        return func(*[x.expand(level.count, *x.shape) if isinstance(x, Tensor) else x for x in args], **kwargs)
    return None


def drawn_alike(level: Any, name: str, func: Callable, args: tuple, kwargs: dict) -> bool:
    """Whether random numbers that are the same for all slices were written into each."""
    if level.randomness != "same" or name[-1] != "_" or "dropout" in name or not level.has(args[0]):
        return False
    whole = args[0]._whole
    whole.copy_(func(whole.new_empty(whole.shape[1:]), *args[1:], **kwargs))
    return True
