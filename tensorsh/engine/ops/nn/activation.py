"""Activation functions of neural networks: ``torch.nn.functional.relu`` and its like.

Kinks take PyTorch's side: the gradient of relu at 0 is 0, of a clamp at its bounds as each function has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import kernels
from ...arrays.backend import module_of
from ...arrays.constants import FLOAT32, FLOAT64, ZERO32, ZERO64, constant
from ...arrays.door import ASKED
from ...arrays.errors import not_implemented, wrap_dim
from ...arrays.numbers import check_width
from ...arrays.on_arrays import on_arrays
from ...arrays.parallel import by_rows
from ...arrays.state import here
from ...arrays.switches import ever
from ...loading import table
from ...numerics.choices import where
from ...numerics.halves import by_kernel, by_table, slope_by_kernel
from ...numerics.rounding import fused, log_of_sigmoid, rounded
from ...operators.declare import Array, by, composite, operator
from ...operators.elementwise import KERNEL
from ...operators.forms import dressed, form, public
from ...operators.scipy import from_scipy
from ...tape.worlds import raw
from ...tensors.inplace import write
from ...tensors.tensor import Tensor
from ...wording.arguments import mismatch
from ..elementwise.elementary import sigmoid_of

FUNCTIONAL = "nn.functional."
ZEROS = {FLOAT32: ZERO32, FLOAT64: ZERO64}


def only_floats(kernel: str, kinds: str = "biuc") -> Any:
    """A check that refuses the dtypes of some kinds in PyTorch's words, and numbers of more than 64 bits."""

    def check(input: Any, *rest: Any) -> None:
        for each in rest:
            if type(each) is int:
                check_width(each)
        if input.dtype.kind in kinds:
            raise not_implemented(kernel, input)

    return check


def activation(names: str, /, *, check: Any = None, **options: Any) -> Any:
    """An elementwise function of one tensor and numbers, half types computed in float32."""
    settings = {"wide": True, "inplace": False, "method": False, "check": check, "ufunc": KERNEL, "domain": "any"}
    return operator(names, **settings | options)


