"""Segments: memory that processes share, which has no name and is gone with the last process that holds it.

A segment is a file in memory, known by its descriptor alone: nothing stands in /dev/shm, whatever ends a process. Another process
gets the descriptor through a socket, or holds the memory because it was forked. One that carries what is sent, and nothing else,
is the receiver's alone: it stays so when processes are forked."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import weakref
from functools import cache
from typing import Any

import numpy as np

from ..arrays.memory import WORDS
from ..kernels import compiled

PROT_READ, PROT_WRITE, MAP_SHARED, MAP_PRIVATE, MAP_FIXED = 1, 2, 1, 2, 16
MAP_ANONYMOUS = 0x1000 if sys.platform == "darwin" else 0x20
FAILED = ctypes.c_void_p(-1).value
TAIL = 64
"""Bytes behind those of a segment, of which eight count its holders: processes, and messages on their way."""

segments: dict[int, Segment] = {}
"""The segments of this process, by their arrays as objects."""


class Segment:
    """One segment: its descriptor (None where nobody sends it on), its bytes as an array, whether it is this process's alone."""

    __slots__ = ("__weakref__", "alone", "array", "fd", "holders")

    def __init__(self, fd: int | None, array: Any, holders: Any) -> None:
        self.fd, self.holders, self.alone = fd, holders, False
        self.array = weakref.ref(array)
        segments[id(array)] = self
        weakref.finalize(array, _forget, id(array), fd, os.getpid(), holders, array.nbytes).atexit = False

    def send(self, more: int = 1) -> None:
        """Count a message that is on its way: who gets it holds the segment."""
        if counts():
            compiled.shared_add(self.holders, more)


def _forget(key: int, fd: int | None, process: int, holders: Any, nbytes: int) -> None:
    segments.pop(key, None)
    if process != os.getpid():  # a copy of what the parent holds
        return
    if fd is not None:
        os.close(fd)
    if holders is not None and counts() and compiled.shared_add(holders, -1) == 0:
        compiled.ledger_charge(-nbytes)


def counts() -> bool:
    """Whether anybody counts memory: the kernels do."""
    return hasattr(compiled, "ledger_charge")


def segment_of(owner: Any) -> Segment | None:
    """The segment that an array owns, if it is one."""
    found = segments.get(id(owner))
    return found if found is not None and found.array() is owner else None


def is_open(owner: Any) -> bool:
    """Whether other processes may write into the memory that an array owns."""
    found = segment_of(owner)
    return found is not None and not found.alone


def kept_alone(array: Any) -> Any:
    """The bytes of a segment that nobody but this process has."""
    segment_of(array).alone = True  # type: ignore[union-attr]
    return array


def told_as_shared(memory: Any) -> Any:
    """Bytes of this process's own that came in a message, of which a program is told what it is told of a segment's."""
    if segment_of(memory) is None:
        Segment(None, memory, None)
    return memory


def part() -> None:
    """Give a new process memory of its own in the place of what was its parent's alone."""
    for segment in list(segments.values()):
        array = segment.array()
        if array is None or not segment.alone or segment.holders is None:
            continue
        memory: Any = array.base.obj if isinstance(array.base, memoryview) else array.base
        address, size = ctypes.addressof(memory), ctypes.sizeof(memory)
        kept = ctypes.string_at(address, size)
        flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
        if _libc().mmap(address, size, PROT_READ | PROT_WRITE, flags, -1, 0) == FAILED:
            os._exit(1)  # there is no room to go on in
        ctypes.memmove(address, kept, size)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=part)


def created(nbytes: int) -> Any:
    """The bytes of a new segment, zeros; RuntimeError where there is no room."""
    size = nbytes + TAIL
    if counts() and not compiled.ledger_charge(max(nbytes, 1)):
        raise RuntimeError(WORDS.format(size=nbytes))
    fd = _descriptor()
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(fd, 0, size)  # else writing into it could end the process
        else:
            os.ftruncate(fd, size)
        return mapped(fd, nbytes, True, True)
    except BaseException as error:
        os.close(fd)
        if counts():
            compiled.ledger_charge(-max(nbytes, 1))
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.ENOMEM, errno.EFBIG):
            raise RuntimeError(
                f"unable to allocate shared memory(shm) of {nbytes} bytes: {os.strerror(errno.ENOMEM)} ({error.errno})"
            ) from None
        raise


def _descriptor() -> int:
    try:
        if hasattr(os, "memfd_create"):
            fd = os.memfd_create("tensorsh", os.MFD_CLOEXEC)
            if 0 < os.sysconf("SC_OPEN_MAX") - SPARE < fd:
                os.close(fd)
                raise RuntimeError(TOO_MANY)
            return fd
        from tempfile import TemporaryFile

        with TemporaryFile() as file:
            return os.dup(file.fileno())
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
        raise RuntimeError(TOO_MANY) from None


SPARE = 16
"""So many descriptors segments leave to all else: what is loaded only when it is asked for, pipes, files."""
TOO_MANY = (
    "Too many open files. Communication with the workers is no longer possible. Please increase the limit using `ulimit -n` in "
    "the shell or keep fewer shared tensors"
)


def mapped(fd: int, nbytes: int, keep: bool, new: bool = False) -> Any:
    """The bytes of the segment of a descriptor. Keeps the descriptor, to send it on, or closes it. A new one has no holder yet; of
    another, the message was one."""
    size = nbytes + TAIL
    if os.fstat(fd).st_size < size:
        raise RuntimeError(f"a segment of shared memory is smaller than {nbytes} bytes")
    address = _libc().mmap(None, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
    if address == FAILED:
        raise MemoryError(f"shared memory of {nbytes} bytes cannot be mapped: {os.strerror(ctypes.get_errno())}")
    memory: Any = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, _libc().munmap, address, size).atexit = False
    array: Any = np.frombuffer(memory, np.uint8, nbytes or 1)
    if not keep:
        os.close(fd)
    holders = memoryview(memory).cast("B")[-(-nbytes // 8) * 8 :][:8]
    if new and counts():
        compiled.shared_add(holders, 1)
    Segment(fd if keep else None, array, holders)
    return array


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    long = ctypes.c_int64 if sys.maxsize > 2**32 else ctypes.c_int32
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, long]
    libc.mmap.restype = ctypes.c_void_p
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return libc
