"""``__torch_dispatch__``: modes and classes of tensors that answer in place of the operators below autograd.

A call of a public function is heard as the operators that it is made of (aten.py), each an object of ``torch.ops.aten``. A class
whose tensors have no elements of their own (``torch.Tensor._make_wrapper_subclass``) answers with other tensors; gradients come to
these by the engine's own formulas, computed on objects of the class. For plain Python alone (`tensorsh.as_torch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..engine.arrays.cupy_module import nowhere
from ..engine.arrays.device import device as Device
from ..engine.arrays.door import answers_below
from ..engine.arrays.dtype import float32, numpy_of
from ..engine.arrays.state import here
from ..engine.graph.fields import Saved, new, wrap
from ..engine.graph.nodes import Slot
from ..engine.graph.saved_hooks import keep_by, pack
from ..engine.loading import table
from ..engine.operators import hooks
from ..engine.tape.backward import tensor_backward
from ..engine.tensors.tensor import Tensor
from . import aten
from ._ops import Operators, OpOverload, given_kernel
from .containers import tensors_in
from .containers import tracked as has_history
from .custom_ops import KEYS, CustomOpDef, fallthrough_kernel

overridden: dict[str, dict[str, Callable]] = {}
"""Kernels that a program's libraries put in the place of PyTorch's own, by operator (``add.Tensor``) and key."""


@contextmanager
def silence() -> Iterator[None]:
    """A context in which neither classes nor modes are asked."""
    here.quiet += 1
    try:
        yield
    finally:
        here.quiet -= 1


def attend() -> None:
    """Let calls ask here from now on."""
    hooks.stay("classes")
    if not hooks.below:
        hooks.below.append(asked)


def override(name: str, key: str, kernel: Callable) -> Callable[[], None]:
    """Put a kernel in the place of an operator's own; the answer puts that back."""
    attend()
    kernels = overridden.setdefault(name, {})
    put_back = given_kernel(kernels, key, kernel)

    def undo() -> None:
        put_back()
        if not kernels and overridden.get(name) is kernels:
            del overridden[name]

    return undo


def overrides(kind: type) -> bool:
    """Whether a class of tensors answers below autograd."""
    return kind is not Tensor and answers_below(kind)


def listeners(values: Any, found: list) -> list:
    """The classes among arguments, and lists of them, that answer below autograd."""
    for kind in map(type, tensors_in(values)):
        if overrides(kind) and kind not in found:
            found.insert(next((i for i, k in enumerate(found) if issubclass(kind, k)), len(found)), kind)
    return found


def asked(form: Any, shown: Any, args: tuple, kwargs: dict) -> Any:
    """The answer of those who listen to a call of a public function."""
    kwargs = kwargs or {}
    heeded = here.listening or listeners((*args, *kwargs.values()), [])
    if here.quiet or not (heeded or overridden):
        return NotImplemented
    if isinstance(form, CustomOpDef):
        if not heeded:
            return NotImplemented
        space, _, name = form._declared.name.partition("::")
        operator = getattr(getattr(Operators(space), name), form._declared.form or "default")
        return heard(name, form, args, kwargs, operator=operator)
    name = form._title.rpartition(".")[2]
    if (
        name[0] == "_"
        and name[:2] != "__"
        and name not in aten.SYMBOLS
        and not listeners((*args, *kwargs.values()), [])
    ):
        return NotImplemented  # a step of the engine's own
    if name in ("conj", "resolve_conj") and not args[0].is_complex():
        return NotImplemented  # the tensor itself
    if name == "backward":
        return tensor_backward(*args, **kwargs)
    if getattr(shown, "__name__", "") == "__get__" and name not in aten.EXPANSIONS:
        return NotImplemented
    if name in aten.MAKERS and here.listening and not (args and isinstance(args[0], Tensor)):
        with silence():
            made = shown(*args, **kwargs)
        return called("lift_fresh", made)
    if name in aten.SILENT or name[:4] in ("set_", "get_", "has_", "manu") and name != "set_" or name == "detach_":
        return NotImplemented
    space = form._title.split(".")[1]
    if space in ("linalg", "fft") and name != "matmul":
        name = f"{space}_{name}"
    expand = aten.EXPANSIONS.get(name)
    if expand is not None and kwargs.get("out") is None:
        return expand(called, *args, **kwargs)
    if name[:3] == "__r" and name[3:] in ("add__", "mul__", "matmul__", "pow__", "and__", "or__", "xor__"):
        args = (args[1], args[0]) if name in ("__rmatmul__", "__rpow__") else args
        name = "__" + name[3:]
    name = hooks.SYMBOLS.get(name, name)
    if not heeded and not any(known.partition(".")[0] == aten.SYMBOLS.get(name, name) for known in overridden):
        return NotImplemented
    operator = table.find_operator(form._title.partition(".")[2])
    composite = type(operator).__name__ == "Composite"
    if (
        composite
        and (here.listening or here.grad_enabled and has_history(args))
        and name not in aten.SYMBOLS
        and name not in aten.TENSORS | aten.BY_DIM.keys() | aten.FORMS.keys()
    ):
        found = operator.function(*args, **kwargs)
        if listeners([found], []):
            return found
    own = form._title.startswith("torch.nn.functional.") and table.find_function(name) not in (None, shown)
    return heard(aten.SYMBOLS.get(name, name), shown, args, kwargs, own)


