"""The tree is CPython's own, positions included; the bytecode too."""

from __future__ import annotations

import ast
import marshal
import random
import sys
import textwrap
import warnings
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tensorsh.language import tokens
from tensorsh.language.build import build_table, grammar_hash, grammar_path, read_table, read_text
from tensorsh.language.compiler import compile_program
from tensorsh.language.parser import TsrSyntaxError, parse, parse_ast
from tensorsh.language.prompt import completeness
from tensorsh.language.table import load_table

from ..support.processes import printed
from .corpus import PROGRAMS

PLACES = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def alike(ours: Any, pythons: Any, placed: bool = True) -> bool:
    """Whether two trees are the same, with their places. Pieces of f-strings have those that Python 3.13 gives them.

    Python 3.11 gives them none of their own, and 3.12 has empty pieces in formats.
    """
    if type(ours) is not type(pythons):
        return False
    if isinstance(ours, list):
        return len(ours) == len(pythons) and all(
            alike(one, other, placed) for one, other in zip(ours, pythons, strict=True)
        )
    if not isinstance(ours, ast.AST):
        return repr(ours) == repr(pythons)
    if type(ours) is ast.JoinedStr and sys.version_info < (3, 13):
        pieces, others = (
            [v for v in tree.values if not isinstance(v, ast.Constant) or v.value] for tree in (ours, pythons)
        )
        if sys.version_info < (3, 12):
            return alike(pieces, others, False)
        return all(getattr(ours, p) == getattr(pythons, p) for p in PLACES) and alike(pieces, others)
    if placed and ours._attributes and any(getattr(ours, p) != getattr(pythons, p) for p in PLACES):
        return False
    return all(alike(getattr(ours, field, None), getattr(pythons, field, None), placed) for field in ours._fields)


def check_tree(ours: ast.AST, pythons: ast.AST, text: str = "") -> None:
    if not alike(ours, pythons):
        one, other = (ast.dump(tree, include_attributes=True, indent=1) for tree in (ours, pythons))
        assert one == other, text
        raise AssertionError(text)


