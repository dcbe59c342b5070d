"""``torch.fx.passes``: what is worked out about a graph."""
