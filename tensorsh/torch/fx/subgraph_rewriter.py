"""``torch.fx.subgraph_rewriter``: parts of graphs replaced."""

from .matching import Match, ReplacedPatterns, replace_pattern, replace_pattern_with_filters

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]
