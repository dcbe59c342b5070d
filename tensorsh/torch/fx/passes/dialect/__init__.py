"""``torch.fx.passes.dialect``: passes over graphs of one kind of functions."""
