"""Figures of matplotlib beneath their cells; a few lines stand in for matplotlib, which tests do not install."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebook import conftest

PACKAGE = {
    "__init__": "",
    "figure": """
class Figure:
    def __init__(self, axes): self.axes = axes
    def get_axes(self): return self.axes
    def savefig(self, file, format, bbox_inches): file.write(b"\\x89PNG" + bytes([len(self.axes)]))
    def __repr__(self): return f"<Figure with {len(self.axes)} Axes>"
""",
    "_pylab_helpers": """
class Gcf:
    figs = {}
    @classmethod
    def get_all_fig_managers(cls): return list(cls.figs.values())
    @classmethod
    def destroy_all(cls): cls.figs.clear()
""",
    "backend_bases": """
class FigureManagerBase:
    def __init__(self, canvas, num): self.canvas = canvas
""",
    "backends/__init__": "",
    "backends/backend_agg": """
class FigureCanvasAgg:
    def __init__(self, figure): self.figure = figure
""",
    "pyplot": """
import importlib, os
from ._pylab_helpers import Gcf
from .figure import Figure
backend = importlib.import_module(os.environ["MPLBACKEND"].removeprefix("module://"))
def figure(axes):
    canvas = backend.FigureCanvas(Figure(["axes"] * axes))
    Gcf.figs[len(Gcf.figs)] = canvas.manager_class(canvas, len(Gcf.figs))
    return canvas.figure
def show(): backend.FigureCanvas.manager_class.pyplot_show()
""",
}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in PACKAGE.items():
        path = tmp_path / "library" / "matplotlib" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = conftest.specification(["--allow-import=matplotlib"])
    run = f"import sys; sys.path.append({str(tmp_path / 'library')!r}); import runpy; runpy.run_module('tensorsh.notebook', run_name='__main__')"
    behind = made["argv"].index("tensorsh.notebook") + 1
    made["argv"] = [made["argv"][0], "-P", "-c", run, *made["argv"][behind:]]
    monkeypatch.setattr(conftest, "specification", lambda: made)
    client = conftest.Client(tmp_path)
    yield client
    client.close()


def pictures(kernel, code: str) -> list[tuple[str, str]]:
    shown = kernel.run(code)[1]
    return [(kind, content["data"]["image/png"]) for kind, content in shown if "image/png" in content.get("data", {})]


def test_figures_are_shown_beneath_their_cells(kernel) -> None:
    from base64 import b64encode

    one, two = (b64encode(b"\x89PNG" + bytes([count])).decode() for count in (1, 2))
    assert pictures(kernel, "import matplotlib.pyplot as plt") == []
    assert pictures(kernel, "a = plt.figure(1); b = plt.figure(2)") == [("display_data", one), ("display_data", two)]
    assert pictures(kernel, "1") == []
    assert pictures(kernel, "c = plt.figure(1)\nplt.show()\nprint(1)") == [("display_data", one)]
    assert pictures(kernel, "b") == [("execute_result", two)]
    assert pictures(kernel, "c = plt.figure(0)") == []
    assert pictures(kernel, "c = plt.figure(1)\n1 / 0") == [("display_data", one)]
    assert pictures(kernel, "%%capture kept\nc = plt.figure(1)") == []
    assert pictures(kernel, "kept.show()") == [("display_data", one)]
