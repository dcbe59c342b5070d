"""The Tensor: an array with a place on the tape.

A tensor is its array plus what differs from the class defaults below, so that making one costs two steps. The array's own
strides, dtype and memory are the tensor's; views share memory by sharing numpy buffers, and they share one version cell.
Methods are not written here: the operator table puts them on the class."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...sandbox.sealed import Owned, Sealed, is_sealed, unwritable
from ...sandbox.wrapping import builtin, misfit
from ..arrays import memory
from ..arrays.backend import device_of
from ..arrays.device import CPU, device
from ..arrays.dtype import COMPLEX_HALF, FROM_NUMPY, complex32, dtype, of
from ..arrays.state import here, state
from ..arrays.warning import warn
from ..graph.dual import DualLeaf, shown, wants_gradient
from ..graph.fields import Fields, Version, bind, detached, wrap
from ..graph.nodes import AccumulateGrad, Handle, Slot, handle_of, nowhere
from ..loading import table
from ..loading.table import METHODS, find_method, is_indexed, load_all, read_index
from .shape import Size, shaped

ndarray = np.ndarray
memory.install()


derived: list[Callable[[type], None]] = []
"""Called when a program derives a class from Tensor."""


class TensorMeta(Sealed):
    """Names not on the class yet are looked for in the operator table."""

    def __init__(cls, name: str, bases: tuple, body: dict, **keywords: Any) -> None:
        super().__init__(name, bases, body, **keywords)
        if not is_sealed(cls):
            table.load(
                "creation.legacy"
            )  # by which such a class is called, and with it whoever wants to know of the class
            for tell in derived:
                tell(cls)

    def __getattr__(cls, name: str) -> Any:
        return load_method(cls, name)

    def _presented(cls, name: str, value: Any) -> Any:
        if name[:2] == "__" and type(value) is FunctionType:
            value.__qualname__ = "Tensor." + name
        return unwritable(value, name, "torch._C.TensorBase") if type(value) in (property, Owned) else value


def load_method(owner: Any, name: str) -> Any:
    if not name.startswith("__"):
        if (method := find_method(name)) is not None:
            return method
    elif name in ("__torch_function__", "__torch_dispatch__"):
        import_module("tensorsh.engine.operators.torch_function")  # which puts both there
        if name in Tensor.__dict__:
            return getattr(owner, name)
    raise AttributeError(f"type object '{owner.__name__}' has no attribute '{name}'")


class Tensor(Fields, metaclass=TensorMeta):
    """A multi-dimensional array of one dtype, with the history that gradients need."""

    _array: Any
    _node: Any
    """The node that made it (AccumulateGrad for a leaf); None when no gradient is wanted."""
    _grad: Any
    _root: Any
    """The tensor whose memory this one views."""
    _cell: Version | None
    """The version counter shared with all tensors of the same storage, once there is one to share."""
    _views: list | None
    """Weak references to the tensors that view this one's memory."""
    _origin: str | None
    """How a view came about where that forbids in-place writes: 'multiple', 'no_grad', 'inference'."""
    _inference: bool
    name: str | None = None
    _is_parameter: bool = False
    __array_priority__ = 1000
    __module__ = "torch"
    __weakref__ = property(lambda self: next(iter(weakref.getweakrefs(self)), None))
    """Of `Fields`, which has the place for it; a class of PyTorch's lists the name."""

    if TYPE_CHECKING:
        # The operator table puts these on the class.
        def _binary(self, other: Any) -> Any: ...

        def _unary(self) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = (
            _binary
        )
        __mod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __and__ = __or__ = __xor__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary
        __neg__ = __invert__ = __abs__ = _unary
        __getitem__ = _binary

        def __setitem__(self, index: Any, value: Any) -> None: ...

        def __iter__(self) -> Any: ...

        def __getattr__(self, name: str) -> Any: ...

        def __contains__(self, element: Any) -> bool: ...

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        table.load("creation.legacy")  # which puts its own in this one's place
        return Tensor.__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @property
    def shape(self) -> Size:
        return shaped(Size, self._array.shape)

    @property
    def dtype(self) -> dtype:
        kind = self._array.dtype
        return complex32 if kind is COMPLEX_HALF else FROM_NUMPY.get(kind) or of(self._array)

    @property
    def device(self) -> device:
        array = self._array
        if type(array) is ndarray:
            return CPU
        return getattr(array, "claimed", None) or device_of(array)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def requires_grad(self) -> bool:
        return self._node is not None and (not state.dual or wants_gradient(self))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value is not True and value is not False:
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None and not isinstance(self._node, AccumulateGrad):
            if type(self._node) is DualLeaf and self.is_leaf:
                self._node.want(self, value)
            if value or self.is_leaf:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
                "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if not value:
            self._node = None
            self._tell_views(None)
        elif self._node is None:
            if self._array.dtype.kind not in "fcV":
                raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
            if self._inference and not here.inference:
                raise RuntimeError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                )
            self._node = AccumulateGrad(self)
            if "_grad_dtype" in self.__dict__:
                from .leaf_gradient import keep_as

                keep_as(self)
            self._tell_views(nowhere())

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def _tell_views(self, node: Any) -> None:
        """Views made before wait for no gradient of their own, but want one as their base does."""
        for reference in self._views or ():
            view = reference()
            if view is not None and view._array.dtype.kind in "fcV" and view.is_leaf:
                view._node = node

    @property
    def is_leaf(self) -> bool:
        node = self._node
        if node is None or type(node) is AccumulateGrad:
            return True
        return state.dual > 0 and (not wants_gradient(self) or type(node) is DualLeaf and node.is_leaf_of(self))

    @property
    def grad_fn(self) -> Any:
        node = self._node
        if node is None or type(node) is AccumulateGrad:
            return None
        if state.dual:
            node = shown(node) if wants_gradient(self) else None
            if node is None or type(node) is AccumulateGrad:
                return None
        if node._forbidden is not None:
            raise RuntimeError(node._forbidden)
        return node._parent if type(node) is Slot else node

    @property
    def output_nr(self) -> int:
        return self._node._number if type(self._node) is Slot else 0

    @property
    def grad(self) -> Any:
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warn(GRAD_OF_NON_LEAF)
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            self._grad = None
            return
        from .leaf_gradient import check_assigned

        check_assigned(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def _base(self) -> Any:
        return self._root

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._cell is None else self._cell.count

    def _bump(self) -> None:
        """Note that the memory was written in place."""
        if self._cell is None:
            self._cell = Version()
        self._cell.bump()

    @property
    def data(self) -> Tensor:
        made = wrap(self._array)
        made._born = self._born
        return made

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if getattr(value._array, "layout", None) is not getattr(self._array, "layout", None):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        if self._node is not None and value._array.dtype.kind not in "fcV":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self._array = value._array

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def __reduce_ex__(self, protocol: Any) -> tuple:
        """For Python's pickle where the library is used by itself: values, dtype, whether a gradient is wanted.
        TypeError: what numpy holds no values of, classes of others. (In PyTorch's place `torch/pickling.py` writes
        what PyTorch reads.)"""
        made = type(self).__dict__.get("_unpickled")
        if made is None or type(self._array) is not np.ndarray or self.dtype is complex32:
            raise TypeError(f"cannot pickle {type(self).__name__!r} object")
        return made.__func__, (self._array, self.requires_grad)

    def detach(self, *args: Any, **kwargs: Any) -> Tensor:
        """The same memory, without history: what is computed from it reaches no gradient.
        In-place writes to either are seen in the other, and by the version checks of both; ``x.detach().clone()`` is a copy.
        The shape, the dtype and the device stay."""
        if args or kwargs:
            raise misfit("TensorBase.detach()", args, kwargs)
        return detached(self)

    def register_hook(self, hook: Any) -> Handle:
        """Call `hook(grad)` when the gradient of this tensor is known; what it returns replaces the gradient.
        A hook that returns None only looks. ``.remove()`` of the handle that comes back ends it. RuntimeError: a tensor that
        wants no gradient.
        >>> w = torch.ones(2, requires_grad=True)
        >>> handle = w.register_hook(lambda grad: grad * 10)
        >>> w.sum().backward()
        >>> w.grad
        tensor([10., 10.])
        """
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node._prehooks is None:
            self._node._prehooks = {}
        self._node._watched = True
        if type(self._node) is Slot:
            self._node.hear()
        return handle_of(self._node._prehooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Handle:
        """Call `hook(param)` after `grad` of a leaf was added to."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return self._node._register_post_hook(hook)

    @builtin("TensorBase")
    def retain_grad(self) -> None:
        """Keep the gradient of a tensor that is no leaf in `grad`.
        Backward passes leave it to leaves alone otherwise; of a leaf it changes nothing. RuntimeError: a tensor that wants no
        gradient.
        >>> w = torch.ones(2, requires_grad=True)
        >>> y = w * 3
        >>> y.retain_grad()
        >>> (y ** 2).sum().backward()
        >>> y.grad
        tensor([6., 6.])
        """
        if self._node is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if here.transforms:
            raise RuntimeError(IN_TRANSFORM.format("retain_grad", ""))
        if self.is_leaf or self.retains_grad:
            return
        if self._node._retained is None:
            self._node._retained = []
        self._node._watched = True
        self._node._retained.append(weakref.ref(self))

    @property
    def volatile(self) -> bool:
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @property
    def retains_grad(self) -> bool:
        kept = self._node is not None and self._node._retained
        return any(r() is self for r in kept or ())

    @property
    def grad_dtype(self) -> Any:
        from .leaf_gradient import grad_dtype

        return grad_dtype(self)

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        from .leaf_gradient import set_grad_dtype

        set_grad_dtype(self, value)

    def __len__(self) -> int:
        shape = self._array.shape
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __dir__(self) -> list[str]:
        load_all()
        hidden = {"volatile"} if self.is_cuda else {"volatile", "__cuda_array_interface__"}
        return sorted((set(object.__dir__(self)) | set(METHODS)) - hidden)


def unpickled(array: np.ndarray, requires_grad: bool) -> Tensor:
    """The tensor that was pickled, a leaf."""
    made = wrap(array)
    if requires_grad:
        made._node = AccumulateGrad(made)
    return made


Tensor._unpickled = staticmethod(unpickled)  # type: ignore[attr-defined]


GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def _late(name: str) -> None:
    """A special method whose family is loaded when it is first used, and then replaces it."""

    def method(self: Tensor, *args: Any) -> Any:
        table.load_attribute(name)
        found = Tensor.__dict__[name]
        return NotImplemented if found is method else found(self, *args)

    method.__name__ = method.__qualname__ = name
    method._late = True  # type: ignore[attr-defined]
    setattr(Tensor, name, method)


for _name in (
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv div rdiv idiv floordiv rfloordiv ifloordiv mod rmod imod pow rpow "
    "ipow matmul rmatmul and rand iand or ror ior xor rxor ixor lshift rlshift ilshift rshift rrshift irshift neg pos abs "
    "invert eq ne lt le gt ge bool float int complex index repr format deepcopy copy array array_wrap getitem setitem iter "
    "contains delitem"
).split():
    _late(f"__{_name}__")


class Late:
    """A method or property whose family is loaded when it is first asked for, and then replaces it.

    A ``__getattr__`` in Tensor would make every one of its attributes slower to read, and operators read them on each call.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Any, owner: type) -> Any:
        name = self.name
        method = table.find_method(name)
        if method is not None:
            setattr(Tensor, name, method)
        elif not table.load_attribute(name) or type(Tensor.__dict__.get(name)) is Late:
            raise AttributeError(f"'{owner.__name__}' object has no attribute '{name}'")
        return getattr(owner if tensor is None else tensor, name)

    def __set__(self, tensor: Any, value: Any) -> None:
        self.__get__(tensor, type(tensor))
        setattr(tensor, self.name, value)


def _missing(self: Tensor, name: str) -> Any:
    """``__getattr__`` where there is no index of names: whatever is not there yet is looked for in all families."""
    method = table.find_method(name)
    if method is not None:
        setattr(Tensor, name, method)
        return method.__get__(self, type(self))
    if table.load_attribute(name) and name in Tensor.__dict__:
        return Tensor.__dict__[name].__get__(self, type(self))  # whose own AttributeError is the answer
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _announce() -> None:
    """Put a Late on the class for each name that the index of families has for tensors."""
    if not is_indexed():
        Tensor.__getattr__ = _missing  # type: ignore[method-assign]
    present = Tensor.__dict__
    for name in read_index()[1]:
        if name not in present:
            setattr(Tensor, name, Late(name))


_announce()
for _name, _value in list(Tensor.__dict__.items()):
    if isinstance(_value, property) and _value.fset is None:
        setattr(Tensor, _name, _value)


bind(Tensor)


def wanting(t: Tensor, wanted: bool = True) -> Tensor:
    """A tensor that wants a gradient, or not: what `requires_grad_` is to programs, also while a function is transformed."""
    if type(t) is Tensor and t._array.dtype.kind in "fcV":
        t.requires_grad = wanted
        return t
    before, here.transforms = here.transforms, 0
    try:
        return t.requires_grad_(wanted)  # type: ignore[attr-defined]
    finally:
        here.transforms = before


IN_TRANSFORM = (
    "You are attempting to call Tensor.{0}(){1} inside of a function being transformed by a functorch transform. This is unsupported, "
    "please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call {0}() outside of a function "
    "being transformed instead."
)
