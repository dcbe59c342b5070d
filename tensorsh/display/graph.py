"""The backward graph of a tensor, drawn as a tree of what each gradient will pass.

    loss = MeanBackward0  float32[]      |grad| 1  a.tsr:3
    └─ MulBackward0       float32[3, 4]  |grad| 0.2887  a.tsr:2  saved self[3, 4], other[4]
       ├─ x               float32[3, 4]  leaf  |grad| 0.25
       └─ w               float32[4]     leaf  |grad| 0.5

A node that is used twice is drawn once and referred to by a number; so is one for which the line is too short, and
which is drawn below instead. Nothing recurses, and a long graph is drawn only as far as the limit of lines.

Of a node it needs `name()` and `next_functions`; it shows, where a node has them, `variable`, `shape`, `dtype`,
`place` (file name and line, perhaps with the line's text), `_saved_*` (those in `saved_names`, else those `dir` tells),
`norm` (of the gradient that arrived) and `cuts` (reasons why an operand got no edge).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..sandbox.sealed import Sealed
from .cells import ascii_only, cell_width, clip, pad
from .chain import NAMELESS, is_leaf, leaf_name, node_of
from .colours import PLAIN, Theme, type_note

UNICODE = {"branch": "├─ ", "last": "└─ ", "line": "│  ", "cut": "╳ ", "ellipsis": "…"}
ASCII = {"branch": "|- ", "last": "`- ", "line": "|  ", "cut": "cut: ", "ellipsis": "..."}
FREED = "what was saved for the gradients was freed by backward"


class Row(NamedTuple):
    """One line of the drawing: `node` is None for remarks, `again` says where a node referred to is drawn."""

    prefix: str
    node: Any
    remark: str = ""
    again: str = ""


class Graph(metaclass=Sealed):
    """The graph behind a tensor or node; `names` gives variable names by the id of their tensor or node."""

    remark: str | None = None
    """Why there is no history, where somebody knows better than this."""

    def __init__(self, value: Any, names: Mapping[int, str] = NAMELESS, *, limit: int = 300, root: Any = None) -> None:
        self.value, self.names, self.limit = value, names, limit
        self.root = node_of(value) if root is None else root

    def __repr__(self) -> str:
        return self.text()

    def text(self, width: int = 80, unicode: bool = True, theme: Theme = PLAIN) -> str:
        """The drawing as lines of at most `width` columns."""
        marks = UNICODE if unicode else ASCII
        if self.root is None:
            remark = self._without_history()
            return clip(remark if unicode else ascii_only(remark), width, marks["ellipsis"])
        rows = list(self._rows(marks, max(width // 3, 6)))
        shared = {id(row.node) for row in rows if row.again}
        numbers: dict[int, int] = {}
        for row in rows:
            if id(row.node) in shared and not self._named_leaf(row.node):
                numbers.setdefault(id(row.node), len(numbers) + 1)
        told: set[str] = set()
        cells = [self._cells(row, numbers, told) for row in rows]
        if not unicode:
            cells = [(ascii_only(title), shape, mark, ascii_only(details)) for title, shape, mark, details in cells]
        titles = _column([row.prefix + title for row, (title, *_) in zip(rows, cells, strict=True)], width // 2)
        shapes = _column([shape for _, shape, _, _ in cells], width // 3)
        marks_width = _column([mark for _, _, mark, _ in cells], width // 3)
        lines = []
        for row, (title, shape, mark, details) in zip(rows, cells, strict=True):
            title = clip(title, width - len(row.prefix), marks["ellipsis"])
            end = ""
            if shape or mark or details:
                used = len(row.prefix) + cell_width(title)
                mark = f"  {pad(mark, marks_width)}" if mark or marks_width else ""
                end = f"{' ' * (titles - used)}  {pad(shape, shapes)}{mark}  {details}".rstrip()
                end = clip(end, width - used, marks["ellipsis"])
            kind = "dim" if row.node is None else "name" if is_leaf(row.node) else "number"
            lines.append(theme.paint("dim", row.prefix) + theme.paint(kind, title) + theme.paint("dim", end))
        if any(row.node is not None and not row.again and saved_text(row.node) == FREED for row in rows):
            lines.append(theme.paint("dim", clip(FREED, width, marks["ellipsis"])))
        return "\n".join(lines)

    def dot(self) -> str:
        """The graph in graphviz's language; gradients flow along the arrows."""
        numbers: dict[int, int] = {}
        lines = ["digraph {", '  node [shape=box, fontname="monospace", fontsize=10]']
        queue = deque([self.root] if self.root is not None else [])
        kept = list(queue)  # an id is a name only as long as its object lives
        for node in queue:
            numbers[id(node)] = len(numbers)
        while queue:
            node = queue.popleft()
            title, shape = self._title(node), self._type(node)
            label = "\n".join(part for part in (title, shape, *self._details(node)) if part)
            style = ", style=filled, fillcolor=lightblue" if is_leaf(node) else ""
            lines.append(f"  n{numbers[id(node)]} [label={_quoted(label)}{style}]")
            for operand, _ in node.next_functions:
                if operand is None:
                    continue
                if id(operand) not in numbers:
                    numbers[id(operand)] = len(numbers)
                    kept.append(operand)
                    queue.append(operand)
                lines.append(f"  n{numbers[id(node)]} -> n{numbers[id(operand)]}")
        return "\n".join([*lines, "}"]) + "\n"

    def _rows(self, marks: Mapping[str, str], deepest: int) -> Iterator[Row]:
        """The lines in drawing order, from a stack of what is still to be drawn."""
        drawn: dict[int, Any] = {}
        below: deque[Any] = deque([self.root])
        waiting = {id(self.root)}
        lines = 0
        while below:
            stack: list[tuple[str, str, Any, str]] = [("", "", below.popleft(), "")]
            if lines:
                yield Row("", None)
            while stack:
                prefix, indent, node, remark = stack.pop()
                if lines >= self.limit:
                    yield Row("", None, f"{marks['ellipsis']} the graph goes on")
                    return
                lines += 1
                if node is None:
                    yield Row(prefix, None, marks["cut"] + remark)
                    continue
                if id(node) in drawn:
                    yield Row(prefix, node, again="above")
                    continue
                operands = [operand for operand, _ in node.next_functions if operand is not None]
                if prefix and id(node) in waiting:
                    yield Row(prefix, node, again="below")
                    continue
                if len(prefix) > deepest and operands:
                    waiting.add(id(node))
                    below.append(node)
                    yield Row(prefix, node, again="below")
                    continue
                drawn[id(node)] = node
                yield Row(prefix, node)
                children = [(operand, "") for operand in operands]
                children += [(None, reason) for reason in getattr(node, "cuts", None) or ()]
                for number, (operand, reason) in reversed(list(enumerate(children))):
                    last = number == len(children) - 1
                    branch, line = (marks["last"], "   ") if last else (marks["branch"], marks["line"])
                    stack.append((indent + branch, indent + line, operand, reason))

    def _cells(self, row: Row, numbers: Mapping[int, int], told: set[str]) -> tuple[str, str, str, str]:
        """The title of a row, with its number where something refers to it, the type of the result, whether it is a leaf
        and the norm of its gradient, and the rest: a line of the source with its text only the first time."""
        if row.node is None:
            return row.remark, "", "", ""
        number = numbers.get(id(row.node))
        title = ("" if number is None else f"#{number} ") + self._title(row.node)
        if row.again:
            return title if number is None else f"{title} ({row.again})", "", "", ""
        source = place_text(getattr(row.node, "place", None))
        details = self._facts(row.node, source.partition("  ")[0] if source in told else source)
        told.add(source)
        return title, self._type(row.node), "  ".join(self._marks(row.node)), "  ".join(details)

    def _named_leaf(self, node: Any) -> bool:
        return is_leaf(node) and leaf_name(node, self.names) != "AccumulateGrad"

    def _title(self, node: Any) -> str:
        if is_leaf(node):
            return leaf_name(node, self.names)
        name = self.names.get(id(node))
        if name is None and node is self.root:
            name = self.names.get(id(self.value))
        title = node.name().rpartition("::")[2]
        return title if name is None else f"{name} = {title}"

    def _type(self, node: Any) -> str:
        """Type and shape of what the operator gave: known to the node, its variable or the tensor at the root."""
        for owner in (node, getattr(node, "variable", None), self.value if node is self.root else None):
            shape = getattr(owner, "shape", None)
            if shape is not None:
                return type_note(str(getattr(owner, "dtype", None) or ""), shape)
        return ""

    def _details(self, node: Any) -> list[str]:
        """Remarks on a node, the most telling first."""
        return self._marks(node) + self._facts(node, place_text(getattr(node, "place", None)))

    def _marks(self, node: Any) -> list[str]:
        """Whether a node is a leaf, and how large the gradient was that arrived."""
        marks = ["leaf"] if is_leaf(node) else []
        norm = getattr(node, "norm", None)
        if norm is None and is_leaf(node):
            gradient = getattr(getattr(node, "variable", None), "grad", None)
            norm = None if gradient is None else gradient.norm()
        if norm is not None:
            marks.append(f"|grad| {float(norm):.4g}")
        return marks

    def _facts(self, node: Any, source: str) -> list[str]:
        """Where a node was made, what it saved, and the text of that line."""
        place, _, text = source.partition("  ")
        saved = saved_text(node)
        return [part for part in (place, "saved " + saved if saved and saved != FREED else "", text) if part]

    def _without_history(self) -> str:
        name = self.names.get(id(self.value))
        shape = getattr(self.value, "shape", None)
        parts = [name or "", type_note(str(getattr(self.value, "dtype", "")), shape) if shape is not None else ""]
        reason = self.remark or "; ".join(getattr(self.value, "cuts", None) or ())
        if getattr(self.value, "requires_grad", False):
            reason = "a leaf: nothing has been computed from it here"
        return "  ".join([part for part in parts if part] + [reason or "no operation with a gradient led to this"])


