"""Hooks on modules: functions called around `forward`, and when the gradients of inputs and outputs are known."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ....engine.arrays.state import here, state
from ....engine.arrays.warning import warn
from ....engine.graph.nodes import Handle, handle_of
from ....engine.tape.function import Function
from ....engine.tensors.tensor import Tensor
from ....sandbox.sealed import Sealed
from ....sandbox.wrapping import renamed
from .module import Module
from .registry import CALLED, TABLES


def entered(hooks: Any, hook: Any, prepend: bool = False, *options: tuple[dict, bool]) -> Handle:
    """The handle of a hook of a module; the first of all with `prepend`, and among those with an option where that is chosen."""
    handle = handle_of(hooks, hook, *[members for members, chosen in options if chosen])
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def check_made(module: Any, needed: str) -> None:
    """Raise PyTorch's error for a module whose `__init__` was not called; `needed`: what is looked for in it first."""
    if not dict.__contains__(module.__dict__, "_parameters"):
        raise AttributeError(f"'{type(module).__name__}' object has no attribute '{needed}'")


def _hooks(module: Any, kind: str) -> OrderedDict:
    check_made(module, kind)
    object.__setattr__(module, "_hooked", True)
    return _table(module, kind)


def _table(module: Any, kind: str) -> OrderedDict:
    return dict.setdefault(module.__dict__, kind, OrderedDict())


def register_forward_pre_hook(self: Any, hook: Any, *, prepend: bool = False, with_kwargs: bool = False) -> Handle:
    """Call `hook(module, args)` before `forward`; what it returns replaces the arguments."""
    named = _table(self, "_forward_pre_hooks_with_kwargs")
    return entered(_hooks(self, "_forward_pre_hooks"), hook, prepend, (named, with_kwargs))


def register_forward_hook(
    self: Any, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
) -> Handle:
    """Call `hook(module, args, output)` after `forward`; what it returns replaces the output."""
    named = _table(self, "_forward_hooks_with_kwargs")
    always = _table(self, "_forward_hooks_always_called")
    return entered(_hooks(self, "_forward_hooks"), hook, prepend, (named, with_kwargs), (always, always_call))


# Hooks of all modules. They stand in the session's state; once there were any, Module has another `__call__`.


def _common(kind: str) -> Any:
    kinds = state.__dict__.setdefault("module_hooks", {})
    Module.__call__ = renamed(called, "Module.__call__")  # type: ignore[method-assign]
    return kinds.setdefault(kind, OrderedDict())


def register_module_forward_pre_hook(hook: Any) -> Handle:
    """Call `hook(module, args)` before `forward` of every module."""
    return entered(_common("_forward_pre_hooks"), hook)


def register_module_forward_hook(hook: Any, *, with_kwargs: bool = False, always_call: bool = False) -> Handle:
    """Call `hook(module, args, output)` after `forward` of every module."""
    named, always = (_common(f"_forward_hooks_{kind}") for kind in ("with_kwargs", "always_called"))
    return entered(_common("_forward_hooks"), hook, False, (named, with_kwargs), (always, always_call))


def _agree(full: bool) -> None:
    """Backward hooks of all modules are full ones or old ones, not both."""
    if state.__dict__.get("module_hooks_full", full) not in (full, None):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them."
        )
    state.__dict__["module_hooks_full"] = full


def register_module_full_backward_hook(hook: Any) -> Handle:
    """Call `hook(module, grad_input, grad_output)` when the gradients of a module's inputs are known."""
    _agree(True)
    return entered(_common("_backward_hooks"), hook)


def register_module_full_backward_pre_hook(hook: Any) -> Handle:
    """Call `hook(module, grad_output)` when the gradients of a module's outputs are known."""
    return entered(_common("_backward_pre_hooks"), hook)


def register_module_backward_hook(hook: Any) -> Handle:
    """The old form for every module, which sees the gradients of the last operation in `forward` only."""
    _agree(False)
    return entered(_common("_backward_hooks"), hook)


def register_module_parameter_registration_hook(hook: Any) -> Handle:
    """Call `hook(module, name, parameter)` before a parameter is entered; what it returns is entered in its place."""
    return handle_of(_common("_parameter_registration_hooks"), hook)


def register_module_buffer_registration_hook(hook: Any) -> Handle:
    """Call `hook(module, name, buffer)` before a buffer is entered; what it returns is entered in its place."""
    return handle_of(_common("_buffer_registration_hooks"), hook)


def register_module_module_registration_hook(hook: Any) -> Handle:
    """Call `hook(module, name, submodule)` before a module is entered; what it returns is entered in its place."""
    return handle_of(_common("_module_registration_hooks"), hook)


def _all_hooks(module: Any, kind: str) -> dict:
    """The hooks of all modules and then the module's own, by number."""
    own = dict.get(module.__dict__, kind, {})
    common = state.__dict__.get("module_hooks")
    return {**common.get(kind, {}), **own} if common else own


def _chosen(module: Any, kind: str) -> Any:
    """The numbers of the hooks that were registered with an option."""
    own = dict.get(module.__dict__, kind, ())
    common = state.__dict__.get("module_hooks")
    return {*common.get(kind, ()), *own} if common else own


