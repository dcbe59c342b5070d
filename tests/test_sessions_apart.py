"""Nothing that a program does reaches another session, also when it raises or leaves something open."""

from __future__ import annotations

import gc
import signal
import threading
import warnings
from _thread import interrupt_main
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tensorsh import Session, torch
from tensorsh.sandbox import restored
from tensorsh.sandbox.files import Permissions

pytestmark = pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")

CHANGES = {
    "seed": "torch.manual_seed(1); randn(3)",
    "default dtype": "torch.set_default_dtype(torch.float64)",
    "default tensor type": "torch.set_default_tensor_type(torch.DoubleTensor)",
    "print options": "torch.set_printoptions(precision=1, sci_mode=True)",
    "grad mode": "torch.set_grad_enabled(False)",
    "grad mode held": "m = torch.no_grad(); m.__enter__()",
    "inference mode held": "m = torch.inference_mode(); m.__enter__()",
    "generator": "def g():\n    with torch.no_grad():\n        yield 1\nkept = g(); next(kept)",
    "anomaly": "torch.autograd.set_detect_anomaly(True)",
    "warnings": "import warnings; warnings.simplefilter('error')",
    "numpy print options": "np.set_printoptions(precision=2)",
    "numpy errors": "np.seterr(all='raise')",
    "numpy seed": "np.random.seed(3)",
    "random seed": "import random; random.seed(3)",
    "default device": "torch.set_default_device('meta')",
    "threads": "torch.set_num_threads(7)",
    "deterministic": "torch.use_deterministic_algorithms(True)",
    "rendezvous": "torch.distributed.register_rendezvous_handler('own', print)",
    "process group": "torch.distributed.init_process_group('gloo', init_method='file://x', rank=0, world_size=1)",
    "start method": "torch.multiprocessing.set_start_method('spawn', force=True)",
    "parametrizations": "kept = nn.utils.parametrize.cached(); kept.__enter__()",
    "wrapping": "kept = torch.distributed.fsdp.wrap.enable_wrap(wrapper_cls=print); kept.__enter__()",
    "mutation": "kept = torch.autograd.graph.allow_mutation_on_saved_tensors(); kept.__enter__()",
    "sharing strategy": "torch.multiprocessing.set_sharing_strategy('file_system')",
}
LOOK = """
import random
try: torch.distributed.init_process_group("gloo", init_method="own://x", rank=0, world_size=1)
except RuntimeError as error: refusal = str(error)
layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 1))
with torch.autograd.graph.allow_mutation_on_saved_tensors(): pass
(torch.initial_seed(), torch.get_default_dtype(), str(tensor([1.23456, 1e-9])), torch.is_grad_enabled(),
 torch.is_inference_mode_enabled(), torch.is_anomaly_enabled(), str(np.array([1.23456])), np.geterr(),
 torch.get_num_threads(), torch.are_deterministic_algorithms_enabled(), str(ones(1).device),
 torch.multiprocessing.get_start_method(), torch.multiprocessing.get_sharing_strategy(), refusal, torch.distributed.is_initialized(),
 layer.weight is layer.weight, torch.distributed.fsdp.wrap.wrap(5))
"""