def place_text(place: Any) -> str:
    """A place in the source: ``a.tsr:3  y = x * w`` from (file name, line, text), the text if it is known."""
    if place is None or isinstance(place, str):
        return place or ""
    if isinstance(place, tuple):
        name, line, text = (*place, "")[:3]
    else:
        name, line, text = place.filename, place.lineno, getattr(place, "text", "")
    name = str(name).replace("\\", "/").rpartition("/")[2]
    return f"{name}:{line}" + (f"  {text.strip()}" if isinstance(text, str) and text.strip() else "")


def saved_text(node: Any) -> str:
    """The values that a node keeps for its gradient, tensors first: ``self[3, 4], exponent 2``. Mere sizes are left out."""
    tensors, others = [], []
    for name in getattr(node, "saved_names", None) or [n[7:] for n in dir(node) if n.startswith("_saved_")]:
        if name.endswith(("sizes", "strides", "numel", "_shape", "keepdim")):
            continue
        try:
            value = getattr(node, "_saved_" + name)
        except AttributeError:
            continue
        except RuntimeError as error:
            if "freed" in str(error):
                return FREED
            tensors.append(f"{name} (modified since)")
            continue
        shape = getattr(value, "shape", None)
        if shape is not None:
            tensors.append(f"{name}[{', '.join(map(str, shape))}]")
        elif isinstance(value, bool | int | float | complex | str):
            others.append(f"{name} {value}")
        elif isinstance(value, tuple | list) and all(isinstance(item, int) for item in value):
            others.append(f"{name} {tuple(value)}")
    return ", ".join(tensors + others)


def _column(texts: list[str], most: int) -> int:
    """The width of a column: its longest text, those beyond `most` aside."""
    return max((width for width in map(cell_width, texts) if width <= most), default=0)


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
