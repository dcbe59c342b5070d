"""The documentation: its code runs and gives what stands there, its links lead somewhere; the made pages hold what they promise.

The last test builds the site, as `make docs` does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from website import course, drawing, families, programs

ROOT = Path(__file__).parents[1]
PAGES = {path.name: path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
READ = {"", "sh", "text", "lua", "elisp", "tsr", "console", "python", "toml", "json", "mermaid"}
"""The languages of blocks; another is a slip, by which code would not be run."""


def with_code(language: str) -> list[str]:
    return sorted(
        name for name, text in TEXTS.items() if any(each.language == language for each in programs.code(text))
    )


@pytest.mark.parametrize("name", PAGES)
def test_blocks_are_of_known_languages(name: str) -> None:
    for each in programs.code(TEXTS[name]):
        assert each.language in READ, each.text
        if each.language == "toml":
            tomllib.loads(each.text)
        elif each.language == "json":
            json.loads(each.text)


@pytest.mark.parametrize("name", with_code("tsr"))
def test_programs_of_a_page_print_what_it_says(name: str, tmp_path: Path) -> None:
    from tensorsh.golden.report import difference_text
    from tensorsh.golden.runner import run_file

    path = tmp_path / "page.tsr"
    path.write_text(programs.program(TEXTS[name], "tsr"), encoding="utf-8")
    result = run_file(path)
    assert result.ok, difference_text(result)


@pytest.mark.parametrize("name", with_code("console"))
def test_commands_print_what_the_page_says(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    for each in programs.code(TEXTS[name]):
        for command, printed in programs.commands(each.text) if each.language == "console" else ():
            assert command.startswith("tensorsh ")
            shell = f'tensorsh() {{ "{sys.executable}" -m tensorsh "$@"; }}; {command}'
            done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=tmp_path, env=environment)
            assert (done.stdout + done.stderr).rstrip() == printed.rstrip()


@pytest.mark.parametrize("name", with_code("python"))
def test_python_of_a_page_runs(name: str, tmp_path: Path) -> None:
    text = programs.program(TEXTS[name], "python")
    if "tensorsh" not in text:  # a part of the sources, shown
        compile(text, name, "exec")
        return
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stderr) == (0, "")


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", re.sub(programs.FENCE, "", text), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(programs.FENCE, "", TEXTS[name])):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = (PAGES[name].parent / file).resolve() if file else PAGES[name]
        made = path.parent.name in ("course", "operators") and path.suffix == ".md"
        assert made or path.exists(), target
        if anchor and path.suffix == ".md" and path.name != "course.md":
            assert anchor in anchors(path.read_text(encoding="utf-8")), target


def test_every_script_is_a_chapter() -> None:
    chapters = [path for paths in course.chapters().values() for path in paths]
    assert len(chapters) == len(list((ROOT / "scripts").glob("[0-9]*.tsr"))) > 50
    for path in chapters:
        assert course.cells(path.read_text(encoding="utf-8"))[0][0] == "prose" and course.summary(path)
        code = "".join(re.sub(r"#.*", "", line) for line in path.read_text(encoding="utf-8").splitlines())
        shown = "".join(
            re.sub(r"#.*", "", line)
            for kind, text in course.cells(path.read_text(encoding="utf-8"))
            if kind == "code"
            for line in text.splitlines()
        )
        assert shown == code


def test_exercises_have_solutions_that_print() -> None:
    """They are golden tests themselves, which pytest collects."""
    names = {path.name for path in (ROOT / "scripts").glob("[0-9]*.tsr")}
    for path in (ROOT / "scripts/exercises").glob("*.tsr"):
        assert path.name in names
        parts = path.read_text(encoding="utf-8").split("# Exercise: ")[1:]
        assert parts and all(re.search(r"^#[>!] ", part, re.MULTILINE) for part in parts), path


def test_every_operator_has_a_page_with_its_example() -> None:
    pages = {family: text for room in families.pages().values() for family, text in room.items()}
    for family, text in pages.items():
        assert text.count("\n## ") >= 2 and "## Differences from PyTorch" in text, family
        links = set(re.findall(r"\]\(#([^)]+)\)", text))
        assert not links - anchors(text), family
    whole = "".join(pages.values())
    assert (
        "tensor([-1.5000, -1.0000,  1.5000])" in whole
        and "PyTorch's double precision is good to eight digits there" in whole
    )
    assert whole.count("```pycon") > 550


def test_a_drawing_has_every_node_and_edge() -> None:
    page = TEXTS["gradients.md"]
    found = programs.GRAPH.search(page)
    assert found
    dot = programs.graph(page, found["name"], found.start()).dot()
    nodes, edges = drawing.parsed(dot)
    picture = drawing.svg(dot, "y & z")
    assert len(nodes) == picture.count("<rect") == 4 and len(edges) == picture.count('class="edge"') == 3
    assert "ExpBackward0" in picture and "y &amp; z" in picture
    assert [len(row) for row in drawing.rows(nodes, edges)] == [1, 1, 1, 1]


@pytest.mark.nightly
def test_the_site_is_built_without_a_warning_and_needs_no_network(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 150
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:[^"]*', text), page
    gradients = (tmp_path / "site/gradients.html").read_text(encoding="utf-8")
    assert gradients.count('<svg class="graph"') == len(programs.GRAPH.findall(TEXTS["gradients.md"])) > 4
    index = (tmp_path / "site/search/search_index.js").read_text(encoding="utf-8")
    assert "cumsum" in index and "saved result[2]" not in index  # a drawing is no text
