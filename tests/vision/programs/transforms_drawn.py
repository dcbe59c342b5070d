import torch
import torchvision.transforms as T
from torchvision.transforms import v2

torch.manual_seed(0)
image = torch.rand(3, 12, 14)
small = torch.randint(0, 256, (3, 12, 14), dtype=torch.uint8)


def told(value):
    return list(value.shape), value.dtype, value.double().sum().item(), value.flatten()[:3].tolist()


def attempt(make, *given, times=3):
    try:
        step = make()
        print(step)
        for each in given:
            for seed in range(times):
                torch.manual_seed(seed)
                print(told(step(each)), torch.rand(1).item())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


for kind in (T, v2):
    print(kind.__name__)
    attempt(lambda: kind.RandomCrop(8), image, small)
    attempt(lambda: kind.RandomCrop((12, 8)), image)
    attempt(lambda: kind.RandomCrop(12, padding=2), image)
    attempt(lambda: kind.RandomCrop(12, padding=(1, 2), padding_mode="reflect"), image)
    attempt(lambda: kind.RandomCrop(12, padding=[1, 2, 3, 4], fill=0.5), image)
    attempt(lambda: kind.RandomCrop(16, pad_if_needed=True), image)
    attempt(lambda: kind.RandomCrop(20), image)
    attempt(lambda: kind.RandomHorizontalFlip(), image, small)
    attempt(lambda: kind.RandomVerticalFlip(0.3), image)
    attempt(lambda: kind.RandomGrayscale(0.6), image, small)
    attempt(lambda: kind.RandomResizedCrop(6), image)
    attempt(lambda: kind.RandomResizedCrop((5, 7), scale=(0.2, 0.9), ratio=(0.5, 2.0)), image)
    attempt(lambda: kind.RandomErasing(1.0), image)
    attempt(lambda: kind.RandomErasing(0.7, value="random"), image)
    attempt(lambda: kind.RandomErasing(0.7, value=(0.1, 0.2, 0.3)), image)
    attempt(lambda: kind.RandomErasing(0.7, value="other"), image)
    attempt(lambda: kind.RandomRotation(30), image, small)
    attempt(lambda: kind.RandomRotation((10, 60), interpolation=T.InterpolationMode.BILINEAR, expand=True), image)
    attempt(lambda: kind.RandomRotation(-1), image)
    attempt(lambda: kind.GaussianBlur(3), image)
    attempt(lambda: kind.GaussianBlur((3, 5), (0.5, 1.0)), image)
    attempt(lambda: kind.GaussianBlur(4), image)
    attempt(lambda: kind.ColorJitter(0.4, 0.3, 0.2, 0.1), image)
    attempt(lambda: kind.ColorJitter(brightness=(0.5, 1.5)), image, small)
    attempt(lambda: kind.ColorJitter(hue=0.5), image)
    attempt(lambda: kind.ColorJitter(brightness=-1), image)
    attempt(lambda: kind.RandomApply([kind.RandomVerticalFlip(1.0), kind.CenterCrop(4)], p=0.6), image)
    attempt(lambda: kind.Compose([kind.RandomCrop(10, padding=1), kind.RandomHorizontalFlip(), kind.Normalize([0.5] * 3, [0.2] * 3)]), image)

attempt(lambda: v2.RandomChoice([v2.CenterCrop(4), v2.CenterCrop(6)], p=[1.0, 3.0]), image)
attempt(lambda: v2.RandomOrder([v2.CenterCrop(4), v2.Pad(1)]), image)
attempt(lambda: v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Resize(6), v2.Normalize((0.5,), (0.5,))]), small)
attempt(lambda: v2.ToDtype(torch.float64), small)
attempt(lambda: v2.Identity(), image, times=1)
attempt(lambda: v2.Compose([]), image)
found = v2.Compose([v2.CenterCrop(4), v2.RandomHorizontalFlip(1.0)])(image, 3)
print(told(found[0]), found[1])
found = v2.RandomCrop(5)({"image": image, "label": torch.tensor(2)})
print(list(found["image"].shape), found["label"])
