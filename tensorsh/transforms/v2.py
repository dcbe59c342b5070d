"""``transforms.v2``: the same transforms for samples of several parts, of which the image is the first tensor or array."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.arrays.warning import warn
from ..torch.root import torch
from . import chances, functional, steps
from .images import InterpolationMode, Tensor, as_tensor
from .steps import Module

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype", "FiveCrop", "GaussianBlur", "Grayscale", "Identity",
    "InterpolationMode", "Lambda", "Normalize", "PILToTensor", "Pad", "RGB", "RandomApply", "RandomChoice", "RandomCrop",
    "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip", "RandomOrder", "RandomResizedCrop", "RandomRotation",
    "RandomVerticalFlip", "Resize", "ToDtype", "ToImage", "ToPILImage", "ToPureTensor", "ToTensor", "Transform", "functional",
]  # fmt: skip


class Transform(Module):
    """Base class: `transform(image, params)` says what is done to the image of a sample, `make_params(images)` what is drawn."""

    TAKES = (Tensor, np.ndarray)

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """What is drawn for a sample."""
        return {}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """The image, changed."""
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        tree = torch.utils._pytree
        flat, spec = tree.tree_flatten(inputs if len(inputs) > 1 else inputs[0])
        arrays = any(isinstance(each, np.ndarray) for each in flat)
        chosen = np.ndarray if arrays else Tensor
        place = next((i for i, each in enumerate(flat) if isinstance(each, chosen)), None)
        if place is None or not isinstance(flat[place], self.TAKES):
            return inputs if len(inputs) > 1 else inputs[0]
        params = self.make_params([flat[place]])
        flat[place] = self.transform(flat[place], params)
        return tree.tree_unflatten(flat, spec)

    def extra_repr(self) -> str:
        kinds = (bool, int, float, str, tuple, list, enum.Enum)
        return ", ".join(
            f"{name}={value}"
            for name, value in vars(self).items()
            if name[0] != "_" and name != "training" and isinstance(value, kinds)
        )

    __repr__ = Module.__repr__


def _second(first: Any) -> Any:
    """A transform of the first kind as one of the second."""

    def transform(self: Any, inpt: Any, params: dict[str, Any]) -> Any:
        return first.forward(self, inpt)

    body = {"__doc__": first.__doc__, "__module__": __name__, "transform": transform}
    body |= {name: getattr(Transform, name) for name in ("forward", "extra_repr", "__repr__")}
    return type(first)(first.__name__, (first, Transform), body)


CenterCrop, FiveCrop, Grayscale, Pad, ConvertImageDtype = map(
    _second, (steps.CenterCrop, steps.FiveCrop, steps.Grayscale, steps.Pad, steps.ConvertImageDtype)
)
ColorJitter, RandomGrayscale = map(_second, (chances.ColorJitter, chances.RandomGrayscale))
RandomHorizontalFlip, RandomVerticalFlip = map(_second, (chances.RandomHorizontalFlip, chances.RandomVerticalFlip))


class Resize(_second(steps.Resize)):  # type: ignore[misc]
    """The image in another size; of one number, that is the shorter edge's."""

    def __init__(
        self, size: Any, interpolation: Any = "bilinear", max_size: int | None = None, antialias: Any = True
    ) -> None:  # fmt: skip
        super().__init__([size] if isinstance(size, int) else size, interpolation, max_size, antialias)
        self.interpolation = interpolation


class RandomResizedCrop(_second(chances.RandomResizedCrop)):  # type: ignore[misc]
    """A part of the image whose place, size and shape are drawn, in a size that is given."""

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4.0, 4.0 / 3.0), interpolation: Any = "bilinear",
        antialias: Any = True,
    ) -> None:  # fmt: skip
        super().__init__(size, scale, ratio, interpolation, antialias)
        self.interpolation = interpolation


class RandomRotation(_second(chances.RandomRotation)):  # type: ignore[misc]
    """The image turned by an angle that is drawn, in degrees."""

    def __init__(
        self, degrees: Any, interpolation: Any = "nearest", expand: bool = False, center: Any = None, fill: Any = 0
    ) -> None:
        super().__init__(degrees, interpolation, expand, center, fill)
        self.interpolation = interpolation


class GaussianBlur(_second(chances.GaussianBlur)):  # type: ignore[misc]
    """The image under a Gaussian window whose width is drawn."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        super().__init__(kernel_size, sigma)
        self.sigma = list(self.sigma)


class RandomErasing(_second(chances.RandomErasing)):  # type: ignore[misc]
    """A rectangle of the image overwritten, with a probability; by noise where `value` is "random"."""

    def __init__(
        self, p: float = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0.0,
        inplace: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(p, scale, ratio, value, inplace)
        value = [float(value)] if isinstance(value, (int, float)) else value
        self.value = None if value == "random" else [float(each) for each in value]


class Normalize(_second(steps.Normalize)):  # type: ignore[misc]
    """Each channel minus its mean, divided by its deviation."""

    TAKES = (Tensor,)

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        super().__init__(list(mean), list(std), inplace)


class RandomCrop(_second(chances.RandomCrop)):  # type: ignore[misc]
    """A part of the image from a place that is drawn, after padding."""

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = "constant"
    ) -> None:  # fmt: skip
        super().__init__(size, functional.sides_of(padding) if padding else None, pad_if_needed, fill, padding_mode)

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        _, height, width = functional.get_dimensions(inpt)
        left, right, top, bottom = self.padding or (0, 0, 0, 0)
        lack_down, lack_across = (
            max(wanted - has, 0) if self.pad_if_needed else 0
            for wanted, has in zip(self.size, (height + top + bottom, width + left + right), strict=True)
        )
        sides = [left + lack_across, top + lack_down, right + lack_across, bottom + lack_down]
        height, width = height + sides[1] + sides[3], width + sides[0] + sides[2]
        if height < self.size[0] or width < self.size[1]:
            said = "padded " if self.padding is not None else ""
            raise ValueError(
                f"Required crop size {tuple(self.size)} is larger than {said}input image size {(height, width)}."
            )
        if any(sides):
            inpt = functional.pad(inpt, sides, self.fill, self.padding_mode)
        place = [
            chances.whole(has - size + 1) if has > size else 0
            for has, size in zip((height, width), self.size, strict=True)
        ]
        return functional.crop(inpt, *place, *self.size)


class Identity(Transform):
    """The sample as it is."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt


