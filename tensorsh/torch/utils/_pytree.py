"""``torch.utils._pytree``: trees of lists, tuples, dictionaries and classes that a program registers."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engine.arrays.state import state
from ...sandbox.sealed import Sealed

__all__ = [
    "MappingKey", "SequenceKey", "TreeSpec", "keystr", "register_pytree_node", "tree_all", "tree_any", "tree_flatten",
    "tree_flatten_with_path", "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_structure",
    "tree_unflatten",
]  # fmt: skip


class MappingKey(namedtuple("MappingKey", "key"), metaclass=Sealed):
    """A step into a dictionary."""

    __module__ = "torch.utils._pytree"
    __slots__ = ()


class SequenceKey(namedtuple("SequenceKey", "idx"), metaclass=Sealed):
    """A step into a list or a tuple."""

    __module__ = "torch.utils._pytree"
    __slots__ = ()


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

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        shown = f"TreeSpec({self.type.__name__}, {self.context}, ["
        if self._children:
            deeper = indent + 2
            first, *rest = (each.__repr__(deeper) for each in self._children)
            shown += (",\n" + " " * deeper).join([first, *rest])
        return shown + "])"


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


def register_pytree_node(cls: type, flatten_fn: Callable, unflatten_fn: Callable, **_: Any) -> None:
    """Let objects of a class be nodes: `flatten_fn(x)` gives what is in it and its context, `unflatten_fn` the way back."""
    known = state.__dict__.get("tree_nodes", {})
    if cls in known:
        raise ValueError(f"{cls} is already registered as pytree node.")
    # A new dict: the snapshots of other sessions share the old one.
    state.__dict__["tree_nodes"] = {**known, cls: (flatten_fn, unflatten_fn)}


def flattened(tree: Any, leaves: list, is_leaf: Callable | None) -> TreeSpec:
    node = None if is_leaf is not None and is_leaf(tree) else opened(tree)
    if node is None:
        leaves.append(tree)
        return TreeSpec(None, None, [])
    kind, context, children = node
    return TreeSpec(kind, context, [flattened(each, leaves, is_leaf) for each in children])


def tree_flatten(tree: Any, is_leaf: Callable | None = None) -> tuple[list, TreeSpec]:
    """The leaves of a tree, in order, and its form."""
    leaves: list = []
    spec = flattened(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of a form with these leaves."""
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: Callable | None = None) -> Iterator:
    """The leaves, one after the other."""
    return iter(tree_leaves(tree, is_leaf))


def tree_leaves(tree: Any, is_leaf: Callable | None = None) -> list:
    """The leaves of a tree."""
    return tree_flatten(tree, is_leaf)[0]


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list:
    """The leaves of a call's arguments."""
    return tree_leaves((args, list(kwargs.values())))


def tree_structure(tree: Any, is_leaf: Callable | None = None) -> TreeSpec:
    """The form of a tree."""
    return tree_flatten(tree, is_leaf)[1]


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


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """The tree with `func` of each leaf, and of those at the same places of the other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others: list[list] = []
    for each in rests:
        others.append([])
        alike(spec, each, others[-1])
    return spec.unflatten(map(func, leaves, *others))


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Call `func` for each leaf; the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(type_or_types: Any, func: Any, tree: Any = None, is_leaf: Callable | None = None) -> Any:
    """The tree with `func` of each leaf of a type; the others stay."""
    chosen = type_or_types if isinstance(type_or_types, (type, tuple)) or not callable(type_or_types) else None
    if isinstance(chosen, tuple):
        chosen = tuple(flat(chosen, {}))
    fits = type_or_types if chosen is None else lambda x: isinstance(x, chosen)
    return tree_map(lambda x: func(x) if fits(x) else x, tree, is_leaf=is_leaf)


def flat(kinds: tuple, seen: dict[int, tuple]) -> Iterator:
    """The classes in a tuple of classes and tuples; those of each tuple once, however often it is in others."""
    for kind in kinds:
        if not isinstance(kind, tuple):
            yield kind
        elif id(kind) not in seen:
            seen[id(kind)] = kind
            yield from flat(kind, seen)


def tree_all(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether something holds of all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether something holds of one leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def paths(tree: Any, path: tuple, is_leaf: Callable | None) -> Iterator:
    node = None if is_leaf is not None and is_leaf(tree) else opened(tree)
    if node is None:
        yield path, tree
        return
    kind, context, children = node
    for i, child in enumerate(children):
        key = MappingKey(context[i]) if kind in (dict, OrderedDict) else SequenceKey(i)
        yield from paths(child, (*path, key), is_leaf)


def tree_flatten_with_path(tree: Any, is_leaf: Callable | None = None) -> tuple[list, TreeSpec]:
    """The leaves, each with the way to it, and the form of the tree."""
    return list(paths(tree, (), is_leaf)), tree_structure(tree, is_leaf)


def keystr(kp: tuple) -> str:
    """The way to a leaf as Python would write it."""
    return "".join(f"[{key[0]!r}]" for key in kp)


# For plain Python alone: names that libraries use beside those of the documentation.

PyTree = Context = FlattenFunc = UnflattenFunc = Any
_register_pytree_node = register_pytree_node
BUILTIN = (list, tuple, dict, OrderedDict, defaultdict, deque, namedtuple)


class LeafSpec(TreeSpec):
    """The form of a leaf."""

    def __init__(self) -> None:
        super().__init__(None, None, [])


class NodeDef(namedtuple("NodeDef", "type flatten_fn unflatten_fn")):
    """How objects of a class are taken apart and put together."""

    __slots__ = ()


def _define(kind: Any) -> NodeDef:
    def take_apart(tree: Any) -> tuple[list, Any]:
        _, context, children = opened(tree)  # type: ignore[misc]
        return children, context

    def put_together(children: Any, context: Any) -> Any:
        leaf = TreeSpec(None, None, [])
        return built(TreeSpec(kind, context, [leaf] * len(children)), iter(children))

    return NodeDef(kind, take_apart, put_together)


class Supported(Mapping):
    """The classes that are nodes, the session's own among them."""

    def __getitem__(self, kind: Any) -> NodeDef:
        if kind not in self._kinds():
            raise KeyError(kind)
        return _define(kind)

    def __iter__(self) -> Iterator:
        return iter(self._kinds())

    def __len__(self) -> int:
        return len(self._kinds())

    def _kinds(self) -> list:
        return [*BUILTIN, *state.__dict__.get("tree_nodes", {})]


