"""Modules that tests need and that take long to import: those that run tests of another file do not wait for them."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType

import pytest


def later(name: str) -> ModuleType:
    """A module that is imported when something of it is first asked for; the file that asks is skipped where there is none."""
    if name in sys.modules:
        return sys.modules[name]
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # the package around it
        spec = None
    if spec is None or spec.loader is None:
        pytest.skip(f"there is no {name}", allow_module_level=True)
    spec.loader = LazyLoader(spec.loader)
    made = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