def _check_kind(module: Any, full: bool) -> None:
    if dict.get(module.__dict__, "_is_full_backward_hook") is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
        )
    object.__setattr__(module, "_is_full_backward_hook", full)


def register_full_backward_hook(self: Any, hook: Any, prepend: bool = False) -> Handle:
    """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known; it may replace them."""
    _check_kind(self, True)
    return entered(_hooks(self, "_backward_hooks"), hook, prepend)


def register_full_backward_pre_hook(self: Any, hook: Any, prepend: bool = False) -> Handle:
    """Call `hook(module, grad_output)` when the gradients of the outputs are known; it may replace them."""
    return entered(_hooks(self, "_backward_pre_hooks"), hook, prepend)


def register_backward_hook(self: Any, hook: Any) -> Handle:
    """The old form, which sees the gradients of the last operation in `forward` only."""
    _check_kind(self, False)
    return entered(_hooks(self, "_backward_hooks"), hook)


class BackwardHookFunction(Function):
    """The identity: a node of its own for the inputs, and one for the outputs, of a module with backward hooks."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[t for t in args if not t.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class Between(metaclass=Sealed):
    """One call of a module with full backward hooks: keeps the outputs' gradients until the inputs' are there."""

    def __init__(self, module: Any, hooks: list, pre_hooks: list) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None
        self.inputs: Any = None
        self.counts = [0, 0]

    def passed(self, values: tuple) -> tuple[Any, Any, Any]:
        """The values with their tensors sent through the identity, the places of the tensors, and the node."""
        places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        if not (here.grad_enabled and any(values[i].requires_grad for i in places)):
            return values, None, None
        made = BackwardHookFunction.apply(*[values[i] for i in places])
        made = made if isinstance(made, tuple) else (made,)
        node = next(t.grad_fn for t in made if t.grad_fn is not None)
        result = list(values)
        for i, t in zip(places, made, strict=True):
            result[i] = t
        return tuple(result), places, node

    def enter(self, args: tuple) -> tuple:
        args, self.inputs, node = self.passed(args)
        self.counts[0] = len(args)
        if node is not None:
            node.register_hook(self.at_inputs)
        return args

    def leave(self, result: Any) -> Any:
        if not isinstance(result, (Tensor, tuple)):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}"
            )
            return result
        values = result if isinstance(result, tuple) else (result,)
        values, self.outputs, node = self.passed(values)
        self.counts[1] = len(values)
        if node is not None:

            def hook(grad_input: tuple, grad_output: tuple) -> Any:  # errors name it
                return self.at_outputs(grad_input, grad_output)

            node.register_hook(hook)
        if not isinstance(result, tuple):
            return values[0]
        return type(result)(*values) if hasattr(result, "_fields") else values

    def at_inputs(self, grad_input: tuple, _: Any) -> Any:
        if self.grad_outputs is None:
            return None
        found: Any = [None] * self.counts[0]
        for i, g in zip(self.inputs, grad_input, strict=False):
            found[i] = g
        found = tuple(found)
        for hook in self.hooks:
            answer = hook(self.module, found, self.grad_outputs)
            if answer is None:
                continue
            if len(answer) != len(found):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(answer)}, but expected {len(found)}"
                )
            found = answer
        self.grad_outputs = None
        for i, g in zip(self.inputs, grad_input, strict=False):
            if isinstance(g, Tensor) and isinstance(found[i], Tensor) and found[i].shape != g.shape:
                raise RuntimeError("hook 'hook' has changed the size of value")
        return tuple(found[i] for i in self.inputs)

    def at_outputs(self, _: Any, grad_output: tuple) -> Any:
        found: Any = [None] * self.counts[1]
        for i, g in zip(self.outputs, grad_output, strict=False):
            found[i] = g
        found = tuple(found)
        for hook in self.pre_hooks:
            answer = hook(self.module, found)
            if answer is None:
                continue
            if len(answer) != len(found):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(answer)}, but expected {len(found)}"
                )
            found = answer
        self.grad_outputs = found
        if self.inputs is None:
            warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
                "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                "#torch.nn.Module.register_full_backward_hook for more details."
            )
            for hook in self.hooks:
                answer = hook(self.module, (None,) * self.counts[0], found)
                if answer is not None and any(each is not None for each in answer):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None for "
                        "all gradients."
                    )
            self.grad_outputs = None
        return tuple(found[i] for i in self.outputs)


def call(self: Any, args: tuple, kwargs: dict) -> Any:
    """Call a module that has, or had, hooks."""
    check_made(self, "_backward_hooks")
    done: set = set()
    try:
        return _called_with_hooks(self, args, kwargs, done)
    except Exception:
        hooks, named = _all_hooks(self, "_forward_hooks"), _chosen(self, "_forward_hooks_with_kwargs")
        for number in list(_chosen(self, "_forward_hooks_always_called")):
            if number in hooks and number not in done:
                try:
                    hooks[number](*((self, args, kwargs, None) if number in named else (self, args, None)))
                except Exception as error:
                    warn(
                        "module forward hook with ``always_call=True`` raised an exception that was silenced as another error "
                        f"was raised in forward: {error}"
                    )
        raise


def _called_with_hooks(self: Any, args: tuple, kwargs: dict, done: set) -> Any:
    own = self.__dict__
    named = _chosen(self, "_forward_pre_hooks_with_kwargs")
    for number, hook in list(_all_hooks(self, "_forward_pre_hooks").items()):
        if number in named:
            answer = hook(self, args, kwargs)
            if answer is not None:
                if not (isinstance(answer, tuple) and len(answer) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
                    )
                args, kwargs = answer
        else:
            answer = hook(self, args)
            if answer is not None:
                args = answer if isinstance(answer, tuple) else (answer,)
    # Old and full hooks stand under one name: those of all modules are of one kind, and so are a module's own.
    before = list(_all_hooks(self, "_backward_pre_hooks").values())
    complete, old = [], []  # type: ignore[var-annotated]
    common = state.__dict__.get("module_hooks") or {}
    for hooks, full in (
        (common.get("_backward_hooks"), state.__dict__.get("module_hooks_full", True)),
        (dict.get(own, "_backward_hooks"), dict.get(own, "_is_full_backward_hook")),
    ):
        (old if full is False else complete).extend((hooks or {}).values())
    between = Between(self, complete, before) if complete or before else None
    if between is not None:
        args = between.enter(args)
    hooks = _all_hooks(self, "_forward_hooks")
    named = _chosen(self, "_forward_hooks_with_kwargs")
    result = self.forward(*args, **kwargs)
    for number, hook in list(hooks.items()):
        done.add(number)
        answer = hook(self, args, kwargs, result) if number in named else hook(self, args, result)
        if answer is not None:
            result = answer
    if between is not None:
        result = between.leave(result)
    if old:
        _at_last_node(self, old, result, args)
    return result


def called(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`Module.__call__` once there are hooks of all modules."""
    return call(self, args, kwargs)


