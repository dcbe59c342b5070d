"""Drawings of graphs as SVG, from graphviz's language, for pages that are read without graphviz.

Nodes stand in rows by their distance from the root, in the order that crosses least; colours are the page's own, so that a dark
page has a dark drawing.
"""

from __future__ import annotations

import re
from html import escape

NODE = re.compile(r'^  (n\d+) \[label="((?:[^"\\]|\\.)*)"(, style=filled)?')
EDGE = re.compile(r"^  (n\d+) -> (n\d+)$")
LETTER, LINE, PAD, GAP, STEP = 7.3, 16, 9, 26, 40


def parsed(dot: str) -> tuple[dict[str, tuple[list[str], bool]], list[tuple[str, str]]]:
    """The nodes, each with its lines and whether it is a leaf, and the edges."""
    nodes, edges = {}, []
    for line in dot.splitlines():
        if found := NODE.match(line):
            nodes[found[1]] = (found[2].replace('\\"', '"').replace("\\\\", "\\").split("\\n"), bool(found[3]))
        elif found := EDGE.match(line):
            edges.append((found[1], found[2]))
    return nodes, edges


def rows(nodes: dict[str, tuple[list[str], bool]], edges: list[tuple[str, str]]) -> list[list[str]]:
    """The nodes by their longest distance from the root, each row ordered by where its parents stand."""
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for above, below in edges:
            depth[below] = max(depth[below], depth[above] + 1)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name in nodes:
        found[depth[name]].append(name)
    for row, before in zip(found[1:], found, strict=False):
        place = {name: at for at, name in enumerate(before)}

        def mean(name: str, place: dict[str, int] = place) -> float:
            over = [place[above] for above, below in edges if below == name and above in place]
            return sum(over) / len(over) if over else 0.0

        row.sort(key=mean)
    return found


def svg(dot: str, title: str) -> str:
    """The drawing; gradients flow along the arrows."""
    nodes, edges = parsed(dot)
    size = {
        name: (max(map(len, lines)) * LETTER + 2 * PAD, len(lines) * LINE + 2 * PAD)
        for name, (lines, _) in nodes.items()
    }
    width = max(sum(size[name][0] + GAP for name in row) for row in rows(nodes, edges)) + GAP
    place, top = {}, 4.0
    for row in rows(nodes, edges):
        left = (width - sum(size[name][0] for name in row) - GAP * (len(row) - 1)) / 2
        for name in row:
            place[name] = (left, top)
            left += size[name][0] + GAP
        top += max(size[name][1] for name in row) + STEP
    height = top - STEP + 8
    parts = [
        f'<svg class="graph" data-search-exclude role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'style="max-width:{width:.0f}px"><title>{escape(title)}</title>'
    ]
    for above, below in edges:
        x, y = place[above][0] + size[above][0] / 2, place[above][1] + size[above][1]
        to, end = place[below][0] + size[below][0] / 2, place[below][1] - 5
        middle = (y + end) / 2
        parts.append(
            f'<path class="edge" d="M{x:.0f} {y:.0f} C{x:.0f} {middle:.0f} {to:.0f} {middle:.0f} {to:.0f} {end:.0f}"/>'
        )
        parts.append(f'<path class="tip" d="M{to - 4:.0f} {end - 3:.0f} h8 l-4 8 z"/>')
    for name, (lines, leaf) in nodes.items():
        (x, y), (wide, high) = place[name], size[name]
        parts.append(
            f'<rect class="{"leaf" if leaf else "node"}" x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{high:.0f}" rx="5"/>'
        )
        for at, line in enumerate(lines):
            kind = "name" if at == 0 else "fact"
            parts.append(
                f'<text class="{kind}" x="{x + wide / 2:.0f}" y="{y + PAD + LINE * (at + 0.75):.0f}" text-anchor="middle">{escape(line)}</text>'
            )
    return "".join([*parts, "</svg>"])
