"""``torch.nn.utils.prune``: parameters of which some entries are held at zero by a mask.

A pruned parameter ``weight`` becomes a parameter ``weight_orig`` and a buffer ``weight_mask``; their product is an
ordinary attribute ``weight`` that a hook renews before each call.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from ....engine.tensors.tensor import Tensor
from ....sandbox.classes import allow
from ....sandbox.named import delete_named, read_named, write_named
from ....sandbox.sealed import OpenSealed, housed
from ..reach import T
from .convert_parameters import parameters_to_vector

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


def _same_shape(scores: Tensor, t: Tensor, what: str) -> None:
    if scores.shape != t.shape:
        raise AssertionError(f"importance_scores should have the same shape as {what}, got {scores.shape} vs {t.shape}")


def _hooks_of(module: Any, name: str | None = None) -> list[tuple[int, BasePruningMethod]]:
    """The pruning methods at work on a module, or on one of its tensors."""
    found = [(k, h) for k, h in module._forward_pre_hooks.items() if isinstance(h, BasePruningMethod)]
    return found if name is None else [(k, h) for k, h in found if h._tensor_name == name]


class BasePruningMethod(metaclass=OpenSealed):
    """Base class of pruning methods. Subclasses define `compute_mask`."""

    PRUNING_TYPE: str
    _tensor_name: str

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith("tensorsh."):
            housed(cls, cls.__module__[9:])

    def __call__(self, module: Any, inputs: Any) -> None:
        """The hook: renews the pruned tensor."""
        write_named(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The new mask, from the tensor (or its scores) and the mask so far; for subclasses to define."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Tensor:
        """The pruned tensor."""
        original = read_named(module, self._tensor_name + "_orig")
        return read_named(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a tensor of a module; on top of an earlier pruning, if there was one."""
        earlier = _hooks_of(module, name)
        for number, _ in earlier:
            del module._forward_pre_hooks[number]
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        if earlier:
            container = earlier[0][1]
            if not isinstance(container, PruningContainer):
                container = PruningContainer(container)
            container.add_pruning_method(method)
            method = container
        original = read_named(module, name)
        if importance_scores is None:
            importance_scores = original
        else:
            _same_shape(importance_scores, original, f"parameter {name} of {module}")
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = T.ones_like(original)
        else:
            mask = read_named(module, name + "_mask").detach().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(importance_scores, default_mask=mask))
            write_named(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, read_named(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Tensor, default_mask: Any = None, importance_scores: Any = None) -> Tensor:
        """A tensor pruned by itself, without a module."""
        if importance_scores is None:
            importance_scores = t
        else:
            _same_shape(importance_scores, t, "tensor t")
        return t * self.compute_mask(importance_scores, T.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruning permanent: the parameter gets its name back, with zeros in it."""
        name = self._tensor_name
        value = self.apply_mask(module)
        if hasattr(module, name):
            delete_named(module, name)
        original = module._parameters[name + "_orig"]
        original.data = value.data
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        write_named(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one after the other, on one tensor."""

    def __init__(self, *methods: Any) -> None:
        self._pruning_methods: tuple = ()
        if len(methods) == 1:
            self._tensor_name = methods[0]._tensor_name
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same tensor."""
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """What the newest method makes of the entries that are left."""
        method = self._pruning_methods[-1]
        left: Any
        if method.PRUNING_TYPE == "unstructured":
            left = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
                )
            dim = method.dim + t.ndim if method.dim < 0 else method.dim
            if dim < 0:
                raise IndexError(f"Index is out of bounds for tensor with dimensions {t.ndim}")
            kept = default_mask.sum(dim=[d for d in range(t.ndim) if d != dim]) != 0
            left = (*[slice(None)] * dim, kept)
        elif method.PRUNING_TYPE == "global":
            left = (slice(None),) * t.ndim
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask = default_mask.to(dtype=t.dtype)
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


def _validate_pruning_amount_init(amount: Any) -> None:
    """TypeError or ValueError for what is neither a number of entries nor a part of them."""
    if not isinstance(amount, Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, Integral) and amount > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """ValueError for more entries than there are."""
    if isinstance(amount, Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """The number of entries that an amount is."""
    return int(amount) if isinstance(amount, Integral) else round(amount * tensor_size)


class _Amount(BasePruningMethod):
    """A method that prunes so many entries or channels, or such a part of them."""

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _number(self, size: int) -> int:
        _validate_pruning_amount(self.amount, size)
        return _compute_nparams_toprune(self.amount, size)


class _Unstructured(_Amount):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        number = self._number(t.numel())
        mask = default_mask.clone()
        if number:
            mask.view(-1)[self._chosen(t, number)] = 0
        return mask

    def _chosen(self, t: Tensor, number: int) -> Tensor:
        """The flat indices of the entries to prune."""
        raise NotImplementedError


class RandomUnstructured(_Unstructured):
    """Prunes entries at random."""

    def _chosen(self, t: Tensor, number: int) -> Tensor:
        return T.topk(T.rand_like(t).view(-1), k=number).indices


class L1Unstructured(_Unstructured):
    """Prunes the entries of least absolute value."""

    def _chosen(self, t: Tensor, number: int) -> Tensor:
        return T.topk(T.abs(t).view(-1), k=number, largest=False).indices


class _Structured(_Amount):
    """Prunes whole channels, that is indices of one dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if t.ndim <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.ndim} dims"
            )
        if self.dim >= t.ndim:
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        number = self._number(size)
        kept = self._kept(t, size, number)
        if number == 0:
            return default_mask
        mask = T.zeros_like(t)
        mask[(*[slice(None)] * (self.dim % t.ndim), kept)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask

    def _kept(self, t: Tensor, size: int, number: int) -> Any:
        """The channels to keep, as indices or as a mask."""
        raise NotImplementedError


class RandomStructured(_Structured):
    """Prunes channels at random."""

    def _kept(self, t: Tensor, size: int, number: int) -> Any:
        if number == 0:
            return None
        chances = T.rand(size)
        return chances > T.kthvalue(chances, k=number).values


class LnStructured(_Structured):
    """Prunes the channels of least norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Tensor, size: int, number: int) -> Any:
        others = [d for d in range(t.ndim) if d != self.dim % t.ndim]
        return T.topk(T.norm(t, p=self.n, dim=others), k=size - number).indices


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


allow(BasePruningMethod, "_tensor_name", "_pruning_methods")
housed(BasePruningMethod, "torch.nn.utils.prune")


def identity(module: Any, name: str) -> Any:
    """Give a tensor a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Entries of a parameter that are drawn at random are pruned, as `l1_unstructured` does it with the least.

    module: the module, which is returned. name: the parameter's. amount: a share between 0 and 1, or a number of entries.

    >>> from torch.nn.utils import prune
    >>> layer = prune.random_unstructured(nn.Linear(4, 1), "weight", amount=0.5)
    >>> layer.weight_mask.sum()
    tensor(2.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """The entries of least absolute value of a parameter are pruned: a mask ``name_mask`` multiplies ``name_orig`` from now on.

    module: the module, which is returned. name: the parameter's. amount: a share between 0 and 1, or a number of entries.
    importance_scores: a tensor of the parameter's shape that is ranked in its place.

    >>> from torch.nn.utils import prune
    >>> layer = nn.Linear(4, 1, bias=False)
    >>> _ = layer.weight.data.copy_(torch.tensor([[1.0, -2.0, 0.5, 4.0]]))
    >>> prune.l1_unstructured(layer, "weight", amount=2).weight
    tensor([[ 0., -2.,  0.,  4.]], grad_fn=<MulBackward0>)
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune channels at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """The channels of least norm of a parameter are pruned, whole.

    module: the module, which is returned. name: the parameter's. amount: a share between 0 and 1, or a number of channels. n: the
    norm's order. dim: the dimension whose slices are the channels. importance_scores: a tensor that is ranked in its place.

    >>> from torch.nn.utils import prune
    >>> layer = nn.Linear(2, 3, bias=False)
    >>> _ = layer.weight.data.copy_(torch.tensor([[1.0, 1.0], [3.0, 0.0], [0.1, 0.1]]))
    >>> prune.ln_structured(layer, "weight", amount=1, n=2, dim=0).weight_mask
    tensor([[1., 1.],
            [1., 1.],
            [0., 0.]])
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """A parameter is pruned where a mask is zero.

    module: the module, which is returned. name: the parameter's. mask: a tensor of its shape.

    >>> from torch.nn.utils import prune
    >>> layer = prune.custom_from_mask(nn.Linear(2, 1), "bias", torch.tensor([0]))
    >>> layer.bias_mask
    tensor([0.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prune several parameters at once, as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs: list = list(parameters)
    tensors = [read_named(module, name) for module, name in pairs]
    masks = [read_named(m, n + "_mask", None) for m, n in pairs]
    method = pruning_method(**kwargs)
    if not isinstance(method, BasePruningMethod):
        raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    mask = PruningContainer(method).compute_mask(
        parameters_to_vector([scores.get(pair, t) for pair, t in zip(pairs, tensors, strict=True)]),
        parameters_to_vector([T.ones_like(t) if m is None else m for m, t in zip(masks, tensors, strict=True)]),
    )
    for (module, name), t, part in zip(pairs, tensors, mask.split([t.numel() for t in tensors]), strict=True):
        custom_from_mask(module, name, mask=part.view_as(t))


def remove(module: Any, name: str) -> Any:
    """The pruning of a tensor is made permanent: ``name_orig`` and its mask go, and `name` is a parameter again, with zeros in it.

    module: the module, which is returned. name: the parameter's. ValueError: it is not pruned.

    >>> from torch.nn.utils import prune
    >>> layer = prune.l1_unstructured(nn.Linear(2, 1), "weight", amount=1)
    >>> _ = prune.remove(layer, "weight")
    >>> [name for name, _ in layer.named_parameters()], int((layer.weight == 0).sum())
    (['bias', 'weight'], 1)
    """
    found = _hooks_of(module, name)
    if not found:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    number, method = found[0]
    method.remove(module)
    del module._forward_pre_hooks[number]
    return module


def is_pruned(module: Any) -> bool:
    """Whether any tensor of a module, or of those below it, is pruned.

    module: the module.

    >>> from torch.nn.utils import prune
    >>> layer = nn.Linear(2, 1)
    >>> before = prune.is_pruned(layer)
    >>> before, prune.is_pruned(prune.l1_unstructured(layer, "weight", amount=1))
    (False, True)
    """
    return any(_hooks_of(each) for _, each in module.named_modules())
