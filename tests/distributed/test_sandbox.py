"""What a hostile script of several ranks cannot reach: MPI, sockets, files, the memory of the launcher, Python's pickle."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from pathlib import Path

import pytest

from tensorsh import Permissions, Session
from tensorsh.ranks.service import LINE, Service, Table, packed
from tensorsh.sandbox.thrown import Timeout

from ..support.ranks import by_rank, tensorsh

START = "import torch.distributed as dist\n"
ALONE = START + "dist.init_process_group('gloo', rank=0, world_size=1)\n"
REFUSED = {
    "dist.group.WORLD._comm": "AttributeError", "dist.group.WORLD._run": "AttributeError",
    "dist.all_reduce(ones(1), async_op=True)._progress": "AttributeError",
    "dist.all_reduce(ones(1), async_op=True).wait.__func__": "AttributeError",
    "dist.distributed_c10d._world": "AttributeError", "dist.transport": "AttributeError",
    "from torch.distributed.transport import load": "ModuleNotFoundError", "import mpi4py": "ModuleNotFoundError",
    "from torch.distributed import rendezvous as r; r.places": "AttributeError",
    "dist.TCPStore('127.0.0.1', 29741, 1, True)": "DistNetworkError",
    "dist.FileStore('/tmp/store', 1)": "PermissionError",
    "dist.PrefixStore('a', dist.HashStore())._under": "AttributeError",
    "dist.init_process_group = 1": "AttributeError", "dist.ReduceOp.SUM.value = 3": "AttributeError",
    "dist.ReduceOp.SUM = 3": "TypeError", "dist.ProcessGroup.rank = lambda self: 3": "TypeError",
    "dist.group.WORLD.rank = 3": "AttributeError", "dist.Work.__init__.__globals__": "AttributeError",
    "dist.fsdp.FullyShardedDataParallel(nn.Linear(2, 2))._flat": "AttributeError",
    "dist.fsdp.FullyShardedDataParallel.fsdp_modules = 1": "TypeError", "dist.fsdp.MixedPrecision().__dict__": "AttributeError",
    "dist.checkpoint.stateful.Stateful.__instancecheck__": "AttributeError",
    "dist.checkpoint.format_utils.torch_save_to_dcp('/etc/passwd', '/tmp/there')": "PermissionError",
    "dist.pipelining.PipelineStage(nn.Linear(1, 1), 0, 1, 'cpu').__dict__": "AttributeError",
    "dist.rpc.init_rpc('a')": "NotImplementedError", "dist.rpc.init_rpc.__closure__": "AttributeError",
    "dist.DebugLevel.OFF.__reduce__()": "AttributeError", "dist.Backend.backend_list.append('x')": "AttributeError",
}  # fmt: skip


@pytest.mark.parametrize("code", REFUSED)
def test_a_script_cannot(code: str) -> None:
    session = Session()
    try:
        session.run(ALONE)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - which one stands in the table
            session.run(code)
        assert type(caught.value).__name__ == REFUSED[code]
    finally:
        session.run("dist.destroy_process_group()")


def test_a_script_meets_nobody_without_a_launcher(tmp_path: Path) -> None:
    for how in ("tcp://127.0.0.1:29751", f"file://{tmp_path}/meeting", "env://"):
        code = f"{START}dist.init_process_group('gloo', init_method={how!r}, rank=0, world_size=2)"
        done = tensorsh("-c", code, MASTER_ADDR="127.0.0.1", MASTER_PORT="29761")
        assert done.returncode == 1 and "a script meets other processes through the launcher" in done.stderr
    assert not list(tmp_path.iterdir())


def test_objects_are_data() -> None:
    """What scripts send each other is read as checkpoints are: nothing of it runs, and tensors are not taken for it."""
    code = """\
import torch.distributed as dist
dist.init_process_group("gloo")
class Point:
    def __init__(self, x):
        print("made", x)
        self.x = x
