"""The modules that a script may import besides torch: a fixed table of Python's own and a vetted part of numpy.

Nothing here hands out a module. Each namespace is a read-only table of names that were looked at one by one.
"""
