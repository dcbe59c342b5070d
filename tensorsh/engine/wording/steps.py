"""First steps of PyTorch's functions written in Python: what they ask of their arguments before anything is computed, and
the builtin function that they hand these to, which refuses what does not fit.

A step names the arguments that it looks at, as a gradient names what is kept. Functions whose arguments meet no builtin
function before the work begins have none."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import le, lt
from typing import Any

from ..loading.recorded import beside, entries
from .overloads import PYTHON, parameter_text, refuse, spoken_name


class Builtins:
    """PyTorch's builtin functions, of which a call only tells whether it takes its arguments."""

    def __getattr__(self, name: str) -> Callable:
        return lambda *args, **kwargs: refuse("_nn." + name, args, kwargs)


def method(tensor: Any, name: str, *args: Any, **kwargs: Any) -> None:
    getattr(tensor, name)
    dotted = "Tensor." + name
    if parameter_text(dotted).startswith(PYTHON):
        if (error := misbound(dotted, (tensor, *args), kwargs)) is not None:
            raise error
    else:
        refuse(dotted, args, kwargs)


def sized(*tensors: Any) -> Any:
    for each in tensors:
        each.size()


def spread(value: Any, count: int = 2) -> tuple:
    """A setting for each of some dimensions."""
    return tuple(value) if hasattr(value, "__iter__") else (value,) * count


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
CONSTANTS: dict[str, Any] = {"None": None, "False": False, "[]": [], "0": 0, "1": 1}


def handed(name: str, text: str) -> Callable:
    """The step of ``p<0.0 weight?weight.size() > rrelu input p stride|[] dim=dim``: `p` is compared with zero, a method of
    `weight` is called unless that is None, then the builtin function gets its arguments, for `stride` an empty list where it
    is None, one by name. ``*`` is the function's own name, ``*_`` that of its form in place where `inplace` asks for it."""
    reads, _, call = text.rpartition(">") if ">" in text else (text, "", "")
    builtin, *words = call.split() or [""]
    used: dict[str, None] = {"inplace": None} if builtin == "*_" else {}

    def source(text: str) -> Callable:
        first, _, instead = text.partition("|")
        if first in CONSTANTS:
            return lambda given: CONSTANTS[first]
        used[first] = None
        return lambda given: CONSTANTS[instead] if instead and given[first] is None else given[first]

    def look(text: str) -> Callable:
        if "<" in text:
            compared, bound, setting = (
                (le if "=" in text else lt),
                0.0 if "." in text else 0,
                source(text.partition("<")[0]),
            )
            return lambda given: compared(setting(given), bound)
        condition, _, read = text.rpartition("?")
        owner, _, attribute = read.removesuffix("()").partition(".")
        asked, value = source(condition or "1"), source(owner)
        called = read[-1] == ")"

        def act(given: dict) -> None:
            if asked(given) is not None and asked(given) is not False:
                found = getattr(value(given), attribute)
                found() if called else found

        return act

    looks = [look(each) for each in reads.split()]
    places = [source(word) for word in words if "=" not in word]
    by_name = {word.partition("=")[0]: source(word.partition("=")[2]) for word in words if "=" in word}

    def step(**given: Any) -> None:
        for each in looks:
            each(given)
        if builtin:
            args = tuple([place(given) for place in places])
            try:
                refuse(f"_nn.{name if builtin[0] == '*' else builtin}", args, {k: v(given) for k, v in by_name.items()})
            except TypeError as error:
                told = str(error)
                raise TypeError(told.replace(name, name + "_", 1) if given.get("inplace") else told) from None

    step.names = tuple(used)  # type: ignore[attr-defined]
    return step


TEXTS = {name: text for names, text in entries(beside(__file__, "handed.txt")) for name in names.split()}
"""Functions that read attributes of their arguments and hand these to a builtin function: see `handed`."""
STEPS: dict[str, Callable] = {}
"""By the name of a function, without that of its module where this is ``nn.functional``."""


def step_of(name: str) -> Callable | None:
    """The first steps of a function, if it takes any."""
    if name in TEXTS and name not in STEPS:
        STEPS[name] = handed(name, TEXTS[name])
    return STEPS.get(name)


def of(*names: str) -> Callable:
    """Enter the first steps of some functions."""

    def enter(step: Callable) -> Callable:
        STEPS.update(dict.fromkeys(names, step))
        return step

    return enter


def names_of(step: Callable) -> tuple[str, ...]:
    """The arguments that a step looks at."""
    return getattr(step, "names", None) or step.__code__.co_varnames[: step.__code__.co_argcount]


