"""GraphModule: a module whose `forward` is what a graph says."""

from __future__ import annotations

import copy
import itertools
import linecache
import sys
import traceback
from typing import Any

from ...engine.tensors.tensor import Tensor
from ..nn.modules.module import Module
from ..utils import _pytree as pytree
from ._pytree import tree_flatten_spec
from .graph import Graph, is_held
from .traceback import is_own
from .trees import _PyTreeCodeGen
from .wrapped import wrap

__all__ = ["GraphModule", "reduce_graph_module"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_numbers = itertools.count()


def _copy_attr(from_module: Any, to_module: Any, target: str) -> None:
    """The parameter, buffer or module of a dotted name, put under the same name below another module."""
    *path, field = target.split(".")
    for item in path:
        from_module, below = getattr(from_module, item), getattr(to_module, item, None)
        if below is from_module:
            return
        if below is None:
            below = Module()
            setattr(to_module, item, below)
        to_module = below
    value = getattr(from_module, field)
    if isinstance(value, Tensor) and field not in from_module._parameters:
        to_module.register_buffer(field, value)
    else:
        setattr(to_module, field, value)


def _assign_attr(value: Any, to_module: Any, target: str) -> None:
    *path, field = target.split(".")
    for item in path:
        if not hasattr(to_module, item):
            setattr(to_module, item, Module())
        to_module = getattr(to_module, item)
    setattr(to_module, field, value)


def reduce_graph_module(body: dict, graph: Graph, name: str) -> Any:
    """A module of its attributes and its graph: what `pickle` calls."""
    made = GraphModule(_CodeOnlyModule(body), graph, name)
    made.__dict__.update(body)
    return made


def compiled(source: str, names: dict[str, Any], traced: dict[str, Any]) -> Any:
    """The function that a text defines; tracebacks and `inspect` find the text. traced: where the function stands that it is of."""
    name = f"<eval_with_key>.{next(_numbers)}"
    if traced:
        name += f" from {traced['co_filename']}:{traced['co_firstlineno']} in {traced['co_name']}"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope = {"wrap": wrap, "inf": float("inf"), "nan": float("nan"), "NoneType": type(None), "fx_pytree": sys.modules[tree_flatten_spec.__module__],
             "pytree": pytree, **names}  # fmt: skip
    exec(compile(source, name, "exec"), scope)  # noqa: S102 - plain Python alone comes here
    return scope["forward"]


def outermost(error: BaseException) -> Any:
    """The last line of a traceback that is not tensorsh's own."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((each for each in reversed(frames) if not is_own(each)), frames[-1])


def of_line(frame: Any) -> str:
    """What is told of an error in a line of the text that was written of a graph."""
    lines = linecache.getlines(frame.filename)
    said = f"Call using an FX-traced Module, line {frame.lineno} of the traced Module's generated forward function:"
    before, after = "".join(lines[frame.lineno - 2 : frame.lineno]), "\n".join(lines[frame.lineno : frame.lineno + 2])
    return "\n".join([traceback.format_exc(), said, before, "~" * len(frame.line) + "~~~ <--- HERE", after])


class GraphModule(Module):
    """A module made of a graph. root: the module whose parts the graph names, or a dict of them. `graph` may be set;
    `recompile()` writes `forward` anew after changes of it; `code` is its text."""

    __module__ = "torch.fx.graph_module"

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        for each in cls.__mro__:
            if not each.__dict__.get("_own", False):
                break
        # A class of its own, for `forward` stands on it.
        made = type("GraphModuleImpl", (next(c for c in cls.__mro__ if "_impl" not in c.__dict__),), {"_impl": True})
        return super().__new__(made)

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        nodes = [n for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in nodes:
                _copy_attr(root, self, node.target)
        else:
            for name in sorted((n.target for n in nodes), key=lambda t: t.count(".")):
                if name not in root:
                    raise RuntimeError(
                        f"Node {next(n for n in nodes if n.target == name)} referenced target {name} but that target was not "
                        "provided in `root`!"
                    )
                _assign_attr(root[name], self, name)
        self.graph = graph
        self._tracer_cls = graph._tracer_cls
        self.meta: dict[str, Any] = {}

    @property
    def graph(self) -> Graph:
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        assert isinstance(g, Graph), f"Expected a Graph instance, but got {type(g)}"
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    code = property(lambda self: self._code, doc="The text of `forward`.")

    def recompile(self) -> Any:
        """Write `forward` of the graph as it is now."""
        written = self._graph.python_code("self")
        self.__dict__["_code"] = written.src
        self.__dict__.update(_lineno_map=written._lineno_map, _prologue_start=written._prologue_start)
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            info = self._graph._codegen.pytree_info
            self.__dict__.update(_in_spec=info.in_spec, _out_spec=info.out_spec)
        made = compiled(written.src, written.globals, self._graph._co_fields)
        type(self).forward = made  # type: ignore[method-assign]
        return written

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            frame = outermost(error)
            if "eval_with_key" in frame.filename and not isinstance(error, AssertionError):
                print(of_line(frame), file=sys.stderr)
                raise error.with_traceback(None)  # noqa: B904
            raise

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module under a dotted name."""
        _assign_attr(m, self, target)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take away the module of a dotted name; whether there was one."""
        path, _, name = target.rpartition(".")
        try:
            delattr(self.get_submodule(path), name)
        except AttributeError:
            return False
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take away all modules that the graph does not name."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("get_attr", "call_module"):
                parts = node.target.split(".")
                used |= {".".join(parts[:i]) for i in range(1, len(parts) + 1)}
                if node.op == "call_module" and is_held(self, node.target):
                    used |= {f"{node.target}.{n}" for n, _ in self.get_submodule(node.target).named_modules() if n}
        for name in [n for n, _ in self.named_modules() if n and n not in used]:
            self.delete_submodule(name)

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """The text of the class."""
        head, _, body = self._code.strip().partition("\n")
        if any(node.op not in ("placeholder", "output") for node in self.graph.nodes):
            head += "\n    # No stacktrace found for following nodes"
        body = f"{head}\n{body}".replace("\n", "\n    ")
        told = f"class {type(self).__name__}(torch.nn.Module):\n    {body}\n"
        if print_output:
            print(told)
        return told

    def __deepcopy__(self, memo: dict) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        Module.__init__(made)
        type(made).__name__ = type(self).__name__
        kept = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        made.__setstate__(copy.deepcopy(kept, memo))
        made.graph = copy.deepcopy(self._graph)
        return made

    def _replicate_for_data_parallel(self) -> GraphModule:
        made = self.__copy__()
        made.__dict__["_is_replica"] = True
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, copy.deepcopy(self.graph))
        made.meta = self.meta
        return made

    def __reduce__(self) -> tuple:
        body = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        return reduce_graph_module, (body, self._graph, type(self).__name__)

    def __str__(self) -> str:
        return "\n".join(
            [super().__str__(), self._code, "# To see more debug info, please use `graph_module.print_readable()`"]
        )


class _CodeOnlyModule(Module):
    """A module of attributes alone."""

    def __init__(self, body: dict) -> None:
        super().__init__()
        self.__dict__.update(body)
