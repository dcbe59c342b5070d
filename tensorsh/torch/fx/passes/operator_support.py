"""``torch.fx.passes.operator_support``: which nodes of a graph a backend takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from ..node import Node
from .shape_prop import TensorMetadata
from .tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]


class OperatorSupportBase(ABC):
    """Says of a node whether a backend takes it."""

    @abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        """Whether a node is taken. submodules: the modules by their names. node: the node."""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Takes what a table names. support_dict: None for what is called, or the dtypes of its arguments, by place and by name."""

    _support_dict: Mapping[str, Any]

    def __init__(self, support_dict: Mapping[str, Any] | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        """Whether a node is taken. submodules: the modules by their names. node: the node."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        if self._support_dict[target] is None:
            return True
        places, names = self._support_dict[target]
        wanted = [*zip(node.args, places, strict=False), *((node.kwargs.get(k), v) for k, v in names.items())]
        return all(not isinstance(x, Node) or dtypes is None or _get_arg_dtype(x) in dtypes for x, dtypes in wanted)


def create_op_support(is_node_supported: Callable) -> OperatorSupportBase:
    """One that says what a function of modules and a node says."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Takes what all of them take."""
    return create_op_support(lambda modules, node: all(x.is_node_supported(modules, node) for x in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Takes what any of them takes."""
    return create_op_support(lambda modules, node: any(x.is_node_supported(modules, node) for x in op_support))


class OpSupports:
    """Reasons not to take a node."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: Any) -> OperatorSupportBase:
        """Takes no node with an input of a dtype."""
        return create_op_support(lambda _, node: all(_get_arg_dtype(x) != dtype for x in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set) -> OperatorSupportBase:
        """Takes no node of such a name."""
        return create_op_support(lambda _, node: node.name not in disallow_set)


def _get_arg_dtype(arg: Node) -> Any:
    known = arg.meta.get("tensor_meta")
    return known.dtype if isinstance(known, TensorMetadata) else arg.meta["type"]
