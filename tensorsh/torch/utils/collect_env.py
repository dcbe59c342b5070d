"""``torch.utils.collect_env``: what a report of an error says of the machine; ``tensorsh python -m torch.utils.collect_env``
prints it. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import platform
import sys
from collections import namedtuple
from importlib.metadata import distributions, version
from typing import Any

from ..root import torch

KNOWN = (
    "captum einops lark lightning numpy onnx optree scipy tensorsh timm torch torchvision transformers triton".split()
)
"""The packages that are listed, where they are installed."""
LINES = {
    "torch_version": "PyTorch version", "is_debug_build": "Is debug build", "cuda_compiled_version": "CUDA used to build PyTorch",
    "os": "OS", "libc_version": "Libc version", "python_version": "Python version", "python_platform": "Python platform",
    "is_cuda_available": "Is CUDA available", "nvidia_gpu_models": "GPU models and configuration", "cpu_info": "CPU",
    "pip_version": "pip", "pip_packages": "Versions of relevant libraries",
}  # fmt: skip
SystemEnv = namedtuple("SystemEnv", list(LINES))


def get_pip_packages(run_lambda: Any = None, patterns: Any = None) -> tuple[str, str]:
    """``pip3``, and the versions of the packages that matter."""
    names = KNOWN if patterns is None else list(patterns)
    found = {each.metadata["Name"].lower(): each.version for each in distributions() if each.metadata["Name"]}
    return "pip3", "\n".join(f"{name}=={found[name]}" for name in sorted(found) if any(n in name for n in names))


def get_env_info() -> SystemEnv:
    """What is known of the machine and the installation."""
    cuda = torch.cuda
    devices = "\n".join(cuda.get_device_name(i) for i in range(cuda.device_count())) if cuda.is_available() else "N/A"
    libc = "-".join(platform.libc_ver()).strip("-") or "N/A"
    bits = sys.maxsize.bit_length() + 1
    python = f"{sys.version} ({bits}-bit runtime)".replace("\n", " ")
    return SystemEnv(
        version("torch"), "False", torch.version.cuda or "N/A", f"{platform.system()} {platform.release()} ({platform.machine()})", libc, python,
        platform.platform(), str(cuda.is_available()), devices, platform.processor() or platform.machine(), *get_pip_packages(),
    )  # fmt: skip


def get_pretty_env_info() -> str:
    """The same as text."""
    told = get_env_info()
    lines = [f"{title}: {getattr(told, name)}" for name, title in LINES.items() if name[:3] not in ("pip", "cpu")]
    packages = "\n".join(f"[{told.pip_version}] {line}" for line in told.pip_packages.splitlines())
    return "\n".join(
        [*lines, "", "CPU:", told.cpu_info, "", f"{LINES['pip_packages']}:", packages or "Could not collect"]
    )


pretty_str = get_pretty_env_info


def main() -> None:
    """Print it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
