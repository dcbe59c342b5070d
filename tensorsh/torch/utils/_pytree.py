"""``torch.utils._pytree``: trees of lists, tuples, dictionaries and classes that a program registers."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engine.arrays.state import state
from ...engine.arrays.warning import warn
from ._tree_forms import (  # noqa: F401 - names of this module in PyTorch
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    TreeSpec,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _namedtuple_flatten,
    _namedtuple_unflatten,
    alike,
    is_structseq_class,
    is_structseq_instance,
    named,
    node_of,
    nodes,
    opened,
    register_pytree_node,
)  # fmt: skip

__all__ = [
    "MappingKey", "SequenceKey", "TreeSpec", "keystr", "register_pytree_node", "tree_all", "tree_any", "tree_flatten",
    "tree_flatten_with_path", "tree_iter", "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_structure",
    "tree_unflatten",
]  # fmt: skip


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


def tree_all_only(kind: Any, pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether something holds of all leaves of a type."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, kind))


def tree_any_only(kind: Any, pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether something holds of one leaf of a type."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, kind))


def paths(tree: Any, path: tuple, is_leaf: Callable | None) -> Iterator:
    node = None if is_leaf is not None and is_leaf(tree) else opened(tree)
    if node is None:
        yield path, tree
        return
    for key, child in zip(keys_of(tree, *node), node[2], strict=True):
        yield from paths(child, (*path, key), is_leaf)


def keys_of(tree: Any, kind: Any, context: Any, children: list) -> list:
    """The steps from a node to each of its children."""
    node = node_of(kind)
    if node is not None and node.with_keys is not None:
        return [key for key, _ in node.with_keys(tree)[0]]
    return [SequenceKey(i) for i in range(len(children))]


def tree_flatten_with_path(tree: Any, is_leaf: Callable | None = None) -> tuple[list, TreeSpec]:
    """The leaves, each with the way to it, and the form of the tree."""
    return list(paths(tree, (), is_leaf)), tree_structure(tree, is_leaf)


def keystr(kp: tuple) -> str:
    """The way to a leaf as Python would write it."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: tuple) -> Any:
    """What a way leads to in a tree."""
    for key in kp:
        obj = key.get(obj)
    return obj


def written_form(spec: TreeSpec) -> dict:
    """A form as JSON writes it."""
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    node = node_of(spec.type)
    if node is None or node.written is None:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with a "
            "`serialized_type_name` kwarg."
        )
    try:
        context = node.to_text(spec.context)
    except TypeError as error:
        raise TypeError(UNTOLD) from error
    written = {"type": node.written, "context": context}
    return {**written, "children_spec": [written_form(each) for each in spec._children]}


def read_form(given: dict) -> TreeSpec:
    """The form that JSON has written."""
    if given["type"] is None:
        return LeafSpec()
    node = next(each for each in reversed(nodes().values()) if each.written == given["type"])
    return TreeSpec(node.type, node.from_text(given["context"]), [read_form(each) for each in given["children_spec"]])


def _known_protocol(protocol: Any) -> None:
    if protocol not in (None, PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A form as JSON."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    _known_protocol(protocol)
    return json.dumps([PROTOCOL, written_form(treespec)])


UNTOLD = (
    "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using "
    "_register_pytree_node."
)


def treespec_loads(serialized: str) -> TreeSpec:
    """The form that `treespec_dumps` has written."""
    protocol, form = json.loads(serialized)
    _known_protocol(protocol)
    return read_form(form)


# For plain Python alone: names that libraries use beside those of the documentation.

PyTree = Context = FlattenFunc = UnflattenFunc = Any
PROTOCOL = 1


def _register_pytree_node(cls: type, flatten_fn: Callable, unflatten_fn: Callable, **more: Any) -> None:
    warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use `torch.utils._pytree.register_pytree_node` "
        "instead.",
        FutureWarning,
    )
    known = state.__dict__.get("tree_nodes", {})
    if cls in known:
        warn(f"{cls} is already registered as pytree node. Overwriting the previous registration.")
        state.__dict__["tree_nodes"] = {kind: node for kind, node in known.items() if kind is not cls}
    register_pytree_node(cls, flatten_fn, unflatten_fn, **more)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Let forms with a class of named tuples be written, under a name."""
    state.__dict__["tree_names"] = {**state.__dict__.get("tree_names", {}), cls: serialized_type_name}


def tree_leaves_with_path(tree: Any, is_leaf: Callable | None = None) -> list:
    """The leaves, each with the way to it."""
    return list(paths(tree, (), is_leaf))


def tree_map_only_(kinds: Any, func: Callable, tree: Any, is_leaf: Callable | None = None) -> Any:
    """Call `func` for each leaf of a type; the tree itself."""
    tree_map_only(kinds, func, tree, is_leaf)
    return tree


def map_only(kinds: Any) -> Callable:
    """What makes of a function one that leaves all but values of a type as they are."""
    return lambda func: lambda x: func(x) if isinstance(x, kinds) else x


def treespec_leaf() -> TreeSpec:
    """The form of a leaf."""
    return LeafSpec()


def treespec_tuple(iterable: Any = ()) -> TreeSpec:
    """The form of a tuple of forms."""
    return TreeSpec(tuple, None, list(iterable))


def treespec_dict(mapping: Any = (), **more: TreeSpec) -> TreeSpec:
    """The form of a dictionary of forms."""
    given = dict(mapping, **more)
    return TreeSpec(dict, list(given), list(given.values()))


class LeafSpec(TreeSpec):
    """The form of a leaf."""

    def __init__(self) -> None:
        super().__init__(None, None, [])


class Supported(Mapping):
    """The classes that are nodes, the session's own among them."""

    def __getitem__(self, kind: Any) -> NodeDef:
        return nodes()[kind]

    def __iter__(self) -> Iterator:
        return iter(nodes())

    def __len__(self) -> int:
        return len(nodes())


SUPPORTED_NODES: Mapping = Supported()


def _get_node_type(tree: Any) -> Any:
    """The class that decides how a tree is taken apart."""
    node = node_of(type(tree))
    return node.type if node is not None else namedtuple if named(tree) else type(tree)


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether an object is a named tuple."""
    return named(obj)


def is_namedtuple_class(cls: Any) -> bool:
    """Whether a class is one of named tuples."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_namedtuple(obj: Any) -> bool:
    """Whether an object is a named tuple, or a class of named tuples."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether an object is a result with names, or a class of such results."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


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
