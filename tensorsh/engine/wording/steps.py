"""First steps of PyTorch's functions written in Python: what they ask of their arguments before anything is computed, and
the builtin function that they hand these to, which refuses what does not fit.

A step names the arguments that it looks at, as a gradient names what is kept. Functions whose arguments meet no builtin
function before the work begins have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .overloads import mismatch


class Builtins:
    """PyTorch's builtin functions, of which a call only tells whether it takes its arguments."""

    def __getattr__(self, name: str) -> Callable:
        return lambda *args, **kwargs: refused("_nn." + name, args, kwargs)


def refused(dotted: str, args: tuple, kwargs: dict, own: Any = None) -> None:
    error = mismatch(dotted, args, kwargs, own)
    if error is not None:
        raise error


def method(tensor: Any, name: str, *args: Any, **kwargs: Any) -> None:
    asked(tensor, name)
    refused("Tensor." + name, args, kwargs, tensor)


def asked(value: Any, name: str) -> None:
    """An attribute is read, which what is no tensor lacks."""
    getattr(value, name)


def sized(*tensors: Any) -> Any:
    for each in tensors:
        each.size()


def spread(value: Any, count: int = 2) -> tuple:
    """A setting for each of some dimensions."""
    return tuple(value) if hasattr(value, "__iter__") else (value,) * count


def unpacked(value: Any, count: int) -> None:
    """A setting that is taken apart into as many names as there are dimensions."""
    if count == 2:
        _, _ = spread(value, 2)
    elif count == 3:
        _, _, _ = spread(value, 3)


def filled(wanted: Any, sizes: tuple) -> Any:
    """The output sizes of an adaptive pooling, those of the input where none is given."""
    if isinstance(wanted, int):
        return wanted
    if len(sizes) <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    return [n if w is None else w for w, n in zip(wanted, sizes[-len(wanted) :], strict=False)]


def only(values: tuple, kinds: Any = object) -> Any:
    """The list in a place for several tensors, or these."""
    return values[0] if len(values) == 1 and isinstance(values[0], kinds) else values


C = Builtins()
LISTS = (list, tuple)


# -- activations, dropout, normalization


def soft(name: str) -> Callable:
    def step(input: Any, dim: Any, dtype: Any) -> None:
        asked(input, name)
        if dim is not None:
            method(input, name, dim, dtype=dtype)

    return step


def dropping(builtin: str, dims: bool = False) -> Callable:
    def step(input: Any, p: Any, training: Any) -> None:
        _ = p < 0.0
        if dims:
            input.dim()
        getattr(C, builtin)(input, p, training)

    return step


def embedding(input: Any, weight: Any, padding_idx: Any, max_norm: Any, scale_grad_by_freq: Any, sparse: Any) -> None:
    if padding_idx is not None and padding_idx > 0:
        weight.size()
    if max_norm is not None:
        asked(input, "contiguous")
    C.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Any, weight: Any, offsets: Any, scale_grad_by_freq: Any, mode: Any, sparse: Any, per_sample_weights: Any,
    include_last_offset: Any, padding_idx: Any,
) -> None:  # fmt: skip
    asked(weight, "dtype")
    if per_sample_weights is not None:
        sized(input, per_sample_weights)
    dims = weight.dim(), input.dim()
    if dims == (2, 2 - (offsets is not None)) and mode in ("sum", "mean"):
        starts, last = (input, False) if offsets is None else (offsets, include_last_offset)
        C.embedding_bag(weight, input, starts, scale_grad_by_freq, 0, sparse, per_sample_weights, last, padding_idx)


