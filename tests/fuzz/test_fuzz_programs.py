"""Random programs: whatever is thrown at the parser and the session, only a program's own errors come back."""

from __future__ import annotations

import io
import traceback
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorsh
from tensorsh import Session
from tensorsh.language.compiler import compile_program
from tensorsh.language.mistake import TsrSyntaxError
from tensorsh.language.prompt import completeness

PACKAGE = str(Path(tensorsh.__file__).parent)
PIECES = """
x y self torch np nn 1 0 -1 2.5 1e-3 3j True None "a" 'b' f"{x}" f"{x!r:>3}" b"c" ( ) [ ] { } , : . ... ; = == != < > <= >= + - * /
// % ** @ & | ^ ~ << >> += -= @= := -> if else elif for in while break continue def class return yield lambda try except
finally raise with as import from global nonlocal del assert pass not and or is match case async await print len range
ones zeros randn requires_grad keepdim .T .sum() .backward() .view(-1) [0] [:, None] [...] x._a x.__class__ # \\ \t $ ? ! é ＿
""".split()
INDENTED = st.builds(
    lambda n, words: "    " * n + " ".join(words), st.integers(0, 3), st.lists(st.sampled_from(PIECES), max_size=8)
)
TOKENS = st.lists(INDENTED, max_size=6).map("\n".join)

ATOMS = st.sampled_from(
    "0 1 -2 2.5 True None 'ab' () [1,2] {1:2} x y w ones(2,3) arange(6) tensor(3.) range(3) 1j torch.float64 nn.Linear(3,2)".split()
)


def compound(inner: Any) -> Any:
    binary = "+ - * / // % ** @ & | ^ << >> == != < > <= >= and or in is".split()
    methods = """sum mean max t exp log view reshape item tolist numpy backward clone detach unsqueeze squeeze expand permute long
    chunk split nonzero abs_ add_ mul_ zero_ fill_ sort topk cumsum norm std var repeat flip roll diag tril inverse""".split()
    functions = """abs len str repr list sum max min sorted tuple torch.cat torch.stack torch.matmul torch.where zeros ones eye
    torch.exp torch.add torch.nn.functional.relu torch.nn.functional.softmax hash type bool int float isinstance""".split()
    arguments = st.lists(inner, max_size=3).map(", ".join)
    return st.one_of(
        st.builds(lambda a, o, b: f"({a} {o} {b})", inner, st.sampled_from(binary), inner),
        st.builds(lambda a, m, b: f"({a}).{m}({b})", inner, st.sampled_from(methods), arguments),
        st.builds(lambda f, a: f"{f}({a})", st.sampled_from(functions), arguments),
        st.builds(lambda a, i: f"({a})[{i}]", inner, st.one_of(inner, st.sampled_from([":", "::2", "None", "...", "-1", ":, 0", "1:, None"]))),
        st.builds(lambda a, b, c: f"({a} if {b} else {c})", inner, inner, inner),
        st.builds(lambda a, b: f"[{a} for i in range(2) if {b}]", inner, inner),
        st.builds(lambda a: f"(lambda v: {a})(1)", inner),
        st.builds(lambda a, b: f"f'{{{a}}} {{{b}!r}}'".replace("\n", " "), st.sampled_from(["x", "y", "w"]), st.sampled_from(["x", "y"])),
    )  # fmt: skip


EXPRESSIONS = st.recursive(ATOMS, compound, max_leaves=8)
LINES = st.one_of(
    EXPRESSIONS,
    EXPRESSIONS.map(lambda e: f"x = {e}"),
    st.builds(lambda a, b: f"x[{a}] = {b}", EXPRESSIONS, EXPRESSIONS),
    EXPRESSIONS.map(lambda e: f"x += {e}"),
    EXPRESSIONS.map(lambda e: f"try:\n    {e}\nexcept Exception as error:\n    str(error)"),
    EXPRESSIONS.map(lambda e: f"for v in {e}:\n    y = v\n    break"),
    EXPRESSIONS.map(lambda e: f"with torch.no_grad():\n    {e}"),
    EXPRESSIONS.map(lambda e: f"def f(a={e}):\n    return a\nf()"),
)
PROGRAMS = st.lists(LINES, min_size=1, max_size=5).map("\n".join)


def internal(error: BaseException) -> bool:
    """Raised by a mistake of ours: an unbound name, a missing attribute of an inner object."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    if not last.filename.startswith(PACKAGE):
        return False
    if isinstance(error, UnboundLocalError | SystemError | RecursionError):
        return True
    return isinstance(error, AssertionError) and not str(error)


@given(st.one_of(TOKENS, st.text(max_size=60)))
def test_the_parser_knows_only_syntax_errors(text: str) -> None:
    assert completeness(text)[0] in ("complete", "incomplete", "invalid")
    try:
        compile_program(text, "fuzz.tsr", bound=("x", "y", "torch", "np"))
    except TsrSyntaxError as error:
        assert error.msg and "Token" not in error.msg and "__ANON" not in error.msg
        assert error.lineno is None or error.lineno >= 1


@pytest.mark.filterwarnings("ignore")
@given(PROGRAMS)
def test_programs_end_in_their_own_errors(text: str) -> None:
    session = Session(stdout=io.StringIO())
    session.run("x = ones(2, 3, requires_grad); y = arange(3.); w = x @ ones(3, 2)")
    try:
        session.run(text)
    except Exception as error:
        assert not internal(error), text
        shown = session.diagnose(error)
        assert PACKAGE not in shown and shown
    session.run("torch.is_grad_enabled()")
