"""A pytest plugin: `.tsr` files are collected as golden tests; with `--torch=tensorsh` a suite's `import torch` means tensorsh.

An entry point registers it, so that nothing is to be configured where tensorsh is installed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest


class GoldenDiffers(Exception):
    """The output of a file is not what stands in it."""


class GoldenItem(pytest.Item):
    """One golden file, run in a fresh session."""

    def runtest(self) -> None:
        from .report import difference_text
        from .runner import run_file

        result = run_file(self.path)
        if not result.ok:
            raise GoldenDiffers(difference_text(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, GoldenDiffers):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.path.name


class GoldenFile(pytest.File):
    """A `.tsr` file: one test, or none where no statement stands in it."""

    def collect(self) -> Iterable[GoldenItem]:
        from .document import holds_code

        if holds_code(self.path.read_text(encoding="utf-8", errors="replace")):
            yield GoldenItem.from_parent(self, name="golden")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--torch",
        choices=("tensorsh",),
        help="let `import torch` mean tensorsh in this test run (see tensorsh.as_torch)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any file of the suite is imported. pytest rewrites the assertions of whatever a plugin's package holds: it would compile
    each module of tensorsh itself, in place of the bytecode that was installed."""
    marked = getattr(getattr(early_config.pluginmanager, "rewrite_hook", None), "_must_rewrite", None)
    if isinstance(marked, set):
        marked.discard("tensorsh")
    if early_config.known_args_namespace.torch is not None:
        try:
            import tensorsh.as_torch  # noqa: F401
        except ImportError as error:
            raise pytest.UsageError(f"--torch=tensorsh: {error}") from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> GoldenFile | None:
    return GoldenFile.from_parent(parent, path=file_path) if file_path.suffix == ".tsr" else None
