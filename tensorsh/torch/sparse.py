"""``torch.sparse`` beside its functions: whether the parts of sparse tensors are checked, and checks of gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.arrays.state import state
from ..sandbox.sealed import Sealed
from ..sandbox.wrapping import wraps

__all__ = ["as_sparse_gradcheck", "check_sparse_tensor_invariants"]


class check_sparse_tensor_invariants(metaclass=Sealed):
    """Whether the invariants of sparse tensors are checked when they are made: a context, a decorator, or for all."""

    __module__ = "torch.sparse"

    @staticmethod
    def is_enabled() -> bool:
        """Whether they are checked now."""
        return bool(state.sparse_invariants)

    @staticmethod
    def enable() -> None:
        """Check them from now on."""
        state.sparse_invariants = True

    @staticmethod
    def disable() -> None:
        """Check them no more."""
        state.sparse_invariants = False

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for context nesting."
            )
        self.saved_state, state.sparse_invariants = self.is_enabled(), self.state

    def __exit__(self, *_: Any) -> None:
        assert self.saved_state is not None
        state.sparse_invariants, self.saved_state = self.saved_state, None

    def __call__(self, mth: Callable) -> Callable:
        @wraps(mth)
        def test_mth(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


def as_sparse_gradcheck(gradcheck: Callable) -> Callable:
    """`gradcheck` for functions of sparse tensors: what is checked is a function of their elements."""

    def gradcheck_with_sparse_support(func: Callable, inputs: Any, **kwargs: Any) -> Any:
        from ..engine.tensors.tensor import Tensor

        masked, check = kwargs.pop("masked", False), kwargs.pop("check_sparse_nnz", False)
        given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)

        def is_sparse(x: Any) -> bool:
            return isinstance(x, Tensor) and x.layout != STRIDED

        def with_zeros(x: Any) -> Any:
            """The tensor with all its zeros among its elements."""
            blocks = x._array.block if x.layout in BLOCKS else None
            whole = find_function("ones")(x.shape, dtype=bool_)
            mask = whole.to_sparse(layout=x.layout, blocksize=blocks, dense_dim=x.dense_dim())
            return x.to_dense().sparse_mask(mask)

        def settled(x: Any) -> Any:
            kept = x if masked or check else with_zeros(x)
            return kept.coalesce() if kept.is_sparse else kept

        places = [
            settled(x.detach()) if is_sparse(x) and x.requires_grad else None
            for x in given
        ]  # fmt: skip

        def parts(x: Any, place: Any) -> Any:
            return x if place is None else place.values().detach().clone().requires_grad_()

        def rebuilt(x: Any, place: Any) -> Any:
            return x if place is None else find_function("_with_values")(x, place)

        def on_parts(*elements: Any) -> Any:
            found = func(*[rebuilt(x, place) for x, place in zip(elements, places, strict=True)])
            several = found if isinstance(found, (tuple, list)) else (found,)
            dense = tuple(y.to_dense(masked_grad=masked) if is_sparse(y) and y.requires_grad else y for y in several)
            return dense if isinstance(found, (tuple, list)) else dense[0]

        return gradcheck(on_parts, tuple(map(parts, given, places)), **kwargs)

    from ..engine.arrays.dtype import bool_
    from ..engine.arrays.layout import BLOCKS
    from ..engine.arrays.layout import strided as STRIDED
    from ..engine.loading.table import find_function

    return gradcheck_with_sparse_support
