"""The collectives of Python objects: as bytes that each process writes and reads again."""

from __future__ import annotations

import io
import time
from datetime import timedelta
from typing import Any

import numpy as np

from ...engine.tensors.tensor import Tensor
from ...sandbox.files import acting
from ..serialization import load, save
from .collectives import check_root, find, member, waiting
from .groups import Call, ProcessGroup, Unfinished, seconds_of
from .held import gather_bytes
from .transport import finished


def written(value: Any) -> np.ndarray:
    """A value as bytes. What scripts send is data, and what they receive is read as `torch.load` reads: nothing of it runs."""
    if acting() is None:
        data = pickled(value)
    else:
        buffer = io.BytesIO()
        save(value, buffer)
        data = buffer.getvalue()
    return np.frombuffer(data, np.uint8)


def pickled(value: Any) -> bytes:
    """A value as Python pickles it, and tensors as `torch.save` writes them."""
    import pickle

    class Pickler(pickle.Pickler):
        def reducer_override(self, given: Any) -> Any:
            if not isinstance(given, Tensor):
                return NotImplemented
            buffer = io.BytesIO()
            save(given, buffer)
            return loaded, (buffer.getvalue(),)

    buffer = io.BytesIO()
    Pickler(buffer).dump(value)
    return buffer.getvalue()


def loaded(data: bytes) -> Any:
    """A tensor in a pickled value."""
    return load(io.BytesIO(data))


def read(data: np.ndarray) -> Any:
    """The value that bytes mean."""
    if acting() is None:
        import pickle

        return pickle.loads(data.tobytes())
    return load(io.BytesIO(data.tobytes()), weights_only=False)


def gathered(found: ProcessGroup, title: str, mine: np.ndarray, root: int | None = None) -> list[np.ndarray]:
    """The bytes of all processes."""
    rows: list[np.ndarray] = []

    def begin() -> Any:
        sizes = yield from gather_bytes(found, np.array([mine.size], np.int64).view(np.uint8))
        counts = sizes.reshape(-1).view(np.int64)
        padded = np.zeros(int(counts.max()), np.uint8)
        padded[: mine.size] = mine
        table = yield from gather_bytes(found, padded)
        rows.extend(row[:count] for row, count in zip(table, counts, strict=True))

    found._run(Call(title, (), "", "" if root is None else f"Root={root}"), begin, [], False)
    return rows


def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """Give all processes the objects of all, in a list."""
    found = find(group, "all_gather_object")
    if found is None:
        return
    rows = gathered(found, "all_gather_object", written(obj))
    for i, row in enumerate(rows):
        object_list[i] = read(row)


def gather_object(
    obj: Any, object_gather_list: list | None = None, dst: int | None = None, group: Any = None, group_dst: int | None = None
) -> None:  # fmt: skip
    """Give one process the objects of all, in a list."""
    found = find(group, "gather_object")
    if found is None:
        return
    root = member(found, 0 if dst is None and group_dst is None else dst, group_dst)
    check_root(found, root, "gather")
    if root == found._me and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if root != found._me and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    rows = gathered(found, "gather_object", written(obj), root)
    if root == found._me and object_gather_list is not None:
        for i, row in enumerate(rows):
            object_gather_list[i] = read(row)


def spread(found: ProcessGroup, title: str, values: list[Any] | None, root: int, count: int) -> list[np.ndarray]:
    """The bytes of `count` objects that one process has."""
    parts = [written(value) for value in values] if values is not None else []
    rows: list[np.ndarray] = []

    def begin() -> Any:
        sizes = np.array([part.size for part in parts] or [0] * count, np.int64)
        if found.size() > 1:
            yield from finished(found._comm.Ibcast(sizes, root))
        data = np.concatenate([*parts, np.empty(0, np.uint8)]) if parts else np.empty(int(sizes.sum()), np.uint8)
        if found.size() > 1:
            yield from finished(found._comm.Ibcast(data, root))
        rows.extend(np.split(data, np.cumsum(sizes)[:-1]))

    found._run(Call(title, (count,), "object", f"Root={root}"), begin, [], False)
    return rows


