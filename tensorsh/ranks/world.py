"""Which rank this process is, by the names of whoever started it, and its way to the service.

The launcher, torchrun, mpiexec and srun say it in the environment under names of their own; programs read torchrun's.
"""

from __future__ import annotations

import errno
import os
import random
import re
import socket
import sys
import time

from .client import Client
from .service import serve_alone

TORCHRUN = (
    "RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE ROLE_RANK ROLE_WORLD_SIZE ROLE_NAME "
    "MASTER_ADDR MASTER_PORT TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT TORCHELASTIC_MAX_RESTARTS"
).split()
"""What a program sees of the environment."""
MANAGERS = (
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ("PMIX_RANK", "PMIX_SIZE", "", ""),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", ""),
)
"""The names under which process managers say rank, size, and both on this machine. Slurm says them to every step, also where it
does not speak with MPI: its ranks meet by themselves then."""
failed = False
"""Whether the program in this process has ended with an error: it must not wait for the others then."""
attached = False
"""Whether mpiexec waits for MPI's goodbye, which MPICH sends only where the process ends as C programs do."""
KEYS = "TENSORSH_KEYS"
"""The descriptor of a rank's socket to the launcher's keys."""
LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def managed() -> bool:
    """Whether a process manager that MPI knows has started this process: the launcher, mpiexec, srun."""
    if "PMI_FD" in os.environ or "PMI_PORT" in os.environ or KEYS in os.environ:
        return True
    names = _manager()
    return names is not None and names[0] != "SLURM_PROCID"


def _manager() -> tuple[str, str, str, str] | None:
    for names in MANAGERS:
        if os.environ.get(names[0], "").isdigit() and os.environ.get(names[1], "").isdigit():
            if names[0] != "SLURM_PROCID" or os.environ[names[1]] != "1":
                return names
    return None


