"""Tests run in several processes side by side: each computes with one thread, set before numpy is imported.

They start hundreds of processes more. Where Python is told to keep no bytecode, each of those would compile again all that it
imports, numpy too, which takes longer than most tests. And a shell that starts them in its background has them ignore Ctrl-C, which
programs of tests would wait for in vain, computing.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where tests run side by side, those of a file run in one process: it makes its fixtures, processes and tables once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.option.dist == "load" else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What only a GPU runs is not even read where nobody asks for it: it reads all other tests of devices."""
    return True if collection_path.name == "test_cuda.py" and "not cuda" in config.option.markexpr else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """An installed package, a wheel's, is tested by all but the tests of the repository."""
    if (Path(__file__).parent / "tensorsh").is_dir():
        return
    for item in items:
        if item.get_closest_marker("sources"):
            item.add_marker(pytest.mark.skip(reason="about the sources; the package is an installed one"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What is said once a session is said once in every test that has it. And a file begins as a program does: nobody has a say in
    calls, whatever classes that override functions and shared memory another file has left for good, by which calls are slower."""
    from tensorsh.engine.arrays import door
    from tensorsh.engine.arrays.state import settle_all, state

    state.warned.clear()
    if item.config.stash.get(FILE, None) != item.path:
        item.config.stash[FILE] = item.path
        door.lasting -= {"classes", "memory"}
        settle_all()


FILE = pytest.StashKey[Path]()
running: tuple[Any, Any, float] | None = None
"""The test that runs, how long it may, and when that is over."""


def watch() -> None:
    """Ends the process, and says where it hangs, if a test runs too long."""
    from pytest_timeout import timeout_timer

    while True:
        sleep(1)
        now = running
        if now is not None and monotonic() > now[2]:
            timeout_timer(*now[:2])


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> bool | None:
    """One thread watches all tests: one for each would cost more than most tests do."""
    global running
    if settings.method != "thread":
        return None
    if not item.config.stash.get(WATCHED, False):
        item.config.stash[WATCHED] = True
        Thread(target=watch, daemon=True, name="watching tests").start()
    running = item, settings, monotonic() + settings.timeout
    return True


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_cancel_timer() -> None:
    global running
    running = None


WATCHED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collecting tests leaves no garbage to look for; later collections, for which many tests ask, do not walk through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture
def closed_door() -> Iterator[None]:
    """Nobody has a say in calls, whatever classes that override functions and shared memory other tests have left for good."""
    from tensorsh.engine.arrays import door
    from tensorsh.engine.arrays.state import settle_all

    lasting = set(door.lasting)
    door.lasting.clear()
    settle_all()
    yield
    door.lasting.update(lasting)
    settle_all()
