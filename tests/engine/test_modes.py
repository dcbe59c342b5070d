"""Each thread has modes of its own (engine/arrays/switches.py): new threads, helpers, sessions, threads that take turns at each step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import pytest

from tensorsh import Session, torch
from tensorsh.engine.arrays import door
from tensorsh.engine.arrays.state import here, known
from tensorsh.engine.operators import hooks
from tensorsh.sandbox.long_calls import apart


@pytest.fixture
def turns() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def elsewhere(function: Callable[[], Any]) -> Any:
    """What a function gives in a new thread."""
    found: list[Any] = []
    thread = Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_begins_without_what_one_that_ended_had_set() -> None:
    before = len(known)

    def leave() -> bool:
        found = torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
        torch.inference_mode().__enter__()
        return found

    assert all(elsewhere(leave) for _ in range(50))
    assert torch.is_grad_enabled() and len(known) <= before + 2


def test_a_helper_has_the_modes_of_the_thread_that_waits() -> None:
    with torch.no_grad(), torch.device("meta"):
        assert apart(lambda: (here.grad_enabled, str(here.default_device))) == (False, "meta")
    assert apart(lambda: (here.grad_enabled, here.default_device)) == (True, None)


def test_the_modes_of_a_session_go_with_it_from_thread_to_thread() -> None:
    session = Session()
    elsewhere(lambda: session.run("import torch\n_ = torch.set_grad_enabled(False)"))
    assert elsewhere(lambda: (session.run("on = torch.is_grad_enabled()"), torch.is_grad_enabled())[1])
    assert session["on"] is False and torch.is_grad_enabled()
    assert Session().run("torch.is_grad_enabled()") is not False


def test_who_comes_to_stay_is_asked_by_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "lasting", set())
    hooks.settle_all()
    ready, go = Barrier(2), Barrier(2)
    found: list[int] = []

    def wait() -> None:
        found.append(here.door)
        ready.wait()
        go.wait()
        found.append(here.door)

    thread = Thread(target=wait)
    thread.start()
    ready.wait()
    hooks.stay("classes")
    go.wait()
    thread.join()
    assert [*found, elsewhere(lambda: here.door)] == [0, door.ASKED, door.ASKED]
    monkeypatch.undo()
    hooks.settle_all()


def trained(number: int) -> list[float]:
    """What becomes of weights that are trained by one of several ways."""
    F = torch.nn.functional
    g = torch.Generator().manual_seed(number)
    x, target = torch.randn(8, 6, generator=g), torch.randint(0, 3, (8,), generator=g)
    w = torch.randn(6, 3, generator=g).requires_grad_()
    optimizer = torch.optim.Adam([w], lr=0.05)
    found = []
    for _ in range(6):
        optimizer.zero_grad()
        if number % 4 == 1:
            with torch.autocast("cpu"):
                y = (x @ w).float()
        elif number % 4 == 2:
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
                y = torch.tanh(x @ w)
        else:
            y = F.layer_norm(torch.relu(x @ w) + 1, (3,))
        F.cross_entropy(y, target).backward()
        optimizer.step()
        with torch.inference_mode() if number % 2 else torch.no_grad():
            found.append((x @ w).sum().item())
        if number % 4 == 3:
            found.append(torch.vmap(torch.func.grad(lambda v: (v * v.sin()).sum()))(x).sum().item())
    return found


@pytest.mark.usefixtures("turns")
def test_threads_that_take_turns_train_as_one_alone() -> None:
    alone = [trained(number) for number in range(8)]
    with ThreadPoolExecutor(8) as pool, torch.no_grad():
        assert list(pool.map(trained, range(8))) == alone
    assert torch.is_grad_enabled()


@pytest.mark.usefixtures("turns")
def test_modes_end_while_a_session_has_its_turn_in_another_thread() -> None:
    session = Session()
    over: list[bool] = []

    def work() -> None:
        while not over:
            session.run("for i in range(200): x = i")

    thread = Thread(target=work)
    thread.start()
    found = set()
    for _ in range(1000):
        with torch.no_grad():
            torch.ones(2) + 1
        with torch.inference_mode(), torch.autograd.graph.saved_tensors_hooks(torch.neg, torch.neg):
            torch.ones(2) + 1
        found.add((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    over.append(True)
    thread.join()
    assert found == {(True, False)}