class Lambda(Transform):
    """A function as a transform of each part of a sample, or of those of some types."""

    def __init__(self, lambd: Any, *types: type) -> None:
        super().__init__()
        self.lambd, self.types = lambd, types or (object,)

    def forward(self, *inputs: Any) -> Any:
        tree = torch.utils._pytree
        flat, spec = tree.tree_flatten(inputs if len(inputs) > 1 else inputs[0])
        return tree.tree_unflatten([self.lambd(each) if isinstance(each, self.types) else each for each in flat], spec)

    def extra_repr(self) -> str:
        name = getattr(self.lambd, "__name__", "")
        return ", ".join([*([name] if name else []), f"types={[kind.__name__ for kind in self.types]}"])


class ToDtype(Transform):
    """The image in another dtype; with `scale`, its values scaled to that dtype's range."""

    TAKES = (Tensor,)

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        if not isinstance(dtype, (dict, torch.dtype)):
            raise ValueError(f"dtype must be a dict or a torch.dtype, got {type(dtype)} instead")
        self.dtype, self.scale = dtype, scale

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        dtype = self.dtype
        if isinstance(dtype, dict):
            dtype = dtype.get(Tensor, dtype.get("others"))
        if dtype is None:
            return inpt
        return functional.convert_image_dtype(inpt, dtype) if self.scale else inpt.to(dtype)


class ToImage(Transform):
    """An array (H, W) or (H, W, C) as a tensor (C, H, W) of the same dtype."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return as_tensor(inpt) if isinstance(inpt, np.ndarray) else inpt


class PILToTensor(ToImage):
    """An array (H, W) or (H, W, C) as a tensor (C, H, W) of the same dtype."""

    TAKES = (np.ndarray,)


class ToTensor(Transform):
    """An array as a tensor; bytes become floats from 0 to 1. Deprecated: ToImage and ToDtype do it."""

    TAKES = (np.ndarray,)

    def __init__(self) -> None:
        warn(
            "The transform `ToTensor()` is deprecated and will be removed in a future release. "
            "Instead, please use `v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])`."
            "Output is equivalent up to float precision."
        )
        super().__init__()

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.to_tensor(inpt)


class ToPILImage(Transform):
    """A tensor (C, H, W) as an array (H, W, C), which stands for PIL's image; floats from 0 to 1 become bytes."""

    def __init__(self, mode: str | None = None) -> None:
        super().__init__()
        self.mode = mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.to_pil_image(inpt, self.mode)


class ToPureTensor(Identity):
    """The sample as it is: all tensors are plain here."""


class RGB(Transform):
    """The image in three channels."""

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return functional.rgb_to_grayscale(inpt, 3) if functional.get_dimensions(inpt)[0] == 1 else inpt


class Compose(Transform):
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence of callables")
        if not transforms:
            raise ValueError("Pass at least one transform")
        self.transforms = transforms

    def forward(self, *inputs: Any) -> Any:
        return self.run(self.transforms, *inputs)

    @staticmethod
    def run(transforms: Any, *inputs: Any) -> Any:
        """Transforms of a sample, one after the other."""
        outputs: Any = inputs if len(inputs) > 1 else inputs[0]
        for step in transforms:
            outputs = step(*outputs) if len(inputs) > 1 else step(outputs)
        return outputs

    def extra_repr(self) -> str:
        return "\n".join(f"    {step}" for step in self.transforms)


class RandomApply(Compose):
    """Transforms that are applied with a probability, all or none."""

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        Transform.__init__(self)
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        self.transforms, self.p = transforms, p

    def forward(self, *inputs: Any) -> Any:
        if torch.rand(1) >= self.p:
            return inputs if len(inputs) > 1 else inputs[0]
        return self.run(self.transforms, *inputs)


class RandomChoice(Transform):
    """One of the transforms, drawn by their probabilities `p`."""

    def __init__(self, transforms: Sequence[Any], p: list[float] | None = None) -> None:
        super().__init__()
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence of callables")
        p = [1] * len(transforms) if p is None else p
        if len(p) != len(transforms):
            raise ValueError(f"Length of p doesn't match the number of transforms: {len(p)} != {len(transforms)}")
        total = sum(p)
        self.transforms, self.p = transforms, [each / total for each in p]

    def forward(self, *inputs: Any) -> Any:
        return self.transforms[int(torch.multinomial(torch.tensor(self.p), 1))](*inputs)


class RandomOrder(Compose):
    """Transforms one after the other in an order that is drawn."""

    def forward(self, *inputs: Any) -> Any:
        return self.run([self.transforms[i] for i in torch.randperm(len(self.transforms)).tolist()], *inputs)

    def extra_repr(self) -> str:
        return Transform.extra_repr(self)
