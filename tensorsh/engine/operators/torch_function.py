"""``__torch_function__``: classes that answer in place of the functions of torch when one of their objects is given.

Once a program has such a class, or a class derived from Tensor, all functions ask; see hooks.py."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from ...sandbox.sealed import Sealed
from ..arrays.state import here
from ..arrays.warning import warn, warn_once
from ..tensors.tensor import Tensor, wanting
from ..wording.overloads import parameter_text
from .hooks import KEEPING, attend, stay  # noqa: F401 - the class of tensors takes it from here, with its default
from .public_form import PublicForm, Written

PLAIN = frozenset((Tensor, int, float, bool, str, complex, type(None), slice, type(...)))
"""Types of arguments that never override anything."""


@classmethod  # type: ignore[misc]
def default(cls: Any, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
    """What a class derived from Tensor does unless it says otherwise: results are of that class, too."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    return result if func in KEEPING else converted(result, cls)


default.__func__.__name__ = "__torch_function__"  # type: ignore[attr-defined]
default.__func__.__qualname__ = "Tensor.__torch_function__"  # type: ignore[attr-defined]


def disabled(func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """A `__torch_function__` that overrides nothing."""
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def disabled_below(func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
    """The `__torch_dispatch__` of all tensors, which answers nothing: the engine does, and no class is asked."""
    with dispatching().silence(), DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


disabled_below._answers_nothing = True  # type: ignore[attr-defined]


def converted(result: Any, cls: type) -> Any:
    """The tensors of a result as objects of a class."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)) and any(isinstance(each, (Tensor, tuple, list)) for each in result):
        return type(result)(converted(each, cls) for each in result)
    if type(result) is RowsOf:
        return iter([converted(row, cls) for row in result])
    return result


RowsOf: Any = type(iter(()))
"""What ``iter`` of a tensor gives."""


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of a class derived from Tensor, on the memory of another tensor."""
    made = data.detach().as_subclass(cls)
    return wanting(made) if require_grad else made


def answers_below(kind: type) -> None:
    """A program has a class that answers below autograd: above it overrides nothing, unless it says so."""
    dispatching().attend()
    if getattr(kind.__torch_function__, "__func__", None) is default.__func__:  # type: ignore[attr-defined]
        type.__setattr__(kind, "__torch_function__", staticmethod(disabled))


@cache
def dispatching() -> Any:
    """What asks those who listen below autograd: imported by name once a program has a class that does."""
    return import_module("tensorsh.torch.dispatching")


def _make_wrapper_subclass(cls: type, *args: Any, **kwargs: Any) -> Any:
    """A tensor of a class that answers below autograd, without elements of its own."""
    return dispatching().wrapper(cls, *args, **kwargs)


class DisableTorchFunctionSubclass(metaclass=Sealed):
    """A context in which classes derived from Tensor override nothing."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        self._before, here.overriding = here.overriding, False

    def __exit__(self, *_: Any) -> None:
        here.overriding = self._before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A context in which neither classes nor modes override anything."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        super().__enter__()
        self._modes, here.function_modes = here.function_modes, ()
        here.settle()

    def __exit__(self, *_: Any) -> None:
        super().__exit__()
        here.function_modes = self._modes
        here.settle()


class TorchFunctionMode(metaclass=Sealed):
    """A context whose ``__torch_function__`` is asked in place of every function of torch."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def _applied(self, cls: type, args: tuple) -> Any:
        """The answer to a call of a function with a formula of its own for gradients."""
        return NotImplemented

    def __enter__(self) -> Any:
        attend()
        here.function_modes = (*here.function_modes, self)
        here.settle()
        return self

    def __exit__(self, *_: Any) -> None:
        here.function_modes = here.function_modes[:-1]
        here.settle()


PLAIN_METHOD = (
    "Defining your `__torch_function__{} as a plain method is deprecated and will be an error in future, please define it as a "
    "classmethod."
)


def warn_of_plain_method(function: Any) -> None:
    """Warn of a class whose instances are asked: of functions that PyTorch has in C++ once."""
    if type(function).__name__ == "function":
        warn(PLAIN_METHOD.format(""), DeprecationWarning)
    else:
        warn_once(PLAIN_METHOD.format("`"))


WRITTEN_METHODS = frozenset(
    "backward norm register_hook register_post_accumulate_grad_hook reinforce split stft istft unique unique_consecutive "
    "resize resize_as share_memory_ is_shared storage to_sparse_coo dim_order lu module_load __len__ __repr__ __format__ "
    "__reversed__ __contains__ __deepcopy__ __array__ __array_wrap__ __dlpack__ __dlpack_device__".split()
)
"""Methods of tensors that PyTorch has written in Python, and that ask."""
GETTER = type(property().__get__)
"""What a getter of an attribute is."""


class Unanswered(TypeError):
    """No class that overrides functions had an answer."""


def overriders(args: Iterable, found: list, depth: int = 0) -> list:
    """The objects among arguments (in lists and tuples of them, and in the lists of an index) whose class overrides functions, one of
    each class: derived classes before those that they are derived from. No deeper, as PyTorch: a list may contain itself."""
    for value in args:
        kind = type(value)
        if kind in PLAIN:
            continue
        if kind is tuple or kind is list:
            if depth < 2:
                overriders(value, found, depth + 1 if kind is tuple else 2)
            continue
        asked = getattr(kind, "__torch_function__", None)
        if asked is None or asked is disabled or any(type(each) is kind for each in found):
            continue
        if isinstance(value, type) or isinstance(value, Tensor) and not here.overriding:
            continue
        at = next((i for i, each in enumerate(found) if issubclass(kind, type(each))), len(found))
        found.insert(at, value)
    return found


@cache
def parameters(title: str) -> tuple[int, dict[str, Any], bool] | None:
    """How many arguments a function needs that is Python's in PyTorch, the defaults of its others by their names, and whether it
    takes any number; None for one that is not."""
    name = title.removeprefix("torch.")
    text = parameter_text(name)
    if not text.startswith("python "):
        return None
    made = eval(f"lambda {text.removeprefix('python ')}: None")  # noqa: S307 - text of our own
    code, defaults = made.__code__, made.__defaults__ or ()
    needed = code.co_argcount - len(defaults)
    others = dict(zip(code.co_varnames[needed : code.co_argcount], defaults, strict=True)) | (made.__kwdefaults__ or {})
    for each in UNTOLD.get(name, ()):
        del others[each]
    return needed, others, bool(code.co_flags & CO_VARARGS)


UNTOLD = {"nn.functional.l1_loss": ("weight",), "chain_matmul": ("out",)}
"""Arguments that PyTorch tells nobody of."""
CO_VARARGS = 4


def as_told(title: str, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call as those who override functions are told of them: of functions that are Python's in PyTorch what is
    needed by position, all others by name."""
    known = parameters(title)
    if known is None:
        return args, kwargs
    needed, others, many = known
    if many:
        return args, others | kwargs
    if not needed <= len(args) <= needed + len(others) or not kwargs.keys() <= others.keys():
        return args, kwargs
    return args[:needed], others | dict(zip(others, args[needed:], strict=False)) | kwargs


def beside_defaults(title: str, kwargs: dict) -> dict:
    """Of the arguments by name that `as_told` tells, those that are not the defaults."""
    known = parameters(title)
    if known is None:
        return kwargs
    others = known[1]
    plain = (str, int, float, bool, type(None))
    return {k: v for k, v in kwargs.items() if k not in others or type(v) not in plain or v != others[k]}


def override(function: Any, args: tuple, kwargs: dict, asked: Iterable | None = None) -> Any:
    """The answer of the classes and modes that override a function; NotImplemented where there are none. asked: the arguments whose
    classes are asked (None: all)."""
    found = overriders(args if asked is None else asked, [])
    if kwargs and asked is None:
        overriders(kwargs.values(), found)
    types = tuple(type(each) for each in found)
    modes = here.function_modes
    if modes:
        try:
            here.function_modes = modes[:-1]
            here.settle()
            answering = modes[-1].__torch_function__
            if isinstance(getattr(answering, "__self__", None), type):
                raise RuntimeError(
                    "Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain "
                    "method"
                )
            answer = answering(function, types, args, kwargs or None)
        finally:
            here.function_modes = modes
            here.settle()
        if answer is not NotImplemented:
            return answer
    elif not found:
        return NotImplemented
    for each in found:
        answering = each.__torch_function__
        if getattr(answering, "__self__", None) is each:
            warn_of_plain_method(function)
        answer = answering(function, types, args, kwargs or None)
        if answer is not NotImplemented:
            return answer
    raise Unanswered(unanswered(function, types, modes))


def unanswered(function: Any, types: tuple, modes: tuple) -> str:
    """PyTorch's words where neither a class nor a mode had an answer: a function that is Python's there says its module."""
    title, name = getattr(function, "_title", ""), function.__name__
    module = getattr(function, "__module__", None) or "torch"
    if name in WRITTEN_METHODS and title[:7] == "Tensor.":
        module = "torch._tensor"
    elif compiled(function, title, module):
        listed = "".join(f"\n  - tensor subclass {each}" for each in types)
        if modes:
            listed = f"\n  - mode object {modes[-1]}{listed}"
        return (
            f"Multiple dispatch failed for '{shown_name(function, title, module)}'; all __torch_function__ handlers returned "
            f"NotImplemented:\n{listed}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
        )
    text = f"no implementation found for '{module}.{name}' on types that implement __torch_function__: {[*types]}"
    return f"{text} nor in mode {modes[-1]}" if modes else text


def compiled(function: Any, title: str, module: str) -> bool:
    """Whether a function, a method or the getter of an attribute is C++'s in PyTorch."""
    if isinstance(function, PublicForm):
        return not isinstance(function, Written)
    return title[:7] == "Tensor." or module == "torch" or module[:9] == "torch._C." or isinstance(function, GETTER)


def shown_name(function: Any, title: str, module: str) -> str:
    """The name of a function that is C++'s in PyTorch, of a method, or of an attribute's getter, in these words."""
    attribute = getattr(function, "__self__", None)
    if isinstance(attribute, property):
        return f"torch.Tensor.{attribute.__name__}.__get__"  # type: ignore[attr-defined]
    if title[:7] == "Tensor.":
        return f"torch.{title}"
    namespace = module.partition("torch._C._")[2]
    return f"torch.{namespace}.{function.__name__}" if namespace else f"torch.{function.__name__}"


Tensor.__torch_function__ = default  # type: ignore[attr-defined]
Tensor._make_subclass = staticmethod(_make_subclass)  # type: ignore[attr-defined]
Tensor.__torch_dispatch__ = staticmethod(disabled_below)  # type: ignore[attr-defined]
Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)  # type: ignore[attr-defined]
