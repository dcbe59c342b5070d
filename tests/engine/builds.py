"""Builds of the kernels for several processors, by several compilers: all give the same bits. ``make nightly`` runs this.

Compiling takes longer than all other tests of the kernels.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import build_kernels

ROOT = Path(__file__).parents[2]

BUILDS = {
    "AVX2": ("gcc", "-DTENSORSH_WIDEST=3"),
    "clang": ("clang", "-DTENSORSH_WIDEST=4"),
    "clang, AVX2": ("clang", "-DTENSORSH_WIDEST=3"),
    "short pieces": ("gcc", "-DLONG_WORK=40 -DLONG_PIECE=40"),
}


def results(path: Path | str = "", threads: int = 1) -> dict[str, str]:
    program = [sys.executable, "-m", f"{__package__}.build_results", str(path), str(threads)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return results()


@pytest.mark.parametrize("name", BUILDS)
def test_a_build_gives_the_same_bits(
    name: str, expected: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler, options = BUILDS[name]
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("CC", f"ccache {compiler}" if shutil.which("ccache") else compiler)
    found = results(build_kernels.build(tmp_path, [*options.split(), *build_kernels.STRICT])[0])
    assert [k for k in expected if found.get(k) != expected[k]] == []


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one processor")
def test_two_threads_give_the_same_bits(expected: dict[str, str]) -> None:
    assert results(threads=2) == expected
