"""Entries that use `_`, `Out` and `In` as a program that stands alone."""

from __future__ import annotations

import pytest

from tensorsh.shell.alone import standing_alone
from tensorsh.shell.record import Record, transcript


def records(*entries: tuple[str, set[int]]) -> list[Record]:
    found = []
    for number, (text, kept) in enumerate(entries, 1):
        record = Record(number, text)
        record.kept = kept
        record.done = True
        found.append(record)
    return found


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([("1 + 1", {0}), ("2 * 3", {0})], ["1 + 1", "2 * 3"]),
        ([("1 + 1", {0}), ("_ + 1", {0})], ["_1 = 1 + 1; _1", "_1 + 1"]),
        ([("x = 5", set()), ("x", {0}), ("Out[2] + _2 + _", {0})], ["x = 5", "_2 = x; _2", "_2 + _2 + _2"]),
        ([("1; 2", {0, 1}), ("__, _", {0})], ["_1_0 = 1; _1_0; _1 = 2; _1", "_1_0, _1"]),
        ([("'é'; 2  # two", {0, 1}), ("_", {0})], ["'é'; _1 = 2; _1  # two", "_1"]),
        ([("f(\n  1)", {0}), ("g(_)", set())], ["_1 = f(\n  1); _1", "g(_1)"]),
        ([("1 + 1", {0}), ("In[1]", {0})], ["1 + 1", "'1 + 1'"]),
        (
            [("1", {0}), ("for _i in range(2): print(_i)", set())],
            ["1", "for _i in range(2): print(_i)"],
        ),  # the program's own
        ([("x = 2", set()), ("x", {0}), ("_i, _ii, _i1", {0})], ["x = 2", "x", "'x', 'x = 2', 'x = 2'"]),
        ([("1", {0}), ("for _ in range(2): print(_)", set()), ("_", {0})], ["1", "for _ in range(2): print(_)", "_"]),
        ([("1", {0}), ("[_ for _ in range(2)]", {0})], ["1", "[_ for _ in range(2)]"]),
        ([("_", {0}), ("Out[9]", {0}), ("not python ?", set())], ["_", "Out[9]", "not python ?"]),
    ],
)
def test_what_was_kept_gets_a_name(entries: list[tuple[str, set[int]]], expected: list[str]) -> None:
    assert list(standing_alone(records(*entries)).values()) == expected


def test_a_transcript_of_outputs_passes_as_a_test(tmp_path) -> None:
    from tensorsh.golden.runner import run_file

    written = records(("ones(2) * 2", {0}), ("_ + 1", {0}), ("Out[1] + _2", {0}))
    for record, text in zip(written, ["tensor([2., 2.])", "tensor([3., 3.])", "tensor([5., 5.])"], strict=True):
        record.outputs.append((1, 1, text + "\n"))
    path = tmp_path / "written.tsr"
    path.write_text(transcript(written))
    assert run_file(path).ok


def test_an_output_that_is_not_there_is_none_in_the_transcript(tmp_path) -> None:
    from tensorsh.golden.runner import run_file

    written = records(("1 + 1", {0}), ("Out[7]", set()))
    written[0].outputs.append((1, 1, "2\n"))
    written[1].error = "KeyError: 7"
    path = tmp_path / "written.tsr"
    path.write_text(transcript(written))
    assert run_file(path).ok
