"""The example of every function, run once on the CPU and once with a CUDA device as the default.

``python -m tests.device.sweep`` names the functions that fail on the device, with the
reason.
"""

from __future__ import annotations

import io
import re
import sys
import traceback
import warnings
from contextlib import redirect_stderr

from tensorsh import Session
from tensorsh.engine.examples import examples

from .standin import HostRead, installed

TO_CPU = {"Tensor.cpu", "from_numpy", "frombuffer", "normal", "range"}
"""Functions that are asked for a tensor on the CPU, or do not ask for the default device, as PyTorch's do not."""
REASONS = {
    "Implicit conversion": "conversion to numpy",
    "Unsupported type": "numpy operand",
    "numpy's .* does not take arrays": "numpy's ufunc method",
    "has no attribute.*|no implementation found": "missing in cupy",
    "at least two devices": "made on the CPU",
}
NOT_COMPARED = re.compile(
    r"(^|\.)(empty|new_empty|_?empty_\w+|seed|initial_seed)$|device|data_ptr|storage|pin_memory|is_cpu|Tensor\.(numpy|type)$"
)
"""What the memory happens to hold, what was drawn from the clock, and what is about devices itself."""

RANDOM = re.compile(
    r"(^|\.)(rand|normal|uniform_|random_|cauchy_|exponential_|geometric_|log_normal_|bernoulli|multinomial)|dropout|gumbel"
)
"""Functions whose numbers come from the device's own generator: of them the form of the result is compared."""


def names() -> list[str]:
    return sorted(n for n in examples() if not NOT_COMPARED.search(n))


def printed(code: str, device: str | None) -> str:
    """What a program prints, with the value of its final expression."""
    out = io.StringIO()
    session = Session(stdout=out)
    if device:
        session.run(f"import torch\ntorch.set_default_device({device!r})")
    value = session.run(code)
    return out.getvalue() + ("" if value is None else repr(value))


def plain(text: str) -> str:
    """A text without devices and line breaks."""
    return re.sub(r"\s+", "", re.sub(r",\s*device='[a-z]+(:\d)?'", "", text))


ELSEWHERE = {"Tensor.is_shared": "True"}
"""What a device answers otherwise than the CPU, in PyTorch too: its memory is always shared."""


def failure(name: str, reads: bool = False, device: str = "cuda") -> str | None:
    """Why a function's example does not give on the device what it gives on the CPU; None where it does."""
    code = "\n".join(examples()[name].code)
    with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        expected = printed(code, None)
        try:
            with installed(reads):
                actual = printed(code, device)
        except Exception as error:
            if isinstance(error, HostRead) or isinstance(error.__cause__ or error.__context__, HostRead):
                return failure(name, True, device) or "host read"
            if "-v" in sys.argv:
                where = [f for f in traceback.extract_tb(error.__traceback__) if "/tensorsh/engine" in f.filename]
                print(
                    name,
                    error,
                    *[f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in where[-3:]],
                    file=sys.__stderr__,
                )
            return reason(error)
    seen, wanted = plain(actual), plain(ELSEWHERE.get(name, expected))
    if RANDOM.search(name):
        seen, wanted = (re.sub(r"-?\d+\.?\d*(e[-+]\d+)?", "#", text) for text in (seen, wanted))
    if seen != wanted:
        return "other result"
    return "result on the CPU" if "tensor(" in actual and "cuda" not in actual and name not in TO_CPU else None


def reason(error: Exception) -> str:
    message = str(error).split("\n")[0]
    for words, why in REASONS.items():
        if re.search(words, message):
            return why
    return f"{type(error).__name__}: {message[:90]}"


def main() -> None:
    """What fails, with the reason (``-v``: and the place)."""
    from . import gradients

    found = {n: why for n in names() if (why := failure(n))}
    found |= {"gradient of " + n: why for n, op in gradients.operators().items() if (why := gradients.failure(op))}
    for name, why in found.items():
        print(name, why, sep="\t")
    print(f"{len(found)} of {len(names())} examples and {len(gradients.operators())} operators' gradients fail")


if __name__ == "__main__":
    main()
