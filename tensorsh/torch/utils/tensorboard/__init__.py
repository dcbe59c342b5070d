"""``torch.utils.tensorboard``: values, histograms, images and texts for TensorBoard, written by the package ``tensorboard``."""

from __future__ import annotations

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
