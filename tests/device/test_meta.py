"""The meta device: what it gives is what PyTorch gives there, and costs nothing."""

from __future__ import annotations

import builtins
import io
import subprocess
import sys
import time
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from tensorsh import Session, torch
from tensorsh.engine.examples import examples

from ..support.cases import all_pass
from ..support.forms import outcome
from ..support.outcomes import headline
from ..support.tables import pairs
from . import gradients

RECORDED = pairs("meta")
MORE = {
    "Tensor.is_set_to", "binomial", "corrcoef", "cov", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine",
    "geqrf", "istft", "linalg.lstsq",
}  # fmt: skip
"""What PyTorch has no shape function for, though no element decides about the shape: here it has the CPU's."""
COLUMNS = {"cholesky", "cholesky_inverse", "cholesky_solve", "triangular_solve"}
"""What PyTorch leaves in memory column by column, also on the CPU, and tensorsh row by row."""
SPARSE = ("sparse", "indices", "coalesce", "dense_dim", "values", "smm", "sspaddmm", "hspmm")
"""Sparse tensors are on the CPU only."""


@cache
def space() -> dict[str, Any]:
    """The names that examples use."""
    names = {n for n in dir(torch) if n[0] != "_" and not hasattr(builtins, n)}
    names |= {"abs", "all", "any", "max", "min", "pow", "range", "round", "sum", "complex"}
    return {n: getattr(torch, n) for n in names} | {"torch": torch, "np": np}


def test_an_example_gives_what_pytorch_gives() -> None:
    all_pass(check_example, RECORDED)


def check_example(name: str) -> None:
    code = examples()[name].code
    found, wanted = outcome(torch, code, space()), RECORDED[name]
    if name in COLUMNS:
        found, wanted = str(found).replace("(2, 1)", "(1, 2)"), str(wanted)
    if name in MORE:
        assert "Error: " in str(wanted)
        wanted = str(outcome(torch, code, space(), None)).replace(" cpu", " meta")
        found = str(found)
    if any(word in name for word in SPARSE):
        assert "Error: " in str(found) or found == wanted
    else:
        assert found == wanted


OPERATORS = gradients.operators()


def test_a_gradient_has_the_form_that_it_has_on_the_cpu() -> None:
    all_pass(check_gradient, OPERATORS)


def check_gradient(name: str) -> None:
    op = OPERATORS[name]

    def forms(device: str) -> list:
        tensors = [torch.tensor(gradients.VALUES).mul(k + 1).to(device).requires_grad_() for k in range(op.required)]
        result = op.function(*tensors)
        first = result[0] if isinstance(result, (tuple, list)) else result
        if not first.requires_grad:
            return []
        node = first.grad_fn.name()
        first.abs().sum().backward()
        found = [None if t.grad is None else (t.grad.dtype, t.grad.shape, t.grad.device.type) for t in tensors]
        return [first.dtype, first.shape, first.stride(), node, *found]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = forms("cpu")
        except Exception:
            return  # no gradient of such arguments
        assert str(forms("meta")).replace("meta", "cpu") == str(wanted)


HUGE = "torch.empty(10**6, 10**6, device='meta')"


@pytest.mark.parametrize(
    "code, shape",
    [
        ("x @ x", (10**6, 10**6)),
        ("torch.nn.functional.linear(x, x)", (10**6, 10**6)),
        ("x.exp().softmax(-1).cumsum(0).T.reshape(-1)", (10**12,)),
        ("x.sort(dim=0).values.topk(3).indices", (10**6, 3)),
        ("torch.einsum('ij,kj->ik', x, x[:5])", (10**6, 5)),
        ("torch.linalg.solve(x, x[:, :2])", (10**6, 2)),
        ("torch.linalg.svd(x[:1000], full_matrices=False).Vh", (1000, 10**6)),
        ("torch.nn.functional.conv2d(x[None, None], x[None, None, :3, :3], padding=1)", (1, 1, 10**6, 10**6)),
        ("torch.nn.functional.cross_entropy(x, x[0].long())", ()),
        ("torch.cat([x, x]).to(torch.int8).tril().diagonal()", (10**6,)),
        ("torch.randn(10**6, 10**7, device='meta').uniform_()", (10**6, 10**7)),
        ("torch.full((10**6, 10**6), 1.5, device='meta').expand(9, -1, -1).contiguous()", (9, 10**6, 10**6)),
        ("torch.arange(10**12, device='meta')", (10**12,)),
        ("torch.eye(10**6, device='meta')", (10**6, 10**6)),
        ("torch.fft.fft2(x)", (10**6, 10**6)),
    ],
)  # fmt: skip
def test_size_costs_nothing(code: str, shape: Any) -> None:
    start = time.process_time()
    found = eval(code, {"torch": torch, "x": eval(HUGE)})
    assert time.process_time() - start < 2
    assert found.shape == shape and found.is_meta