def said() -> dict[str, str]:
    """Torchrun's names and what they say in this process, whoever has started it."""
    found = {name: os.environ[name] for name in TORCHRUN if name in os.environ}
    names = _manager()
    if names is None or "RANK" in found:
        return found
    rank, size, local, locals_ = (os.environ.get(name, "") for name in names)
    made = {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": local or rank, "LOCAL_WORLD_SIZE": locals_ or size}
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"} if names[0] != "SLURM_PROCID" else _step()
    return made | place | found


def _step() -> dict[str, str]:
    """Where the ranks of a step of Slurm meet: on its first machine, by a number that no other step has just now."""
    nodes = os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_JOB_NODELIST") or ""
    first = re.match(r"([^\[,]+)(?:\[(\w+))?", nodes)  # of "node[03-05,9],other"
    single = os.environ.get("SLURM_STEP_NUM_NODES") or os.environ.get("SLURM_NNODES") or "1"
    host = "127.0.0.1" if single == "1" or first is None else first[1] + (first[2] or "")
    job, step = (
        int(n) if (n := os.environ.get(name, "")).isdigit() else 0 for name in ("SLURM_JOB_ID", "SLURM_STEP_ID")
    )
    found = {"MASTER_ADDR": host, "MASTER_PORT": str(20000 + (job * 64 + step) % 10000)}
    here, counts = os.environ.get("SLURM_NODEID", "0"), os.environ.get("SLURM_STEP_TASKS_PER_NODE", "")
    each = [
        n for n, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", counts) for _ in range(int(times or 1))
    ]  # of "2(x3),1"
    if here.isdigit() and int(here) < len(each):
        found["LOCAL_WORLD_SIZE"] = each[int(here)]
    return found


def adopt() -> None:
    """Puts torchrun's names into the environment, where plain Python reads them."""
    os.environ.update(said())


def descriptor() -> Client | None:
    """The connection that the launcher gave this process; it is taken once."""
    number = os.environ.pop(KEYS, "")
    if not number.isdigit():
        return None
    return Client(socket.socket(fileno=int(number)))


class Unreachable(Exception):
    """The place where the ranks meet cannot be reached."""


class Taken(Unreachable):
    """The place where the ranks are to meet cannot be listened at."""

    def __init__(self, error: OSError) -> None:
        self.number = error.errno or 0
        words = (error.strerror or str(error)).lower()
        super().__init__(f"code: {-self.number}, name: {errno.errorcode.get(self.number, '')}, message: {words}")


def meet(rank: int, size: int, host: str, port: int, seconds: float, secret: str = "") -> Client:
    """Joins a world that no manager has made: rank 0 starts the service at an address, the others come there.

    On one machine it is a socket of the file system's abstract part, which no network reaches; elsewhere a port. A script's
    own processes meet by a secret, whatever the host.
    """
    end = time.monotonic() + seconds
    family, address = place("localhost", f"{secret}-{port}") if secret else place(host, port)
    if rank == 0:
        _start(size, family, address)
    keys = _reach(family, address, f"keys {rank} {socket.gethostname()}\n", end)
    absent = keys.wait_present(size, max(end - time.monotonic(), 0.0)) if keys else list(range(size))
    if keys is None or absent:
        late = ", ".join(map(str, absent)) if keys else "0"
        raise Unreachable(
            f"rank{'s' if len(absent) > 1 and keys else ''} {late} did not arrive at {host}:{port} within {seconds:g} s"
        )
    if size > 1:
        pmi = _connect(family, address)
        pmi.sendall(b"pmi %d\n" % rank)
        os.environ |= {"PMI_FD": str(pmi.detach()), "PMI_RANK": str(rank), "PMI_SIZE": str(size)}
        if len(set(keys.present().values())) == 1:
            os.environ.setdefault("UCX_TLS", "self,sm")
    return keys


def keys(host: str, port: int, master: bool, seconds: float, shared: bool, secret: str = "") -> tuple[Client, int]:
    """A connection to keys at an address, which the master keeps, and its port; where that is 0, one that is free.
    shared: whether a service that this process has started there already is another master's, too."""
    while True:
        number = port or (random.SystemRandom().randrange(32768, 61000) if master else 0)
        family, address = place("localhost", f"{secret}-{number}") if secret else place(host, number)
        if not master or shared and address in _held:
            break
        try:
            _start(1, family, address, patient=bool(port))
            break
        except Taken as error:
            if port or error.number != errno.EADDRINUSE:
                raise
    found = _reach(family, address, "keys 0 -\n", time.monotonic() + seconds)
    if found is None:
        raise Unreachable(f"nobody keeps keys at {host}:{port} within {seconds:g} s")
    return found, number


def kept() -> int:
    """At how many addresses this process has services, each a process of its own, keep keys."""
    return len(_held)


def place(host: str, port: int | str) -> tuple[int, object]:
    """Family and address of a meeting place."""
    if (host in LOCAL or host == socket.gethostname()) and sys.platform == "linux":
        return socket.AF_UNIX, f"\0tensorsh-{os.getuid()}-{port}"
    return socket.AF_INET, (host, port)


def _start(size: int, family: int, address: object, patient: bool = True) -> None:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family == socket.AF_INET:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, address, patient)
        listener.listen(size * 2 + 8)
    except OSError as error:
        listener.close()
        raise (Unreachable(error.strerror) if isinstance(error, socket.gaierror) else Taken(error)) from None
    reading, writing = os.pipe()  # which closes when this process ends
    if os.fork() == 0:  # a process that may start no program (see sandbox/isolation.py) makes processes
        serve_alone(size, listener, reading)
    os.close(reading)
    listener.close()
    _held[address] = writing


def _bind(listener: socket.socket, address: object, patient: bool) -> None:
    """Take an address, which a service that is just ending may still have; who is patient waits for that."""
    end = time.monotonic() + (1 if patient and address not in _held else 0)
    while True:
        try:
            return listener.bind(address)  # type: ignore[arg-type]
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise
            time.sleep(0.02)


_held: dict[object, int] = {}
"""By address, the pipes whose end tells a service that its rank 0 is gone."""


def _connect(family: int, address: object) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.connect(address)  # type: ignore[arg-type]
    except OSError:
        sock.close()
        raise
    return sock


def _reach(family: int, address: object, hello: str, end: float) -> Client | None:
    while True:
        try:
            sock = _connect(family, address)
        except OSError:
            if time.monotonic() > end:
                return None
            time.sleep(0.02)
            continue
        sock.sendall(hello.encode())
        return Client(sock)
