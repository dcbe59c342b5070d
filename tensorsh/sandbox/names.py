"""The tables of names: which attributes are gated and why, which special methods a class may define and read.

Everything that is not in a list of what is allowed is refused; GATED is the one list of what is dangerous, because
those names have no underscore that would give them away.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any

_FRAMES = "leads to frames, and from there to every variable of the interpreter"
_CODE = "the inside of compiled code"
_MEMORY = "numpy: raw memory, or a view that skips numpy's checks"
_FILES = "numpy: writes files, or pickles"

# attribute names without underscore that never become native attribute access, and why
GATED: dict[str, str] = {
    **dict.fromkeys(("gi_frame", "gi_yieldfrom", "cr_frame", "cr_await", "cr_origin", "ag_frame", "ag_await"), _FRAMES),
    **dict.fromkeys(("f_back", "f_builtins", "f_globals", "f_locals", "f_trace", "f_generator"), _FRAMES),
    **dict.fromkeys(("f_lasti", "f_lineno", "f_trace_lines", "f_trace_opcodes"), _FRAMES),
    **dict.fromkeys(("tb_frame", "tb_next", "tb_lasti", "tb_lineno"), _FRAMES),
    **dict.fromkeys(("gi_code", "cr_code", "ag_code", "f_code"), _CODE),
    **dict.fromkeys(("co_code", "co_consts", "co_names", "co_cellvars", "co_freevars", "co_filename"), _CODE),
    **dict.fromkeys(("co_firstlineno", "co_flags", "co_lnotab", "co_linetable", "co_exceptiontable"), _CODE),
    **dict.fromkeys(("co_lines", "co_positions", "co_qualname", "co_stacksize", "co_nlocals", "replace_code"), _CODE),
    **dict.fromkeys(("co_varnames", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount", "co_name"), _CODE),
    **dict.fromkeys(
        ("func_globals", "func_code", "func_closure", "func_dict", "func_defaults"),
        "compiled by Cython: as __globals__, ...",
    ),
    "with_traceback": "takes and keeps tracebacks, which hold frames",
    "mro": "walks from any class to `object` and to the engine's own classes",
    "format": "str.format reads attributes that are named inside a string",
    "format_map": "as str.format",
    "obj": "AttributeError.obj and memoryview.obj hand out the object that failed, or that owns the memory",
    "data": "numpy: the memory of an array of objects, which can be overwritten with another's",
    "base": "numpy: the array that owns the memory, which may be a tensor's own",
    "tofile": _FILES,
    "dump": _FILES,
    "dumps": _FILES,
    "ctypes": _MEMORY,
    "cffi": _MEMORY,
    "capsule": _MEMORY,
    "setflags": _MEMORY,
    "getfield": _MEMORY,
    "setfield": _MEMORY,
    "iters": "numpy: a broadcast trusts that nobody else advances its iterators",
    "resize": "numpy: `refcheck=False` frees memory that views still use",
    "astype": "numpy: to `object`, whose pointers other views could then forge",
    "clip": "numpy: `where` without `out` shows memory that was not written",
    "numpy": "a tensor that repeats one number 2**40 times costs nothing; numpy would walk it without end",
    "repeat": "numpy: counts beyond 64 bits write behind the result",
    "view": "numpy: numbers read as text, whose characters Python's encoders believe",
    "byteswap": "numpy: as view",
    **dict.fromkeys(
        ("take", "put", "choose"), "numpy: `mode='wrap'` counts a far index down, one length after another"
    ),
    "readinto": "io: writes bytes over an array's memory, also over one of objects",
    "readinto1": "io: as readinto",
    "pack_into": "struct: as readinto",
    "buffer_info": "array: the address of its memory",
    "register": "abc: changes what isinstance answers, in the whole process",
    "parser": "pathlib (3.13): the module os.path",
    "cast": "memoryview: another element type over the same memory",
    **dict.fromkeys(("fget", "fset", "fdel"), "a property's function reads and sets past the gate, of any object"),
    "evaluate": "typing.ForwardRef (3.14): runs the text of an annotation as Python",
}

TOLD: frozenset[str] = frozenset("reshape transpose sum mean prod std var cumsum cumprod trace".split())
"""Methods of numpy's arrays that are told sizes or a dtype, and hold the list by its address alone while a number in it is asked:
they are read on the gate but where a call shows that it gives no such list (`language/attributes.py`)."""

_OPERATORS = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()

# special methods that a class may define: what operators, containers, contexts, calls, printing and copying ask for
DEFINABLE: frozenset[str] = frozenset(
    [f"__{prefix}{name}__" for name in _OPERATORS for prefix in ("", "r", "i")]
    + "__init__ __new__ __call__ __repr__ __str__ __format__ __bytes__ __bool__ __hash__ __len__".split()
    + "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __neg__ __pos__ __abs__ __invert__ __round__ __trunc__".split()
    + "__floor__ __ceil__ __int__ __float__ __complex__ __index__ __getitem__ __setitem__ __delitem__".split()
    + "__length_hint__ __missing__ __contains__ __iter__ __next__ __reversed__ __enter__ __exit__".split()
    + "__getattr__ __setattr__ __delattr__ __dir__ __get__ __set__ __delete__ __set_name__ __init_subclass__".split()
    + "__class_getitem__ __copy__ __deepcopy__ __setstate__ __post_init__ __doc__ __slots__ __match_args__ __torch_function__".split()
    + ["__module__", "__qualname__", "__constants__"]
)
# Not there, and why:
#   __del__                       runs at any time, also when no session watches any more
#   __reduce__ __getstate__ ...   recipes that pickle and copy follow with the library's rights
#   __getattribute__ __class__    lie to the library about what an object is
#   __array_interface__ __array_struct__ __dlpack__ __buffer__   addresses of memory, which numpy would believe
#   __array_function__ __array_ufunc__                           hand the library's internals to a script
#   __mro_entries__ __prepare__ __instancecheck__ __subclasshook__   for metaclasses, which do not exist here
#   __fspath__                    could answer differently after the path was checked
#   __await__ __aiter__ ...       there is no async

# special attributes that may be read of anything that has them
READABLE: frozenset[str] = (DEFINABLE | frozenset({"__name__", "__version__", "__cause__", "__context__"})) - frozenset(
    {"__init__", "__new__", "__getattr__", "__setattr__", "__delattr__", "__dir__", "__slots__", "__class_getitem__"}
    | {"__init_subclass__", "__set_name__", "__get__", "__set__", "__delete__", "__setstate__"}
)

# variables with a special name
READABLE_VARIABLES = frozenset({"__name__", "__file__", "__doc__"})
WRITABLE_VARIABLES = frozenset(
    {"__all__", "__author__", "__copyright__", "__date__", "__doc__", "__email__", "__license__", "__version__"}
)

# modules with an underscore that programs import all the same
PRIVATE_MODULES = frozenset(("_pytree", "_functional_collectives", "_dynamo", "_checkpoint"))


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4


def is_gated(name: str) -> bool:
    """Must access to this attribute go through the gate?"""
    return name.startswith("_") or name in GATED


def is_read_on_gate(name: str) -> bool:
    """Must reading this attribute go through the gate?"""
    return name.startswith("_") or name in GATED or name in TOLD


def check_keywords(options: dict) -> dict:
    """The keywords of a call that are looked for by their names, which none hides from.

    Raises:
        TypeError: One is a text of a program's class, which may answer as it likes what it is equal to.
    """
    if not {*map(type, options)} <= {str}:
        raise TypeError("keywords must be strings")
    return options


def normalize(name: object) -> str:
    """An attribute name that came as a string, as the compiler would read it; refuses what only claims to be one."""
    if type(name) is not str:
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    return name if name.isascii() else composed("NFKC", name)


MOST_MARKS = 4096
"""So many marks (accents and their like) one behind the other at most: Python sorts them by comparing each with each."""


def composed(form: Any, text: str, /) -> str:
    """`unicodedata.normalize(form, text)`.

    Raises:
        ValueError: More marks stand one behind the other than are sorted in a moment.
    """
    from unicodedata import combining, normalize

    if len(text) > MOST_MARKS and not text.isascii():
        # also what comes apart into marks
        marks = [ord(each) for each in set(text) if combining(normalize("NFKD", each)[0])]
        if marks and "\uffff" * MOST_MARKS in text.translate(dict.fromkeys(marks, "\uffff")):
            raise ValueError(f"text with {MOST_MARKS} accents and more on one letter is not normalized in tensorsh")
    return normalize(form, text)  # type: ignore[arg-type]  # it says itself which forms there are
