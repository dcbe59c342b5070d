"""Run a text as a session would: with the gate's getattr family among the builtins."""

from __future__ import annotations

import builtins
from typing import Any

from tensorsh.language.compiler import RUNTIME, compile_program
from tensorsh.sandbox import gate, stores

PLAIN = (
    "print len range enumerate zip map filter sorted sum min max abs isinstance type id iter next repr int float bool "
    "str bytes list tuple dict set object property staticmethod classmethod super callable bytearray memoryview "
    "Exception AttributeError TypeError ValueError NameError KeyError StopIteration RuntimeError"
).split()


def make_builtins(**more: Any) -> dict[str, Any]:
    return {
        **{name: getattr(builtins, name) for name in PLAIN},
        "getattr": gate.get_attribute,
        "hasattr": gate.has_attribute,
        "setattr": stores.set_attribute,
        "delattr": stores.delete_attribute,
        "vars": gate.variables,
        **RUNTIME,
        **more,
    }


def run(text: str, **more: Any) -> Any:
    """The value of the final expression; `more` are further names that exist."""
    known = make_builtins(**more)
    program = compile_program(text, "test.tsr", bound=known)
    space: dict[str, Any] = {"__builtins__": known, "__name__": "__main__"}
    exec(program.module, space)
    return None if program.last is None else eval(program.last, space)