def broadcast_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """Give all processes the objects in one's list."""
    found = find(group, "broadcast_object_list")
    if found is None:
        return
    root = member(found, 0 if src is None and group_src is None else src, group_src)
    check_root(found, root, "broadcast")
    mine = root == found._me
    rows = spread(found, "broadcast_object_list", list(object_list) if mine else None, root, len(object_list))
    if not mine:
        for i, row in enumerate(rows):
            object_list[i] = read(row)


def scatter_object_list(
    scatter_object_output_list: list, scatter_object_input_list: list | None = None, src: int | None = None, group: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """Give each process its object of one's list, in the first place of a list of its own."""
    found = find(group, "scatter_object_list")
    if found is None:
        return
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = member(found, 0 if src is None and group_src is None else src, group_src)
    check_root(found, root, "scatter")
    if root == found._me and (scatter_object_input_list is None or len(scatter_object_input_list) != found.size()):
        raise ValueError(
            "Argument ``scatter_object_input_list`` must be specified on source rank, an object for each rank."
        )
    values = list(scatter_object_input_list or ()) if root == found._me else None
    rows = spread(found, "scatter_object_list", values, root, found.size())
    scatter_object_output_list[0] = read(rows[found._me])


def send_object_list(
    object_list: list, dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None,
    use_batch: bool = False,
) -> None:  # fmt: skip
    """Send the objects of a list to a process."""
    from .point_to_point import send_bytes

    found = find(group, "send_object_list")
    if found is not None:
        parts = [written(value) for value in object_list]
        send_bytes(found, np.array([part.size for part in parts], np.int64), dst, group_dst)
        send_bytes(found, np.concatenate(parts), dst, group_dst)


def recv_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None,
    use_batch: bool = False,
) -> int:  # fmt: skip
    """Receive objects from a process into a list; the rank they came from."""
    from .point_to_point import recv_bytes

    found = find(group, "recv_object_list")
    if found is None:
        return -1
    sizes = np.empty(len(object_list), np.int64)
    came = recv_bytes(found, sizes, src, group_src)
    data = np.empty(int(sizes.sum()), np.uint8)
    recv_bytes(found, data, came, None)
    for i, row in enumerate(np.split(data, np.cumsum(sizes)[:-1])):
        object_list[i] = read(row)
    return came


LOOK = 0.05
"""Seconds between two looks at what the first rank says."""


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """A barrier whose error names the ranks that did not come in time."""
    found = find(group, "monitored_barrier")
    if found is None:
        return
    seconds = found._timeout if timeout is None else seconds_of(timeout)
    call, key, looked = Call("monitored_barrier"), f"monitored_barrier/{found._count + 1}", [0.0]

    def watch(now: float) -> None:
        """Looks now and then whether the first rank has given up; the others wait as long as it does."""
        if found._me and now - looked[0] > LOOK:
            looked[0] = now
            if found._store.check([key]):
                raise Unfinished("rank 0 waits no longer")

    call.watch = watch
    try:
        with waiting(found, timedelta.max if found._me else timeout):
            found._run(call, finished, [], False)
        watch(time.monotonic())
    except Unfinished as error:
        told = f"Rank {found._me} successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0. "
        told += f"Please check rank 0 logs for faulty rank.\n Original exception: \n{error}"
        if not found._me:
            found._store.set(key, "")
            late, first = ", ".join(map(str, error.late)), f"\n Original exception: \n{error}"
            late, first = (f"Ranks {late}", "") if wait_all_ranks else (f"Rank {late.partition(',')[0]}", first)
            told = f"[Rank 0]: {late} failed to pass monitoredBarrier in {int(seconds * 1000)} ms{first}"
        raise RuntimeError(told) from None
