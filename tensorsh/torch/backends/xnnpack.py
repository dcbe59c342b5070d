"""``torch.backends.xnnpack``: not used here."""

__all__: list[str] = []

enabled = False
