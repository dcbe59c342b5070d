"""What objects of the library keep for themselves (sockets, processes, the terminal), asked for by a class derived from theirs."""

from __future__ import annotations

import pytest

from tensorsh import Session
from tensorsh.sandbox import sealed

CLASSES = [
    "mp.Queue",
    "mp.SimpleQueue",
    "mp.JoinableQueue",
    "mp.Event",
    "mp.Pool",
    "mp.Process",
    "mp.Lock",
    "mp.Condition",
]
IMPORTS = "import torch.multiprocessing as mp, torch.distributed as dist\nfrom tqdm import tqdm\n"


@pytest.mark.filterwarnings("ignore")  # sockets that no one closes
@pytest.mark.parametrize("base", [*CLASSES, "tqdm", "dist.HashStore"])
def test_nothing_kept_is_read_or_taken(base: str) -> None:
    session = Session()
    session.run(IMPORTS + f"class Own({base}): pass\nmade = Own(1) if 'Pool' in {base!r} else Own()")
    made = session["made"]
    hidden = [name for name in {**getattr(made, "__dict__", {})} if name[0] == "_"]
    assert hidden
    try:
        for name in hidden:
            for program in (f"made.{name}", f"getattr(made, {name!r})", f"made.{name} = 1", f"del made.{name}"):
                with pytest.raises(AttributeError, match="not available in tensorsh"):
                    session.run(program)
            assert name not in session.run("vars(made)")
            for body in (f"{name} = 1", f"{name} = property(lambda self: 1)", f"def {name}(self, *args): return 1"):
                with pytest.raises(TypeError, match="cannot define"):
                    session.run(f"class Own({base}):\n    {body}")
            with pytest.raises((AttributeError, TypeError)):
                session.run(f"setattr(Own, {name!r}, 1)")
        with pytest.raises(TypeError, match="cannot define '__setattr__'"):
            session.run(f"class Own({base}):\n    def __setattr__(self, name, value): pass")
    finally:
        if base == "mp.Pool":
            session.run("made.terminate(); made.join()")


def test_own_attributes_stay_own() -> None:
    session = Session()
    session.run(
        IMPORTS
        + "class Worker(mp.Process):\n    def __init__(self):\n        super().__init__()\n        self._mine, self.count = 3, 4\n"
        "    def run(self): pass\nw = Worker(); w._mine += 1; w.start(); w.join()"
    )
    assert session.run("w._mine, w.count, w.exitcode, vars(w)['_mine']") == (4, 4, 0, 4)


def test_classes_that_keep_something_are_known() -> None:
    Session().run(IMPORTS + "mp.Queue, mp.Process")
    known = {cls.__module__ + "." + cls.__name__ for cls in sealed._keeping}
    assert {"multiprocessing.queues.Queue", "multiprocessing.context.Process"} <= known


@pytest.mark.filterwarnings("ignore")
def test_methods_call_those_above_them() -> None:
    """Names that are gated for numpy's arrays alone."""
    session = Session()
    session.run(
        IMPORTS + "class Own(mp.Queue):\n    def put(self, *a): return super().put(*a)\n"
        "class T(torch.Tensor):\n    def repeat(self, *a): return super().repeat(*a)\n    def numpy(self): return super().numpy()\n"
        "    def take(self, *a): return super().take(*a)\nq = Own(); q.put(3); t = torch.ones(2).as_subclass(T)"
    )
    assert session.run("q.get(), t.repeat(2).tolist(), t.numpy().tolist(), t.take(torch.tensor(0)).item()") == (
        3,
        [1.0] * 4,
        [1.0] * 2,
        1.0,
    )
    session.run("q.close()")
