"""Names that tensorsh adds to those a script may use: graphs, the watch for NaNs, progress, plots, summaries.

    graph(loss)              the backward graph as a tree
    with detect_nan(): ...   stops where the first NaN or infinity comes into being
    track(loader)            a progress bar around an iterable
    plot(losses), hist(x)    in the terminal
    summary(model, (1, 28, 28))
    display(x)               beneath a notebook's cell; elsewhere it prints

They stand behind a script's own names, Python's builtins and torch's. Each session has its own, made when it is named.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..language.workspace import Workspace

TOOLS = {
    "graph": "picture", "detect_nan": "nan", "track": "progress", "plot": "plots", "hist": "plots",
    "summary": "summary", "display": "displays",
}  # fmt: skip
"""The file that each name stands in; its function `make(session)` gives a dictionary of its names."""


def seen(name: str) -> Callable[[], Any]:
    """How what `import tensorsh` and `import torchvision` bind is made."""

    def make() -> Any:
        from .vision import vision

        return vision(name)

    return make


VISION = {name: seen(name) for name in ("tensorsh", "torchvision")}


def tool(session: Workspace, name: str) -> Any:
    """The tool of that name for one session."""
    from importlib import import_module

    return import_module(f"tensorsh.tools.{TOOLS[name]}").make(session)[name]


def ipython(session: Workspace | None) -> Any:
    """What `import IPython` binds in one session."""
    from .displays import ipython

    return ipython(session)


def tqdm(session: Workspace | None) -> Any:
    """What `import tqdm` binds in one session."""
    from .bars import bars

    return bars(session)
