"""What the tools hand to a program leads nowhere that a program may not go."""

from __future__ import annotations

from pathlib import Path

from tensorsh import Session
from tensorsh.sandbox.files import Permissions
from tensorsh.tools import TOOLS

from ..modules.crawl import crawl


def test_nothing_leads_out(tmp_path: Path) -> None:
    session = Session(Permissions(write=[str(tmp_path)]))
    session.trace()
    session.run("x = ones(2, requires_grad); y = x * 2")
    made = session.run(
        "[graph, detect_nan, track, plot, hist, summary, graph(y), detect_nan(), track([1]), plot([1, 2]), hist(x), "
        "summary(nn.Linear(1, 1)), display, display(display_id=True)]"
    )
    assert len(TOOLS) == 7
    bad, seen, _ = crawl({str(i): value for i, value in enumerate(made)}, 3)
    assert bad == [] and seen >= 12
