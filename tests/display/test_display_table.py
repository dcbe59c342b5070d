"""Tables: aligned, fitted, and in ASCII where nothing else can be shown."""

from __future__ import annotations

import pytest

from tensorsh.display.cells import cell_width
from tensorsh.display.table import fitted, table_text

COLUMNS = ["name", "dtype", "shape", "memory"]
ROWS = [
    ["x", "float32", "[3, 4]", "48 B"],
    ["重み", "float64", "[100, 200]", "160.0 kB"],
    ["a_long_variable_name", "int64", "[]", "8 B"],
]


def test_aligned_with_wide_characters():
    assert table_text(COLUMNS, ROWS, right=["memory"]).split("\n") == [
        "name                  dtype    shape         memory",
        "───────────────────────────────────────────────────",
        "x                     float32  [3, 4]          48 B",
        "重み                  float64  [100, 200]  160.0 kB",
        "a_long_variable_name  int64    []               8 B",
    ]


def test_ascii():
    text = table_text(COLUMNS, ROWS, unicode=False, width=44)
    assert text.isascii() and "\\u91cd\\u307f" in text and "a_long_var..." in text


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [1, 5, 12, 20, 40, 60, 300])
def test_never_wider_than_allowed(width, unicode):
    lines = table_text(COLUMNS, ROWS, width=width, unicode=unicode, right=["memory"]).split("\n")
    assert len(lines) == 5
    assert max(map(cell_width, lines)) <= width


def test_fitting_takes_from_the_widest_and_drops_the_last():
    assert fitted([20, 7, 10], 100) == [20, 7, 10]
    assert fitted([20, 7, 10], 31) == [10, 7, 10]
    assert fitted([20, 7, 10], 25) == [7, 7, 7]
    assert fitted([20, 7, 10], 15) == [6, 7]
    assert fitted([20], 3) == [3]


def test_no_rows_and_line_breaks_in_cells():
    assert table_text(["a", "b"], []).split("\n") == ["a  b", "────"]
    assert table_text(["a"], [["one\ntwo"]]).split("\n")[-1] == "one two"


def test_what_can_be_spared_goes_first():
    lines = table_text(COLUMNS, ROWS, width=44, spare=["dtype", "shape"]).split("\n")
    assert lines[0].split() == ["name", "shape", "memory"] and "a_long_variable_name" in lines[-1]
    assert table_text(COLUMNS, ROWS, width=60, spare=["dtype"]) == table_text(COLUMNS, ROWS, width=60)