LAYERS: dict[str, Callable] = {
    "relu": lambda input: C.relu(input),
    "relu6": lambda input: C.relu6(input),
    "selu": lambda input: C.selu(input),
    "silu": lambda input: C.silu(input),
    "mish": lambda input: C.mish(input),
    "hardswish": lambda input: C.hardswish(input),
    "hardsigmoid": lambda input: C.hardsigmoid(input),
    "tanh": lambda input: input.tanh,
    "tanhshrink": lambda input: input.tanh,
    "sigmoid": lambda input: input.sigmoid,
    "softsign": lambda input: input.abs,
    "leaky_relu": lambda input, negative_slope: C.leaky_relu(input, negative_slope),
    "elu": lambda input, alpha: C.elu(input, alpha),
    "celu": lambda input, alpha: C.celu(input, alpha),
    "rrelu": lambda input, lower, upper, training: C.rrelu(input, lower, upper, training),
    "hardtanh": lambda input, min_val, max_val: C.hardtanh(input, min_val, max_val),
    "threshold": lambda input, threshold, value: C.threshold(input, threshold, value),
    "glu": lambda input, dim: (input.dim(), C.glu(input, dim)),
    "softmax": soft("softmax"),
    "softmin": soft("softmax"),
    "log_softmax": soft("log_softmax"),
    "gumbel_softmax": lambda logits: C.empty_like(logits),
    "dropout": dropping("dropout"),
    "alpha_dropout": dropping("alpha_dropout"),
    "feature_alpha_dropout": dropping("feature_alpha_dropout"),
    **{f"dropout{d}d": dropping("feature_dropout", dims=True) for d in (1, 2, 3)},
    "layer_norm": lambda input, normalized_shape, weight, bias, eps: C.layer_norm(
        input, normalized_shape, weight, bias, eps
    ),
    "rms_norm": lambda input, normalized_shape, weight, eps: C.rms_norm(input, normalized_shape, weight, eps),
    "group_norm": lambda input, num_groups, weight, bias, eps: (
        input.dim(),
        C.group_norm(input, num_groups, weight, bias, eps),
    ),
    "batch_norm": lambda input, weight, bias, running_mean, running_var, training, momentum, eps: (
        training and input.size(),
        eps <= 0.0,
        C.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False),
    ),
    "instance_norm": lambda input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps: (
        use_input_stats and input.size(),
        eps <= 0.0,
        C.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False),
    ),
    "normalize": lambda input: input.norm,
    "local_response_norm": lambda input: input.dim(),
    "embedding": embedding,
    "embedding_bag": embedding_bag,
}


# -- losses


def entropy(input: Any, target: Any, weight: Any) -> None:
    sized(target, input)
    if weight is not None:
        weight.size()
    C.binary_cross_entropy(input, target, weight, 1)


def multi_margin(input: Any, target: Any, p: Any, margin: Any, weight: Any) -> None:
    _ = p != 1
    if weight is not None:
        weight.dim()
    C.multi_margin_loss(input, target, p, margin, weight, 1)


def ranking(input1: Any, input2: Any, target: Any, margin: Any) -> None:
    for each in (input1, input2, target):
        each.dim()
    C.margin_ranking_loss(input1, input2, target, margin, 1)


LOSSES: dict[str, Callable] = {
    "cross_entropy": lambda input, target, weight, ignore_index, label_smoothing: C.cross_entropy_loss(
        input, target, weight, 1, ignore_index, label_smoothing
    ),
    "nll_loss": lambda input, target, weight, ignore_index: C.nll_loss_nd(input, target, weight, 1, ignore_index),
    "mse_loss": lambda input, target: (sized(target, input), C.mse_loss(input, target, 1)),
    "l1_loss": lambda input, target: (sized(target, input), C.l1_loss(input, target, 1)),
    "smooth_l1_loss": lambda input, target, beta: (sized(target, input), C.smooth_l1_loss(input, target, 1, beta)),
    "huber_loss": lambda input, target, delta: (sized(target, input), C.huber_loss(input, target, 1, delta)),
    "binary_cross_entropy": entropy,
    "binary_cross_entropy_with_logits": lambda input, target, weight, pos_weight: (
        sized(target, input),
        C.binary_cross_entropy_with_logits(input, target, weight, pos_weight, 1),
    ),
    "kl_div": lambda input, target, log_target: C.kl_div(input, target, 1, log_target=log_target),
    "soft_margin_loss": lambda input, target: C.soft_margin_loss(input, target, 1),
    "multi_margin_loss": multi_margin,
    "multilabel_margin_loss": lambda input, target: C.multilabel_margin_loss(input, target, 1),
    "multilabel_soft_margin_loss": lambda input: C.log_sigmoid(input),
    "margin_ranking_loss": ranking,
    "hinge_embedding_loss": lambda input, target, margin: C.hinge_embedding_loss(input, target, margin, 1),
    "cosine_embedding_loss": lambda input1, input2, target, margin: C.cosine_embedding_loss(
        input1, input2, target, margin, 1
    ),
    "triplet_margin_loss": lambda anchor, positive, negative, margin, p, eps, swap: (
        margin <= 0,
        C.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, 1),
    ),
    "poisson_nll_loss": lambda input, target, log_input, full, eps: C.poisson_nll_loss(
        input, target, log_input, full, eps, 1
    ),
    "gaussian_nll_loss": lambda var: isinstance(var, float) or C.any(var < 0),
    "ctc_loss": lambda log_probs, targets, input_lengths, target_lengths, blank, zero_infinity: C.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, 1, zero_infinity
    ),
}


