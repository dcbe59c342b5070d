"""The errors of ``torch.distributed``."""

from __future__ import annotations

from ...sandbox.sealed import Sealed, all_housed

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError"]


class DistError(RuntimeError, metaclass=Sealed):
    """What went wrong among processes."""


class DistBackendError(DistError):
    """A collective that failed: another one elsewhere, a rank that is gone."""


class DistNetworkError(DistError):
    """A place where ranks meet that cannot be reached."""


class DistStoreError(DistError):
    """A key that was not there in time."""


class QueueEmptyError(DistStoreError):
    """A queue of a store that holds nothing."""


all_housed(globals(), "torch.distributed")
