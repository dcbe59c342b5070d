"""What a function's Python does, as far as its bytecode tells: only steps that touch nothing but its own variables, or not.

CPython runs the function while its operators are recorded, so what a step does is not modelled here. Each step is one of a
list by its name; a step of another name, as of a later Python, leaves the function as it is. Attributes are read of what stands for
values from outside, which knows what may be read, or of what the function made itself.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

STEPS = frozenset(
    """
    CACHE RESUME NOP PRECALL CALL CALL_KW CALL_FUNCTION_EX KW_NAMES PUSH_NULL POP_TOP SWAP COPY EXTENDED_ARG TO_BOOL NOT_TAKEN
    LOAD_CONST LOAD_SMALL_INT LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW LOAD_FAST_LOAD_FAST
    LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST STORE_FAST_MAYBE_NULL DELETE_FAST
    LOAD_GLOBAL LOAD_ATTR LOAD_METHOD LOAD_DEREF LOAD_CLOSURE STORE_DEREF MAKE_CELL COPY_FREE_VARS MAKE_FUNCTION
    SET_FUNCTION_ATTRIBUTE RETURN_VALUE RETURN_CONST BINARY_OP BINARY_SUBSCR BINARY_SLICE UNARY_NEGATIVE UNARY_NOT
    UNARY_POSITIVE UNARY_INVERT COMPARE_OP IS_OP BUILD_TUPLE BUILD_LIST BUILD_MAP BUILD_CONST_KEY_MAP BUILD_SLICE STORE_SUBSCR BUILD_STRING FORMAT_VALUE FORMAT_SIMPLE
    CONVERT_VALUE FORMAT_WITH_SPEC STORE_SLICE CALL_INTRINSIC_1 LOAD_SUPER_ATTR LIST_EXTEND
    LIST_APPEND LIST_TO_TUPLE MAP_ADD DICT_MERGE UNPACK_SEQUENCE UNPACK_EX GET_ITER FOR_ITER END_FOR POP_ITER JUMP_FORWARD
    JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_IF_TRUE_OR_POP JUMP_IF_FALSE_OR_POP POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE
    POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE
    POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE
    POP_JUMP_BACKWARD_IF_NOT_NONE RAISE_VARARGS LOAD_ASSERTION_ERROR BEFORE_WITH LOAD_SPECIAL PUSH_EXC_INFO WITH_EXCEPT_START
    POP_EXCEPT RERAISE
    """.split()
)
"""The steps of bytecode that change no object but a function's own variables and what it made: none that imports, stores
into an attribute or a global, catches an error, yields or awaits."""
INTRINSICS = frozenset(("INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_UNARY_POSITIVE"))
CONSTANTS = (int, float, bool, str, type(None), type(...))
GENERATORS = 0x20 | 0x80 | 0x100 | 0x200
"""The flags of code whose call gives a generator or a coroutine."""


class Refused(Exception):
    """A function, or a call of it, that is not recorded; it runs as it stands."""


_read: WeakKeyDictionary[CodeType, tuple[str, ...] | None] = WeakKeyDictionary()


def globals_of(code: CodeType) -> tuple[str, ...]:
    """The globals that a function's code reads, with those of functions within it. Raises Refused where it does more than
    compute."""
    if code not in _read:
        try:
            _read[code] = tuple(sorted(_names(code, frozenset(code.co_freevars))))
        except Refused:
            _read[code] = None
    found = _read[code]
    if found is None:
        raise Refused
    return found


def _names(code: CodeType, outer: frozenset[str]) -> set[str]:
    """As `globals_of`; outer: the variables of functions around that are not to be written."""
    if code.co_flags & GENERATORS:
        raise Refused
    found: set[str] = set()
    before: Any = None
    for step in dis.get_instructions(code):
        name = step.opname
        if name not in STEPS:
            raise Refused
        if before is not None and before.opname == "PUSH_EXC_INFO" and name != "WITH_EXCEPT_START":
            raise Refused  # which catches an error
        if name == "LOAD_GLOBAL":
            found.add(step.argval)
        elif name in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            if step.argval[:2] == "__":
                raise Refused
        elif name == "CALL_INTRINSIC_1":
            if step.argrepr not in INTRINSICS:
                raise Refused
        elif name == "STORE_DEREF":
            if step.argval in outer:
                raise Refused
        elif name == "IS_OP":  # which of two tensors are one is known to tensors only
            if before is None or step.is_jump_target or before.opname != "LOAD_CONST" or before.argval is not None:
                raise Refused
        elif name == "LOAD_CONST":
            if isinstance(step.argval, CodeType):
                found |= _names(step.argval, outer)
            else:
                plain(step.argval)
        if name not in ("CACHE", "EXTENDED_ARG"):
            before = step
    return found


def plain(value: Any) -> Any:
    """A constant that nothing can change. Raises Refused for any other value."""
    if type(value) is tuple:
        for each in value:
            plain(each)
    elif type(value) not in CONSTANTS:
        raise Refused
    return value
