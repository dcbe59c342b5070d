"""``torch.fx.passes.infra``: what passes over graphs have in common."""

__all__: list[str] = []
