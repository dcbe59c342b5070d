"""From a checkpoint's folder to one file, as `torch.save` writes it, and back."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ....engine.arrays.dtype import numpy_of
from ....engine.graph.fields import wrap
from ... import serialization
from ._traverse import set_element
from .loading import load
from .metadata import TensorStorageMetadata, read
from .saving import save

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def dcp_to_torch_save(dcp_checkpoint_dir: Any, torch_save_path: Any) -> None:
    """Write the whole of a checkpoint to one file.
    dcp_checkpoint_dir: the checkpoint's folder. torch_save_path: the file."""
    metadata = read(os.fspath(dcp_checkpoint_dir))
    state: dict = {}
    for name, about in metadata.state_dict_metadata.items():
        path, value = metadata.planner_data.get(name, (name,)), None
        if isinstance(about, TensorStorageMetadata):
            value = wrap(np.zeros(tuple(about.size), numpy_of(about.properties.dtype)))
        set_element(state, tuple(path), value)
    load(state, checkpoint_id=dcp_checkpoint_dir, no_dist=True)
    serialization.save(state, torch_save_path)


def torch_save_to_dcp(torch_save_path: Any, dcp_checkpoint_dir: Any) -> None:
    """Write what a file of `torch.save` holds to a checkpoint's folder.
    torch_save_path: the file. dcp_checkpoint_dir: the folder."""
    save(serialization.load(torch_save_path), checkpoint_id=dcp_checkpoint_dir, no_dist=True)
