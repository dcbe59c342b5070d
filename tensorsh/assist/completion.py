"""Completions of the word before the cursor, while somebody types.

Values are looked at without running code of the script (`language/peek.py`); only the library's own namespaces are
asked by `getattr`, since they load what is in them when it is named. Nothing here draws; what there is to say of a whole
name stands in `about.py`.
"""

from __future__ import annotations

import builtins
import keyword
import os
import re
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..language import peek
from ..sandbox.namespace import Namespace
from .scanner import Typed, typed
from .signatures import signature_text

if TYPE_CHECKING:
    from ..language.workspace import Workspace

_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\[-?\d+\]|\.[^\W\d]\w*)*\.?\Z|(?<![\w.)\]])\Z")
_OF_RESULT = re.compile(r"[)\]]\.([^\W\d]\w*|)\Z")
_IMPORT = re.compile(r"(?:^|[;:\n])[ \t]*(?:from[ \t]+|import[ \t]+(?:[\w. \t,]*,[ \t]*)?)([\w.]*)\Z")
_FROM = re.compile(r"(?:^|[;:\n])[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\([\w\s,]*?|[\w \t,]*?)(?<!\w)(\w*)\Z")
_RENAMED = re.compile(r"(?:^|[;:\n])[ \t]*(?:from|import)\b[^\n;]*\sas[ \t]+\w*\Z")
_NO_TENSOR = frozenset(
    "item tolist size stride dim numel backward numpy data_ptr element_size is_contiguous split chunk".split()
)
DTYPES = """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
float double half long int short""".split()
DEVICES = ("cpu", "cuda", "cuda:0")
FILES = frozenset(
    "open load save loadtxt savetxt savez savez_compressed genfromtxt svg Path run savefig fromfile".split()
)
MOST = 2000
_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


class Completion:
    """A completion: the text that replaces what stands from `start` to the cursor."""

    __slots__ = ("_detail", "_value", "kind", "start", "text")

    def __init__(self, text: str, start: int, kind: str = "name", detail: str | None = None, value: Any = None) -> None:
        self.text, self.start, self.kind = text, start, kind
        self._detail, self._value = detail, value

    @property
    def detail(self) -> str:
        """dtype and shape of a tensor, the type of another value, a signature of a function; found when it is asked for."""
        if self._detail is None:
            self._detail = ""
            if self.kind in ("function", "class"):
                self._detail = signature_text(self._value)
        return self._detail

    def __repr__(self) -> str:
        return f"Completion({self.text!r}, {self.start}, {self.kind!r})"


def complete(session: Workspace, text: str, cursor: int) -> list[Completion]:
    """The completions of the word before the cursor; names beginning with an underscore only when asked for."""
    before = text[:cursor]
    place = typed(before)
    if place.comment:
        return []
    if place.replaced is not None:
        found = complete(session, place.replaced, len(place.replaced))
        for each in found:
            each.start += cursor - len(place.replaced)
        return found
    if place.string is not None:
        return _in_string(session, place, cursor)
    imported = _imported(session, before, cursor)
    if imported is not None:
        return imported
    match = _WORD.search(before)
    result = _OF_RESULT.search(before)
    if result is not None and (match is None or find(session, match[0].rpartition(".")[0]) is peek.MISSING):
        return _of_result(session, before[: result.start() + 1], result[1], cursor - len(result[1]))
    if match is None:
        return []
    path, dot, prefix = match[0].rpartition(".")
    start = cursor - len(prefix)
    if place.keyword == "dtype" and not place.after_comma:
        names = [name for name in DTYPES if name.startswith(prefix)]
        if names and (not dot or path == "torch"):
            return [Completion(name, start, "dtype", "dtype") for name in names]
    if place.keyword == "device" and not dot and not prefix:
        return [Completion(f'"{name}"', start, "device", "device") for name in DEVICES]
    named = [] if dot else _keywords(session, place, prefix, start)
    if dot:
        value = find(session, path)
        if value is peek.MISSING:
            return []
        return _members(value, prefix, start)
    return named + _names(session, prefix, start)


def _imported(session: Workspace, before: str, cursor: int) -> list[Completion] | None:
    """In an import, the modules that there are and what is in them; None elsewhere. No text of a module is run for it."""
    if _RENAMED.search(before):
        return []
    named = _FROM.search(before)
    module = None if named is not None else _IMPORT.search(before)
    if named is None and module is None:
        return None
    path, _, prefix = module[1].rpartition(".") if module is not None else (named[1], "", named[2])  # type: ignore[index]
    start = cursor - len(prefix)
    known = find(session, path) if path else peek.MISSING
    if isinstance(known, Namespace):
        return _members(known, prefix, start)
    names = set(session.host().names_in(""))
    if path:
        names = set(session.host().names_in(path)) if path.partition(".")[0] in names else set()
    else:
        texts = (each.text.rpartition(".") for each in files(session, prefix, cursor))
        names |= {name for name, _, kind in texts if kind in ("tsr", "py")}
    kind = "name" if path else "module"
    return [
        Completion(name, start, kind, "") for name in sorted(names) if name.startswith(prefix) and name.isidentifier()
    ]


