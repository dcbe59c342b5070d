"""Pictures as SVG text, for a browser: the layers of a graph, curves, histograms. What a program named is escaped."""

from __future__ import annotations

import html
from collections import deque
from collections.abc import Sequence
from typing import Any

COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b")
LETTER = 6.7
"""Width of a letter of 11 pixels, as most fonts of one width have it."""
MOST_BOXES = 200
"""A graph with more nodes is shown as text alone."""
MOST_POINTS = 2000
"""Points of a curve; of more, every so many are drawn."""
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 260, 64, 28, 26


def escape(text: str) -> str:
    """A text within a page: its characters, whatever a program's class of texts would have them replaced by."""
    return html.escape(str.__str__(text))


def svg(width: float, height: float, parts: Sequence[str], label: str) -> str:
    """A picture of these parts."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="{escape(label)}" font-family="monospace" font-size="11">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor"{more}>{escape(words)}</text>'


def layered(graph: Any) -> str | None:
    """A backward graph (`display/graph.py`), a layer of boxes below those whose gradients it takes; None where it is too large."""
    if graph.root is None:
        return None
    order, above, depth = [graph.root], {id(graph.root): 0}, {id(graph.root): 0}
    queue = deque(order)
    while queue:  # counts how many nodes lead to each
        for operand, _ in queue.popleft().next_functions:
            if operand is None:
                continue
            if id(operand) not in above:
                above[id(operand)] = 0
                order.append(operand)
                queue.append(operand)
            above[id(operand)] += 1
        if len(order) > MOST_BOXES:
            return None
    ready, layers = deque([graph.root]), {}
    while ready:  # a node stands below all that lead to it
        node = ready.popleft()
        layers.setdefault(depth[id(node)], []).append(node)
        for operand, _ in node.next_functions:
            if operand is None:
                continue
            depth[id(operand)] = max(depth.get(id(operand), 0), depth[id(node)] + 1)
            above[id(operand)] -= 1
            if not above[id(operand)]:
                ready.append(operand)
    labels = {id(node): [part for part in (graph._title(node), graph._type(node)) if part] for node in order}
    wide = {key: max(map(len, lines)) * LETTER + 16 for key, lines in labels.items()}
    rows = [sum(wide[id(node)] + 16 for node in layer) for layer in layers.values()]
    width, places = max(rows) + 16, {}
    for number, (layer, row) in enumerate(zip(layers.values(), rows, strict=True)):
        x = (width - row) / 2 + 8
        for node in layer:
            places[id(node)] = (x, 10 + number * 62)
            x += wide[id(node)] + 16
    parts = []
    for node in order:
        x, y = places[id(node)]
        for operand, _ in node.next_functions:
            if operand is not None:
                to, down = places[id(operand)]
                ends = (
                    f'x1="{x + wide[id(node)] / 2:.1f}" y1="{y + 36}" x2="{to + wide[id(operand)] / 2:.1f}" y2="{down}"'
                )
                parts.append(f'<line {ends} stroke="#888"/>')
    for node in order:
        x, y = places[id(node)]
        fill = "#7fb2e5" if hasattr(node, "variable") else "#999"
        box = f'width="{wide[id(node)]:.1f}" height="36" rx="4" fill="{fill}" fill-opacity="0.25" stroke="{fill}"'
        parts.append(f'<rect x="{x:.1f}" y="{y}" {box}/>')
        parts += [text(x + 8, y + 15 + 14 * n, line) for n, line in enumerate(labels[id(node)])]
    return svg(width, 20 + (len(rows) - 1) * 62 + 36, parts, "backward graph")


def _frame(x: tuple[float, float], y: tuple[float, float], title: str) -> list[str]:
    """The axes with the ends of their ranges, and a title."""
    right, bottom = WIDTH - 12, HEIGHT - BOTTOM
    return [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#888"/>',
        text(LEFT - 6, TOP + 8, f"{y[1]:.4g}", "end"),
        text(LEFT - 6, bottom, f"{y[0]:.4g}", "end"),
        text(LEFT, bottom + 16, f"{x[0]:.4g}"),
        text(right, bottom + 16, f"{x[1]:.4g}", "end"),
        *([text((LEFT + right) / 2, 15, title, "middle")] if title else []),
    ]


def curves(found: dict[str, tuple[Any, Any]], x: tuple[float, float], y: tuple[float, float], title: str = "") -> str:
    """Curves of finite values within these ranges, with a legend where they have names."""
    right, bottom = WIDTH - 12, HEIGHT - BOTTOM
    parts = _frame(x, y, title)
    for number, (name, (xs, ys)) in enumerate(found.items()):
        colour, step = COLOURS[number % len(COLOURS)], max(1, -(-len(xs) // MOST_POINTS))
        points = [
            (LEFT + (a - x[0]) / (x[1] - x[0]) * (right - LEFT), bottom - (b - y[0]) / (y[1] - y[0]) * (bottom - TOP))
            for a, b in zip(xs[::step].tolist(), ys[::step].tolist(), strict=True)
        ]
        if len(points) == 1:
            parts.append(f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3" fill="{colour}"/>')
        drawn = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if name:
            parts.append(f'<rect x="{right - 110}" y="{TOP + 14 * number}" width="10" height="10" fill="{colour}"/>')
            parts.append(text(right - 95, TOP + 9 + 14 * number, name[:16]))
    return svg(WIDTH, HEIGHT, parts, title or "curves")


def bars(counts: Sequence[int], low: float, high: float, title: str = "") -> str:
    """A histogram: how many values lie in each of equal parts of a range."""
    right, bottom, most = WIDTH - 12, HEIGHT - BOTTOM, max(counts) or 1
    parts, wide = _frame((low, high), (0, most), title), (right - LEFT) / len(counts)
    for number, count in enumerate(counts):
        tall = count / most * (bottom - TOP)
        place = f'x="{LEFT + number * wide + 0.5:.1f}" y="{bottom - tall:.1f}" width="{max(wide - 1, 0.5):.1f}" height="{tall:.1f}"'
        parts.append(f'<rect {place} fill="{COLOURS[0]}"><title>{count}</title></rect>')
    return svg(WIDTH, HEIGHT, parts, title or "histogram")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """An HTML table; blanks in front of a text indent it."""
    head = "".join(f'<th style="text-align:left">{escape(title)}</th>' for title in titles)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left;white-space:pre">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + (
        f"<p>{escape(note)}</p>" if note else ""
    )
