"""The TextMate grammar of tsr, made from the grammar of the language: tokens and words are those of grammar/tsr.lark.

python editors/vscode/grammar.py           writes syntaxes/tsr.tmLanguage.json
python editors/vscode/grammar.py --check   says whether it is current
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
LARK = HERE.parents[1] / "grammar" / "tsr.lark"
FILE = HERE / "syntaxes" / "tsr.tmLanguage.json"
CONSTANTS = ["None", "True", "False"]
DECLARING = ["def", "class", "lambda", "global", "nonlocal"]
LOGICAL = ["and", "or", "not", "in", "is"]


def tokens(text: str) -> tuple[dict[str, str], list[str], list[str]]:
    """The patterns of named tokens, the words in quotes, the operators in quotes."""
    rules = "\n".join(line for line in text.split("\n") if not line.startswith("//"))
    patterns = dict(re.findall(r"^([A-Z_]+): /(.*)/$", rules, re.M))
    quoted = set(re.findall(r'"([^"\n]+)"', re.sub(r"^[A-Z_]+: /.*/$", "", rules, flags=re.M)))
    words = sorted(word for word in quoted if word.isidentifier())
    operators = sorted((word for word in quoted if not word.isidentifier()), key=lambda word: (-len(word), word))
    return patterns, words, operators


def choice(words: list[str]) -> str:
    return rf"\b(?:{'|'.join(words)})\b"


def string(prefix: str, quote: str, formatted: bool) -> dict:
    """A string between two quotes, on one line or on many."""
    escape = {
        "name": "constant.character.escape.tsr",
        "match": r"\\(?:[\\'\"abfnrtv\n]|x[0-9A-Fa-f]{2}|[0-7]{1,3}|[uUN].)",
    }
    inner: list[dict] = [escape]
    if formatted:
        inner += [
            {"name": "constant.character.escape.tsr", "match": r"\{\{|\}\}"},
            {
                "begin": r"\{",
                "end": r"\}",
                "name": "meta.interpolation.tsr",
                "patterns": [
                    {"match": r":[^{}]*(?=\})", "name": "storage.type.format.tsr"},
                    {"include": "#expression"},
                ],
            },
        ]
    end = quote if len(quote) == 3 else rf"{quote}|$"
    kind = "string.interpolated" if formatted else "string.quoted"
    return {"name": f"{kind}.tsr", "begin": f"{prefix}{quote}", "end": end, "patterns": inner}


def made() -> dict:
    """The grammar."""
    patterns, words, operators = tokens(LARK.read_text(encoding="utf-8"))
    prefix = patterns["STRING"].partition('(?:"""')[0]
    formatted = patterns["FSTRING_START"].partition('(?:"""')[0]
    name = patterns["NAME"]
    control = [word for word in words if word not in (*CONSTANTS, *DECLARING, *LOGICAL)]
    brackets = "()[]{},.:;"
    signs = "|".join(re.escape(each) for each in operators if each not in brackets)
    quotes = ('"""', "'''", '"', "'")
    expression = [
        {"name": "comment.line.number-sign.cell.tsr", "match": r"^#\s*%%.*$"},
        {"name": "markup.inserted.expected.tsr", "match": r"^#> .*$|^#>$"},
        {"name": "markup.deleted.expected.tsr", "match": r"^#! .*$|^#!$"},
        {"name": "comment.line.number-sign.tsr", "match": patterns["COMMENT"]},
        *(string(formatted, quote, True) for quote in quotes),
        *(string(prefix, quote, False) for quote in quotes),
        {
            "match": rf"\b(def)\s+({name})",
            "captures": {"1": {"name": "storage.type.function.tsr"}, "2": {"name": "entity.name.function.tsr"}},
        },
        {
            "match": rf"\b(class)\s+({name})",
            "captures": {"1": {"name": "storage.type.class.tsr"}, "2": {"name": "entity.name.type.class.tsr"}},
        },
        {"name": "entity.name.function.decorator.tsr", "match": rf"^\s*@\s*{name}(?:\.{name})*"},
        {"name": "keyword.control.tsr", "match": r"^\s*(?:match|case)\b(?=[^=.,)]*:\s*(?:#.*)?$)"},
        {"name": "keyword.control.tsr", "match": choice(control)},
        {"name": "storage.type.tsr", "match": choice(DECLARING)},
        {"name": "keyword.operator.logical.tsr", "match": choice(LOGICAL)},
        {"name": "constant.language.tsr", "match": choice(CONSTANTS)},
        {"name": "constant.numeric.tsr", "match": rf"(?<![\w.])(?:{patterns['NUMBER']})"},
        {"name": "variable.language.self.tsr", "match": r"\bself\b"},
        {"name": "support.module.tsr", "match": r"(?<!\.)\b(?:torch|nn|np|math)\b"},
        {
            "match": rf"({name})\s*(=)(?!=)(?=[^()]*[,)])",
            "captures": {"1": {"name": "variable.parameter.keyword.tsr"}, "2": {"name": "keyword.operator.tsr"}},
        },
        {"name": "entity.name.function.call.tsr", "match": rf"{name}(?=\()"},
        {"name": "keyword.operator.tsr", "match": signs},
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Made by grammar.py from grammar/tsr.lark; do not edit.",
        "name": "tensorsh",
        "scopeName": "source.tsr",
        "fileTypes": ["tsr"],
        "patterns": [{"include": "#expression"}],
        "repository": {"expression": {"patterns": expression}},
    }


def main() -> int:
    text = json.dumps(made(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        return 0 if FILE.exists() and FILE.read_text(encoding="utf-8") == text else 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
