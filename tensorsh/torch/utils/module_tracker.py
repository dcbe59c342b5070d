"""``torch.utils.module_tracker``: which modules are at work, in the forward and in the backward pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ...engine.arrays.state import here
from ...engine.tape.backward import queue_callback
from ...engine.tensors.tensor import Tensor
from ..autograd.graph import register_multi_grad_hook
from ..nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from ._pytree import tree_leaves

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context that knows the modules which are at work: ``parents`` holds their names, from the outermost module's class on
    (``Net.layers.0``), and always ``"Global"``; ``is_bw`` says whether a backward pass is under way.

    >>> net = torch.nn.Sequential(torch.nn.ReLU())
    >>> with torch.utils.module_tracker.ModuleTracker() as tracker:
    ...     _ = net[0].register_forward_hook(lambda *_: print(sorted(tracker.parents)))
    ...     _ = net(torch.ones(2))
    ['Global', 'Sequential', 'Sequential.0']
    """

    __module__ = "torch.utils.module_tracker"

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: WeakKeyDictionary = WeakKeyDictionary()
        self._emptied_later = False
        self._handles: list = []
        self._of_tensors: list = []

    is_bw = property(lambda self: here.walk is not None, doc="Whether a backward pass is under way.")

    def _name(self, module: Module) -> str:
        """The name of a module; those within it are named after it."""
        name = self._names.setdefault(module, type(module).__name__)
        for part, child in module.named_children():
            if child not in self._names:
                self._names[child] = f"{name}.{part}"
                self._name(child)
        return name

    def _enter(self, name: str) -> Callable:
        def enter(*_: Any) -> None:
            if self.is_bw and not self._emptied_later:
                self._emptied_later = True
                queue_callback(self._emptied)
            self.parents.add(name)

        return enter

    def _leave(self, name: str) -> Callable:
        return lambda *_: self.parents.discard(name)

    def _emptied(self) -> None:
        self.parents, self._emptied_later = {"Global"}, False

    def _watch(self, values: Any, function: Callable) -> None:
        """Call a function when the gradients of the tensors among values are there."""
        tensors = [x for x in tree_leaves(values) if isinstance(x, Tensor) and x.requires_grad]
        if tensors:
            self._of_tensors.append(register_multi_grad_hook(tensors, function))

    def _before(self, module: Module, args: Any) -> None:
        name = self._name(module)
        self._enter(name)()
        self._watch(args, self._leave(name))

    def _after(self, module: Module, args: Any, result: Any) -> None:
        name = self._name(module)
        self._leave(name)()
        self._watch(result, self._enter(name))

    def __enter__(self) -> Any:
        self._handles = [register_module_forward_pre_hook(self._before), register_module_forward_hook(self._after)]
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._handles + self._of_tensors:
            each.remove()
        self._of_tensors.clear()
