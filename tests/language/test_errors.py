"""Syntax errors: Python 3.12's message, line and column for the usual mistakes, and an advice."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from tensorsh.language.compiler import compile_program
from tensorsh.language.parser import TsrSyntaxError
from tensorsh.language.prompt import completeness

# (text, type, message, line, column); messages and lines recorded from Python 3.12
MISTAKES = [
    ("if x\n    y\n", "SyntaxError", "expected ':'", 1, 5),
    ("if x = 3:\n    y\n", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 4),
    ("while (x = 3): pass\n", "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?", 1, 8),
    (
        "if x.a = 3: pass\n",
        "SyntaxError",
        "cannot assign to attribute here. Maybe you meant '==' instead of '='?",
        1,
        4,
    ),
    ('print "hello"\n', "SyntaxError", "Missing parentheses in call to 'print'. Did you mean print(...)?", 1, 1),
    ("print x, y\n", "SyntaxError", "Missing parentheses in call to 'print'. Did you mean print(...)?", 1, 1),
    ("x = foo(1, 2\ny = 3\n", "SyntaxError", "'(' was never closed", 1, 8),
    ("x = [1, 2 3]\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 9),
    ("f(a b)\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 3),
    ("f(a, b c, d)\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 6),
    ('foo("a" b)\n', "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 5),
    ('x = "abc\n', "SyntaxError", "unterminated string literal (detected at line 1)", 1, 5),
    ('x = """abc\ndef\n', "SyntaxError", "unterminated triple-quoted string literal (detected at line 2)", 1, 5),
    ("def f(x)\n    return x\n", "SyntaxError", "expected ':'", 1, 9),
    (
        "def f(x):\nreturn x\n",
        "IndentationError",
        "expected an indented block after function definition on line 1",
        2,
        1,
    ),
    (
        "for i in range(3):\nprint(i)\n",
        "IndentationError",
        "expected an indented block after 'for' statement on line 1",
        2,
        1,
    ),
    ("class A:\nx = 1\n", "IndentationError", "expected an indented block after class definition on line 1", 2, 1),
    ("try:\n    x\ny\n", "SyntaxError", "expected 'except' or 'finally' block", 3, 1),
    ("else:\n  x\n", "SyntaxError", "invalid syntax", 1, 1),
    ("if x: pass\nelse if y: pass\n", "SyntaxError", "expected ':'", 2, 6),
    ("x = 1\n  y = 2\n", "IndentationError", "unexpected indent", 2, 2),
    ("if x:\n    y\n  z\n", "IndentationError", "unindent does not match any outer indentation level", 3, 4),
    ("if x:\n\ty\n        z\n", "TabError", "inconsistent use of tabs and spaces in indentation", 3, 1),
    ("x = (1, 2]\n", "SyntaxError", "closing parenthesis ']' does not match opening parenthesis '('", 1, 10),
    ("x = 1)\n", "SyntaxError", "unmatched ')'", 1, 6),
    ("f() = 1\n", "SyntaxError", "cannot assign to function call here. Maybe you meant '==' instead of '='?", 1, 1),
    ("1 = x\n", "SyntaxError", "cannot assign to literal here. Maybe you meant '==' instead of '='?", 1, 1),
    ("None = 1\n", "SyntaxError", "cannot assign to None", 1, 1),
    ("a + 1 = 2\n", "SyntaxError", "cannot assign to expression here. Maybe you meant '==' instead of '='?", 1, 1),
    ("f() += 1\n", "SyntaxError", "'function call' is an illegal expression for augmented assignment", 1, 1),
    ("(a, 1) = 2\n", "SyntaxError", "cannot assign to literal", 1, 5),
    ("del f()\n", "SyntaxError", "cannot delete function call", 1, 5),
    ("for 1 in x: pass\n", "SyntaxError", "cannot assign to literal", 1, 5),
    ("with a as 1: pass\n", "SyntaxError", "cannot assign to literal", 1, 11),
    ("x++\n", "SyntaxError", "invalid syntax", 1, 4),
    ("a && b\n", "SyntaxError", "invalid syntax", 1, 4),
    ("a || b\n", "SyntaxError", "invalid syntax", 1, 4),
    ("x = !a\n", "SyntaxError", "invalid syntax", 1, 5),
    ("a <> b\n", "SyntaxError", "invalid syntax", 1, 3),
    ("fro x in y: pass\n", "SyntaxError", "invalid syntax", 1, 5),
    ("whlie x: pass\n", "SyntaxError", "invalid syntax", 1, 7),
    ("improt torch\n", "SyntaxError", "invalid syntax", 1, 8),
    ("lambda = 0.1\n", "SyntaxError", "invalid syntax", 1, 8),
    ("class = 3\n", "SyntaxError", "invalid syntax", 1, 7),
    ("return 1\n", "SyntaxError", "'return' outside function", 1, 1),
    ("break\n", "SyntaxError", "'break' outside loop", 1, 1),
    ("continue\n", "SyntaxError", "'continue' not properly in loop", 1, 1),
    ("yield 1\n", "SyntaxError", "'yield' outside function", 1, 1),
    ("x = “abc”\n", "SyntaxError", "invalid character '“' (U+201C)", 1, 5),
    ("print（1）\n", "SyntaxError", "invalid character '（' (U+FF08)", 1, 6),
    ("x = a，b\n", "SyntaxError", "invalid character '，' (U+FF0C)", 1, 6),
    ('f"{}"\n', "SyntaxError", "f-string: valid expression required before '}'", 1, 4),
    ('f"{a b}"\n', "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 4),
    ('f"{a!x}"\n', "SyntaxError", "f-string: invalid conversion character 'x': expected 's', 'r', or 'a'", 1, 6),
    ('f"{a"\n', "SyntaxError", "f-string: expecting '}'", 1, 5),
    ('f"{a:{b}"\n', "SyntaxError", "f-string: expecting '}', or format specs", 1, 9),
    ('f"}"\n', "SyntaxError", "f-string: single '}' is not allowed", 1, 3),
    ('f"{a!}"\n', "SyntaxError", "f-string: missing conversion character", 1, 6),
    ('f"{lambda x: 1}"\n', "SyntaxError", "f-string: lambda expressions are not allowed without parentheses", 1, 4),
    ('f"{*}"\n', "SyntaxError", "f-string: expecting a valid expression after '{'", 1, 5),
    ("1x\n", "SyntaxError", "invalid decimal literal", 1, 1),
    (
        "0777\n",
        "SyntaxError",
        "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
        1,
        1,
    ),
    ("0b12\n", "SyntaxError", "invalid digit '2' in binary literal", 1, 4),
    ("0xg\n", "SyntaxError", "invalid hexadecimal literal", 1, 2),
    ("1__0\n", "SyntaxError", "invalid decimal literal", 1, 2),
    ("1e\n", "SyntaxError", "invalid decimal literal", 1, 1),
    ("x = 5 5\n", "SyntaxError", "invalid syntax", 1, 7),
    ("x = $a\n", "SyntaxError", "invalid syntax", 1, 5),
    ("x = a ? b : c\n", "SyntaxError", "invalid syntax", 1, 7),
    ("from x import a,\n", "SyntaxError", "trailing comma not allowed without surrounding parentheses", 1, 17),
    ("f(a=1, b)\n", "SyntaxError", "positional argument follows keyword argument", 1, 9),
    ("f(**a, b)\n", "SyntaxError", "positional argument follows keyword argument unpacking", 1, 9),
    ("f(**a, *b)\n", "SyntaxError", "iterable argument unpacking follows keyword argument unpacking", 1, 8),
    ("f(a=1, a=2)\n", "SyntaxError", "keyword argument repeated: a", 1, 8),
    ("f(a.b=1)\n", "SyntaxError", 'expression cannot contain assignment, perhaps you meant "=="?', 1, 3),
    ("f(True=1)\n", "SyntaxError", "cannot assign to True", 1, 3),
    ("f(x for x in y, 1)\n", "SyntaxError", "Generator expression must be parenthesized", 1, 3),
    ("def f(a, a): pass\n", "SyntaxError", "duplicate argument 'a' in function definition", 1, 10),
    ("def f(*): pass\n", "SyntaxError", "named arguments must follow bare *", 1, 7),
    ("def f(**k, a): pass\n", "SyntaxError", "arguments cannot follow var-keyword argument", 1, 12),
    ("{1: }\n", "SyntaxError", "expression expected after dictionary key and ':'", 1, 3),
    ("{1: 2, 3}\n", "SyntaxError", "':' expected after dictionary key", 1, 8),
    ("x = a if b\n", "SyntaxError", "expected 'else' after 'if' expression", 1, 5),
    ("try: pass\nexcept A, B: pass\n", "SyntaxError", "multiple exception types must be parenthesized", 2, 8),
    ("x = \n", "SyntaxError", "invalid syntax", 1, 5),
    ("def f:\n  pass\n", "SyntaxError", "expected '('", 1, 6),
    ("class C\n  pass\n", "SyntaxError", "expected ':'", 1, 8),
    ("if x:\n", "IndentationError", "expected an indented block after 'if' statement on line 1", 1, 6),
    ("x = (\n", "SyntaxError", "'(' was never closed", 1, 5),
    ("x = \\ \n", "SyntaxError", "unexpected character after line continuation character", 1, 6),
    ("nonlocal x\n", "SyntaxError", "nonlocal declaration not allowed at module level", 1, 1),
    (
        "def f():\n  global x\n  x = 1\n  global x\n",
        "SyntaxError",
        "name 'x' is assigned to before global declaration",
        4,
        3,
    ),
    ("*a = 1\n", "SyntaxError", "starred assignment target must be in a list or tuple", 1, 1),
    ("*a, *b = 1\n", "SyntaxError", "multiple starred expressions in assignment", 1, 1),
    ("(x for x in y) = 1\n", "SyntaxError", "cannot assign to generator expression", 1, 1),
    ("x: int: 3\n", "SyntaxError", "invalid syntax", 1, 7),
    ("(a, b): int = 1\n", "SyntaxError", "only single target (not tuple) can be annotated", 1, 1),
    ("x = yield = 1\n", "SyntaxError", "assignment to yield expression not possible", 1, 5),
    (
        "(a := 1) = 2\n",
        "SyntaxError",
        "cannot assign to named expression here. Maybe you meant '==' instead of '='?",
        1,
        2,
    ),
    ("x.y := 1\n", "SyntaxError", "cannot use assignment expressions with attribute", 1, 1),
    ("(x.y := 1)\n", "SyntaxError", "cannot use assignment expressions with attribute", 1, 2),
    ("def f(a, (b, c)): pass\n", "SyntaxError", "Function parameters cannot be parenthesized", 1, 10),
    ("import a as b.c\n", "SyntaxError", "invalid syntax", 1, 14),
    (
        "'\\N{foo}'\n",
        "SyntaxError",
        "(unicode error) 'unicodeescape' codec can't decode bytes in position 0-6: unknown Unicode character name",
        1,
        1,
    ),
    (
        "'\\x1'\n",
        "SyntaxError",
        "(unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: truncated \\xXX escape",
        1,
        1,
    ),
    ("b'é'\n", "SyntaxError", "bytes can only contain ASCII literal characters", 1, 1),
    ("b'a' 'b'\n", "SyntaxError", "cannot mix bytes and nonbytes literals", 1, 1),
    ('"a" "b\n', "SyntaxError", "unterminated string literal (detected at line 1)", 1, 5),
    ("def f():\n    x = [1, 2\n    return x\n", "SyntaxError", "'[' was never closed", 2, 9),
    ("for x in range(10)\n    print(x)\n", "SyntaxError", "expected ':'", 1, 19),
    ("elif x: pass\n", "SyntaxError", "invalid syntax", 1, 1),
    ("a b\n", "SyntaxError", "invalid syntax", 1, 3),
    ("(a b)\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 2),
    ("raise x, y\n", "SyntaxError", "invalid syntax", 1, 8),
    ("assert x = 1\n", "SyntaxError", "invalid syntax", 1, 10),
    ("x = {a: 1 b: 2}\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 9),
    ("x = {'a': 1 'b': 2}\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 11),
    ("not = 1\n", "SyntaxError", "invalid syntax", 1, 5),
    ("f(a, b=)\n", "SyntaxError", "expected argument value expression", 1, 6),
    ("with open(x) as f\n  pass\n", "SyntaxError", "expected ':'", 1, 18),
    ("if (x == 1:\n   y\n", "SyntaxError", "invalid syntax", 1, 11),
    ("while True print(1)\n", "SyntaxError", "invalid syntax", 1, 12),
    ("x = [i for i in range(3) if i else 2]\n", "SyntaxError", "invalid syntax", 1, 31),
    ("x = [a, b for a in c]\n", "SyntaxError", "did you forget parentheses around the comprehension target?", 1, 6),
    ("print(a, file=b c)\n", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", 1, 15),
    ("return = 3\n", "SyntaxError", "invalid syntax", 1, 8),
    ("a = b = 3 = c\n", "SyntaxError", "cannot assign to literal", 1, 9),
]


def error_of(text: str) -> TsrSyntaxError:
    with pytest.raises(TsrSyntaxError) as caught:
        compile_program(text, "file.tsr")
    return caught.value


@pytest.mark.parametrize(("text", "kind", "message", "line", "column"), MISTAKES)
def test_message_and_place(text: str, kind: str, message: str, line: int, column: int) -> None:
    error = error_of(text)
    kinds = {"SyntaxError": SyntaxError, "IndentationError": IndentationError, "TabError": TabError}
    assert isinstance(error, kinds[kind])
    assert (error.msg, error.lineno, error.offset, error.filename) == (message, line, column, "file.tsr")
    assert error.text == text.split("\n")[line - 1] + "\n"


ADVICE = [
    ("if x\n  y", "colon at the end of the line of 'if'"),
    ("def f(x)\n  y", "head of a function"),
    ("if x = 1: pass", "two equal signs"),
    ("if a: pass\nelse if b: pass", "'elif'"),
    ("x++", "x += 1"),
    ("x--", "x -= 1"),
    ("a && b", "'and'"),
    ("a || b", "'or'"),
    ("x = !a", "'not'"),
    ("a <> b", "'!='"),
    ("fro x in y: pass", "'for'"),
    ("whlie x: pass", "'while'"),
    ("improt torch", "'import'"),
    ("retrun x", "'return'"),
    ("lambda = 0.1", "'lambda' is a keyword"),
    ("class = 3", "'class' is a keyword"),
    ("def in(x): pass", "'in' is a keyword"),
    ("else:\n  x", "No block stands in front"),
    ("x = “abc”", 'the ASCII character "'),
    ("print（1）", "FULLWIDTH LEFT PARENTHESIS; write the ASCII character ("),
    ("x = a，b", "the ASCII character ,"),
    ("if x：\n  y", "the ASCII character :"),
    ("x = 1 － 2", "the ASCII character -"),
    ("x\u00a0= 1", "NO-BREAK SPACE; write a space"),
    ("x = 1\u200b", "invisible"),
    ("async def f(): pass", "ordinary functions"),
    ("try: x\nexcept* A: y", "'except*' does not exist"),
    ("def f[T](x): pass", "Type parameters do not exist"),
    ("  x = 1", "Only the lines of a block are indented"),
    ("if x:\ny", "Indent the lines of the block"),
    ("if x:\n    y\n  z", "Indent this line by 0 columns"),
    ("if x:\n\ty\n        z", "with spaces"),
    ("ones(2, requires_grad, 3)", "requires_grad=True"),
    ("x" + " + x" * 5000, "Split the expression"),
]


@pytest.mark.parametrize(("text", "advice"), ADVICE)
def test_advice(text: str, advice: str) -> None:
    assert advice in (error_of(text).advice or "")


def caret(text: str, error: SyntaxError | None) -> tuple:
    """What a person sees of an error: its kind, message, line and the columns that are underlined."""
    if error is None:
        return ("no error",)
    kind = next(each.__name__ for each in (TabError, IndentationError, SyntaxError) if isinstance(error, each))
    line, start = error.lineno or 1, error.offset or 0
    width = len(text.split("\n")[line - 1])
    end = (error.end_offset or 0) if error.end_lineno == line else width + 1
    return kind, error.msg, line, start, min(max(end, start + 1), max(width + 1, start + 1))


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="each Python words and places some mistakes otherwise")
def test_mistakes_as_python_tells_them() -> None:
    """Broken texts, one a line of `mistakes.txt`: Python's own message and caret."""
    wrong = {}
    for line in (Path(__file__).parent / "mistakes.txt").read_text().splitlines():
        text = line.replace("\\n", "\n").replace("\\t", "\t") + "\n"
        told: list[SyntaxError | None] = []
        for reading in (lambda text: compile(text, "file", "exec", dont_inherit=True), compile_program):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    reading(text)
                told.append(None)
            except SyntaxError as error:
                told.append(error)
        if caret(text, told[0]) != caret(text, told[1]):
            wrong[line] = caret(text, told[0]), caret(text, told[1])
    assert not wrong


REFUSED = [
    ("await x", "'await' does not exist in tensorsh"),
    ("class A(metaclass=B): pass", "metaclasses do not exist in tensorsh"),
    ("class A(**k): pass", "metaclasses do not exist in tensorsh"),
    ("__builtins__", "name '__builtins__' is not available in tensorsh"),
    ("__import__('os')", "name '__import__' is not available in tensorsh"),
    ("class A:\n  def __del__(self): pass", "'__del__' cannot be defined in a class in tensorsh"),
    ("def __getattr__(x): pass", "'__getattr__' cannot be defined outside of a class in tensorsh"),
    ("from m import __x__", "name '__x__' is not available in tensorsh"),
    ("x = '" + "a", "unterminated string literal (detected at line 1)"),
    ("a\x00b", "source code cannot contain null bytes"),
    ("é = (", "'(' was never closed"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refused(text: str, message: str) -> None:
    assert error_of(text).msg == message


def test_columns_count_characters() -> None:
    error = error_of("é = 'ü' 'ä' $")
    assert error.offset == 13


def test_caret_spans_what_is_wrong() -> None:
    error = error_of("print(a, b c, d)")
    assert (error.offset, error.end_offset) == (10, 13)


PROMPTS = [
    ("", "complete", 0),
    ("x = 1", "complete", 0),
    ("if x:", "incomplete", 4),
    ("if x:\n  y", "incomplete", 2),
    ("if x:\n  y\n", "complete", 0),
    ("def f():\n    return 1", "incomplete", 0),
    ("class A:\n    def f(self):", "incomplete", 8),
    ("for x in y:  # comment", "incomplete", 4),
    ("f(", "incomplete", 4),
    ("x = [1,\n  2,", "incomplete", 2),
    ("'''text", "incomplete", 0),
    ("f'''{x}", "incomplete", 0),
    ("'text", "invalid", 0),
    ("x = (1]", "invalid", 0),
    ("@dec", "incomplete", 0),
    ("try:\n    x", "incomplete", 4),
    ("x = 1 + \\\n", "incomplete", 0),
    ("for i in y: print(i)", "complete", 0),
    ("if x: y\nelse:", "incomplete", 4),
    ("x = = 1", "invalid", 0),
]


@pytest.mark.parametrize(("text", "state", "indent"), PROMPTS)
def test_completeness(text: str, state: str, indent: int) -> None:
    assert completeness(text) == (state, indent)