points = [None, None]
dist.all_gather_object(points, Point(dist.get_rank()))
print([p.x for p in points], type(points[0]).__name__)
pickled = torch.tensor(list(b"cos\\nsystem\\n(S'touch /tmp/there'\\ntR."), dtype=torch.uint8)
if dist.get_rank():
    dist.send(pickled, 0)
    dist.send_object_list(["said"], 0)
else:
    given = [None]
    dist.recv_object_list(given, 1)
    print(given)
    got = torch.zeros_like(pickled)
    dist.recv(got, 1)
try:
    dist.all_gather_object(points, dist.group.WORLD)
except Exception as error:
    print(type(error).__name__)
"""
    done = tensorsh("run", "-n", "2", "-c", code)
    assert done.returncode == 0, done.stderr
    lines = by_rank(done.stdout, 2)
    assert [line for line in lines[0] if line != "made 0"] == ["[0, 1] Point", "['said']", "TypeError"]
    assert lines[1] == ["made 1", "[0, 1] Point", "TypeError"]


def test_processes_of_a_script_keep_keys_at_few_places_and_one_alone_at_none() -> None:
    code = """\
import torch.distributed as dist
import torch.multiprocessing as mp
def keep(rank):
    try:
        for i in range(20):
            dist.TCPStore("localhost", 20000 + i, 1, True).set("key", "value")
    except dist.DistNetworkError as error:
        print(i, error)
mp.spawn(keep, nprocs=1)
try:
    dist.TCPStore("localhost", 20000, 1, True)
except dist.DistNetworkError as error:
    print(error)
"""
    done = tensorsh("-c", code)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("16 a process of a script keeps keys at 16 addresses at most")
    assert second.startswith("a script meets other processes through the launcher")


def test_the_keys_of_the_launcher() -> None:
    """Two ranks share keys through the launcher, as many as it can hold."""
    code = """\
import torch.distributed as dist
from datetime import timedelta
dist.init_process_group("gloo")
rank = dist.get_rank()
store = dist.TCPStore("localhost", 29500, 2, rank == 0)
if rank == 0:
    store.set("key", "value")
print(store.get("key"), store.add("count", 1) > 0, store.check(["key"]), store.check(["none"]))
dist.barrier()
print(store.get("count"), store.compare_set("key", "value", "other") in (b"other",), sorted(store.list_keys())[-2:])
dist.barrier()
if rank == 0:
    print(store.delete_key("key"), store.delete_key("key"), dist.PrefixStore("a", store).num_keys())
    try:
        store.wait(["none"], timedelta(seconds=0.1))
    except RuntimeError as error:
        print(error)
    try:
        for i in range(100):
            store.set(f"{i}", "x" * 10_000_000)
    except RuntimeError as error:
        print(error)
"""
    done = tensorsh("run", "-n", "2", "-c", code)
    assert done.returncode == 0, done.stderr
    first, second = by_rank(done.stdout, 2)
    assert first[0] == second[0] == "b'value' True True False"
    assert first[1].startswith("b'2' ") and first[1].endswith("['count', 'key']")
    assert first[2] == "True False 2"
    assert first[3:] == [
        "wait timeout after 100ms, keys: /none",
        "the keys of a program hold 256 MB at most: send tensors by collectives",
    ]


def test_a_file_store_needs_both_permissions(tmp_path: Path) -> None:
    """A file that may be read alone is neither written nor removed, one of something else is left as it is."""
    empty, text = str(tmp_path / "empty"), tmp_path / "text"
    Path(empty).touch()
    text.write_text("hello world")
    for allowed in (Permissions(read=True), Permissions(write=True)):
        for path in (empty, str(text), str(tmp_path / "new")):
            with pytest.raises(PermissionError):
                Session(allowed).run(f"{START}dist.FileStore({path!r}, 1).set('a', 'b')")
    folder = [str(tmp_path)]
    both = Session(Permissions(read=folder, write=folder))
    with pytest.raises(RuntimeError, match="is no file of a FileStore: give one that is not there yet"):
        both.run(f"{START}dist.FileStore({str(text)!r}, 1)")
    assert sorted(os.listdir(tmp_path)) == ["empty", "text"]
    assert text.read_text() == "hello world" and not os.path.getsize(empty)
    assert both.run(f"s = dist.FileStore({empty!r}, 1); s.set('a', 'b'); s.get('a')") == b"b"
    both.run("del s")
    assert os.listdir(tmp_path) == ["text"]


def test_functions_of_a_script_run_within_its_limits() -> None:
    """What waits for a collective is called by the script's own thread, so that its time is bounded."""
    code = """\
import torch.distributed as dist
dist.init_process_group("gloo")
work = dist.all_reduce(ones(3), async_op=True)
def forever(future):
    while True: pass
work.get_future().then(forever)
work.wait()
"""
    done = tensorsh("run", "--timeout=2", "-n", "2", "-c", code)
    assert done.returncode == 124 and "Timeout" in done.stderr


