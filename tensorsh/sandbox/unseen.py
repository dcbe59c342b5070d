"""What keeps numpy from a program's objects: it would believe what they say of themselves."""

from __future__ import annotations

from .names import is_special

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any

NUMBERS = (int, float, complex, str, bytes)
WALKED = frozenset("__len__ __getitem__ __iter__ __index__ __int__ __float__ __complex__".split())
"""Special methods by which numpy takes a list or a tuple apart."""
QUIET = frozenset(
    """
    __annotations__ __call__ __class_getitem__ __doc__ __enter__ __exit__ __firstlineno__ __format__ __init__ __init_subclass__
    __module__ __new__ __orig_bases__ __parameters__ __post_init__ __qualname__ __repr__ __slots__ __static_attributes__ __str__
    """.split()
)
"""What a class of numbers or text has without computing in ways of its own."""


def is_alive(made: type) -> bool:
    """Whether numpy, which holds what it computes with by its address alone, would call a program's methods while it does."""
    if hasattr(made, "__array__"):  # tensors, whose numbers it gets
        return False
    own = {name for name in made.__dict__ if is_special(name)} - UNSEEN.keys()
    if issubclass(made, (list, tuple)):
        return not own.isdisjoint(WALKED)
    return not issubclass(made, NUMBERS) or not own <= QUIET


def no_element(self: Any) -> None:
    """Keeps numpy from taking an object of a program into an array."""
    raise TypeError(
        f"numpy in tensorsh makes no arrays of '{type(self).__name__}' objects: it computes with numbers and text"
    )


UNSEEN = {
    "__array_struct__": property(no_element),
    "__array_ufunc__": None,  # numpy's operators leave the answer to the object's own
}
"""What keeps numpy from a program's objects."""


def keep_unseen(made: type) -> None:
    """What `is_alive` says of a program's class may be another after a store."""
    if not hasattr(made, "__array_struct__") and is_alive(made):
        for special, value in UNSEEN.items():
            type.__setattr__(made, special, value)
