import numpy as np
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as F

torch.manual_seed(0)
image = torch.rand(3, 9, 11)
small = torch.randint(0, 256, (3, 9, 11), dtype=torch.uint8)
grey = torch.rand(1, 6, 6)


def told(value):
    if isinstance(value, tuple):
        return [told(each) for each in value]
    return list(value.shape), value.dtype, value.double().sum().item(), value.flatten()[:4].tolist()


def attempt(make, *given):
    try:
        step = make()
        print(step)
        for each in given:
            print(told(step(each)))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


for size in (4, (5, 7), [4], 9, (20, 3), (9, 11)):
    attempt(lambda: T.Resize(size), image, small)
for mode in T.InterpolationMode:
    attempt(lambda: T.Resize(5, interpolation=mode), image)
attempt(lambda: T.Resize(5, antialias=False), image)
attempt(lambda: T.Resize(5, max_size=6), image)
attempt(lambda: T.Resize(5, max_size=5), image)
attempt(lambda: T.Resize((1, 2, 3)), image)
attempt(lambda: T.Resize("x"), image)
attempt(lambda: T.Resize(5, interpolation=2), image)
for size in (4, (5, 7), (3,), 12, (2, 20)):
    attempt(lambda: T.CenterCrop(size), image, small)
attempt(lambda: T.CenterCrop((1, 2, 3)), image)
for mode in ("constant", "edge", "reflect", "symmetric", "other"):
    for padding in (2, (1, 3), [1, 2, 3, 4]):
        attempt(lambda: T.Pad(padding, fill=0 if mode != "constant" else 5, padding_mode=mode), image, small)
attempt(lambda: T.Pad((1, 2, 3)), image)
attempt(lambda: T.Pad("x"), image)
attempt(lambda: T.Pad(-2), image)
for count in (1, 3):
    attempt(lambda: T.Grayscale(count), image, small)
attempt(lambda: T.Grayscale(2), image)
attempt(lambda: T.Grayscale(), torch.rand(2, 4, 4))
for dtype in (torch.float32, torch.float64, torch.uint8, torch.int16, torch.int32, torch.int64):
    attempt(lambda: T.ConvertImageDtype(dtype), image, small)
attempt(lambda: T.Normalize([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]), image)
attempt(lambda: T.Normalize((0.5,), (0.2,)), image, grey)
attempt(lambda: T.Normalize([0.5], [0.0]), image)
attempt(lambda: T.Normalize([0.5], [0.5]), small)
attempt(lambda: T.Normalize([0.5], [0.5]), torch.rand(4, 4))
attempt(lambda: T.FiveCrop(4), image)
attempt(lambda: T.FiveCrop(20), image)
attempt(lambda: T.Lambda(lambda x: x * 2), image)
attempt(lambda: T.Lambda(3), image)
attempt(lambda: T.Compose([T.CenterCrop(4), T.ConvertImageDtype(torch.float64)]), image, small)
print(T.ToTensor(), T.ToPILImage(), T.ToPILImage("L"), T.PILToTensor())

array = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
for given in (array, array[:, :, 0], array.astype(np.float32), array.astype(np.int32)):
    attempt(T.ToTensor, given)
attempt(T.ToTensor, np.zeros(3))
attempt(T.ToTensor, [1, 2])
attempt(lambda: T.Compose([T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3)]), array)

print(told(F.hflip(image)), told(F.vflip(small)), told(F.crop(image, 1, 2, 3, 4)), told(F.crop(image, -2, 5, 6, 9)))
print(told(F.crop(image, 20, 20, 2, 2)), told(F.resized_crop(image, 1, 1, 5, 5, (3, 4))), F.get_dimensions(image), F.get_image_size(image))
for factor in (0.0, 0.5, 1.0, 1.7):
    for change in (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation):
        print(change.__name__, told(change(image, factor)), told(change(small, factor)), told(change(grey, factor)))
for factor in (-0.5, -0.1, 0.0, 0.3, 0.5):
    print(told(F.adjust_hue(image, factor)), told(F.adjust_hue(small, factor)))
print(told(F.adjust_gamma(image, 2.2)), told(F.adjust_gamma(small, 0.5, 1.5)), told(F.invert(small)), told(F.solarize(image, 0.5)))
print(told(F.posterize(small, 3)), told(F.erase(image, 1, 1, 2, 2, torch.zeros(1))), told(F.gaussian_blur(image, 3)))
print(told(F.gaussian_blur(small, [3, 5], [1.0, 2.0])), told(F.gaussian_blur(image, [5, 3], 0.7)))
for angle in (0, 30, 90, -45.5):
    print(told(F.rotate(image, angle)), told(F.rotate(small, angle, expand=True)), told(F.rotate(image, angle, center=[2, 3], fill=[0.5])))
    print(told(F.rotate(image, angle, T.InterpolationMode.BILINEAR, fill=[0.1, 0.2, 0.3])))
for wrong in (
    lambda: F.adjust_brightness(image, -1),
    lambda: F.adjust_hue(image, 0.6),
    lambda: F.adjust_gamma(image, -1),
    lambda: F.gaussian_blur(image, 4),
    lambda: F.convert_image_dtype(image, torch.int64),
    lambda: F.resize(image, [1, 2, 3]),
    lambda: F.rgb_to_grayscale(torch.rand(4, 4)),
    lambda: F.pad(image, (1, 2, 3)),
):
    try:
        print(told(wrong()))
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