def test_a_writer_of_a_script_ends_with_its_time() -> None:
    """What `async_save` calls beside the program has the program's bounds, in whichever thread the program runs."""
    program = """\
import torch.distributed.checkpoint as dcp
class Writer(dcp.FileSystemWriter):
    def set_up_storage_writer(self, *args): pass
    def write_data(self, plan, planner):
        while True: seen.append(1)
seen = []
dcp.async_save({"a": torch.ones(2)}, storage_writer=Writer("x"))
"""
    session, ended = Session(), []

    def run() -> None:
        with pytest.raises(Timeout):
            session.run(program, timeout=0.3)
        ended.append(True)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert ended
    time.sleep(0.2)
    count = len(session["seen"])
    time.sleep(0.2)
    assert len(session["seen"]) == count


def test_a_request_that_makes_no_sense_ends_its_rank_alone() -> None:
    """Not whoever keeps the keys: it goes on for the others. A value that is no number is added to by nobody."""
    code = """\
import torch.distributed as dist
dist.init_process_group("gloo")
store = dist.TCPStore("localhost", 29500, 2, dist.get_rank() == 0)
if dist.get_rank() == 1:
    store.set("a", "b")
    for ask in (lambda: store.add("a", 1), lambda: store.get("a")):
        try:
            ask()
        except dist.DistNetworkError:
            print("gone")
else:
    for i in range(300):
        store.set("again", "x" * 1_000_000)  # what is put in its place, or taken away, is not held
    store.delete_key("again")
    try:
        for i in range(300):
            store.add(f"{i}" + "x" * 1_000_000, 1)
    except RuntimeError as error:
        print(i > 200, error)
dist.barrier()
"""
    done = tensorsh("run", "-n", "2", "-c", code)
    assert done.returncode == 0, done.stderr
    assert by_rank(done.stdout, 2) == [
        ["True the keys of a program hold 256 MB at most: send tensors by collectives"],
        ["gone", "gone"],
    ]
    with pytest.raises(ValueError, match="^stoll$"):
        Table({b"a": b"b"}).ask([b"add", b"a", b"1"])


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("keys", packed(b"come", b"x", b"host")),
        ("keys", packed(b"come", b"1", b"\xff")),
        ("keys", packed(b"add", b"key", b"9" * 5000)),
        ("keys", struct.pack("!I", 1) + b"a"),
        ("keys", struct.pack("!I", 1 << 31)),
        ("pmi", b"cmd=get\n"),
        ("pmi", b"cmd=put key=a\n"),
        ("", b"keys " + b"9" * 5000 + b"\n"),
        ("", "keys ²\n".encode()),
        ("", b"x" * (LINE + 1)),
    ],
)
def test_the_service_outlives_what_it_is_sent(kind: str, sent: bytes) -> None:
    service = Service(2)
    (ours, theirs), (other, there) = socket.socketpair(), socket.socketpair()
    with ours, theirs, other, there:
        service.connect(theirs, kind, 0)
        service.connect(there, "keys", 1)
        ours.sendall(sent)
        other.sendall(packed(b"set", b"key", b"value"))
        while len(service.connections) > 1 or not service.table.entries:
            service.step(1)
        ours.settimeout(1)
        assert ours.recv(100) == b"" and service.table.entries == {b"key": b"value"} and service.held == 8