def soft(name: str) -> Callable:
    def step(input: Any, dim: Any, dtype: Any) -> None:
        getattr(input, "dim" if dim is None else name)
        if dim is not None:
            method(input, name, dim, dtype=dtype)

    return step


STEPS |= {"softmax": soft("softmax"), "log_softmax": soft("log_softmax")}


@of("softmin")
def softmin(input: Any, dim: Any, dtype: Any) -> None:
    if dim is None:
        input.dim()
    else:
        method(input if hasattr(input, "softmax") else -input, "softmax", dim, dtype=dtype)


@of("embedding")
def embedding(input: Any, weight: Any, padding_idx: Any, max_norm: Any, scale_grad_by_freq: Any, sparse: Any) -> None:
    if padding_idx is not None and padding_idx > 0:
        weight.size()
    if max_norm is not None:
        _ = input.contiguous
    C.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


@of("embedding_bag")
def embedding_bag(
    input: Any, weight: Any, offsets: Any, scale_grad_by_freq: Any, mode: Any, sparse: Any, per_sample_weights: Any,
    include_last_offset: Any, padding_idx: Any,
) -> None:  # fmt: skip
    _ = weight.dtype
    if per_sample_weights is not None:
        sized(input, per_sample_weights)
    dims = weight.dim(), input.dim()
    if dims == (2, 2 - (offsets is not None)) and mode in ("sum", "mean"):
        starts, last = (input, False) if offsets is None else (offsets, include_last_offset)
        C.embedding_bag(weight, input, starts, scale_grad_by_freq, 0, sparse, per_sample_weights, last, padding_idx)


# -- losses


@of("gaussian_nll_loss")
def gaussian(var: Any) -> None:
    _ = isinstance(var, float) or C.any(var < 0)


# -- pooling and images


def pooling(d: int) -> None:
    """Enter the steps of the poolings of d dimensions."""
    average, adaptive = getattr(C, f"avg_pool{d}d"), getattr(C, f"adaptive_max_pool{d}d")
    fraction = getattr(C, f"fractional_max_pool{d}d")

    @of(f"lp_pool{d}d")
    def power(input: Any, kernel_size: Any, stride: Any, ceil_mode: Any) -> None:
        if d == 2:
            _, _ = spread(kernel_size, 2)
        elif d == 3:
            _, _, _ = spread(kernel_size, 3)
        _ = input.pow
        average(input, kernel_size, [] if stride is None else stride, 0, ceil_mode)

    @of(f"adaptive_max_pool{d}d", f"adaptive_max_pool{d}d_with_indices")
    def adapted(input: Any, output_size: Any) -> None:
        adaptive(input, output_size if d == 1 else filled(output_size, input.size()))

    @of(f"adaptive_avg_pool{d}d")
    def averaged(input: Any, output_size: Any) -> None:
        getattr(C, f"adaptive_avg_pool{d}d")(input, filled(output_size, input.size()))

    @of(f"fractional_max_pool{d}d", f"fractional_max_pool{d}d_with_indices")
    def fractional(
        input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, _random_samples: Any
    ) -> None:  # fmt: skip
        if output_size is None and output_ratio is None or output_size is None and len(spread(output_ratio, d)) != d:
            return
        if output_size is None:
            for dim in range(-d, 0):
                input.size(dim)
        if _random_samples is None:
            _ = input.dim() == d + 1 or input.size(0)
            input.size(-d - 1)
        sizes = [1] * d if output_size is None else output_size
        fraction(input, kernel_size, sizes, input if _random_samples is None else _random_samples)


for _d in (1, 2, 3):
    pooling(_d)


