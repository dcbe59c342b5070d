"""Saving: each process writes the parts that are its own, the first says what lies where."""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import Any
from weakref import WeakKeyDictionary

from ....engine.arrays.warning import deprecated, warn
from ....sandbox import process
from ....sandbox.thrown import helpers
from ....sandbox.wrapping import signature
from ...futures import Future
from ..groups import world
from ..starting import apart, joined
from .api import Together, storage_second
from .default_planner import DefaultSavePlanner
from .filesystem import FileSystemWriter, storage_of
from .stateful import states

__all__ = ["async_save", "save", "save_state_dict"]

OLDER = (
    "The function definition for SavePlanner.set_up_planner has been updated to include the storage_meta argument. Please update "
    "your implementation to include this parameter."
)


@storage_second("storage_writer")
def save(
    state_dict: dict, *, checkpoint_id: Any = None, storage_writer: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Any:  # fmt: skip
    """Write a state dict to a folder, each process its parts of it.
    state_dict: nested dicts and lists of tensors, DTensors and plain values; objects with a state_dict() stand for that.
    checkpoint_id: the folder. storage_writer: a FileSystemWriter or another StorageWriter, instead. planner: what is written (DefaultSavePlanner()). process_group: the processes (None: all).
    CheckpointException, on all processes, where one fails."""
    writer = storage_of(checkpoint_id, storage_writer, FileSystemWriter)
    return Saving(states(state_dict), writer, planner, process_group, no_dist).finish()


@deprecated("torch.distributed.checkpoint.save_state_dict")
def save_state_dict(
    state_dict: dict, storage_writer: Any, process_group: Any = None, coordinator_rank: int = 0, no_dist: bool = False,
    planner: Any = None,
) -> Any:  # fmt: skip
    """The old name of `save`, which takes objects with a state as plain values. coordinator_rank: which process says what lies
    where (0)."""
    return Saving(state_dict, storage_writer, planner, process_group, no_dist, coordinator_rank).finish()


class Saving:
    """What each process is to write of its state."""

    def __init__(self, state: Any, writer: Any, planner: Any, group: Any, no_dist: bool, coordinator: int = 0) -> None:
        self.together, self.writer = Together(group, no_dist, coordinator), writer
        self.planner = planner = DefaultSavePlanner() if planner is None else planner
        leads = self.together.leads
        self.about: Any = None
        self.resolved: Any = None

        def local() -> Any:
            if "storage_meta" in signature(planner.set_up_planner).parameters:
                planner.set_up_planner(state_dict=state, storage_meta=writer.storage_meta(), is_coordinator=leads)
            else:
                warn(OLDER)
                planner.set_up_planner(state, leads)
            writer.set_up_storage_writer(leads)
            return writer.prepare_local_plan(planner.create_local_plan())

        plans = self.together.all("plan", local)

        def whole() -> Any:
            found, self.about = planner.create_global_plan(plans)
            return writer.prepare_global_plan(found)

        self.plan = self.together.one("plan", whole)[self.together.rank]

    def resolve(self) -> None:
        """Take the values as they are now; the files are written later."""
        self.resolved = self.writer._resolve(self.planner.finish_plan(self.plan), self.planner)

    def write(self) -> Any:
        """Write the values of this process."""
        if self.resolved is not None:
            return self.writer._write(*self.resolved)
        future = self.writer.write_data(self.planner.finish_plan(self.plan), self.planner)
        future.wait()
        return future.value()

    def finish(self, group: Any = None) -> Any:
        """Write the files; at last the first process says what lies where, if all have written theirs.
        group: in whose name the processes speak (None: that of before)."""
        if group is not None:
            self.together.group = group
        results = self.together.all("write", self.write)

        def last() -> Any:
            self.writer.finish(self.about, results)
            return self.about

        return self.together.one("write", last)


class Saved(Future):
    """A Future of `async_save`, as those of Python's executors are asked."""

    __module__, __qualname__ = "concurrent.futures._base", "Future"

    def __init__(self, saving: Saving, group: Any) -> None:
        super().__init__()
        self._saving, self._group, self._failure, self._found = saving, group, None, None
        self._before = _threads[-1] if _threads else None
        self._thread = threading.Thread(target=copy_context().run, args=(self._work,), name="checkpoint")
        self._cause = self._settled
        _threads[:] = [self._thread]
        world.beside.append(self._thread)
        helpers.append(self._thread)
        self._thread.start()

    def _work(self) -> None:
        try:
            if self._before is not None:
                joined(self._before)  # in the same order on all processes
            self._found = self._saving.finish(self._group)
        except BaseException as error:  # noqa: BLE001 - whoever asks gets it
            self._failure = error
        finally:
            for known in (helpers, world.beside):
                known.remove(self._thread)
        if process.plain:
            self._tell()

    def _tell(self) -> None:
        with _telling:
            if not super().done():
                self._finish(None if self._failure else self._found, self._failure)

    def _settled(self) -> None:
        joined(self._thread)
        self._tell()

    def done(self) -> bool:
        """Whether all is written, or an error is there."""
        if not super().done() and self._thread not in world.beside:
            self._tell()
        return super().done()

    def result(self, timeout: float | None = None) -> Any:
        """What was saved, once it is; TimeoutError after some seconds."""
        joined(self._thread, timeout)
        if self._thread in world.beside:
            raise TimeoutError
        return self.wait()

    def exception(self, timeout: float | None = None) -> Any:
        """The error that hindered it, None where none did."""
        try:
            self.result(timeout)
        except TimeoutError:
            raise
        except BaseException as error:  # noqa: BLE001 - it is what was asked for
            return error
        return None


Saved.__name__ = "Future"
_threads: list[threading.Thread] = []
_telling = threading.RLock()
_groups: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The groups in whose name savings speak beside the programs, each for one of the program's."""


@storage_second("storage_writer")
def async_save(
    state_dict: dict, *, checkpoint_id: Any = None, storage_writer: Any = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """As `save`, but the state is copied and written while the program goes on. A Future of it: `result()` waits. Others: accepted.
    A program waits for it at its end, and before destroy_process_group. With a StorageWriter of the program's own all is written at once."""
    writer = storage_of(checkpoint_id, storage_writer, FileSystemWriter)
    saving = Saving(states(state_dict), writer, planner, process_group, no_dist)
    own = None
    if type(writer) is FileSystemWriter:
        saving.resolve()
    if saving.together.count > 1:
        given = saving.together.group
        own = _groups.get(given)
        if own is None:
            own = _groups[given] = apart(given)
    made = Saved(saving, own)
    if saving.resolved is None:
        joined(made._thread)
    return made
