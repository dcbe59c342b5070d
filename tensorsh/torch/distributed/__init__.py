"""``torch.distributed``: several processes that work together, carried by MPI."""

from . import group_methods as _group_methods  # noqa: F401 - methods of ProcessGroup
from .backends import *  # noqa: F403
from .backends import __all__ as _backends
from .collectives import all_gather, all_reduce, barrier, broadcast
from .constants import default_pg_timeout
from .debugging import *  # noqa: F403
from .debugging import __all__ as _debug
from .device_mesh import *  # noqa: F403
from .device_mesh import __all__ as _mesh
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .exchanges import (
    all_gather_coalesced,
    all_gather_into_tensor,
    all_gather_single,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    gather,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
)  # fmt: skip
from .grad_bucket import GradBucket
from .groups import *  # noqa: F403
from .groups import __all__ as _groups
from .objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    monitored_barrier,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)  # fmt: skip
from .options import *  # noqa: F403
from .options import __all__ as _options
from .point_to_point import *  # noqa: F403
from .point_to_point import __all__ as _messages
from .reduce_ops import *  # noqa: F403
from .reduce_ops import __all__ as _ways
from .reduce_ops import _make_nccl_premul_sum as _make_nccl_premul_sum
from .rendezvous import *  # noqa: F403
from .rendezvous import __all__ as _meeting
from .starting import *  # noqa: F403
from .starting import ProcessGroupGloo  # noqa: F401 - for plain Python
from .starting import __all__ as _starting
from .stores import *  # noqa: F403
from .stores import __all__ as _stores
from .tcp_store import TCPStore
from .work import Work
from .work import Work as _Work  # noqa: F401 - its older name

__all__ = [
    *_backends, *_debug, *_mesh, *_errors, *_groups, *_options, *_messages, *_ways, *_meeting, *_starting, *_stores,
    "GradBucket", "TCPStore", "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_gather_single", "all_reduce",
    "all_reduce_coalesced", "all_to_all", "all_to_all_single", "broadcast_object_list", "gather", "gather_object",
    "monitored_barrier", "recv_object_list", "reduce", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor",
    "scatter", "scatter_object_list", "send_object_list", "barrier", "broadcast", "default_pg_timeout",
]  # fmt: skip
