"""``torch.utils.tensorboard``: values, histograms, images and texts for TensorBoard, written by the package ``tensorboard``."""

from __future__ import annotations

import tensorboard  # noqa: F401 - whose absence is told by its name, as by PyTorch

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
