"""Activation functions as modules."""

from __future__ import annotations

from typing import Any

from ....engine.arrays.warning import warn
from ....engine.tensors.tensor import Tensor
from .. import init
from ..parameter import Parameter
from ..reach import F, T
from .module import Module

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin",
    "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


class InPlace(Module):
    """An activation that may write its result over its input, and has no other option."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


def flag(module: Any) -> str:
    return ", inplace=True" if module.inplace else ""


class ReLU(InPlace):
    """Rectified linear unit: max(0, x), elementwise. Any shape, any real dtype, the same out; NaN stays NaN. The slope
    at 0 is 0 (Nair and Hinton, "Rectified linear units improve restricted Boltzmann machines", 2010).
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.ReLU()(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])"""

    def forward(self, input: Tensor) -> Tensor:
        if F.replaced:
            return F.relu(input, inplace=self.inplace)
        return T.relu_(input) if self.inplace else T.relu(input)


class SELU(InPlace):
    """Scaled exponential linear unit: 1.0507 * (x if x > 0 else 1.6733 * (exp(x) - 1)), elementwise, with the numbers
    that keep mean 0 and variance 1 through layers (Klambauer and others, "Self-normalizing neural networks", 2017).
    inplace: write the result over the input (False). Any shape, a floating dtype, the same out.
    >>> nn.SELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-1.1113,  0.0000,  1.0507])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(InPlace):
    """Sigmoid linear unit, also called swish: x * sigmoid(x), elementwise (Elfwing, Uchibe and Doya, "Sigmoid-weighted
    linear units", 2017). Any shape, a floating or complex dtype, the same out.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(InPlace):
    """x * tanh(softplus(x)), elementwise: smooth, unbounded above, and at least -0.31 (Misra, "Mish: a self regularized
    non-monotonic activation function", 2019). Any shape, a floating dtype, the same out.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.Mish()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.3034,  0.0000,  0.8651])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(InPlace):
    """x * relu6(x + 3) / 6, elementwise: SiLU in straight pieces, 0 up to -3 and x from 3 on (Howard and others,
    "Searching for MobileNetV3", 2019). Any shape, a floating dtype, the same out.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.Hardswish()(torch.tensor([-4.0, -1.0, 1.0, 4.0]))
    tensor([-0.0000, -0.3333,  0.6667,  4.0000])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardsigmoid(InPlace):
    """relu6(x + 3) / 6, elementwise: the sigmoid in straight pieces, 0 up to -3 and 1 from 3 on (Courbariaux, Bengio
    and David, "BinaryConnect", 2015, with another slope). Any shape, a floating dtype, the same out.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.Hardsigmoid()(torch.tensor([-4.0, 0.0, 1.0]))
    tensor([0.0000, 0.5000, 0.6667])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Threshold(Module):
    """x where it exceeds a threshold, else one value, elementwise. Any shape, any real dtype, the same out. The
    gradient is that of x above the threshold and 0 elsewhere, at the threshold itself, too.
    threshold: the bound. value: what takes the place of x up to and at it.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.Threshold(0.5, 9.0)(torch.tensor([0.4, 0.5, 0.6]))
    tensor([9.0000, 9.0000, 0.6000])"""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{flag(self)}"


class RReLU(Module):
    """Leaky ReLU with random slopes: x, or a * x below zero; in training each a is drawn from uniform numbers, after
    `eval()` it is their mean (Xu and others, "Empirical evaluation of rectified activations", 2015). Any shape, a
    floating dtype.
    lower, upper: bounds of the slopes (1/8 and 1/3). inplace: write the result over the input (False).
    >>> nn.RReLU(0.1, 0.3).eval()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])"""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{flag(self)}"


class Hardtanh(Module):
    """x cut off at two bounds, elementwise; the slope is 1 between them and 0 at and outside them. Any shape, any real
    dtype.
    min_val, max_val: the bounds (-1 and 1). min_value, max_value: their older names; FutureWarning where they are
    given.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    AssertionError where max_val is not greater than min_val.
    >>> nn.Hardtanh()(torch.tensor([-2.0, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])"""

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: Any = None,
        max_value: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        for old, given in (("min", min_value), ("max", max_value)):
            if given is not None:
                warn(f"keyword argument `{old}_value` is deprecated and renamed to `{old}_val`", FutureWarning)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{flag(self)}"


class ReLU6(Hardtanh):
    """min(max(0, x), 6), elementwise: a ReLU that keeps within what few bits can tell apart (Krizhevsky, "Convolutional
    deep belief networks on CIFAR-10", 2010). Any shape, any real dtype, the same out.
    inplace: write the result over the input (False); RuntimeError for a leaf that requires a gradient.
    >>> nn.ReLU6()(torch.tensor([-1.0, 3.0, 9.0]))
    tensor([0., 3., 6.])"""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """The logistic function 1 / (1 + exp(-x)), elementwise: (-inf, inf) to (0, 1). Any shape; a floating or complex
    dtype gives the same, an integer one the default dtype. No arguments. For a loss of its logarithm use
    BCEWithLogitsLoss, which stays exact where the sigmoid rounds to 0 or 1.
    >>> nn.Sigmoid()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0.2689, 0.5000, 0.7311])"""

    def forward(self, input: Tensor) -> Tensor:
        return T.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent (exp(x) - exp(-x)) / (exp(x) + exp(-x)), elementwise: (-inf, inf) to (-1, 1). Any shape; a
    floating or complex dtype gives the same, an integer one the default dtype. No arguments. The gradient is 1 -
    tanh(x) ** 2, from the result that is kept.
    >>> nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.7616,  0.0000,  0.7616])"""

    def forward(self, input: Tensor) -> Tensor:
        return T.tanh(input)


class Exponential(Module):
    """What ELU and CELU share."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{flag(self)}"


