"""``torch.backends.mkl``: not used here."""

__all__ = ["is_available"]


def is_available() -> bool:
    return False
