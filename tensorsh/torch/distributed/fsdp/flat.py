"""Parameters of a wrapped module in a row, of which each process keeps a part: gathered, used and reduced together."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np

from ....engine.arrays.dtype import numpy_of
from ....engine.graph.fields import wrap
from ....engine.tensors.resizing import hold
from ...nn.parameter import Parameter
from ..collectives import all_reduce
from ..exchanges import all_gather_single, reduce_scatter_single
from .gathered import Gathered, added, forget

INSIDE = "_fsdp_wrapped_module"
"""The name of the module within a wrapped one."""
ALIGNED = 16
"""Bytes at whose multiples parameters begin that optimizers see by themselves."""


class Piece:
    """One parameter: who has it, where it lies in the row, its whole while it is used and its part."""

    __slots__ = ("high", "low", "owners", "part", "shape", "trained", "whole")

    def __init__(self, parameter: Any, owners: list[tuple[Any, str]], low: int) -> None:
        self.owners, self.shape, self.trained = owners, tuple(parameter.shape), parameter.requires_grad
        self.low, self.high = low, low + math.prod(self.shape)
        self.whole: Any = None
        self.part: Any = None


class Flat(Gathered):
    """The row. `original`: optimizers see its parameters by themselves, else one flat one."""

    def __init__(
        self, found: list[tuple[Any, list]], holder: Any, group: Any, copies: Any, shards: bool, precision: Any,
        original: bool,
    ) -> None:  # fmt: skip
        parameters = [parameter for parameter, _ in found]
        if len({p.dtype for p in parameters}) > 1:
            one, other = list(dict.fromkeys(p.dtype for p in parameters))[:2]
            raise ValueError(f"Must flatten tensors with uniform dtype but got {one} and {other}")
        if not original and len({p.requires_grad for p in parameters}) > 1:
            raise ValueError("Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`")
        self.holder, self.group, self.copies, self.original = holder, group, copies, original
        self.parts = group.size() if shards else 1
        self.form = numpy_of(parameters[0].dtype)
        self.used = self.form if precision is None or precision.param_dtype is None else numpy_of(precision.param_dtype)
        self.reduced = None if precision is None or precision.reduce_dtype is None else numpy_of(precision.reduce_dtype)
        self.pieces: list[Piece] = []
        at, step = 0, ALIGNED // self.form.itemsize if original else 1
        for parameter, owners in found:
            at = -(-at // max(step, 1)) * max(step, 1)
            self.pieces.append(Piece(parameter, owners, at))
            at = self.pieces[-1].high
        self.length = -(-at // self.parts) * self.parts
        self.step = self.length // self.parts
        row = np.zeros(self.length, self.form)
        for piece, parameter in zip(self.pieces, parameters, strict=True):
            row[piece.low : piece.high] = parameter._array.reshape(-1)
        self.start = self.step * group.rank() if shards else 0
        self.mine = hold(row[self.start : self.start + self.step].copy())
        self.memory = mmap.mmap(-1, max(self.length * self.used.itemsize, 1))
        self.row = hold(np.frombuffer(self.memory, self.used, self.length))
        self.part = Parameter(wrap(self.mine), parameters[0].requires_grad)
        for piece in self.pieces:
            piece.whole = Parameter(wrap(self.row[piece.low : piece.high].reshape(piece.shape)), piece.trained)
            low, high = self.within(piece)
            piece.part = Parameter(wrap(self.mine[low:high]), piece.trained)
        super().__init__([piece for piece in self.pieces if piece.trained])
        self.hide()

    def within(self, piece: Piece) -> tuple[int, int]:
        """The bounds of a parameter's part in this process's."""
        bounds = [min(max(at - self.start, 0), self.step) for at in (piece.low, piece.high)]
        return bounds[0], bounds[1]

    def show(self, of: Any) -> None:
        """Give the modules their parameters."""
        self.holder._parameters.pop("_flat_param", None)
        for piece in self.pieces:
            for module, name in piece.owners:
                module._parameters[name] = of(piece)

    def hide(self) -> None:
        """Show what optimizers see: the flat part, or a part for each."""
        if self.original:
            self.show(lambda piece: piece.part)
            return
        for piece in self.pieces:
            for module, name in piece.owners:
                module._parameters.pop(name, None)
                module.__dict__[name] = piece.whole
        self.holder._parameters["_flat_param"] = self.part

    def gathered(self, form: Any, part: Any = None) -> Any:
        """The whole row in a dtype, of this process's part or another array of its length."""
        part = (self.mine if part is None else part).astype(form)
        if self.parts == 1:
            return part
        row = np.empty(self.length, form)
        all_gather_single(wrap(row), wrap(part), group=self.group)
        return row

    def unshard(self) -> None:
        """Gather the parts."""
        if self.is_whole:
            return
        self.is_whole = True
        self.row[...] = self.gathered(self.used)
        self.show(lambda piece: piece.whole)

    def _part(self) -> None:
        self.hide()
        forget(self.memory)

    def _reduce(self, used: list[Piece]) -> None:
        row = np.zeros(self.length, self.reduced or self.used)
        for piece in used:
            row[piece.low : piece.high] = piece.whole._grad._array.reshape(-1)
            piece.whole._grad = None
        count = self.group.size() * (1 if self.copies is None else self.copies.size())
        before = 1
        while count % before == 0 and count / before > before:
            before *= 2
        row *= np.asarray(1.0 / before).astype(row.dtype)
        mine = wrap(row)
        if self.parts > 1:
            mine = wrap(np.empty(self.step, row.dtype))
            reduce_scatter_single(mine, wrap(row), group=self.group)
        elif self.group.size() > 1:
            all_reduce(mine, group=self.group)
        if self.copies is not None:
            all_reduce(mine, group=self.copies)
        array = mine._array
        array *= np.asarray(before / count).astype(row.dtype)
        array = array.astype(self.form, copy=False)
        if not self.original:
            added(self.part, array)
            return
        for piece in self.trained:
            low, high = self.within(piece)
            if high > low:
                added(piece.part, array[low:high])


def clean_tensor_name(tensor_name: str) -> str:
    """A parameter's name without those of the modules that wrap others."""
    return tensor_name.replace(INSIDE + ".", "").replace("_checkpoint_wrapped_module.", "")
