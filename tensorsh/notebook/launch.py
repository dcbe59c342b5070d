"""The start of a kernel's process on ipykernel's application, and the specification by which Jupyter finds it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from ..command.arguments import UsageError, parse
from . import MISSING

NAME = "tensorsh"
"""The kernel's name in Jupyter."""
DISPLAY_NAME = "tensorsh (PyTorch)"


def launch(words: Sequence[str]) -> None:
    """Serve one kernel until its client ends it. Options other than the connection file are those of programs."""
    connection, options = [], []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "-f":
            connection = [word, rest.pop(0)] if rest else [word]
        else:
            options.append(word)
    from ..shell.loop import deepen_stack
    from .application import Application
    from .kernel import TensorshKernel

    deepen_stack()
    os.environ["MPLBACKEND"] = "module://tensorsh.notebook.figures"
    TensorshKernel.options = parse(options)
    streams = "tensorsh.notebook.streams.Stream"
    Application.launch_instance(argv=connection, kernel_class=TensorshKernel, outstream_class=streams)


def specification(options: Sequence[str] = ()) -> dict[str, Any]:
    """What Jupyter reads of the kernel: the command that starts it, its names."""
    return {
        "argv": [sys.executable, "-P", "-m", "tensorsh.notebook", "-f", "{connection_file}", *options],
        "display_name": DISPLAY_NAME,
        "language": "tensorsh",
        "metadata": {"debugger": False},
    }


def install(words: Sequence[str]) -> str:
    """Install the kernel for Jupyter: `--user` (the default), `--sys-prefix` or `--prefix=PATH`; where it was put.

    Options of programs (`--allow-read=data`, `--max-memory=2G`) are kept for each start. Raises UsageError."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        raise UsageError(MISSING) from None
    import json
    import tempfile

    prefix, options, rest = None, [], list(words)
    while rest:
        word = rest.pop(0)
        if word == "--sys-prefix":
            prefix = sys.prefix
        elif word == "--prefix" and rest:
            prefix = rest.pop(0)
        elif word.startswith("--prefix="):
            prefix = word.removeprefix("--prefix=")
        elif word != "--user":
            options.append(word)
    given = parse(options)
    if given.arguments or given.command or given.code is not None:
        raise UsageError("kernel install takes --user, --sys-prefix, --prefix=PATH and options of programs")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(specification(options), file, indent=1)
        try:
            return str(KernelSpecManager().install_kernel_spec(folder, NAME, user=prefix is None, prefix=prefix))
        except OSError as error:
            raise UsageError(f"cannot install in {error.filename}: {error.strerror}") from None
