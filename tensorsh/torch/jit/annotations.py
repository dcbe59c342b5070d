"""``torch.jit.annotations``: types in annotations for TorchScript. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035 - by these names


class _Broadcast:
    """``BroadcastingList2[int]``: a number, or a list of so many, to the compiler alone."""

    def __getitem__(self, kind: Any) -> None: ...


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _Broadcast()
