"""JupyterLab in a real browser: open, run all, see text and pictures, complete, inspect, interrupt.

With TENSORSH_SCREENS set to a folder, two screenshots are left there (docs/screens).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import Lab, Page, browser

pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.skipif(browser() is None, reason="there is no Chromium"),
    pytest.mark.filterwarnings("default"),
]

CELLS = [
    "torch.manual_seed(0)\nx = torch.randn(64, 3)\nx[:3]",
    "net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))\nloss = net(x).pow(2).mean()\ngraph(loss)",
    "plot([2.0 / (i + 1) for i in range(30)])",
    "summary(net, (1, 3))",
    "net(torch.ones(2, 4))",
    "'after the error'",
]
APP = "window.jupyterapp"
PANEL = f"[...{APP}.shell.widgets('main')].find(w => w.content?.widgets)"
OUTPUTS = "[...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].map(c => c.querySelector('.jp-OutputArea')?.innerText ?? '')"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("home")
    cells = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
        for n, text in enumerate(CELLS)
    ]
    cells[4]["metadata"] = {"tags": ["raises-exception"]}
    kernel = {"kernelspec": {"name": "tensorsh", "display_name": "tensorsh (PyTorch)", "language": "tensorsh"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "first.ipynb").write_text(json.dumps(notebook))
    lab = Lab(folder, home)
    page = Page(home)
    try:
        page.ask("Page.navigate", url=lab.url + "/tree/first.ipynb")
        page.until(f"Boolean({APP}?.shell && {PANEL})")
        page.run(f"{APP}.shell.activateById({PANEL}.id)")
        page.until(f"{PANEL}.sessionContext?.session?.kernel?.status === 'idle'")
        yield page
    finally:
        page.close()
        lab.close()


def command(page: Page, name: str) -> None:
    page.run(f"{APP}.commands.execute({name!r}).then(() => true)")


def select(page: Page, number: int, text: str | None = None) -> None:
    """Goes to a cell, with a text in it, its cursor at the end."""
    page.run(f"{PANEL}.content.activeCellIndex = {number}")
    if text is not None:
        page.run(f"{PANEL}.content.activeCell.model.sharedModel.setSource({json.dumps(text)})")
        page.run(f"{PANEL}.content.mode = 'edit'")
        page.run(f"{PANEL}.content.activeCell.editor.focus()")
        page.run(f"{PANEL}.content.activeCell.editor.setCursorPosition({{line: 0, column: {len(text)}}})")


def kept(page: Page, name: str) -> None:
    """Leaves a screenshot, where they are wanted."""
    folder = os.environ.get("TENSORSH_SCREENS")
    if folder:
        page.picture(Path(folder) / name)


def test_all_cells_are_run_and_seen(page: Page) -> None:
    command(page, "notebook:run-all-cells")
    page.until(f"{OUTPUTS}[5].includes('after the error')")
    page.until(f"{OUTPUTS}[3].includes('Linear')")  # a table is drawn after the text behind it
    texts = page.run(OUTPUTS)
    assert "tensor([[" in texts[0] and "float32[3, 3]" in texts[0]
    assert "Linear" in texts[3] and "8" in texts[3]
    assert "0: in_features" not in texts[4] and "in_features is 3, this input has 4" in texts[4]
    pictures = (
        "[...document.querySelectorAll('.jp-CodeCell')].map(c => c.querySelectorAll('.jp-RenderedSVG, table').length)"
    )
    counts = page.run(pictures)
    assert counts[1:4] == [1, 1, 1], counts  # the graph and the plot are drawn, the summary is a table
    kept(page, "notebook.png")


def test_a_name_is_completed_and_explained(page: Page) -> None:
    select(page, 5, "net.para")
    command(page, "completer:invoke-notebook")
    page.until("Boolean(document.querySelector('.jp-Completer'))")
    assert "parameters" in page.until("document.querySelector('.jp-Completer')?.innerText")
    page.run("document.activeElement.blur()")
    select(page, 5, "torch.cumsum")
    command(page, "tooltip:launch-notebook")
    said = page.until("document.querySelector('.jp-Tooltip')?.innerText")
    assert "running sum" in said and "cumsum(input, dim" in said
    kept(page, "notebook-help.png")
    page.run("document.activeElement.blur()")


def test_a_loop_is_interrupted_and_the_variables_stay(page: Page) -> None:
    select(page, 5, "while True: pass")
    page.run(f"{APP}.commands.execute('notebook:run-cell'), true")
    page.until(f"{PANEL}.sessionContext.session.kernel.status === 'busy'")
    command(page, "notebook:interrupt-kernel")
    page.until(f"{OUTPUTS}[5].includes('KeyboardInterrupt')")
    select(page, 5, "x.shape")
    command(page, "notebook:run-cell")
    page.until(f"{OUTPUTS}[5].includes('torch.Size([64, 3])')")
