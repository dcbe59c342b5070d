"""``torch.backends.openmp``: not used here."""

__all__ = ["is_available"]


def is_available() -> bool:
    return False