# -- pooling and images


def pooling(d: int) -> dict[str, Callable]:
    """The steps of the poolings of d dimensions."""
    average, adaptive = getattr(C, f"avg_pool{d}d"), getattr(C, f"adaptive_max_pool{d}d")
    fraction = getattr(C, f"fractional_max_pool{d}d")

    def largest(name: str) -> Callable:
        builtin = getattr(C, name)
        return lambda input, kernel_size, stride, padding, dilation, ceil_mode: builtin(
            input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode
        )

    def power(input: Any, kernel_size: Any, stride: Any, ceil_mode: Any) -> None:
        unpacked(kernel_size, d)
        asked(input, "pow")
        average(input, kernel_size, [] if stride is None else stride, 0, ceil_mode)

    def adapted(input: Any, output_size: Any) -> None:
        adaptive(input, output_size if d == 1 else filled(output_size, input.size()))

    def fractional(input: Any, kernel_size: Any, output_size: Any, _random_samples: Any) -> None:
        if output_size is not None:
            input.dim(), input.size(0)
            fraction(input, kernel_size, output_size, input if _random_samples is None else _random_samples)

    found: dict[str, Callable] = {
        f"max_pool{d}d": largest(f"max_pool{d}d"),
        f"max_pool{d}d_with_indices": largest(f"max_pool{d}d_with_indices"),
        f"lp_pool{d}d": power,
        **dict.fromkeys((f"adaptive_max_pool{d}d", f"adaptive_max_pool{d}d_with_indices"), adapted),
        f"adaptive_avg_pool{d}d": lambda input, output_size: getattr(C, f"adaptive_avg_pool{d}d")(
            input, filled(output_size, input.size())
        ),
        f"max_unpool{d}d": lambda input: input.size(),
        **dict.fromkeys((f"fractional_max_pool{d}d", f"fractional_max_pool{d}d_with_indices"), fractional),
    }
    return found


def grid_sample(input: Any, grid: Any, mode: Any, padding_mode: Any, align_corners: Any) -> None:
    if mode in ("bilinear", "nearest", "bicubic") and padding_mode in ("zeros", "border", "reflection"):
        C.grid_sampler(input, grid, 0, 0, False if align_corners is None else align_corners)


def affine_grid(theta: Any, size: Any, align_corners: Any) -> None:
    if theta.is_floating_point() and len(size) in (4, 5) and min(size) > 0:
        C.affine_grid_generator(theta, size, False if align_corners is None else align_corners)


IMAGES: dict[str, Callable] = {
    **{name: step for d in (1, 2, 3) for name, step in pooling(d).items()},
    "pad": lambda input, pad, mode, value: C.pad(input, pad, mode, value),
    "unfold": lambda input, kernel_size, dilation, padding, stride: C.im2col(
        input, spread(kernel_size), spread(dilation), spread(padding), spread(stride)
    ),
    "fold": lambda input, output_size, kernel_size, dilation, padding, stride: C.col2im(
        input, spread(output_size), spread(kernel_size), spread(dilation), spread(padding), spread(stride)
    ),
    **dict.fromkeys(("interpolate", "upsample", "upsample_nearest", "upsample_bilinear"), lambda input: input.dim()),
    "grid_sample": grid_sample,
    "affine_grid": affine_grid,
}


# -- shapes, products, reductions


def split(tensor: Any, split_size_or_sections: Any, dim: Any) -> None:
    if hasattr(tensor, "dim"):
        method(tensor, "split", split_size_or_sections, dim)
    else:
        tensor.split(split_size_or_sections, dim)


def tensor_split(self: Any, split_size: Any, dim: Any) -> None:
    if not hasattr(split_size, "dim"):
        (C.split if isinstance(split_size, int) else C.split_with_sizes)(self, split_size, dim)


def norm(input: Any, p: Any, dim: Any, keepdim: Any, dtype: Any) -> None:
    asked(input, "layout")
    if not isinstance(p, str):
        dims = [dim] if isinstance(dim, int) else dim
        C.linalg_vector_norm(input, 2.0 if p is None else p, dims, keepdim, dtype=dtype)


def unique(input: Any, sorted: Any, return_inverse: Any, return_counts: Any, dim: Any) -> None:
    settings = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    C._unique2(input, **settings) if dim is None else C.unique_dim(input, dim, **settings)


def unique_consecutive(input: Any, return_inverse: Any, return_counts: Any, dim: Any) -> None:
    C.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