SLOPE = (
    "In-place {kernel} backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)


def steep(op: Any, kernel: str, more: str = "") -> Any:
    """An operator beside another, for its calls in place with a slope below 0. PyTorch takes the gradient of a call in place from
    the result, whose sign tells that of the operand for a slope of 0 or more alone: here it raises."""

    def refused(t: Any, g: Any) -> Any:
        raise RuntimeError(SLOPE.format(kernel=kernel) + more)

    beside = activation(f"_steep{op.name}", check=op.check, node=op.inplace_node)(op.kernel)
    beside.gradient(input=refused)
    return beside


def with_inplace(name: str, op: Any, form_too: bool = True, below: Any = None) -> None:
    """``nn.functional.name(input, ..., inplace=False)`` for an operator, and (where PyTorch has it) ``name_``.

    below: the operator of calls in place whose first number is below 0, if it is another."""
    count = len(op.params)
    run, bind = op.function, op.bind

    def changed(*args: Any, **kwargs: Any) -> Tensor:
        values = bind(args, kwargs)
        return write(below if below is not None and values[1] < 0 else op, values)

    title = "torch." + FUNCTIONAL + name

    def any_call(args: tuple, kwargs: dict) -> Tensor:
        if "out" in kwargs and (error := mismatch(title, args, kwargs)) is not None:
            raise error
        settings = kwargs.copy()
        inplace = settings.pop("inplace", False)
        if len(args) > count:
            if "inplace" in kwargs:
                raise TypeError(f"{name}() got multiple values for argument 'inplace'")
            *args, inplace = args  # type: ignore[assignment]
        return changed(*args, **settings) if inplace else run(*args, **settings)

    told = public(title, any_call)

    def function(*args: Any, inplace: bool = False, **kwargs: Any) -> Tensor:
        if inplace:
            return told(*args, inplace=inplace, **kwargs)
        if len(args) <= count and "out" not in kwargs and not (ever and here.door >= ASKED):
            try:
                return run(*args, **kwargs)
            except Exception:
                pass
        return told(*args, **kwargs)

    function.__doc__ = op.doc
    table.FUNCTIONS[FUNCTIONAL + name] = function
    table.OPERATORS[FUNCTIONAL + name] = op
    if form_too:
        table.FUNCTIONS[f"{FUNCTIONAL}{name}_"] = dressed(form(title + "_", changed), changed)


def by_kernel_backward(name: str) -> Any:
    """A formula of the gradient of a function, of g, the argument and numbers, for arrays of floats by the kernel of a name."""

    def computed(g: Any, input: Any, *numbers: Any) -> Any:
        if type(g) is not np.ndarray:
            return None
        return kernels.through(name + "_backward", g, input, *map(g.dtype.type, numbers))

    return on_arrays(computed)


def selected(condition: Any, g: Any) -> Any:
    if type(g) is not np.ndarray or g.dtype not in ZEROS:
        return None
    return where(condition, g, ZEROS[g.dtype])


@on_arrays(selected)
def select(t: Any, condition: Any, g: Any) -> Any:
    """The gradient where a condition holds, 0 elsewhere (also for infinite gradients)."""
    return t.where(condition, g, t.zeros_like(g))


def dropped(condition: Any, g: Any) -> Any:
    if type(g) is not np.ndarray or g.dtype not in ZEROS:
        return None
    return where(condition, ZEROS[g.dtype], g)


@operator(
    "_stepped_backward", method=False, node=lambda grad, input, condition, slope, name: name + "BackwardBackward0"
)
def stepped_backward(xp, grad: Array, input: Array, condition: Array, slope, name):
    """The gradient times `slope` where a condition holds: of a function of straight pieces, whose second derivative is 0."""
    kind = grad.dtype.type
    return xp.where(condition, grad * kind(slope) if slope else kind(0), grad)


stepped_backward.gradient(
    grad=lambda t, g, input, condition, slope, name: t._stepped_backward(g, input, condition, slope, name),
    input=lambda t, g, input: t.zeros_like(input),
)


@on_arrays(lambda condition, g, *_: dropped(condition, g))
def flat(t: Any, condition: Any, g: Any, input: Any, name: str, slope: float = 0.0) -> Any:
    """The gradient of a function of straight pieces: 0, or `slope`, where a condition holds (NaN passes the gradient on)."""
    return t._stepped_backward(g, input, condition, slope, name)


ELU = kernels.kernel("elu")


def elu_of_floats(a: Any, alpha: Any = 1.0, scale: Any = 1.0, input_scale: Any = 1.0) -> Any:
    """The kernel's elu, where it has one."""
    if ELU is None or input_scale != 1 or type(a) is not np.ndarray or a.dtype.char not in "fd":
        return None
    kind = a.dtype.type
    return ELU(a, kind(alpha * scale), kind(scale))


@activation("_elu", check=only_floats("elu_cpu"), node="EluBackward0 EluBackward1")
def elu(xp, input: Array, alpha=1.0, scale=1.0, input_scale=1.0):
    """``scale * x`` above 0, ``scale * alpha * (exp(input_scale * x) - 1)`` below."""
    kind = input.dtype.type
    if (found := elu_of_floats(input, alpha, scale, input_scale)) is not None:
        return found
    if type(input) is np.ndarray and not np.less_equal(input, 0).any():
        return input * kind(scale)
    low = rounded(xp.expm1, input * kind(input_scale)) * kind(alpha * scale)
    return xp.where(input <= 0, low, input * kind(scale))


elu.fast = elu_of_floats
elu.same = by_table(
    elu, by_kernel("elu", lambda x, alpha, scale, step: (x, alpha * scale, scale) if step == 1 else None)
)


def elu_backward(g: Any, input: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    if input_scale == 1 and (found := slope_by_kernel("elu_backward", g, input, alpha * scale, scale)) is not None:
        return found
    # Where all elements are above 0, which is usual, no exponentials are needed.
    return g * scale if type(input) is np.ndarray and not np.less_equal(input, 0).any() else None


@elu.gradient_of("input")
@on_arrays(elu_backward)
def elu_gradient(t: Any, g: Any, input: Any, alpha: Any, scale: Any, input_scale: Any) -> Any:
    low = g
    for factor in (input_scale, alpha * scale):
        low = low if factor == 1 else low * factor
    low = low * t.exp(t.where(input <= 0, input, t.zeros_like(input)) * input_scale)
    return t.where(input <= 0, low, g * scale)


def elu_family(name: str, make: Any, doc: str) -> None:
    """elu, selu and celu are one operator with other constants."""

    def function(input: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Tensor:
        op, values, rest = make(input, *args, **kwargs)
        if inplace or (rest and rest[0]):
            return write(STEEP[op.name] if values[1] < 0 else op, values)
        return op.run(values)

    def changed(input: Any, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, inplace=True, **kwargs)

    function.__doc__ = doc
    composite(FUNCTIONAL + name + (f" {name}" if name != "elu" else ""), method=False, domain="any")(function)
    for prefix in (FUNCTIONAL, "") if name != "elu" else (FUNCTIONAL,):
        table.FUNCTIONS[prefix + name + "_"] = dressed(form(f"torch.{prefix}{name}_", changed), changed)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def celu_call(input: Any, alpha: float = 1.0, *rest: Any) -> tuple:
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return celu, [input, alpha], rest


@activation("_celu", check=only_floats("elu_cpu"), node="CeluBackward0 CeluBackward1")
def celu(xp, input: Array, alpha=1.0):
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    return elu.kernel(xp, input, alpha, 1.0, 1.0 / alpha)


celu.fast = lambda a, alpha=1.0: elu_of_floats(a, alpha, 1.0, alpha)
celu.same = by_table(celu, by_kernel("elu", lambda x, alpha: (x, alpha, 1.0) if alpha == 1 else None))
celu.gradient(input=lambda t, g, input, alpha: elu_gradient(t, g, input, alpha, 1.0, 1.0 / alpha))
STEEP = {op.name: steep(op, "elu") for op in (elu, celu)}
elu_family(
    "elu", lambda input, alpha=1.0, *rest: (elu, [input, alpha, 1.0, 1.0], rest),
    "``x`` above 0, ``alpha * (exp(x) - 1)`` below.",
)  # fmt: skip
elu_family("selu", lambda input, *rest: (elu, [input, SELU_ALPHA, SELU_SCALE, 1.0], rest), "The self-normalising elu.")
elu_family("celu", celu_call, "``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.")

# -- smooth functions

SQRT_HALF, SQRT_2_OVER_PI, INV_SQRT_2PI = math.sqrt(0.5), math.sqrt(2 / math.pi), 1 / math.sqrt(2 * math.pi)


def erf_of(x: Any) -> Any:
    found = kernels.through("erf", x)
    return found if found is not None else rounded(from_scipy(module_of(x), "erf"), x)


@activation("nn.functional.gelu", check=only_floats("GeluKernelImpl"), node="GeluBackward0")
def gelu(xp, input: Array, *, approximate="none"):
    """``x`` times the normal distribution function of x, exactly or through tanh."""
    if kernels.suits(input) and approximate in ("none", "tanh"):
        return (kernels.compiled.gelu if approximate == "none" else kernels.compiled.gelu_tanh)(input)
    kind = input.dtype.type
    half, one = kind(0.5), kind(1)
    if approximate == "tanh":
        inner = kind(SQRT_2_OVER_PI) * (input + kind(0.044715) * input * input * input)
        return half * input * (one + rounded(xp.tanh, inner))
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input * half * (one + erf_of(input * kind(SQRT_HALF)))


def gelu_backward(g: Any, input: Any, approximate: Any) -> Any:
    if not kernels.suits(g, input):
        return None
    tanh = approximate == "tanh"
    return (kernels.compiled.gelu_tanh_backward if tanh else kernels.compiled.gelu_backward)(g, input)


@gelu.gradient_of("input")
@on_arrays(gelu_backward)
def gelu_gradient(t: Any, g: Any, input: Any, approximate: Any) -> Any:
    if approximate == "tanh":
        square = input * input
        tanh = t.tanh((input + input * square * 0.044715) * SQRT_2_OVER_PI)
        slope = (square * (3 * 0.044715) + 1) * SQRT_2_OVER_PI
        return g * ((tanh + 1) * 0.5 + input * 0.5 * (1 - tanh * tanh) * slope)
    share = (t.erf(input * SQRT_HALF) + 1) * 0.5
    return g * (share + input * t.exp(input * input * -0.5) * INV_SQRT_2PI)


def silu_of(x: Any) -> Any:
    if (found := kernels.through("silu", x)) is not None:
        return found
    return x / (constant(1.0, x.dtype) + rounded(np.exp, np.negative(x)))


@activation("_silu", check=only_floats("silu_cpu", "biu"), node="SiluBackward0",
            ufunc=by(silu_of, loop=kernels.kernel("silu")))  # fmt: skip
def silu(xp, input: Array):
    """``x * sigmoid(x)``."""
    found = kernels.through("silu", input)
    return input / (input.dtype.type(1) + rounded(xp.exp, -input)) if found is None else found


silu.real_gradient = True
silu.same = by_table(silu, silu.same)


@silu.gradient_of("input")
@by_kernel_backward("silu")
def silu_gradient(t: Any, g: Any, input: Any) -> Any:
    s = t.sigmoid(input)
    return g * t.conj(s * ((1 - s) * input + 1))


with_inplace("silu", silu, False)


@activation("_mish", check=only_floats("mish_cpu"), node="MishBackward0")
def mish(xp, input: Array):
    """``x * tanh(softplus(x))``."""
    return input * rounded(xp.tanh, rounded(xp.log1p, rounded(xp.exp, input)))


@mish.gradient_of("input")
def mish_gradient(t: Any, g: Any, input: Any) -> Any:
    s = t.sigmoid(input)
    tanh = t.tanh(t._softplus(input, 1, 20))
    return g * fused(input * s, fused(-tanh, tanh, 1), tanh)


with_inplace("mish", mish, False)


@activation("_softplus nn.functional.softplus", check=only_floats("softplus_cpu"), node="SoftplusBackward0")
def softplus(xp, input: Array, beta=1, threshold=20):
    """``log(1 + exp(beta * x)) / beta``, x itself where ``beta * x`` is above `threshold`."""
    kind = input.dtype.type
    if (found := kernels.through("softplus", input, kind(beta), kind(threshold))) is not None:
        return found
    scaled = input * kind(beta)
    linear = scaled > kind(threshold)
    return xp.where(linear, input, rounded(xp.log1p, rounded(xp.exp, scaled)) / kind(beta))


@softplus.gradient_of("input")
@by_kernel_backward("softplus")
def softplus_gradient(t: Any, g: Any, input: Any, beta: Any, threshold: Any) -> Any:
    power = t.exp(input * beta)
    return t.where(input * beta > threshold, g, g * power / (power + 1))


@operator("nn.functional.logsigmoid", domain="any", method=False, wide=True, outputs=1, node="LogSigmoidBackward0",
          check=only_floats("log_sigmoid_cpu"))  # fmt: skip
def logsigmoid(xp, input: Array):
    """``log(sigmoid(x))``, without overflow."""
    return log_of_sigmoid(xp, input)


logsigmoid.same = by_table(logsigmoid)


def logsigmoid_backward(g: Any, input: Any) -> Any:
    if (found := slope_by_kernel("logsigmoid_backward", g, input)) is not None:
        return found
    power = raw.exp(-raw.abs(input))
    share = power / (power + 1)
    return g * raw.where(input < 0, 1 - share, share)


@logsigmoid.gradient_of("input")
@on_arrays(logsigmoid_backward)
def logsigmoid_gradient(t: Any, g: Any, input: Any) -> Any:
    return g * t.sigmoid(-input)


@composite("nn.functional.softsign", domain="any", method=False)
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


@composite("nn.functional.tanhshrink", domain="any", method=False)
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


def halves(xp: Any, input: Any, dim: int) -> tuple:
    n = input.shape[dim] // 2
    index: list = [slice(None)] * input.ndim
    index[dim] = slice(0, n)
    first = input[tuple(index)]
    index[dim] = slice(n, 2 * n)
    return first, input[tuple(index)]


gated_floats = only_floats("glu_cpu")


@operator("nn.functional.glu", method=False, wide=True)
def glu(xp, input: Array, dim=-1):
    """The first half along `dim` times the sigmoid of the second."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.ndim)
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    gated_floats(input)
    first, second = halves(xp, input, dim)
    if (found := by_rows(kernels.through, "gated", first, second)) is not None:
        return found
    s = sigmoid_of(xp, second)
    return xp.multiply(first, s, out=s)


def glu_backward(g: Any, input: Any, dim: Any) -> Any:
    if type(g) is not np.ndarray or g.dtype is not input.dtype:
        return None
    found = np.empty_like(input)
    dim %= input.ndim
    (first, second), (one, other) = halves(np, input, dim), halves(np, found, dim)
    if by_rows(kernels.through, "gated", g, second, one) is not None:
        by_rows(kernels.through, "gated_backward", first, second, g, other)
        return found
    s = sigmoid_of(np, second if input.itemsize > 2 else second.astype(np.float32)).astype(input.dtype)
    np.multiply(g, s, one)
    if input.itemsize == 2:  # the other half is rounded once
        s, first, g = (x.astype(np.float32) for x in (s, first, g))
    rest = np.subtract(s.dtype.type(1), s)
    rest *= s
    rest *= first
    other[...] = np.multiply(rest, g, rest)
    return found


@glu.gradient_of("input")
@on_arrays(glu_backward)
def glu_gradient(t: Any, g: Any, input: Any, dim: Any) -> Any:
    first, second = halves(None, input, dim % input.ndim)
    s = t.sigmoid(second)
    return t.cat([g * s, (1 - s) * s * first * g], dim)