@cache
def pythons(source: str) -> ast.Module:
    return ast.parse(source)


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_tree_as_python(name: str) -> None:
    check_tree(parse_ast(PROGRAMS[name]), pythons(PROGRAMS[name]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_tree_for_every_statement_alone(name: str) -> None:
    source = PROGRAMS[name]
    for statement in ast.parse(source).body:
        text = ast.get_source_segment(source, statement) or ""
        check_tree(parse_ast(text), ast.parse(text), text)


@pytest.mark.parametrize("change", ["\r\n", "\r", "no final newline", "bom"])
def test_same_tree_whatever_the_line_ends(change: str) -> None:
    for source in PROGRAMS.values():
        if change == "bom":
            text = "\ufeff" + source
        elif change == "no final newline":
            text = source.rstrip("\n")
        else:
            text = source.replace("\n", change)
        check_tree(parse_ast(text), pythons(source))


def codes(code: CodeType) -> list[CodeType]:
    found = [code]
    for one in found:
        found += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return found


def test_ordinary_code_has_python_s_bytecode() -> None:
    names = ("operators", "subscripts", "calls", "comprehensions", "definitions", "model")
    for name in names:
        source = PROGRAMS[name].replace("train.__defaults__", "train.defaults").replace("super().__init__()", "0")
        source = source.replace("super(Attention, self).__init__()", "0").replace("z.a, ", "")
        # the gate looks whether these are numpy's
        source = source.replace(".repeat(", ".expand(").replace(".view(", ".reshape(").replace("range(", "list(")
        bound = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
        ours = codes(compile_program(source + "\npass\n", bound=bound).module)
        pythons = codes(compile(source + "\npass\n", "<string>", "exec", dont_inherit=True))
        assert [c.co_code for c in ours] == [c.co_code for c in pythons], name
        if sys.version_info >= (3, 12):
            assert [list(c.co_positions()) for c in ours] == [list(c.co_positions()) for c in pythons]


def test_plain_tree_of_the_rules() -> None:
    tree = parse("x = f(1)\n")
    assert tree.data == "program"
    assert [child.data for child in tree.iter_subtrees() if child.data == "call"] == ["call"]


@cache
def built(text: str) -> dict:
    """The table of the grammar, which takes Lark more than a second."""
    return build_table(text)


def test_shipped_table_belongs_to_the_grammar() -> None:
    text = read_text(grammar_path())
    shipped = read_table()
    assert shipped["grammar"] == grammar_hash(text), "run: python -m tensorsh.language.build"
    assert shipped == built(text)


def test_a_table_of_another_grammar_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    from tensorsh.language import build, table

    whole = Path(build.TABLE).read_bytes()
    monkeypatch.setattr(build, "TABLE", str(tmp_path / "table.marshal"))
    monkeypatch.setattr(table, "build_table", built)
    for content in (marshal.dumps({"grammar": "another"}), whole[:-9]):
        (tmp_path / "table.marshal").write_bytes(content)
        table.load_table.cache_clear()
        try:
            assert table.load_table().lexicon.keywords["if"] == "IF"
        finally:
            table.load_table.cache_clear()


def test_parsing_imports_no_lark() -> None:
    code = (
        "import sys; from tensorsh.language.compiler import compile_program; compile_program('x = 1');"
        "print([m for m in sys.modules if m.startswith('lark')])"
    )
    assert printed(code) == "[]\n"


PIECES = (
    "( ) [ ] { } : ; , . = == := + - * ** / @ ~ < -> ... ! ' \" ''' f' f\" {x} {x!r} {x=} {x:>{w}} # if else elif for "
    "in while def class return yield lambda not and or is None import from as with try except finally del global match "
    "case _ x y __x__ 1 0x 1e5 0777 1_0 é ， “ 'a' b'a' f'{x}' print async await \\"
).split(" ")
PIECES += [" ", "    ", "\n", "\n    ", "\n        ", "\t", "\n\t", "\\\n", "\x00", "\r", "\f", "\u00a0", "\ud800", "$"]


def test_any_text_ends_in_a_program_or_a_syntax_error() -> None:
    draw = random.Random(5)
    for _ in range(600):
        attempt("".join(draw.choice(PIECES) for _ in range(draw.randint(0, 30))))


CHARACTERS = [
    (0, 0x7F),
    (0x20, 0x7E),
    (0x80, 0x24F),
    (0x2000, 0x206F),
    (0x250, 0xFFFF),
    (0xD800, 0xDFFF),
    (0x10000, 0x10FFFF),
]
"""Ranges of code points: control characters, those that programs have, letters, blanks and marks, what no encoding has."""


def test_any_characters_end_in_a_program_or_a_syntax_error() -> None:
    draw = random.Random(6)
    for _ in range(600):
        ranges = draw.choices(CHARACTERS, k=draw.randint(1, 3))
        attempt("".join(chr(draw.randint(*draw.choice(ranges))) for _ in range(draw.randint(0, 60))))


def attempt(text: str) -> None:
    try:
        program = compile_program(text)
        assert program.module
    except TsrSyntaxError as error:
        assert error.msg and error.lineno and error.offset, repr(text)
        assert not any(word in error.msg for word in ("_NEWLINE", "_INDENT", "NAME", "LPAR", "Token", "$END")), repr(
            text
        )
    except Exception as error:
        error.add_note(repr(text))
        raise
    assert completeness(text)[0] in ("complete", "incomplete", "invalid"), repr(text)


def test_broken_programs_are_judged_as_by_python() -> None:
    """Every accepted change of a program has Python's tree; what Python accepts is accepted."""
    rng = random.Random(7)
    texts = [text for name, text in PROGRAMS.items() if name != "strings" or sys.version_info >= (3, 12)]
    lines = [text.split("\n") for text in texts]
    for _ in range(1500):
        chosen = rng.choice(lines)
        start = rng.randrange(len(chosen))
        text = textwrap.dedent("\n".join(chosen[start : start + rng.randint(1, 8)]))
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(len(text) + 1)
            piece = rng.choice([piece for piece in PIECES if piece not in ("f'", 'f"', "async", "await", "\ud800")])
            text = text[:at] + (piece if rng.random() < 0.7 else "") + text[at + rng.randint(0, 3) :]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that mean nothing
            try:
                expected = ast.parse(text)
            except (SyntaxError, ValueError):
                expected = None
        try:
            got = parse_ast(text)
        except TsrSyntaxError:
            got = None
        refused = any(word in text for word in ("from.", "from .", "except *", "except*", "type "))
        if not (got is None and expected is not None and refused):
            assert got is not None and expected is not None or got is expected, text
            if expected is not None:
                check_tree(got, expected, text)


DEEP = {
    "brackets": "(" * 10_000,
    "closed brackets": "x = " + "[" * 10_000 + "]" * 10_000,
    "sum": "x" + " + x" * 100_000,
    "minus": "-" * 100_000 + "1",
    "not": "not " * 50_000 + "1",
    "attributes": "a" + ".b" * 50_000,
    "calls": "f" + "()" * 50_000,
    "subscripts": "a" + "[0]" * 50_000,
    "power": "2 ** " * 50_000 + "2",
    "lambda": "lambda: " * 20_000 + "1",
    "conditional": "x if y else " * 20_000 + "1",
    "elif": "if x: pass\n" + "elif x: pass\n" * 20_000,
    "f-strings": "f'{" * 500,
    "blocks": "".join(" " * i + "if x:\n" for i in range(1000)),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_ends_in_a_clear_error(name: str) -> None:
    with pytest.raises(TsrSyntaxError, match="nested|levels|never closed|unterminated"):
        compile_program(DEEP[name])


def test_long_chains_and_lines_work() -> None:
    depth = 2000 if sys.version_info[:2] != (3, 12) else 400
    program = compile_program("x = 1\n" + "x" + " + x" * depth)
    space: dict = {}
    exec(program.module, space)
    assert eval(program.last, space) == depth + 1
    assert eval(compile_program("len('" + "a" * 1_000_000 + "')").last) == 1_000_000
    assert compile_program("x = [" + "1, " * 100_000 + "]").module
    assert compile_program("x = 1; " * 20_000).module
    assert compile_program("x = " + "'é' + " * (depth - 100) + "'é'").module


def test_time_grows_with_the_length() -> None:
    from time import process_time

    source = PROGRAMS["model"].replace("from __future__ import annotations\n", "")
    compile_program(source)

    def seconds(copies: int) -> float:
        text = source * copies
        best = min(_timed(lambda: compile_program(text), process_time) for _ in range(3))
        return best / (text.count("\n"))

    few, many = seconds(5), seconds(40)
    assert many < 4 * few
    assert many * 1000 < 0.25 * 4  # generous: shared machines are slow


def _timed(work, clock) -> float:
    start = clock()
    work()
    return clock() - start


PIECES = (
    """a b Z _ 0 1 9 . + - * / % @ < > & | ^ ~ ; ' " # \\ $ ? ` ( ) [ ] { } : = ! , == := -> ... **= //= 0x1f 1e5 1_000 1. 007 0.5 1.5j
f'{x!r:>{w}}' rb'x' async match case if for lambda ''' é 0b12 5.e3 3.__class__ a.b""".split()
    + [" ", "\t", "\f", "\n", "\n  ", "\n    ", "\\\n"]
)


def test_tokens_read_by_characters_are_those_of_the_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, the tokenizer reads plain ASCII without the pattern: valid texts and wrong ones alike."""
    lexicon = load_table().lexicon

    def read(text: str, by_characters: bool) -> list:
        monkeypatch.setattr(tokens, "COMPILED", by_characters and tokens.COMPILED)
        found = tokens.tokenize(text, lexicon)
        monkeypatch.undo()
        return [(kind, vars(v) if kind == "ERROR" else v, *place) for kind, v, *place in found]

    draw = random.Random(7)
    for _ in range(4000):
        text = "".join(draw.choice(PIECES) for _ in range(draw.randint(1, 20)))
        assert read(text, True) == read(text, False), text
