"""``torch.library``: operators that a program defines, with their own gradients."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any
from weakref import finalize

from ..engine.arrays.device import device
from ..engine.arrays.state import state
from ..sandbox import process
from ..sandbox.sealed import MARK, Sealed
from ._ops import OpOverload, OpOverloadPacket, given_kernel
from .custom_ops import KEYS, UNNAMED, CustomOpDef, add, custom_op, fallthrough_kernel, found, operators, waiting
from .nn.attention import SealedEnum
from .opcheck import USUAL, check
from .schemas import Declaration, infer_schema

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "impl", "infer_schema", "opcheck", "register_autograd",
    "register_fake", "register_kernel", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip


def define(qualname: Any, schema: Any, *, lib: Any = None, tags: Any = (), alias_analysis: str = "") -> Any:
    """Declare an operator ``namespace::name`` by its schema; `impl` gives it kernels. Of a `Library`, a decorator of its kernel.
    alias_analysis: "", "FROM_SCHEMA" or "CONSERVATIVE"; it changes nothing here."""
    if isinstance(qualname, Library):
        name = qualname.define(schema, alias_analysis, tags=tags)
        return impl(qualname, name)
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    if qualname.count("::") != 1:
        raise ValueError(UNNAMED.format(qualname))
    space, _, name = qualname.partition("::")
    Declaration(qualname, schema)
    return kept(lib, space).define(name + schema, alias_analysis, tags=tags) and None


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Give a declared operator a kernel for some kinds of device ("cpu", "default"); a decorator without `func`."""
    if isinstance(qualname, Library):
        return impl_of(qualname, types, func or "")
    keys = {key_of(each) for each in ((types,) if isinstance(types, str) else types)}
    space, _, name = qualname.partition("::")

    def register(function: Callable) -> Callable:
        for key in sorted(keys):
            kept(lib, space).impl(name, function, key)
        return function

    return register if func is None else register(func) and None


def key_of(device_type: str) -> str:
    """What a kernel for a kind of device is for, as libraries call it."""
    found = KEYS.get(device_type)
    return found or (device_type if device_type in DISPATCH_KEYS else KEYS.get(device(device_type).type, "PrivateUse1"))


def impl_of(library: Library, name: Any, key: str) -> Callable:
    """The decorator ``@impl(library, name, dispatch_key)``."""

    def register(function: Callable) -> Callable:
        library.impl(name, function, key)
        return function

    return register


def kept(lib: Any, space: str) -> Library:
    """A program's library, or one of a namespace that is never taken away."""
    if lib is not None:
        return lib
    known = of_session("kept_libraries", {})
    if space not in known:
        known = state.__dict__["kept_libraries"] = {**known, space: Library(space, "FRAGMENT")}
    return known[space]


def of_session(name: str, default: Any) -> Any:
    """What the session keeps of libraries; whoever changes it enters a new one: the snapshots of others share the old one."""
    return state.__dict__.get(name, default)


NONE: frozenset[str] = frozenset()
RESERVED = frozenset(("prim",))
DISPATCH_KEYS = frozenset(
    """CPU CUDA Meta XPU MPS HPU MTIA XLA Lazy IPU MAIA VE HIP PrivateUse1 SparseCPU SparseCsrCPU SparseCUDA SparseCsrCUDA
    QuantizedCPU MkldnnCPU NestedTensorCPU NestedTensorCUDA Autograd AutogradCPU AutogradCUDA AutogradMeta AutogradXPU AutogradMPS
    AutogradOther AutogradPrivateUse1 AutogradNestedTensor ADInplaceOrView Autocast AutocastCPU AutocastCUDA AutocastXPU
    AutocastMPS CompositeImplicitAutograd CompositeExplicitAutograd CompositeExplicitAutogradNonFunctional
    CompositeImplicitAutogradNestedTensor BackendSelect Python PythonDispatcher PythonTLSSnapshot PreDispatch Functionalize
    FuncTorchBatched FuncTorchVmapMode FuncTorchGradWrapper Batched VmapMode Conjugate Negative ZeroTensor Tracer Named Dense
    Sparse Quantized TESTING_ONLY_GenericMode TESTING_ONLY_GenericWrapper""".split()
)
"""What a kernel may be for. Those of a CPU, of forms without data, of gradients and of what is made of others are called here."""


