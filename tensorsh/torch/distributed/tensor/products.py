"""Products by letters, and functions that leave some dimensions as they are: parts along those stay parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import in_parts
from .placement_types import REPLICATE, Partial, Shard
from .rules import Call, rule


def by_letters(call: Call, operands: list, inputs: list[str], output: str) -> Any:
    """A product: parts along a letter meet parts along the same, and are terms of what is summed over it."""
    wanted: list[list] = [[] for _ in operands]
    out: list[Any] = []
    sizes = {
        letter: n
        for t, letters in zip(operands, inputs, strict=True)
        for letter, n in zip(letters, t._shape, strict=True)
    }
    for i in range(call.mesh.ndim):
        cuts = [
            (t.numel(), letters[t._placements[i].dim])
            for t, letters in zip(operands, inputs, strict=True)
            if isinstance(t._placements[i], Shard)
        ]
        letter = max(cuts)[1] if cuts else None  # the largest operand stays where it is
        if letter is not None and letter not in output and sizes[letter] % call.mesh.size(i):
            letter = None
        out.append(REPLICATE if letter is None else Shard(output.index(letter)) if letter in output else Partial())
        for own, letters in zip(wanted, inputs, strict=True):
            own.append(Shard(letters.index(letter)) if letter is not None and letter in letters else REPLICATE)
    places = {id(t): tuple(own) for t, own in zip(operands, wanted, strict=True)}
    if any(places[id(t)] != tuple(own) for t, own in zip(operands, wanted, strict=True)):
        return NotImplemented  # one tensor that would have to lie in two ways
    return call.run(places, tuple(out), tuple(sizes[letter] for letter in output))


@rule("einsum")
def einsum(call: Call) -> Any:
    """A product by the letters of its equation."""
    equation, operands = call.args[0], list(call.args[1:])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    if not isinstance(equation, str) or "." in equation or not all(in_parts(t) for t in operands):
        return NotImplemented
    left, arrow, output = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if not arrow:
        output = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    if len(inputs) != len(operands) or any(len(set(letters)) != len(letters) for letters in inputs):
        return NotImplemented
    if any(len(letters) != t.dim() for letters, t in zip(inputs, operands, strict=True)):
        return NotImplemented
    return by_letters(call, operands, inputs, output)


PRODUCTS = {
    "dot": ("i", "i", ""),
    "vdot": ("i", "i", ""),
    "mv": ("ij", "j", "i"),
    "outer": ("i", "j", "ij"),
    "ger": ("i", "j", "ij"),
}


@rule("dot", "vdot", "mv", "outer", "ger")
def product(call: Call) -> Any:
    """Products of vectors."""
    *inputs, output = PRODUCTS[call.name]
    operands = list(call.args[:2])
    if len(operands) != 2 or call.kwargs or not all(in_parts(t) for t in operands):
        return NotImplemented
    if any(t.dim() != len(letters) for t, letters in zip(operands, inputs, strict=True)):
        return NotImplemented
    return by_letters(call, operands, inputs, output)


def listed(value: Any) -> list:
    """One number or several, as a list."""
    return [value] if isinstance(value, int) else list(value)


TOUCHED: dict[str, Callable[[Call, int], Any]] = {
    "flip": lambda call, ndim: listed(call.args[1]) if len(call.args) == 2 else call.args[1:],
    "fliplr": lambda call, ndim: [1],
    "flipud": lambda call, ndim: [0],
    "roll": lambda call, ndim: listed(call.argument(2, "dims", list(range(ndim)))),
    "narrow": lambda call, ndim: [call.argument(1, "dim", 0)],
    "index_select": lambda call, ndim: [call.argument(1, "dim", 0)],
    "pad": lambda call, ndim: list(range(ndim - len(call.argument(1, "pad", ())) // 2, ndim)),
    "one_hot": lambda call, ndim: [],
    "conv1d": lambda call, ndim: list(range(1, ndim)),
    "conv2d": lambda call, ndim: list(range(1, ndim)),
    "max_pool2d": lambda call, ndim: list(range(2, ndim)),
    "avg_pool2d": lambda call, ndim: list(range(2, ndim)),
    "adaptive_avg_pool2d": lambda call, ndim: list(range(2, ndim)),
}
"""The dimensions of its first tensor that a function does more with than to leave them, and in their order."""


@rule(*TOUCHED)
def kept(call: Call) -> Any:
    """Parts along what is left stay; other tensors are whole."""
    x = call.args[0] if call.args else None
    if not in_parts(x):
        return NotImplemented
    ndim = len(x._shape)
    touched = {dim % ndim for dim in TOUCHED[call.name](call, ndim)}
    places = tuple(p if isinstance(p, Shard) and p.dim not in touched else REPLICATE for p in x._placements)
    wanted = {id(t): (REPLICATE,) * call.mesh.ndim for t in call.tensors} | {id(x): places}
    return call.run(wanted, places, sizes={p.dim: x._shape[p.dim] for p in places if isinstance(p, Shard)})


@rule("gather", "take_along_dim")
def gather(call: Call) -> Any:
    """By indices along one dimension, in parts along another as the tensor is."""
    x, dim, index = call.argument(0, "input"), call.argument(1, "dim"), call.argument(2, "index")
    if call.name == "take_along_dim":
        dim, index = call.argument(2, "dim"), call.argument(1, "indices")
    if not in_parts(x) or not in_parts(index) or not isinstance(dim, int):
        return NotImplemented
    if all(p.is_replicate() for p in x._placements):
        return call.run({id(x): x._placements, id(index): index._placements}, index._placements, tuple(index._shape))
    ndim = len(x._shape)
    places = tuple(
        p if isinstance(p, Shard) and p.dim != dim % ndim and index._shape[p.dim] == x._shape[p.dim] else REPLICATE
        for p in x._placements
    )
    return call.run({id(x): places, id(index): places}, places, tuple(index._shape))


@rule("repeat")
def repeat(call: Call) -> Any:
    """Repeated along dimensions that are whole."""
    x = call.args[0]
    times = (
        list(call.args[1]) if len(call.args) > 1 and isinstance(call.args[1], (list, tuple)) else list(call.args[1:])
    )
    new = len(times) - len(x._shape)
    if call.kwargs or new < 0:
        return NotImplemented
    places = tuple(p if isinstance(p, Shard) and times[p.dim + new] == 1 else REPLICATE for p in x._placements)
    out = tuple(Shard(p.dim + new) if isinstance(p, Shard) else p for p in places)
    return call.run({id(x): places}, out, tuple(n * m for n, m in zip([1] * new + list(x._shape), times, strict=True)))


@rule(
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy_with_logits",
    "binary_cross_entropy",
    "smooth_l1_loss",
    "huber_loss",
)
def loss(call: Call) -> Any:
    """The mean over items: of parts that are alike, the mean of their means."""
    x, target = call.argument(0, "input"), call.argument(1, "target")
    how = call.kwargs.get("reduction", "mean")
    if (
        not in_parts(x)
        or not in_parts(target)
        or len(call.tensors) != 2
        or len(call.args) > 2
        or how not in ("mean", "sum")
    ):
        return NotImplemented
    if any(call.kwargs.get(name) not in (None, -100) for name in ("weight", "ignore_index")):
        return NotImplemented
    if call.name in ("cross_entropy", "nll_loss") and (target == call.kwargs.get("ignore_index", -100)).any().item():
        return NotImplemented
    places, out = [], []
    for i, p in enumerate(x._placements):
        cut = p.is_shard(0) and len(x._shape) > 1 and x._shape[0] % call.mesh.size(i) == 0
        places.append(p if cut else REPLICATE)
        out.append(Partial("avg" if how == "mean" else "sum") if cut else REPLICATE)
    return call.run({id(x): tuple(places), id(target): tuple(places)}, tuple(out), ())
