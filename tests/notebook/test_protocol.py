"""The kernel against Jupyter's own test of kernels."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import jupyter_kernel_test
import pytest

from tensorsh.notebook.launch import install

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory):
    """The kernel, installed where this process's Jupyter looks."""
    prefix = tmp_path_factory.mktemp("jupyter")
    install(["--prefix", str(prefix)])
    with patch.dict(os.environ, {"JUPYTER_PATH": str(prefix / "share/jupyter"), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}):  # fmt: skip
        yield


@pytest.mark.filterwarnings("default")
class TestKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "tensorsh"
    language_name = "tensorsh"
    file_extension = ".tsr"
    code_hello_world = "print('hello, world')"
    code_stderr = "import warnings\nwarnings.warn('told')"
    completion_samples = [{"text": "zer", "matches": {"zero_", "zeros", "zeros_like"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n", "%who"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_page_something = "zeros?"
    code_generate_error = "1 / 0"
    code_execute_result = [{"code": "1+2+3", "result": "6"}, {"code": "torch.ones(2)", "result": "tensor([1., 1.])"}]
    code_display_data = [
        {"code": "display(3)", "mime": "text/plain"},
        {"code": "display(plot([1, 2]))", "mime": "image/svg+xml"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zeros"
    code_clear_output = "from IPython.display import clear_output\nclear_output()"
