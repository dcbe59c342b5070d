"""What a kernel's parameters are packed into, read off its C, against the types that C gives them."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from tensorsh.engine.cuda import launch
from tensorsh.engine.cuda.kernels import DECLARED, Raw

CODE = """typedef float T;
typedef double A;
extern "C" __global__ void __launch_bounds__(128, 2) f(const T* x, T* y, unsigned int* z, A eps, float keep, long long n,
  int kind, unsigned long long seed, unsigned m, bool on) {}"""


def test_types_are_those_of_the_declaration() -> None:
    assert launch.parameters(CODE, "f") == [
        "T*", "T*", "unsigned int*", "double", "float", "long long", "int", "unsigned long long", "unsigned", "bool",
    ]  # fmt: skip


def test_each_parameter_lies_in_its_place() -> None:
    room = launch.Room()
    values = (1 << 60, 2, 0, 0.1, 0.1, -5, -7, (1 << 64) - 1, (1 << 32) - 1, True)
    format_ = launch.packing(launch.parameters(CODE, "f"))
    assert format_ is not None
    struct.Struct(format_).pack_into(room.bytes, 0, *values)
    kinds = (
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_float, ctypes.c_longlong,
        ctypes.c_int, ctypes.c_ulonglong, ctypes.c_uint, ctypes.c_bool,
    )  # fmt: skip
    found = [kind.from_address(place).value for kind, place in zip(kinds, room.places, strict=False)]
    assert found == [1 << 60, 2, None, 0.1, np.float32(0.1), -5, -7, (1 << 64) - 1, (1 << 32) - 1, True]


def test_a_number_that_its_parameter_does_not_hold_is_refused() -> None:
    with pytest.raises(struct.error):
        struct.Struct("<i4x").pack_into(launch.Room().bytes, 0, 1 << 31)


@pytest.mark.parametrize("kernel", [k for k in DECLARED if isinstance(k, Raw)], ids=lambda k: k.name)
def test_all_kernels_have_places(kernel: Raw) -> None:
    """Structures given by value, as the optimizers', are left to CuPy."""
    dtype = np.dtype(kernel.dtypes[-1] if kernel.dtypes[-1] != "bfloat16" else "float16")
    types = launch.parameters(kernel.source(dtype), kernel.name)
    packed = launch.packing(types)
    whole = all("*" in kind or kind in launch.PLACES for kind in types)
    assert (packed is not None) == whole and (whole or any(kind[:1].isupper() for kind in types))
    assert packed is None or struct.calcsize(packed) == 8 * len(types)
