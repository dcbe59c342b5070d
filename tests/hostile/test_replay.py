"""Hostile programs against compiled functions: whatever changes before, during or between calls, no memory but a program's own is
read or written, and the answer is that of the function as it stands, or its error."""

from __future__ import annotations

import numpy as np
import pytest

from tensorsh import Session
from tensorsh.engine.kernels import compiled, kernel

pytestmark = pytest.mark.skipif(kernel("Program") is None, reason="there are no programs without the compiled kernels")
F32, U8 = np.dtype(np.float32), np.dtype(np.uint8)


def product(a, b):
    """The kernel of products, its arguments and its result, as a recording has them."""
    calls: list = []
    compiled.record_calls(calls)
    try:
        compiled.product(a, b)
    finally:
        compiled.record_calls(None)
    return calls[0]


def matrix(rows, columns):
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


@pytest.fixture
def made():
    callee, args, _ = product(matrix(4, 8), matrix(8, 3))
    return compiled.Program(
        ((F32.num, 128), (F32.num, 96), (F32.num, 48)), ((callee, args),), (), ((0, ((0, 0), (1, 0), (2, 0))),)
    )


def test_a_program_gives_the_kernels_numbers(made):
    out = np.empty((4, 3), np.float32)
    assert made(matrix(4, 8), matrix(8, 3), out) is True
    assert (out == compiled.product(matrix(4, 8), matrix(8, 3))).all()


