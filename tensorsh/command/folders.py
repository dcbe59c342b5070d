"""The user's own folders: for compiled programs, for settings, for the history."""

from __future__ import annotations

import os
import sys


def cache_folder() -> str | None:
    """Where compiled programs are; None where there is no place for them."""
    return _folder("XDG_CACHE_HOME", ".cache", "cache")


def config_folder() -> str | None:
    """Where settings are; None without a home."""
    return _folder("XDG_CONFIG_HOME", ".config", "config")


def state_folder() -> str | None:
    """Where the history is; None without a home."""
    return _folder("XDG_STATE_HOME", os.path.join(".local", "state"), "state")


def _folder(variable: str, below_home: str, kind: str) -> str | None:
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        return str(getattr(platformdirs, f"user_{kind}_dir")("tensorsh", appauthor=False))
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), below_home)
    return os.path.join(base, "tensorsh") if os.path.isabs(base) else None
