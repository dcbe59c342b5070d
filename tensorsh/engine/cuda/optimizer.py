"""Steps of optimizers: one launch for many parameters, each in one pass over it, its gradient and what is kept.

A launch is given a table of addresses, by value. Its blocks take a part of one parameter each; a block finds its parameter
by its number. Parameters go together when they have a device, a dtype and the numbers of the step in common."""

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
"""The parameter, its gradient, and up to three arrays of what an optimizer keeps of it."""
TABLE = np.dtype(
    [(role, np.uint64, MOST) for role in ROLES]
    + [("size", np.int64, MOST), ("first", np.int32, MOST), ("count", np.int32)],
    align=True,
)


def step(name: str, kept: str, numbers: str, operation: str) -> Raw:
    """A kernel that does `operation` for each element: of the parameter, as A in `p` and as T in `x`, of `d`, its gradient with
    the weight decay, and of the arrays that are kept, by their names. All numbers follow `decay` and `sign`, or `keep` and these."""
    numbers = " ".join(["decay sign", numbers]).strip()
    wanted = "".join(f", A {n}" for n in numbers.split())
    arrays = "".join(
        f"  T* {own} = many.{role}[k];\n" for role, own in zip(ROLES, ["x", "g", *kept.split()], strict=False)
    )
    shrunk = "keep * " if "keep" in numbers.split() else ""
    return Raw(
        f"tensorsh_{name}",
        f"""struct Table {{ T *x[{MOST}], *g[{MOST}], *m[{MOST}], *v[{MOST}], *w[{MOST}]; long long size[{MOST}];
  int first[{MOST}], count; }};
extern "C" __global__ void tensorsh_{name}(Table many{wanted}) {{
  int k = 0, block = blockIdx.x;
  for (int step = {MOST // 2}; step > 0; step = step / 2)
    if (k + step < many.count && block >= many.first[k + step]) k += step;
{arrays}  long long begin = (long long)(block - many.first[k]) * {PART};
  long long end = min(begin + {PART}, many.size[k]);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    A p = {shrunk}A(x[i]); A d = sign * A(g[i]) + decay * p;
    {operation}
  }}
}}""",
    )


MEAN = "A b = A(m[i]); b = b + share * (d - b); m[i] = T(b);"
SQUARES = "A s = beta * A(v[i]) + rest * d * d; v[i] = T(s);"
"""The running means of the gradient, and of its square."""

SGD = step("sgd", "", "lr", "x[i] = T(p - lr * d);")
MOMENTUM = step(
    "sgd_momentum", "m", "lr keeping share ahead",
    "A b = keeping * A(m[i]) + share * d; m[i] = T(b); x[i] = T(p - lr * (ahead != A(0) ? d + ahead * b : b));",
)  # fmt: skip
"""ahead: the momentum, where it is Nesterov's; else 0."""
MOVE = "x[i] = T(p - size * (b / (sqrt(s) / correction + eps)));"
NUMBERS = "keep share beta rest correction eps size"
ADAM = step("adam", "m v", NUMBERS, MEAN + SQUARES + MOVE)
AMSGRAD = step("adam_amsgrad", "m v w", NUMBERS, MEAN + SQUARES + "s = max(s, A(w[i])); w[i] = T(s);" + MOVE)
NADAM = step(
    "nadam", "m v", "keep share beta rest correction eps first second",
    MEAN + SQUARES + "A q = sqrt(s / correction) + eps; x[i] = T(p - first * d / q - second * b / q);",
)  # fmt: skip
RADAM = step(
    "radam", "m v", "keep share beta rest eps size scale",
    MEAN + SQUARES + "A c = b * size; c = scale != A(0) ? c * (scale / (sqrt(s) + eps)) : c; x[i] = T(p - c);",
)  # fmt: skip
"""scale: of the rectified step, 0 where it is not."""
ADAMAX = step(
    "adamax", "m v", "share beta eps rate",
    MEAN + "A t = beta * A(v[i]), n = fabs(d) + eps; t = t > n || t != t ? t : n; v[i] = T(t); x[i] = T(p - rate * b / t);",
)  # fmt: skip
CENTRED = "A a = A(w[i]); a = a + rest * (d - a); w[i] = T(a); s = s - a * a;"
STRAIGHT = "x[i] = T(p - lr * d / (sqrt(s) + eps));"
HEAVY = "A b = momentum * A(m[i]) + d / (sqrt(s) + eps); m[i] = T(b); x[i] = T(p - lr * b);"
RMSPROP = step("rmsprop", "v", "beta rest eps lr momentum", SQUARES + STRAIGHT)
RMSPROP_CENTRED = step("rmsprop_centred", "v w", "beta rest eps lr momentum", SQUARES + CENTRED + STRAIGHT)
RMSPROP_MOMENTUM = step("rmsprop_momentum", "v m", "beta rest eps lr momentum", SQUARES + HEAVY)
RMSPROP_BOTH = step("rmsprop_both", "v w m", "beta rest eps lr momentum", SQUARES + CENTRED + HEAVY)
ADAGRAD = step(
    "adagrad", "v", "eps rate", "A s = A(v[i]) + d * d; v[i] = T(s); x[i] = T(p - rate * d / (sqrt(s) + eps));"
)
ADADELTA = step(
    "adadelta", "v w", "beta rest eps lr",
    SQUARES + "A u = A(w[i]); A c = sqrt(u + eps) / sqrt(s + eps) * d; w[i] = T(beta * u + rest * c * c); x[i] = T(p - lr * c);",
)  # fmt: skip
ASGD = step(
    "asgd", "m", "shrink eta share",
    "A q = shrink * p - eta * d; x[i] = T(q); A a = A(m[i]); m[i] = share == A(1) ? T(q) : T(a + share * (q - a));",
)  # fmt: skip
RPROP = step(
    "rprop", "m v", "shrink grow least most",
    "A q = d * A(m[i]); A z = A(v[i]) * (q < A(0) ? shrink : (q > A(0) ? grow : A(1)));"
    "z = z < least ? least : (z > most ? most : z); v[i] = T(z); d = q < A(0) ? A(0) : d; m[i] = T(d);"
    "x[i] = T(p - (d > A(0) ? z : (d < A(0) ? -z : A(0))));",
)  # fmt: skip


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
