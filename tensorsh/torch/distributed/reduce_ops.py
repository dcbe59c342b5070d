"""How elements of several ranks become one: `ReduceOp`, and what each means for a dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...sandbox.sealed import Frozen, Sealed

__all__ = ["ReduceOp", "reduce_op", "supports_complex"]

NAMES = "SUM AVG PRODUCT MIN MAX BAND BOR BXOR PREMUL_SUM".split()
MPI_NAMES = {"SUM": "SUM", "AVG": "SUM", "PREMUL_SUM": "SUM", "PRODUCT": "PROD", "MIN": "MIN", "MAX": "MAX"}
BITS = {"BAND": "BAND", "BOR": "BOR", "BXOR": "BXOR"}
OF_BOOL = {"SUM": "LOR", "MAX": "LOR", "BOR": "LOR", "PRODUCT": "LAND", "MIN": "LAND", "BAND": "LAND", "BXOR": "LXOR"}
GLOO = "float32 float64 float16 bfloat16 int8 uint8 int32 int64 bool complex64 complex128".split()
"""The dtypes that gloo reduces."""


class RedOpType(Frozen):
    """One way to reduce."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = ("name", "value")

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReduceOp):
            other = other.op
        return self.value == (other.value if isinstance(other, RedOpType) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __reduce__(self) -> Any:
        return getattr, (ReduceOp, self.name)


class ReduceOp(metaclass=Sealed):
    """The ways to reduce: SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, and PREMUL_SUM by a factor."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = ("op", "factor")
    RedOpType = RedOpType
    SUM = RedOpType("SUM", 0)
    AVG = RedOpType("AVG", 1)
    PRODUCT = RedOpType("PRODUCT", 2)
    MIN = RedOpType("MIN", 3)
    MAX = RedOpType("MAX", 4)
    BAND = RedOpType("BAND", 5)
    BOR = RedOpType("BOR", 6)
    BXOR = RedOpType("BXOR", 7)
    PREMUL_SUM = RedOpType("PREMUL_SUM", 8)
    for kind in (SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM):
        type.__setattr__(RedOpType, kind.name, kind)
    del kind

    def __init__(self, op: Any, factor: Any = None) -> None:
        if not isinstance(op, RedOpType | ReduceOp):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
                f"    1. torch._C._distributed_c10d.ReduceOp(arg0: c10d::ReduceOp::RedOpType)\n\nInvoked with: {op!r}"
            )
        self.op, self.factor = kind_of(op), factor

    def __eq__(self, other: object) -> bool:
        return self.op == other

    def __hash__(self) -> int:
        return hash(self.op)


class _ReduceOp(metaclass=Sealed):
    """The deprecated names of the ways to reduce."""

    __module__ = "torch.distributed.distributed_c10d"
    __slots__ = ()
    SUM, PRODUCT, MIN, MAX = ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX


reduce_op = _ReduceOp()


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """The sum of all tensors, each multiplied by a factor before."""
    return ReduceOp(ReduceOp.PREMUL_SUM, factor)


def kind_of(op: Any) -> RedOpType:
    """The way to reduce that an argument names."""
    if isinstance(op, ReduceOp):
        return op.op
    if isinstance(op, RedOpType):
        return op
    raise unfit(op)


def unfit(op: Any) -> TypeError:
    """The error for what is no way to reduce."""
    return TypeError(
        "(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. (self: torch._C._distributed_c10d.AllreduceOptions, arg0: torch._C._distributed_c10d.ReduceOp) -> None\n\nInvoked with: {op!r}"
    )


def supports_complex(reduceOp: Any) -> bool:
    """Whether complex numbers can be reduced so."""
    return kind_of(reduceOp).name not in ("MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR")


class Reduction:
    """How MPI reduces the arrays of one dtype: the type in which it computes, its operation, what follows."""

    __slots__ = ("compute", "name", "factor", "average")

    def __init__(self, op: Any, dtype: str, array: np.dtype, gloo: bool) -> None:
        kind = kind_of(op).name
        if kind == "PREMUL_SUM" and isinstance(op, RedOpType):
            raise unfit(op)
        if kind == "PREMUL_SUM" and gloo:
            raise RuntimeError("Cannot use ReduceOp.PREMUL_SUM with Gloo")
        if gloo and dtype not in GLOO:
            raise RuntimeError("Invalid scalar type")
        if kind in BITS and array.kind not in "iub":
            raise RuntimeError(f"Cannot use ReduceOp.{kind} with non-integral dtype")
        if kind == "AVG" and array.kind in "iub":
            name = {"int8": "Char", "uint8": "Byte", "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool"}
            raise RuntimeError(
                f"result type Float can't be cast to the desired output type {name.get(dtype, dtype.title())}"
            )
        factor = getattr(op, "factor", None) if kind == "PREMUL_SUM" else None
        self.factor = None if factor is None else float(factor)
        self.average = kind == "AVG"
        self.compute = np.dtype(np.float32) if dtype in ("float16", "bfloat16") else array
        self.name = OF_BOOL[kind] if dtype == "bool" else MPI_NAMES.get(kind) or BITS[kind]
