"""``torch.fx.subgraph_rewriter``: parts of graphs replaced."""

from .matching import Match, replace_pattern

__all__ = ["Match", "replace_pattern"]
