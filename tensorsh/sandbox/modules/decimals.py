"""`decimal` for programs: numbers that become decimal, and whole again, in time."""

from __future__ import annotations

import sys
from functools import cache

from ..iterating import presented
from ..kinds import Calling, stand_in
from ..sealed import program_frame
from .standard import take

try:
    from ..decimals import look_at  # type: ignore[import-not-found]
except ImportError:
    look_at = None  # built without a compiler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..environment import Environment


def decimal(environment: Environment) -> dict[str, Any]:
    import decimal as real

    names = """DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN
    ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP"""
    return take(real, names) | {"Decimal": _decimals()}


MOST_BITS = 1 << 18
"""Bits of a whole number that becomes decimal in a moment."""
MOST_DIGITS = 1_000_000
"""Digits of a number that is computed with in a moment."""


def refuse(number: Any) -> None:
    """Refuses a number that takes long to become decimal, or whole, where a program asks."""
    from decimal import Overflow

    if program_frame(sys._getframe(1)) is not None:
        raise Overflow(
            f"a whole number of more than {MOST_BITS} bits does not meet a Decimal in tensorsh: give it as text"
            if isinstance(number, int)
            else "a Decimal of more than 100000 digits does not become a whole number in tensorsh: round it, or keep it decimal"
        )


@cache
def _decimals() -> Any:
    """`Decimal`, which makes numbers with exponents that its arithmetic has, too: others take for ever to become whole."""
    from decimal import Decimal, DefaultContext, Overflow

    if look_at is not None:
        look_at(Decimal, refuse)

    def bounded(value: Any) -> Any:
        if isinstance(value, int) and int.bit_length(value) > MOST_BITS:
            raise Overflow(
                f"Decimal() takes whole numbers of at most {MOST_BITS} bits in tensorsh: give it longer ones as text"
            )
        digits = value[1] if isinstance(value, (tuple, list)) and len(value) == 3 else value
        if isinstance(digits, (str, tuple)) and len(digits) > MOST_DIGITS:
            raise Overflow(f"Decimal() takes at most {MOST_DIGITS} digits in tensorsh")
        return value

    def made(value: Any = "0", context: Any = None) -> Decimal:
        number = Decimal(bounded(value), context)
        if number.is_finite() and number and abs(number.adjusted()) > DefaultContext.Emax:
            raise Overflow(f"exponents of a Decimal end at {DefaultContext.Emax} in tensorsh, as its arithmetic does")
        return number

    def from_float(f: Any, /) -> Decimal:
        return Decimal.from_float(bounded(f))

    methods = {name: value for name, value in vars(Decimal).items() if name[0] != "_" and callable(value)}
    methods["from_float"] = staticmethod(presented(from_float, Decimal.from_float))
    return stand_in(Decimal, "", Calling, _made=made, **methods)
