"""The forms of trees for `_pytree`: how their nodes are taken apart and put together, and the steps to what is in them."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...engine.arrays.state import state
from ...sandbox import process
from ...sandbox.files import acting
from ...sandbox.gate import get_attribute
from ...sandbox.sealed import Sealed

__all__: list[str] = []


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is a named tuple of Python's or PyTorch's own, as ``torch.return_types.max``."""
    return isinstance(obj, tuple) and hasattr(type(obj), "n_sequence_fields")


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


class Registered(NamedTuple):
    """What a program says of a class of nodes."""

    flatten: Callable
    unflatten: Callable
    with_keys: Callable | None = None
    written: str | None = None
    to_text: Callable | None = None
    from_text: Callable | None = None


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
    own = state.__dict__.get("tree_nodes", {}).get(kind)
    if own is not None:
        children, context = own[0](tree)
        return kind, context, list(children)
    if kind is list or kind is tuple:
        return kind, None, list(tree)
    if kind is dict or kind is OrderedDict:
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    if named(tree):
        return namedtuple, kind, list(tree)
    return (kind, None, list(tree)) if is_structseq_instance(tree) else None


def built(spec: TreeSpec, leaves: Iterator) -> Any:
    if spec.type is None:
        return next(leaves)
    children = [built(each, leaves) for each in spec._children]
    kind, context = spec.type, spec.context
    own = state.__dict__.get("tree_nodes", {}).get(kind)
    if own is not None:
        return own[1](children, context)
    if kind is namedtuple:
        return context(*children)
    if kind is deque:
        return deque(children, maxlen=context)
    if kind is defaultdict:
        return defaultdict(context[0], zip(context[1], children, strict=True))
    return kind(children) if context is None else kind(zip(context, children, strict=True))


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
    made = Registered(
        flatten_fn, unflatten_fn, flatten_with_keys_fn, serialized_type_name, to_dumpable_context, from_dumpable_context
    )
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
