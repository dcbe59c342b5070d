"""State dicts: a module's parameters and persistent buffers under their dotted names, and back."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from ....engine.arrays.warning import warn
from ....engine.graph.nodes import Handle, handle_of
from ....engine.tape.grad_modes import no_grad
from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow, allow_writing
from ....sandbox.sealed import Sealed
from ..parameter import Parameter, is_lazy
from .convert import ON_CONVERSION
from .hooks import check_made
from .module import Module

EXTRA = "_extra_state"
allow_writing(OrderedDict, "_metadata")


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"]), metaclass=Sealed):
    """What `load_state_dict` returns."""

    __module__ = "torch.nn.modules.module"
    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys!r}, unexpected_keys={self.unexpected_keys!r})"

    __str__ = __repr__


def _has_own(module: Any, name: str) -> bool:
    return getattr(type(module), name) is not getattr(Module, name)


def state_dict(self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
    """The parameters and persistent buffers under their dotted names; detached unless `keep_vars`."""
    check_made(self, "_state_dict_pre_hooks")
    if args:
        warn(
            "Positional args are being deprecated, use kwargs instead. Refer to https://pytorch.org/docs/main/generated/torch.nn.Module."
            "html#torch.nn.Module.state_dict for details.",
            FutureWarning,
        )
        destination = args[0] if destination is None else destination
        prefix = args[1] if len(args) > 1 and not prefix else prefix
        keep_vars = args[2] if len(args) > 2 else keep_vars
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local
    for hook in _hooks(self, "_state_dict_pre_hooks"):
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in _hooks(self, "_state_dict_hooks"):
        answer = hook(self, destination, prefix, local)
        if answer is not None:
            if getattr(hook, "_from_public_api", True):
                raise RuntimeError("state_dict post-hook must return None")
            destination = answer
    return destination


def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    for name, param in self._parameters.items():
        if param is not None:
            destination[prefix + name] = param if keep_vars or is_lazy(param) else param.detach()
    for name, buffer in self._buffers.items():
        if buffer is not None and name not in self._non_persistent_buffers_set:
            destination[prefix + name] = buffer if keep_vars or is_lazy(buffer) else buffer.detach()
    if _has_own(self, "get_extra_state"):
        destination[prefix + EXTRA] = self.get_extra_state()


def _load_from_state_dict(
    self: Any, state_dict: Any, prefix: str, local_metadata: dict, strict: bool, missing_keys: list, unexpected_keys: list,
    error_msgs: list,
) -> None:  # fmt: skip
    """Copy into this module alone; what goes wrong is added to the lists."""
    for hook in _hooks(self, "_load_state_dict_pre_hooks"):
        given = state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        hook(*given) if type(hook) is WithoutModule else hook(self, *given)
    own = dict(self._parameters)
    own |= {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
    own = {k: v for k, v in own.items() if v is not None}
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, param in own.items():
        key = prefix + name
        if key not in state_dict:
            if strict:
                missing_keys.append(key)
            continue
        problem = _copy(self, name, key, param, state_dict[key], assign)
        if problem:
            error_msgs.append(problem)
    extra = prefix + EXTRA
    if _has_own(self, "set_extra_state"):
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict:
            missing_keys.append(extra)
    elif strict and extra in state_dict:
        unexpected_keys.append(extra)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in (self._modules if dot else own):
                    unexpected_keys.append(key)


def _copy(module: Any, name: str, key: str, param: Any, given: Any, assign: bool) -> str | None:
    """Copy one entry; the error message if that cannot be."""
    if not isinstance(given, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
            f"received {type(given)}"
        )
    if is_lazy(param) and is_lazy(given):
        return None
    if is_lazy(param):
        param.materialize(given.shape)
    if param._array.ndim == 0 and given._array.shape == (1,):
        given = given[0]
    if given._array.shape != param._array.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {param.shape}."
        )
    if param.is_meta and not given.is_meta and not assign:
        warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
            "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the "
            "module instead of copying them in place?)"
        )
    try:
        with no_grad():
            if ON_CONVERSION["swap"]:
                swapped(param, given, assign)
            elif assign:
                if isinstance(param, Parameter):
                    if isinstance(given, Parameter):
                        given.requires_grad_(param.requires_grad)
                    else:
                        given = Parameter(given, param.requires_grad)
                setattr(module, name, given)
            else:
                param.copy_(given)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {param.shape} and whose '
            f"dimensions in the checkpoint are {given.shape}, an exception occurred : {error.args}."
        )
    return None


def swapped(param: Any, given: Any, assign: bool) -> None:
    """Let a parameter become what its `module_load` makes of an entry. RuntimeError: it gives one of the two back."""
    from ...utils import swap_tensors

    made = param.module_load(given, assign=assign)
    if made is param or made is given:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning one of the inputs in module_load"
        )
    if isinstance(param, Parameter):
        made = (
            made.requires_grad_(param.requires_grad)
            if isinstance(made, Parameter)
            else Parameter(made, param.requires_grad)
        )
    swap_tensors(param, made)


def load_state_dict(self: Any, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
    """Copy parameters and buffers from a state dict into this module and those below it."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    keys = _IncompatibleKeys([], [])
    messages: list[str] = []
    metadata = getattr(state_dict, "_metadata", None) or {}

    def load(module: Any, local: Any, prefix: str) -> None:
        about = dict(metadata.get(prefix[:-1], {}))
        if assign:
            about["assign_to_params_buffers"] = assign
        module._load_from_state_dict(local, prefix, about, True, *keys, messages)
        for name, child in module._modules.items():
            if child is not None:
                below = prefix + name + "."
                load(child, OrderedDict((k, v) for k, v in local.items() if k.startswith(below)), below)  # noqa: F821 - it is there
        for hook in _hooks(module, "_load_state_dict_post_hooks"):
            if hook(module, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
                    "incompatible_keys need to be modified, it should be done inplace."
                )

    load(self, OrderedDict(state_dict), "")
    del load  # which holds itself, and with it the state
    if strict:
        for words, found in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
            if found:
                messages.insert(
                    0, f"{words} key(s) in state_dict: {', '.join(f'{chr(34)}{k}{chr(34)}' for k in found)}. "
                )
    if messages:
        raise RuntimeError(
            "Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(messages))
        )
    return keys


