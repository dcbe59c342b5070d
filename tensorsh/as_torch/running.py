"""Python programs run with ``torch`` standing for tensorsh: `tensorsh python`, `python -m tensorsh.as_torch`."""

from __future__ import annotations

import os
import runpy
import sys

from ..language.source import harmless
from ..ranks import world

USAGE = """\
tensorsh python runs plain Python in which `import torch` means tensorsh, with all the rights of Python:

  tensorsh python SCRIPT.py [ARG...]
  tensorsh python -m MODULE [ARG...]
  tensorsh python -c CODE [ARG...]

The same: python -m tensorsh.as_torch SCRIPT.py
"""


def run(words: list[str]) -> int:
    """Runs a script, a module or code as Python does, with the words behind it in ``sys.argv``; the exit code."""
    if not words or words[0] in ("-h", "--help"):
        (sys.stdout if words else sys.stderr).write(USAGE)
        return 0 if words else 2
    flag = words[0] if words[0] in ("-m", "-c") else ""
    if flag and len(words) < 2:
        sys.stderr.write(f"tensorsh: {flag} needs {'the module' if flag == '-m' else 'the code'} to run\n")
        return 2
    if words[0].startswith("-") and not flag:
        sys.stderr.write(
            f"tensorsh: unknown option {harmless(words[0])}; what is meant for Python stands before: python {harmless(words[0])} ... "
            "-m tensorsh python SCRIPT.py\n"
            "Try `tensorsh python --help`.\n"
        )
        return 2
    name, rest = (words[1], words[2:]) if flag else (words[0], words[1:])
    sys.argv[:] = [flag if flag == "-c" else name, *rest]
    folder = "" if flag == "-c" else os.getcwd() if flag else os.path.dirname(os.path.abspath(name))
    sys.path[: 0 if sys.flags.safe_path else 1] = [folder]
    world.adopt()
    try:
        return _run(flag, name)
    except BaseException as error:
        world.failed = not (isinstance(error, SystemExit) and error.code in (None, 0))
        raise


def _run(flag: str, name: str) -> int:
    if flag == "-m":
        said = absent(name)
        if said:
            sys.stderr.write(f"tensorsh: {said}\n")
            return 1
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    elif flag == "-c":
        runpy._run_module_code(compile(name, "<string>", "exec"), mod_name="__main__")  # type: ignore[attr-defined]
    elif not os.path.exists(name):
        sys.stderr.write(f"tensorsh: cannot open {harmless(name)}: No such file or directory\n")
        return 2
    else:
        runpy.run_path(name, run_name="__main__")
    return 0


def absent(name: str) -> str:
    """Why a module cannot be run, in Python's words; empty where it can."""
    try:
        runpy._get_module_details(name)  # type: ignore[attr-defined]
    except ImportError as error:
        return str(error) if type(error) is ImportError else ""  # a ModuleNotFoundError is of the module's own code
    return ""