def called(name: str, *args: Any, **kwargs: Any) -> Any:
    """An operator called by its name, heard by those who listen."""
    operator = getattr(Operators("aten"), name)
    return heard(name, operator._function, args, kwargs)


def heard(
    name: str, function: Callable, args: tuple, kwargs: dict, own: bool = False, operator: OpOverload | None = None
) -> Any:
    """The answer of those who listen to an operator; the engine's where there is nobody (more). own: the function takes other
    arguments than that of torch itself that has its name. operator: that of a program's own."""
    values = (*args, *kwargs.values())
    kinds = listeners(values, [])
    modes = here.listening
    if not modes and not kinds and not overridden:
        return function(*args, **kwargs)
    form = aten.overload(name, args, kwargs)
    kernels = overridden.get(name if form == "default" else f"{name}.{form}", {}) if operator is None else {}
    above = None if here.below_autograd else kernels.get("AutogradCPU", kernels.get("Autograd"))
    if above is not None:
        return above(*args, **kwargs)
    if not modes and not kinds:
        return replaced(kernels, function, args, kwargs)
    if operator is None and not own:
        try:
            operator = getattr(getattr(Operators("aten"), name), form)
        except AttributeError:
            pass
    if operator is None:
        operator = OpOverload(f"aten.{name}.{form}", function)
    rules = getattr(operator._function, "_rules", {})
    if modes:
        here.listening, mode = modes[:-1], modes[-1]
        try:
            found = answer(mode, type(mode), rules, operator, kinds, args, kwargs)
        finally:
            here.listening = modes
        if found is NotImplemented:
            return of_classes(operator, kinds, rules, function, args, kwargs)
        if here.grad_enabled and name != "detach" and name[-1:] != "_" and not _made(found) and has_history(values):
            found = linked(found, function, args, kwargs)
        for each in found if type(found) in (tuple, list) else (found,):
            if isinstance(each, Tensor) and any(isinstance(x, Saved) and x._number == 0 for x in _kept(each)):
                heard("detach", Tensor.detach, (each,), {})  # as its node keeps it
                break
        return found
    return of_classes(operator, kinds, rules, function, args, kwargs)


def of_classes(operator: OpOverload, kinds: list, rules: dict, function: Callable, args: tuple, kwargs: dict) -> Any:
    """The answer of the first class that has one, with the gradient that the operator has."""
    name = operator._opname
    before, tracked = here.grad_enabled, here.grad_enabled and has_history((args, kwargs))
    here.grad_enabled = False
    outer, here.outer = here.outer, before
    try:
        for kind in kinds:
            found = answer(kind, kind, rules, operator, kinds, args, kwargs)
            if found is not NotImplemented:
                break
        else:
            raise TypeError(
                f"Multiple dispatch failed for 'torch._ops.{operator}'; all __torch_dispatch__ handlers returned NotImplemented"
            )
    finally:
        here.grad_enabled, here.outer = before, outer
    if type(found) in (str, dict, set):
        raise RuntimeError(f"Unable to cast {found} to Tensor")
    return linked(found, function, args, kwargs) if tracked and name != "detach" and name[-1:] != "_" else found


@contextmanager
def reentrant() -> Iterator[None]:
    """A context within an answer in which operations are recorded as they were where it was asked for."""
    before = here.grad_enabled
    here.grad_enabled = before if here.outer is None else here.outer
    try:
        yield
    finally:
        here.grad_enabled = before


def answer(who: Any, kind: type, rules: dict, operator: OpOverload, kinds: list, args: tuple, kwargs: dict) -> Any:
    """What a mode or a class answers: by the operator's rule for its kind, where a library gave one."""
    rule = rules.get(kind)
    if rule is not None:
        return rule(who, operator, tuple(kinds), args, kwargs)
    bound = who.__torch_dispatch__
    if who is not kind and isinstance(getattr(bound, "__self__", None), type):
        raise RuntimeError(
            "Defining your mode's `__torch_dispatch__` as a classmethod is not supported, please make it a plain method"
        )
    return bound(operator, tuple(kinds), args, kwargs)


