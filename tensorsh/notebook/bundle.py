"""The MIME bundle of a value: its exact text, and for a browser what text cannot show.

A browser runs what it is sent with the rights of the person at the notebook, who could open a terminal with them: nothing
of a program's goes there but pictures and cleaned HTML. Scripts of programs are dropped (`_repr_javascript_`), HTML and
Markdown lose theirs, links and formulas the scheme that makes scripts of addresses, and SVG is shown as a picture, in which none
runs.
"""

from __future__ import annotations

import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from ..display.nested import plain_text
from ..display.vector import escape
from ..language import peek
from ..tools.displays import DisplayObject
from ..tools.picture import Picture
from ..tools.shown import Shown

LARGEST = 10_000_000
"""Elements of a tensor whose statistics are not looked at any more."""
CELLS = 64
"""Cells of the strip that shows a tensor's values as colours."""
MOST = 10_000_000
"""Characters of one representation."""
TEXTS = ("text/html", "text/markdown", "text/latex", "image/svg+xml")
PICTURES = ("image/png", "image/jpeg")
_SCHEME = re.compile(r"(?i)(?:j.*?a.*?v.*?a|v.*?b).*?s.*?c.*?r.*?i.*?p.*?t(?=.*?\\?:)".replace(".*?", r"[\t\r\n]*"))
METHODS = {
    "_repr_html_": "text/html", "_repr_markdown_": "text/markdown", "_repr_latex_": "text/latex",
    "_repr_svg_": "image/svg+xml", "_repr_png_": "image/png", "_repr_jpeg_": "image/jpeg",
}  # fmt: skip


def bundle(value: Any, errors: list[Exception] | None = None) -> tuple[dict[str, str], dict[str, Any]]:
    """Data and metadata by MIME type; runs within the session. What fails but the text goes into `errors`."""
    base = peek.tensor_class(value)
    if base is not None:
        text = str.__str__(repr(value))
        data = {"text/plain": text}
        if base.__name__ == "Tensor":
            data["text/html"] = html_of_tensor(value, text)
        return data, {}
    data = {"text/plain": str.__str__(plain_text(value))}
    if type(value) in (Shown, Picture):
        return data | type(value)._forms(value), {}
    drawn = sys.modules.get("matplotlib.figure")
    if drawn is not None and isinstance(value, drawn.Figure):
        from .figures import picture

        return data | _harmless({"image/png": picture(value)}), {}
    shown = displayed(value)
    if shown is not None:
        return data | _harmless(shown), {}
    if not isinstance(value, type) and not peek.is_library(type(value)):
        data.update(_own(value, [] if errors is None else errors))
    return data, {}


def shows_itself(value: Any, errors: list[Exception] | None = None) -> bool:
    """Whether a value of a program's class has shown itself, by its `_ipython_display_`; runs within the session."""
    if isinstance(value, type) or peek.is_library(type(value)):
        return False
    method = _method(value, "_ipython_display_")
    if method is None:
        return False
    try:
        method()
    except NotImplementedError:
        return False
    except Exception as error:
        if errors is None:
            raise
        errors.append(error)
        return False
    return True


def _own(value: Any, errors: list[Exception]) -> dict[str, str]:
    """The representations that a program's class offers, made harmless."""
    found: dict[str, Any] = {}
    whole = _method(value, "_repr_mimebundle_")
    if whole is not None:
        given = _called(errors, lambda: whole(include=None, exclude=None))
        given = given[0] if type(given) is tuple and given else given
        if type(given) is dict:
            found = {key: each for key, each in given.items() if type(key) is str}
    for name, kind in METHODS.items():
        method = _method(value, name) if kind not in found else None
        if method is not None:
            each = _called(errors, method)
            if each is not None:
                found[kind] = each[0] if type(each) is tuple and each else each
    return _harmless(found)


def _called(errors: list[Exception], method: Callable[[], Any]) -> Any:
    try:
        return method()
    except Exception as error:
        errors.append(error)
        return None


def displayed(value: Any) -> dict[str, Any] | None:
    """The form of `HTML(...)` and its like, also of classes that a program derives; None of other values."""
    for cls in type(value).__mro__:
        if cls.__module__ == "IPython.core.display" and issubclass(cls, DisplayObject):
            return dict(cls._forms(value))
    return None


class Outputs:
    """What programs display themselves."""

    def __init__(self, publish: Callable[..., None], update: Callable[..., None], clear: Callable[..., None]) -> None:
        self._publish, self._update, self.clear = publish, update, clear

    def show(self, value: Any, raw: bool, name: str | None) -> None:
        """Show a value, or data by MIME type, beneath the cell."""
        if shows_itself(value):
            return
        self._publish(*self._bundle(value, raw), False, name)

    def update(self, value: Any, raw: bool, name: str) -> None:
        """Show it in the place of what was shown under a name."""
        self._update(self._bundle(value, raw)[0], name)

    def _bundle(self, value: Any, raw: bool) -> tuple[dict[str, str], dict[str, Any]]:
        if raw and type(value) is dict:
            return _harmless({key: each for key, each in value.items() if type(key) is str}), {}
        return bundle(value)


