"""``torch.backends.cudnn``: settings that programs make, accepted without effect."""

__all__ = ["is_acceptable", "is_available", "version"]

SWITCHES = {"enabled": True, "benchmark": False, "benchmark_limit": 10, "deterministic": False, "allow_tf32": True}


def is_available() -> bool:
    return False


def is_acceptable(tensor: object) -> bool:
    return False


def version() -> None:
    return None
