"""``torch.fx.passes.utils``: what passes over graphs use."""
