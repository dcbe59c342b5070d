"""Draws the pictures of docs/shell.md from real sessions: python -m tests.shell.record_screens [FOLDER]"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path
from typing import Any

from .terminal import ROOT, Terminal

TOUR = [
    "torch.manual_seed(0);",
    "x = randn(64, 3); t = x @ tensor([[1.], [-2.], [0.5]])",
    "net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))",
    "opt = torch.optim.SGD(net.parameters(), 0.1); losses = []",
    "for i in track(range(50)):\rloss = ((net(x) - t) ** 2).mean()\ropt.zero_grad(); loss.backward(); opt.step()\r"
    "losses.append(loss.item())\r",
    "loss",
    "plot(losses, height=7)",
    "%graph loss",
]
FAULTS = [
    "net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(4, 1))",
    "net(ones(2, 3))",
    "w = tensor([0.5, 2., 0.], requires_grad)",
    "w?",
    "h = w.exp();",
    "h.add_(1);",
    "h.sum().backward()",
    "y = (w * 2).detach()",
    "(y * 3).sum().backward()",
    "%nan on",
    "(w / w).log()",
]


def style_of(cell: Any) -> Any:
    from rich.style import Style

    def color(name: str) -> str | None:
        if name == "default":
            return None
        if len(name) == 6 and all(c in "0123456789abcdef" for c in name):
            return "#" + name
        return {"brown": "yellow", "brightblack": "bright_black"}.get(name, name.replace("bright", "bright_"))

    return Style(color=color(cell.fg), bgcolor=color(cell.bg), bold=cell.bold, reverse=cell.reverse)


def picture(terminal: Terminal, title: str) -> str:
    from rich.console import Console
    from rich.text import Text

    screen = terminal.screen
    console = Console(
        record=True, width=screen.columns, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    written = [y for y in range(screen.lines) if screen.display[y].strip()]
    gap = range(written[-2] + 2, written[-1])  # between what was typed and the status bar
    for y in range(written[-1] + 1):
        if y in gap:
            continue
        line = Text(no_wrap=True, end="")
        cells = [screen.buffer[y][x] for x in range(screen.columns)]
        for _, run in groupby(cells, key=lambda cell: cell._replace(data="")):
            same = list(run)
            line.append("".join(cell.data for cell in same), style_of(same[0]))
        console.print(line, end="\n", overflow="crop")
    return console.export_svg(title=title)


def record(entries: list[str], rows: int, title: str, last: str = "") -> str:
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(Path(folder), rows=rows, columns=96)
        terminal.run(*entries)
        if last:
            terminal.type(last, "float32")  # in the menu
        time.sleep(1)
        with terminal.changed:
            made = picture(terminal, title)
        terminal.close()
    return made


def main(folder: str = str(ROOT / "docs/screens")) -> None:
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    (where / "tour.svg").write_text(record(TOUR, 47, "tensorsh", "net[0].we"))
    (where / "faults.svg").write_text(record(FAULTS, 60, "tensorsh"))


if __name__ == "__main__":
    main(*sys.argv[1:])
