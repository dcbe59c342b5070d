"""The process: whose it is. Importing the library changes nothing that all of a process shares; the command line, whose
process it is, says so here before anything is loaded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

owned = False
"""Whether the command line started the process: freed memory may be kept for results to come."""

programs = False
"""Whether programs are run in sessions, which may have to leave what numpy computes for long."""

holds_objects: Any = None
"""What says whether the program that asks has imported a package, whose arrays may hold Python objects; None before any has."""

one_program = False
"""Whether the process serves one program only: no other is there to be kept apart from it."""

outside: Any = None
"""The permissions of what no program led to, and no session has at hand: what runs as the process ends. Set where the command line owns
the process and there are programs; None elsewhere, where it is plain Python with all its rights."""

plain = False
"""Whether tensorsh stands for PyTorch in plain Python: its classes are made as PyTorch's are, with no metaclass that keeps programs
from changing them. Said before any of them is made; no sandboxed session can be opened then."""
