"""``tensorsh.datasets``: a first set of data without a network, and readers of the files of MNIST and CIFAR.

    from tensorsh import datasets
    digits = datasets.Digits()                                 1797 images that come along
    train = datasets.MNIST("data", transform=transforms.ToTensor())      files that you have, in data/MNIST/raw

Where torchvision is not installed these are ``torchvision.datasets``, too. Nothing is ever downloaded. Images are numpy arrays (H, W) or
(H, W, C) of bytes, where torchvision has PIL's.
"""

from .cifar import CIFAR10, CIFAR100
from .fake import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, KMNIST, MNIST, FashionMNIST
from .small import BreastCancer, Diabetes, Digits, Iris, SmallSet, Wine
from .vision import StandardTransform, VisionDataset

__all__ = [
    "BreastCancer", "CIFAR10", "CIFAR100", "DatasetFolder", "Diabetes", "Digits", "EMNIST", "FakeData", "FashionMNIST", "ImageFolder", "Iris",
    "KMNIST", "MNIST", "SmallSet", "StandardTransform", "VisionDataset", "Wine",
]  # fmt: skip
