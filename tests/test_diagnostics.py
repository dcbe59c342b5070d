"""Explanations of errors, with plain Python and numpy arrays: this floor knows no tensor."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.language.diagnostics import report
from tensorsh.language.places import Host, nearest
from tensorsh.language.source import SourceError, decode_source, read_source


def explain(source: str, filename: str = "demo.tsr", color: bool = False, **names: Any) -> str:
    """What is said of the error that a program ends with."""
    source = textwrap.dedent(source)
    scope = {"__name__": "__main__", "np": np, **names}
    host = Host(
        owns=lambda frame: frame.f_globals is scope,
        source=lambda code: source,
        names=lambda: ["relu", "ones", "softmax"],
        lacking=lambda owner, name: f"PyTorch has {owner}.{name}" if name == "fancy" else None,
    )
    try:
        exec(compile(source, filename, "exec"), scope)
    except BaseException as error:
        return report(error, host, color)
    raise AssertionError("the program did not fail")


def fail(message: str, kind: type[Exception] = RuntimeError) -> Any:
    """A library function that raises."""

    def function(*arguments: Any) -> None:
        raise kind(message)

    return function


def lines(text: str) -> list[str]:
    return textwrap.dedent(text).strip("\n").split("\n")


def test_place_span_and_operands() -> None:
    x, w = np.ones((2, 3), np.float32), np.ones((5, 3), np.float32)
    said = explain("\ny = abs(x @ w)\n", x=x, w=w).split("\n")
    assert said[1:] == lines(
        """
          --> demo.tsr:2:9
        2 | y = abs(x @ w)
                    ^^^^^
            x: numpy float32[2, 3]   w: numpy float32[5, 3]
        hint: inner sizes differ (3 and 5); did you mean `x @ w.T`?
        """.replace("\n        ", "\n")
    )


def test_first_line_is_pythons() -> None:
    assert explain("{}['a']").startswith("KeyError: 'a'\n")
    assert explain("raise ValueError").startswith("ValueError\n  --> demo.tsr:1:1\n")
    assert explain("np.linalg.inv(np.zeros((2, 2)))").startswith("numpy.linalg.LinAlgError: Singular matrix\n")
    assert explain("np.empty(10**17)").startswith("MemoryError: Unable to allocate")
    assert explain("class Own(Exception): pass\nraise Own('x')").startswith("Own: x\n")


def test_callers_are_shown_and_ours_are_not() -> None:
    source = """
    def inner(a):
        return call(a)

    def outer(a):
        return inner(a)
    outer(1)
    """
    said = explain(source, call=fail("no"))
    assert said.split("\n") == lines(
        """
        RuntimeError: no
          --> demo.tsr:3:12 in inner
        3 |     return call(a)
                       ^^^^^^^
          called from (most recent call last):
            File "demo.tsr", line 7, in <module>
              outer(1)
            File "demo.tsr", line 6, in outer
              return inner(a)
        """.replace("\n        ", "\n")
    )


def test_no_file_of_the_library_appears() -> None:
    said = explain("np.concatenate([np.ones(2), np.ones((2, 2))])")
    assert "site-packages" not in said and "demo.tsr:1:1" in said


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("if 1:\n\tx = call(1)", ["2 |  x = call(1)", "         ^^^^^^^"]),
        ("é = 'ä'; call('ß', é)", ["1 | é = 'ä'; call('ß', é)", "             ^^^^^^^^^^^^"]),
        ("s = '漢字'; call(s)", ["1 | s = '漢字'; call(s)", "                ^^^^^^^"]),
    ],
)
def test_caret_stands_under_the_span(source: str, expected: list[str]) -> None:
    assert explain(source, call=fail("no")).split("\n")[2:4] == expected


def test_expression_over_several_lines() -> None:
    said = explain("y = (x\n     @\n     w)", x=np.ones(2), w=np.ones(3))
    assert "--> demo.tsr:1:6" in said and "1 | y = (x" in said and "         ^\n" in said
    assert "x: numpy float64[2]   w: numpy float64[3]" in said


def test_a_long_line_is_cut_around_the_fault() -> None:
    said = explain("a = [" + "1, " * 100_000 + "call()]", call=fail("no"))
    assert max(map(len, said.split("\n"))) < 200 and "call()" in said and "^^^^^^" in said


class Box:
    """A user's object: reading `loud` must not happen."""

    def __init__(self) -> None:
        self.w = np.ones((4, 5), np.int64)
        self.parts = [np.ones(2), {"k": np.ones(7)}]

    @property
    def loud(self) -> Any:
        raise AssertionError("a diagnostic called a property")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"a diagnostic called __getattr__({name})")


