"""``torch.jit.annotations``: types in annotations for TorchScript. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035 - by these names


class _Broadcast:
    """``BroadcastingList2[int]``: a number, or a list of so many."""

    def __getitem__(self, kind: Any) -> Any:
        return kind | list[kind]  # type: ignore[valid-type]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _Broadcast()
