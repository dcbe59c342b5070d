"""``torch.fx.passes``: what is worked out about a graph."""

__all__: list[str] = []
