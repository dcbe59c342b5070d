"""The zip files of ``torch.save``."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from .file_options import get_crc32_options, skipping


def is_path(f: Any) -> bool:
    return isinstance(f, (str, os.PathLike)) or hasattr(type(f), "__fspath__")


def archive(name: str, structure: bytes, memory: list) -> bytes:
    """The zip file: nothing compressed, memory aligned to 64 bytes, so that it can be mapped."""
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:

        def add(record: str, data: Any, aligned: bool = True) -> zipfile.ZipInfo:
            info = zipfile.ZipInfo(f"{name}/{record}")
            if aligned:
                # A padding field behind the name moves the data to a multiple of 64.
                start = buffer.tell() + 30 + len(info.filename.encode()) + 4
                info.extra = b"FB" + (-start % 64).to_bytes(2, "little") + b"Z" * (-start % 64)
            file.writestr(info, data)
            return info

        add("data.pkl", structure)
        add(".format_version", b"1")
        add(".storage_alignment", b"64")
        add("byteorder", b"little")
        for i, root in enumerate(memory):
            data = np.ascontiguousarray(root).reshape(-1).view(np.uint8)
            info = add(f"data/{i}", memoryview(np.zeros_like(data) if skipping() else data))
            if not get_crc32_options():
                info.CRC = 0
        add("version", b"3\n")
        add(".data/serialization_id", b"0" * 40)
    return buffer.getvalue()
