"""Functions as backends of ``torch.compile``: what is recorded of a call goes to one as a `torch.fx.GraphModule`, with the tensors
that it reads, and what the function gives back is run instead.

Where a call is no single graph (it branches on elements, prints, writes in place, draws numbers), nothing goes to the backend and the
function runs as it stands. So it does wherever there is a session, whose programs have no `torch.fx`: a graph's text is Python.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ...engine.arrays.state import state
from ...engine.tensors.tensor import Tensor
from ..nn.modules.module import Module
from .compiled import MOST, Programs, compiled, finished
from .errors import BackendCompilerFailed
from .guards import Guards
from .names import VIEWS
from .recording import Recording
from .slots import Slot
from .trial import opened


def by_options(function: Any, options: dict[str, Any], most: int | None = None) -> Any:
    """What `torch.compile` makes of a function or a module: by the backend that is asked for, or the default one."""
    backend, fullgraph = options.get("backend"), bool(options.get("fullgraph"))
    if backend is None:
        backend = state.__dict__.get("default_backend")
    by = ByBackend(function, backend, fullgraph, most) if callable(backend) and type(backend) is not str else None
    return compiled(function, fullgraph, most, by)


class ByBackend(Programs):
    """A function's programs as a backend makes them of its graphs."""

    raises = True

    def __init__(self, function: Any, backend: Callable, fullgraph: bool = False, most: int | None = None) -> None:
        super().__init__(function, fullgraph, most)
        self.backend = backend

    def other(self, args: tuple, kwargs: dict) -> Any:
        """The answer to a call that no program knows: the backend is asked for one. Raises BackendCompilerFailed with what the
        backend raised."""
        if self.fullgraph:
            self.look_through(args, kwargs)
        if len(self.known) < (self.most or MOST) and "tensorsh.session" not in sys.modules:
            found = self.graph(args, kwargs)
            if found is not None:
                program = self.made(*found)
                self.known.append(program)
                return program(args, kwargs)
        return self.function(*args, **kwargs)

    def graph(self, args: tuple, kwargs: dict) -> tuple[Guards, Recording, Any] | None:
        """The recording of a call, its guards and the tree of its result; None where it is no single graph, or an empty one."""
        guards, recording, trees = self.traced(args, kwargs)
        if guards is None or recording is None or not trees or recording.effects or not recording.nodes:
            return None
        if any([type(node.function) is partial for node in recording.nodes]):
            return None  # which writes over tensors of the function's own
        return guards, recording, trees[0]

    def made(self, guards: Guards, recording: Recording, tree: Any) -> Callable:
        """The program of the calls that pass the guards."""
        from ..fx.graph_module import GraphModule

        tensors = guards.tensors
        read = list(dict.fromkeys(n for node in recording.nodes for n in ordered((node.args, node.kwargs))))
        inputs = [n for n in read if n < len(tensors)]
        outputs = [n for n in dict.fromkeys(ordered(tree)) if n >= len(tensors)]
        graph = graph_of(recording, dict(zip(inputs, names(self.function, guards, inputs), strict=True)), outputs)
        module = GraphModule(Module(), graph)
        try:
            run = self.backend(module, [tensors[n] for n in inputs])
            if not callable(run):
                raise TypeError("Unexpected type in sourceless builder " + type(run).__name__)
        except Exception as error:
            raise BackendCompilerFailed(self.backend, error) from error

        def program(given: tuple, _: Any) -> Any:
            results = run(*[given[n] for n in inputs])
            return opened(tree, dict(enumerate(given)) | dict(zip(outputs, results, strict=True)))

        return finished(guards, recording, program)


def ordered(value: Any) -> list[int]:
    """The numbers of the slots in a tree of values, in its order."""
    if type(value) is Slot:
        return [value.number]
    if type(value) is slice:
        return ordered((value.start, value.stop, value.step))
    parts = value.values() if type(value) is dict else value if isinstance(value, (tuple, list)) else ()
    return [n for each in parts for n in ordered(each)]


def names(function: Any, guards: Guards, numbers: list[int]) -> list[str]:
    """What PyTorch calls the inputs of a graph: by the parameters of a function, and by the parts of a module."""
    known: dict[int, str] = {}
    if isinstance(function, Module):
        for kind, found in ("parameters", function.named_parameters()), ("buffers", function.named_buffers()):
            for name, tensor in found:
                *path, last = name.split(".")
                at = "".join(f"_modules_{each}" for each in path)
                known[id(tensor)] = f"L_fn{at}_{kind}_{last}_"
        parameters: tuple = ()
    else:
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [
        known.get(id(guards.tensors[n])) or (f"L_{parameters[n]}_" if n < len(parameters) else f"L_args_{n}_")
        for n in numbers
    ]


def graph_of(recording: Recording, inputs: dict[int, str], outputs: list[int]) -> Any:
    """The operators of a recording as a graph of `torch.fx`: its inputs by name, and the numbers of its outputs."""
    from ..fx.graph import Graph

    graph = Graph()
    nodes: dict[int, Any] = {}
    for number, name in inputs.items():
        nodes[number] = graph.create_node("placeholder", name, (), {}, name.lower())
    for each in recording.nodes:
        args, kwargs = filled(each.args, nodes), filled(each.kwargs, nodes)
        if each.name in VIEWS:
            made = graph.call_function(getattr, (*args, each.name))
        elif each.name.startswith("__"):
            made = graph.call_function(*symbol(each.name, args))
        elif each.function is getattr(Tensor, each.name, None):
            made = graph.call_method(each.name, args, kwargs)
        else:
            made = graph.call_function(each.function, args, kwargs)
        bound(graph, made, each.result, nodes)
    graph.output(tuple([nodes[n] for n in outputs]))
    return graph


def symbol(name: str, args: tuple) -> tuple[Callable, tuple]:
    """The function of Python's operator behind a special method, and its operands in their order."""
    name = name.strip("_")
    if name[0] == "r" and not hasattr(operator, name):
        return symbol(name[1:], args[::-1])
    return getattr(operator, name), args


def filled(value: Any, nodes: dict[int, Any]) -> Any:
    """A tree of values with nodes in place of slots."""
    if type(value) is Slot:
        return nodes[value.number]
    if type(value) is slice:
        return slice(filled(value.start, nodes), filled(value.stop, nodes), filled(value.step, nodes))
    if isinstance(value, (tuple, list)):
        made = [filled(each, nodes) for each in value]
        return made if isinstance(value, list) else tuple(made)
    return {key: filled(each, nodes) for key, each in value.items()} if type(value) is dict else value


def bound(graph: Any, made: Any, result: Any, nodes: dict[int, Any]) -> None:
    """Put a node at the number of its result, or its parts at those of several."""
    if type(result) is Slot:
        nodes[result.number] = made
    else:
        for at, each in enumerate(result):
            bound(graph, graph.call_function(operator.getitem, (made, at)), each, nodes)