class Library(metaclass=Sealed):
    """The operators of a namespace: ``define`` declares them, ``impl`` gives them kernels. They go with their library.
    ns: the namespace. kind: "DEF" or "FRAGMENT" for operators of its own, "IMPL" for kernels of others. dispatch_key: what its
    kernels are for, where `impl` does not say."""

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in RESERVED and kind != "IMPL":
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        caller = sys._getframe(1)
        self._where = f"{caller.f_code.co_filename}:{caller.f_lineno}"
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._op_defs: dict[str, CustomOpDef] = {}
        self._op_impls: set[str] = set()
        self._undo: list[Callable] = []
        self.m: Any = True
        finalize(self, leave, self._op_defs, self._op_impls, self._undo).atexit = False

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare an operator by its name and schema, ``add(Tensor a, Tensor b) -> Tensor``."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self._alive()
        name, opening, rest = schema.partition("(")
        name = name.strip()
        whole = f"{self.ns}::{name.rpartition('::')[2]}"
        declared = Declaration(whole, opening + rest)
        declared.where = self._where
        if whole in operators():
            first = getattr(operators()[whole]._declared, "where", self._where)
            raise RuntimeError(
                f"Tried to register an operator ({declared.text}) with the same name and overload name multiple times. Each "
                "overload's schema should only be registered with a single call to def(). Duplicate registration: registered at "
                f"{self._where}. Original registration: registered at {first}"
            )
        self._op_defs[whole] = add(CustomOpDef(whole, declared, declared, tags))
        return name.partition(".")[0]

    def impl(
        self, op_name: Any, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False, allow_override: bool = True
    ) -> None:  # fmt: skip
        """Give an operator of the namespace a kernel, for calls of one kind.
        op_name: the name, with its form, or the form itself. dispatch_key: "CPU", "Meta", "Autograd", "CompositeImplicitAutograd"
        (the kernel is made of other operators) and so on. with_keyset: whether the kernel is told first for what it is called.
        allow_override: whether it may take the place of another. RuntimeError: another namespace, another key than the library's."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name, key = self._named(op_name), dispatch_key or self.dispatch_key
        short = name.rpartition("::")[2]
        known = f"{self.ns}/{short}/{key}"
        if not allow_override and known in of_session("library_kernels", NONE):
            raise RuntimeError(
                f"This is not allowed since there's already a kernel registered from python overriding {short}'s behavior for "
                f"{key} dispatch key and {self.ns} namespace."
            )
        self._alive()
        self._check(name, dispatch_key)
        called = (lambda *args, **kwargs: fn(keyset(), *args, **kwargs)) if with_keyset else fn
        self._undo.append(give(self.ns, short, key or "CompositeImplicitAutograd", called))
        self._op_impls.add(known)
        state.__dict__["library_kernels"] = of_session("library_kernels", NONE) | {known}

    def _named(self, op: Any) -> str:
        if isinstance(op, str):
            return op
        if not hasattr(op, "_overloadname"):
            raise RuntimeError(
                f"impl should be passed either a name or an OpOverload object as the first argument, got {type(op)}"
            )
        return op.name()

    def _check(self, name: str, key: str) -> None:
        """RuntimeError: a kernel of another namespace, or for something else than the library's."""
        block = "TORCH_LIBRARY_IMPL" if self.kind == "IMPL" else "TORCH_LIBRARY"
        where = f"(Error occurred while processing {block} block at {self._where})"
        space, colons, rest = name.partition("::")
        if colons and space != self.ns:
            raise RuntimeError(
                f'impl("{name}", ...): Explicitly provided namespace ({space}) in operator name does not match namespace of '
                f"enclosing {block} block ({self.ns}).  Move this definition to the {block} block corresponding to this namespace "
                f"(and consider deleting the namespace from your schema string.)  {where}"
            )
        if key and key not in DISPATCH_KEYS:
            raise RuntimeError(f"could not parse dispatch key: {key}")
        if key and self.dispatch_key and key != self.dispatch_key:
            raise RuntimeError(
                f'impl("{name}", ...): Explicitly provided dispatch key ({key}) is inconsistent with the dispatch key of the '
                f"enclosing {block} block ({self.dispatch_key}).  Please declare a separate {block} block for this dispatch key and "
                f"move your impl() there.  {where}"
            )

    def _alive(self) -> None:
        if self.m is None:
            raise AssertionError("Library object has been destroyed")

    def _register_fake(self, op_name: str, fn: Callable, _stacklevel: int = 1, *, allow_override: bool = True) -> None:
        """The form of an operator's result, for tensors without data."""
        found(f"{self.ns}::{op_name}").register_fake(fn)

    def _register_torch_dispatch_rule(self, op_name: str, torch_dispatch_class: type, fn: Callable) -> None:
        """What a class of tensors, or of modes, answers to an operator, in the place of its ``__torch_dispatch__``."""
        rules = found(f"{self.ns}::{op_name}")._rules
        rules[torch_dispatch_class] = fn
        self._undo.append(lambda: rules.pop(torch_dispatch_class, None))

    def fallback(self, fn: Callable, dispatch_key: str = "", *, with_keyset: bool = False) -> None:
        """NotImplementedError: there is no kernel for all operators here."""
        if self.ns != "_":
            raise RuntimeError(
                'Fallback can only be registered using library fragment on the global namespace "_" but it is '
                + self.ns
            )
        raise NotImplementedError("tensorsh has no kernels for all operators: use a TorchDispatchMode")

    def _destroy(self) -> None:
        """Take the library's operators and kernels away."""
        self.m = None
        leave(self._op_defs, self._op_impls, self._undo)


