"""`name?` explains every argument of everything public: where a docstring does not name one, a line of `arguments.txt` does."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import EnumType
from typing import Any

import pytest

from tensorsh.assist import about
from tensorsh.engine.loading.recorded import entries
from tensorsh.engine.operators.arguments import FILE, meaning, told_in_full
from tensorsh.session import Session

NAMESPACES = """
torch torch.Tensor torch.amp torch.autograd torch.autograd.forward_ad torch.autograd.functional torch.autograd.graph
torch.autograd.profiler torch.cuda torch.cuda.amp torch.distributed torch.distributed.checkpoint torch.distributed.fsdp
torch.distributed.tensor torch.distributed.tensor.parallel torch.distributions torch.distributions.transforms torch.fft
torch.func torch.jit torch.library torch.linalg torch.masked torch.multiprocessing torch.nested torch.nn torch.nn.attention
torch.nn.functional torch.nn.init torch.nn.parallel torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize
torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.stateless torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
torch.profiler torch.random torch.sparse torch.special torch.testing torch.utils.checkpoint torch.utils.data
""".split()
GIVEN = frozenset(
    "dtype layout memory_format qscheme FunctionEvent CustomOpDef DebugLevel "
    "ProcessGroup Work ProcessContext ProcessException ProcessExitedException ProcessRaisedException".split()
)
"""Classes whose objects programs are given, and make none."""


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    made.run("import torch, torch.distributed.checkpoint, torch.distributed.fsdp, torch.distributed.tensor.parallel")
    made.run("import torch.library, torch.masked, torch.multiprocessing, torch.nested, torch.profiler, torch.testing")
    return made


def public(session: Session) -> Iterator[tuple[str, Any]]:
    """What is public and can be called, once each."""
    seen = set()
    for space in NAMESPACES:
        inside = session.run(space)
        for name in dir(inside):
            if name.startswith("_") or name in GIVEN:
                continue
            value = getattr(inside, name)
            module = getattr(value, "__module__", None) or ""
            if isinstance(value, EnumType):  # its values are there
                continue
            if callable(value) and id(value) not in seen and module.startswith(("torch", "tensorsh")):
                seen.add(id(value))
                yield f"{space}.{name}", value


def test_every_argument_is_explained(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "formulas", lambda operator: {})  # each is read out of its file
    silent, lacking, count = [], [], 0
    for name, value in public(session):
        found = session.inspect(name)
        assert found is not None, name
        told = found.doc.partition(">>> ")[0]
        if not told.strip():
            silent.append(name)
        try:
            parameters = inspect.signature(value).parameters
        except (TypeError, ValueError):
            continue
        words = set(re.findall(r"\w+", told))
        for each in parameters:
            if each not in ("self", "args", "kwargs", "out") and each[0] != "_":
                count += 1
                if each not in words:
                    lacking.append(f"{name}: {each}")
    assert not silent
    assert not lacking, "\n".join(lacking)
    assert count > 5000


def test_help_in_plain_python_tells_the_same() -> None:
    from tensorsh import torch

    function = torch.nn.functional.cross_entropy
    inspect.signature(function)  # as `help` asks first
    assert "  label_smoothing (0.0): the part of the probability" in function.__doc__
    assert function.__doc__.index("label_smoothing") < function.__doc__.index(">>> ")
    before = function.__doc__
    inspect.signature(function)
    assert function.__doc__ == before


def test_the_narrower_line_comes_first() -> None:
    assert meaning("torch.nn.functional.conv2d", "bias") == "a number for each output channel, [O]; None adds nothing"
    assert meaning("torch.cross", "input") == "the tensor"
    assert meaning("Tensor.clamp_", "min") is None


def test_a_named_argument_is_not_told_twice() -> None:
    parameters = inspect.signature(lambda input, dim=0, keepdim=False: 0).parameters.values()
    assert told_in_full("sum", parameters, "Along `dim`.\n\n>>> sum(x, keepdim=True)") == (
        "Along `dim`.\n\nOther arguments:\n  input: the tensor.\n  keepdim (False): keep what is reduced as a dimension of "
        "size 1.\n\n>>> sum(x, keepdim=True)"
    )
    assert told_in_full("sum", (), "Along `dim`.") == "Along `dim`."


def test_lines_are_sentences_without_their_period() -> None:
    for head, text in entries(FILE):
        assert text and text[-1] not in ".;,", head
        assert re.fullmatch(r"(?:[\w*.]+(?:,[\w*.]+)* )?\w+", head), head