def _method(value: Any, name: str) -> Any:
    for cls in type(value).__mro__:
        if name in cls.__dict__:
            found = cls.__dict__[name]
            return found.__get__(value, type(value)) if hasattr(found, "__get__") else None
    return None


def _harmless(found: dict[str, Any]) -> dict[str, str]:
    """What may go to a browser."""
    data: dict[str, str] = {}
    for kind in TEXTS:
        each = found.get(kind)
        if type(each) is not str or len(each) > MOST:
            continue
        if kind == "image/svg+xml":
            picture = b64encode(each.encode("utf-8", "replace")).decode()
            data.setdefault("text/html", f'<img src="data:image/svg+xml;base64,{picture}">')
        elif kind == "text/latex":
            data[kind] = without_scheme(each)
        else:
            data[kind] = cleaned(each)
    for kind in PICTURES:
        each = found.get(kind)
        if type(each) is bytes and len(each) <= MOST:
            data[kind] = b64encode(each).decode()
        elif type(each) is str and len(each) <= MOST and each.isascii():
            try:
                data[kind] = b64encode(b64decode("".join(each.split()), validate=True)).decode()
            except ValueError:  # text that would stand in an attribute of a page
                pass
    plain = found.get("text/plain")
    if type(plain) is str:
        data["text/plain"] = plain[:MOST]
    return data


def cleaned(text: str) -> str:
    """HTML without scripts, handlers, forms and frames."""
    import nh3

    return without_scheme(nh3.clean(text.encode("utf-8", "backslashreplace").decode()))


def without_scheme(text: str) -> str:
    """Addresses of Markdown and of TeX, which a browser that is shown them would run, as such no more; read alike."""
    return _SCHEME.sub(lambda found: found[0][0] + "\N{ZERO WIDTH NON-JOINER}" + found[0][1:], text)


def html_of_text(text: str) -> str:
    """A text as it stands, in a browser."""
    return f'<pre style="white-space: pre; overflow-x: auto">{escape(text)}</pre>'


def html_of_tensor(value: Any, text: str) -> str:
    """The text of a tensor and, folded beneath it, its facts and a strip of its values."""
    array = value._array
    facts = {"dtype": str(value.dtype), "shape": str(list(value.shape)), "device": str(value.device)}
    if value._node is not None and not value.is_leaf and value._node._forbidden is None:
        facts["grad_fn"] = value._node.name()
    elif value.requires_grad:
        facts["requires_grad"] = "True"
    strip = ""
    numbers = _numbers(array)
    if numbers is not None and numbers.size:
        facts.update(_statistics(numbers))
        strip = _strip(numbers)
    rows = "".join(f"<tr><th style='text-align:left'>{k}</th><td>{escape(v)}</td></tr>" for k, v in facts.items())
    note = escape(peek.describe(value) or "")
    return f"{html_of_text(text)}<details><summary style='opacity:.6'>{note}</summary><table>{rows}</table>{strip}</details>"


def _numbers(array: Any) -> Any:
    """The values as real numbers in double precision, or None where there is nothing to say of them."""
    import numpy as np

    if not isinstance(array, np.ndarray) or array.size > LARGEST or array.dtype.kind == "c":
        return None
    try:
        return array.astype(np.float64).reshape(-1)
    except (TypeError, ValueError):
        return None


def _statistics(numbers: Any) -> dict[str, str]:
    import numpy as np

    good = numbers[np.isfinite(numbers)]
    facts = {}
    if good.size:
        facts["mean"], facts["std"] = f"{good.mean():.4g}", f"{good.std():.4g}"
        facts["range"] = f"{good.min():.4g} to {good.max():.4g}"
    if good.size < numbers.size:
        facts["not finite"] = f"{numbers.size - good.size:,}"
    return facts


def _strip(numbers: Any) -> str:
    """A row of cells, blue below zero and red above; the mean of the values that fall into each."""
    import numpy as np

    parts = np.array_split(numbers, min(CELLS, numbers.size))
    means = [float(np.mean(part)) for part in parts]
    most = max((abs(m) for m in means if np.isfinite(m)), default=0.0) or 1.0
    cells = []
    for place, mean in enumerate(means):
        if not np.isfinite(mean):
            colour = "#000"
        else:
            pale = round(255 * (1 - abs(mean) / most))
            colour = f"rgb(255,{pale},{pale})" if mean >= 0 else f"rgb({pale},{pale},255)"
        cells.append(f'<rect x="{place * 8}" width="8" height="16" fill="{colour}"/>')
    return f'<svg width="{8 * len(means)}" height="16" role="img" aria-label="values">{"".join(cells)}</svg>'
