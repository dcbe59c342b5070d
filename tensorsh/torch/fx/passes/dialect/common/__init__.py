"""``torch.fx.passes.dialect.common``: passes over graphs of any functions."""

__all__: list[str] = []
