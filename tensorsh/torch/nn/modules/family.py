"""Families: modules for signals, images and volumes that differ by their number of dimensions alone."""

from __future__ import annotations

import re
from typing import Any, TypeVar

SIZES = {1: "L", 2: "H, W", 3: "D, H, W"}
"""Names of the last dimensions of a signal, an image, a volume."""

M = TypeVar("M")


def filled(text: str, n: int) -> str:
    """A text for so many dimensions: {n} is their number, {size} their names, {6s} is as many sizes of 6: ", 6, 6"."""
    text = text.replace("{n}", str(n)).replace("{size}", SIZES[n])
    return re.sub(r"\{(\d)s\}", lambda found: f", {found[1]}" * n, text)


def family(base: type[M], name: str, doc: str, *dims: int, **options: Any) -> list[type[M]]:
    """Subclasses `name` + "1d", "2d", "3d" (or of the given numbers) of a module, with that number as `dims`. Texts
    are filled in; of a dict each takes the value at its number."""
    made = []
    for n in dims or (1, 2, 3):
        title = f"{name}{n}d"
        owners = {"forward": ""} | base.__dict__.get("_owners", {})
        body: dict[str, Any] = {"dims": n, "__module__": "tensorsh." + base.__module__, "_owners": owners}
        body |= {key: filled(v, n) if isinstance(v, str) else v[n] for key, v in {"__doc__": doc, **options}.items()}
        made.append(type(base)(title, (base,), body | {"__qualname__": title}))
    return made