class ELU(Exponential):
    """Exponential linear unit: x, or alpha * (exp(x) - 1) below zero, elementwise (Clevert, Unterthiner and Hochreiter,
    "Fast and accurate deep network learning by exponential linear units", 2015). Any shape, a floating dtype, the same
    out.
    alpha: minus the limit for large negative x (1.0). inplace: write the result over the input (False).
    >>> nn.ELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.6321,  0.0000,  1.0000])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(Exponential):
    """Continuously differentiable exponential linear unit: x, or alpha * (exp(x / alpha) - 1) below zero, elementwise;
    its slope at 0 is 1 for every alpha (Barron, 2017). Any shape, a floating dtype, the same out.
    alpha: minus the limit for large negative x (1.0); RuntimeError for 0. inplace: write the result over the input
    (False).
    >>> nn.CELU(2.0)(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.7869,  0.0000,  1.0000])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class GLU(Module):
    """Gated linear unit: a * sigmoid(b), a and b being the halves of the input along a dimension, (..., 2n, ...) to
    (..., n, ...) (Dauphin and others, "Language modeling with gated convolutional networks", 2016). A floating dtype,
    the same out.
    dim: the dimension to halve (-1). RuntimeError where its size is odd.
    >>> nn.GLU()(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])"""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """Gaussian error linear unit: x times the normal distribution function of x, elementwise (Hendrycks and Gimpel,
    2016). Any shape, a floating dtype, the same out.
    approximate: 'none' (default) for x / 2 * (1 + erf(x / sqrt(2))), or 'tanh' for
    x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))). RuntimeError for others.
    >>> nn.GELU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])"""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Shrinkage(Module):
    """What shrinks towards zero by a bound."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(Shrinkage):
    """x, or 0 where it lies between -lambd and lambd, elementwise: hard thresholding (Donoho and Johnstone, "Ideal
    spatial adaptation by wavelet shrinkage", 1994). Any shape, a floating dtype, the same out; the bounds themselves
    give 0.
    lambd: the bound (0.5).
    >>> nn.Hardshrink()(torch.tensor([-1.0, 0.5, 2.0]))
    tensor([-1.,  0.,  2.])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(Shrinkage):
    """x moved towards 0 by lambd, and 0 between -lambd and lambd, elementwise: soft thresholding (Donoho, "De-noising
    by soft-thresholding", 1995), the proximal step of an L1 penalty. Any shape, a floating dtype, the same out.
    lambd: the bound (0.5); RuntimeError where it is negative.
    >>> nn.Softshrink()(torch.tensor([-1.0, 0.2, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class LeakyReLU(Module):
    """x, or negative_slope * x below zero, elementwise, so that no unit stops learning (Maas, Hannun and Ng, "Rectifier
    nonlinearities improve neural network acoustic models", 2013). Any shape, a floating dtype, the same out.
    negative_slope: the slope below zero (0.01). inplace: write the result over the input (False).
    >>> nn.LeakyReLU(0.1)(torch.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])"""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{flag(self)}"


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x))), elementwise, computed as min(0, x) - log1p(exp(-abs(x))), which neither overflows nor
    rounds to log(0): (-inf, inf) to (-inf, 0). Any shape, a floating dtype, the same out. No arguments. The binary
    cross entropy of a logit x with label 1 is -LogSigmoid(x).
    >>> nn.LogSigmoid()(torch.tensor([-100.0, 0.0]))
    tensor([-100.0000,   -0.6931])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, elementwise: a smooth ReLU, always positive, sharper for larger beta (Dugas and
    others, "Incorporating second-order functional knowledge for better option pricing", 2000). Any shape, a floating
    dtype.
    beta: sharpness (1.0). threshold: where beta * x exceeds it (20.0), the result is x itself.
    >>> nn.Softplus()(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])"""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """Leaky ReLU whose slopes are learned: x, or weight * x below zero (He and others, "Delving deep into rectifiers",
    2015). Any shape (N, C, ...), a floating dtype, the same out.
    num_parameters: 1 slope for all, or one for each of C channels (1). init: their first value (0.25).
    device, dtype: those of the slopes (None: the defaults). RuntimeError where C is another number.
    >>> nn.PReLU()(torch.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)"""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(T.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slopes to their first value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + abs(x)), elementwise: (-inf, inf) to (-1, 1), with limits reached more slowly than those of tanh
    (Bergstra and others, "Quadratic polynomials learn better image features", 2009). Any shape; a floating or complex
    dtype gives the same.
    No arguments.
    >>> nn.Softsign()(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x), elementwise: flat around 0, where it behaves as x ** 3 / 3, and parallel to x far from it; what tanh
    leaves of the input. Any shape; a floating or complex dtype gives the same, an integer one the default dtype. No
    arguments. The gradient is tanh(x) ** 2.
    >>> nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2384,  0.0000,  0.2384])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Shares(Module):
    """Shares of a dimension, which add to 1."""

    def __init__(self, dim: Any = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Shares):
    """Exponentials along a dimension divided by their sum, exp(x) / exp(x).sum(dim): positive numbers that add to 1.
    Computed from x minus its maximum, so that nothing overflows. Any shape, a floating dtype, the same out.
    dim: the dimension; None (default) chooses 0 for 0, 1 and 3 dimensions and else 1, with a UserWarning.
    >>> nn.Softmax(dim=0)(torch.tensor([0.0, math.log(3)]))
    tensor([0.2500, 0.7500])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin(Shares):
    """softmax(-x): exponentials of the negative along a dimension, divided by their sum. The smallest element has the
    largest share. Any shape, a floating dtype, the same out.
    dim: the dimension; None (default) chooses 0 for 0, 1 and 3 dimensions and else 1, with a UserWarning.
    >>> nn.Softmin(dim=0)(torch.tensor([0.0, math.log(3)]))
    tensor([0.7500, 0.2500])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(Shares):
    """log(softmax(x)) along a dimension, computed as x - logsumexp(x), which stays exact where a softmax rounds to 0;
    NLLLoss takes it. Any shape, a floating dtype, the same out.
    dim: the dimension; None (default) chooses 0 for 0, 1 and 3 dimensions and else 1, with a UserWarning.
    >>> nn.LogSoftmax(dim=0)(torch.tensor([0.0, math.log(3)]))
    tensor([-1.3863, -0.2877])"""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """softmax over the channels of images: (N, C, H, W), or (C, H, W), to the same shape, so that the channels of each
    pixel add to 1, as for a segmentation into C classes. A floating dtype, the same out. No arguments; dimension -3 is
    the one of the channels.
    ValueError for other numbers of dimensions.
    >>> nn.Softmax2d()(torch.zeros(4, 1, 2)).flatten()
    tensor([0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500, 0.2500])"""

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3, _stacklevel=5)