def test_operands_by_attribute_and_subscript() -> None:
    said = explain("call(box.w, box.parts[0], box.parts[-1]['k'], box.loud if 0 else 1)", box=Box(), call=fail("no"))
    shown = "box.w: numpy int64[4, 5]   box.parts[0]: numpy float64[2]   box.parts[-1]['k']: numpy float64[7]"
    assert shown in said


def test_locals_come_before_globals() -> None:
    said = explain("def f(x):\n    call(x)\nf(np.ones(9))", x=np.ones(2), call=fail("no"))
    assert "x: numpy float64[9]" in said


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("softmaxx(1)", "did you mean `softmax`?"),
        ("fancy(1)", "PyTorch has torch.fancy"),
        ("alpha = 1\nalhpa", "did you mean `alpha`?"),
        ("np.ones(3).reshap(1)", "did you mean `reshape`?"),
        ("class A:\n    def forward(self): pass\nA().forwrad", "did you mean `forward`?"),
        ("n = 0\ndef f():\n    n += 1\nf()", "`global n` would use the outer one"),
        ("a = np.ones((3, 4)); b = np.ones((4, 5)); b @ a", "did you mean `a @ b`?"),
        ("a = np.ones((4, 3)); b = np.ones((4, 5)); a @ b", "did you mean `a.T @ b`?"),
        ("a = np.ones((7, 4, 3)); b = np.ones((7, 2, 3)); a @ b", "did you mean `a @ b.mT`?"),
        ("a = np.ones((2, 3)); a.dot(np.ones(4))", None),
        ("a = np.ones((3, 4)); b = np.ones(3); a + b", "did you mean `b[:, None]`, of shape [3, 1]?"),
        ("a = np.ones((2, 3)); b = np.ones((5, 3)); (a * 2) @ b", None),
        ("def f(width): pass\nf(widht=3)", "did you mean `width`?"),
        ("if np.ones(2): pass", "`.any()` or `.all()`"),
    ],
)
def test_hints(source: str, hint: str | None) -> None:
    said = explain(source)
    if hint is None:
        assert "hint" not in said
    else:
        assert hint in said.split("hint: ")[1]


@pytest.mark.parametrize(
    ("message", "source", "hint"),
    [
        (
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x3)",
            "call(net, x)",
            "inner sizes differ (3 and 5)",
        ),
        (
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x3)",
            "lib.mm(abs(x), abs(x))",
            "did you mean `lib.mm(abs(x), abs(x).T)`?",
        ),
        (
            "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
            "call(a, b)",
            "did you mean `b[:, None]`, of shape [4, 1]?",
        ),
        ("shape '[4, 2]' is invalid for input of size 6", "call(x)", "[-1, 2] would fit"),
        ("shape '[-1, 4]' is invalid for input of size 6", "call(x)", "6 elements cannot be divided by 4"),
        (
            "expected m1 and m2 to have the same dtype, but got: double != float",
            "call(a, h)",
            "`a` is numpy float64 and `h` is numpy float32; convert one of them, as in `h.to(a.dtype)`",
        ),
        (
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "call(x)",
            "with torch.no_grad():",
        ),
        ("grad can be implicitly created only for scalar outputs", "call(x)", ".sum()"),
    ],
)
def test_hints_for_pytorchs_messages(message: str, source: str, hint: str) -> None:
    names = {"a": np.ones((4, 3)), "b": np.ones(4), "h": np.ones(1, np.float32), "x": 1, "net": 2}
    names["lib"] = SimpleNamespace(mm=fail(message))
    assert hint in explain(source, call=fail(message), **names).split("hint: ")[1]


def test_raise_from_and_during_handling() -> None:
    said = explain("try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e")
    assert said.startswith("KeyError: 'a'\n  --> demo.tsr:2:5\n")
    assert "\n\nThe above exception was the direct cause of the following exception:\n\nValueError: b\n" in said
    said = explain("try:\n    {}['a']\nexcept KeyError:\n    raise ValueError('b')")
    assert "\n\nDuring handling of the above exception, another exception occurred:\n\nValueError: b\n" in said
    said = explain("try:\n    {}['a']\nexcept KeyError:\n    raise ValueError('b') from None")
    assert said.startswith("ValueError: b\n")


def test_what_the_library_handled_itself_is_not_shown() -> None:
    def call() -> None:
        try:
            {}["inner"]
        except KeyError:
            raise ValueError("outer")  # noqa: B904

    assert explain("call()", call=call).startswith("ValueError: outer\n  --> demo.tsr:1:1")


def test_a_cycle_of_causes_ends() -> None:
    assert "ValueError: b" in explain(
        "a = ValueError('a'); b = ValueError('b')\na.__cause__ = b; b.__cause__ = a\nraise b"
    )