SUPPORTED_NODES: Mapping = Supported()


def _get_node_type(tree: Any) -> Any:
    """The class that decides how a tree is taken apart."""
    return namedtuple if named(tree) and type(tree) not in SUPPORTED_NODES else type(tree)


def _dict_flatten(d: dict) -> tuple[list, list]:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict) -> tuple[list, list]:
    return [(MappingKey(k), v) for k, v in d.items()], list(d)


def _dict_unflatten(values: Any, context: Any) -> dict:
    return dict(zip(context, values, strict=True))


def _list_flatten(d: list) -> tuple[list, None]:
    return list(d), None


_tuple_flatten = _list_flatten


def _list_flatten_with_keys(d: list) -> tuple[list, None]:
    return [(SequenceKey(i), v) for i, v in enumerate(d)], None


_tuple_flatten_with_keys = _list_flatten_with_keys


def _list_unflatten(values: Any, context: Any) -> list:
    return list(values)


def _tuple_unflatten(values: Any, context: Any) -> tuple:
    return tuple(values)


def _namedtuple_flatten(d: tuple) -> tuple[list, type]:
    """The members of a named tuple, and its class."""
    return list(d), type(d)


def _namedtuple_unflatten(values: Any, context: type) -> Any:
    """The named tuple of a class with these members."""
    return context(*values)


def is_structseq_instance(obj: Any) -> bool:
    """Whether an object is a named tuple of Python's or PyTorch's own, as ``torch.return_types.max``."""
    return isinstance(obj, tuple) and hasattr(type(obj), "n_sequence_fields")


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return named(obj)


def tree_is_leaf(tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether a value is a leaf."""
    return _is_leaf(tree, is_leaf)


def tree_map_with_path(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """The tree of what a function makes of each leaf and its path."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    return tree_unflatten([func(path, leaf, *more) for (path, leaf), *more in zip(found, *others, strict=True)], spec)


PyTree = Any


def _is_leaf(tree: Any, is_leaf: Callable | None = None) -> bool:
    return opened(tree) is None or is_leaf is not None and is_leaf(tree)


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: Callable | None = None) -> list | None:
    """The leaves of a tree, each repeated where a form goes deeper; None where the tree has another form."""
    node = None if is_leaf is not None and is_leaf(tree) else opened(tree)
    if node is None:
        return [tree] * treespec.num_leaves
    kind, context, children = node
    if (kind, context, len(children)) != (treespec.type, treespec.context, treespec.num_children):
        return None
    parts = [_broadcast_to_and_flatten(a, b, is_leaf) for a, b in zip(children, treespec._children, strict=True)]
    if any(each is None for each in parts):
        return None
    return [leaf for each in parts for leaf in each]  # type: ignore[union-attr]


class _Star:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The text of a form, with a star for each leaf."""
    return repr(tree_unflatten([_Star()] * treespec.num_leaves, treespec))
