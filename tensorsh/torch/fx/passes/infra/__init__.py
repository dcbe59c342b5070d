"""``torch.fx.passes.infra``: what passes over graphs have in common."""
