"""The forms of trees for `_pytree`: how their nodes are taken apart and put together, and the steps to what is in them."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...engine.arrays.state import state
from ...sandbox import process
from ...sandbox.files import acting
from ...sandbox.gate import get_attribute
from ...sandbox.sealed import Sealed
from ..nn.modules.registry import Registry

__all__: list[str] = []


def is_structseq_class(cls: Any) -> bool:
    """Whether a class is one of results with names, such as ``torch.return_types.max`` and ``time.struct_time``."""
    members = ("n_fields", "n_sequence_fields", "n_unnamed_fields")
    return (
        isinstance(cls, type) and cls.__bases__ == (tuple,) and all(type(getattr(cls, n, 0.0)) is int for n in members)
    )


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is a result with names."""
    return is_structseq_class(type(obj))


class MappingKey(namedtuple("MappingKey", "key"), metaclass=Sealed):
    """A step into a dictionary."""

    __module__ = "torch.utils._pytree"
    __slots__ = ()

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """What stands there."""
        return mapping[self.key]


class SequenceKey(namedtuple("SequenceKey", "idx"), metaclass=Sealed):
    """A step into a list or a tuple."""

    __module__ = "torch.utils._pytree"
    __slots__ = ()

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """What stands there."""
        return sequence[self.idx]


class GetAttrKey(namedtuple("GetAttrKey", "name"), metaclass=Sealed):
    """A step to an attribute."""

    __module__ = "torch.utils._pytree"
    __slots__ = ()

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """What it leads to; in a script what the script may read there."""
        return getattr(obj, self.name) if process.plain and acting() is None else get_attribute(obj, self.name)


class NodeDef(NamedTuple):
    """How objects of a class of nodes are taken apart and put together. with_keys: as flatten_fn, with the key of each. written: what
    a text calls the class. to_text, from_text: the context as JSON writes it, and back."""

    type: Any
    flatten_fn: Callable
    unflatten_fn: Callable
    with_keys: Callable | None = None
    written: str | None = None
    to_text: Callable = json.dumps
    from_text: Callable = json.loads


def _dict_flatten(d: dict) -> tuple[list, list]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict) -> tuple[list, list]:
    return [(MappingKey(k), v) for k, v in d.items()], list(d)


def _dict_unflatten(values: Any, context: Any) -> dict:
    return dict(zip(context, values, strict=True))


def _list_flatten(d: list) -> tuple[list, None]:
    return list(d), None


def _list_flatten_with_keys(d: list) -> tuple[list, None]:
    return [(SequenceKey(i), v) for i, v in enumerate(d)], None


def _list_unflatten(values: Any, context: Any) -> list:
    return list(values)


def _namedtuple_flatten(d: Any) -> tuple[list, type]:
    return list(d), type(d)


def _namedtuple_flatten_with_keys(d: Any) -> tuple[list, type]:
    return [(GetAttrKey(name), v) for name, v in zip(d._fields, d, strict=True)], type(d)


def _namedtuple_unflatten(values: Any, context: Any) -> Any:
    return context(*values)


def of_named(context: type) -> str:
    """The name under which a class of named tuples is written."""
    found = state.__dict__.get("tree_names", {}).get(context)
    if found is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return found


def named_of(text: str) -> type:
    return next(cls for cls, name in state.__dict__.get("tree_names", {}).items() if name == text)


def of_default(context: list) -> dict:
    """A defaultdict's function and keys."""
    made, keys = context
    place = {"default_factory_module": made.__module__, "default_factory_name": made.__qualname__} if made else {}
    return {**place, "dict_context": keys}


def default_of(text: dict) -> list:
    module = sys.modules.get(text.get("default_factory_module", ""))
    return [getattr(module, text.get("default_factory_name", ""), None), text["dict_context"]]


