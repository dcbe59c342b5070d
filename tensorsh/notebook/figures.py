"""The figures of matplotlib, where its import is allowed: a backend that shows them beneath the cell."""

from __future__ import annotations

import io
from typing import Any

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ..tools.displays import board


def picture(figure: Any) -> bytes:
    """A figure as PNG, without what is empty around it."""
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def show_all() -> None:
    """Shows the open figures, and closes them: the next cell begins anew."""
    try:
        for manager in Gcf.get_all_fig_managers():
            manager.show()
    finally:
        Gcf.destroy_all()


class Manager(FigureManagerBase):
    """A figure of pyplot's."""

    def show(self) -> None:
        figure = self.canvas.figure
        if board.elsewhere is not None and figure.get_axes():
            board.elsewhere.show({"image/png": picture(figure), "text/plain": repr(figure)}, True, None)

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        show_all()


class FigureCanvas(FigureCanvasAgg):
    """Where a figure is drawn."""

    manager_class = Manager  # type: ignore[assignment]