MISSING_OUTPUT = "is deprecated and will be removed in future versions. This hook will be missing some grad_output."
MISSING_INPUT = "is deprecated and will be removed in future versions. This hook will be missing some grad_input."
INSTEAD = " Please use register_full_backward_hook to get the documented behavior."


def _what_is_missing(inputs: Any, result: Any, node: Any) -> str | None:
    """What an old backward hook will not see; None where it sees all."""
    for values, does, where, one in (
        (result, "return", "the grad_output", "a"),
        (inputs, "take as input", "the grad_input", "a"),
    ):
        if isinstance(values, Tensor) or isinstance(values, tuple) and all(isinstance(v, Tensor) for v in values):
            continue
        return (
            f"Using non-full backward hooks on a Module that does not {does} {one} single Tensor or a tuple of Tensors is "
            f"deprecated and will be removed in future versions. This hook will be missing some of {where}.{INSTEAD}"
        )
    made = {t.grad_fn for t in (result if isinstance(result, tuple) else (result,)) if t.grad_fn is not None}
    if not made or len(made) == 1 and node not in made:
        return f"Using a non-full backward hook when outputs are nested in python data structure {MISSING_OUTPUT}"
    if len(made) > 1:
        return f"Using a non-full backward hook when outputs are generated by different autograd Nodes {MISSING_OUTPUT}{INSTEAD}"
    before = {t.grad_fn for t in (inputs if isinstance(inputs, tuple) else (inputs,)) if t.grad_fn is not None}
    if before != {each for each, _ in node.next_functions}:
        return (
            f"Using a non-full backward hook when the forward contains multiple autograd Nodes {MISSING_INPUT}{INSTEAD}"
        )
    return None


def _at_last_node(module: Any, hooks: list, result: Any, inputs: Any) -> None:
    """The old backward hooks: on the node that made the (first) output."""
    given = result
    while not isinstance(result, Tensor):
        result = next(v for v in result.values() if isinstance(v, Tensor)) if isinstance(result, dict) else result[0]
    node = result.grad_fn
    if node is not None:
        missing = _what_is_missing(inputs, given, node)
        if missing is not None:
            warn(missing, FutureWarning)
        for hook in hooks:
            node.register_hook(lambda grad_input, grad_output, hook=hook: hook(module, grad_input, grad_output))


for _method in (
    register_forward_pre_hook, register_forward_hook, register_full_backward_hook, register_full_backward_pre_hook,
    register_backward_hook,
):  # fmt: skip
    _method.__qualname__, _method.__module__ = "Module." + _method.__name__, "torch.nn.modules.module"
    setattr(Module, _method.__name__, _method)


def _shown(kind: str) -> property:
    """The hooks of a kind as an attribute; it is there again when it was deleted, as in modules that are loaded from old files."""

    def hooks(self: Any) -> OrderedDict:
        return _hooks(self, kind) if kind in CALLED else _table(self, kind)

    def replace(self: Any, table: Any) -> None:
        _hooks(self, kind)
        dict.__setitem__(self.__dict__, kind, table)

    def forget(self: Any) -> None:
        dict.pop(self.__dict__, kind, None)

    return property(hooks, replace, forget)


for _kind in TABLES:
    setattr(Module, _kind, _shown(_kind))
