"""`graph(y)`: the backward graph of a tensor, with what a session knows of it.

Variables give names to leaves and results, places give source lines, the texts of the programs tell where operands lost
their history. Shapes that no backward pass has told yet come from a walk with zeros, which changes nothing.
"""

from __future__ import annotations

import sys
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from ..display.cells import draws_unicode
from ..display.colours import PLAIN, Theme
from ..display.graph import Graph

if TYPE_CHECKING:
    from ..language.workspace import Workspace

MOST_NODES = 2000
LARGEST = 10_000_000
"""Neither longer graphs nor graphs with larger gradients are walked for their shapes."""


def variable_names(variables: dict[str, Any]) -> dict[int, str]:
    """Names by the id of tensors and of their nodes: variables, parameters of networks, entries of lists."""
    names: dict[int, str] = {}

    def note(name: str, value: Any) -> None:
        if hasattr(value, "_node") and hasattr(value, "_array"):
            names.setdefault(id(value), name)
            node = value._node
            if node is not None and not hasattr(node, "variable"):
                names.setdefault(id(node), name)

    for name, value in sorted(variables.items(), key=lambda item: item[0] in ("_", "__")):
        if name.startswith("__") and name != "__":
            continue
        note(name, value)
        if type(value) in (list, tuple) and len(value) <= 100:
            for i, each in enumerate(value):
                note(f"{name}[{i}]", each)
        elif type(value) is dict and len(value) <= 100:
            for key, each in value.items():
                note(f"{name}[{key!r}]", each)
        _note_parameters(name, value, note)
    return names


def _note_parameters(name: str, value: Any, note: Any) -> None:
    from ..language import peek

    own = peek.instance_dict(value)
    if "_parameters" not in own or "_modules" not in own:
        return
    pending = [(name, value)]
    seen = 0
    while pending and seen < 1000:
        prefix, module = pending.pop()
        own = peek.instance_dict(module)
        for part in ("_parameters", "_buffers"):
            for each, tensor in (own.get(part) or {}).items():
                note(f"{prefix}.{each}", tensor)
                seen += 1
        pending += [
            (f"{prefix}.{each}", inner) for each, inner in (own.get("_modules") or {}).items() if inner is not None
        ]


def nodes_behind(root: Any) -> list[Any]:
    """All nodes that a root leads to, as far as MOST_NODES."""
    seen, order, stack = {id(root)}, [], [root]
    while stack and len(order) < MOST_NODES:
        node = stack.pop()
        order.append(node)
        for operand, _ in node.next_functions:
            if operand is not None and id(operand) not in seen:
                seen.add(id(operand))
                stack.append(operand)
    return order


def find_shapes(value: Any) -> None:
    """Notes the shape and dtype of each node's result by a backward walk with zeros that accumulates nothing."""
    import numpy as np

    from ..engine.graph.nodes import AccumulateGrad, OperatorNode, Slot
    from ..engine.tape.worlds import raw
    from .tracing import type_name

    root = getattr(value, "_node", None)
    if root is None or len(nodes_behind(root)) >= MOST_NODES:
        return
    gradients: dict[Any, Any] = {root: np.zeros_like(value._array)}
    heap = [(-root._sequence, id(root), root)]
    while heap:
        node = heappop(heap)[2]
        gradient = gradients.pop(node)
        if type(node) is Slot:
            parent = node._parent
            if parent not in gradients:
                gradients[parent] = [None] * parent._outputs
                heappush(heap, (-parent._sequence, id(parent), parent))
            gradients[parent][node._number] = gradient
            continue
        first = next((g for g in gradient if g is not None), None) if isinstance(gradient, list) else gradient
        if first is not None and not hasattr(node, "shape"):
            node.shape, node.dtype = tuple(first.shape), type_name(np.asarray(first))
        if not isinstance(node, OperatorNode):
            continue
        try:
            found = node._step(gradient, raw)
        except Exception:  # freed or written since: what lies behind keeps its silence
            continue
        for edge, each in zip(node._edges, found, strict=False):
            if edge is None or each is None or isinstance(edge, AccumulateGrad) or each.size > LARGEST:
                continue
            if edge not in gradients:
                gradients[edge] = each
                heappush(heap, (-edge._sequence, id(edge), edge))