BUILTIN: dict[Any, NodeDef] = {
    kind: NodeDef(kind, flatten, unflatten, with_keys, f"{kind.__module__}.{kind.__name__}", *texts)
    for kind, flatten, unflatten, with_keys, *texts in (
        (list, _list_flatten, _list_unflatten, _list_flatten_with_keys),
        (tuple, _list_flatten, lambda values, _: tuple(values), _list_flatten_with_keys),
        (dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
        (OrderedDict, _dict_flatten, lambda *given: OrderedDict(_dict_unflatten(*given)), _dict_flatten_with_keys),
        (
            defaultdict,
            lambda d: (list(d.values()), [d.default_factory, list(d)]),
            lambda values, context: defaultdict(context[0], _dict_unflatten(values, context[1])),
            _dict_flatten_with_keys,
            of_default,
            default_of,
        ),
        (deque, lambda d: (list(d), d.maxlen), deque, _list_flatten_with_keys),
        (namedtuple, _namedtuple_flatten, _namedtuple_unflatten, _namedtuple_flatten_with_keys, of_named, named_of),
    )
}


def nodes() -> dict[Any, NodeDef]:
    """The classes of nodes: Python's, and the session's own."""
    return BUILTIN | state.__dict__.get("tree_nodes", {})


def node_of(kind: Any) -> NodeDef | None:
    """How a class of nodes is taken apart; what a module holds under names is a dict."""
    return state.__dict__.get("tree_nodes", {}).get(kind) or BUILTIN.get(dict if kind is Registry else kind)


class TreeSpec(metaclass=Sealed):
    """The form of a tree: what its root is, and the forms of what is in it; a leaf has no type."""

    __module__ = "torch.utils._pytree"

    def __init__(self, type: Any, context: Any, children: list) -> None:
        self.type, self.context, self._children = type, context, children
        leaf = type is None
        self.num_nodes = 1 + sum(each.num_nodes for each in children)
        self.num_leaves = 1 if leaf else sum(each.num_leaves for each in children)
        self.num_children = len(children)

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """The forms of what is in it."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """One of them."""
        return self._children[index]

    def flatten_up_to(self, tree: Any) -> list:
        """The branches of a tree that stand where this form has leaves."""
        leaves: list = []
        alike(self, tree, leaves)
        return leaves

    def unflatten(self, leaves: Any) -> Any:
        """The tree of this form with these leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
                f"{self.num_leaves} items ({self})."
            )
        return built(self, iter(leaves))

    def __eq__(self, other: object) -> bool:
        mine = self.type, self.context, self._children
        return isinstance(other, TreeSpec) and mine == (other.type, other.context, other._children)

    def __hash__(self) -> int:
        return hash((self.type, frozen(self.context), tuple(self._children)))

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        shown = f"TreeSpec({self.type.__name__}, {self.context}, ["
        if self._children:
            deeper = indent + 2
            first, *rest = (each.__repr__(deeper) for each in self._children)
            shown += (",\n" + " " * deeper).join([first, *rest])
        return shown + "])"


def frozen(context: Any) -> Any:
    return tuple(map(frozen, context)) if isinstance(context, list) else context


def named(tree: Any) -> bool:
    return isinstance(tree, tuple) and hasattr(tree, "_fields")


def opened(tree: Any) -> tuple | None:
    """The type of a node, what else its form needs, and what is in it; None for a leaf."""
    kind = type(tree)
    node = node_of(kind)
    if node is None and named(tree):
        node = BUILTIN[namedtuple]
    if node is None:
        return (kind, None, list(tree)) if is_structseq_instance(tree) else None
    children, context = node.flatten_fn(tree)
    return node.type, context, list(children)


def built(spec: TreeSpec, leaves: Iterator) -> Any:
    if spec.type is None:
        return next(leaves)
    children = [built(each, leaves) for each in spec._children]
    node = node_of(spec.type)
    return spec.type(children) if node is None else node.unflatten_fn(children, spec.context)


def register_pytree_node(
    cls: type, flatten_fn: Callable, unflatten_fn: Callable, *, serialized_type_name: str | None = None,
    to_dumpable_context: Callable | None = None, from_dumpable_context: Callable | None = None,
    flatten_with_keys_fn: Callable | None = None,
) -> None:  # fmt: skip
    """Let objects of a class be nodes: `flatten_fn(x)` gives what is in it and its context, `unflatten_fn` the way back.
    serialized_type_name: what `treespec_dumps` calls it. to_dumpable_context, from_dumpable_context: its context as JSON writes
    it, and back. flatten_with_keys_fn: as flatten_fn, with the key of each."""
    known = state.__dict__.get("tree_nodes", {})
    if cls in known:
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    texts = () if to_dumpable_context is None else (to_dumpable_context, from_dumpable_context)
    made = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn, serialized_type_name, *texts)  # type: ignore[arg-type]
    # A new dict: the snapshots of other sessions share the old one.
    state.__dict__["tree_nodes"] = {**known, cls: made}


def alike(spec: TreeSpec, tree: Any, leaves: list) -> None:
    """The leaves of a tree that has the form of another; what hangs on a leaf of that form is one."""
    if spec.type is None:
        leaves.append(tree)
        return
    node = opened(tree)
    kind, context, children = node if node is not None else (type(tree), None, [])
    if kind is not spec.type:
        raise ValueError(f"Node type mismatch; expected {spec.type!r}, but got {kind!r}.")
    if len(children) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(children)}.")
    if kind in (dict, OrderedDict):
        if set(context) != set(spec.context):
            raise ValueError(f"Node keys mismatch; missing key(s): {set(spec.context) - set(context)}.")
        children = [tree[key] for key in spec.context]
    for form, child in zip(spec._children, children, strict=True):
        alike(form, child, leaves)
