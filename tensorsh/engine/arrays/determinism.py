"""Operations that give the same only by chance, and what ``use_deterministic_algorithms`` makes of them."""

from __future__ import annotations

from .state import state
from .warning import warn


def chance(name: str) -> None:
    """RuntimeError for an operation that gives the same only by chance, where deterministic algorithms are asked for; a warning
    where that would be enough."""
    if not state.deterministic:
        return
    if state.warns_of_chance:
        warn(
            f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, "
            "warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
            "deterministic support for this operation."
        )
        return
    raise RuntimeError(
        f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. You can "
        "turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable for "
        "your application. You can also file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
        "deterministic support for this operation."
    )
