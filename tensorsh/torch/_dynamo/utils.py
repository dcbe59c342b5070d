"""``torch._dynamo.utils``: what libraries ask of PyTorch's compiler whether or not they compile. Plain Python's alone."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...language.pytorch_names import instead_of

counters: Any = defaultdict(Counter)
"""How often the compiler did what: never."""


@contextmanager
def maybe_enable_compiled_autograd(should_enable: bool, fullgraph: bool = True, dynamic: bool = True) -> Iterator[None]:
    """A context that changes nothing; NotImplementedError where backward passes are to be compiled."""
    if should_enable:
        title = "torch._dynamo.compiled_autograd"
        raise NotImplementedError(f"tensorsh does not have {title}{instead_of(title)}")
    yield


warn_once_cache: set[str] = set()


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """Warn of what was not warned of before."""
    if msg not in warn_once_cache:
        warn_once_cache.add(msg)
        warnings.warn(msg, stacklevel=stacklevel + 1)
