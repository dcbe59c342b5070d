"""Pictures, or whatever else, in folders that are named after their classes."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import Any

from ..sandbox import process
from .reading import permissions
from .vision import VisionDataset, transformed

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_file_allowed_extension(filename: str, extensions: str | tuple[str, ...]) -> bool:
    """Whether a file's name ends in one of some ways, in letters of either case."""
    return filename.lower().endswith(extensions if isinstance(extensions, str) else tuple(extensions))


def is_image_file(filename: str) -> bool:
    """Whether a file's name is one of an image."""
    return has_file_allowed_extension(filename, IMG_EXTENSIONS)


def find_classes(directory: Any) -> tuple[list[str], dict[str, int]]:
    """The names of the folders in a folder, in order, and the number of each."""
    with os.scandir(permissions().check(directory)) as entries:
        classes = sorted(entry.name for entry in entries if entry.is_dir())
    if not classes:
        raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
    return classes, {name: number for number, name in enumerate(classes)}


def files_below(folder: str) -> Iterator[str]:
    """The paths of the files below a folder, in order, where the program may read."""
    for root, _, names in sorted(os.walk(permissions().check(folder), followlinks=True)):
        permissions().check(root)
        yield from [os.path.join(root, name) for name in sorted(names)]


def make_dataset(
    directory: Any, class_to_idx: dict[str, int] | None = None, extensions: str | tuple[str, ...] | None = None,
    is_valid_file: Callable[[str], bool] | None = None, allow_empty: bool | list[str] = False,
) -> list[tuple[str, int]]:  # fmt: skip
    """The path of each sample with the number of its class."""
    directory = os.path.expanduser(directory)
    if class_to_idx is None:
        class_to_idx = find_classes(directory)[1]
    elif not class_to_idx:
        raise ValueError("'class_to_index' must have at least one entry to collect any samples.")
    if (extensions is None) == (is_valid_file is None):
        raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
    fits = is_valid_file or (lambda path: has_file_allowed_extension(path, extensions))  # type: ignore[arg-type]
    found = []
    for name in sorted(class_to_idx):
        folder = os.path.join(directory, name)
        if os.path.isdir(permissions().check(folder)):
            found += [(path, class_to_idx[name]) for path in files_below(folder) if fits(path)]
    numbers = {number for _, number in found}
    empty = sorted(name for name, number in class_to_idx.items() if number not in numbers)
    if empty and not allow_empty:
        said = f"Found no valid file for the classes {', '.join(empty)}. "
        if extensions is not None:
            said += f"Supported extensions are: {extensions if isinstance(extensions, str) else ', '.join(extensions)}"
        raise FileNotFoundError(said)
    return found


def pil_loader(path: str) -> Any:
    """An image of Pillow's in three colours. RuntimeError in a script, which gives a `loader` of its own."""
    if not process.plain:
        raise RuntimeError("tensorsh decodes no images for scripts: give a loader, a function of the path")
    from PIL import Image

    return Image.open(io.BytesIO(permissions().read_bytes(path))).convert("RGB")


default_loader = pil_loader


class DatasetFolder(VisionDataset):
    """Samples in folders: what `loader` makes of each file of `root`/CLASS/..., with the number of its class."""

    def __init__(
        self, root: Any, loader: Callable[[str], Any], extensions: tuple[str, ...] | None = None, transform: Callable | None = None,
        target_transform: Callable | None = None, is_valid_file: Callable[[str], bool] | None = None, allow_empty: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(root, transform=transform, target_transform=target_transform)
        classes, class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(self.root, class_to_idx, extensions, is_valid_file, allow_empty)
        self.loader, self.extensions = loader, extensions
        self.classes, self.class_to_idx = classes, class_to_idx
        self.targets = [number for _, number in self.samples]

    make_dataset = staticmethod(make_dataset)

    def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
        """The names of the classes, and the number of each."""
        return find_classes(directory)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return transformed(self, self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Images in folders that are named after their classes."""

    def __init__(
        self, root: Any, transform: Callable | None = None, target_transform: Callable | None = None,
        loader: Callable[[str], Any] = default_loader, is_valid_file: Callable[[str], bool] | None = None, allow_empty: bool = False,
    ) -> None:  # fmt: skip
        kinds = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, kinds, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
