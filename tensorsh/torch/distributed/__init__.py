"""``torch.distributed``: several processes that work together, carried by MPI."""

from .backends import *  # noqa: F403
from .backends import __all__ as _backends
from .collectives import all_gather, all_reduce, barrier, broadcast
from .constants import default_pg_timeout
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .groups import *  # noqa: F403
from .groups import __all__ as _groups
from .point_to_point import *  # noqa: F403
from .point_to_point import __all__ as _messages
from .reduce_ops import *  # noqa: F403
from .reduce_ops import __all__ as _ways
from .rendezvous import *  # noqa: F403
from .rendezvous import __all__ as _meeting
from .starting import *  # noqa: F403
from .starting import __all__ as _starting
from .stores import *  # noqa: F403
from .stores import __all__ as _stores
from .tcp_store import TCPStore
from .work import Work

__all__ = [
    *_backends, *_errors, *_groups, *_messages, *_ways, *_meeting, *_starting, *_stores,
    "TCPStore", "Work", "all_gather", "all_reduce", "barrier", "broadcast", "default_pg_timeout",
]  # fmt: skip
