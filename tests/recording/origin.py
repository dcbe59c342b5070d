"""The origin of a table: command, build of PyTorch, processor, threads; and the ways in which tables are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..support import tables

FOLDER = Path(__file__).parents[2]
FLAGS = "avx2 fma f16c avx512f avx512_bf16 avx512_vnni amx_tile asimd sve".split()
"""Sets of instructions by which PyTorch and its libraries choose their code."""


def processor() -> str:
    """``AuthenticAMD AMD EPYC (avx2 fma)``"""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return "unknown processor"
    known = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = set(known.get("flags", known.get("Features", "")).split())
    named = " ".join(known[key] for key in ("vendor_id", "model name") if key in known)
    return f"{named} ({' '.join(flag for flag in FLAGS if flag in flags)})"


def origin(name: str) -> str:
    """What made a table, in one line."""
    import torch

    build = f"PyTorch {torch.__version__} of git {torch.version.git_version[:10]}"
    threads = torch.get_num_threads()
    return f"make record ONLY={name}, {build}, {processor()}, {threads} thread{'s' * (threads > 1)}"


def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def write(recorder: str, table: str, cases: Iterable[Iterable[Any]]) -> None:
    """Writes a table of the tests."""
    count = tables.write(table, origin(recorder), cases)
    print(f"  {table}: {count} cases, {tables.file(table).stat().st_size} bytes")


def again(recorder: str, table: str, outcome: Callable[..., Any]) -> None:
    """Records the cases that stand in a table anew: `outcome` is called with all columns of a line but the last."""
    write(recorder, table, [[*case, outcome(*case)] for *case, _ in tables.rows(table)])


def write_text(recorder: str, path: str, title: str, lines: Iterable[str]) -> None:
    """Writes a table of the package, with a heading for those who read it."""
    text = "\n".join([f"# {title} Made by {origin(recorder)}.", *lines])
    Path(path).write_text(text + "\n", encoding="ascii")
    print(f"  {Path(path).relative_to(FOLDER)}: {text.count(chr(10))} lines")
