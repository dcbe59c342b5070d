"""``torch.utils.tensorboard._embedding``: the files that TensorBoard's projector reads."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ._convert_np import make_np
from ._utils import make_grid

__all__ = ["get_embedding_info", "make_mat", "make_sprite", "make_tsv"]


def make_tsv(metadata: list, save_path: str, metadata_header: list | None = None) -> None:
    """Write a label for each point. metadata: the labels. save_path: the folder. metadata_header: the names of their columns."""
    lines = [str(each) for each in metadata]
    if metadata_header:
        assert len(metadata_header) == len(metadata[0]), (
            "len of header must be equal to the number of columns in metadata"
        )
        lines = ["\t".join(map(str, row)) for row in [metadata_header, *metadata]]
    with open(os.path.join(save_path, "metadata.tsv"), "wb") as file:
        file.write(("\n".join(lines) + "\n").encode())


def make_sprite(label_img: Any, save_path: str) -> None:
    """Write an image for each point. label_img: the images. save_path: the folder."""
    from PIL import Image

    grid = make_grid(make_np(label_img), ncols=math.ceil(label_img.size(0) ** 0.5)).transpose(1, 2, 0)
    square = np.zeros((grid.shape[1], grid.shape[1], 3))
    square[: len(grid)] = grid
    with open(os.path.join(save_path, "sprite.png"), "wb") as file:
        Image.fromarray(np.uint8((square * 255).clip(0, 255))).save(file, format="PNG")


def make_mat(matlist: Any, save_path: str) -> None:
    """Write the points. matlist: a row for each. save_path: the folder."""
    with open(os.path.join(save_path, "tensors.tsv"), "wb") as file:
        for row in matlist:
            file.write(("\t".join(str(each.item()) for each in row) + "\n").encode())


def get_embedding_info(metadata: Any, label_img: Any, subdir: str, global_step: Any, tag: str) -> Any:
    """What the projector is told of the points of a step."""
    from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

    info = EmbeddingInfo(tensor_name=f"{tag}:{str(global_step).zfill(5)}", tensor_path=f"{subdir}/tensors.tsv")
    if metadata is not None:
        info.metadata_path = f"{subdir}/metadata.tsv"
    if label_img is not None:
        info.sprite.image_path = f"{subdir}/sprite.png"
        info.sprite.single_image_dim.extend([label_img.size(3), label_img.size(2)])
    return info
