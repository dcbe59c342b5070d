"""Runs golden files as exported Python under real PyTorch and says where it prints something else than they expect.

    python -m tests.recording.goldens --python /path/to/python/with/torch scripts tests/golden

Not a test by itself: it needs an interpreter in which PyTorch is installed (by default this one, or the one that
TENSORSH_TORCH_PYTHON names). The expectations are read from the exported text, in which comments keep their places.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def drive(path: str) -> list[dict[str, Any]]:
    """In the interpreter with PyTorch: runs an exported file block by block; the blocks that differ."""
    from tensorsh.golden.document import blocks, matches, output_lines
    from tensorsh.language.places import headline

    source = Path(path).read_text(encoding="utf-8")
    statements = ast.parse(source).body
    spans = [
        (min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]), s.end_lineno or s.lineno)
        for s in statements
    ]
    names: dict[str, Any] = {"__name__": "__main__"}
    different = []
    for block in blocks(source, spans):
        printed = io.StringIO()
        failure, where = None, ""
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for index in block.statements:
                    node = statements[index]
                    if isinstance(node, ast.Expr):
                        value = eval(compile(ast.Expression(node.value), path, "eval", dont_inherit=True), names)
                        if value is not None:
                            print(repr(value))
                    else:
                        exec(compile(ast.Module([node], []), path, "exec", dont_inherit=True), names)
            except BaseException as error:
                failure = headline(error)
                where = "" if block.fails else traceback.format_exc()
        actual = output_lines(printed.getvalue(), failure)
        if not matches(block.expected, actual):
            code = source.split("\n")[block.start - 1]
            different.append({"code": code, "expected": block.expected, "actual": actual, "error": where})
    return different


def compare(path: str, python: str) -> tuple[str, list[dict[str, Any]] | str]:
    """Exports a golden file and runs it; the blocks that differ, or why it could not be run."""
    from tensorsh.language.export import export
    from tensorsh.language.source import read_source
    from tensorsh.session import torch_names

    try:
        text = export(read_source(path), path, torch_names())
    except SyntaxError as error:
        return path, f"not exported: {error}"
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / (Path(path).stem + ".py")
        exported.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [python, "-P", __file__, "--drive", str(exported)],
            cwd=Path(path).resolve().parent,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
        )
    if done.returncode:
        return path, done.stderr.strip()
    return path, json.loads(done.stdout.rsplit("\n", 2)[-2])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "scripts")])
    parser.add_argument("--python", default=os.environ.get("TENSORSH_TORCH_PYTHON", sys.executable))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--drive", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive:
        print(json.dumps(drive(options.drive)))
        return 0
    if subprocess.run([options.python, "-c", "import torch"], capture_output=True).returncode:
        print(f"{options.python} has no torch; name an interpreter that has it with --python", file=sys.stderr)
        return 2
    from tensorsh.golden.runner import collect

    bad = 0
    files = collect(options.paths)
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, result in pool.map(lambda path: compare(path, options.python), files):
            if not result:
                continue
            bad += 1
            print(f"--- {path}")
            if isinstance(result, str):
                print(result)
                continue
            for block in result:
                print(f"    {block['code']}")
                print("\n".join(f"  - #{line}" for line in block["expected"]))
                print("\n".join(f"  + #{line}" for line in block["actual"]))
                if block["error"]:
                    print(block["error"])
    print(f"{len(files) - bad} of {len(files)} files print the same under PyTorch")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
