"""``torch.backends.mkldnn``: not used here."""

from . import context_of

__all__ = ["flags", "is_available"]

SWITCHES = {"enabled": True, "deterministic": False, "allow_tf32": False}


def is_available() -> bool:
    return False


flags = context_of("mkldnn")
