"""Tests run in several processes side by side: each computes with one thread, set before numpy is imported."""

import gc
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest  # noqa: E402


@pytest.fixture(autouse=True)
def warnings_come_again():
    """What is said once a session is said once in every test that has it."""
    from tensorsh.engine.arrays.state import state

    state.warned.clear()


def pytest_collection_finish() -> None:
    """Collections of garbage, for which many tests ask, do not walk through thousands of collected tests."""
    gc.collect()
    gc.freeze()
