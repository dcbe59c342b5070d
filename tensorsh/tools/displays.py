"""``IPython.display``, as notebooks import it: `display(x)`, `HTML`, `Markdown`, `SVG`, `Image`, `clear_output` and their like.

A notebook shows them as it shows values, cleaned; elsewhere `display` prints their text.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from ..sandbox.files import acting
from ..sandbox.namespace import Namespace
from ..sandbox.sealed import OpenSealed, Sealed, all_housed

if TYPE_CHECKING:
    from ..language.workspace import Workspace


FORMS = {
    "HTML": "text/html", "Markdown": "text/markdown", "Latex": "text/latex", "SVG": "image/svg+xml", "Pretty": "text/plain",
    "JSON": "application/json", "Javascript": "application/javascript",
}  # fmt: skip
"""The kinds that are text, and their MIME type; of JSON and scripts a notebook shows that they were there, and no more."""
ONES = {
    "html": "text/html", "markdown": "text/markdown", "latex": "text/latex", "svg": "image/svg+xml", "png": "image/png",
    "jpeg": "image/jpeg", "pretty": "text/plain", "json": "application/json", "javascript": "application/javascript",
}  # fmt: skip
"""What `display_html` and its like show."""


class Board:
    """Where `display` shows values: a notebook's outputs, or nothing but lines of text."""

    def __init__(self) -> None:
        self.elsewhere: Any = None
        """A notebook: `show(value, raw, name)`, `update(value, raw, name)`, `clear(wait)`."""
        self.numbers = itertools.count(1)


board = Board()


class DisplayObject(metaclass=OpenSealed):
    """Data that a notebook shows in one form.
    data: the text. url, filename: where it is read from instead; a file must be one that the program may read."""

    _kind = ""

    def __init__(self, data: Any = None, url: Any = None, filename: Any = None, metadata: Any = None) -> None:
        if data is None and filename is not None:
            data = self._read(filename).decode()
        if data is None and url is not None:
            raise RuntimeError("programs of a notebook have no network: give the data or a file")
        self.data = data

    def _read(self, filename: Any) -> bytes:
        permissions = acting()
        if permissions is None:
            raise PermissionError("no program runs that could read a file: give the data")
        return permissions.read_bytes(filename)

    @classmethod
    def _forms(cls, value: DisplayObject) -> dict[str, Any]:
        """What it is shown as, by MIME type."""
        return {value._kind: value.data}

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__qualname__} object>"


class Math(DisplayObject):
    """A formula of TeX."""

    _kind = "text/latex"

    @classmethod
    def _forms(cls, value: DisplayObject) -> dict[str, Any]:
        return {"text/latex": f"$\\displaystyle {str(value.data).strip('$')}$"}


class Image(DisplayObject):
    """A picture: bytes of PNG or JPEG, or a file of them.
    width, height, alt: accepted."""

    def __init__(
        self, data: Any = None, url: Any = None, filename: Any = None, format: Any = None, embed: Any = None, width: Any = None,
        height: Any = None, retina: bool = False, unconfined: bool = False, metadata: Any = None, alt: Any = None,
    ) -> None:  # fmt: skip
        if type(data) is str:
            data, filename = None, data
        if data is None and filename is not None:
            data = self._read(filename)
        if data is None:
            raise ValueError("No image data found. Expecting filename, url, or data.")
        self.data, self.width, self.height = data, width, height

    @classmethod
    def _forms(cls, value: DisplayObject) -> dict[str, Any]:
        jpeg = type(value.data) is bytes and value.data[:2] == b"\xff\xd8"
        return {"image/jpeg" if jpeg else "image/png": value.data}


class Code(DisplayObject):
    """The text of a program.
    language: accepted."""

    def __init__(self, data: Any = None, url: Any = None, filename: Any = None, language: Any = None) -> None:
        super().__init__(data, url, filename)

    @classmethod
    def _forms(cls, value: DisplayObject) -> dict[str, Any]:
        return {"text/html": f"<pre>{escape(str(value.data))}</pre>"}

    def __repr__(self) -> str:
        return str(self.data)