def replaced(kernels: dict, function: Callable, args: tuple, kwargs: dict) -> Any:
    """The result of a program's kernel, with the gradient that the operator has; of the engine's function where there is none."""
    given = next((x for x in args if isinstance(x, Tensor)), None)
    key = KEYS.get("cpu" if given is None else given.device.type, "")
    kernel = kernels.get(key, kernels.get("CompositeExplicitAutograd"))
    if kernel is None or kernel is fallthrough_kernel:
        with silence():
            return function(*args, **kwargs)
    before, tracked = here.grad_enabled, here.grad_enabled and has_history((args, kwargs))
    here.grad_enabled = False
    try:
        found = kernel(*args, **kwargs)
    finally:
        here.grad_enabled = before
    return linked(found, function, args, kwargs) if tracked else found


def _kept(result: Tensor) -> tuple:
    node = result._node._parent if type(result._node) is Slot else result._node
    saved = getattr(node, "_saved", ())
    return saved if type(saved) in (tuple, list) else ()


def _made(found: Any) -> bool:
    """Whether an answer has a history, or is none that could have one."""
    many = [x for x in (found if isinstance(found, (tuple, list)) else (found,)) if isinstance(x, Tensor)]
    return any(x._node is not None for x in many) or not any(
        x.dtype.is_floating_point or x.dtype.is_complex for x in many
    )


def linked(found: Any, function: Callable, args: tuple, kwargs: dict) -> Any:
    """An answer with the nodes that the engine makes for such a call: made for tensors without elements, which are then
    exchanged for those that were given."""
    given: dict[int, Tensor] = {}

    def bare(x: Any) -> Any:
        if isinstance(x, Tensor):
            array = x._array
            made = wrap(nowhere().MetaArray(array.shape, array.dtype, None, array.strides))
            made._node = x._node
            given[id(made)] = x
            return made
        return type(x)(bare(y) for y in x) if type(x) in (tuple, list) else x

    here.quiet += 1
    hooks_before = here.packing
    keep_by(())
    try:
        without = function(*map(bare, args), **{k: bare(v) for k, v in kwargs.items()})
    finally:
        here.quiet -= 1
        keep_by(hooks_before)
    outs, results = (x if type(x) in (tuple, list) else [x] for x in (without, found))
    for number, (out, result) in enumerate(zip(outs, results, strict=False)):
        node = out._node if isinstance(out, Tensor) else None
        if node is None or not isinstance(result, Tensor) or any(result is x for x in given.values()):
            continue
        result._node = node
        owner = node._parent if type(node) is Slot else node
        owner._saved = exchanged(owner._saved, given, result, number)
        if hooks_before and number == 0:
            pack(owner)
    return found


def exchanged(saved: Any, given: dict, result: Tensor, number: int) -> Any:
    """What a node keeps, with the tensors that were given, and the result, in the places of those without elements."""
    if isinstance(saved, Saved):
        return result if saved._number == number else saved
    if isinstance(saved, Tensor):
        return given.get(id(saved), saved)
    return type(saved)(exchanged(x, given, result, number) for x in saved) if type(saved) in (tuple, list) else saved


def wrapper(
    cls: type, size: Any, strides: Any = None, storage_offset: Any = None, memory_format: Any = None,
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
    dispatch_sizes_strides_policy: Any = None, dispatch_device: bool = False, dispatch_layout: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """A tensor of a class that has a shape, a dtype and a device, and no elements: its class answers in its place."""
    attend()
    kind = numpy_of(dtype or float32)
    steps = None if strides is None else [n * kind.itemsize for n in strides]
    memory = None
    if storage_offset:
        spread = sum((n - 1) * step for n, step in zip(size, steps or (), strict=False))
        memory = (
            Claiming((int(storage_offset) + spread // kind.itemsize + 1,), kind).data + storage_offset * kind.itemsize
        )
    array = Claiming(tuple(size), kind, memory, steps)
    array.claimed = Device(device or "cpu")
    made = new(cls)
    made._array = array
    return made.requires_grad_() if requires_grad else made


class _Claiming:
    """Makes arrays without elements that say of another device that they lie there."""

    kind: Any = None

    def __call__(self, *args: Any) -> Any:
        if self.kind is None:
            self.kind = type("MetaArray", (nowhere().MetaArray,), {"__slots__": ("claimed",)})
        return self.kind(*args)


Claiming = _Claiming()


def without(modes: tuple, mode: Any) -> tuple:
    """Modes but one."""
    return tuple(each for each in modes if each is not mode)


class TorchDispatchMode:
    """A context whose ``__torch_dispatch__`` is asked in place of every operator below autograd."""

    __module__ = "torch.utils._python_dispatch"

    def __init__(self, _dispatch_key: Any = None) -> None: ...

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether the mode belongs to machinery, and is none of a program's."""
        return False

    def __enter__(self) -> Any:
        attend()
        here.listening += (self,)
        here.dispatching += (self,)
        return self

    def __exit__(self, *_: object) -> None:
        here.listening = without(here.listening, self)
        here.dispatching = without(here.dispatching, self)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode, as `cls` makes it."""
        return cls(*args, **kwargs)
