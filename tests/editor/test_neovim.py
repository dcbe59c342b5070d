"""A real Neovim as the client of the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_faults_values_and_completions(tmp_path):
    (tmp_path / "program.tsr").write_text("x = randn(2, 3)\nw = randn(5, 3)\ny = x @ w\nx.T\n")
    told = tmp_path / "told.json"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TENSORSH_LSP": f"{sys.executable} -m tensorsh lsp",
        "TENSORSH_TOLD": str(told),
    }
    script = Path(__file__).with_name("client.lua")
    command = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "program.tsr", "-c", f"luafile {script}", "-c", "cq!"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert told.exists(), done.stderr
    found = json.loads(told.read_text())
    assert found["encoding"] == "utf-16"
    ((line, start, end, message),) = found["faults"]
    assert (line, start, end) == (2, 4, 9) and "did you mean `x @ w.T`?" in message
    assert "x: float32[2, 3]" in found["hover"]["contents"]["value"]
    assert "transpose" in [each["label"] for each in found["completion"]["items"]]
    assert [each["name"] for each in found["symbols"]] == ["x", "w", "y"]
