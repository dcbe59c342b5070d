"""``torch.backends.cudnn``: settings that programs make, accepted without effect."""

from . import context_of

__all__ = ["flags", "is_acceptable", "is_available", "version"]

SWITCHES = {"enabled": True, "benchmark": False, "benchmark_limit": 10, "deterministic": False, "allow_tf32": True}


def is_available() -> bool:
    return False


def is_acceptable(tensor: object) -> bool:
    return False


def version() -> None:
    return None


flags = context_of("cudnn")
