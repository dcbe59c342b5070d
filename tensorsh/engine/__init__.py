"""Tensors and gradients on arrays."""

from .loading import interpreted  # noqa: F401 - which modules run interpreted is settled before the first is imported
