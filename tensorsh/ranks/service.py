"""The service by which ranks find each other: a table of keys, and the process manager that MPI asks (PMI-1).

The launcher holds one, and each rank is connected to it by socket pairs, so that on one machine nothing listens. Where ranks
are started by somebody else, the first of them makes a process for it, which listens at one address.
A connection says in its first line what it is: ``pmi RANK`` speaks PMI-1 from then on, ``keys RANK HOST`` frames of fields.
"""

from __future__ import annotations

import os
import selectors
import socket
import struct
import time
from collections.abc import Callable
from typing import NoReturn

ENDED = "has ended"
"""What is said of a rank that ended as it should."""
GRACE = 5.0
"""Seconds that the service waits for the rest once its rank 0 has ended."""
LARGEST = 1 << 28
"""Bytes of a frame, and of all that ranks put into the table, at most."""
GROWING = (b"set", b"append", b"swap", b"add")
"""Requests that put something into the table."""
LINE = 1 << 16
"""Bytes of a line, at most."""
PATIENCE = 10.0
"""Seconds that a rank may take to read an answer: others wait meanwhile, and whoever started them."""


def packed(*fields: bytes) -> bytes:
    """Fields as a frame: its length, then each field's length and bytes."""
    body = b"".join(struct.pack("!I", len(field)) + field for field in fields)
    return struct.pack("!I", len(body)) + body


def unpacked(body: bytes) -> list[bytes]:
    """The fields of a frame's body."""
    fields, at = [], 0
    while at < len(body):
        (length,) = struct.unpack_from("!I", body, at)
        fields.append(body[at + 4 : at + 4 + length])
        at += 4 + length
    return fields


class Table:
    """Keys and their values."""

    def __init__(self, entries: dict[bytes, bytes] | None = None) -> None:
        self.entries = entries or {}

    def ask(self, fields: list[bytes]) -> list[bytes]:
        """The answer to a request: an operation's name and its fields."""
        table = self.entries
        match fields:
            case [b"set", key, value]:
                table[key] = value
                return [b"ok"]
            case [b"get", key]:
                return [table[key]] if key in table else []
            case [b"add", key, amount]:
                try:
                    table[key] = b"%d" % (int(table.get(key, b"0")) + int(amount))
                except ValueError:
                    raise ValueError("stoll") from None  # as PyTorch says it
                return [table[key]]
            case [b"append", key, value]:
                table[key] = table.get(key, b"") + value
                return [b"ok"]
            case [b"swap", key, expected, value]:
                if key not in table and not expected or table.get(key) == expected:
                    table[key] = value
                return [table.get(key, expected)]
            case [b"delete", key]:
                return [b"%d" % (table.pop(key, None) is not None)]
            case [b"check", *keys]:
                return [b"%d" % all(key in table for key in keys)]
            case [b"list"]:
                return list(table)
        return []

    def size(self, key: bytes) -> int:
        """The bytes of a key and its value."""
        return len(key) + len(self.entries[key]) if key in self.entries else 0


class Connection:
    """One rank's socket: what came over it and was not yet read, and who it is."""

    def __init__(self, service: Service, sock: socket.socket, kind: str = "", rank: int = -1) -> None:
        self.service, self.sock, self.kind, self.rank = service, sock, kind, rank
        self.buffer, self.left = bytearray(), False

    def readable(self) -> None:
        """Takes what came and answers each whole line or frame."""
        try:
            data = self.sock.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            self.service.close(self)
            return
        self.buffer += data
        try:
            while self._step():
                pass
        except (
            ValueError,
            LookupError,
            struct.error,
        ):  # a request that makes no sense ends its rank's connection alone
            self.service.close(self)

    def _step(self) -> bool:
        if self.kind == "keys":
            if len(self.buffer) < 4:
                return False
            (length,) = struct.unpack_from("!I", self.buffer)
            if length > LARGEST:
                self.service.close(self)
                return False
            if len(self.buffer) < 4 + length:
                return False
            body = bytes(self.buffer[4 : 4 + length])
            del self.buffer[: 4 + length]
            self.send(packed(*self.service.keys(self, unpacked(body))))
            return True
        end = self.buffer.find(b"\n")
        if end < 0:
            if len(self.buffer) > LINE:
                self.service.close(self)
            return False
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        words = line.decode("utf-8", "replace").split()
        if self.kind == "pmi":
            self.service.pmi(self, words)
        elif len(words) >= 2 and words[0] in ("pmi", "keys") and words[1].isdigit():
            self.kind, self.rank = words[0], int(words[1])
            self.service.joined(self, words[2] if len(words) > 2 else "")
        else:
            self.service.close(self)
            return False
        return True

    def send(self, data: bytes) -> None:
        try:
            self.sock.sendall(data)
        except OSError:  # it is closed, or nobody reads
            self.service.close(self)


