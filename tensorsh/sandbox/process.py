"""The process: whose it is. Importing the library changes nothing that all of a process shares; the command line, whose
process it is, says so here before anything is loaded."""

from __future__ import annotations

owned = False
"""Whether the command line started the process: freed memory may be kept for results to come."""

programs = False
"""Whether programs are run in sessions, which may have to leave what numpy computes for long."""

objects_exist = False
"""Whether a program has imported a package, whose arrays may hold Python objects."""

one_program = False
"""Whether the process serves one program only: no other is there to be kept apart from it."""

plain = False
"""Whether tensorsh stands for PyTorch in plain Python: its classes are made as PyTorch's are, with no metaclass that keeps programs
from changing them. Said before any of them is made; no sandboxed session can be opened then."""
