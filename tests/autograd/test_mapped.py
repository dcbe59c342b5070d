"""What a function mapped by `vmap` may not ask of its slices, in PyTorch 2.13's words; and what it may."""

from __future__ import annotations

import pytest

from tensorsh import Session

BRANCH = "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow."
NUMBER = "vmap: It looks like you're calling .item() on a Tensor."
DYNAMIC = "vmap: We do not support batching operators that can "
HEAD = "x = tensor([1., -2., 3.]); y = ones(2, 3); n = tensor([0, 1])\n"


@pytest.mark.parametrize(
    "program, said",
    [
        ("vmap(lambda a: a if a > 0 else -a)(x)", BRANCH),
        ("vmap(lambda a: a if a.sum() > 0 else -a)(y)", BRANCH),
        ("vmap(lambda a: a * max(a, a * 2))(x)", BRANCH),
        ("vmap(lambda a, b: a if a + b > 0 else b, in_dims=(0, None))(x, x[0])", BRANCH),
        ("vmap(vmap(lambda a: a if a > 0 else -a))(y)", BRANCH),
        ("vmap(lambda a: vmap(lambda b: b if a > 0 else -b)(x))(x)", BRANCH),
        ("vmap(lambda a: a.item())(x)", NUMBER),
        ("vmap(lambda a: tensor(float(a)))(x)", NUMBER),
        ("vmap(lambda a: x[int(a)])(n)", NUMBER),
        ("vmap(lambda a: x[range(3)[a]])(n)", NUMBER),
        ("vmap(lambda a: tensor(a.tolist()))(x)", "Cannot access data pointer of Tensor that doesn't have storage"),
        ("vmap(lambda a: a.nonzero())(y)", DYNAMIC + "output dynamic shape. Attempted to vmap over aten::nonzero."),
        ("vmap(lambda a: a.unique())(y)", DYNAMIC + "output dynamic shape. Attempted to vmap over aten::_unique2."),
        ("vmap(lambda a: a[a > 0])(y)", DYNAMIC + "support dynamic shape. Attempting to batch over indexing"),
        ("vmap(lambda a: a.masked_select(a > 0))(y)", "vmap: Attempted to vmap over `mask` in torch.masked_select"),
        ("vmap(lambda a: a if a.equal(a) else a)(y)", "Batching rule not implemented for aten::equal."),
        ("vmap(lambda a: a if allclose(a, a) else a)(y)", "vmap over torch.allclose isn't supported yet."),
    ],
)
def test_what_depends_on_a_slice_is_refused(program: str, said: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        Session().run(HEAD + program)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "program, shown",
    [
        ("vmap(lambda a: a if (x > 0).all() else -a)(x)", "tensor([-1.,  2., -3.])"),
        ("vmap(lambda a: a * x.sum().item())(x)", "tensor([ 2., -4.,  6.])"),
        ("vmap(lambda a: x[a])(n)", "tensor([ 1., -2.])"),
        ("vmap(lambda a: sum(v for v in a))(y)", "tensor([3., 3.])"),
        ("vmap(lambda a: a if a.dim() > 0 else -a)(y)", "tensor([[1., 1., 1.],\n        [1., 1., 1.]])"),
        ("vmap(lambda a: where(a > 0, a, -a))(x)", "tensor([1., 2., 3.])"),
        ("vmap(lambda a: a if x is not None and a is not x else -a)(x)", "tensor([ 1., -2.,  3.])"),
        (
            "torch.func.vmap(torch.func.grad(lambda w, a: (w * a) ** 2), in_dims=(None, 0))(x[2], x)",
            "tensor([ 6., 24., 54.])",
        ),
    ],
)
def test_what_depends_on_none_is_not(program: str, shown: str) -> None:
    assert repr(Session().run(HEAD + program)) == shown


def test_a_refusal_leaves_nothing_behind() -> None:
    session = Session()
    with pytest.raises(RuntimeError):
        session.run(HEAD + "vmap(lambda a: a if a > 0 else -a)(x)")
    assert session.run("x[0].item()") == 1.0 and session.run("1 if x[0] > 0 else 2") == 1


def test_what_draws_in_place_draws_the_same_for_all_slices_where_that_is_asked() -> None:
    session = Session()
    session.run("y = vmap(lambda a: torch.alpha_dropout_(a.clone(), 0.5, True), randomness='same')(ones(8, 16))")
    assert session.run("bool((y == y[0]).all()), bool((y[0] == y[0, 0]).all())") == (True, False)
