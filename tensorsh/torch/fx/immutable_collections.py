"""``torch.fx.immutable_collections``: the lists and dicts of a node's arguments, which nobody changes in place."""

from __future__ import annotations

from typing import Any, NoReturn

from ..utils._pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]

_HELP = """\
If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args
"""


def _refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}".rstrip("\n"))


class immutable_list(list):  # noqa: N801
    """A list that does not change."""

    __module__ = "torch.fx.immutable_collections"

    append = clear = extend = insert = pop = remove = reverse = sort = _refused
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refused  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return type(self), (tuple(self),)


class immutable_dict(dict):  # noqa: N801
    """A dict that does not change."""

    __module__ = "torch.fx.immutable_collections"

    clear = pop = popitem = setdefault = update = _refused  # type: ignore[assignment]
    __delitem__ = __ior__ = __setitem__ = _refused  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return type(self), (tuple(self.items()),)


register_pytree_node(immutable_list, lambda x: (list(x), None), lambda x, _: immutable_list(x))
register_pytree_node(
    immutable_dict, lambda x: (list(x.values()), list(x)), lambda x, keys: immutable_dict(zip(keys, x, strict=True))
)
