"""Tables of cases that are one test (tests/support/cases.py)."""

from __future__ import annotations

import pytest

from .support.cases import all_pass


def test_each_case_that_is_wrong_is_named() -> None:
    def check(name: str, number: int) -> None:
        if name == "refused":
            pytest.fail("as it is")
        assert number < 3

    all_pass(check, {"small": 1, "smaller": 0}.items())
    with pytest.raises(AssertionError) as caught:
        all_pass(check, [("small", 1), ("large", 5), ("refused", 2), ("larger", 7)])
    said = str(caught.value)
    assert said.startswith("3 cases are wrong") and "small\n" not in said
    assert all(f"\n{name}\n" in said for name in ("large", "refused", "larger")) and "as it is" in said
