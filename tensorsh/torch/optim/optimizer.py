"""Optimizer: parameter groups, state, state dicts, hooks; what all optimizers share.

An optimizer of ours defines `_update(group)`, which gives the steps of parameters, or takes them itself; a program's own
defines `step`, as with PyTorch.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from ...engine.arrays import device_guard
from ...engine.arrays.layout import seen
from ...engine.arrays.state import state as engine
from ...engine.arrays.warning import warn
from ...engine.graph.fields import wrap
from ...engine.graph.nodes import Handle, handle_of
from ...engine.tape.grad_modes import enable_grad
from ...engine.tensors.tensor import Tensor
from ...sandbox.classes import allow, checked_state
from ...sandbox.sealed import OpenSealed, Sealed, housed, unguarded
from ...sandbox.wrapping import renamed, wraps
from ..nn.reach import T
from ..questions import typename
from .arithmetic import check_capture, check_fitting, overriding, take

__all__ = ["Optimizer", "required"]


class Required(metaclass=Sealed):
    """The default of an option that every parameter group must give."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<required parameter>"


required = Required()

_HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip


_all_pre_hooks: OrderedDict = OrderedDict()
_all_post_hooks: OrderedDict = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable) -> Handle:
    """Call `hook(optimizer, args, kwargs)` before each step of every optimizer."""
    return handle_of(_all_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> Handle:
    """Call `hook(optimizer, args, kwargs)` after each step of every optimizer."""
    return handle_of(_all_post_hooks, hook)


def asked_before(optimizer: Any, step: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a step, after the hooks before it, which may replace them."""
    for hook in [*_all_pre_hooks.values(), *optimizer._optimizer_step_pre_hooks.values()]:
        answer = hook(optimizer, args, kwargs)
        if answer is not None:
            if not (isinstance(answer, tuple) and len(answer) == 2):
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {answer}.")
            args, kwargs = answer
    return args, kwargs


def tell_after(optimizer: Any, args: tuple, kwargs: dict) -> None:
    """Call the hooks after a step."""
    for hook in [*optimizer._optimizer_step_post_hooks.values(), *_all_post_hooks.values()]:
        hook(optimizer, args, kwargs)


def hooked(step: Callable) -> Callable:
    """A program's own `step`, with the hooks before and after it."""

    @wraps(step)
    def run(*args: Any, **kwargs: Any) -> Any:
        self = args[0]
        if self.__dict__.get("_hooked"):
            return step(*args, **kwargs)
        args, kwargs = asked_before(self, step, args, kwargs)
        self.__dict__["_hooked"] = True
        try:
            found = step(*args, **kwargs)
        finally:
            del self.__dict__["_hooked"]
        tell_after(self, args, kwargs)
        return found

    run.hooked = True  # type: ignore[attr-defined]
    return run


class Optimizer(metaclass=OpenSealed):
    """Base class of all optimizers: groups of parameters with their options, and a state for each parameter. A class of
    one's own calls ``super().__init__(params, defaults)`` and defines `step`.
    params: an iterable of tensors, of (name, tensor) pairs, or of dicts: groups with "params" and options of their own.
    defaults: the options of groups that do not give them.
    step() changes the parameters by their gradients, zero_grad() forgets these, add_param_group() adds parameters,
    state_dict() and load_state_dict() keep and take over all state. TypeError for what is no tensor, ValueError for no
    parameters, for one in two groups and for results of operators.
    >>> class Descent(optim.Optimizer):
    ...     def step(self):
    ...         with torch.no_grad():
    ...             for group in self.param_groups:
    ...                 for p in group["params"]: p -= group["lr"] * p.grad
    >>> x = torch.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> Descent([x], {"lr": 0.1}).step()
    >>> x
    tensor([0.8000, 0.8000], requires_grad=True)"""

    _opt_called = False
    """Whether a step was taken; learning rate schedulers look."""
    _recorded: Any = None  # a step of a group that is itself recorded (`differentiable=True`), of those that have one

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh."):
            housed(cls, cls.__module__[9:])
            if "step" not in cls.__dict__:
                cls.step = renamed(cls.step, f"{cls.__name__}.step")  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for name in _HOOKS:
            setattr(self, name, OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        self._patch_step_function()

    def _patch_step_function(self) -> None:
        """Let the `step` of a program's own class call the hooks, as ours does."""
        step = unguarded(type(self).step)
        if type(step) is FunctionType and not step.__globals__.get("__name__", "").startswith(__package__):
            if not hasattr(step, "hooked"):
                type.__setattr__(type(self), "step", hooked(step))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
                "change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        params = [p[1] if isinstance(p, tuple) else p for p in params]
        param_group["params"] = params
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        own = set(map(id, params))
        if len(own) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
                "github.com/pytorch/pytorch/issues/40967 for more information"
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                words = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{words} to the optimizer"
                )
            if own & set(map(id, group["params"])):
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # Steps

    def step(self, closure: Callable | None = None) -> Any:
        """Change the parameters once by their gradients; `closure` computes the loss anew."""
        closure = self._before_step(closure)
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            check_capture(self, group)
            if group.get("fused"):
                check_fitting(group["params"])
            if self._recorded is not None and (group.get("differentiable") or overriding(group["params"])):
                self._recorded(group)
            elif device_guard.several:
                self._update_each(group)
            else:
                self._apart(group)
        self._opt_called = True
        self._after_step(closure)
        return loss

    def _before_step(self, closure: Callable | None) -> Any:
        """Call the hooks before a step; the closure, which they may replace."""
        if self.__dict__.get("_hooked") or not (self._optimizer_step_pre_hooks or _all_pre_hooks):
            return closure
        args, kwargs = asked_before(self, type(self).step, (self,) if closure is None else (self, closure), {})
        return kwargs.get("closure", args[1] if len(args) > 1 else None)

    def _after_step(self, closure: Callable | None) -> None:
        """Call the hooks after a step."""
        if not self.__dict__.get("_hooked") and (self._optimizer_step_post_hooks or _all_post_hooks):
            tell_after(self, (self,) if closure is None else (self, closure), {})

    def _update(self, group: dict) -> Iterable[tuple] | None:
        """The steps of a group's parameters, which `take` takes; None where they have been taken."""
        raise NotImplementedError

    def _update_each(self, group: dict) -> None:
        """The parameters of each device apart, on that device."""
        many = group["params"]
        try:
            for index in dict.fromkeys([device_guard.index_of([p]) for p in many]):
                group["params"] = [p for p in many if device_guard.index_of([p]) == index]
                with device_guard.on(index):
                    self._apart(group)
        finally:
            group["params"] = many

    def _apart(self, group: dict) -> None:
        """Change the parameters of a group, those whose gradients are sparse apart from the others."""
        many = group["params"]
        sparse = [p for p in many if p._grad is not None and hasattr(p._grad._array, "layout")] if seen[0] else []
        if sparse:
            self._update_sparse(group, sparse)
            group["params"] = [p for p in many if all(p is not each for each in sparse)]
        try:
            take(self._update(group))
        finally:
            group["params"] = many

    def _update_sparse(self, group: dict, params: list) -> None:
        """Change parameters by sparse gradients."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _each(self, group: dict, **fresh: Callable) -> Iterator[tuple]:
        """The parameters that have a gradient: tensor, array, gradient's array, state (made by `fresh` at first).

        Of complex ones the arrays are those of the real and imaginary parts: a step takes each for a parameter of its own."""
        own_state = self.state
        for p in group["params"]:
            gradient = p._grad
            if gradient is None:
                continue
            kept = own_state[p]
            if fresh and not kept:
                for name, make in fresh.items():
                    kept[name] = make(p)
            if p._array.dtype.kind == "c":
                parts = _Parts(kept)
                yield p, real_parts(p)._array, real_parts(gradient)._array, parts
                kept |= parts.written
            else:
                yield p, p._array, gradient._array, kept
            p._bump()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if p._grad is None:
                    continue
                if set_to_none:
                    p._grad = None
                else:
                    if p._grad._node is not None:
                        p._grad = p._grad.detach()
                    p._grad.zero_()

    # State

    def state_dict(self) -> dict[str, Any]:
        """State by number of parameter, and the groups without the parameters themselves."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            groups.append(packed | {"params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            answer = hook(self, found)
            found = found if answer is None else answer
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave, here or in another run."""
        from copy import deepcopy

        state_dict = state_dict.copy()
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            answer = hook(self, state_dict)
            state_dict = state_dict if answer is None else answer
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved, strict=True))
        if any(len(group["params"]) != len(new["params"]) for group, new in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        by_number = {n: p for group, new in pairs for n, p in zip(new["params"], group["params"], strict=True)}
        state: Any = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in by_number:
                state[by_number[number]] = _fitted(by_number[number], value)
            else:
                state[number] = value
        for group, new in pairs:
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(checked_state(self, state))
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        counted = any(
            f"{base.__module__}."[:12] == "torch.optim." for base in type(self).__mro__ if base is not Optimizer
        )
        for group in self.param_groups:  # of an older version, which had fewer options and counted steps by numbers
            for name, default in self.__dict__.get("defaults", {}).items():
                if name not in group and (default is None or isinstance(default, bool)):
                    group[name] = None if name in ("foreach", "fused") else False
            for kept in [self.state[p] for p in group["params"] if counted and p in self.state]:
                if isinstance(kept.get("step"), int | float):
                    kept["step"] = scalar(float(kept["step"]))(None)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"


def _registrar(kind: str, doc: str) -> Callable:
    def register(self: Any, hook: Callable, prepend: bool = False) -> Handle:
        hooks = getattr(self, kind)
        handle = handle_of(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    register.__name__ = "register" + kind.removeprefix("_optimizer").removesuffix("s")
    register.__qualname__ = "Optimizer." + register.__name__
    register.__doc__ = doc
    return register


for _kind, _doc in zip(_HOOKS, (
    "Call `hook(optimizer, args, kwargs)` before each step.", "Call `hook(optimizer, args, kwargs)` after each step.",
    "Call `hook(optimizer)` before `state_dict`.", "Call `hook(optimizer, state_dict)` after `state_dict`.",
    "Call `hook(optimizer, state_dict)` before a state dict is loaded.", "Call `hook(optimizer)` after a state dict was loaded.",
), strict=True):  # fmt: skip
    _method = _registrar(_kind, _doc)
    setattr(Optimizer, _method.__name__, _method)

housed(Optimizer, "torch.optim.optimizer")
allow(Optimizer, "_opt_called", "__setstate__", *_HOOKS)


def _fitted(param: Any, value: Any, name: str = "") -> Any:
    """A loaded state value in the dtype of its parameter; the count of steps keeps its own."""
    if isinstance(value, Tensor):
        if name == "step":
            return value
        dtype = param.dtype if param.is_floating_point() else value.dtype
        return value.to(dtype=dtype, device=param.device)
    if isinstance(value, dict):
        return {k: _fitted(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_fitted(param, v) for v in value)  # type: ignore[call-arg]
    return value


def real_parts(x: Any) -> Any:
    """The real and imaginary parts of a complex tensor, as a view; another tensor as it is."""
    return T.view_as_real(x.detach()) if x.is_complex() else x


class _Parts(dict):
    """The state of a complex parameter: its complex tensors as their parts. What is stored anew is kept in `written`."""

    def __init__(self, state: dict) -> None:
        super().__init__({name: real_parts(v) if isinstance(v, Tensor) else v for name, v in state.items()})
        self.written: dict[str, Any] = {}

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self.written[name] = value


def scalar(value: float) -> Callable:
    """Makes a tensor without dimensions for each parameter: a count of steps, a running product."""
    return lambda p: wrap(np.array(value, scalar_dtype()))


def scalar_dtype() -> np.dtype:
    """double where that is the default, else float32."""
    return np.dtype(np.float64 if engine.default_dtype.name == "float64" else np.float32)


def zeros(p: Any) -> Tensor:
    """A tensor of zeros like a parameter, and in parts as that is."""
    beside = getattr(type(p), "_beside", None)
    made = wrap(np.zeros_like(p._array))
    return made if beside is None else beside(p, made)


def advance(state: dict) -> float:
    """Count one step."""
    step = state["step"]._array
    step[...] = step.item() + 1  # sooner than an operator for arrays
    return float(step.item())


def number(value: Any) -> Any:
    """An option that may be a tensor, as a Python number."""
    return value.item() if isinstance(value, Tensor) else value


def options(given: dict[str, Any], order: str, **checks: Callable) -> dict[str, Any]:
    """The defaults of parameter groups, in PyTorch's order: an optimizer's arguments, of which some are checked first."""
    for name, check in checks.items():
        check(given[name])
    return {name: given[name] for name in order.split()}


def bounded(words: str, fits: Callable[[Any], bool] = lambda value: 0.0 <= value) -> Callable:
    """A check that refuses a value unless it fits (by default, is not negative), in words behind which it stands."""

    def check(value: Any) -> None:
        if not fits(value):
            raise ValueError(f"{words}: {value}")

    return check


def not_negative(name: str) -> Callable:
    return bounded(f"Invalid {name} value")


def one_element(value: Any) -> None:
    if isinstance(value, Tensor) and value.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def rate(value: Any) -> None:
    one_element(value)
    bounded("Invalid learning rate")(value)


def below_one(betas: Any) -> None:
    for i in range(2):
        bounded(f"Invalid beta parameter at index {i}", lambda beta: 0.0 <= beta < 1.0)(betas[i])
