"""Recorders: what PyTorch gives, says and names, written to the tables that the package and its tests read.

    make record PYTHON_WITH_TORCH=/path/to/python [ONLY="bits views"]

Each module writes one table, or a few of a kind. A case is added by hand as a line with an empty outcome where the module
has no list of its cases, and recorded by the same command. The tests themselves need no PyTorch.
"""
