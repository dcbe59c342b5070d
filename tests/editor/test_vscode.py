"""The client for VS Code: its grammar is that of the language, its settings are those of the server."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from tensorsh.editor.document import Settings

from .conftest import ROOT

CLIENT = ROOT / "editors" / "vscode"


def test_the_grammar_is_made_from_the_grammar_of_the_language():
    assert subprocess.run([sys.executable, CLIENT / "grammar.py", "--check"]).returncode == 0


def test_settings_have_the_defaults_of_the_server():
    told = json.loads((CLIENT / "package.json").read_text())["contributes"]["configuration"]["properties"]
    own = Settings()
    given = {name: told[f"tensorsh.{name}"]["default"] for name in ("run", "seconds", "memory", "inlayHints")}
    assert given == {"run": own.run, "seconds": own.seconds, "memory": own.memory, "inlayHints": own.hints}
    names = set(re.findall(r'"(\w+)"', re.search(r"names = \[(.*?)\]", (CLIENT / "extension.js").read_text())[1]))
    assert names == set(given)


def test_settings_that_make_no_sense_are_left_out():
    settings = Settings()
    settings.take({"tensorsh": {"run": 1, "seconds": -2, "memory": "much", "inlayHints": None}})
    settings.take([])
    assert vars(settings) == vars(Settings())
