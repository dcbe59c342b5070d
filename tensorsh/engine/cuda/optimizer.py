"""Steps of optimizers: one launch for many parameters, each in one pass over it, its gradient and what is kept.

A launch is given a table of addresses, by value. Its blocks take a part of one parameter each; a block finds its parameter
by its number. Parameters go together when they have a device, a dtype and the numbers of the step in common. The C of a step is
made of its formula (torch/optim/formula.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays.backend import cupy, device_of
from .kernels import Raw

MOST = 64
"""Parameters of one launch: a kernel's arguments may have 4096 bytes."""
PART, THREADS = 4096, 256
"""Elements of a block, and its threads."""
ROLES = "xgmvw"
"""The parameter, its gradient, and up to three arrays of what an optimizer keeps of it."""
TABLE = np.dtype(
    [(role, np.uint64, MOST) for role in ROLES]
    + [("size", np.int64, MOST), ("first", np.int32, MOST), ("count", np.int32)],
    align=True,
)


C = {
    "add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}", "divide": "{} / {}", "multiply_add": "fma({}, {}, {})",
    "negative": "-{}", "absolute": "fabs({})", "positive": "{}", "sqrt": "sqrt({})", "if_positive": "{} > A(0) ? {} : {}",
    "maximum": "{0} > {1} || {0} != {0} ? {0} : {1}", "minimum": "{0} < {1} || {0} != {0} ? {0} : {1}",
}  # fmt: skip
"""The steps of formulas."""


def kernel(name: str, steps: Sequence[tuple], given: Sequence, count: int, results: Mapping[int, Any]) -> Raw:
    """A kernel that takes a formula's steps (their name, operands, result) for each element. given: its arrays, of which there are
    `count`, and its numbers. results: what arrays become, by their places."""
    names = {part: f"a{k}" for k, part in enumerate(given)}
    operation = []
    for k, (kind, operands, result) in enumerate(steps):
        told = C[kind].format(*[names[x] if x in names else f"A({x})" for x in operands])
        names[result] = f"s{k}"
        operation.append(f"A s{k} = {told};")
    read = [f"A a{k} = A({role}[i]);" for k, role in enumerate(ROLES[:count])]
    written = [f"{ROLES[k]}[i] = T({names[part]});" for k, part in results.items()]
    arrays = "".join(f"  T* {role} = many.{role}[k];\n" for role in ROLES[:count])
    wanted = "".join(f", A a{k}" for k in range(count, len(given)))
    body = "\n    ".join([*read, *operation, *written])
    return Raw(
        f"tensorsh_{name}_step",
        f"""struct Table {{ T *x[{MOST}], *g[{MOST}], *m[{MOST}], *v[{MOST}], *w[{MOST}]; long long size[{MOST}];
  int first[{MOST}], count; }};
extern "C" __global__ void tensorsh_{name}_step(Table many{wanted}) {{
  int k = 0, block = blockIdx.x;
  for (int step = {MOST // 2}; step > 0; step = step / 2)
    if (k + step < many.count && block >= many.first[k + step]) k += step;
{arrays}  long long begin = (long long)(block - many.first[k]) * {PART};
  long long end = min(begin + {PART}, many.size[k]);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    {body}
  }}
}}""",
    )


class Launches:
    """What is to be done to the parameters of a group, collected and then launched."""

    def __init__(self) -> None:
        self.waiting: dict[tuple, list] = {}

    def add(self, kernel: Raw, arrays: list, numbers: tuple) -> None:
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
    block, first, kept = 0, [], []
    for arrays in many:
        whole = [a if a._c_contiguous and a.dtype == dtype else xp.array(a, dtype, order="C") for a in arrays]
        kept.append(whole)
        first.append(block)
        block += -(-whole[0].size // PART)
    count = len(many)
    for role, arrays in zip(ROLES, zip(*kept, strict=True), strict=False):
        table[role][0, :count] = [a.data.ptr for a in arrays]
    table["size"][0, :count], table["first"][0, :count] = [whole[0].size for whole in kept], first
    table["count"] = count
    if block:
        kernel(dtype, block, THREADS, table, *numbers)
    for arrays, whole in zip(many, kept, strict=True):
        for role, a, w in zip(ROLES, arrays, whole, strict=False):
            if a is not w and role != "g":
                a[...] = w
