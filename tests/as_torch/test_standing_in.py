"""`import torch` in plain Python: real modules, found by Python's own import."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).parents[2]


def python(*words: str, folder: Path = TREE) -> subprocess.CompletedProcess[str]:
    run = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, cwd=folder)
    return run


def answers(code: str, folder: Path = TREE) -> dict:
    run = python("-c", "import tensorsh.as_torch, json\n" + code + "\nprint(json.dumps(told))", folder=folder)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def told() -> dict:
    return answers("""
import importlib, inspect, io, pickle, sys, types
from importlib import metadata
from unittest import mock
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torch.distributions.normal import Normal
from torch.optim.adam import Adam

torch.manual_seed(0)
told = {}
told["modules"] = [isinstance(m, types.ModuleType) and m.__spec__.name == m.__name__ and m.__file__.endswith((".py", ".pyi"))
                   for m in (torch, torch.nn, F, torch.linalg, torch.optim.lr_scheduler, torch.distributions.normal)]
told["names"] = [sys.modules["torch.nn.functional"] is F is torch.nn.functional, Normal is torch.distributions.Normal, Adam is torch.optim.Adam]
told["version"] = [str(torch.__version__), torch.version.__version__, torch.__version__ >= (2, 9), torch.__version__ < "2.13.1",
                   torch.__version__ > "3", metadata.version("torch")]
told["types"] = [type(c) is type for c in (torch.nn.Module, torch.optim.Optimizer, torch.utils.data.Dataset, Normal)]
class Meta(type): pass
class Model(torch.nn.Module, metaclass=Meta):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    def forward(self, x):
        return self.b(F.relu(self.a(x)))
told["trained"] = Model()(torch.ones(4, 2)).shape
told["listed"] = sorted({"Adam", "SGD", "Optimizer", "lr_scheduler"} - set(vars(torch.optim)))
told["source"] = inspect.getsource(torch.nn.Linear).split("(")[0]
with mock.patch("torch.nn.functional.relu", lambda x: "patched"):
    told["patched"] = F.relu(1)
import torch._dynamo
with mock.patch("torch._dynamo.config.suppress_errors", True):
    told["setting patched"] = [torch._dynamo.config.suppress_errors]
told["setting patched"].append(torch._dynamo.config.suppress_errors)
told["patched after"] = F.relu(torch.tensor(-1.0)).item()
torch.mine = 3
from torch.distributions.utils import _standard_normal, _sum_rightmost
from torch.distributions.transforms import _InverseTransform
from torch.jit import ScriptModule
from torch.nn.modules.module import _IncompatibleKeys
from torch.serialization import MAP_LOCATION
import torch.multiprocessing as mp
told["names of libraries"] = [
    list(_standard_normal((2, 3), torch.float64, "cpu").shape), _sum_rightmost(torch.ones(2, 3, 4), 2).tolist(),
    isinstance(torch.nn.Linear(1, 1), ScriptModule), isinstance(torch.nn.Linear(1, 1).load_state_dict({}, strict=False), _IncompatibleKeys),
    isinstance(torch.distributions.ExpTransform().inv, _InverseTransform), "file_system" in mp.get_all_sharing_strategies(),
    "tensorsh" in torch.__config__.show(), isinstance(torch.autograd.function.FunctionCtx, type)]
torch.distributions.constraints.real.__doc__ = "set by a library"
try:
    torch.jit.save(None, "x")
except RuntimeError as error:
    told["refused"] = str(error)
told["set"] = [torch.mine, "mine" in vars(torch)]
torch.backends.cudnn.benchmark = True
told["switch"] = torch.backends.cudnn.benchmark
told["pickled"] = [pickle.loads(pickle.dumps(v)) is v for v in (torch.nn.Linear, Normal, torch.float32, torch.relu, F.cross_entropy)]
told["again"] = importlib.reload(torch.nn) is torch.nn
try:
    import torch._nosuch
except ModuleNotFoundError as error:
    told["missing"] = [str(error), error.name]
try:
    torch.nosuch
except AttributeError as error:
    told["missing name"] = str(error)
from tensorsh import Session
try:
    Session()
except RuntimeError as error:
    told["session"] = "tensorsh stands for PyTorch in this process" in str(error)
""")


def test_modules_are_real(told: dict) -> None:
    assert told["modules"] == [True] * 6 and told["names"] == [True] * 3
    assert told["listed"] == [] and told["source"] == "class Linear"
    assert told["again"] is True


def test_the_version_compares_as_one(told: dict) -> None:
    assert told["version"] == ["2.13.0+tensorsh", "2.13.0+tensorsh", True, True, False, "2.13.0+tensorsh"]


def test_nothing_of_the_sandbox_shows(told: dict) -> None:
    assert told["types"] == [True] * 4 and told["trained"] == [4, 1]
    assert told["session"] is True


def test_modules_may_be_patched_and_set(told: dict) -> None:
    assert (told["patched"], told["patched after"]) == ("patched", 0.0)
    assert told["set"] == [3, True] and told["switch"] is True


def test_names_that_libraries_import(told: dict) -> None:
    assert told["names of libraries"] == [[2, 3], [12.0, 12.0], False, True, True, True, True, True]
    assert told["refused"].startswith("torch.jit.save writes TorchScript, which tensorsh has not")


def test_objects_are_pickled_by_name(told: dict) -> None:
    assert told["pickled"] == [True] * 5


def test_missing_names_are_python_s_errors(told: dict) -> None:
    assert told["missing"] == ["No module named 'torch._nosuch'", "torch._nosuch"]
    assert told["missing name"] == "module 'torch' has no attribute 'nosuch'"


def test_a_real_torch_is_refused(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.13'")
    run = python("-c", "import torch, tensorsh.as_torch", folder=tmp_path)
    assert run.returncode == 1 and "ImportError: PyTorch itself is imported in this process" in run.stderr


def test_sessions_that_were_there_stay_sealed() -> None:
    told = answers_after_session()
    assert told == {"type": False, "refused": True}


def answers_after_session() -> dict:
    code = """