def _of_result(session: Workspace, expression: str, prefix: str, start: int) -> list[Completion]:
    """Attributes of what a call or an index gives, where that is surely a tensor: the operators are known by name."""
    from .scanner import callee_of

    callee = callee_of(expression)
    if not callee:
        return []
    from ..engine.loading import table
    from ..engine.tensors import tensor

    owner, _, name = callee.rpartition(".")
    value = find(session, callee) if not callee.startswith(".") else peek.MISSING
    if expression.endswith("]"):
        known = peek.tensor_class(value) is not None and hasattr(value, "_array")
    elif not owner and not callee.startswith("."):
        known = name not in session and table.has_function(name) and not hasattr(builtins, name)
    else:
        index = table.read_index()
        is_tensor = callee.startswith(".") or owner == "torch" or hasattr(find(session, owner), "_array")
        known = is_tensor and name not in _NO_TENSOR and (name in table.METHODS or name in index[1])
        module = getattr(find(session, owner), "__name__", "") if isinstance(find(session, owner), Namespace) else ""
        named = {"torch": name, "torch.nn.functional": f"nn.functional.{name}"}.get(module, "")
        known = known or bool(named) and (table.has_function(named) or table.has_function(name))
    if not known:
        return []
    import numpy as np

    return _members(tensor.wrap(np.zeros((0, 0))), prefix, start)  # a matrix: of a number, `T` and `H` would warn


def _members(owner: Any, prefix: str, start: int) -> list[Completion]:
    """The attributes of a value. The methods of its class, which are most of a tensor's, are not looked at one by one."""
    is_plain = not isinstance(owner, type | Namespace)
    own = peek.instance_dict(owner) if is_plain else {}
    methods = {
        name: method
        for cls in (reversed(type(owner).__mro__) if is_plain else ())
        for name, method in cls.__dict__.items()
        if name not in own
    }
    found = []
    for name in names_of(owner):
        if not name.startswith(prefix) or (name.startswith("_") and not prefix.startswith("_")):
            continue
        if name.startswith("__") or not name.isidentifier():
            continue
        method = methods.get(name)
        if type(method) is FunctionType:
            found.append(Completion(name, start, "function", None, MethodType(method, owner)))
        else:
            value = _member(owner, name)
            found.append(Completion(name, start, *classify(value), value))
        if len(found) >= MOST:
            break
    classes = () if not is_plain or type(owner).__module__ == "builtins" else type(owner).__mro__
    mine = set(own).union(*(cls.__dict__ for cls in classes if not peek.is_library(cls)))
    return sorted(found, key=lambda c: (c.text not in mine, c.text.lower(), c.text))


def _names(session: Workspace, prefix: str, start: int) -> list[Completion]:
    found: dict[str, Completion] = {}
    for name in session:
        if name.startswith(prefix) and not (name.startswith("_") and not prefix.startswith("_")):
            value = session[name]
            found[name] = Completion(name, start, *classify(value), value)
    for name in session.names():
        if name.startswith(prefix) and name not in found:
            value = session.builtin(name)
            kind, detail = classify(value) if prefix else ("name", "")
            found[name] = Completion(name, start, kind, detail, value)
            if len(found) >= MOST:
                break
    for name in keyword.kwlist:
        if name.startswith(prefix) and name not in ("async", "await") and name not in found:
            found[name] = Completion(name, start, "keyword", "")
    return sorted(found.values(), key=lambda c: (c.text not in session, c.text.lower(), c.text))


def _keywords(session: Workspace, place: Typed, prefix: str, start: int) -> list[Completion]:
    """`name=` for the parameters of the call that is being typed."""
    if not place.callee or not place.begins_argument(prefix):
        return []
    value = find(session, place.callee)
    if value is peek.MISSING or not callable(value):
        return []
    from .signatures import parameters

    found = []
    for each in parameters(value) or ():
        if each.name.startswith(prefix) and not each.name.startswith("*") and each.name not in place.given:
            found.append(Completion(each.name + "=", start, "keyword argument", each.default or "", None))
    return found[1:] if found and found[0].text in ("input=", "self=") and not prefix else found


def _in_string(session: Workspace, place: Typed, cursor: int) -> list[Completion]:
    """Keys of a dictionary, devices where one is asked for, else files that the session may read."""
    content = place.string or ""
    if place.subscript:
        return _keys(find(session, place.subscript), content, cursor - len(content))
    call = place.callee.rpartition(".")[2]
    if place.keyword == "device" or call in ("to", "device", "set_default_device"):
        devices = [
            Completion(name, cursor - len(content), "device", "device") for name in DEVICES if name.startswith(content)
        ]
        if devices:
            return devices
    if call not in FILES and "/" not in content and not place.loose:
        return []
    return files(session, content, cursor)


