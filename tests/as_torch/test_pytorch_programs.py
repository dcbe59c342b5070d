"""What programs for PyTorch do beside its documented names: forms of old, pickles, hooks of all modules. Values are PyTorch's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).parents[2]

PROGRAM = r"""
import tensorsh.as_torch, copy, io, json, pickle, warnings
import torch
import torch.nn as nn
import torch.nn.modules.module as modules
import torch.nn.utils.parametrize as parametrize
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

told = {}
t, v, b = torch.ones(2, 2), torch.ones(2), torch.ones(2, 2, 2)
torch.set_warn_always(True)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    told["older"] = [x.flatten()[0].item() for x in (
        torch.add(t, 2, t), t.sub(2, t), t.clone().addcmul_(0.5, t, t), torch.addmm(2, t, 3, t, t), v.addmv(2, t, v),
        b.baddbmm(2, 3, b, b), torch.clamp(t, 0, torch.tensor(0.5)), torch.linalg.norm(t, axis=0))]
told["older warns"] = [str(w.message) for w in said][3]
torch.set_warn_always(False)
torch.manual_seed(0)
told["upwards"] = [torch.empty(3, dtype=d).random_(-100, None).tolist() for d in (torch.int8, torch.bfloat16, torch.int64)]

class Own(torch.Tensor): pass
own = torch.ones(2).as_subclass(Own)
own.mark = 3
linear = nn.Linear(2, 3)
again = [pickle.loads(pickle.dumps(x)) for x in (torch.arange(6.0).view(2, 3).t(), nn.Parameter(v), linear, own, torch.ones(2, dtype=torch.bfloat16), torch.eye(2).to_sparse())]
told["pickled"] = [again[0].stride(), type(again[1]).__name__, again[2].weight.equal(linear.weight), type(again[3]).__name__, again[3].mark,
                   again[4].tolist(), again[5].to_dense().tolist(), "weight" in dict(again[2].named_parameters())]
file = io.BytesIO()
torch.save({"a": torch.distributions.Normal(0.0, 1.0), "m": linear, "w": linear.weight}, file)
file.seek(0)
loaded = torch.load(file, weights_only=False)
told["saved"] = [repr(loaded["a"]), loaded["m"].weight is loaded["w"]]

calls = []
handles = [modules.register_module_forward_hook(lambda m, a, o: calls.append("forward"), always_call=True),
           modules.register_module_parameter_registration_hook(lambda m, n, p: calls.append(n))]
nn.Linear(1, 1)(torch.ones(1))
told["always called"] = len(modules._global_forward_hooks_always_called)
for handle in handles: handle.remove()
nn.Linear(1, 1)(torch.ones(1))
told["hooks of all"] = [calls, len(modules._global_forward_hooks_always_called)]

class Lazy(nn.modules.lazy.LazyModuleMixin, nn.Module):
    cls_to_become = nn.Identity
    def __init__(self):
        super().__init__()
        self.p = nn.UninitializedParameter()
    def initialize_parameters(self, x): self.p.materialize(x.shape)
    def forward(self, x): return x + self.p
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    lazy = Lazy()
lazy(torch.ones(2, 3))
told["lazy"] = [type(lazy).__name__, list(lazy.p.shape), hasattr(lazy, "_initialize_hook")]

class Double(nn.Module):
    def forward(self, x): return 2 * x
    def right_inverse(self, x): return x / 2
source, target = nn.Linear(2, 2), nn.Linear(2, 2)
parametrize.register_parametrization(source, "weight", Double())
parametrize.transfer_parametrizations_and_params(source, target)
told["transferred"] = [parametrize.is_parametrized(target, "weight"), target.weight.equal(source.weight)]

class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.Buffer(torch.zeros(1))
    def forward(self, x):
        self.n = self.n + 1
        return x + self.n
given = {"n": torch.tensor([2.0])}
counts = Counts()
torch.func.functional_call(counts, given, torch.zeros(1))
told["stateless"] = [given["n"].item(), counts.n.item()]
for wrong in ({}, {"n": torch.zeros(1), "k": torch.zeros(1)}):
    try: torch.func.functional_call(counts, wrong, torch.zeros(1), strict=True)
    except RuntimeError as error: told.setdefault("strict", []).append(str(error))

runs = []
def twice(x):
    y = x.sin(); runs.append(1); z = y.exp(); runs.append(2)
    return z * 2
checkpoint(twice, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
told["stops early"] = len(runs)
with forward_ad.dual_level():
    told["written over"] = forward_ad.unpack_dual(forward_ad.make_dual(torch.ones(2), torch.ones(2)).exponential_()).tangent.tolist()
    told["level"] = forward_ad._current_level
told["storages"] = [torch.FloatStorage([1, 2]).type(), isinstance(t.untyped_storage(), torch.UntypedStorage), torch.Storage is torch.FloatStorage,
                    torch.tensor(torch.DoubleStorage([1.0, 2.0]), dtype=torch.float64).tolist()]
torch.use_deterministic_algorithms(True)
told["filled"] = [torch.empty(2).isnan().all().item(), torch.empty(1, dtype=torch.int8).item()]
torch.use_deterministic_algorithms(False)
"""


@pytest.fixture(scope="module")
def told() -> dict:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM + "\nprint(json.dumps(told))"],
        capture_output=True, text=True, timeout=100, cwd=TREE,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_forms_of_old(told: dict) -> None:
    assert told["older"] == [3.0, -1.0, 1.5, 8.0, 4.0, 8.0, 0.5, 1.4142135381698608]
    assert told["older warns"] == (
        "This overload of addmm is deprecated:\n\taddmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor mat2, *, "
        "Tensor out = None)\nConsider using one of the following signatures instead:\n\taddmm(Tensor input, Tensor mat1, Tensor "
        "mat2, *, Number beta = 1, Number alpha = 1, Tensor out = None)\n\taddmm(Tensor input, Tensor mat1, Tensor mat2, "
        "torch.dtype out_dtype, *, Number beta = 1, Number alpha = 1, Tensor out = None)"
    )


def test_random_integers_upwards(told: dict) -> None:
    assert told["upwards"] == UPWARDS


UPWARDS = [[124, -1, 109], [35.0, 174.0, -49.0], [827948490035657887, 7815051614634499695, 2691271404617651754]]


def test_pickles(told: dict) -> None:
    assert told["pickled"] == [[1, 3], "Parameter", True, "Own", 3, [1, 1], [[1.0, 0.0], [0.0, 1.0]], True]
    assert told["saved"] == ["Normal(loc: 0.0, scale: 1.0)", True]


def test_hooks_of_all_modules(told: dict) -> None:
    assert told["hooks of all"] == [["weight", "bias", "forward"], 0] and told["always called"] == 1


def test_modules_that_become_others(told: dict) -> None:
    assert told["lazy"] == ["Identity", [2, 3], False]
    assert told["transferred"] == [True, True]


def test_functional_calls(told: dict) -> None:
    assert told["stateless"] == [3.0, 0.0]
    assert told["strict"] == [
        "Error(s) in reparametrizing for Counts:\n\tMissing key(s): 'n'.",
        "Error(s) in reparametrizing for Counts:\n\tUnexpected key(s): 'k'.",
    ]


def test_derivatives(told: dict) -> None:
    assert told["stops early"] == 3
    assert told["written over"] == [0.0, 0.0] and told["level"] == 0


def test_storages_and_memory(told: dict) -> None:
    assert told["storages"] == ["torch.FloatStorage", True, True, [1.0, 2.0]]
    assert told["filled"] == [True, 127]
