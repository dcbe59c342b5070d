"""Graph: nodes in the order in which they are computed, and the Python that is written of them."""

from __future__ import annotations

import builtins
import contextlib
import copy
import keyword
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ...engine.arrays.warning import warn
from .node import Node, map_aggregate, map_arg, snake
from .trees import _PyTreeCodeGen, _PyTreeInfo
from .writing import CodeGen, PythonCode

__all__ = ["CodeGen", "Graph", "PythonCode", "_PyTreeCodeGen", "_PyTreeInfo"]

CUSTOM = ("inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree")
"""Names that the written Python has for itself."""


class _Namespace:
    """The names that are taken."""

    def __init__(self) -> None:
        self._given: dict[Any, str] = {}
        self._used_names: set[str] = set()
        self._count: dict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like the candidate that is free, and taken from now on."""
        if obj is not None and obj in self._given:
            return self._given[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        candidate = "_" * candidate[0].isdigit() + candidate
        found = re.match(r"(.*)_(\d+)$", candidate)
        base, number = (candidate, 0) if found is None else (found[1], int(found[2]))
        number = number or self._count[base]
        while candidate in self._used_names or self._is_illegal(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._count[base] = number
        if obj is not None:
            self._given[obj] = candidate
        return candidate

    def _is_illegal(self, name: str, obj: Any) -> bool:
        if keyword.iskeyword(name) or name in CUSTOM:
            return True
        return hasattr(builtins, name) and getattr(builtins, name) is not obj

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        self._given.setdefault(obj, name)


class _node_list:  # noqa: N801
    """The nodes of a graph, forwards or backwards; nodes may come and go meanwhile."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root, step = self.graph._root, self.direction
        here = getattr(root, step)
        while here is not root:
            if not here._erased:
                yield here
            here = getattr(here, step)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class _InsertPoint:
    """Where new nodes go, from when it is made until its `with` ends."""

    def __init__(self, graph: Graph, insert: Callable) -> None:
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None:
        self.graph._insert = self.before


