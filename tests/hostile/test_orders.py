"""The order of lists and of numpy's structures, which tensorsh brings about in pieces and steps: it is Python's, and numpy's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensorsh import Session


def test_orders_in_pieces_and_in_steps_are_pythons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import random
    from fractions import Fraction

    from tensorsh.sandbox import builtins, long_lists

    if builtins.bounds is None:
        pytest.skip("built without a compiler")
    monkeypatch.setattr(long_lists, "PIECE", 1 << 15)
    draw = random.Random(1)

    def ordered(items: list, key: Callable, reverse: object) -> list:
        """By merging, in Python: an order that Python's own sort has no part in."""
        if len(items) < 2:
            return list(items)
        half = len(items) // 2
        left, right = ordered(items[:half], key, reverse), ordered(items[half:], key, reverse)
        found = []
        i = j = 0
        while i < len(left) and j < len(right):
            later = key(left[i]) < key(right[j]) if reverse else key(right[j]) < key(left[i])
            found.append(right[j] if later else left[i])
            i, j = i + (not later), j + later
        return found + left[i:] + right[j:]

    long = (0,) * 2 * 10**6
    kinds = {
        "numbers": lambda: draw.random(),
        "pairs": lambda: (draw.randrange(3), str(draw.randrange(4))),
        "sets": lambda: frozenset([draw.randrange(4)]),
        "fractions": lambda: Fraction(draw.randrange(5), 3),
        "long ones": lambda: (*long[: draw.choice([0, 20])], draw.randrange(3)),
    }
    for make in kinds.values():
        for n in (0, 1, 2, 50, 300):
            items = [make() for _ in range(n)]
            for key in (lambda x: x, lambda x: str(x)[:3], lambda x: (str(x)[-2:], x)):
                for reverse in (False, True):
                    found = sorted(items, key=key, reverse=reverse)
                    assert list(map(id, found)) == list(map(id, ordered(items, key, reverse)))
            found = sorted(items)
            assert list(map(id, found)) == list(map(id, ordered(items, lambda x: x, False)))
    many = [(k % 7, k) for k in draw.sample(range(3 * 10**5), 3 * 10**5)]
    assert sorted(many) == [(k % 7, k) for r in range(7) for k in range(r, 3 * 10**5, 7)]
    found = sorted(many, key=lambda x: (x[0], 1, 1, 1), reverse=True)
    assert found == [x for r in range(6, -1, -1) for x in many if x[0] == r]
    two = [long + (1,), long + (0,)]
    assert sorted(two) == two[::-1] and sorted([0, 1], key=lambda k: two[k]) == [1, 0]
    for wrong, told in {
        "[2].sort(1)": "sort() takes no positional arguments",
        "[2].sort(how=1)": str(pytest.raises(TypeError, [2].sort, how=1).value),
        "[2, 'a'].sort()": "'<' not supported between instances of 'str' and 'int'",
        "[{}, {}].sort()": "'<' not supported between instances of 'dict' and 'dict'",
        "a = [1, 2]; a.sort(key=lambda x: a.append(3))": "list modified during sort",
        "class A(list):\n  def __len__(self): return 0\na = A([2, 1]); a.sort(); a == [1, 2] or 1 / 0": "",
    }.items():
        try:
            Session().run(wrong)
            assert not told
        except (TypeError, ValueError) as error:
            assert str(error) == told


def test_structures_are_ordered_by_their_fields() -> None:
    a = np.zeros(3 * 10**5, dtype=[("x", int), ("y", float)])
    draw = np.random.default_rng(1)
    a["x"], a["y"] = draw.integers(0, 9, a.size), draw.permutation(a.size)
    found = Session().run("def f(a): return a.argsort(), np.sort(a), np.sort(a.reshape(3, -1), axis=0, order='y')\nf")(
        a
    )
    expected = np.lexsort((a["y"], a["x"]))
    assert (found[0] == expected).all() and (found[1] == a[expected]).all()
    assert (found[2]["y"] == np.sort(a["y"].reshape(3, -1), axis=0)).all()
    with pytest.raises(ValueError, match="unknown field name: z"):
        a.argsort(order="z")


def test_a_program_is_shown_its_own_values_in_an_order() -> None:
    program = """
seen = set()
class A:
    def __lt__(self, other): seen.add(type(other)); return False
    __gt__ = __lt__
many = [A() for i in range(40)] + [(0,) * 100] * 40
sorted(many), sorted(range(80), key=many.__getitem__)
class B:
    __eq__ = [1].count
    __hash__ = object.__hash__
    __len__ = str.__len__
told = [B() == 1, [B()].index(1)]
try: len(B())
except TypeError as error: told.append(str(error))
seen == {A, tuple}, told, type(filter(int, [])) is filter, [*filter(int, "10")], [*filter(None, [0, 1])]
"""
    assert Session().run(program) == (
        True,
        [1, 0, "descriptor '__len__' requires a 'str' object but received a 'B'"],
        True,
        ["1"],
        [1],
    )
