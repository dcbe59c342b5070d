"""``torch.distributed.run``, which is torchrun: ``tensorsh python -m torch.distributed.run --nproc-per-node 2 FILE.py`` starts ranks
of plain Python on this machine. For plain Python alone (`tensorsh.as_torch`)."""

from __future__ import annotations

import os
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Sequence

from ...engine.arrays.backend import device_count
from ...ranks.launcher import Launcher, launch

__all__ = ["get_args_parser", "main", "parse_args", "run"]

IGNORED = """
rdzv-backend rdzv-endpoint rdzv-id rdzv-conf max-restarts monitor-interval start-method role log-dir redirects tee
local-ranks-filter node-rank master-addr master-port local-addr logs-specs numa-binding signals-to-handle
""".split()
"""Options with a value that says how several machines meet, where logs are kept, how often ranks are started again."""


def get_args_parser() -> ArgumentParser:
    """The options of torchrun."""
    parser = ArgumentParser("torchrun", description="Ranks of one program on this machine.", allow_abbrev=False)
    parser.add_argument("--nnodes", default="1:1")
    parser.add_argument("--nproc-per-node", "--nproc_per_node", default="1")
    for name in IGNORED:
        short = {"redirects": ["-r"], "tee": ["-t"]}.get(name, [])
        parser.add_argument(*short, *dict.fromkeys((f"--{name}", f"--{name.replace('-', '_')}")))
    for names in (("--standalone",), ("-m", "--module"), ("--no-python", "--no_python"), ("--run-path", "--run_path")):
        parser.add_argument(*names, action="store_true")
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=REMAINDER)
    return parser


def parse_args(args: Sequence[str] | None) -> Namespace:
    """What the words of a command mean."""
    return get_args_parser().parse_args(args)


def run(args: Namespace) -> int:
    """Start the ranks and wait for them; the exit code.
    ValueError: a number of ranks that is none, or several machines."""
    if args.nnodes.rpartition(":")[2] != "1":
        raise ValueError("torchrun in tensorsh starts ranks on this machine alone: --nnodes must be 1")
    named = {"auto": device_count() or os.cpu_count(), "cpu": os.cpu_count(), "gpu": device_count()}
    size = named.get(args.nproc_per_node)
    if size is None:
        try:
            size = int(args.nproc_per_node)
        except ValueError as error:
            raise ValueError(f"Unsupported nproc_per_node value: {args.nproc_per_node}") from error
    words = [args.training_script, *args.training_script_args]
    if args.no_python:
        return Launcher(size, words, False).run()
    return launch(size, ["python", *(["-m"] if args.module else []), *words], False)


def main(args: Sequence[str] | None = None) -> None:
    """torchrun: start ranks, and end with their exit code."""
    code = run(parse_args(args))
    if code:
        sys.exit(code if code == 130 else 1)


if __name__ == "__main__":
    main()
