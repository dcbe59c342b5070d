"""The small sets of tensorsh/datasets/data, from scikit-learn; needs no PyTorch."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[2] / "tensorsh" / "datasets" / "data"
SETS = ("breast_cancer", "diabetes", "digits", "iris", "wine")


def smallest(array: np.ndarray) -> np.ndarray:
    """The array in the smallest dtype that keeps every number; measurements as float32, which tensors have."""
    if np.array_equal(array, array.astype(np.uint8)):
        return array.astype(np.uint8)
    return array.astype(np.float32)


def record() -> None:
    from sklearn import datasets

    for name in SETS:
        found = getattr(datasets, f"load_{name}")()
        target = found.target.astype(np.float32 if name == "diabetes" else np.int64)
        names = [] if name == "diabetes" else [str(each) for each in found.target_names]
        arrays = {
            "data": smallest(found.data),
            "target": target,
            "feature_names": np.array([str(each) for each in found.feature_names]),
            "target_names": np.array(names, dtype="U1" if not names else None),
        }
        with zipfile.ZipFile(FOLDER / f"{name}.npz", "w", zipfile.ZIP_DEFLATED) as file:
            for key, array in arrays.items():
                stream = io.BytesIO()
                np.save(stream, array)
                file.writestr(
                    zipfile.ZipInfo(f"{key}.npy", (2020, 1, 1, 0, 0, 0)), stream.getvalue(), zipfile.ZIP_DEFLATED
                )
        print(f"  {name}: {(FOLDER / f'{name}.npz').stat().st_size} bytes")
