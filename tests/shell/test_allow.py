"""`%allow import NAME`: a person lets programs of a shell import an installed package."""

from __future__ import annotations

from pathlib import Path

from .terminal import ROOT, Terminal


def test_a_package_is_allowed_by_a_person_alone(tmp_path: Path) -> None:
    site = tmp_path / "site" / "lent"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text("import os\n\n\ndef add(a, b):\n    return a + b\n")
    home = tmp_path / "home"
    home.mkdir()
    terminal = Terminal(home, PYTHONPATH=f"{ROOT}:{site.parent}")
    terminal.enter("import lent", "No module named 'lent'")
    terminal.enter("%allow", "packages that may be imported: none")
    terminal.enter("%allow lent", "%allow import NAME lets programs import")
    terminal.enter("%allow import os.path", "a package is named as in `import NAME`")
    terminal.enter("%allow import nowhere", "no package nowhere is installed")
    terminal.send("%allow import pytest\r")
    terminal.wait("May programs import pytest, which runs with all the rights of Python, in this session? (y/n)")
    terminal.answer("n")
    terminal.enter("import pytest", "needs --allow-import=pytest")
    terminal.send("%allow import lent\r")
    terminal.wait("May programs import lent,")
    terminal.answer("y")
    terminal.enter("import lent; lent.add(20, 3)", "23")
    terminal.enter("lent.os", "only imports 'os'")
    terminal.enter("%allow", "packages that may be imported: lent")
    terminal.enter('help("modules")', "Programs may import")
    terminal.close()
