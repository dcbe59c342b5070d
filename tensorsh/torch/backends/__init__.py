"""``torch.backends``: what numpy and cupy stand for here."""
