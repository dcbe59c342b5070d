"""The table of functions: what each takes, the kernels that it lacks, what it says of ``out=`` and of memory that overlaps."""

from __future__ import annotations

from tensorsh.engine.loading.recorded import FILE

from .origin import write_text
from .outs import outs
from .overlaps import overlaps
from .overloads import takes
from .refusals import lacks


def record() -> None:
    overloads = takes()
    found = overloads | lacks() | outs(overloads) | overlaps(overloads)
    write_text(
        "functions", FILE, "Names and words: what is recorded.", [f"{key}: {found[key]}" for key in sorted(found)]
    )
