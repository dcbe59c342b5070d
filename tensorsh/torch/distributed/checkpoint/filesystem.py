"""``torch.distributed.checkpoint.filesystem``: the module in which PyTorch has readers and writers of folders."""

from .folders import FileSystemReader, FileSystemWriter

__all__ = ["FileSystemReader", "FileSystemWriter"]
