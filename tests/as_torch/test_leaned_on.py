"""What libraries import beside the documented names: it is there in plain Python, says so when it is used, and no script sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tensorsh import Session

TREE = Path(__file__).parents[2]
CODE = """
import json, pickle
import tensorsh.as_torch
import torch
from torch import nn

told = {}
import torch.distributed.fsdp as fsdp, torch.distributed.pipelining as pipelining, torch._inductor, torch.onnx.symbolic_opset9, torch.ao.quantization, torch.utils.cpp_extension
from torch._C import _get_tracing_state, DispatchKeySet, DispatchKey
import torch._dynamo
refused = []
for use in (pipelining.ScheduleZBVZeroBubble, lambda: torch.onnx.export(None, None), lambda: torch.utils.cpp_extension.load("x", []),
            torch._inductor.list_mode_options):
    try:
        use()
    except NotImplementedError as error:
        refused.append(str(error))
told["refused"] = refused
told["of none"] = [isinstance(nn.Linear(1, 1), pipelining.ScheduleZBVZeroBubble), fsdp.StateDictType.FULL_STATE_DICT.name,
                   issubclass(type("Own", (fsdp.FSDPModule,), {}), fsdp.FSDPModule)]
from torch.utils.checkpoint import get_device_states, set_device_states
from torch.serialization import DEFAULT_PROTOCOL
set_device_states(*get_device_states(torch.ones(1)))
told["devices"] = [*get_device_states(torch.ones(1)), DEFAULT_PROTOCOL]
told["asked"] = [_get_tracing_state(), torch._dynamo.is_compiling(), torch.onnx.is_in_onnx_export(), torch.jit.is_scripting(),
                 (DispatchKeySet(DispatchKey.CPU) | DispatchKeySet(DispatchKey.CUDA)).has(DispatchKey.CPU)]

class Other:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "asked for " + func.__name__
told["classes"] = [torch.clone(Other()), torch.cat([Other(), torch.ones(1)]), torch.ones(2).mul(Other())]

class Named(nn.Module):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return "own " + name
m = Named()
m._parameters = {"given": torch.ones(2)}
told["getattr"] = [m.nothing, m.given.tolist(), list(m.state_dict(keep_vars=True))]

a, b = [torch.ones(2), torch.full((2,), 3.0)], [torch.ones(2), torch.ones(2)]
torch._foreach_add_(a, b, alpha=2)
torch._foreach_addcdiv_(a, b, b, [1.0, 2.0])
told["foreach"] = [[t.tolist() for t in a], [t.tolist() for t in torch._foreach_mul(a, 2)], [t.item() for t in torch._foreach_norm(b)],
                   [t.tolist() for t in torch._foreach_maximum(b, 2)]]
try:
    torch._foreach_add(a, b[:1])
except RuntimeError as error:
    told["foreach wrong"] = str(error)
class Own(nn.Parameter): pass
told["text"] = repr(Own(torch.ones(2)))
s = torch.UntypedStorage([1, 2, 3, 4])
s[1:3][0] = 9
told["storage"] = [list(s), torch.asarray(s, dtype=torch.int16).tolist()]
try:
    torch.hub.load_state_dict_from_url("https://nowhere.example/net-0123.pth", model_dir="/nowhere")
except RuntimeError as error:
    told["hub"] = str(error)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told() -> dict:
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, cwd=TREE)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_what_is_refused_is_imported_and_says_so_when_it_is_used(told: dict) -> None:
    assert told["refused"] == [
        "tensorsh does not have torch.distributed.pipelining.ScheduleZBVZeroBubble: give each process its layers in a PipelineStage, "
        "and use ScheduleGPipe or Schedule1F1B",
        "tensorsh does not have torch.onnx.export: export from PyTorch, with the state dict that torch.save writes",
        "tensorsh does not have torch.utils.cpp_extension.load: write the operator in Python (torch.library.custom_op)",
        "tensorsh does not have torch._inductor.list_mode_options: call torch.compile, which runs the program as it is",
    ]
    assert told["of none"] == [False, "FULL_STATE_DICT", True]


def test_random_numbers_of_devices(told: dict) -> None:
    assert told["devices"] == [[], [], 2]


def test_what_is_asked_of_the_compiler_is_answered_no(told: dict) -> None:
    assert told["asked"] == [None, False, False, False, False]


def test_classes_of_libraries_that_override_functions_are_asked(told: dict) -> None:
    assert told["classes"] == ["asked for clone", "asked for cat", "asked for mul"]


def test_modules_look_into_tables_that_others_filled(told: dict) -> None:
    assert told["getattr"] == ["own nothing", [1.0, 1.0], ["given"]]


def test_functions_of_lists(told: dict) -> None:
    """The numbers are PyTorch's: (1 + 2) + 1/1, (3 + 2) + 2/1."""
    assert told["foreach"][0] == [[4.0, 4.0], [7.0, 7.0]] and told["foreach"][1] == [[8.0, 8.0], [14.0, 14.0]]
    assert told["foreach"][2] == pytest.approx([2**0.5] * 2) and told["foreach"][3] == [[2.0, 2.0], [2.0, 2.0]]
    assert told["foreach wrong"] == "Tensor lists must have the same number of tensors, got 2 and 1"


def test_texts_and_storages(told: dict) -> None:
    assert told["text"] == "Parameter containing:\nParameter(Own([1., 1.], requires_grad=True))"
    assert told["storage"] == [[1, 9, 3, 4], [2305, 1027]]


def test_nothing_is_fetched(told: dict) -> None:
    assert "tensorsh fetches nothing from the network" in told["hub"] and "/nowhere/net-0123.pth" in told["hub"]


@pytest.mark.parametrize(
    "name", "_C fx private foreach hub.load hub.HASH_REGEX _foreach_add onnx.symbolic_helper types.FileLike _tensor_str "
    "utils.model_zoo utils._foreach_utils jit.annotations utils.collect_env _VF nn.common_types classes".split()
)  # fmt: skip
def test_no_script_sees_it(name: str) -> None:
    """They import, run code of their own or lead to files: programs in the sandbox do not reach them."""
    session = Session()
    for code in (
        f"torch.{name}",
        f"import torch.{name}",
        f"from torch import {name.partition('.')[0]} as x\nx.{name.partition('.')[2] or 'y'}",
    ):
        with pytest.raises((AttributeError, ImportError, SyntaxError)):
            session.run("import torch\n" + code)


def test_packages_that_are_installed_stay_out() -> None:
    """The hint is one for all names: it does not tell what is installed."""
    session = Session()
    told = []
    for name in ("pytest", "numpy.ma.extras", "no_such_module_anywhere"):
        with pytest.raises(ModuleNotFoundError) as caught:
            session.run(f"import {name}")
        told.append(session.diagnose(caught.value).rpartition("hint: ")[2].replace(name, "NAME"))
    assert told[0] == told[2] and "--allow-import=NAME" in told[0]


def test_modules_of_torch_are_run() -> None:
    words = [sys.executable, "-m", "tensorsh.as_torch", "-m"]
    ran = subprocess.run([*words, "torch.utils.collect_env"], capture_output=True, text=True, cwd=TREE)
    assert ran.stdout.startswith("Collecting environment information...\nPyTorch version: 2.13.0+tensorsh\n")
    assert "[pip3] numpy==" in ran.stdout and "torch==2.13.0+tensorsh" in ran.stdout
    ran = subprocess.run([*words, "torch.nosuch"], capture_output=True, text=True, cwd=TREE)
    assert (ran.returncode, ran.stderr) == (1, "tensorsh: No module named torch.nosuch\n")
