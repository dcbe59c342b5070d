"""Source text to code: tokens, LALR tables, Python's own `ast`, the attribute gate, bytecode, and a cache of it.

This floor knows no tensor: the names a script may see, and the names that are bound, are handed in.
"""
