"""Editors: a language server that runs the open text in the sandbox. Needs the extra `tensorsh[editor]`.

The server (`server.py`) holds texts and answers; it never reads a program and never sees an object of one. A second process,
the workshop (`workshop.py`), forks a child for each text (`check.py`), which reads it, runs it within bounds, and tells in JSON
what it found. The child is killed when the text changes.
"""

MISSING = 'the language server needs pygls: pip install "tensorsh[editor]"'
"""The refusal where the extra is not installed."""
