"""Decimals and integers that become each other: what takes a moment is Python's own, what takes long is refused, in programs alone."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import pytest

from tensorsh import Session

pytest.importorskip("tensorsh.sandbox.decimals", reason="built without a compiler")
PREPARED = """
from decimal import Decimal as D
from fractions import Fraction
import math
b, c, digits = D('1e999999'), D('1e-999999'), D('0.' + '1' * 990_000)
n, f = 1 << 2**25, Fraction(1, 1 << 2**25)
"""
WHOLE = """int(b) b.__int__() math.floor(b) math.ceil(digits) math.trunc(b) round(b) c.as_integer_ratio() digits.as_integer_ratio()
Fraction(c) D.as_integer_ratio(b)""".split()
MEET = """D(n) D.from_float(n) b+n n+b b-n b*n n/b b//n n%b divmod(b,n) b**n n**b pow(b,2,n) b==n n<b b!=n b==f f>=b b.__add__(n)
b.__radd__(n) b.__eq__(n) b.compare(n) b.compare(other=n) D.max(b,n) b.fma(n,1) b.fma(1,n) b.quantize(n) b.scaleb(n)
b.next_toward(n) b.copy_sign(n) b.logical_and(n) b.remainder_near(n) b.compare_total(n) b.same_quantum(n)""".split()


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session()
    session.run(PREPARED)
    return session


@pytest.mark.parametrize("call", [*WHOLE, *MEET])
def test_long_numbers_are_refused(session: Session, call: str) -> None:
    begin = time.process_time()
    with pytest.raises(ArithmeticError, match="in tensorsh"):
        session.run(call)
    assert time.process_time() - begin < 1


def test_texts_of_many_digits_are_refused(session: Session) -> None:
    for call in ("D('1' * 10**7)", "D((0, (1,) * (2 * 10**6), 0))"):
        with pytest.raises(ArithmeticError, match="1000000 digits"):
            session.run(call)


def test_other_numbers_are_as_without_it(session: Session) -> None:
    calls = """int(D('12.5')) round(D('2.5')) round(D('2.345'),2) math.floor(D('-1.5')) math.ceil(D('-1.5')) math.trunc(D('-1.5'))
    D('0.5').as_integer_ratio() D(1)+2 2-D(1) D(3)*2 7/D(2) 7//D(2) 7%D(4) divmod(D(7),2) D(2)**3 2**D(3) pow(D(2),3,5) D(1)==1
    D(1)<2 D(1)==Fraction(1,1) D('0.5')>=Fraction(1,2) D(1)==1.0 D(1)=='1' D(1).max(2) D(1).compare(other=2) D(2).fma(3,4)
    D('1.25').quantize(D('0.1')) D(1).__add__(2) D(1).__add__('a') D(1).copy_sign(-2) D(7).remainder_near(4)""".split()
    import math

    own = {"D": Decimal, "Fraction": Fraction, "math": math}
    for call in calls:
        assert repr(session.run(call)) == repr(eval(call, own)), call
    for call in (
        "D(1).max()",
        "D(1).compare(1, 2, 3)",
        "D(1).max(1, 2, 3, 4, 5, 6, 7, 8, 9)",
        "int(D('nan'))",
        "D(1) + 'a'",
    ):
        with pytest.raises((TypeError, ValueError)):
            session.run(call)
    assert session.run("D.max.__doc__") == Decimal.max.__doc__


def test_a_host_computes_on(session: Session) -> None:
    assert int(Decimal("1e100001")) == 10**100001 and Decimal(1) != 1 << 2**19