def leave(definitions: dict[str, CustomOpDef], kernels: set[str], undo: list) -> None:
    """A library is gone, and what it registered: here, unless another session runs meanwhile."""
    while undo:
        undo.pop()()
    if kernels and kernels <= of_session("library_kernels", NONE):
        state.__dict__["library_kernels"] = of_session("library_kernels", NONE) - kernels
    if any(definitions.get(name) is op for name, op in operators().items()):
        rest = {name: op for name, op in operators().items() if definitions.get(name) is not op}
        state.__dict__["custom_operators"] = rest
    definitions.clear()


def give(space: str, name: str, key: str, kernel: Callable) -> Callable[[], None]:
    """Give an operator a kernel; the answer takes it away again."""
    whole = f"{space}::{name}".removesuffix(".default")
    if space == "aten" and whole not in operators():
        return override(name, key, kernel)
    kernels = operators()[whole]._keys if whole in operators() else waiting().get(whole)
    if kernels is None:
        kernels = {}
        state.__dict__["custom_kernels"] = {**waiting(), whole: kernels}
    return given_kernel(kernels, key, kernel)


def override(name: str, key: str, kernel: Callable) -> Callable[[], None]:
    """Give an operator of PyTorch's own another kernel: in plain Python alone."""
    if not process.plain:
        raise NotImplementedError(f"tensorsh does not put other kernels in the place of aten::{name}")
    from . import dispatching

    return dispatching.override(name, key, kernel)


def keyset() -> Any:
    """What a kernel is called for, as one that asks is told."""
    if not process.plain:
        return None
    from ._C import DispatchKeySet

    return DispatchKeySet()


for _function in (custom_op, fallthrough_kernel, infer_schema):
    _function.__module__ = __name__


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """`CustomOpDef.register_autograd` of an operator given by name."""
    found(op, "register_autograd").register_autograd(backward, setup_context=setup_context)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *, lib: Any = None) -> Callable:
    """`CustomOpDef.register_kernel` of an operator given by name."""
    return found(op, "register_kernel").register_kernel(device_types, func)


def register_fake(
    op: Any, func: Callable | None = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = True
) -> Any:
    """`CustomOpDef.register_fake` of an operator given by name. allow_override: changes nothing."""
    is_library = process.plain or MARK not in sys._getframe(1).f_builtins
    if is_library and isinstance(op, str) and op not in operators():  # a library's, whose compiled part is not there
        return (lambda function: function) if func is None else func
    own = found(op, "register_fake").register_fake
    return own if func is None else own(func)


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """`CustomOpDef.register_vmap` of an operator given by name."""
    return found(op, "register_vmap").register_vmap(func)


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A `Library` within a block."""
    made = Library(*args, **kwargs)
    try:
        yield made
    finally:
        made._destroy()


def opcheck(
    op: Any, args: tuple, kwargs: dict | None = None, *, test_utils: Any = USUAL, raise_exception: bool = True, atol: Any = None,
    rtol: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """What is wrong with an operator that a program defined, called with such arguments: for each test "SUCCESS" or its error.
    test_utils: the tests, or one's name: of its schema (what it writes into, what its results share), of how its gradient is
    registered, of its form without data, of forward and backward together. raise_exception: whether the first error is raised.
    atol, rtol: how far results may differ. OpCheckError: a test that failed."""
    if not isinstance(op, (CustomOpDef, OpOverload, OpOverloadPacket)):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    return check(op if isinstance(op, CustomOpDef) else op._function, args, kwargs or {}, test_utils, raise_exception)


def get_ctx() -> Any:
    """What a form without data may ask for new sizes: nothing."""
    return None


def impl_abstract(qualname: Any, func: Any = None, *, lib: Any = None, _stacklevel: int = 1) -> Any:
    """`register_fake` under the name that it had before."""
    return register_fake(qualname, func, lib=lib)


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """What a class of tensors or modes answers to an operator, ``func(cls or mode, op, types, args, kwargs)``, in the place of its
    ``__torch_dispatch__``; a decorator without `func`."""
    own = found(op, "register_torch_dispatch")

    def register(function: Callable) -> Callable:
        own._rules[torch_dispatch_class] = function
        return function

    return register if func is None else register(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """`CustomOpDef.register_autocast` of an operator given by name."""
    if not isinstance(op, (str, OpOverload, CustomOpDef)):
        raise ValueError(f"register_autocast({op}): got unexpected type for op: {type(op)}")
    found(op, "register_autocast").register_autocast(device_type, cast_inputs)


def triton_op(name: str, fn: Any = None, /, *, mutates_args: Any, schema: Any = None) -> Any:
    """An operator as `custom_op` makes it, whose function says its form without data, too; the Triton kernels that it starts by
    `wrap_triton` are not run."""

    def made(function: Callable) -> Any:
        operator = custom_op(name, function, mutates_args=mutates_args, schema=schema)
        operator.register_fake(function)
        return operator

    return made if fn is None else made(fn)


def wrap_triton(triton_kernel: Any, /) -> Any:
    """ModuleNotFoundError: a kernel of Triton, which tensorsh does not run."""
    raise ModuleNotFoundError("No module named 'triton'")


class Tag(Enum, metaclass=SealedEnum):
    """What the definition of an operator may say of it, for compilers: here it changes nothing."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return self.value


Tag.__module__ = "torch"
