"""Wrong calls and programs: error type and first line as PyTorch's.

`errors_not_yet.txt` names the cases that are told otherwise, one a line; who mends one takes it out.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tensorsh import torch
from tensorsh.engine.loading.recorded import records
from tensorsh.engine.wording.arguments import mismatch

from ..support.outcomes import as_read, refusal, space
from ..support.tables import pairs

NOT_YET = set((Path(__file__).parent / "errors_not_yet.txt").read_text().splitlines())
SPACE = space(torch)
TABLES = {"errors": 2400, "errors_every": 3700, "errors_layers": 460, "errors_of_users": 3000}
"""Tables of cases, and how many each has at least."""


@cache
def recorded(table: str) -> dict[str, str]:
    return pairs(table)


@pytest.mark.parametrize(("table", "start"), [(table, at) for table, n in TABLES.items() for at in range(0, n, 100)])
def test_errors(table: str, start: int) -> None:
    """A hundred cases of a table, and whatever stands behind the last hundred."""
    end = start + 100 if start + 100 < TABLES[table] else None
    cases = list(recorded(table))[start:end]
    outcomes = {case: (as_read(recorded(table)[case]), as_read(refusal(torch, case, SPACE))) for case in cases}
    wrong = {case: pair for case, pair in outcomes.items() if pair[0] != pair[1]}
    pardoned = NOT_YET.intersection(cases)
    assert wrong.keys() == pardoned, "\n".join(
        [f"mended, take it out of errors_not_yet.txt: {case}" for case in pardoned - wrong.keys()]
        + [
            f"{case}\n  PyTorch: {want}\n  here:    {told}"
            for case, (want, told) in wrong.items()
            if case not in pardoned
        ]
    )


def test_most_are_pytorchs() -> None:
    for table, count in TABLES.items():
        assert len(recorded(table)) >= count
    assert len(NOT_YET) < 0.05 * len(recorded("errors")) and NOT_YET <= recorded("errors").keys()


def test_words_for_arguments_that_fit_no_overload() -> None:
    x = torch.ones(2, 2)
    for name, args, kwargs, said in (
        ("sum", (x,), {"dim": "a"}, "sum() received an invalid combination of arguments - got (Tensor, dim=str), but expected one of:"),
        ("Tensor.add", (x, "a"), {}, "add(): argument 'other' (position 1) must be Tensor, not str"),
        ("cumsum", (x, 1.5), {}, "cumsum(): argument 'dim' (position 2) must be int, not float"),
        ("Tensor.neg", (x, 1), {}, "TensorBase.neg() takes no arguments (1 given)"),
        ("linalg.inv", (), {}, 'linalg_inv() missing 1 required positional arguments: "A"'),
        ("zeros", (2, "a"), {}, "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got str\""),
    ):  # fmt: skip
        assert str(mismatch(name, args, kwargs)).split("\n")[0] == said
    assert mismatch("add", (x, 2), {"alpha": 3}) is None and mismatch("nn.functional.relu", (x,), {}) is None
    assert str(mismatch("nn.functional.relu", (), {})) == "relu() missing 1 required positional argument: 'input'"
    assert len(records().splitlines()) > 1200


def test_sparse_and_pinned_tensors_are_refused() -> None:
    for make in (lambda **o: torch.eye(1, **o), lambda **o: torch.ones_like(torch.zeros(1), **o)):
        with pytest.raises(NotImplementedError, match="tensorsh has no torch.sparse_coo tensors"):
            make(layout=torch.sparse_coo)
        assert make(layout=torch.strided).tolist() in ([[1]], [1])
    with pytest.raises(RuntimeError, match="not implemented for sparse layout"):
        torch.ones(2, layout=torch.sparse_coo)


@pytest.mark.parametrize(
    "call", ["torch.ones(2).to('xpu')", "torch.nn.Linear(2, 2).to('xpu')", "torch.empty(2, device='xpu')"]
)
def test_a_device_that_is_not_there_is_refused(call: str) -> None:
    with pytest.raises(RuntimeError, match="Could not run on the 'xpu' device"):
        eval(call)


@pytest.mark.parametrize("label", [7, 5, -1])
def test_labels_of_ctc_loss_lie_among_the_classes(label: int) -> None:
    """PyTorch reads memory beyond the probabilities; the words are those of its other losses."""
    probabilities = torch.zeros(4, 1, 5).log_softmax(2)
    with pytest.raises(IndexError, match=f"Target {label} is out of bounds"):
        torch.nn.functional.ctc_loss(probabilities, torch.tensor([[1, label]]), (4,), (2,))
    assert (
        torch.nn.functional.ctc_loss(probabilities, torch.tensor([[1, label]]), (4,), (1,)) > 0
    )  # what is not read may be anything


def test_lists_without_elements_are_told() -> None:
    functional, x = torch.nn.functional, torch.ones(1, 2)
    told = {
        "Padding size 0 is not supported for 2D input tensor.": lambda: functional.pad(x, [], mode="replicate"),
        "Padding size 0 is not supported for 1D input tensor.": lambda: functional.pad(x[0], [], mode="circular"),
        "Expected normalized_shape to be at least 1-dimensional": lambda: functional.rms_norm(x, []),
    }
    for text, call in told.items():
        with pytest.raises((RuntimeError, NotImplementedError), match=text):
            call()
