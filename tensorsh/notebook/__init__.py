"""Jupyter: the kernel, what its cells show, and its installation. Needs the extra `tensorsh[notebook]`."""

MISSING = 'notebooks need ipykernel: pip install "tensorsh[notebook]"'
"""The refusal where the extra is not installed."""