def test_a_large_model_is_trained_without_memory() -> None:
    nn = torch.nn
    with torch.device("meta"):
        net = nn.Sequential(
            nn.Embedding(50000, 4096), nn.TransformerEncoderLayer(4096, 32, batch_first=True), nn.Linear(4096, 50000)
        )
        tokens = torch.randint(0, 50000, (8, 2048))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    loss = nn.functional.cross_entropy(net(tokens).flatten(0, 1), tokens.flatten())
    loss.backward()
    optimizer.step()
    assert repr(loss) == "tensor(..., device='meta', size=(), grad_fn=<NllLossBackward0>)"
    assert all(p.grad.is_meta and p.grad.shape == p.shape for p in net.parameters())


@pytest.mark.parametrize(
    "code, told",
    [
        ("x", "tensor(..., device='meta', size=(2, 3))"),
        ("x.long()", "tensor(..., device='meta', size=(2, 3), dtype=torch.int64)"),
        ("torch.nn.Parameter(x)", "Parameter containing:\ntensor(..., device='meta', size=(2, 3), requires_grad=True)"),
        ("x[1].storage_offset(), x.T.stride(), x.t()._is_view()", "(3, (1, 3), True)"),
        ("x.untyped_storage().nbytes(), x.data_ptr(), x.get_device(), x.type()", "(24, 0, -1, 'torch.meta.FloatTensor')"),
        ("x.untyped_storage()", "...\n[torch.storage.UntypedStorage(device=meta) of size 24]"),
        ("torch.empty(2, device='meta:1').device", "device(type='meta')"),
        ("x.to('meta') is x", "True"),
        ("x + torch.tensor(1.0)", "tensor(..., device='meta', size=(2, 3))"),
        ("x @ c.t()", "tensor(..., device='meta', size=(2, 2))"),
        ("x[torch.tensor([0, 1, 1])]", "tensor(..., device='meta', size=(3, 3))"),
        ("x[c > 0]", "tensor(..., device='meta', size=(6,))"),
        ("x.copy_(c)", "tensor(..., device='meta', size=(2, 3))"),
        ("torch.ones_like(x, device='cpu')", "tensor([[1., 1., 1.],\n        [1., 1., 1.]])"),
        ("torch.nn.Linear(2, 3, device='meta').to_empty(device='cpu').weight.shape", "torch.Size([3, 2])"),
        ("torch.nn.init.orthogonal_(x)", "tensor(..., device='meta', size=(2, 3))"),
        ("torch.nn.init.trunc_normal_(x)", "tensor(..., device='meta', size=(2, 3))"),
        ("torch.randn(2, device='meta', generator=torch.Generator())", "tensor(..., device='meta', size=(2,))"),
        ("x.resize_(4, 5).stride()", "(5, 1)"),
        ("copy.deepcopy(x)", "tensor(..., device='meta', size=(2, 3))"),
        ("f'{s}'", "tensor(..., device='meta', size=())"),
        ("torch.testing.assert_close(x, x)", "None"),
    ],
)  # fmt: skip
def test_text(code: str, told: str) -> None:
    import copy

    names = {"torch": torch, "copy": copy, "x": torch.empty(2, 3, device="meta"), "c": torch.ones(2, 3)}
    found = eval(code, names | {"s": torch.empty((), device="meta")})
    assert (found if isinstance(found, str) else repr(found)) == told


ITEM = "RuntimeError: Tensor.item() cannot be called on meta tensors"
COPY = "NotImplementedError: Cannot copy out of meta tensor; no data!"


