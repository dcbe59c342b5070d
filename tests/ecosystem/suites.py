"""``python -m tests.ecosystem.suites FOLDER --oracle PYTHON [NAME...]``: libraries' own tests, on tensorsh and on PyTorch.

FOLDER is the environment of `make ecosystem`; PYTHON has PyTorch and the libraries. The sources come from the package index and
are kept in FOLDER/suites, with what each test did; what PyTorch said is asked again with `--again` only. The figures are written to
`suites.txt`, from which docs/ecosystem.md is made.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
from datetime import date
from pathlib import Path
from typing import NamedTuple

from .report import write_suites
from .running import HERE, OWN

FIGURES = HERE / "suites.txt"
CUT = "cut there"
LIMIT = 900
"""Seconds that a suite may take on either side; of one that takes longer the tests that ran on both are compared."""


class Suite(NamedTuple):
    """A library's tests: the source distribution, where its tests are in it, further words for pytest."""

    source: str
    tests: str
    words: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


ENDING = ("-o", "python_files=*_test.py test_*.py")

SUITES = {
    "einops": Suite("einops==0.8.2", "einops/tests", (), (("EINOPS_TEST_BACKENDS", "numpy,torch"),)),
    "opt-einsum": Suite("opt_einsum==3.4.0", "opt_einsum/tests"),
    "normflows": Suite("normflows==1.7.3", "normflows", ENDING),
    "tensorly": Suite("tensorly==0.10.0", "tensorly", (), (("TENSORLY_BACKEND", "pytorch"),)),
    "torchsde": Suite("torchsde==0.2.6", "tests"),
    "linear-operator": Suite("linear_operator==0.6.1", "test"),
    "gpytorch": Suite("gpytorch==1.15.2", "test"),
    "torch-optimizer": Suite("torch-optimizer==0.3.0", "tests"),
    "pytorch-optimizer": Suite("pytorch_optimizer==4.1.0", "tests", ("-o", "addopts=")),
    "e3nn": Suite("e3nn==0.6.0", "tests"),
    "funsor": Suite("funsor==0.4.8", "test"),
    "torchmetrics": Suite("torchmetrics==1.9.0", "src/torchmetrics", ("--doctest-modules",)),
    "skorch": Suite("skorch==1.4.0", "skorch/tests", ("-o", "addopts=")),
    "einx": Suite("einx==0.4.3", "test"),
    "accelerate": Suite("accelerate==1.15.0", "tests"),
    "backpack": Suite("backpack_for_pytorch==1.7.1", "test", ENDING),
    "curvlinops": Suite("curvlinops_for_pytorch==3.0.1", "test"),
    "julius": Suite("julius==0.2.8", "tests"),
    "neuraloperator": Suite("neuraloperator==2.0.0", "neuralop"),
    "opacus": Suite("opacus==1.6.0", "opacus/tests", ENDING),
    "ignite": Suite("pytorch_ignite==0.5.5", "tests/ignite"),
    "safetensors": Suite("safetensors==0.8.0", "bindings/python/tests"),
    "tensorly-torch": Suite("tensorly-torch==0.5.0", "tltorch"),
    "timm": Suite("timm==1.0.31", "tests"),
    "zuko": Suite("zuko==1.6.0", "tests"),
    "nflows": Suite("nflows==0.14", "tests", ENDING),
    "peft": Suite(
        "peft==0.21.2",
        "tests",
        ("-o", "addopts=", "-k", "custom or bufferdict or low_level or mixed or pca"),
        (("HF_HUB_OFFLINE", "1"),),
    ),
    "torchquad": Suite("torchquad==0.6.0", "tests", ENDING),
    "cooper-optim": Suite("cooper-optim==1.0.1", "tests"),
    "lampe": Suite("lampe==0.9.0", "tests"),
    "norse": Suite("norse==1.1.0", "norse", ENDING),
    "poutyne": Suite("poutyne==1.19.0", "tests", ("-o", "addopts=")),
    "pytorch-minimize": Suite("pytorch-minimize==0.1.0", "tests"),
    "pytorch-ood": Suite("pytorch-ood==0.4.0", "tests"),
    "pytorch-wavelets": Suite("pytorch-wavelets==1.3.0", "tests"),
    "roma": Suite("roma==1.8.0", "test", ("--confcutdir=test",)),
    "tntorch": Suite("tntorch==1.1.2", "tests"),
    "torchbearer": Suite("torchbearer==0.5.5", "tests"),
    "torchist": Suite("torchist==1.0.1", "tests"),
    "torchkbnufft": Suite("torchkbnufft==1.5.2", "tests"),
}


