"""What a script may name besides torch: Python's builtins, a fixed table of modules and a vetted part of numpy.

Nothing here hands out a module. Each namespace is a read-only table of names that were looked at one by one.
"""
