"""The environment in which the programs run: the libraries without PyTorch, and tensorsh as it stands here."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from .running import HERE

PARTS = HERE / "requirements.txt"


def prepare(folder: Path) -> str:
    """The Python of an environment in a folder; what is not there yet is installed, each package alone, so that none brings PyTorch."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    wanted = PARTS.read_text(encoding="ascii")
    done = folder / "installed.txt"
    if not done.exists() or done.read_text(encoding="ascii") != wanted:
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "-r",
            str(PARTS),
        ]
        if subprocess.run(install).returncode:
            sys.exit("ecosystem: the libraries could not be installed")
        done.write_text(wanted, encoding="ascii")
    site = next((folder / "lib").glob("python*/site-packages"))
    (site / "tensorsh-here.pth").write_text(f"{HERE.parents[1]}\n", encoding="utf-8")
    return str(python)


def versions(python: str) -> dict[str, str]:
    """The version of each package of an environment, by its name in lower case."""
    code = "from importlib.metadata import distributions as d; print(*{f'{x.name}=={x.version}' for x in d()})"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    pairs = (word.partition("==") for word in said.split())
    return {name.lower().replace("_", "-"): version for name, _, version in pairs}