def source(folder: Path, suite: Suite) -> Path | None:
    """The folder of a library's sources; None where they have no tests."""
    name = suite.source.replace("==", "-")
    home = folder / "suites"
    home.mkdir(exist_ok=True)
    stem = name.replace("-", "_").lower()
    found = [each for each in home.iterdir() if each.is_dir() and each.name.replace("-", "_").lower() == stem]
    if not found:
        words = ["download", "-q", "--no-deps", "--no-binary", ":all:", suite.source]
        subprocess.run([sys.executable, "-m", "pip", *words, "-d", str(home)], capture_output=True)
        archive = [each for each in home.glob("*.tar.gz") if each.name[:-7].replace("-", "_").lower() == stem]
        if not archive:
            return None
        with tarfile.open(archive[0]) as file:
            file.extractall(home, filter="data")
        found = [each for each in home.iterdir() if each.is_dir() and each.name.replace("-", "_").lower() == stem]
    return found[0] if found and (found[0] / suite.tests).is_dir() else None


def run(python: str, home: Path, suite: Suite, told: Path, words: tuple[str, ...], limit: float) -> dict[str, str]:
    """What each test of a suite did."""
    told.write_text("", encoding="utf-8")
    path = os.pathsep.join([str(HERE / "plugin"), *([str(HERE.parents[1])] if words else [])])
    variables = os.environ | OWN | dict(suite.variables) | {"SUITE_OUTCOMES": str(told), "PYTHONPATH": path}
    options = [
        "-q",
        "-p",
        "suite_outcomes",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        "--tb=line",
        "--continue-on-collection-errors",
        *words,
        *suite.words,
    ]
    with open(f"{told}.log", "w", encoding="utf-8") as log:
        command = [python, "-m", "pytest", *options, suite.tests]
        try:
            subprocess.run(command, cwd=home, env=variables, stdout=log, stderr=log, timeout=limit)
        except subprocess.TimeoutExpired:
            with open(told, "a", encoding="utf-8") as file:
                file.write(CUT + "\n")
    return read(told)


def read(told: Path) -> dict[str, str]:
    """Outcomes as they were written; of a test that was told of twice, the worse."""
    found: dict[str, str] = {}
    for line in told.read_text(encoding="utf-8").splitlines() if told.exists() else ():
        outcome, _, name = line.partition(" ")
        if line == CUT:
            outcome, name = CUT, CUT
        if found.get(name) != "failed":
            found[name] = outcome
    return found


def compared(theirs: dict[str, str], ours: dict[str, str]) -> tuple[int, list[str]]:
    """How many tests PyTorch passes, and which of them fail here; of a suite that was cut, of those that ran."""
    passing = [name for name, outcome in theirs.items() if outcome == "passed" and (CUT not in ours or name in ours)]
    return len(passing), [name for name in passing if ours.get(name) != "passed"]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--limit", type=float, default=LIMIT)
    given = parser.parse_intermixed_args(words)
    figures = dict(line.split(" ", 1) for line in FIGURES.read_text("ascii").splitlines()) if FIGURES.exists() else {}
    for name in given.names or SUITES:
        suite = SUITES[name]
        home = source(given.folder, suite)
        if home is None:
            print(f"{name:26} its source distribution carries no tests", flush=True)
            continue
        told = given.folder / "suites" / f"{name}.pytorch"
        theirs = read(told)
        if not theirs or given.again:
            theirs = run(given.oracle, home, suite, told, (), given.limit)
        mine = given.folder / "suites" / f"{name}.tensorsh"
        python = str(given.folder / "bin" / "python")
        ours = run(python, home, suite, mine, ("-p", "tensorsh.golden.plugin", "--torch=tensorsh"), given.limit)
        count, failing = compared(theirs, ours)
        whole = sum(outcome == "passed" for outcome in theirs.values())
        cut = f", of {whole} in all: cut after {given.limit:.0f} s" if CUT in ours and count < whole else ""
        print(f"{name:26} {count - len(failing)} of {count}{cut}", flush=True)
        for each in failing[:5]:
            print(f"    {each}")
        if count:
            figures[name] = f"{suite.source.partition('==')[2]} {count - len(failing)} {count} {whole} {date.today()}"
            FIGURES.write_text("".join(f"{key} {figures[key]}\n" for key in sorted(figures)), encoding="ascii")
    write_suites()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
