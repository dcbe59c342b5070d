"""``torch.utils._contextlib``: contexts that are decorators, too."""

from __future__ import annotations

import inspect
from typing import Any

from ...sandbox.wrapping import wraps


def context_decorator(ctx: Any, func: Any) -> Any:
    """A function that runs in a context, which is given or made for each call."""
    if inspect.isclass(func):
        raise RuntimeError(
            f"Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have the context "
            f"manager applied; additionally, decorating a class at definition-site will prevent use of the identifier as a "
            f"conventional type.  To specify which methods to decorate, decorate each of them individually: {func}"
        )
    make = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isgeneratorfunction(func):

        @wraps(func)
        def generated(*args: Any, **kwargs: Any) -> Any:
            made = func(*args, **kwargs)
            sent: Any = None
            try:
                while True:
                    with make():
                        got = made.send(sent)
                    sent = yield got
            except StopIteration as end:
                return end.value
            finally:
                made.close()

        return generated

    @wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    return run


class _DecoratorContextManager:
    """The base of contexts that are decorators."""

    def __call__(self, orig_func: Any) -> Any:
        return context_decorator(self.clone, orig_func)

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *error: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """Another of the kind, which a derived class makes with its own arguments."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The base of those that a function may be given to in the place of arguments."""

    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)
