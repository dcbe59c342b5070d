"""``torch.backends.mkldnn``: not used here."""

from . import switching

__all__ = ["flags", "is_available", "set_flags"]

SWITCHES = {"enabled": True, "deterministic": False, "allow_tf32": False}


def is_available() -> bool:
    return False


set_flags, flags = switching("mkldnn", SWITCHES, {"enabled": False, "deterministic": False, "allow_tf32": True})