class View:
    """A node as the drawing sees it: what the engine knows, the text of its line, the cuts of its operands."""

    def __init__(self, node: Any, place: Any, cuts: list[str], operands: list[View]) -> None:
        self._node, self.place, self.cuts, self._operands = node, place, cuts, operands

    next_functions = property(lambda self: [(operand, 0) for operand in self._operands])
    norm = property(lambda self: self._node._norm)

    def name(self) -> str:
        return self._node.name()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def __dir__(self) -> list[str]:
        return dir(self._node)


def picture(session: Workspace, value: Any) -> Graph:
    """The graph of a tensor (or of a node) with all that the session knows."""
    names = variable_names(session.variables)
    node = getattr(value, "grad_fn", None) or (value if hasattr(value, "next_functions") else None)
    if node is None:
        made = Graph(value, names)
        made.remark = without_history(session, value, names)
        return made
    find_shapes(value)
    from .cuts import Cuts

    cuts = Cuts(session)
    views: dict[int, View] = {}
    order = nodes_behind(node)
    for each in order:
        place, reasons = getattr(each, "_place", None), []
        if isinstance(place, tuple):
            operator = getattr(getattr(type(each), "_operator", None), "name", "")
            if any(operand is None for operand, _ in each.next_functions):
                reasons = cuts.of_place(place[0], place[1], operator)
            place = (*place, session.line(*place))
        views[id(each)] = View(each, place, reasons, [])
    for each in order:
        own = views[id(each)]
        own._operands += [views[id(o)] for o, _ in each.next_functions if o is not None and id(o) in views]
        if id(each) in names:
            names[id(own)] = names[id(each)]
    return Graph(value, names, root=views[id(node)])


def without_history(session: Workspace, value: Any, names: dict[int, str]) -> str | None:
    """Where the history of a tensor that has none was cut, if the programs tell."""
    from .cuts import Cuts

    name = names.get(id(value))
    if name is None or not name.isidentifier() or getattr(value, "requires_grad", False):
        return None
    import ast

    cuts = Cuts(session)
    if not cuts.texts:
        return None
    last = cuts.texts[-1]
    return cuts.reason(last, ast.parse(name, mode="eval").body, sys.maxsize)


class Picture:
    """A graph as a script holds it: its text, `dot()` and `svg(path)`."""

    __slots__ = ("__graph", "__permissions")
    __module__ = "torch"

    def __init__(self, graph: Graph, permissions: Any) -> None:
        self.__graph, self.__permissions = graph, permissions

    def __repr__(self) -> str:
        return self.text()

    @classmethod
    def _forms(cls, value: Picture) -> dict[str, str]:
        """What a browser shows in its place, by MIME type."""
        from ..display import vector

        found = vector.layered(value.__graph)
        return {} if found is None else {"image/svg+xml": found}

    def text(self, width: int | None = None) -> str:
        """The drawing as lines of at most `width` columns, those of the terminal by default."""
        return drawn(self.__graph, width)

    def dot(self) -> str:
        """The graph in graphviz's language."""
        return self.__graph.dot()

    def svg(self, path: Any) -> None:
        """Writes a picture of the graph; needs graphviz, its Python package and its program."""
        self.__permissions.write_bytes(path, render(self.__graph.dot()))


def drawn(graph: Graph, width: int | None = None, theme: Theme = PLAIN) -> str:
    import shutil

    columns = shutil.get_terminal_size().columns if width is None else int(width)
    return graph.text(columns, draws_unicode(sys.stdout), theme)


def render(dot: str) -> bytes:
    """SVG of a text in graphviz's language."""
    try:
        import graphviz
    except ImportError:
        raise RuntimeError(
            "graph(...).svg needs graphviz's Python package: pip install 'tensorsh[graph]'; graph(...).dot() works without it"
        ) from None
    try:
        return graphviz.Source(dot).pipe(format="svg")
    except graphviz.ExecutableNotFound:
        raise RuntimeError(
            "graph(...).svg needs the program `dot` of graphviz, which is not on the PATH; it comes with the system's package "
            "graphviz (apt install graphviz, brew install graphviz)"
        ) from None


def make(session: Workspace) -> dict[str, Any]:
    def graph(value: Any) -> Any:
        """The backward graph of a tensor as a tree; also `.dot()` and `.svg(path)`.
        value: the tensor, or a node of its graph."""
        if not (hasattr(value, "grad_fn") or hasattr(value, "next_functions")):
            raise TypeError(f"graph(): expected a Tensor, not {type(value).__name__}")
        return Picture(picture(session, value), session.permissions)

    return {"graph": graph}