def _keys(value: Any, prefix: str, start: int) -> list[Completion]:
    """The keys that may stand behind `table["`, in the table's own order."""
    layers = peek.instance_dict(value).get("_modules")
    table = layers if isinstance(layers, dict) and peek.is_library(type(value)) else value
    if not issubclass(type(table), dict):
        return []
    keys = [key for key in dict.keys(table) if type(key) is str and key.startswith(prefix) and key.isprintable()]
    return [
        Completion(key, start, *classify(dict.get(table, key)))
        for key in keys[:MOST]
        if not any(c in key for c in "\"'\\")
    ]


def files(session: Workspace, content: str, cursor: int) -> list[Completion]:
    """The files and folders that a path at the cursor may become, as far as the session may read them."""
    folder, slash, prefix = content.rpartition("/")
    where = folder + slash or "."
    if not session.permissions.allows(where):
        return []
    found = []
    try:
        with os.scandir(where) as entries:
            for entry in entries:
                if entry.name.startswith(prefix) and (prefix or not entry.name.startswith(".")):
                    is_folder = entry.is_dir()
                    name = entry.name + ("/" if is_folder else "")
                    found.append(Completion(name, cursor - len(prefix), "file", "folder" if is_folder else "file"))
                    if len(found) >= 500:
                        break
    except (OSError, ValueError):
        return []
    return sorted(found, key=lambda c: c.text)


def names_of(value: Any) -> Iterable[str]:
    """The attribute names of a value, without loading the operators that a tensor could have."""
    if peek.tensor_class(value) and hasattr(value, "_array"):
        from ..engine.loading import table

        index = table.read_index()
        known = set(object.__dir__(value)) | set(table.METHODS) | set(index[1])
        return sorted(known)
    return peek.names_of(value)


def _member(value: object, name: str) -> Any:
    """An attribute as far as it is there without being computed or loaded."""
    if isinstance(value, Namespace):
        found = value.__dict__.get(name, peek.MISSING)
        return _loaded(value, name) if found is peek.MISSING else found
    try:
        return peek.attribute(value, name)
    except Exception:  # the library's own properties may refuse: a transpose of one dimension
        return peek.MISSING


def _loaded(namespace: Any, name: str) -> Any:
    """The value that a namespace has ready under a name that nobody has asked for yet."""
    ready = getattr(namespace._table, "loaded", None)
    found = None if ready is None else ready(name)
    return peek.MISSING if found is None else found


_STEP = re.compile(r"\.?([^\W\d]\w*)|\[(-?\d+)\]")


def find(session: Workspace, path: str) -> Any:
    """The value at a dotted path, with numbers in brackets perhaps, or MISSING."""
    steps = _STEP.findall(path)
    if not steps or not steps[0][0]:
        return peek.MISSING
    first = steps[0][0]
    value = session[first] if first in session else session.builtin(first)
    if value is peek.MISSING:
        value = session.load(first)
    for name, index in steps[1:]:
        if value is peek.MISSING:
            break
        if index:
            value = _item(value, int(index))
        elif isinstance(value, Namespace):
            value = getattr(value, name, peek.MISSING)
        else:
            value = _attribute(value, name)
    return value


def nearest_to(session: Workspace, path: str) -> list[str]:
    """The names most like a misspelt one, or like the last part of a path whose beginning there is."""
    from ..language.places import nearest

    owner, _, name = path.rpartition(".")
    value = find(session, owner) if owner else peek.MISSING
    if value is not peek.MISSING:
        return [f"{owner}.{each}" for each in nearest(name, names_of(value))]
    return nearest(path.partition(".")[0], [*session, *session.names()])


def _item(value: Any, index: int) -> Any:
    """An entry of a list, or a layer of a Sequential."""
    layers = peek.instance_dict(value).get("_modules")
    if isinstance(layers, dict) and peek.is_library(type(value)):
        value = list(layers.values())
    return peek.item(value, index)


def _attribute(value: Any, name: str) -> Any:
    found = peek.attribute(value, name)
    if found is peek.MISSING and peek.tensor_class(value) and hasattr(value, "_array"):
        from ..engine.loading import table

        method = table.find_method(name)
        return peek.MISSING if method is None else method.__get__(value)
    return found


def classify(value: object) -> tuple[str, str | None]:
    """The kind of a value and a few words about it; None where they are found when asked for."""
    if value is peek.MISSING:
        return "name", ""
    if type(value) in _FUNCTIONS:
        return "function", None
    if isinstance(value, type):
        return "class", None
    tensor = peek.describe(value)
    if tensor:
        return "variable", tensor
    if isinstance(value, Namespace):
        return "module", ""
    if callable(value) and peek.is_library(type(value)) and "_parameters" not in peek.instance_dict(value):
        return "function", None
    return "variable", type(value).__name__
