"""Steps of optimizers: one launch for many parameters, each in one pass over it, its gradient and what is kept.

A launch is given a table of addresses, by value. Its blocks take a part of one parameter each; a block finds its parameter
by its number. Parameters go together when they have a device, a dtype and the numbers of the step in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.backend import cupy, device_of
from .kernels import Raw

MOST = 64
"""Parameters of one launch: a kernel's arguments may have 4096 bytes."""
PART, THREADS = 4096, 256
"""Elements of a block, and its threads."""
ROLES = "xgmvw"
"""The parameter, its gradient, the running means of that and of its square, and the largest of the last."""
TABLE = np.dtype(
    [(role, np.uint64, MOST) for role in ROLES]
    + [("size", np.int64, MOST), ("first", np.int32, MOST), ("count", np.int32)],
    align=True,
)


def step(name: str, roles: str, numbers: str, operation: str) -> Raw:
    """A kernel that does `operation` for each element of the arrays that play a role."""
    wanted = "".join(f", A {n}" for n in numbers.split())
    arrays = "".join(f"  T* {role} = many.{role}[k];\n" for role in roles)
    return Raw(
        name,
        f"""struct Table {{ T *x[{MOST}], *g[{MOST}], *m[{MOST}], *v[{MOST}], *w[{MOST}]; long long size[{MOST}];
  int first[{MOST}], count; }};
extern "C" __global__ void {name}(Table many{wanted}) {{
  int k = 0, block = blockIdx.x;
  for (int step = {MOST // 2}; step > 0; step = step / 2)
    if (k + step < many.count && block >= many.first[k + step]) k += step;
{arrays}  long long begin = (long long)(block - many.first[k]) * {PART};
  long long end = min(begin + {PART}, many.size[k]);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    {operation}
  }}
}}""",
    )


SGD = step("tensorsh_sgd", "xg", "lr decay sign", "A p = A(x[i]); x[i] = T(p - lr * (sign * A(g[i]) + decay * p));")
MOMENTUM = step(
    "tensorsh_sgd_momentum", "xgm", "lr decay sign keep share ahead",
    "A p = A(x[i]); A d = sign * A(g[i]) + decay * p; A b = keep * A(m[i]) + share * d;"
    "m[i] = T(b); x[i] = T(p - lr * (ahead != A(0) ? d + ahead * b : b));",
)  # fmt: skip
"""ahead: the momentum, where it is Nesterov's; else 0."""
MEANS = (
    "A p = keep * A(x[i]); A d = sign * A(g[i]) + decay * p; A b = A(m[i]); b = b + share * (d - b); m[i] = T(b);"
    "A s = beta * A(v[i]) + rest * d * d; v[i] = T(s);"
)
MOVE = "x[i] = T(p - size * (b / (sqrt(s) / correction + eps)));"
NUMBERS = "keep decay sign share beta rest correction eps size"
ADAM = step("tensorsh_adam", "xgmv", NUMBERS, MEANS + MOVE)
AMSGRAD = step("tensorsh_adam_amsgrad", "xgmvw", NUMBERS, MEANS + "s = max(s, A(w[i])); w[i] = T(s);" + MOVE)


class Steps:
    """What is to be done to the parameters of a group, collected and then launched."""

    def __init__(self) -> None:
        self.waiting: dict[tuple, list] = {}

    def add(self, kernel: Raw, arrays: list, *numbers: float) -> None:
        key = kernel, arrays[0].dtype, device_of(arrays[0]).index, numbers
        self.waiting.setdefault(key, []).append(arrays)

    def run(self) -> None:
        """Launch all steps."""
        for (kernel, dtype, index, numbers), many in self.waiting.items():
            number = np.float64 if dtype == np.float64 else np.float32
            with cupy().cuda.Device(index):
                for at in range(0, len(many), MOST):
                    launch(kernel, dtype, many[at : at + MOST], [number(n) for n in numbers])
        self.waiting.clear()


def launch(kernel: Raw, dtype: Any, many: list, numbers: list) -> None:
    """One step of some parameters; what does not lie in one piece goes through a copy."""
    xp, table = cupy(), np.zeros(1, TABLE)
    row, block = table[0], 0
    kept = []
    for k, arrays in enumerate(many):
        whole = [a if a.flags.c_contiguous and a.dtype == dtype else xp.array(a, dtype, order="C") for a in arrays]
        kept.append(whole)
        for role, a in zip(ROLES, whole, strict=False):
            row[role][k] = a.data.ptr
        row["size"][k], row["first"][k] = whole[0].size, block
        block += -(-whole[0].size // PART)
    row["count"] = len(many)
    if block:
        kernel(dtype, block, THREADS, table, *numbers)
    for arrays, whole in zip(many, kept, strict=True):
        for role, a, w in zip(ROLES, arrays, whole, strict=False):
            if a is not w and role != "g":
                a[...] = w
