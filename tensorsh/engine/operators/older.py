"""Calls in a form of old that PyTorch still takes: numbers in front of the tensors that they scale, ``torch.add(t, 2, u)``.

A form asks here when its arguments fit none of the overloads that it knows, so that other calls pay nothing."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays.state import state
from ..arrays.warning import warn
from ..tensors.tensor import Tensor
from ..wording.overloads import NUMPY_NAMES, PYTHON, Mismatch, Settled, overloads, parameter_text, spoken_name

NUMBERS = (int, float, complex, bool)


def number(given: object) -> object:
    """A number, or the element of a tensor without dimensions that needs no gradient; None for what is neither."""
    if isinstance(given, Tensor):
        return None if given.ndim or given.requires_grad else given.item()
    return given if isinstance(given, NUMBERS) else None


def scaled(args: tuple, kwargs: dict) -> tuple | None:
    """``add(input, alpha, other)`` as ``add(input, other, alpha=alpha)``."""
    if len(args) == 2 and "other" in kwargs:
        args, kwargs = (*args, kwargs["other"]), {key: value for key, value in kwargs.items() if key != "other"}
    if len(args) != 3 or "alpha" in kwargs or (alpha := number(args[1])) is None:
        return None
    return (args[0], args[2]), kwargs | {"alpha": alpha}


def weighted(args: tuple, kwargs: dict) -> tuple | None:
    """``addcmul(input, value, tensor1, tensor2)`` as ``addcmul(input, tensor1, tensor2, value=value)``."""
    if len(args) != 4 or "value" in kwargs or (value := number(args[1])) is None:
        return None
    return (args[0], *args[2:]), kwargs | {"value": value}


def added(args: tuple, kwargs: dict) -> tuple | None:
    """``addmm(beta, input, alpha, mat1, mat2)`` as ``addmm(input, mat1, mat2, beta=beta, alpha=alpha)``; of methods the input
    stands first. `alpha` may be left out."""
    if not 4 <= len(args) <= 5 or "alpha" in kwargs or "beta" in kwargs:
        return None
    at = 0 if isinstance(args[0], Tensor) else 1
    tensors = (args[at], *args[-2:])
    numbers = [number(x) for x in (*args[:at], *args[at + 1 : -2])]
    if None in numbers or not all(isinstance(x, Tensor) for x in tensors):
        return None
    return tensors, kwargs | dict(zip(("beta", "alpha"), numbers, strict=False))


def bounded(args: tuple, kwargs: dict) -> tuple | None:
    """``clamp(input, 0, tensor(2.))``: a bound that is a tensor without dimensions, beside one that is a number, is a number."""
    bounds = dict(zip(("min", "max"), args[1:], strict=False)) | {
        k: v for k, v in kwargs.items() if k in ("min", "max")
    }
    if (
        len(args) > 3
        or {type(b) for b in bounds.values() if not isinstance(b, NUMBERS)} != {Tensor}
        or len(bounds) != 2
    ):
        return None
    numbers = {name: b.item() if isinstance(b, Tensor) and not b.ndim else b for name, b in bounds.items()}
    if any(isinstance(b, Tensor) for b in numbers.values()) or all(isinstance(b, Tensor) for b in bounds.values()):
        return None
    return args[:1], kwargs | numbers


def from_zero(args: tuple, kwargs: dict) -> tuple | None:
    """``randint(high=3, size=(2,))``: the lowest number is 0."""
    return None if "low" in kwargs or "high" not in kwargs else (args, {"low": 0} | kwargs)


OURS = {other: name for name, others in NUMPY_NAMES.items() for other in others}


def by_place(title: str, args: tuple, kwargs: dict) -> tuple | None:
    """A call that fits by PyTorch's names of the parameters, or numpy's, with its arguments in their places; None where none has
    to move."""
    method = title.startswith("Tensor.")
    dotted = title if method else title.removeprefix("torch.")
    text = parameter_text(dotted)
    if not text or text.startswith(PYTHON) or not kwargs:
        return None
    for each in overloads(text):
        try:
            each.match(spoken_name(dotted), args[method:], kwargs)
        except (Mismatch, Settled):
            continue
        own = {p.name for p in each.parameters}
        given, rest = list(args), {key if key in own else OURS.get(key, key): value for key, value in kwargs.items()}
        for p in each.parameters[len(args) - method : each.positional]:
            if p.name not in rest:
                break
            given.append(rest.pop(p.name))
        return (tuple(given), rest) if len(given) > len(args) or rest.keys() != kwargs.keys() else None
    return None


def one_by_one(args: tuple, kwargs: dict) -> tuple | None:
    """``x.squeeze(0, 1)`` as ``x.squeeze((0, 1))``."""
    return None if kwargs or len(args) < 3 or any(type(d) is not int for d in args[1:]) else ((args[0], args[1:]), {})


FORMS: dict[str, Callable[[tuple, dict], tuple | None]] = (
    dict.fromkeys("add sub subtract add_ sub_ subtract_".split(), scaled)
    | dict.fromkeys("addcmul addcdiv addcmul_ addcdiv_".split(), weighted)
    | dict.fromkeys("addmm addmv addr addbmm baddbmm addmm_ addmv_ addr_ addbmm_ baddbmm_".split(), added)
    | dict.fromkeys("clamp clip clamp_ clip_".split(), bounded)
    | dict.fromkeys("randint randint_like".split(), from_zero)
    | dict.fromkeys("Tensor.squeeze Tensor.squeeze_".split(), one_by_one)
)
"""How a call of old is said today, by name."""

FRONT = {scaled: ("alpha",), weighted: ("value",), added: ("beta", "alpha")}
"""The numbers that stand in front in old forms."""


def deprecate(title: str, rewrite: Callable, numbers: int) -> None:
    """Say which form the old one has given way to; once, unless all warnings are wanted."""
    if "older" in state.warned and not state.__dict__.get("warn_always"):
        return
    state.warned.add("older")
    method, name = title.startswith("Tensor."), title.partition(".")[2]
    known = overloads(parameter_text(title if method else name))
    today = [each for each in known if any(p.name in FRONT[rewrite] for p in each.parameters)]
    shown = [f"{name}{each.shown().replace('Tensor? ', 'Tensor ')}" for each in today]
    tensors = [f"Tensor {p.name}" for p in today[0].parameters if p.kind == "Tensor" and not p.keyword_only]
    front = [f"Number {each}" for each in FRONT[rewrite][:numbers]]
    at = 0 if method else 1
    if rewrite is added:
        parts = [front[0], *tensors[:at], *front[1:], *tensors[at:]]
    else:
        parts = [*tensors[:at], *front, *tensors[at:]]
    old = f"{name}({', '.join(parts)}{'' if method or name[-1] == '_' else ', *, Tensor out = None'})"
    listed = "".join("\n\t" + each for each in shown)
    warn(
        f"This overload of {name} is deprecated:\n\t{old}\nConsider using one of the following signatures instead:{listed}"
    )


def today(title: str, args: tuple, kwargs: dict) -> tuple | None:
    """The arguments as they are given today; None for a call that is not of an older form."""
    name = title.partition(".")[2]
    rewrite = FORMS.get(name) or FORMS.get(title)
    found = None
    if rewrite is not None and (name in ("randint_like", "randint") or len(args) > 1 or kwargs):
        found = rewrite(args, kwargs)
        if found is not None and rewrite in FRONT:
            deprecate(title, rewrite, max(len(args) - len(found[0]), 1))
    return by_place(title, args, kwargs) if found is None else found
