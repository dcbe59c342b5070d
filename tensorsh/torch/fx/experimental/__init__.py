"""``torch.fx.experimental``: passes over graphs."""
