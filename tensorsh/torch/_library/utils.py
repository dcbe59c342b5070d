"""``torch._library.utils``: operators by their names, and questions to their schemas."""

from __future__ import annotations

from typing import Any

from .._ops import Operators


def parse_namespace(qualname: str) -> tuple[str, str]:
    """The namespace of an operator and its name within it."""
    space, colons, name = qualname.partition("::")
    if not colons or "::" in name:
        raise ValueError(
            f"Expected `qualname` to be of the form `namespace::name`, but got {qualname}. The qualname passed to the "
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return space, name


def lookup_op(qualname: str) -> Any:
    """The form of an operator that has a name, ``namespace::name.form``."""
    space, name = parse_namespace(qualname)
    name, _, form = name.partition(".")
    return getattr(getattr(Operators(space), name), form or "default")


def is_builtin(op: Any) -> bool:
    """Whether an operator is PyTorch's own."""
    return op.namespace in ("aten", "prim", "prims")


def is_functional_schema(schema: Any, *, allow_valid_view: bool = False) -> bool:
    """Whether an operator writes into nothing, gives something, and that is no view of an argument."""
    schema = getattr(schema, "_schema", schema)
    if isinstance(schema, str):
        from ..schemas import Declaration

        name, opening, rest = schema.partition("(")
        schema = Declaration(name, opening + rest).schema
    views = not allow_valid_view and any(each.alias_info is not None for each in schema.returns)
    return not schema.is_mutable and bool(schema.returns) and not views


def is_tensor_like_type(typ: Any) -> bool:
    """Whether the type of an argument is a tensor, or one that may be left out."""
    return str(typ) in ("Tensor", "Optional[Tensor]")


def is_tensorlist_like_type(typ: Any) -> bool:
    """Whether the type of an argument is a list of tensors."""
    return str(typ) in ("List[Tensor]", "List[Optional[Tensor]]", "Optional[List[Tensor]]")


def mutates_and_returns_first_arg(op: Any) -> bool:
    """Whether an operator writes into its first argument alone and gives that."""
    schema = op._schema
    if len(schema.returns) != 1 or schema.returns[0].alias_info is None or not schema.arguments:
        return False
    first, *rest = schema.arguments
    if first.alias_info is None or not first.alias_info.is_write or first.type != "Tensor":
        return False
    same = schema.returns[0].alias_info.before_set == first.alias_info.before_set
    return same and not any(each.alias_info is not None and each.alias_info.is_write for each in rest)


def fill_defaults(schema: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a call with those that it leaves out."""
    filled, named = list(args), {}
    for place, each in enumerate(schema.arguments):
        if each.kwarg_only:
            named[each.name] = kwargs.get(each.name, each.default_value)
        elif place >= len(args):
            filled.append(kwargs.get(each.name, each.default_value))
    return tuple(filled), named