class Graph:
    """Nodes, made by `placeholder`, `call_function` and the like at the place of insertion: the end, or where `inserting_before`
    and `inserting_after` say.
    >>> graph = torch.fx.Graph(); x = graph.placeholder("x"); graph.output(graph.call_function(torch.relu, (x,)))
    output"""

    __module__ = "torch.fx.graph"

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable = self._root.prepend
        self._len = 0
        self._graph_namespace = _Namespace()
        self.owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}
        """Where the function stands that was traced."""

    nodes = property(lambda self: _node_list(self))
    output_node = property(lambda self: lambda: next(n for n in reversed(self.nodes) if n.op == "output"))

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, and of a target."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def _target_to_str(self, target: Any) -> str:
        name = target if isinstance(target, str) else target.__name__
        if name[:2] == "__" == name[-2:] and len(name) > 4:
            name = name[2:-2]
        return snake(name)

    def create_node(
        self, op: str, target: Any, args: Any = None, kwargs: Any = None, name: str | None = None, type_expr: Any = None
    ) -> Node:
        """A new node at the place of insertion."""
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        assert isinstance(args, tuple), "args must be a tuple"
        assert isinstance(kwargs, dict), "kwargs must be a dict"
        name = self._graph_namespace.create_name(name or self._target_to_str(target), None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """An input."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A parameter, or another attribute, of the module."""
        if self.owning_module is not None and not is_held(self.owning_module, qualified_name):
            if not reached(self.owning_module, qualified_name):
                warn(f"Failed to fetch module {qualified_name.rpartition('.')[0]}!")
            warn(f"Attempted to insert a get_attr Node with no {UNDERLYING}{ADDED}")
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """A call of a module below the module."""
        if self.owning_module is not None and self.owning_module.get_submodule(module_name) is None:
            warn(f"Attempted to insert a call_module Node with no {UNDERLYING}")
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable, args: Any = None, kwargs: Any = None, type_expr: Any = None,
        name: str | None = None,
    ) -> Node:  # fmt: skip
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """What the graph gives."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable = lambda x: x) -> Node:
        """A copy of a node of another graph; `arg_transform` says which node of this one stands for one of that."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict, return_output_node: bool = False) -> Any:
        """Copies of all nodes of another graph; `val_map` tells which is which. Gives what stands for its output."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __reduce__(self) -> tuple:
        """What `pickle` keeps: a row for each node, where numbers stand for the nodes that it uses."""
        place = {node: Place(number) for number, node in enumerate(self.nodes)}
        rows = [
            (n.op, n.target, *(map_arg(each, place.__getitem__) for each in (n.args, n.kwargs)), n.name, n.type)
            for n in self.nodes
        ]
        local = "<locals>" in getattr(self._tracer_cls, "__qualname__", "")
        return regained, (rows, self._codegen, None if local else self._tracer_cls)

    def __deepcopy__(self, memo: dict | None = None) -> Graph:
        made = Graph(tracer_cls=self._tracer_cls)
        made._codegen = copy.deepcopy(self._codegen)
        val_map: dict = {}
        found = made.graph_copy(self, val_map, return_output_node=True)
        if found is not None:
            node = made.output(found[0], found[1].type)
            node.meta = dict(found[1].meta)
        return made

    def erase_node(self, to_erase: Node) -> None:
        """Take out a node that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._out()
        to_erase._erased = True
        self._len -= 1
        to_erase._set((), {})

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Let new nodes come before one, or before all, until the end of the `with`."""
        return self.inserting_after(self._root) if n is None else _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Let each new node come just behind one, so the last comes first; or behind all."""
        return self.inserting_before(self._root) if n is None else _InsertPoint(self, n.append)

    def lint(self) -> None:
        """RuntimeError where a node uses what comes later, or names are double."""
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for each in node.all_input_nodes:
                check_order(each, node, seen, self)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen.add(node)
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    check_target(node, self.owning_module)

    def eliminate_dead_code(self, is_impure_node: Callable | None = None) -> bool:
        """Take out all that nobody uses; whether there was any."""
        self.lint()
        impure = is_impure_node or Node.is_impure
        before = self._len
        for node in reversed(self.nodes):
            if not node.users and node.op != "output" and not impure(node):
                self.erase_node(node)
        return self._len < before

    def on_generate_code(self, make_transformer: Callable) -> Any:
        """Let a function change the lines of the Python that is written. make_transformer: of the function that does it now, or
        None, it gives another, from a list of lines to a list of lines. With `with`, until its end."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def until() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return until()

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders in what the function is called with."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """What the function gives, of the values of the output."""
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Write the Python in another way."""
        self._codegen = codegen

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """The Python of the graph; `root_module` is the name of the module in it."""
        return self._codegen.written(self.nodes, root_module)

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip install tabulate` "
                "to install the library."
            )
            raise
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "graph():" + "".join(f"\n    {line}" for line in lines if line is not None)


UNDERLYING = (
    "underlying reference in the owning GraphModule! Call GraphModule.add_submodule to add the necessary submodule"
)
ADDED = ", GraphModule.add_parameter to add the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer"


def reached(module: Any, name: str) -> Any:
    """The module in which the last part of a dotted name stands; None where there is none."""
    try:
        return module.get_submodule(name.rpartition(".")[0])
    except AttributeError:
        return None


def is_held(module: Any, name: str) -> bool:
    """Whether a dotted name leads to a module, a parameter or a buffer."""
    home, last = reached(module, name), name.rpartition(".")[2]
    return home is not None and any(last in each for each in (home._modules, home._parameters, home._buffers))


def check_order(used: Node, node: Node, seen: set[Node], graph: Graph) -> None:
    """RuntimeError where a node uses one of another graph, or one that comes later."""
    if used.graph is not graph:
        raise RuntimeError(
            f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you are copying "
            f"nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap values\n{graph}"
        )
    if used not in seen:
        raise RuntimeError(
            f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that Nodes in the graph are "
            f"topologically ordered\n{graph}"
        )


def check_target(node: Node, module: Any) -> None:
    """RuntimeError where a node names what its module has not, or calls what is no module."""
    parts = str(node.target).split(".")
    for i, part in enumerate(parts):
        module = getattr(module, part, None)
        above = ".".join(parts[:i])
        if module is None:
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {above}")
        if node.op == "call_module" and not hasattr(module, "_modules"):
            raise RuntimeError(f"Node {node} target {node.target} {part} of {above} does not reference an nn.Module")


class Place:
    """Stands for a node in what is kept of a graph."""

    def __init__(self, number: int) -> None:
        self.number = number


def regained(rows: list[tuple], codegen: CodeGen, tracer_cls: Any) -> Graph:
    """The graph of which `pickle` has kept this."""
    made = Graph(tracer_cls=tracer_cls)
    made._codegen = codegen
    nodes: list[Node] = []
    for op, target, args, kwargs, name, kind in rows:
        args, kwargs = (
            map_aggregate(tree, lambda each: nodes[each.number] if isinstance(each, Place) else each)
            for tree in (args, kwargs)
        )
        nodes.append(made.create_node(op, target, args, kwargs, name, kind))
    return made
