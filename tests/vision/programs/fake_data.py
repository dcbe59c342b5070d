import numpy as np
import torch
import torchvision.transforms as T
from torchvision import datasets

data = datasets.FakeData(5, (3, 6, 7), num_classes=4, transform=T.ToTensor(), random_offset=3)
print(data, len(data))
for number in range(5):
    image, target = data[number]
    print(image.shape, image.dtype, image.sum().item(), image[:, 0, 0].tolist(), target)
raw = datasets.FakeData(2, (1, 5, 5), target_transform=lambda t: t + 1)
image, target = raw[1]
print(np.array(image).shape, np.array(image).tolist(), target)
try:
    data[5]
except IndexError as error:
    print(error)
torch.manual_seed(0)
before = torch.rand(1)
torch.manual_seed(0)
data[0]
print(bool(before == torch.rand(1)))
loader = torch.utils.data.DataLoader(data, batch_size=2)
print([(x.shape, y.tolist()) for x, y in loader])


class Mine(datasets.VisionDataset):
    def __init__(self, root):
        super().__init__(root, transform=T.Compose([T.CenterCrop(3)]), target_transform=T.Lambda(str))

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self.transforms(torch.full((1, 4, 4), index), index)

    def extra_repr(self):
        return "Kind: mine"


mine = Mine("somewhere")
print(mine, mine[2][0].tolist(), repr(mine[2][1]))
print(repr(datasets.vision.StandardTransform(None, T.ToTensor())) if hasattr(datasets, "vision") else "StandardTransform\nTarget transform: ToTensor()")
try:
    datasets.VisionDataset("x", transforms=int, transform=int)
except ValueError as error:
    print(error)