def get_extra_state(self: Any) -> Any:
    """Further state to be kept in the state dict; for subclasses to define."""
    raise RuntimeError(
        "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


def set_extra_state(self: Any, state: Any) -> None:
    """Takes what `get_extra_state` gave; for subclasses to define."""
    raise RuntimeError(
        "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


def _hooks(module: Any, kind: str) -> list:
    found = dict.get(module.__dict__, kind)
    return list(found.values()) if found else []


def _registrar(kind: str, doc: str) -> Any:
    def register(self: Any, hook: Any) -> Handle:
        if kind == "_state_dict_hooks" and isinstance(hook, FunctionType):
            hook._from_public_api = True  # type: ignore[attr-defined]
        return handle_of(dict.setdefault(self.__dict__, kind, OrderedDict()), hook)

    register.__doc__ = doc
    return register


class WithoutModule(metaclass=Sealed):
    """A hook before loading that is not given the module."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> None:
        self.hook(*args)


class Replacing(metaclass=Sealed):
    """A hook after `state_dict` whose answer is taken in its place."""

    _from_public_api = False

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


def _register_load_state_dict_pre_hook(self: Any, hook: Any, with_module: bool = False) -> Handle:
    hooks = dict.setdefault(self.__dict__, "_load_state_dict_pre_hooks", OrderedDict())
    return handle_of(hooks, hook if with_module else WithoutModule(hook))


def _register_state_dict_hook(self: Any, hook: Any) -> Handle:
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError(
            "Cannot register the same function as the state dict post hook that was previously registered via register_state_dict_post_hook"
        )
    return handle_of(dict.setdefault(self.__dict__, "_state_dict_hooks", OrderedDict()), Replacing(hook))


_METHODS = {
    "register_state_dict_pre_hook": _registrar("_state_dict_pre_hooks", "Call `hook(module, prefix, keep_vars)` before `state_dict`."),
    "register_state_dict_post_hook": _registrar(
        "_state_dict_hooks", "Call `hook(module, state_dict, prefix, local_metadata)` after `state_dict`."
    ),
    "register_load_state_dict_pre_hook": _registrar("_load_state_dict_pre_hooks", "Call `hook` before a state dict is loaded."),
    "register_load_state_dict_post_hook": _registrar(
        "_load_state_dict_post_hooks", "Call `hook(module, incompatible_keys)` after a state dict was loaded."
    ),
} | {f.__name__: f for f in (
    state_dict, load_state_dict, _save_to_state_dict, _load_from_state_dict, get_extra_state, set_extra_state,
    _register_load_state_dict_pre_hook, _register_state_dict_hook,
)}  # fmt: skip
for _name, _method in _METHODS.items():
    _method.__name__, _method.__qualname__, _method.__module__ = _name, "Module." + _name, "torch.nn.modules.module"
    setattr(Module, _name, _method)
allow(Module, "_register_load_state_dict_pre_hook", "_register_state_dict_hook")