class Wild(Exception):
    def __str__(self) -> str:
        raise RuntimeError("str")

    __repr__ = __str__

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    "source",
    [
        "raise Wild()",
        "raise Wild() from Wild()",
        "raise type('E', (Exception,), {'__notes__': 3})('x')",
        "raise KeyError(chr(0xd800))",
        "raise AttributeError(name=3, obj=4)",
        "raise SyntaxError('no place')",
        "raise SyntaxError('odd', ('f', 'x', 'y', 3))",
        "raise SyntaxError('odd', ('f', 10**9, -5, None))",
        "raise NameError(\"name 'x' is not defined\")",
        "raise StopIteration(Wild())",
        "raise ExceptionGroup('g', [ValueError(1)])",
        "call(**{'a': 1})",
        "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'no')",
    ],
)
def test_nothing_makes_it_raise(source: str) -> None:
    said = explain(source, Wild=Wild, call=fail("x"))
    assert said and "Traceback" not in said and ".py" not in said.replace("numpy", "")


def test_without_source_or_positions() -> None:
    try:
        exec(compile("f()", "gone.tsr", "exec"), {"f": fail("x")})
    except RuntimeError as error:
        assert report(error, Host(owns=lambda frame: frame.f_code.co_filename == "gone.tsr")).split("\n") == [
            "RuntimeError: x",
            "  --> gone.tsr:1",
        ]


def test_deep_recursion_is_short() -> None:
    said = explain("def f(n):\n    return f(n + 1)\nf(0)")
    assert said.startswith("RecursionError: maximum recursion depth exceeded\n  --> demo.tsr:2")
    assert len(said.split("\n")) <= 4
    said = explain("def f(n):\n    return f(n + 1) if n < 300 else 1 / 0\nf(0)")
    assert len(said.split("\n")) < 60 and "more calls" in said


def test_interrupt_and_memory_take_one_line() -> None:
    assert explain("def f():\n    raise KeyboardInterrupt\nf()") == "KeyboardInterrupt at demo.tsr:2:5 in f"
    assert explain("raise MemoryError").split("\n")[0] == "MemoryError"


def test_syntax_error_with_advice() -> None:
    error = SyntaxError("expected ':'", ("demo.tsr", 3, 8, "if x > 1\n", 3, 9))
    error.advice = "write a colon"  # type: ignore[attr-defined]
    assert report(error).split("\n") == lines(
        """
        SyntaxError: expected ':'
          --> demo.tsr:3:8
        3 | if x > 1
                   ^
        hint: write a colon
        """.replace("\n        ", "\n")
    )


def test_colours_only_when_asked() -> None:
    assert "\x1b[1;31mRuntimeError: no\x1b[0m" in explain("call()", color=True, call=fail("no"))
    assert "\x1b" not in explain("call()", call=fail("no"))


def test_nearest_names() -> None:
    assert nearest("Relu", ["relu", "elu", "tanh"])[0] == "relu"
    assert nearest("xq", ["relu"]) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = 1\ny = '\xe9'\n", "f.tsr:2:6: byte 0xe9 is not UTF-8 (Latin-1 would read it as 'é')"),
        ("x = 1".encode("utf-16"), "f.tsr is UTF-16; save it as UTF-8"),
        (b"x\n\0", "f.tsr:2: the file contains a null byte"),
    ],
)
def test_undecodable_files(data: bytes, said: str) -> None:
    with pytest.raises(SourceError) as caught:
        decode_source(data, "f.tsr")
    assert said in str(caught.value) and caught.value.code == 1


def test_line_ends_and_byte_order_mark() -> None:
    assert decode_source(b"\xef\xbb\xbfx = 1\r\ny = 2\rz", "f") == "x = 1\ny = 2\nz"


def test_unreadable_files(tmp_path: Any) -> None:
    with pytest.raises(SourceError, match="is a folder, not a script"):
        read_source(tmp_path)
    with pytest.raises(SourceError, match="No such file or directory"):
        read_source(tmp_path / "none.tsr")


def test_words_of_a_program_do_not_move_the_cursor() -> None:
    said = explain("raise ValueError('a\\x1b[2J\\x9b\\u202eb\\tc\\nd')")
    assert said.startswith("ValueError: a\\x1b[2J\\x9b\\u202eb\tc\nd\n")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_the_mark_stands_below_the_fault_on_a_narrow_terminal(width: int) -> None:
    session, text = Session(), "a = ones(2); " * 9 + "bad = a @ ones(3, 3)"
    with pytest.raises(RuntimeError) as caught:
        session.run(text)
    line, mark = session.diagnose(caught.value, width=width).split("\n")[2:4]
    assert len(line) <= width and mark.strip("^ ") == ""
    assert line[mark.index("^") : len(mark)] == "a @ ones(3, 3)" and line.startswith("1 | ...")
