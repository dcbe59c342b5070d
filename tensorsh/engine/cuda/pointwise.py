"""Elementwise operators as one kernel each: an expression, what its operands are, and a launch without a step between.

cupy's functions work for all arrays, and pay for that at every call. Here a kernel is made for the dtype and for what the other
operands are (an array of the shape, a smaller one that is spread, a number) when they first come, and launched at
once. What is not contiguous, of mixed dtypes or on several devices is left to the operator's own function."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import cupy_module, device_guard
from .kernels import C_NAMES, FLOATS, HEADERS, PACKS
from .launch import Launcher

THREADS = 128
ARRAY, NUMBER, SPREAD = "array", "number", "spread"
LETTERS = "abc"
INTEGERS = ("int32", "int64")
NUMBERS = (float, int)
KERNELS: dict[str, Pointwise] = {}
"""By the operator's name."""


def source(name: str, expression: str, dtype: str, result: str, kinds: str, roles: tuple) -> tuple[str, str]:
    """The C of a kernel and its name. kinds: a letter for each operand, `T` of the dtype or `M` a mask; roles: whether it is an
    array, a number, or spread."""
    kind, out = C_NAMES[dtype], C_NAMES[result]
    wide = "float" if kind in HEADERS else kind
    used = [*zip(LETTERS, kinds, roles, strict=False)]
    sizes = [1 if kind == "M" else np.dtype(dtype).itemsize for _, kind, role in used if role == ARRAY]
    width = 16 // max(*sizes, np.dtype(result).itemsize)
    params, each, many, packs = [], [], [], []
    for letter, kind_of, role in used:
        computed = "A" if kind_of == "T" else kind_of
        if role == NUMBER:
            params.append(f"{computed} {letter}")
            each.append(letter)
        elif role == SPREAD:
            params.append(f"const {kind_of}* {letter}, long long every_{letter}, long long rows_{letter}")
            each.append(f"{computed}({letter}[at / every_{letter} % rows_{letter}])")
        else:
            params.append(f"const {kind_of}* {letter}")
            each.append(f"{computed}({letter}[at])")
            packs.append(f"{kind_of} of_{letter}[{width}]; load(of_{letter}, &{letter}[i]);")
        many.append(f"{computed}(of_{letter}[k])" if role == ARRAY else each[-1])
    signature = ", ".join(f"{'A' if kind == 'T' else kind} {letter}" for letter, kind, _ in used)
    even = " && ".join(f"aligned({x})" for x in (*(x for x, _, role in used if role == ARRAY), "y"))
    title = f"tensorsh_{name.strip('_').replace('.', '_')}"
    headers = "".join(sorted({HEADERS[n] for n in (kind, out) if n in HEADERS}))
    code = f"""{headers}typedef {kind} T;
typedef {wide} A;
typedef {out} R;
typedef bool M;
{PACKS}
__device__ R each({signature}) {{ return R({expression}); }}
extern "C" __global__ void {title}({", ".join(params)}, R* y, long long n) {{
  long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * {width};
  if (i + {width} <= n && {even}) {{
    {" ".join(packs)}
    R made[{width}];
    for (int k = 0; k < {width}; k++) {{ long long at = i + k; made[k] = each({", ".join(many)}); }}
    store(&y[i], made);
  }} else for (long long at = i; at < n && at < i + {width}; at++) y[at] = each({", ".join(each)});
}}"""
    return code, title


def stretch(small: tuple, shape: tuple) -> tuple[int, int] | None:
    """How a contiguous array of a shape is spread over a larger one: each element stands so often in a row, and after so many it
    begins again; None where that is not so, as for a column beside another."""
    if len(small) > len(shape):
        return None
    small = (1,) * (len(shape) - len(small)) + small
    if any(s not in (1, n) for s, n in zip(small, shape, strict=True)):
        return None
    kept = [k for k, s in enumerate(small) if s != 1]
    if any(b - a > 1 and any(shape[k] != 1 for k in range(a + 1, b)) for a, b in pairwise(kept)):
        return None
    every = rows = 1
    for s, n in zip(reversed(small), reversed(shape), strict=True):
        if rows == 1 and s == 1:
            every *= n
        rows *= s
    return every, rows


