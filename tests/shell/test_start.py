"""From start to prompt: not much more than what numpy and prompt_toolkit take to be imported."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from .terminal import Terminal

BAR = 1.6


def test_the_prompt_comes_soon(tmp_path: Path) -> None:
    imports, prompts = [], []
    for _ in range(4):  # side by side, so that a busy machine slows both; the first fills the caches
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numpy, prompt_toolkit"], check=True)
        imports.append(time.perf_counter() - began)
        began = time.perf_counter()
        terminal = Terminal(tmp_path)
        prompts.append(time.perf_counter() - began)
        terminal.close()
    assert min(prompts[1:]) < BAR * min(imports[1:]), (prompts, imports)


def test_the_prompt_needs_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys; from tensorsh.shell.loop import Shell; from tensorsh.shell import prompt; shell = Shell(); "
        "sys.stdin.isatty = sys.stdout.isatty = lambda: True; prompt.line_editor(shell); "
        "print([m for m in ('numpy', 'rich', 'scipy', 'lark', 'pygments', 'tensorsh.engine.tensor') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.stdout.strip().endswith("[]"), done.stdout + done.stderr