class Service:
    """The keys and the process manager of one world of `size` ranks."""

    def __init__(self, size: int, selector: selectors.BaseSelector | None = None) -> None:
        self.size = size
        self.selector = selector or selectors.DefaultSelector()
        self.watched = selector is not None
        """Whether somebody watches the ranks' processes, who knows better than a closed connection how they end."""
        self.table = Table()
        self.held = 0
        """Bytes that were put into the table."""
        self.hosts: dict[int, str] = {}
        self.ended: dict[int, str] = {}
        """Ranks that are gone, and how they went."""
        self.connections: set[Connection] = set()
        self.puts: dict[str, str] = {}
        self.waiting: list[Connection] = []
        self.name = f"tensorsh-{os.getpid()}-{os.urandom(6).hex()}"
        """MPI derives the names of shared memory from this: a world that ended badly must not be found by another."""

    def connect(self, sock: socket.socket, kind: str = "", rank: int = -1) -> Connection:
        """Answers what comes over a socket from now on."""
        sock.settimeout(PATIENCE)
        made = Connection(self, sock, kind, rank)
        self.connections.add(made)
        self.selector.register(sock, selectors.EVENT_READ, made.readable)
        return made

    def listen(self, listener: socket.socket) -> None:
        """Takes connections of this user's processes from a listening socket."""

        def accept() -> None:
            try:
                sock, _ = listener.accept()
            except OSError:  # it is gone already, or there are too many
                return
            if trusted(sock):
                self.connect(sock)
            else:
                sock.close()

        self.selector.register(listener, selectors.EVENT_READ, accept)

    def step(self, timeout: float | None = None) -> None:
        """Answers what is there, waiting for it so many seconds at most."""
        for key, _ in self.selector.select(timeout):
            key.data()

    def joined(self, connection: Connection, host: str) -> None:
        if connection.kind == "keys":
            self.hosts[connection.rank] = host
            self.ended.pop(connection.rank, None)

    def close(self, connection: Connection) -> None:
        if connection not in self.connections:
            return
        self.connections.discard(connection)
        self.selector.unregister(connection.sock)
        connection.sock.close()
        if connection.kind == "keys" and not self.watched:
            self.ended.setdefault(connection.rank, ENDED if connection.left else "ended without a word")

    def keys(self, connection: Connection, fields: list[bytes]) -> list[bytes]:
        """The answer to a request: of who is there, or of the table."""
        match fields:
            case []:
                return []
            case [b"ended"]:
                return [b"%d %s" % (rank, how.encode()) for rank, how in self.ended.items()]
            case [b"hosts"]:
                return [b"%d %s" % (rank, host.encode()) for rank, host in self.hosts.items()]
            case [b"come", rank, host]:
                self.hosts[int(rank)] = host.decode()
                return [b"ok"]
            case [b"leave"]:
                connection.left = True
                return [b"ok"]
        name, key = fields[0], fields[1] if len(fields) > 1 else b""
        before = self.table.size(key)
        if name in GROWING and sum(map(len, fields)) + self.held - before > LARGEST:
            return [b"full"]  # whoever keeps the keys must not run out of memory for a rank
        answer = self.table.ask(fields)
        self.held += self.table.size(key) - before
        return answer

    def pmi(self, connection: Connection, words: list[str]) -> None:
        """Answers a line of PMI-1, which is all that MPICH's ranks ask of a process manager."""
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        answer: str | None
        match fields.get("cmd"):
            case "init":
                answer = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
            case "get_maxes":
                answer = "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=4096"
            case "get_appnum":
                answer = "cmd=appnum rc=0 appnum=0"
            case "get_my_kvsname":
                answer = f"cmd=my_kvsname rc=0 kvsname={self.name}"
            case "get_universe_size":
                answer = f"cmd=universe_size rc=0 size={self.size}"
            case "put":
                self.puts[fields["key"]] = fields["value"]
                answer = "cmd=put_result rc=0 msg=success"
            case "get" if fields["key"] == "PMI_process_mapping":
                answer = "cmd=get_result rc=0 value=" + self.mapping()
            case "get" if fields["key"] in self.puts:
                answer = "cmd=get_result rc=0 value=" + self.puts[fields["key"]]
            case "get":
                answer = "cmd=get_result rc=-1 msg=key_not_found"
            case "barrier_in":
                self.waiting.append(connection)
                if len(self.waiting) == self.size:
                    for each in self.waiting:
                        each.send(b"cmd=barrier_out rc=0\n")
                    self.waiting = []
                return
            case "finalize":
                answer = "cmd=finalize_ack rc=0"
            case "abort":
                return
            case other:
                answer = f"cmd={other}_result rc=-1 msg=unknown"
        connection.send(answer.encode() + b"\n")

    def forget(self) -> None:
        """Removes the shared memory that ranks could not remove, since they were ended before they knew it."""
        number = 0x811C9DC5  # MPICH's hash of the name
        for byte in self.name.encode():
            number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
        for count in range(16):
            try:
                os.unlink(f"/dev/shm/mpich_shm_{number:x}_{count}")
            except OSError:
                break

    def mapping(self) -> str:
        """Which ranks share a machine: runs of ranks by node, as (node, how many nodes, ranks on each)."""
        nodes: dict[str, int] = {}
        runs: list[list[int]] = []
        for rank in range(self.size):
            node = nodes.setdefault(self.hosts.get(rank, ""), len(nodes))
            if runs and runs[-1][0] == node:
                runs[-1][1] += 1
            else:
                runs.append([node, 1])
        return "(vector," + ",".join(f"({node},1,{count})" for node, count in runs) + ")"


