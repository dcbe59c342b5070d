"""Parameters of functions written in Python, and Python's words for arguments that do not fit them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple


class Parameters(NamedTuple):
    """A parameter list: names that may be given by place, the one that takes the rest, names that may not, defaults."""

    positional: list[str]
    rest: str
    keyword_only: list[str]
    defaults: dict[str, Any]

    def bind(self, title: str, args: tuple, kwargs: dict) -> dict[str, Any]:
        """The value of each parameter. TypeError, in Python's words: arguments that do not fit; title: the function's."""
        places = self.positional
        found = dict(zip(places, args, strict=False))
        for key, value in kwargs.items():
            if key not in places and key not in self.keyword_only:
                raise TypeError(f"{title}() got an unexpected keyword argument '{key}'")
            if key in found:
                raise TypeError(f"{title}() got multiple values for argument '{key}'")
            found[key] = value
        if self.rest:
            found[self.rest] = args[len(places) :]
        elif len(args) > len(places):
            raise TypeError(self.too_many(title, len(args), sum(key in found for key in self.keyword_only)))
        for names, kind in ((places, "positional"), (self.keyword_only, "keyword-only")):
            missing = [repr(name) for name in names if name not in found and name not in self.defaults]
            if missing:
                raise TypeError(
                    f"{title}() missing {len(missing)} required {kind} argument{'s' * (len(missing) > 1)}: {enumerated(missing)}"
                )
        return self.defaults | found

    def too_many(self, title: str, given: int, by_name: int) -> str:
        most = len(self.positional)
        least = sum(name not in self.defaults for name in self.positional)
        takes = f"{most} positional argument{'s' * (most != 1)}"
        takes = takes if least == most else f"from {least} to {most} positional arguments"
        more = f" positional argument{'s' * (given != 1)} (and {by_name} keyword-only argument{'s' * (by_name != 1)})"
        were = "was" if given == 1 and not by_name else "were"
        return f"{title}() takes {takes} but {given}{more if by_name else ''} {were} given"


def enumerated(names: list[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b', and 'c'``"""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


NAMED = {"None": None, "True": True, "False": False}


def value_of(default: str) -> Any:
    """The value of a default: a name, a text or a number."""
    if default in NAMED:
        return NAMED[default]
    if default[0] == "'":
        return default[1:-1]
    return float(default) if "." in default or "e" in default else int(default)


@lru_cache(256)
def parameters(text: str) -> Parameters:
    """The parameters in a list without annotations: ``input, p=0.5, *, out=None``."""
    found = Parameters([], "", [], {})
    names = found.positional
    for part in text.split(", ") if text else ():
        name, equals, default = part.partition("=")
        if name[0] == "*":
            found = found._replace(rest=name[1:])
            names = found.keyword_only
            continue
        names.append(name)
        if equals:
            found.defaults[name] = value_of(default)
    return found