@pytest.mark.parametrize(
    "code, told",
    [
        *[(code, ITEM) for code in ("s.item()", "bool(s)", "int(s)", "float(s)", "s in x", "range(i[0])", "x.argmax().item()")],
        *[(code, COPY) for code in ("x.cpu()", "x.to('cpu')", "x.tolist()", "c.copy_(x)", "x.numpy(force=True)")],
        ("x.item()", "RuntimeError: a Tensor with 6 elements cannot be converted to Scalar"),
        ("f'{s:.2f}'", "TypeError: unsupported format string passed to Tensor.__format__"),
        ("x.untyped_storage().tolist()", "NotImplementedError: Not available for 'meta' device type"),
        ("x.storage()[0]", "NotImplementedError: Not available for 'meta' device type"),
        ("torch.Generator('meta')", "RuntimeError: META device type not an accelerator."),
        ("torch.from_dlpack(x)", "ValueError: Unknown device type meta for Dlpack"),
        ("x + c", "RuntimeError: Tensor on device cpu is not on the expected device meta!"),
        ("c + s", "RuntimeError: Tensor on device meta is not on the expected device cpu!"),
        ("torch.cat([x, c])", "RuntimeError: Tensor on device cpu is not on the expected device meta!"),
        ("torch.nn.Linear(3, 2, device='meta')(c)", "RuntimeError: Tensor on device meta is not on the expected device cpu!"),
        ("torch.add(x, x, out=c)", "RuntimeError: Attempting to copy from device meta to device cpu, but cross-device copies are not allowed!"),
        ("torch.nn.Linear(2, 3, device='meta').to('cpu')", COPY + " Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device."),
        ("torch.empty(2**62, 2**62, device='meta')", "RuntimeError: Storage size calculation overflowed with sizes=[4611686018427387904, 4611686018427387904]"),
        ("torch.tensor_split(x, i)", "RuntimeError: tensor_split expected tensor_indices_or_sections to be on cpu, but it's on meta"),
        ("x.sum(dim=5)", "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
        ("x.view(4)", "RuntimeError: shape '[4]' is invalid for input of size 6"),
    ],
)  # fmt: skip
def test_refusals(code: str, told: str) -> None:
    names = {"torch": torch, "x": torch.empty(2, 3, device="meta"), "c": torch.ones(2, 3)}
    names |= {"s": torch.empty((), device="meta"), "i": torch.empty(3, dtype=torch.long, device="meta")}
    with pytest.raises(Exception) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eval(code, names)
    assert headline(caught.value) == told


def test_default_device() -> None:
    with torch.device("meta"):
        assert torch.ones(2).is_meta and torch.tensor([1.0]).is_meta and torch.nn.Linear(2, 2).bias.is_meta
        assert repr(torch.ones(2, device="cpu")) == "tensor([1., 1.])"
    torch.set_default_device("meta")
    try:
        assert torch.get_default_device() == torch.device("meta") and torch.randperm(3).is_meta
    finally:
        torch.set_default_device(None)
    assert torch.ones(1).is_cpu


def test_states() -> None:
    net = torch.nn.Linear(2, 3)
    absent = torch.nn.Linear(2, 3, device="meta")
    with pytest.warns(UserWarning, match="copying from a non-meta parameter in the checkpoint to a meta parameter"):
        absent.load_state_dict(net.state_dict())
    assert absent.weight.is_meta
    absent.load_state_dict(net.state_dict(), assign=True)
    assert torch.equal(absent.weight, net.weight) and absent.weight.requires_grad
    with pytest.raises(RuntimeError, match="Cannot copy out of meta tensor; no data!"):
        net.load_state_dict(torch.nn.Linear(2, 3, device="meta").state_dict())


def test_files() -> None:
    file = io.BytesIO()
    x = torch.empty(2, 3, device="meta")
    torch.save({"x": x.t(), "p": torch.nn.Parameter(x), "c": torch.ones(4)}, file)
    for place in (None, "cpu"):
        found = torch.load(io.BytesIO(file.getvalue()), map_location=place)
        assert found["x"].is_meta and found["x"].stride() == (1, 3) and found["c"].tolist() == [1.0] * 4
        assert type(found["p"]) is torch.nn.Parameter and found["p"].is_meta
    assert torch.load(io.BytesIO(file.getvalue()), map_location="meta")["c"].is_meta


def test_gradients_of_gradients() -> None:
    x = torch.empty(3, 4, device="meta", requires_grad=True)
    (g,) = torch.autograd.grad((x.tanh() @ x.T).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
    assert x.grad.shape == (3, 4) and x.grad.is_meta


def test_memory_that_is_not_there_is_shared_by_views_alone() -> None:
    x, y = torch.empty(4, device="meta"), torch.empty(4, device="meta")
    assert x[1:].untyped_storage() == x.untyped_storage() != y.untyped_storage()
    x.mul_(2)
    assert x[2:]._version == x._version == 1 and y._version == 0
    with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
        x.expand(2, 4).add_(1)


def test_a_script_gets_at_nothing_behind_a_tensor() -> None:
    """What the array of the meta device refuses to numpy it refuses to a script, and its insides are behind the gate."""
    session = Session(stdout=io.StringIO())
    session.run("import torch\nimport numpy as np\nx = torch.empty(10**9, 10**9, device='meta')")
    for code in (
        "x._array", "x.untyped_storage()._owner", "x.__dict__", "np.asarray(x)", "np.add(x, x)", "x.__array__()", "x.untyped_storage()[0]",
         "memoryview(x)", "x.storage()._items()", "x.__array_interface__", "x.as_strided((1,), (1,), 10**18).item()",
    ):  # fmt: skip
        with pytest.raises(Exception) as caught:
            session.run(code)
        assert not isinstance(caught.value, (SystemError, MemoryError)), code
    assert session.run("x.apply_(print) is x")
    assert session.run("(x.as_strided((4,), (1,), 10) + x.sum()).shape") == (4,)


def test_pickled_in_plain_python() -> None:
    program = (
        "import tensorsh.as_torch, torch, pickle, io\n"
        "x = torch.empty(2, 3, device='meta').t()\n"
        "print(pickle.loads(pickle.dumps(x)).stride(), pickle.loads(pickle.dumps(torch.nn.Linear(2, 2, device='meta'))).weight.is_meta)\n"
        "file = io.BytesIO()\n"
        "torch.save(torch.ones(2), file)\n"
        "file.seek(0)\n"
        "print(torch.load(file, weights_only=False, map_location='meta'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "(1, 3) True\ntensor(..., device='meta', size=(2,))\n"