UNUSUAL = {
    "fewer elements": lambda a, b, c: (a[:3], b, c),
    "more elements": lambda a, b, c: (matrix(5, 8), b, c),
    "another dtype": lambda a, b, c: (a.view(np.int32), b, c),
    "doubles": lambda a, b, c: (a.astype(np.float64), b, c),
    "columns first": lambda a, b, c: (np.asfortranarray(a), b, c),
    "every second row": lambda a, b, c: (matrix(8, 8)[::2], b, c),
    "repeated": lambda a, b, c: (np.broadcast_to(a[0], (4, 8)), b, c),
    "no array": lambda a, b, c: (None, b, c),
    "a list": lambda a, b, c: (a.tolist(), b, c),
    "a subclass": lambda a, b, c: (a.view(np.matrix), b, c),
    "objects": lambda a, b, c: (a.astype(object), b, c),
    "another byte order": lambda a, b, c: (a.astype(">f4"), b, c),
    "one missing": lambda a, b, c: (a, b),
    "one too many": lambda a, b, c: (a, b, c, c),
    "a small result": lambda a, b, c: (a, b, c[:1]),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_a_program_answers_none_to_other_arrays(made, kind):
    assert made(*UNUSUAL[kind](matrix(4, 8), matrix(8, 3), np.empty((4, 3), np.float32))) is None


def test_a_result_that_cannot_be_written_is_refused(made):
    out = np.zeros((4, 3), np.float32)
    out.flags.writeable = False
    assert made(matrix(4, 8), matrix(8, 3), out) is None and not out.any()


def test_no_program_reaches_beyond_its_regions():
    """Regions of a byte fewer, places before and after them, numbers that overflow: none of these programs is made."""
    callee, args, _ = product(matrix(4, 8), matrix(8, 3))
    loop = matrix_loop()
    good = ((F32.num, 128), (F32.num, 96), (F32.num, 48))
    far = (1, 4, -4, 124, 128, 1 << 40, 1 << 62, (1 << 63) - 4, -(1 << 63))
    for offset in far:
        with pytest.raises(ValueError):
            compiled.Program(good, ((callee, args),), (), ((0, ((0, offset), (1, 0), (2, 0))),))
        with pytest.raises(ValueError):
            compiled.Program(
                good, (), (), ((loop, 0, 32, 1, ((0, offset, 4, 0, 4), (0, 0, 4, 0, 4), (0, 0, 4, 0, 4))),)
            )
    for regions in (((F32.num, 124), *good[1:]), (*good[:2], (F32.num, 44)), (good[0],), ()):
        with pytest.raises(ValueError):
            compiled.Program(regions, ((callee, args),), (), ((0, ((0, 0), (1, 0), (2, 0))),))
    for place in (
        (3, 0, 4, 0, 4),
        (-2, 0, 0, 0, 0),
        (0, 0, 8, 0, 8),
        (0, 0, 4, 4, 4),
        (0, 0, 4, -4, 4),
        (0, 0, -4, 0, -4),
        (0, 2, 4, 0, 4),
        (0, 0, 4, 0, 8),
    ):
        with pytest.raises(ValueError):
            compiled.Program(good, (), ((1.0, False),), ((loop, 0, 32, 2, (place, (0, 0, 4, 0, 4), (0, 0, 4, 0, 4))),))
    for count, rows in ((33, 1), (0, 1), (-1, 1), (1 << 62, 1), (1, 1 << 62), (32, 0)):
        with pytest.raises((ValueError, OverflowError)):
            place = (0, 0, 4, 4, 4)
            compiled.Program(good, (), (), ((loop, 0, count, rows, (place, place, place)),))
    for step in (
        (1, ()),
        (-1, ()),
        (0, ()),
        (0, ((0, 0),)),
        (),
        (loop,),
        "ab",
        None,
        (0, ((0, 0), (1, 0), (2, 0), (2, 0))),
    ):
        with pytest.raises((ValueError, TypeError)):
            compiled.Program(good, ((callee, args),), (), (step,))


def matrix_loop():
    return compiled.Loop(2, np.add, np.add, np.add, True)


def test_kernels_whose_plans_look_at_elements_are_in_no_program():
    index, out = np.array([0, 1]), np.zeros((4, 2), np.float32)
    calls: list = []
    compiled.record_calls(calls)
    try:
        compiled.taken_along(out, 0, np.zeros((4, 2), np.int64))
        compiled.one_hot(index, 3)
        compiled.join([out, out], 0)
    finally:
        compiled.record_calls(None)
    assert calls
    for callee, args, _ in calls:
        with pytest.raises(ValueError):
            compiled.Program((), ((callee, args),), (), ())


def test_a_program_within_itself_or_in_two_threads_answers_none_or_rightly(made):
    import threading

    wrong: list = []
    expected = compiled.product(matrix(4, 8), matrix(8, 3))

    def work():
        for _ in range(3000):
            out = np.empty((4, 3), np.float32)
            if made(matrix(4, 8), matrix(8, 3), out) is True and not (out == expected).all():
                wrong.append(out)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


SETUP = """
import torch
from torch import nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(m.parameters())
x, y = torch.randn(6, 8), torch.randint(0, 4, (6,))
def f(x, y):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(m(x), y)
    loss.backward()
    opt.step()
    return loss
c = torch.compile(f)
g = torch.compile(m)
for _ in range(3): c(x, y), g(x)
"""
ATTACKS = """
m[0].weight.data.resize_(1)
m[0].weight.data.set_(torch.ones(1))
m[0].weight.data = torch.ones(1, 1)
x.resize_(1)
x.set_(torch.ones(2, 2))
x.resize_(1 << 20)
x = x.to(torch.float64)
x = x[:, ::2]
x = torch.as_strided(torch.randn(400), (6, 8), (60, 2))
x = torch.as_strided(torch.randn(8), (6, 8), (0, 1))
x = torch.empty(0, 8); y = torch.empty(0, dtype=torch.int64)
y = torch.full((6,), 1 << 62)
y = torch.full((6,), -100)
y = torch.full((6,), -(1 << 63))
y = y.to(torch.int32)
x.untyped_storage().resize_(0)
m[0].weight.untyped_storage().resize_(4)
m[2].bias.grad = torch.ones(4).expand(4)
m[0].weight.grad = torch.ones(16, 8).t().contiguous().t()
opt.state[m[0].weight]["exp_avg"] = torch.ones(1)
opt.state[m[0].weight]["exp_avg"].resize_(1)
opt.state[m[0].weight]["step"] = torch.ones(3)
opt.param_groups[0]["params"].clear()
opt.param_groups[0]["params"].append(torch.ones(3, requires_grad=True))
m[0].weight.register_hook(lambda g: m[0].weight.data.resize_(1))
m[0].weight.register_hook(lambda g: x.resize_(1))
m[2].bias.register_post_accumulate_grad_hook(lambda p: c(x, y) if p.grad.sum() == 17 else None)
m[0].register_forward_hook(lambda *a: m[2].weight.data.resize_(2))
opt.register_step_pre_hook(lambda *a: m[0].weight.data.resize_(2))
m[0]._parameters["weight"] = None
m[0].__dict__["weight"] = torch.ones(1)
m._modules["0"] = nn.Linear(8, 3)
del m[1]
m[0].weight = nn.Parameter(torch.randn(16, 8, dtype=torch.float64))
r = g(x); r.sum().backward(retain_graph=True); m[0].weight.data.resize_(1); r.sum().backward()
r = g(x); x.resize_(1); r.sum().backward()
r = g(x); r.resize_(1); (r * 2).sum().backward()
r = g(x); r.data.set_(torch.ones(1)); r.sum().backward()
r = g(x); n = r.grad_fn; n(torch.ones(1)); n(torch.ones(6, 4)); n(torch.ones(6, 4))
r = g(x); torch.autograd.grad(r, list(m.parameters()), torch.ones(6, 4).expand(6, 4)); g(x).backward(torch.ones(6, 4).t().contiguous().t())
r = g(x); r.grad_fn.register_hook(lambda a, b: [torch.ones(1)] * len(a)); r.sum().backward()
r = g(x); r.grad_fn.register_prehook(lambda a: (torch.ones(1),)); r.sum().backward()
r = g(x); r.grad_fn._saved_tensors
r = [g(x) for _ in range(9)]; [t.sum().backward() for t in r]; (r[0] == r[8]).all().item()
""".strip().split("\n")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_change_ends_in_an_answer_or_an_error(attack):
    made = Session()
    made.run(SETUP)
    for line in (attack, *["c(x, y)", "g(x)", "g(x).sum().backward()"] * 3):
        try:
            made.run(line)
        except Exception as error:
            assert "tensorsh" not in type(error).__module__ or type(error).__module__.startswith("torch"), type(error)
    made.run("torch.ones(3).sum()")


def test_results_of_one_call_are_not_written_by_the_next():
    made = Session()
    made.run(
        SETUP
        + "r = [g(x * k) for k in range(4)]\nkept = [t.clone() for t in r]\nfor k in range(9): g(torch.randn(6, 8)).sum().backward()"
    )
    assert made.run("all([(a == b).all().item() for a, b in zip(r, kept)])")
    made.run(
        "gs = []\nfor k in range(3):\n    m.zero_grad(); g(x * k).sum().backward(); gs.append((m[0].weight.grad, m[0].weight.grad.clone()))"
    )
    assert made.run("all([(a == b).all().item() for a, b in gs])")
