"""Memory that a captured graph uses is not handed out again while the graph lives."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tensorsh.engine.cuda import pools


class MemoryPool:
    """A pool that says what it was asked."""

    def __init__(self) -> None:
        self.freed, self.used = 0, 7

    def malloc(self, size: int) -> Any:
        return self

    def free_all_blocks(self) -> None:
        self.freed += 1

    def used_bytes(self) -> int:
        return self.used

    def total_bytes(self) -> int:
        return 2 * self.used


class Module:
    """What of cupy the pools look at."""

    def __init__(self) -> None:
        self.own, self.made, self.allocator = MemoryPool(), [], None
        self.cuda = self

    def get_default_memory_pool(self) -> MemoryPool:
        return self.own

    def MemoryPool(self) -> MemoryPool:  # noqa: N802 - cupy's name
        self.made.append(MemoryPool())
        return self.made[-1]

    def set_allocator(self, allocator: Any) -> None:
        self.allocator = allocator


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Module]:
    found = Module()
    monkeypatch.setattr(pools, "cupy", lambda: found)
    monkeypatch.setattr(pools, "_current", [])
    monkeypatch.setattr(pools, "_pools", [])
    yield found


def test_arrays_come_from_another_pool_after_a_capture(module: Module) -> None:
    before = pools.current()
    assert before.memory is module.own
    held = pools.kept()
    assert held == [before] and pools.current() is not before
    assert module.allocator(1) is pools.current().memory  # type: ignore[misc]
    assert module.own.freed == 1  # what nobody used, before the capture


def test_what_a_graph_used_goes_back_with_it(module: Module) -> None:
    pools.current()
    held = pools.kept()
    again = pools.kept()
    assert len(again) == 2  # the second graph may use what was there before the first
    del held
    gc.collect()
    assert module.own.freed == 1
    del again
    gc.collect()
    assert module.own.freed == 2
    assert pools.pools() == [pools.current()]


def test_all_pools_are_counted(module: Module) -> None:
    pools.current()
    held = pools.kept()
    assert pools.amounts() == (14, 28)
    assert held
