"""Those who have a say in calls of operators: classes and modes with ``__torch_function__``, a profiler, mixed precision, the
device of tensors where a program uses several (device_calls.py), memory that other processes write into (snapshots.py).

Every public form asks at one door (arrays/door.py). A form that is asked for stands here with its title, ``torch.add`` or
``Tensor.add_``; the title says which function a program sees, and which casts are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any
from weakref import ref

from ...sandbox.sealed import Owned, Sealed, for_its_class
from ...sandbox.whole import whole
from ..arrays import device_guard, door
from ..arrays.door import PROCEED
from ..arrays.state import heeds_steps, here, settle_all
from ..loading import table
from ..tensors.tensor import Tensor
from . import device_calls, forms
from .casts import door_of
from .registration import straight

OVERRIDING = frozenset(("classes", "unmade"))
settled: Any = None
"""What takes copies of operands, once processes share memory (snapshots.py)."""
KEEPING: set[Any] = set()
"""Functions whose results stay of the class that they are."""
below: list[Callable] = []
"""What asks those who listen below autograd (``__torch_dispatch__``), once a program has any: NotImplemented where none answers."""
CASTS: dict[str, Callable] = {}
"""What mixed precision does with the arguments of a function, by its name below ``torch``."""


def answer(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer to a call, on the device of its tensors where a program uses several."""
    if here.passing is form:  # which comes from here
        here.passing = None
        return PROCEED
    if here.tangents and not here.grad_enabled and not here.inference and not here.pushing:
        from . import tangents_alone

        if tangents_alone.concerns(form, args, kwargs):
            return tangents_alone.answer(form, args, kwargs)
    if device_guard.several:
        return device_calls.beside(given, form, args, kwargs)
    if here.outermost:
        if somebody(args, kwargs) and (is_public(form._title) or heeds_steps()):
            return first(form, args, kwargs)
        if below:
            found = below[0](form, own(form), args, kwargs)
            if found is not NotImplemented:
                return found
    if here.autocast is not None and cast_of(form) is not None:
        return casting(form, args, kwargs)
    own_args, own_kwargs = settled(form._title, args, kwargs) if settled else (args, kwargs)
    return PROCEED if own_args is args and own_kwargs is kwargs else proceed(form, own_args, own_kwargs)


def somebody(args: tuple, kwargs: dict) -> bool:
    """Whether a profiler, a mode or the class of an argument is asked in place of a function. Where nobody is, what the function
    calls meets nobody either, and asks as its own call did."""
    if here.profile is not None or here.function_modes:
        return True
    if door.lasting.isdisjoint(OVERRIDING):
        return False
    overriders = overriding().overriders
    return bool(overriders(args, []) or kwargs and overriders(kwargs.values(), []))


@cache
def overriding() -> Any:
    """What asks classes and modes that override functions: loaded once there are any."""
    from . import torch_function

    return torch_function