@of("unfold")
def unfold(input: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> None:
    C.im2col(input, *map(spread, (kernel_size, dilation, padding, stride)))


@of("fold")
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> None:
    C.col2im(input, *map(spread, (output_size, kernel_size, dilation, padding, stride)))


@of("grid_sample")
def grid_sample(input: Any, grid: Any, mode: Any, padding_mode: Any, align_corners: Any) -> None:
    if mode in ("bilinear", "nearest", "bicubic") and padding_mode in ("zeros", "border", "reflection"):
        C.grid_sampler(input, grid, 0, 0, False if align_corners is None else align_corners)


@of("affine_grid")
def affine_grid(theta: Any, size: Any, align_corners: Any) -> None:
    if theta.is_floating_point() and len(size) in (4, 5) and min(size) > 0:
        C.affine_grid_generator(theta, size, False if align_corners is None else align_corners)


# -- shapes, products, reductions


def at_least(name: str) -> Callable:
    return lambda tensors: getattr(C, name)(only(tensors))


STEPS |= {name: at_least(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")}


@of("split")
def split(tensor: Any, split_size_or_sections: Any, dim: Any) -> None:
    if hasattr(tensor, "dim"):
        method(tensor, "split", split_size_or_sections, dim)
    else:
        tensor.split(split_size_or_sections, dim)


@of("Tensor.split")
def tensor_split(self: Any, split_size: Any, dim: Any) -> None:
    if not hasattr(split_size, "dim"):
        (C.split if isinstance(split_size, int) else C.split_with_sizes)(self, split_size, dim)


@of("norm", "functional.norm")
def norm(input: Any, p: Any, dim: Any, keepdim: Any, dtype: Any) -> None:
    _ = input.layout
    if not isinstance(p, str):
        dims = [dim] if isinstance(dim, int) else dim
        C.linalg_vector_norm(input, 2.0 if p is None else p, dims, keepdim, dtype=dtype)


@of(*[f"masked.{name}" for name in "amax amin argmax argmin cumsum cumprod logsumexp".split()])
def masked(input: Any, dtype: Any) -> None:
    _ = dtype is None and input.dtype, input.layout


@of("masked.median")
def masked_median(input: Any, dtype: Any) -> None:
    _ = dtype is None and input.dtype
    C.is_floating_point(input)


@of("unique")
def unique(input: Any, sorted: Any, return_inverse: Any, return_counts: Any, dim: Any) -> None:
    settings = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    C._unique2(input, **settings) if dim is None else C.unique_dim(input, dim, **settings)


@of("lu")
def lu(out: Any) -> None:
    if out is not None:
        len(out), [each.resize_as_ for each in out]


@of("stft")
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


@of("tensordot")
def tensordot(a: Any, b: Any, dims: Any) -> None:
    if isinstance(dims, int):
        a.dim(), b.dim()
    C.tensordot(a, b, [], [])


@of("einsum")
def einsum(args: tuple) -> None:
    if len(args) > 1 and isinstance(args[0], str):
        C.einsum(args[0], args[1] if len(args) == 2 and isinstance(args[1], LISTS) else args[1:])


@of("meshgrid")
def meshgrid(tensors: tuple, indexing: Any) -> None:
    C.meshgrid(only(tensors, LISTS), **({} if indexing is None else {"indexing": indexing}))


def of_method(step: Callable) -> Callable:
    """The step of the method: its tensor is the input; two settings are read before."""

    def told(self: Any, **settings: Any) -> None:
        for name in ("return_inverse", "return_counts"):
            bool(settings.get(name))
        step(**{names_of(step)[0]: self}, **settings)

    told.names = ("self", *names_of(step)[1:])  # type: ignore[attr-defined]
    return told


for _name in ("norm", "stft", "unique", "unique_consecutive"):
    STEPS["Tensor." + _name] = of_method(step_of(_name))  # type: ignore[arg-type]

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


@lru_cache(256)
def binder(title: str, listed: str) -> Callable:
    """A function with a list of parameters that answers with their values, or fails as Python has functions fail."""
    made = eval(f"lambda {listed}: locals()", {"__builtins__": {}, "locals": locals})
    made.__name__ = made.__qualname__ = title
    return made


def misbound(dotted: str, args: tuple, kwargs: dict) -> Exception | None:
    """The error of a function written in Python: Python's own, or that of the first steps that it takes."""
    name, listed = spoken_name(dotted), parameter_text(dotted).removeprefix(PYTHON)
    bare = dotted.removeprefix("nn.functional.")
    try:
        if bare in VARIANTS:
            settings, titles = [each.split() for each in VARIANTS[bare]]
            places = [part.partition("=")[0] for part in listed.split(", ")]
            given = dict(zip(places, args, strict=False)) | kwargs
            name = titles[sum(bool(given.get(key)) << at for at, key in enumerate(reversed(settings)))]
            bare = name if step_of(name) else bare
        title = "Tensor." + name if dotted.startswith("Tensor.") else name
        try:
            bound = binder(title, listed)(*args, **kwargs)
        except TypeError as error:
            return TypeError(str(error).partition(". Did you mean")[0])
        if (step := step_of(bare)) is not None:
            step(**{key: bound[key] for key in names_of(step)})
    except Exception as error:
        return error.with_traceback(None)
    return None
