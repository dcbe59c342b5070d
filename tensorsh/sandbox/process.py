"""The process: whose it is. Importing the library changes nothing that all of a process shares; the command line, whose
process it is, says so here before anything is loaded."""

from __future__ import annotations

owned = False
"""Whether the command line started the process: freed memory may be kept for results to come."""

one_program = False
"""Whether the process serves one program only: no other is there to be kept apart from it."""
