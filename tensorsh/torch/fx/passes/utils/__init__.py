"""``torch.fx.passes.utils``: what passes over graphs use."""

__all__: list[str] = []
