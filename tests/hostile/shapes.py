"""Programs that choose sizes, strides, offsets and counts: the table of them, and how they are run.

`memory.txt` has programs whose answer is no concern of PyTorch's, or one that it gives by chance: what is answered here.
`shapes.txt` and `overlaps.txt`, of programs that write where they read, have one program a line and what PyTorch made of it
in the next, after ``=>``: the value of the last expression, or the error's type and first line. Where numpy holds less than
PyTorch, or PyTorch answers by chance, ``!>`` says what is answered here. ``python tests/hostile/record_shapes.py`` asks PyTorch
again.
"""

from __future__ import annotations

import ast
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "shapes.txt"
OVERLAPS = Path(__file__).parent / "overlaps.txt"
OWN = Path(__file__).parent / "memory.txt"
PRELUDE = """
import numpy as np
import torch
import torch.nn.functional as F

class L(int):  # lies whenever it is asked
    def __add__(self, other): return 0
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = __mod__ = __add__
    def __lt__(self, other): return False
    __gt__ = __le__ = __ge__ = __ne__ = __lt__
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __index__(self): return 1
    def __int__(self): return 1
    def __neg__(self): return 0
    def __bool__(self): return False
    def __repr__(self): return "7"

class I:
    def __init__(self, n): self.n = n
    def __index__(self): return self.n
"""


def programs(path: Path = TABLE) -> dict[str, str]:
    """Each program with what is expected of it."""
    found: dict[str, str] = {}
    program = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, text = line[:3], line[3:]
        if mark in ("=> ", "!> "):
            found[program] = text
        elif line and line[0] != "#":
            program = line
    return found


def answer(program: str, run: Any) -> str:
    """What a program's last expression is, or its error."""
    try:
        value = run(program)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return " | ".join(line.strip() for line in repr(value).splitlines())


def in_session(program: str) -> Any:
    from tensorsh import Session

    session = Session()
    session.run(PRELUDE)
    return session.run(program)


def in_python(program: str) -> Any:
    space: dict[str, Any] = {}
    exec(PRELUDE, space)
    *before, last = ast.parse(program).body
    exec(compile(ast.Module(before, []), "<program>", "exec"), space)
    if not isinstance(last, ast.Expr):
        return exec(compile(ast.Module([last], []), "<program>", "exec"), space)
    return eval(compile(ast.Expression(last.value), "<program>", "eval"), space)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run = in_python if sys.argv[1] == "pytorch" else in_session
    run("1")  # what is loaded once is no program's time
    for number, program in enumerate(json.load(sys.stdin)):
        print(json.dumps([number]), flush=True)  # which one it is, should it be the last
        start = time.process_time()
        print(json.dumps([number, answer(program, run), time.process_time() - start]), flush=True)
