"""The catalogue of operators: `docs/operators.md` and the type stubs, both made from the table of operators.

python -m tensorsh.assist.catalogue          writes both (as `make tables` does)
python -m tensorsh.assist.catalogue --check  says whether they are current
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from ..engine.loading import table
from .operator_tables import namespace, page

PACKAGE = Path(__file__).parent.parent
OPERATORS = PACKAGE.parent / "docs" / "operators.md"
STUBS = PACKAGE / "torch"


STUBBED = (
    " nn nn.functional nn.init nn.utils nn.utils.rnn optim optim.lr_scheduler linalg fft special distributions".split(
        " "
    )
)
"""The namespaces below torch that have a stub: those whose names no Python file tells."""
STUB_HEAD = '''\
"""What an editor completes{where}. Made by `make tables` from the table of operators; do not edit."""

from builtins import bool as _bool
from typing import Any

'''
PLAIN = (bool, int, float, str, type(None))
RESERVED = {"from", "is", "None", "True", "False", "lambda"}


def stub_path(dotted: str) -> Path:
    folder = STUBS.joinpath(*dotted.split(".")) if dotted else STUBS
    return folder / "__init__.pyi" if folder.is_dir() else folder.with_suffix(".pyi")


def stub_text(dotted: str) -> str:
    """The stub of a namespace."""
    from ..sandbox.namespace import Namespace
    from ..torch.root import torch

    table.load_all()
    space = namespace("torch." + dotted if dotted else "torch")
    imports, lines = [], []
    for name in sorted(dir(space)):
        if name.startswith("_") or not name.isidentifier() or name in RESERVED:
            continue
        value = getattr(space, name, None)
        if isinstance(value, Namespace):
            inner = f"{dotted}.{name}" if dotted else name
            known = inner in STUBBED or stub_path(inner).with_suffix(".py").exists()
            (imports if known else lines).append(f"from . import {name} as {name}" if known else f"{name}: Any")
        elif value is torch.Tensor:
            lines += tensor_stub(value) if not dotted else []
        elif isinstance(value, type) and (home := home_of(value)):
            imports.append(f"from {home} import {value.__name__} as {name}")
        else:
            lines.append(stub_of(name, value))
    if dotted:
        imports.append("from tensorsh.torch import Tensor as Tensor")
    where = f" after `torch.{dotted}.`" if dotted else " after `torch.`"
    return STUB_HEAD.format(where=where) + "\n".join([*sorted(imports), "", *lines]) + "\n"


def home_of(value: type) -> str | None:
    """The module of the package whose text has a class."""
    for home in (value.__module__, "tensorsh." + value.__module__, getattr(value.__init__, "__module__", "")):  # type: ignore[misc]
        module: Any = sys.modules.get(home)
        path = getattr(module, "__file__", None)
        if path and home.startswith("tensorsh.") and getattr(module, value.__name__, None) is value:
            return home if f"\nclass {value.__name__}" in Path(path).read_text(encoding="utf-8") else None
    return None


def tensor_stub(cls: Any) -> list[str]:
    lines = ["class Tensor:", "    def __init__(self, *data: Any, device: Any = None) -> None: ..."]
    for name in sorted({*cls.__dict__, *table.METHODS}):
        if name.startswith("_") and name not in ("_version", "_base") and not name.startswith("__"):
            continue
        value = table.METHODS.get(name, cls.__dict__.get(name))
        if name.startswith("__"):
            if name in BINARY:
                lines.append(
                    f"    def {name}(self, other: Any) -> Tensor: ...{'  # type: ignore' if name in ('__eq__', '__ne__') else ''}"
                )
            continue
        if isinstance(value, property):
            lines.append(f"    {name}: Any")
        elif callable(value):
            lines.append("    " + stub_of(name, value, method=True))
    lines += [
        "    def __getitem__(self, index: Any) -> Tensor: ...", "    def __setitem__(self, index: Any, value: Any) -> None: ...",
        "    def __len__(self) -> Any: ...", "    def __iter__(self) -> Any: ...", "    def __neg__(self) -> Tensor: ...",
        "    def __invert__(self) -> Tensor: ...", "    def __bool__(self) -> _bool: ...",
    ]  # fmt: skip
    return lines


BINARY = {
    f"__{kind}{name}__"
    for name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
    for kind in ("", "r", "i")
} | {f"__{name}__" for name in "eq ne lt le gt ge".split()}


def stub_of(name: str, value: Any, method: bool = False) -> str:
    """A line of a stub: a function with its parameters, or a value."""
    if isinstance(value, type) and value.__module__.startswith(("torch.nn", "torch.optim", "tensorsh.torch")):
        return f"class {name}(Any):\n    " + stub_of("__init__", value.__init__, method=True)
    if not callable(value) or isinstance(value, type):
        return f"{name}: Any"
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."
    op = getattr(value, "_operator", None)
    tensors = {op.params[i] for i in op.arrays} if hasattr(op, "arrays") else {"input"} if op is not None else set()
    if method:
        parameters = (
            parameters[1:] if parameters and parameters[0].kind is not parameters[0].VAR_POSITIONAL else parameters
        )
    texts, starred = ["self"] if method else [], False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            texts.append("*")
        starred = starred or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        kind = "Tensor | Any" if each.name in tensors else "_bool" if type(each.default) is bool else "Any"
        default = (
            "" if each.default is each.empty else f" = {each.default!r}" if type(each.default) in PLAIN else " = ..."
        )
        texts.append(f"{stars}{each.name}: {kind}{default}")
    notes = getattr(value, "__annotations__", {})
    single = name.endswith("_") or getattr(op, "outputs", 0) == 1 or notes.get("return") == "Tensor"
    result = "None" if name == "__init__" else "Tensor" if single else "Any"
    return f"def {name}({', '.join(texts)}) -> {result}: ..."


def files() -> dict[Path, str]:
    """All that is written, with its text."""
    return {OPERATORS: page()} | {stub_path(dotted): stub_text(dotted) for dotted in STUBBED}


def main() -> int:
    stale = [path for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        print(*stale, sep="\n", end="")
        return 1 if stale else 0
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
