"""What mkdocs asks of the build: pages that are made, the table of contents, pictures of graphs, links to files beside docs/."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from website import course, drawing, families, programs  # noqa: E402

BESIDE = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md", "reporting.md": "SECURITY.md"}
"""Pages that are files of the repository's first folder."""
CODE = re.compile(r"`[^`\n]+`")
made: dict[str, str] = {}


def on_config(config: Any) -> Any:
    """Enters the made pages, and pages of docs/ that the list does not name, in the table of contents."""
    made.clear()
    chapters = []
    for part, paths in course.chapters().items():
        made.update({f"course/{path.stem}.md": course.page(path) for path in paths})
        chapters.append({part: [{course.title(path): f"course/{path.stem}.md"} for path in paths]})
    operators = []
    for room, pages in families.pages().items():
        made.update({f"operators/{family}.md": text for family, text in pages.items()})
        operators.append(
            {families.ROOMS[room]: [{families.titled(family): f"operators/{family}.md"} for family in pages]}
        )
    made.update({page: (ROOT / name).read_text(encoding="utf-8") for page, name in BESIDE.items()})
    told = str(config.nav)
    others = [path.name for path in sorted((ROOT / "docs").glob("*.md")) if f"'{path.name}'" not in told]
    for entry in config.nav:
        if "Course" in entry:
            entry["Course"] += chapters
        elif "Operators" in entry:
            entry["Operators"] += operators
        elif "Guides" in entry:
            entry["Guides"] += others
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the made pages."""
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Puts in graphs and the course's contents; links to the repository's first folder lead to their pages."""
    name = page.file.src_uri

    def graph(found: re.Match[str]) -> str:
        picture = programs.graph(markdown, found["name"], found.start())
        return drawing.svg(picture.dot(), f"The backward graph of {found['name']}")

    markdown = programs.GRAPH.sub(graph, markdown)
    # In a table GitHub wants `\|` for a bar also within code; here a bar within code is no border, and the stroke would be seen.
    rows = (
        CODE.sub(lambda code: code[0].replace("\\|", "|"), line) if line.startswith("|") else line
        for line in markdown.split("\n")
    )
    markdown = "\n".join(rows)
    if name == "course.md":
        markdown += course.contents()
    if name in BESIDE:
        markdown = markdown.replace("](docs/", "](")
    for target, source in BESIDE.items():
        markdown = markdown.replace(f"](../{source}", f"]({target}").replace(f"]({source}", f"]({target}")
    return markdown.replace("](../README.md#use)", "](start.md)").replace("](../README.md)", "](index.md)")
