"""``torch.utils``."""

__all__: list[str] = []
