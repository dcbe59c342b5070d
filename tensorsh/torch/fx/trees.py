"""Graphs whose arguments and results are trees: what writes the Python that takes them apart and puts them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..utils import _pytree as pytree
from .writing import CodeGen

__all__ = ["PH", "PHBase", "PHWithMeta"]


class PHBase:
    """Stands for a value that stays open among those that `concrete_args` tell."""

    __module__ = "torch.fx._symbolic_trace"

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """One that gives its attributes to the node."""

    __module__ = "torch.fx._symbolic_trace"

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


def transfer(source: Any, node: Any) -> None:
    """Gives a node the attributes that it lacks."""
    for name, value in vars(source).items():
        if not hasattr(node, name):
            setattr(node, name, value)


class _PyTreeInfo(NamedTuple):
    """The names of the arguments, their form, and that of the result."""

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Writes a function that takes trees."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        """The leaves of the arguments."""
        return pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out: Any) -> Any:
        """The result as a tree."""
        if self.pytree_info.out_spec is None:
            return out
        return pytree.tree_unflatten(out if isinstance(out, list | tuple) else [out], self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function, and the one that takes its arguments apart."""
        names = self.pytree_info.orig_args
        if names and names[0] == "self":
            free_vars.insert(0, "self")
        head = super().gen_fn_def(names[:], maybe_return_annotation)
        if not free_vars:
            return head
        noted = [each for each in free_vars if ":" in each]
        if noted:
            head += "\n    " + "".join(each + "; " for each in noted) + "\n"
        bare = ", ".join(each.split(":")[0].split("#")[0] for each in free_vars)
        return f"{head}\n    {bare}, = fx_pytree.tree_flatten_spec({self._told(names)}, self._in_spec)"

    def _told(self, names: list[str]) -> str:
        """The tree of the arguments, as text."""
        spec = self.pytree_info.in_spec
        if spec.type is not tuple or spec.num_children != 2 or [c.type for c in spec.children()] != [tuple, dict]:
            return f"[{', '.join(names)}]"
        count = spec.child(0).num_children
        given = ", ".join(f"'{k}':{v}" for k, v in zip(spec.child(1).context, names[count:], strict=False))
        return f"([{', '.join(names[:count])}], {{{given}}})"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Callable = repr) -> str:
        """The line that puts the result together. repr_fn: how values are written."""
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args, repr_fn=repr_fn)
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"


def flattened(root: Callable, args: list, names: list[str], graph: Any) -> tuple[Callable, list]:
    """A function of the leaves of its arguments, and those leaves; the graph is told, where any argument is a tree."""
    leaves, spec = pytree.tree_flatten(tuple(args))
    if all(child.is_leaf() for child in spec.children()):
        return root, args
    graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, spec, None))

    def of_leaves(*args: Any) -> Any:
        result = root(*pytree.tree_unflatten(list(args), spec))
        found, form = pytree.tree_flatten(result)
        graph._codegen.pytree_info = graph._codegen.pytree_info._replace(out_spec=form)
        return found

    of_leaves.__annotations__ = {}  # what the graph's function gives is not annotated
    return of_leaves, leaves