class ProgressBar(DisplayObject):
    """A bar of so many steps: walking over it counts them, and so does setting its `progress`."""

    def __init__(self, total: Any) -> None:
        self.total, self._progress, self._name = total, 0, f"display-{next(board.numbers)}"
        self.data = None

    @property
    def progress(self) -> Any:
        """The steps that are done."""
        return self._progress

    @progress.setter
    def progress(self, value: Any) -> None:
        self._progress = value
        self.update()

    def display(self) -> None:
        """Show it beneath the cell."""
        _show(self, False, self._name)

    def update(self) -> None:
        """Show where it stands, in the place in which it is shown."""
        _change(self, False, self._name)

    def __iter__(self) -> ProgressBar:
        self.display()
        self._progress = -1
        return self

    def __next__(self) -> Any:
        self.progress += 1
        if self._progress < self.total:
            return self._progress
        raise StopIteration

    @classmethod
    def _forms(cls, value: DisplayObject) -> dict[str, Any]:
        return {"text/html": f"<pre>{escape(repr(value))}</pre>"}

    def __repr__(self) -> str:
        done = int(60 * min(max(self._progress / self.total, 0), 1)) if self.total else 60
        return f"[{'=' * done}{' ' * (60 - done)}] {self._progress}/{self.total}"


all_housed(globals(), "IPython.core.display")


class DisplayHandle(metaclass=Sealed):
    """What `display(..., display_id=...)` gives back: `update` shows something else in its place."""

    __module__ = "IPython.core.display_functions"
    __slots__ = ("display_id",)

    def __init__(self, display_id: str) -> None:
        self.display_id = display_id

    def display(self, obj: Any, **options: Any) -> None:
        """Show a value under this name once more."""
        _show(obj, False, self.display_id)

    def update(self, obj: Any, **options: Any) -> None:
        """Show a value in the place of the last one."""
        _change(obj, False, self.display_id)

    def __repr__(self) -> str:
        return f"<DisplayHandle display_id={self.display_id}>"


def _show(value: Any, raw: bool, name: str | None, printing: Callable[..., None] = print) -> None:
    if board.elsewhere is not None:
        board.elsewhere.show(value, raw, name)
    else:
        printing(value.get("text/plain", "") if raw and type(value) is dict else repr(value))


def _change(value: Any, raw: bool, name: str) -> None:
    if board.elsewhere is not None:
        board.elsewhere.update(value, raw, name)


def make(session: Workspace) -> dict[str, Any]:
    """The names of `IPython.display` for one session."""
    printing = session.builtin("print")

    def kind(base: type, name: str, mime: str) -> Any:
        fields = {"_kind": mime, "__module__": base.__module__, "__doc__": base.__doc__}
        return OpenSealed(name, (base,), fields)

    def display(
        *objs: Any, include: Any = None, exclude: Any = None, metadata: Any = None, transient: Any = None, display_id: Any = None,
        raw: bool = False, clear: bool = False,
    ) -> Any:  # fmt: skip
        """Show values beneath the cell, as results are shown. `display_id=True` gives back a handle whose `update` replaces it."""
        if clear:
            clear_output(wait=True)
        name = f"display-{next(board.numbers)}" if display_id is True else str(display_id) if display_id else None
        for each in objs:
            _show(each, raw, name, printing)
        return None if name is None else DisplayHandle(name)

    def update_display(obj: Any, *, display_id: Any, raw: bool = False, **options: Any) -> None:
        """Show a value in the place of what was displayed under a name."""
        _change(obj, raw, str(display_id))

    def clear_output(wait: bool = False) -> None:
        """Clear what stands beneath the cell, at once or as the next output comes (`wait=True`)."""
        if board.elsewhere is not None:
            board.elsewhere.clear(bool(wait))

    def publish_display_data(data: Any, metadata: Any = None, *, transient: Any = None, **options: Any) -> None:
        """Show data by MIME type beneath the cell."""
        name = transient.get("display_id") if type(transient) is dict else None
        _show(data, True, None if name is None else str(name), printing)

    def as_one(mime: str) -> Callable[..., None]:
        def display_one(*objs: Any, raw: bool = False, metadata: Any = None, **options: Any) -> None:
            """Show values; `raw=True` shows data of one form."""
            for each in objs:
                _show({mime: each} if raw else each, raw, None, printing)

        return display_one

    made = {name: kind(DisplayObject, name, mime) for name, mime in FORMS.items()}
    made |= {each.__name__: kind(each, each.__name__, "") for each in (Math, Image, Code, ProgressBar)}
    return {
        **made,
        **{f"display_{name}": as_one(mime) for name, mime in ONES.items()},
        "DisplayObject": DisplayObject,
        "TextDisplayObject": DisplayObject,
        "publish_display_data": publish_display_data,
        "display": display,
        "update_display": update_display,
        "clear_output": clear_output,
        "DisplayHandle": DisplayHandle,
    }


def ipython(session: Workspace) -> Namespace:
    """What `import IPython` binds in one session: its displays, and nothing of its shell."""
    table = make(session)
    shown = Namespace("IPython.display", table)
    core = Namespace("IPython.core", {"display": shown})
    return Namespace("IPython", {"display": shown, "core": core, "version_info": (9, 0, 0)})
