"""The tests of ``torch.library.opcheck``: an operator that a program defined keeps what its schema promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tensors.tensor import Tensor
from .custom_ops import CustomOpDef
from .trees import flatten, rebuild

__all__: list[str] = []


class OpCheckError(Exception):
    """A test of an operator that failed."""

    __module__ = "torch.testing._internal.optests.generate_tests"


class MetadataMismatchError(Exception):
    """A form without data that is not that of the result."""

    __module__ = "torch._subclasses.fake_utils"


TESTS = (
    "test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_static",
    "test_aot_dispatch_dynamic",
)  # fmt: skip
USUAL = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


def check(op: Any, args: tuple, kwargs: dict, test_utils: Any, raise_exception: bool) -> dict[str, Any]:
    """What `torch.library.opcheck` gives."""
    chosen = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(chosen) <= set(TESTS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={chosen}), expected test_utils to be subset of {TESTS} but it was not"
        )
    results: dict[str, Any] = {}
    for name in chosen:
        try:
            KINDS[name](op, args, kwargs)
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {error} (scroll up for stack trace)"
                ) from error
            results[name] = error
    return results


def mapped(function: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Arguments with another tensor in the place of each."""
    tree = (list(args), kwargs)
    given = rebuild(tree, iter([function(x) if isinstance(x, Tensor) else x for x in flatten(tree)]))
    return tuple(given[0]), given[1]


def fresh(x: Tensor) -> Tensor:
    """A leaf with the same elements."""
    return x.detach().clone().requires_grad_(x.requires_grad)


def keeps_schema(op: Any, args: tuple, kwargs: dict) -> None:
    """What a schema does not name is not written into."""
    given, named = mapped(lambda x: x.detach().clone(), args, kwargs)
    op(*given, **named)
    if not isinstance(op, CustomOpDef):
        return
    names = list(op._declared.kinds)
    before = dict(zip(names, args, strict=False)) | kwargs
    after = dict(zip(names, given, strict=False)) | named
    for name, old in before.items():
        pairs = zip(flatten(old), flatten(after[name]), strict=True)
        if name not in op._declared.mutated and any(
            isinstance(x, Tensor) and not x.detach().equal(y) for x, y in pairs
        ):
            raise RuntimeError(f"Argument {name} is not defined as mutable but was mutated")


def registers_gradient(op: Any, args: tuple, kwargs: dict) -> None:
    """A kernel of one device is no formula of a gradient."""
    wants = any(isinstance(x, Tensor) and x.requires_grad for x in flatten((list(args), kwargs)))
    if not wants or not isinstance(op, CustomOpDef) or op._backward or op._above() or callable_itself(op):
        return
    raise AssertionError(
        f"{op._qualname}: at least one output of this operator has requires_grad=True but the operator does not have an autograd "
        "kernel defined at an autograd key (e.g. DispatchKey::Autograd). This could mean that you have incorrectly registered an "
        "autograd kernel to a non-Autograd DispatchKey, which may lead to silently incorrect results. If your operator consists "
        "of regular PyTorch operations, consider not using an operator at all or registering your operator as "
        "CompositeImplicitAutograd. If you have an autograd.Function registered to a backend (CPU/CUDA/XPU) key, the correct "
        "location for it is the Autograd key."
    )


def callable_itself(op: CustomOpDef) -> bool:
    """Whether an operator was made of a function, and not declared by a schema."""
    return op._function is not op._declared


def has_form(op: Any, args: tuple, kwargs: dict) -> None:
    """The form without data is that of the result."""
    given, named = mapped(lambda x: x.detach().clone(), args, kwargs)
    real = op(*given, **named)
    given, named = mapped(lambda x: x.detach().to("meta"), args, kwargs)
    fake = op(*given, **named)
    title = op._qualname.replace("::", ".") + ".default" if isinstance(op, CustomOpDef) else op.__name__
    for x, y in zip(flatten(real), flatten(fake), strict=True):
        if not isinstance(x, Tensor):
            continue
        for what, a, b in (
            ("Shapes", x.shape, y.shape),
            ("Dtypes", x.dtype, y.dtype),
            ("Strides", x.stride(), y.stride()),
        ):
            if a != b:
                raise MetadataMismatchError(
                    f"When comparing the output of {title} on FakeTensor and concrete Tensors, found mismatched tensor metadata: "
                    f"{what} {a} and {b} are not equal!"
                )


def runs_through(op: Any, args: tuple, kwargs: dict) -> None:
    """Forward and backward, of tensors and of their forms."""
    given, named = mapped(fresh, args, kwargs)
    wants = [x for x in flatten((list(given), named)) if isinstance(x, Tensor) and x.requires_grad]
    results = [x for x in flatten(op(*given, **named)) if isinstance(x, Tensor) and x.requires_grad]
    if wants and results:
        sum([x.sum() for x in results if x.is_floating_point()]).backward()  # type: ignore[union-attr]
    has_none = mapped(lambda x: x.detach().to("meta"), args, kwargs)
    op(*has_none[0], **has_none[1])


KINDS: dict[str, Callable] = {
    "test_schema": keeps_schema, "test_autograd_registration": registers_gradient, "test_faketensor": has_form,
    "test_aot_dispatch_static": runs_through, "test_aot_dispatch_dynamic": runs_through,
}  # fmt: skip
