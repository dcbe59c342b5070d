"""`re`: Python's own functions, which keep patterns under plain numbers and are left where they call a program's function."""

from __future__ import annotations

import re as real
from typing import Any

from ..integers import plain_text, whole
from ..iterating import with_steps
from ..names import check_keywords
from ..wrapping import wraps
from .standard import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment


def re(environment: Environment) -> dict[str, Any]:
    """DEBUG is left out: it prints past the session."""
    loud = real.DEBUG.value

    def quiet(function: Any, place: int) -> Any:
        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            if len(args) > place:
                args = (*args[:place], whole(args[place]) & ~loud, *args[place + 1 :])
            elif options and "flags" in check_keywords(options):
                options["flags"] = whole(options["flags"]) & ~loud
            if place == 4 and len(args) > 1:  # what is called for each match
                args = (args[0], with_steps(args[1]), *args[2:])
            return function(*args, **options)

        return call

    places = {
        "compile": 1,
        "search": 2,
        "match": 2,
        "fullmatch": 2,
        "findall": 2,
        "finditer": 2,
        "split": 3,
        "sub": 4,
        "subn": 4,
    }

    def escape(pattern: Any) -> Any:
        """Special characters in a text escaped."""
        return real.escape(plain_text(pattern))  # one of a program's class would be shown the table

    names = """A ASCII I IGNORECASE L LOCALE M MULTILINE NOFLAG S DOTALL U UNICODE X VERBOSE Match Pattern PatternError
    RegexFlag error"""
    return (
        take(real, names)
        | {"escape": wraps(real.escape)(escape)}
        | {name: quiet(getattr(real, name), place) for name, place in places.items()}
    )
