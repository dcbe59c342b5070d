"""Notebooks as programs: run, compared, blessed, exported, converted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tensorsh.cli import main
from tensorsh.golden.percent import Cell, cells_of, text_of

from ..support.started import tensorsh

pytestmark = pytest.mark.filterwarnings("default")


def notebook(path: Path, *cells) -> Path:
    nbformat.write(new_notebook(cells=[new_code_cell(c) if isinstance(c, str) else c for c in cells]), path)
    return path


def test_cells_run_in_order_until_one_fails(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "a.ipynb",
        "%matplotlib inline\nx = torch.ones(2)",
        new_markdown_cell("# t"),
        "x + 1",
        "y",
        "print(1)",
    )
    done = tensorsh(path)
    assert (done.returncode, done.stdout) == (1, "tensor([2., 2.])\n")
    assert done.stderr.startswith("NameError: name 'y' is not defined\n  --> a.ipynb cell 4:1:1\n")
    path = notebook(
        tmp_path / "c.ipynb",
        "from __future__ import annotations",
        "class A:\n    def f(self) -> A: pass\nA.f.__annotations__",
    )
    assert tensorsh(path).stdout == "{'return': 'A'}\n"
    done = tensorsh(notebook(tmp_path / "b.ipynb", "open('/etc/passwd')"))
    assert done.returncode == 1 and "needs --allow-read" in done.stderr


def test_commands_of_notebooks_are_passed_over_or_untimed(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "m.ipynb",
        "!pip install torch",
        "%matplotlib inline\n%time x = torch.ones(2)\nx",
        "# c\n%%time\ny = x + 1\ny.sum()",
        "%timeit x + 1",
        "%%bash\nls",
        's = """\n%time is text\n! too"""\nprint(s)',
        "for i in range(2):\n    %time z = i\nz",
        "%%capture seen\nw = 3\nprint('unseen')\nw",
        "%%html\n<b>x</b>",
        "# c\n%%capture\nprint('unseen')",
        "print(seen.stdout, seen.outputs)",
        '%config InlineBackend.figure_format = "svg"\n%load_ext autoreload\n%autoreload 2\nw',
        "from IPython.display import display\ndisplay(w, 's')",
    )
    done = tensorsh(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tensor([1., 1.])\ntensor(4.)\n\n%time is text\n! too\n1\nunseen\n [3]\n3\n3\n's'\n"
    assert done.stderr == "".join(
        f"m.ipynb cell {number}: `{line}` is passed over\n"
        for number, line in ((1, "!pip install torch"), (4, "%timeit x + 1"), (5, "%%bash"))
    )
    tensorsh("test", "--bless", path)
    assert tensorsh("test", path).returncode == 0
    kept = nbformat.read(path, 4)
    kept.cells[-1].outputs = [new_output("display_data", {"text/plain": text}) for text in ("3", "'s'")]
    nbformat.write(kept, path)
    assert tensorsh("test", path).returncode == 0
    done = tensorsh(notebook(tmp_path / "n.ipynb", "%time x = 1\nf("))
    assert done.returncode == 1 and "--> n.ipynb cell 1:2:2" in done.stderr


def test_outputs_are_compared_and_blessed(tmp_path: Path) -> None:
    right = new_code_cell("print('a')\n1 + 1")
    right.outputs = [new_output("stream", text="a\n"), new_output("execute_result", {"text/plain": "2"})]
    fails = new_code_cell("1 / 0")
    fails.outputs = [new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=[])]
    wild = new_code_cell("object()")
    wild.outputs = [new_output("execute_result", {"text/plain": "<object at [..]>"})]
    ignored = new_code_cell("2", metadata={"tags": ["nbval-ignore-output"]})
    skipped = new_code_cell("no_such_name", metadata={"tags": ["nbval-skip"]})
    path = notebook(tmp_path / "a.ipynb", right, fails, wild, ignored, skipped)
    assert tensorsh("test", path).returncode == 0
    right.outputs[1].data["text/plain"] = "3"
    path = notebook(tmp_path / "a.ipynb", fails, right, wild, ignored, skipped)
    done = tensorsh("test", path)
    assert "a.ipynb, by cells\n    2   print('a')\n" in done.stdout
    assert done.returncode == 1 and "- #> 3" in done.stdout and "+ #> 2" in done.stdout
    assert "blessed" in tensorsh("test", "--bless", path).stdout and tensorsh("test", path).returncode == 0
    cells = nbformat.read(path, 4).cells
    assert [o.output_type for o in cells[1].outputs] == ["stream", "execute_result"]
    assert cells[2].outputs[0].data["text/plain"] == "<object at [..]>"


def test_an_exported_notebook_is_pytorchs(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "a.ipynb", "%matplotlib inline\nx = ones(2, requires_grad)", new_markdown_cell("text"), "x.sum()"
    )
    done = tensorsh("export", path)
    made = nbformat.reads(done.stdout, 4)
    assert [c.source for c in made.cells] == [
        "import torch\n%matplotlib inline\nx = torch.ones(2, requires_grad=True)", "text", "x.sum()"
    ] or made.cells[0].source.splitlines()[-1] == "x = torch.ones(2, requires_grad=True)"  # fmt: skip
    assert made.metadata.kernelspec.name == "python3" and made.cells[2].source == "x.sum()"


def test_programs_become_notebooks_and_come_back(tmp_path: Path) -> None:
    text = "# %%\n# a comment\nx = ones(2)\n#> no\n\n# %% [markdown]\n# # Title\n#\n# text\n\n# %% named\n#! kept\nx\n"
    assert text_of(cells_of(text)) == text
    (tmp_path / "a.tsr").write_text(text)
    assert tensorsh("convert", tmp_path / "a.tsr", tmp_path / "a.ipynb").returncode == 0
    assert nbformat.read(tmp_path / "a.ipynb", 4).metadata.language_info.file_extension == ".tsr"
    made = nbformat.read(tmp_path / "a.ipynb", 4)
    nbformat.validate(made)
    assert [c.cell_type for c in made.cells] == ["code", "markdown", "code"] and made.cells[
        1
    ].source == "# Title\n\ntext"
    assert tensorsh("convert", tmp_path / "a.ipynb", tmp_path / "b.tsr").returncode == 0
    assert (tmp_path / "b.tsr").read_text() == text
    assert cells_of("x = 1\n# %%\ny") == [Cell("code", "x = 1", bare=True), Cell("code", "y")]


@pytest.mark.parametrize(
    "text",
    [
        "#!/usr/bin/env tensorsh\n# first\nx = 1\n\n# %%\nx\n",
        's = """\n# %% no cell\n"""\n\n# %%\nt = [\n# %% none\n]\n',
        "# %%\nx\n# # %% no cell\n# # # %%\n\n# %% [markdown]\n# # %% kept\n",
        "#@ ranks 2\n1 / 0\n#! ZeroDivisionError: division by zero\n#1> told\n#!python\n",
    ],
)
def test_a_program_comes_back_to_the_letter(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsr").write_text(text)
    assert tensorsh("convert", tmp_path / "a.tsr", tmp_path / "a.ipynb").returncode == 0
    assert tensorsh("convert", tmp_path / "a.ipynb", tmp_path / "b.tsr").returncode == 0
    assert (tmp_path / "b.tsr").read_text() == text


def test_a_cell_that_looks_like_several_comes_back_as_one(tmp_path: Path) -> None:
    path = notebook(tmp_path / "a.ipynb", "# %% not a cell\n#!shebang\nprint('c')  # end", "%time x = 3\n# # %%")
    assert tensorsh("convert", path, tmp_path / "a.tsr").returncode == 0
    assert tensorsh("convert", tmp_path / "a.tsr", tmp_path / "b.ipynb").returncode == 0
    before, after = (nbformat.read(tmp_path / name, 4).cells for name in ("a.ipynb", "b.ipynb"))
    assert [each.source for each in before] == [each.source for each in after]


def test_errors_that_a_kernel_stored_hold(tmp_path: Path) -> None:
    """A kernel names the class alone, and says of a SyntaxError where it stands."""
    path = notebook(tmp_path / "a.ipynb", "f(:", "import json\njson.loads('{')")
    cells = nbformat.read(path, 4)
    for cell, name, value in (
        (cells.cells[0], "SyntaxError", "invalid syntax (2345.py, line 1)"),
        (
            cells.cells[1],
            "JSONDecodeError",
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
    ):
        cell.outputs = [nbformat.v4.new_output("error", ename=name, evalue=value, traceback=[])]
        cell.metadata["tags"] = ["raises-exception"]
    nbformat.write(cells, path)
    done = tensorsh("test", path)
    assert done.returncode == 0, done.stdout


def test_wrong_use_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.ipynb").write_text("{")
    (tmp_path / "a.tsr").write_text("x = 1")
    for arguments, told in (
        (["convert", "a.tsr"], "convert takes two files"),
        (["convert", "a.tsr", "b.tsr"], "convert takes a program and a notebook"),
        ([tmp_path / "bad.ipynb"], "is no notebook"),
        ([tmp_path / "none.ipynb"], "tensorsh: cannot read"),
        (["convert", tmp_path / "a.tsr", tmp_path / "nowhere" / "b.ipynb"], "cannot write"),
        (["kernel"], "kernel takes: install"),
    ):
        done = tensorsh(*arguments)
        assert done.returncode in (1, 2) and told in done.stderr and "Traceback" not in done.stderr


def test_without_the_format_of_notebooks_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (tmp_path / "a.tsr").write_text("x = 1")
    (tmp_path / "b.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    for name in ("nbformat", "nbformat.v4"):
        monkeypatch.setitem(sys.modules, name, None)
    for words in (["b.ipynb"], ["export", "b.ipynb"], ["convert", "a.tsr", "c.ipynb"], ["convert", "b.ipynb", "c.tsr"]):
        assert main(words) == 2 and "tensorsh: notebooks need nbformat" in capsys.readouterr().err, words


def test_the_kernel_is_installed_for_jupyter(tmp_path: Path) -> None:
    done = tensorsh("kernel", "install", "--prefix", tmp_path, "--allow-read=data")
    assert done.returncode == 0, done.stderr
    found = (tmp_path / "share/jupyter/kernels/tensorsh/kernel.json").read_text()
    assert "tensorsh.notebook" in found and "--allow-read=data" in found


CODE = {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [], "execution_count": None}


def test_what_is_no_notebook_is_said_in_one_line(tmp_path: Path) -> None:
    """JSON of another form, and cells without an end."""
    for cells, told in (
        ([None], "is no notebook"),
        ([{"cell_type": "raw]\nx", "metadata": {}, "source": "x"}], "is no notebook"),
        ([CODE | {"metadata": {"tags": 5}}], "is no notebook"),
        ([CODE | {"outputs": [{"output_type": "stream", "name": "stdout"}]}], "is no notebook"),
        ([new_code_cell("while True: pass")], "cell 1:1: the program ran longer than 1 s"),
        (
            [new_code_cell("class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E")],
            "ran longer than",
        ),
        ([new_code_cell("while True: print('x' * 10**6)")], "printed more than 1048576 bytes"),
    ):
        path = tmp_path / "a.ipynb"
        path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
        done = tensorsh("test", "--timeout", "1", "--max-output", "1M", path)
        assert done.returncode == 1 and told in done.stdout and "Traceback" not in done.stderr, (told, done)


def test_text_of_a_notebook_becomes_no_code(tmp_path: Path) -> None:
    """Line ends that only programs have, halves of characters, comments that look like what an export puts in."""
    hidden = "pass  #\u200bprint('code')\n%time 3\n# %%\u200b\nx = '\ud800'"
    data = json.dumps(new_notebook(cells=[new_code_cell(hidden), new_markdown_cell("a\rprint('code')")]))
    path = tmp_path / "a.ipynb"
    path.write_text(data)
    done = tensorsh("export", path)
    assert done.returncode == 0 and "pass  #\u200bprint('code')" in done.stdout, done.stderr
    done = tensorsh("convert", path, tmp_path / "a.tsr")
    assert done.returncode == 0, done.stderr
    assert "# print('code')" in (tmp_path / "a.tsr").read_text().split("\n")
