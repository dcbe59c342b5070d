"""The course: the programs of `scripts/` as chapters, with prose, code, output, and exercises whose solutions are golden tests.

A chapter's prose is its program's comments; code and the output behind it stand as in a notebook. An exercise is a comment that
begins with `Exercise:` in `scripts/exercises/`, in a file of the chapter's name; what follows it is the solution.
"""

from __future__ import annotations

import re
from pathlib import Path

SCRIPTS = Path(__file__).parents[1] / "scripts"
PARTS = {
    "Tensors": range(1, 20),
    "Gradients": range(20, 29),
    "The language": range(29, 33),
    "Modules and data": range(33, 40),
    "Models that train": range(40, 100),
}
TITLES = {"rnn": "RNN", "lstm": "LSTM", "gan": "GAN", "gpt": "GPT", "numpy": "NumPy"}


def chapters() -> dict[str, list[Path]]:
    """The programs of each part, in order."""
    found = sorted(path for path in SCRIPTS.glob("[0-9]*.tsr"))
    return {part: [path for path in found if int(path.name[:2]) in numbers] for part, numbers in PARTS.items()}


def title(path: Path) -> str:
    """A chapter's title, from its file's name."""
    words = path.stem.partition("_")[2].split("_")
    return " ".join(TITLES.get(word, word.capitalize() if not at else word) for at, word in enumerate(words))


def cells(text: str) -> list[tuple[str, str]]:
    """The parts of a program in order, each `prose`, `code` or `output` with its text."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith(("#> ", "#! ")) or line in ("#>", "#!"):
            kind, line = "output", line[3:]
        elif line.startswith("#") and (not found or found[-1][0] != "code" or not found[-1][1][-1].strip()):
            kind, line = "prose", line.lstrip("# ")
        elif not line.strip() and (not found or found[-1][0] != "code"):
            if found and found[-1][0] == "prose":
                found.append(("prose", []))
            continue
        else:
            kind = "code"
        if not found or found[-1][0] != kind:
            found.append((kind, []))
        found[-1][1].append(line)
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in found if any(map(str.strip, lines))]


def shown(parts: list[tuple[str, str]]) -> str:
    """Cells as a page shows them."""
    lines = []
    for kind, text in parts:
        if kind == "prose":
            lines.append(re.sub(r"([<>*_])", r"\\\1", text) if "`" not in text else text)
        else:
            lines.append(f"```{'tsr' if kind == 'code' else '{.text .output}'}\n{text}\n```")
    return "\n\n".join(lines)


def exercises(path: Path) -> str:
    """The exercises of a chapter, each with its solution folded beneath it; nothing where there are none."""
    program = SCRIPTS / "exercises" / path.name
    if not program.exists():
        return ""
    made = ["\n\n## Exercises\n"]
    for number, text in enumerate(program.read_text(encoding="utf-8").split("# Exercise: ")[1:], 1):
        parts = cells("# " + text)
        question, solution = parts[0][1], shown(parts[1:])
        folded = "\n".join("    " + line if line else "" for line in solution.splitlines())
        made.append(f'**{number}.** {question}\n\n??? success "A solution"\n\n{folded}\n')
    return "\n".join(made)


def page(path: Path) -> str:
    """A chapter's page."""
    number = path.name[:2]
    head = f"# {title(path)}\n\n<small>`scripts/{path.name}`, chapter {number}: `tensorsh test` compares its output; PyTorch prints the same.</small>\n\n"
    return head + shown(cells(path.read_text(encoding="utf-8"))) + exercises(path) + "\n"


def contents() -> str:
    """The chapters as lists, for the course's first page."""
    lines = []
    for part, paths in chapters().items():
        lines.append(f"\n## {part}\n")
        lines += [f"- [{title(path)}](course/{path.stem}.md): {summary(path)}" for path in paths]
    return "\n".join(lines) + "\n"


def summary(path: Path) -> str:
    """The first words of a program on itself."""
    first = cells(path.read_text(encoding="utf-8"))[0][1].replace("\n", " ")
    return first if len(first) <= 150 else re.split(r"(?<=[.:])\s", first, maxsplit=1)[0]
