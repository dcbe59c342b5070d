"""Interpreter: runs a graph node by node; Transformer: makes another graph of one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..nn.modules.module import Module
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_aggregate, map_arg
from .proxy import Proxy
from .traceback import preserve_node_meta, set_current_meta
from .tracer import Tracer

__all__ = ["Interpreter", "Transformer"]

TOLD = "\nUse tlparse to see full graph. (https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"


class Interpreter:
    """Runs a module's graph; a class of one's own says what else a node of a kind does (`call_function`, `run_node`, ...)."""

    __module__ = "torch.fx.interpreter"

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module: Any = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph  # type: ignore[assignment]
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.args_iter: Iterator = iter(())
        self._last: dict[Node, list[Node]] = {}
        seen: set[Node] = set()
        for node in reversed(self.graph.nodes):
            for each in node.all_input_nodes:
                if each not in seen:
                    seen.add(each)
                    self._last.setdefault(node, []).append(each)

    def run(self, *args: Any, initial_env: dict | None = None, enable_io_processing: bool = True) -> Any:
        """The result of the graph for these inputs. initial_env: values of nodes that are known. enable_io_processing: whether
        the graph's `process_inputs` and `process_outputs` are asked."""
        self.env = initial_env if initial_env is not None else {}
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                self._told_where(error, node)
                raise
            if self.garbage_collect_values:
                for each in self._last.get(node, ()):
                    self.env.pop(each, None)
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def _told_where(self, error: Exception, node: Node) -> None:
        """Adds to an error which node was being run."""
        if not self.extra_traceback:
            return
        said = f"While executing {node.format_node()}\nOriginal traceback:\n{node.stack_trace}{TOLD}"
        error.args = (f"{error.args[0]}\n\n{said}" if error.args else said, *error.args[1:])
        if isinstance(error, KeyError):
            raise RuntimeError(*error.args) from error

    def boxed_run(self, args_list: list) -> Any:
        """As `run`, of a list that is emptied."""
        inputs = [n for n in self.graph.nodes if n.op == "placeholder"]
        if len(args_list) != len(inputs):
            detail = "extra arguments" if len(args_list) > len(inputs) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(inputs)} arguments for placeholders but received {len(args_list)} ({detail})"
            )
        env = dict(zip(inputs, args_list, strict=True))
        args_list.clear()
        return self.run(initial_env=env)

    def run_node(self, n: Node) -> Any:
        """The result of a node."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    @contextmanager
    def _set_current_node(self, node: Node) -> Iterator[None]:
        with set_current_meta(node, f"Interpreter_{type(self).__name__}"):
            yield

    def placeholder(self, target: Any, args: tuple, kwargs: dict) -> Any:
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from None

    def get_attr(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """What a dotted name leads to."""
        found = self.module
        for i, part in enumerate(target.split(".")):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(target.split('.')[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple, dict]:
        """The arguments of a node, as values."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        def value(each: Node) -> Any:
            if each not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {each}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[each]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Runs a graph on proxies, and so makes another; a class of one's own says what stands for a node of a kind."""

    __module__ = "torch.fx.interpreter"

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class Following(Tracer):
            def __init__(self, graph: Graph) -> None:
                super().__init__()
                self.graph, self.root = graph, module

            def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
                return True

        self.tracer = Following(self.new_graph)

    def placeholder(self, target: Any, args: tuple, kwargs: dict) -> Any:
        default = next(iter(args)) if args else inspect.Signature.empty
        made = self.new_graph.placeholder(target, default_value=... if default is inspect.Signature.empty else default)
        return Proxy(made, self.tracer)

    def get_attr(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Any, args: tuple, kwargs: dict) -> Any:
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The module of the new graph."""
        with preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:
            made = self.new_graph.output(map_aggregate(result, lambda v: v.node if isinstance(v, Proxy) else v))
            made.meta.update(next(iter(reversed(self.graph.nodes))).meta)
        return GraphModule(self.module, self.new_graph)
