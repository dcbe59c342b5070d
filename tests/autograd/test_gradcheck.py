"""`gradcheck` leaves what it checks as it was: a graph made before it can still be walked."""

from __future__ import annotations

from tensorsh import Session


def test_a_graph_made_before_the_check_is_walked_after_it() -> None:
    session = Session()
    session.run("x = tensor([2., 3.], dtype=torch.float64, requires_grad=True)\ny = (x ** 3).sum()")
    assert session.run("torch.autograd.gradcheck(lambda v: v ** 3, (x,))") is True
    session.run("y.backward()")
    assert session.run("x.grad.tolist(), x.tolist()") == ([12.0, 27.0], [2.0, 3.0])
