"""Work of kernels that threads share: the same bits on any number of them, in children and for several callers at once."""

import os
import threading

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.kernels import compiled

from .thread_counts import threads

F = torch.nn.functional
pytestmark = pytest.mark.skipif(compiled is None, reason="kernels are not compiled")


def normals(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32))


def gradients(f, *given):
    leaves = [x.clone().requires_grad_() for x in given]
    y = f(*leaves)
    return [y, *torch.autograd.grad((y * y).sum(), leaves)]


CALLS = {
    "batch norm": lambda: gradients(lambda x: F.batch_norm(x, None, None, training=True), normals(4, 40, 33, 31)),
    "batch norm of rows": lambda: gradients(lambda x: F.batch_norm(x, None, None, training=True), normals(700, 333)),
    "group norm": lambda: gradients(lambda x, w: F.group_norm(x, 5, w), normals(4, 40, 33, 31), normals(40)),
    "layer norm": lambda: gradients(lambda x, w: F.layer_norm(x, (301,), w), normals(701, 301), normals(301)),
    "layer norm, weights alone": lambda: gradients(lambda w: F.layer_norm(normals(701, 301), (301,), w), normals(301)),
    "max pool": lambda: gradients(lambda x: F.max_pool2d(x, 3, 2, 1), normals(4, 20, 63, 61)),
    "convolution": lambda: gradients(
        lambda x, w: F.conv2d(x, w, padding=1), normals(3, 9, 35, 37), normals(13, 9, 3, 3)
    ),
    "convolution of one": lambda: gradients(lambda x, w: F.conv2d(x, w), normals(1, 9, 35, 37), normals(13, 9, 3, 5)),
    "convolution in groups": lambda: [F.conv2d(normals(9, 8, 35, 37), normals(12, 2, 3, 3), stride=2, groups=4)],
    "softmax": lambda: gradients(lambda x: F.softmax(x, 0), normals(601, 303)),
    "log_softmax": lambda: gradients(lambda x: F.log_softmax(x, 1), normals(601, 303)),
    "normals": lambda: [torch.randn(300_001, generator=torch.Generator().manual_seed(0))],
    "halves": lambda: [normals(601, 303).half().float(), normals(601, 303).bfloat16()],
}


@pytest.mark.parametrize("name", CALLS)
def test_bits_do_not_depend_on_the_number_of_threads(name: str) -> None:
    found = []
    for count in (1, 2, 5):
        with threads(count):
            found.append([x.detach().contiguous() for x in CALLS[name]()])
    for others in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], others, strict=True))


def test_steps_of_optimizers_do_not_depend_on_the_number_of_threads() -> None:
    found = []
    for count in (1, 3):
        with threads(count):
            x = normals(401, 501).requires_grad_()
            for made in (torch.optim.SGD([x], 0.1, momentum=0.9), torch.optim.Adam([x], 0.1)):
                x.grad = normals(401, 501)
                made.step()
            found.append(x.detach())
    assert torch.equal(*found)


@pytest.mark.parametrize("shift", [1, -1, 5])
def test_results_over_arguments_are_those_of_copies(shift: int) -> None:
    x = np.linspace(-2, 2, 400_001, dtype=np.float32)
    ahead, behind = (x[shift:], x[:-shift]) if shift > 0 else (x[:shift], x[-shift:])
    wanted = compiled.exp(ahead.copy())
    with threads(3):
        assert np.array_equal(compiled.exp(ahead, out=behind), wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_and_several_callers_share_work_at_once() -> None:
    x = normals(500_000)
    with threads(1):
        wanted = F.gelu(x)
    wrong: list = []

    def ask() -> None:
        wrong.extend(k for k in range(50) if not torch.equal(F.gelu(x), wanted))

    with threads(3):
        callers = [threading.Thread(target=ask) for _ in range(3)]
        for caller in callers:
            caller.start()
        for _ in range(5):  # whatever the others are at just then
            if (child := os.fork()) == 0:
                os._exit(0 if np.array_equal(compiled.gelu(x._array), wanted._array) else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        for caller in callers:
            caller.join()
    assert not wrong
