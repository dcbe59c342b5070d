from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    yield made
    made.close()