from tensorsh import Session
session = Session()
session.run("torch.nn.Linear(1, 1)")
import tensorsh.as_torch, json, torch
told = {"type": type(torch.nn.Module) is type}
try:
    session.run("torch.nn.Module.forward = 1")
except TypeError:
    told["refused"] = True
print(json.dumps(told))
"""
    run = python("-c", code)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


PROGRAM = "import sys, torch\nfrom beside import two\nprint(__name__, sys.argv[1:], torch.ones(two).tolist())\n"


@pytest.mark.parametrize("command", [["-m", "tensorsh.as_torch"], ["-m", "tensorsh", "python"]])
@pytest.mark.parametrize(
    "words", [["{}/program.py"], ["-m", "program"], ["-c", PROGRAM]], ids=["file", "module", "code"]
)
def test_programs_run(command: list[str], words: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "beside.py").write_text("two = 2")
    run = python(*command, *(word.format(tmp_path) for word in words), "a", "-b", folder=tmp_path)
    assert (run.stdout, run.stderr, run.returncode) == ("__main__ ['a', '-b'] [1.0, 1.0]\n", "", 0)


def test_errors_and_exits_are_the_program_s(tmp_path: Path) -> None:
    run = python("-m", "tensorsh.as_torch", "-c", "import torch; torch.ones(2) + torch.ones(3)")
    assert run.returncode == 1 and "RuntimeError: The size of tensor a (2) must match" in run.stderr
    assert python("-m", "tensorsh.as_torch", "-c", "raise SystemExit(7)").returncode == 7
    assert python("-m", "tensorsh", "python", "nowhere.py").returncode == 2
    assert python("-m", "tensorsh", "python").returncode == 2


FAILING = """\
import torch
def hook(grad):
    try:
        {}["a"]
    except KeyError:
        raise ValueError("of the program")
x = torch.ones(3, requires_grad=True) * 2
x.register_hook(hook)
try:
    torch.nn.Linear(3, 4)(torch.ones(5))
except RuntimeError:
    x.sum().backward()
"""


def test_tracebacks_show_the_program_and_what_is_python_in_pytorch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "fails.py"
    file.write_text(FAILING)
    said = python("-m", "tensorsh", "python", str(file)).stderr
    shown = re.findall(r'File "(?:.*[/\\\\])?(\w+\.py)", line (\d+)', said)
    layers = [name for name, _ in shown if name in ("module.py", "linear.py")]
    assert [each for each in shown if each[0] not in layers] == [(file.name, n) for n in ("10", "4", "12", "6")], said
    assert layers == ["module.py", "linear.py"] and said.endswith("ValueError: of the program\n")
    broken = tmp_path / "broken.py"
    broken.write_text("if x\n")
    assert python("-m", "tensorsh", "python", str(broken)).stderr.startswith(f'  File "{broken}", line 1')
    monkeypatch.setenv("TORCH_SHOW_CPP_STACKTRACES", "1")
    assert "public_form" in python("-m", "tensorsh", "python", str(file)).stderr


def test_a_suite_runs_with_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import torch")
    (tmp_path / "test_it.py").write_text(
        "import torch\ndef test_it():\n    assert torch.__version__.endswith('tensorsh') and torch.ones(2).sum() == 2\n"
    )
    run = python("-m", "pytest", "-q", "--torch=tensorsh", "-p", "no:cacheprovider", str(tmp_path), folder=tmp_path)
    assert run.returncode == 0 and "1 passed" in run.stdout, run.stdout + run.stderr


def test_warnings_are_of_the_programs_lines(tmp_path: Path) -> None:
    file = tmp_path / "layers.py"
    file.write_text("import torch\ntorch.nn.functional.softmax(torch.ones(2))\ntorch.nn.Softmax()(torch.ones(2))\n")
    said = [line for line in python("-m", "tensorsh.as_torch", str(file)).stderr.splitlines() if "Warning" in line]
    assert [line.split(" ")[0] for line in said] == [f"{file}:2:", f"{file}:3:"]


def test_a_file_is_read_by_a_process_that_has_loaded_nothing_else(tmp_path: Path) -> None:
    kept = tmp_path / "nested.pt"
    made = "torch.nested.nested_tensor([[1, 2, 3], [4, 5]], layout={})"
    many = f"[{made.format('torch.jagged')}, {made.format('torch.strided')}]"
    answers(f"import torch\ntorch.save({many}, {str(kept)!r})\ntold = {{}}")
    found = answers(
        f"import torch\nfirst, second = torch.load({str(kept)!r})\n"
        "told = {'parts': [[part.tolist() for part in (x + 1).unbind()] for x in (first, second)]}"
    )
    assert found["parts"] == [[[2, 3, 4], [5, 6]]] * 2
