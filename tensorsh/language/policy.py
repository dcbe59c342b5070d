"""What a script may name and define: the tables of the attribute gate, with the reason beside each entry.

Ordinary attributes (`x.shape`) become native attribute access and cost nothing. A gated name (a leading underscore, or
one of GATED) becomes a call of `gate.py`, which decides by the type of the object. Whatever takes an attribute name as
a string (getattr, hasattr, setattr, fields of str.format) must go through the same gate: get_attribute and its family.
"""

from __future__ import annotations

from .gate import (
    allow,
    build_class,
    format_map,
    format_string,
    get_attribute,
    has_attribute,
    is_script_class,
    register_class,
    variables,
)
from .names import (
    DEFINABLE,
    FLAGS,
    GATED,
    READABLE,
    READABLE_VARIABLES,
    WRITABLE_VARIABLES,
    is_gated,
    normalize,
)
from .stores import delete_attribute, set_attribute

__all__ = [
    "DEFINABLE",
    "FLAGS",
    "GATED",
    "READABLE",
    "READABLE_VARIABLES",
    "WRITABLE_VARIABLES",
    "allow",
    "build_class",
    "delete_attribute",
    "format_map",
    "format_string",
    "get_attribute",
    "has_attribute",
    "is_gated",
    "is_script_class",
    "normalize",
    "register_class",
    "set_attribute",
    "variables",
]
