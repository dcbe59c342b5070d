"""``torch.fx.experimental.optimization``: convolutions that take in the batch normalization behind them, dropout taken out."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from ... import fx
from ...nn.modules import batchnorm, conv
from ...nn.modules.dropout import Dropout, Dropout2d, Dropout3d
from ...nn.modules.module import Module
from ...nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["fuse", "matches_module_pattern", "remove_dropout", "replace_node_module"]

PATTERNS = (
    (conv.Conv1d, batchnorm.BatchNorm1d),
    (conv.Conv2d, batchnorm.BatchNorm2d),
    (conv.Conv3d, batchnorm.BatchNorm3d),
)


def _parent_name(target: str) -> tuple[str, str]:
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern: Iterable[type], node: Any, modules: dict[str, Any]) -> bool:
    """Whether a node calls a module of the second class on what one of the first gives."""
    first, second = pattern
    before = node.args[0] if node.args else None
    return all(
        isinstance(each, fx.Node) and each.op == "call_module" and type(modules.get(str(each.target))) is kind
        for each, kind in ((before, first), (node, second))
    )


def replace_node_module(node: Any, modules: dict[str, Any], new_module: Module) -> None:
    """Put another module in the place of the one that a node calls."""
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> Any:
    """The model with each batch normalization behind a convolution taken into that, for evaluation."""
    if not inplace:
        model = copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, fx.GraphModule) else fx.symbolic_trace(model)
    modules = dict(traced.named_modules())
    for pattern in PATTERNS:
        for node in list(traced.graph.nodes):
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            norm = modules[node.target]
            if not norm.track_running_stats:
                continue
            replace_node_module(node.args[0], modules, fuse_conv_bn_eval(modules[node.args[0].target], norm))
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    return fx.GraphModule(traced, traced.graph)


def remove_dropout(model: Module) -> Module:
    """The model without its dropout."""
    traced = fx.symbolic_trace(model)
    modules = dict(traced.named_modules())
    for node in list(traced.graph.nodes):
        if node.op == "call_module" and isinstance(modules.get(node.target), (Dropout, Dropout2d, Dropout3d)):
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    return fx.GraphModule(traced, traced.graph)