def outside() -> tuple[object, ...]:
    return (
        torch.get_default_dtype(), torch.is_grad_enabled(), np.get_printoptions()["precision"],
        torch.is_anomaly_enabled(), torch.get_num_threads(), str(torch.tensor([1.23456])),
        [f for f in warnings.filters], np.random.get_state()[1][:3].tolist(),
    )  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def collections_are_short() -> None:
    """What other tests have loaded is not walked through at each collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def other() -> Iterator[Session]:
    session = Session()
    session.run("torch.manual_seed(5)")
    yield session


@pytest.mark.parametrize("ending", ["", "\nraise ValueError"], ids=["ends", "raises"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changes_stay_at_home(change: str, ending: str, other: Session) -> None:
    before, host = other.run(LOOK), outside()
    first = Session()
    try:
        first.run(change + ending)
    except (ValueError, RuntimeError, NotImplementedError):
        pass
    assert outside() == host
    assert other.run(LOOK) == before
    del first
    gc.collect()
    assert outside() == host and other.run(LOOK) == before


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_a_generator_does_at_the_end_stays_at_home(change: str) -> None:
    host, session = outside(), Session()
    body = "\n".join("        " + line for line in change.split("\n"))
    session.run(f"def end():\n    try:\n        yield\n    finally:\n{body}\nlast = end(); next(last)")
    del session
    gc.collect()
    assert outside() == host


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_a_generator_does_when_it_is_collected_stays_at_home(change: str, other: Session) -> None:
    before, host, session = other.run(LOOK), outside(), Session()
    body = "\n".join("        " + line for line in change.split("\n"))
    source = f"def end(own):\n    try:\n        yield\n    finally:\n        done.append(1)\n{body}\n"
    source += "own = []; own.append(end(own)); next(own[0]); del own"
    session["done"] = done = []
    gc.disable()
    try:
        session.run(source)
        gc.collect()
        assert done == [1] and outside() == host
        session.run(source)
        other["collect"] = gc.collect
        assert other.run("collect()" + LOOK) == before and done == [1, 1]
    finally:
        gc.enable()
    assert other.run(LOOK) == before and outside() == host


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_generator_has_its_own_permissions_wherever_it_ends(tmp_path: Path) -> None:
    first, second = Session(), Session(Permissions(write=True))
    source = f"def end(own):\n    try: yield\n    finally: torch.save(ones(1), {str(tmp_path / 'x.pt')!r})\n"
    source += "own = []; own.append(end(own)); next(own[0])\n"
    second["collect"] = gc.collect
    first.run(source)
    kept = [first["own"].pop()]
    with pytest.raises(PermissionError):
        kept.pop().close()
    first.run(source + "del own")
    second.run("collect()")
    assert not list(tmp_path.iterdir())


def test_an_object_of_a_program_has_its_permissions_also_when_the_host_prints_it(tmp_path: Path) -> None:
    path = str(tmp_path / "x.pt")
    found = Session().run(f"class A:\n    def __repr__(self): torch.save(ones(1), {path!r}); return ''\nA()")
    with pytest.raises(PermissionError, match="--allow-write"):
        repr(found)


def test_what_cannot_be_raised_is_said_in_our_words(capsys: pytest.CaptureFixture[str]) -> None:
    Session().run("def g():\n    try: yield\n    finally: ones(2) @ ones(3)\nx = g(); next(x); del x")
    said = capsys.readouterr().err
    assert said.startswith("Exception ignored in: <generator object g at") and "inconsistent tensor size" in said
    assert "Traceback" not in said and "tensorsh/" not in said


def test_a_change_holds_in_its_own_session() -> None:
    session = Session()
    session.run("torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False)")
    assert session.run("torch.get_default_dtype() is torch.float64, torch.is_grad_enabled()") == (True, False)


def test_random_streams_are_their_own() -> None:
    alone, first, second = Session(), Session(), Session()
    alone.run("torch.manual_seed(0)")
    want = [alone.run("rand(1).item()") for _ in range(3)]
    first.run("torch.manual_seed(0)")
    second.run("torch.manual_seed(0)")
    got = []
    for _ in range(3):
        got.append(first.run("rand(1).item()"))
        second.run("rand(5)")
    assert got == want


def test_a_generator_that_ends_in_another_session_changes_nothing() -> None:
    first, second = Session(), Session()
    first.run("def g():\n    with torch.no_grad():\n        yield 1\nkept = g(); next(kept)")
    second["close"] = first["kept"].close
    assert second.run("with torch.no_grad():\n    close(); inside = torch.is_grad_enabled()\ninside") is False
    assert second.run("torch.is_grad_enabled()") is True


def test_a_generator_of_another_session_uses_the_settings_of_who_runs_it() -> None:
    first, second = Session(), Session()
    first.run("def g():\n    with torch.enable_grad():\n        yield torch.is_grad_enabled()\nkept = g(); next(kept)")
    del first["kept"]
    gc.collect()
    assert second.run("torch.is_grad_enabled()") is True


def test_a_name_that_another_thread_is_loading_is_waited_for(monkeypatch):
    from tensorsh.engine.loading import table

    half, whole = threading.Event(), threading.Event()

    def load(name):  # an operator is entered in the table before its gradients are
        table.FUNCTIONS["made_up"] = "half"
        half.set()
        whole.wait(0.2)
        table.FUNCTIONS["made_up"] = "whole"

    monkeypatch.setattr(table, "FUNCTIONS", {})
    monkeypatch.setattr(table.importlib, "import_module", load)
    thread = threading.Thread(target=table.load, args=("made_up",))
    thread.start()
    half.wait()
    assert table.find_function("made_up") == "whole"
    thread.join()


def test_an_interrupt_in_a_collection_of_cycles_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    session, thresholds, handler = (
        Session(),
        gc.get_threshold(),
        signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    session.run("torch.set_default_dtype(torch.float64)")
    gc.callbacks.append(other := lambda phase, told: [phase for _ in range(9)])  # as other libraries have them
    gc.set_threshold(1, 1, 1)
    try:
        for _ in range(20):
            session["press"] = threading.Timer(0.01, interrupt_main).start
            with pytest.raises(KeyboardInterrupt):
                session.run("press()\nwith torch.no_grad():\n  while True: a = {1}, {2}")
            assert repr(session.run("torch.get_default_dtype(), torch.is_grad_enabled()")) == "(torch.float64, True)"
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(other)
        signal.signal(signal.SIGINT, handler)


def test_a_session_that_is_freed_in_the_midst_of_another_s_end(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.run("class A: pass")
    real, asked = restored._Takes, []

    def takes() -> object:
        if not asked:
            asked.append(True)
            restored.restore()
        return real()

    monkeypatch.setattr(restored, "_Takes", takes)
    monkeypatch.setattr(restored, "_known", ((0, 0, 0), [], [], []))
    restored.restore()
    monkeypatch.setattr(restored, "_known", ((0, 0, 0), *restored._known[1:]))
    restored.restore()
    assert asked and len(restored._known[1]) == len(restored._known[2]) == len(restored._known[3])
