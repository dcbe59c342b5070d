"""``tensorsh.transforms``: what torchvision's transforms do, on tensors and on numpy arrays, with the same random numbers.

    from tensorsh import datasets, transforms
    steps = transforms.Compose([transforms.RandomCrop(28, padding=2), transforms.ToTensor(), transforms.Normalize([0.5], [0.5])])

Where torchvision is not installed these are ``torchvision.transforms``, too. There are no PIL images: arrays of shape (H, W) or (H, W, C)
stand for them.
"""

from . import functional, v2
from .chances import (
    ColorJitter,
    GaussianBlur,
    RandomApply,
    RandomChoice,
    RandomCrop,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomOrder,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from .images import InterpolationMode
from .steps import (
    CenterCrop,
    Compose,
    ConvertImageDtype,
    FiveCrop,
    Grayscale,
    Lambda,
    Normalize,
    Pad,
    PILToTensor,
    Resize,
    ToPILImage,
    ToTensor,
)

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype", "FiveCrop", "GaussianBlur", "Grayscale", "InterpolationMode",
    "Lambda", "Normalize", "PILToTensor", "Pad", "RandomApply", "RandomChoice", "RandomCrop", "RandomErasing", "RandomGrayscale",
    "RandomHorizontalFlip", "RandomOrder", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Resize", "ToPILImage",
    "ToTensor", "functional", "v2",
]  # fmt: skip
