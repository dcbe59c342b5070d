"""Shapes like (2**40, 0) have no elements and cost nothing to make: results that have none either are there at once.

The expectations are PyTorch 2.13's. Where it asks for memory that no machine has (an info for each of 2**40 matrices), so do
we; where PyTorch itself walks 2**40 empty matrices, as in qr, the shape is what mathematics says.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 2
"""How long one program may take."""
REFUSED = "RuntimeError: [enforce fail at alloc_cpu.cpp:127]"
B = 2**40

SHAPES = {
    "torch.cat([empty(B, 0), empty(B, 0)], 1)": (B, 0),
    "torch.hstack([empty(B, 0), empty(B, 0)])": (B, 0),
    "torch.column_stack([empty(B, 0), empty(B, 0)])": (B, 0),
    "torch.stack([empty(B, 0), empty(B, 0)], 1)": (B, 2, 0),
    "empty(B, 0, 0) @ empty(B, 0, 0)": (B, 0, 0),
    "empty(B, 0, 0).double() @ empty(B, 0, 0).double()": (B, 0, 0),
    "empty(B, 0, 0).long() @ empty(B, 0, 0).long()": (B, 0, 0),
    "empty(B, 0, 0).half() @ empty(B, 0, 0).half()": (B, 0, 0),
    "empty(B, 0, 3) @ empty(3, 5)": (B, 0, 5),
    "empty(B, 0, 3) @ empty(3)": (B, 0),
    "torch.matmul(empty(B, 1, 0, 3), empty(1, 3, 0))": (B, 1, 0, 0),
    "torch.bmm(empty(B, 0, 1), empty(B, 1, 0))": (B, 0, 0),
    "torch.baddbmm(empty(B, 0, 0), empty(B, 0, 1), empty(B, 1, 0))": (B, 0, 0),
    "torch.einsum('bij,bjk->bik', empty(B, 0, 1), empty(B, 1, 0))": (B, 0, 0),
    "torch.kron(empty(B, 0), empty(2, 2))": (2 * B, 0),
    "torch.cdist(empty(B, 0, 3), empty(B, 0, 3))": (B, 0, 0),
    "F.scaled_dot_product_attention(empty(B, 0, 4), empty(B, 0, 4), empty(B, 0, 4))": (B, 0, 4),
    "F.linear(empty(B, 0, 3), empty(4, 3))": (B, 0, 4),
    "F.layer_norm(empty(B, 0, 4), (4,))": (B, 0, 4),
    "F.softmax(empty(B, 0), 1)": (B, 0),
    "F.conv1d(empty(0, 3, B), empty(4, 3, 2))": (0, 4, B - 1),
    "F.max_pool2d(empty(0, 3, 2**20, 2**20), 2)": (0, 3, 2**19, 2**19),
    "torch.linalg.eigh(empty(B, 0, 0))[0]": (B, 0),
    "torch.linalg.eigvalsh(empty(B, 0, 0))": (B, 0),
    "torch.linalg.svd(empty(B, 0, 0)).S": (B, 0),
    "torch.linalg.qr(empty(B, 0, 3)).R": (B, 0, 3),
    "torch.linalg.qr(empty(B, 3, 0)).Q": (B, 3, 0),
    "torch.linalg.matrix_power(empty(B, 0, 0), 3)": (B, 0, 0),
    "torch.linalg.matrix_exp(empty(B, 0, 0))": (B, 0, 0),
    "torch.linalg.pinv(empty(B, 0, 3))": (B, 3, 0),
    "torch.cumsum(empty(B, 0), 0)": (B, 0),
    "torch.unique(empty(B, 0))": (0,),
    "torch.diff(empty(0), n=B)": (0,),
    "torch.combinations(empty(0), 2**20)": (0, 2**20),
    "torch.combinations(empty(1), 100, with_replacement=True)": (1, 100),
    "torch.func.vmap(lambda r: r * 2)(empty(B, 0))": (B, 0),
    "torch.func.vmap(lambda r: r.sum())(empty(2**20, 0))": (2**20,),
    "torch.func.vmap(lambda r, s: r * s, (0, None), 1)(empty(B, 0), ones(0))": (0, B),
    "list(empty(0, B).split(1))[0]": (0, B),
    "next(iter(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(empty(B, 0)), batch_size=2)))[0]": (2, 0),
    "torch.from_numpy(np.linalg.inv(np.empty((B, 0, 0))))": (B, 0, 0),
    "torch.from_numpy(np.linalg.solve(np.empty((B, 0, 0)), np.empty((B, 0, 2))))": (B, 0, 2),
}
"""Expressions and the shapes of their results."""

GRADIENTS = {
    "torch.cat([x, x], 1)": (B, 0),
    "x @ x": (B, 0, 0),
    "torch.linalg.svd(x).S": (B, 0, 0),
    "torch.linalg.eigh(x)[0]": (B, 0, 0),
    "torch.linalg.eigh(x)[1]": (B, 0, 0),
    "torch.linalg.matrix_exp(x)": (B, 0, 0),
    "torch.linalg.qr(x)[1]": (B, 0, 3),
    "F.scaled_dot_product_attention(x, x, x)": (B, 0, 4),
    "F.conv1d(x, ones(4, 3, 2))": (0, 3, B),
    "F.max_pool2d(x, 2)": (0, 3, 2**20, 2**20),
    "x.cumprod(0)": (B, 0),
    "F.layer_norm(x, (B,))": (0, B),
}
"""Functions of a tensor, and its shape: that of its gradient."""

REFUSALS = {
    "torch.linalg.lstsq(empty(B, 0, 0), empty(B, 0, 2)).solution": REFUSED,
    "torch.linalg.lu(empty(B, 0, 3)).U": REFUSED,
    "F.interpolate(empty(0, 3, B), scale_factor=2, mode='linear')": REFUSED,
    "torch.linalg.cholesky(empty(B, 0, 0))": REFUSED,
    "torch.linalg.inv(empty(B, 0, 0))": REFUSED,
    "torch.linalg.solve(empty(B, 0, 0), empty(B, 0, 2))": REFUSED,
    "torch.linalg.det(empty(B, 0, 0))": REFUSED,
    "torch.linalg.matrix_power(empty(B, 0, 0), -1)": REFUSED,
    "torch.func.vmap(torch.linalg.det)(empty(B, 0, 0))": REFUSED,
    "torch.combinations(empty(3), 2**20)": "RuntimeError: numel: integer multiplication overflow",
    "empty(B, 0) @ empty(1, 0)": "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1099511627776x0 and 1x0)",
    "torch.bmm(empty(B, 0, 1), empty(B, 2, 0))": "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: "
    "[1099511627776, 1] but got: [1099511627776, 2].",
}

TEXTS = {
    "repr(empty(B, 0))": "tensor([], size=(1099511627776, 0))",
    "repr(empty(B, 0, 3, dtype=torch.int64))": "tensor([], size=(1099511627776, 0, 3), dtype=torch.int64)",
    "empty(0, B).tolist()": "[]",
    "[x for x in empty(0, B)]": "[]",
    "len(torch.utils.data.TensorDataset(empty(B, 0)))": str(B),
    "torch.equal(empty(B, 0), empty(B, 0))": "True",
}

PROGRAMS = {
    **{f"tuple(({text}).shape)": repr(shape) for text, shape in SHAPES.items()},
    **{
        f"x = torch.empty({shape}, requires_grad=True)\n({text}).sum().backward()\ntuple(x.grad.shape)": repr(shape)
        for text, shape in GRADIENTS.items()
    },
    **REFUSALS,
    **{f"str({text})": text_ for text, text_ in TEXTS.items()},
}

CHILD = """
import resource, signal, sys
from tensorsh import Session
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # there are machines that lend more than they have
for program in eval(sys.stdin.read()):
    session = Session()
    session.run(f"B = 2**40; empty = torch.empty\\nimport torch.nn.functional as F")
    signal.alarm(int(sys.argv[1]))
    try:
        said = str(session.run(program))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    signal.alarm(0)
    print(said.split("\\n")[0], flush=True)
"""


def answers(programs: list[str]) -> list[str]:
    """The first lines of what programs say, in a process that ends where one takes too long: the next goes on after it."""
    found: list[str] = []
    while len(found) < len(programs):
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(SECONDS)],
            input=repr(programs[len(found) :]),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
        )
        found += done.stdout.splitlines()
        if len(found) < len(programs):
            found.append(f"ended by signal {-done.returncode} {done.stderr[-300:]}")
    return found


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return dict(zip(PROGRAMS, answers(list(PROGRAMS)), strict=True))


@pytest.mark.skipif(sys.platform == "win32", reason="the alarm is the kernel's")
@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_computed_at_once(program: str, told: dict[str, str]) -> None:
    expected = PROGRAMS[program]
    assert told[program] == expected or expected == REFUSED and told[program].startswith(REFUSED)