class Pointwise:
    """An operator's function of operands in its first places, the rest at their defaults."""

    def __init__(self, name: str, expression: str, kinds: str = "T", dtypes: tuple = FLOATS, result: str = "") -> None:
        """expression: of `a`, `b` and `c`, computed in float for the half types.  kinds: a letter for each operand, as in
        `source`.  result: the dtype, if not that of the operands."""
        self.name, self.expression, self.kinds = name, expression, kinds
        self.dtypes, self.result = frozenset(map(np.dtype, dtypes)), result
        self.made: dict[tuple, Any] = {}
        self.rest: tuple = ()
        self.exact = False
        KERNELS[name] = self

    def kernel(self, dtype: np.dtype, roles: tuple) -> Any:
        """What launches for operands: the compiled function, the result's dtype, elements of a block; None for a dtype that it
        has none for."""
        if dtype not in self.dtypes:
            return None
        result = np.dtype(self.result or dtype)
        code, title = source(self.name, self.expression, dtype.name, result.name, self.kinds, roles)
        block = THREADS * (16 // max(dtype.itemsize, result.itemsize))
        return Launcher(code, title), result, block

    def __call__(self, *operands: Any, out: Any = None) -> Any:
        """The result; None for what the operator's own function is to compute. `out`: an array of the result's shape and dtype
        to write."""
        if device_guard.several:
            return None
        kind, count = cupy_module.array_class, len(self.kinds)
        if len(operands) > count:
            for given, usual in zip(operands[count:], self.rest, strict=True):
                if given is not usual:
                    return None
            operands = operands[:count]
        if self.kinds[0] == "M" and hasattr(operands[0], "_array"):
            operands = (operands[0]._array, *operands[1:])
        first, size = None, -1
        for x, letter in zip(operands, self.kinds, strict=True):
            if type(x) is kind:
                if not x._c_contiguous:
                    return None
                if x.size > size:
                    largest, size = x, x.size
                if letter == "T":
                    if first is None:
                        first = x
                    elif x.dtype != first.dtype:
                        return None
                elif x.dtype.kind != "b":
                    return None
            elif letter == "M" or type(x) not in NUMBERS and not isinstance(x, np.generic):
                return None
        if first is None or not size:
            return None
        dtype, shape = first.dtype, largest.shape
        roles, args = [], []
        for x in operands:
            if type(x) is not kind:
                if type(x) in NUMBERS:
                    if dtype.kind == "i" and not (type(x) is int and -(1 << 31) <= x < 1 << 31):
                        return None
                elif type(x) is not dtype.type:
                    return None
                roles.append(NUMBER)
                args.append(self.rounded(x, dtype))
            elif x is largest or x.shape == shape:
                roles.append(ARRAY)
                args.append(x)
            else:
                found = stretch(x.shape, shape)
                if found is None:
                    return None
                roles.append(SPREAD)
                args += (x, *found)
        key = (kind, dtype, *roles)
        try:
            found = self.made[key]
        except KeyError:
            found = self.made[key] = self.kernel(dtype, tuple(roles))
        if found is None:
            return None
        function, result, block = found
        if out is None:
            out = kind(shape, result)
        elif out.shape != shape or out.dtype != result or not out._c_contiguous or self.meets(out, operands):
            return None
        function(-(-size // block), THREADS, *args, out, size)
        return out

    def of(self, op: Any) -> Pointwise:
        """Itself, with what an operator's record says of it."""
        self.rest, self.exact = tuple(op.defaults[len(self.kinds) :]), op.exact_numbers
        return self

    def meets(self, out: Any, operands: tuple) -> bool:
        """Whether what is written lies in the memory of an operand, other than as the operand itself."""
        memory = out.data.mem.ptr
        return any(x is not out and type(x) is type(out) and x.data.mem.ptr == memory for x in operands)

    def rounded(self, x: Any, dtype: Any) -> Any:
        """A number in the dtype; beside halves as exact as the computation, where it scales."""
        if dtype.itemsize != 2:
            return dtype.type(x)
        return np.float32(x if self.exact else dtype.type(x))


def pointwise(names: str, expression: str, kinds: str = "T", **options: Any) -> None:
    for name in names.split():
        Pointwise(name, expression, kinds, **options)


ALL = FLOATS + INTEGERS
pointwise("add", "a + b", "TT", dtypes=ALL)
pointwise("sub", "a - b", "TT", dtypes=ALL)
pointwise("mul", "a * b", "TT", dtypes=ALL)
pointwise("true_divide", "a / b", "TT")
pointwise("maximum", "a != a || a >= b ? a : b", "TT")
pointwise("minimum", "a != a || a <= b ? a : b", "TT")
for _name, _sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    pointwise(_name, f"a {_sign} b", "TT", dtypes=ALL, result="bool")
pointwise("neg", "-a", dtypes=ALL)
for _name in "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh sqrt rsqrt floor ceil trunc erf".split():
    pointwise(_name, f"{_name}(a)")
pointwise("abs", "fabs(a)")
pointwise("sigmoid", "1 / (1 + exp(-a))")
pointwise("reciprocal", "1 / a")
pointwise("_tanh_backward", "a * (1 - b * b)", "TT")
pointwise("_sigmoid_backward", "a * (1 - b) * b", "TT")
pointwise("relu", "a < 0 ? 0 : a")
pointwise("_silu", "a / (1 + exp(-a))")
pointwise("_where", "a ? b : c", "MTT", dtypes=ALL)
pointwise("_pow_number", "b == A(2) ? a * a : A(pow(a, b))", "TT")
_BOUNDED = "(a < b ? b : a) > c ? c : a < b ? b : a"
pointwise("_clamp_numbers", f"a != a ? a : b != b ? b : c != c ? c : {_BOUNDED}", "TTT")
pointwise("nn.functional.gelu", "A(0.5) * a * (1 + erf(a * A(0.70710678118654752)))")

OPERATORS = {"add": "a + b", "sub": "a - b", "mul": "a * b", "truediv": "a / b"}
"""Python's operators of arrays, with which gradients are computed."""
_changed: set[type] = set()


def install(kind: Any) -> None:
    """Let the operators of a GPU's arrays launch kernels of their own too, where these are for their operands."""
    if kind in _changed:
        return
    _changed.add(kind)
    for name, expression in OPERATORS.items():
        own = Pointwise(f"__{name}", expression, "TT", FLOATS if name == "truediv" else ALL)
        del KERNELS[own.name]
        usual, changing = getattr(kind, f"__{name}__"), getattr(kind, f"__i{name}__")

        def forward(a: Any, b: Any, own: Any = own, usual: Any = usual) -> Any:
            found = own(a, b)
            return usual(a, b) if found is None else found

        def inplace(a: Any, b: Any, own: Any = own, usual: Any = changing) -> Any:
            found = own(a, b, out=a)
            return usual(a, b) if found is None else found

        setattr(kind, f"__{name}__", forward)
        setattr(kind, f"__i{name}__", inplace)
    negated = Pointwise("__neg", "-a", "T", FLOATS)
    del KERNELS[negated.name]
    positive = kind.__neg__

    def negative(a: Any) -> Any:
        found = negated(a)
        return positive(a) if found is None else found

    kind.__neg__ = negative
