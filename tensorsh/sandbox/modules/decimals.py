"""`decimal` for programs: numbers that become decimal, and whole again, in time."""

from __future__ import annotations

from functools import cache

from ..kinds import Calling, stand_in
from .standard import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..environment import Environment


def decimal(environment: Environment) -> dict[str, Any]:
    import decimal as real

    names = """DivisionByZero InvalidOperation ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN
    ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP"""
    return take(real, names) | {"Decimal": _decimals()}


MOST_BITS = 1 << 19
"""Bits of a whole number that becomes decimal in a moment."""


@cache
def _decimals() -> Any:
    """`Decimal`, which makes numbers with exponents that its arithmetic has, too: others take for ever to become whole."""
    from decimal import Decimal, DefaultContext, Overflow

    def made(value: Any = "0", context: Any = None) -> Decimal:
        if isinstance(value, int) and int.bit_length(value) > MOST_BITS:
            raise Overflow(
                f"Decimal() takes whole numbers of at most {MOST_BITS} bits in tensorsh: give it longer ones as text"
            )
        number = Decimal(value, context)
        if number.is_finite() and number and abs(number.adjusted()) > DefaultContext.Emax:
            raise Overflow(f"exponents of a Decimal end at {DefaultContext.Emax} in tensorsh, as its arithmetic does")
        return number

    methods = {name: value for name, value in vars(Decimal).items() if name[0] != "_" and callable(value)}
    methods["from_float"] = staticmethod(Decimal.from_float)
    return stand_in(Decimal, "", Calling, _made=made, **methods)