def lu(out: Any) -> None:
    if out is not None:
        len(out), [each.resize_as_ for each in out]


def stft(
    input: Any, n_fft: Any, hop_length: Any, win_length: Any, window: Any, center: Any, pad_mode: Any, normalized: Any,
    onesided: Any, return_complex: Any, align_to_window: Any,
) -> None:  # fmt: skip
    if center:
        if align_to_window is not None:
            return
        input.dim(), n_fft // 2
        C.pad(input, (1,), pad_mode, None)
    C.stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


def tensordot(a: Any, b: Any, dims: Any) -> None:
    if isinstance(dims, int):
        a.dim(), b.dim()
    C.tensordot(a, b, [], [])


def einsum(args: tuple) -> None:
    if len(args) > 1 and isinstance(args[0], str):
        C.einsum(args[0], args[1] if len(args) == 2 and isinstance(args[1], LISTS) else args[1:])


def masked(input: Any, dtype: Any) -> None:
    if dtype is None:
        asked(input, "dtype")
    asked(input, "layout")


def masked_median(input: Any, dtype: Any) -> None:
    if dtype is None:
        asked(input, "dtype")
    C.is_floating_point(input)


def cdist(x1: Any, x2: Any, p: Any) -> None:
    C.cdist(x1, x2, p, None)


def meshgrid(tensors: tuple, indexing: Any) -> None:
    C.meshgrid(only(tensors, LISTS), **({} if indexing is None else {"indexing": indexing}))


def of_method(step: Callable) -> Callable:
    """The step of the method: its tensor is the input; two settings are read before."""

    def told(self: Any, **settings: Any) -> None:
        for name in ("return_inverse", "return_counts"):
            bool(settings.get(name))
        step(self, **settings)

    told.names = ("self", *names_of(step)[1:])  # type: ignore[attr-defined]
    return told


def names_of(step: Callable) -> tuple[str, ...]:
    """The arguments that a step looks at."""
    return getattr(step, "names", None) or step.__code__.co_varnames[: step.__code__.co_argcount]


OTHERS: dict[str, Callable] = {
    "atleast_1d": lambda tensors: C.atleast_1d(only(tensors)),
    "atleast_2d": lambda tensors: C.atleast_2d(only(tensors)),
    "atleast_3d": lambda tensors: C.atleast_3d(only(tensors)),
    "broadcast_tensors": lambda tensors: C.broadcast_tensors(tensors),
    "cartesian_prod": lambda tensors: C.cartesian_prod(tensors),
    "block_diag": lambda tensors: C.block_diag(tensors),
    "chain_matmul": lambda matrices: C.chain_matmul(matrices),
    "meshgrid": meshgrid,
    "einsum": einsum,
    "tensordot": tensordot,
    "cdist": cdist,
    "functional.cdist": cdist,
    "norm": norm,
    "functional.norm": norm,
    "Tensor.norm": of_method(norm),
    "split": split,
    "Tensor.split": tensor_split,
    "stft": stft,
    "Tensor.stft": of_method(stft),
    "Tensor.istft": lambda self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex: (
        C.istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex=return_complex)
    ),
    "unique": unique,
    "unique_consecutive": unique_consecutive,
    "Tensor.unique": of_method(unique),
    "Tensor.unique_consecutive": of_method(unique_consecutive),
    "Tensor.resize_as": lambda tensor: tensor.size,
    "lu": lu,
    **{f"masked.{name}": masked for name in "amax amin argmax argmin cumsum cumprod logsumexp".split()},
    "masked.median": masked_median,
}  # fmt: skip
STEPS = LAYERS | LOSSES | IMAGES | OTHERS
"""By the name of a function, without that of its module where this is ``nn.functional``."""


VARIANTS: dict[str, tuple[str, str]] = {
    "unique": (
        "return_inverse return_counts",
        "_return_output _return_counts _return_inverse _return_inverse_and_counts",
    ),
    "unique_consecutive": (
        "return_inverse return_counts",
        "_consecutive_return_output _consecutive_return_counts _consecutive_return_inverse _consecutive_return_inverse_and_counts",
    ),
    "lu": ("get_infos", "_lu_no_infos _lu_with_infos"),
} | {
    name: ("return_indices", f"_{name} {name}_with_indices")
    for name in [f"{kind}max_pool{d}d" for kind in ("", "adaptive_", "fractional_") for d in (1, 2, 3)]
}
"""Functions that PyTorch has written as several: the settings that choose, and what each calls itself."""
