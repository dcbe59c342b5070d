"""From start to prompt nothing is loaded that the prompt can do without; `python -m benchmarks --suite start` measures it."""

from __future__ import annotations

from pathlib import Path

from ..support.processes import printed


def test_the_prompt_needs_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys; from tensorsh.shell.loop import Shell; from tensorsh.shell import prompt; shell = Shell(); "
        "sys.stdin.isatty = sys.stdout.isatty = lambda: True; prompt.line_editor(shell); "
        "print([m for m in ('numpy', 'rich', 'scipy', 'lark', 'pygments', 'tensorsh.engine.tensors.tensor') if m in sys.modules])"
    )
    assert printed(code).strip().endswith("[]")