def given(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer to a call, as it comes from a program or from within another operator."""
    return first(form, args, kwargs) if here.outermost and is_public(form._title) else casting(form, args, kwargs)


def first(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer to a call that is not made within another: classes and modes that override functions are asked."""
    name = form._title.rpartition(".")[2]
    shown = public(form)
    try:
        found = overriding().override(shown, *overriding().as_told(form._title, args, kwargs))
    except overriding().Unanswered as error:
        if name in PYTHON_METHODS and name not in UNARY and form._title[:7] == "Tensor.":
            return NotImplemented
        raise TypeError(str(error)) from None
    if found is NotImplemented and below:
        found = below[0](form, shown, args, kwargs)
    return within(form, args, kwargs, name, shown) if found is NotImplemented else found


def within(form: Any, args: tuple, kwargs: dict, name: str, shown: Any) -> Any:
    """The answer to a call that nobody overrides; the profiler counts it, and not what it calls itself."""
    profile = here.profile
    ended = result = None
    try:
        here.outermost = False
        here.settle()
        if profile is not None and shown.__name__ not in SILENT:
            ended = profile.begun(name, args, kwargs, shown)
        result = casting(form, args, kwargs)
        return result
    finally:
        here.outermost = True
        here.settle()
        if ended is not None:
            ended(result)


def casting(form: Any, args: tuple, kwargs: dict) -> Any:
    """The answer to a call whose arguments mixed precision may cast."""
    cast = cast_of(form)
    return proceed(form, args, kwargs) if cast is None else here.autocast.around(cast, form, args, kwargs)


def proceed(form: Any, args: tuple, kwargs: dict) -> Any:
    """The form's own answer; by the short way in front of it, where nobody has a say in what it calls."""
    if settled:
        args, kwargs = settled(form._title, args, kwargs)
    if here.door >= door_of(form._title):
        here.passing = form
        return form(*args, **kwargs)
    return own(form)(*args, **kwargs)


@cache
def is_public(title: str) -> bool:
    """Whether a class may override a function."""
    name = title.rpartition(".")[2]
    return name in PYTHON_METHODS or name in ASKED or name[0] != "_" and name not in OWN


def cast_of(form: Any) -> Callable | None:
    """What mixed precision, where it is in effect, does with the arguments of a function."""
    if here.autocast is None:
        return None
    name = form._title.partition(".")[2]
    return CASTS.get(SYMBOLS.get(name, name))


def public(form: Any) -> Any:
    """The function of a form, as a program sees it: of a Python operator, and of a function that only calls one, the method."""
    name = form._title.partition(".")[2]
    method = (None if name == "__pow__" else SYMBOLS.get(name)) or CALLING.get(name)
    found = table.find_method(method) if method else own(form)
    return for_its_class(found, Tensor) if type(found) is FunctionType and form._title[:7] == "Tensor." else found


def own(form: Any) -> Any:
    """The function of a form's title."""
    owner, _, name = form._title.partition(".")
    found = (table.FUNCTIONS if owner == "torch" else table.METHODS).get(name)
    if owner == "Tensor" and not callable(found):
        found = Tensor.__dict__.get(name)
        return found.__get__ if isinstance(found, Attribute) else form
    return found if callable(found) else form


def stay(who: str) -> None:
    """Ask "classes" that override functions, several "devices", or "memory" that processes share, from now on."""
    global settled
    if who not in door.lasting:
        if who == "memory":
            from .snapshots import settled
        door.lasting.add(who)
        attend()
        settle_all()


@whole
def unmade(param: Any) -> None:
    """Ask a parameter without a shape as well, which answers to next to nothing, for as long as there is one."""
    place = id(param)
    door.unmade[place] = ref(param, lambda gone: made(place))
    if "unmade" not in door.lasting:
        door.lasting.add("unmade")
        settle_all()


@whole
def made(place: int) -> None:
    """The parameter at a place has a shape, or is gone."""
    if door.unmade.pop(place, None) is not None and not door.unmade:
        door.lasting.discard("unmade")
        settle_all()


def attend() -> None:
    """Let what stands on the class of tensors without a form ask as functions do, also what is loaded later."""
    if attend_new not in table.watchers:
        table.watchers.append(attend_new)
        attend_new()


def attend_new() -> None:
    """Give a form to the properties, Python methods and methods of few steps that have none yet."""
    made: dict[int, Any] = {}
    for name, value in list(table.METHODS.items()):
        table.METHODS[name] = made[id(value)] = asking(name, value)
    for name, value in list(Tensor.__dict__.items()):
        found = made[id(value)] if id(value) in made else asking(name, value)
        if found is not value:
            setattr(Tensor, name, found)


def asking(name: str, value: Any) -> Any:
    """What stands on the class of tensors, in a form that asks; itself, if it does or nobody overrides it."""
    if name in OWN or name[0] == "_" and name not in PYTHON_METHODS and name not in ASKED:
        return value
    if isinstance(value, property):
        if value.fget is None or isinstance(value, Attribute):
            return value
        if hasattr(value.fget, "_title"):
            return Attribute(name, value.fget, value)
        form = forms.heard("Tensor." + name, value.fget)
        form.__name__, form.__qualname__ = "__get__", "Tensor.__get__"
        made = Attribute(name, form, value)
        if name in ("grad", "grad_fn", "is_leaf", "_base"):
            KEEPING.add(made.__get__)
        return made
    value = getattr(value, "_plain", value)
    if not isinstance(value, FunctionType) or forms.asks(value, "Tensor") or hasattr(value, "_late"):
        return value
    form = forms.heard("Tensor." + name, value)
    form.__name__ = RENAMED.get(name, name)
    return straight("Tensor." + name, form) if hasattr(value, "_attentive") else form


class Attribute(Owned, metaclass=Sealed):
    """An attribute of tensors that asks, with PyTorch's name of it."""

    def __init__(self, name: str, form: Any, plain: property) -> None:
        super().__init__(form, plain.fset, plain.fdel, plain.__doc__)
        self._owner = Tensor
        self.__name__, self.__qualname__ = name, "TensorBase." + name


def arrived(args: tuple, kwargs: dict) -> bool:
    """Whether a class of plain Python that overrides functions is met here for the first time: all functions ask from now on."""
    if "classes" in door.lasting:
        return False
    found = [each for each in overriding().overriders((*args, *kwargs.values()), []) if not isinstance(each, Tensor)]
    if found:
        stay("classes")
    return bool(found)


door.keep(answer)
door.attending[:] = [attend]
OWN = frozenset("as_subclass tensor as_tensor asarray from_numpy is_tensor is_storage".split())
"""What no class overrides."""
SYMBOLS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul", "__truediv__": "div",
    "__mod__": "remainder", "__pow__": "pow", "__matmul__": "matmul", "__rmatmul__": "matmul", "__neg__": "neg",
    "__abs__": "abs", "__pos__": "positive", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__ne__": "ne",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
}  # fmt: skip
"""Python's operators that are a method under another name."""
CALLING = {"nn.functional.sigmoid": "sigmoid", "nn.functional.tanh": "tanh"}
"""Functions that call a method and ask nobody themselves."""
RENAMED = {"__rtruediv__": "__rdiv__"}
SILENT = frozenset("__get__ __repr__ __format__ __len__ __iter__ __contains__ dim size stride numel".split())
"""What a profiler does not count."""
PYTHON_METHODS = frozenset(SYMBOLS) | frozenset(
    f"__{name}__"
    for name in (
        "rsub rtruediv rmod rpow floordiv rfloordiv and rand or ror xor rxor lshift rlshift rshift rrshift invert eq getitem "
        "setitem len bool int float complex index repr format iter contains imod ipow ifloordiv iand ior ixor ilshift irshift "
        "array array_wrap deepcopy dlpack dlpack_device"
    ).split()
)
"""Python's own methods that a class may override."""
UNARY = frozenset(
    "__getitem__ __setitem__ __len__ __bool__ __int__ __float__ __complex__ __index__ __repr__ __format__ __iter__ __contains__ "
    "__array__ __array_wrap__ __deepcopy__ __dlpack__ __dlpack_device__ __neg__ __abs__ __pos__ __invert__".split()
)
"""Those of them that are no operator between two: an answer of NotImplemented is an error."""
ASKED = frozenset(
    "_base _dimI _dimV _indices _is_view _nnz _values _version _standard_gamma _sample_dirichlet _dirichlet".split()
)
"""Names with an underscore that it may override, too."""
