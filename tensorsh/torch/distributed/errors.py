"""The errors of ``torch.distributed``."""

from __future__ import annotations

from ...sandbox.sealed import Sealed

__all__ = ["DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError"]


class DistError(RuntimeError, metaclass=Sealed):
    """What went wrong among processes."""

    __module__ = "torch.distributed"


class DistBackendError(DistError):
    """A collective that failed: another one elsewhere, a rank that is gone."""

    __module__ = "torch.distributed"


class DistNetworkError(DistError):
    """A place where ranks meet that cannot be reached."""

    __module__ = "torch.distributed"


class DistStoreError(DistError):
    """A key that was not there in time."""

    __module__ = "torch.distributed"


class QueueEmptyError(DistStoreError):
    """A queue of a store that holds nothing."""

    __module__ = "torch.distributed"