def trusted(sock: socket.socket) -> bool:
    """Whether a local connection comes from this user; one over a network cannot be told."""
    if sock.family != getattr(socket, "AF_UNIX", None) or not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return user in (os.getuid(), 0)


def serve(size: int, listener: socket.socket, parent: int) -> None:
    """Serves ranks that come to a listening socket, until the rank that started this, and the others after it, are gone."""
    service = Service(size)
    service.listen(listener)
    gone: list[float] = []

    def parent_gone() -> None:
        if not os.read(parent, 1):
            service.selector.unregister(parent)
            gone.append(time.monotonic())

    service.selector.register(parent, selectors.EVENT_READ, parent_gone)
    ended: Callable[[], bool] = lambda: bool(gone) and (not service.connections or time.monotonic() > gone[0] + GRACE)
    while not ended():
        service.step(0.2 if gone else None)
    service.forget()


def serve_alone(size: int, listener: socket.socket, parent: int) -> NoReturn:
    """Serves in a process that was forked for it, which keeps nothing open of what made it."""
    import signal

    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the ranks are told; this ends with them
        kept = sorted((2, listener.fileno(), parent))
        for before, after in zip((-1, *kept), (*kept, os.sysconf("SC_OPEN_MAX")), strict=True):
            os.closerange(before + 1, after)
        serve(size, listener, parent)
        code = 0
    finally:
        os._exit(code)
