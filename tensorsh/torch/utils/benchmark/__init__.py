"""``torch.utils.benchmark``: statements timed, their times compared in a table, inputs drawn at random. Plain Python's alone."""

from __future__ import annotations

from .utils.common import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from .utils.compare import Colorize, Compare
from .utils.fuzzer import FuzzedParameter, FuzzedSparseTensor, FuzzedTensor, Fuzzer, ParameterAlias
from .utils.timer import Language, Timer, timer

__all__ = [
    "Colorize", "Compare", "FuzzedParameter", "FuzzedSparseTensor", "FuzzedTensor", "Fuzzer", "Language", "Measurement",
    "ParameterAlias", "TaskSpec", "Timer", "ordered_unique", "select_unit", "set_torch_threads", "timer", "trim_sigfig",
    "unit_to_english",
]  # fmt: skip

for _each in (
    Colorize, Compare, FuzzedParameter, FuzzedSparseTensor, FuzzedTensor, Fuzzer, Language, Measurement,
    ParameterAlias, TaskSpec, Timer,
):  # fmt: skip
    _each.__module__ = _each.__module__[9:]  # without tensorsh
