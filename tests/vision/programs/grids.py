import io

import torch
from torchvision.utils import make_grid, save_image

x = torch.arange(5 * 1 * 2 * 3.0).view(5, 1, 2, 3)
print(make_grid(x, 2, 1, pad_value=-1))
print(make_grid(x[0]).shape, make_grid(x[0, 0]).shape, make_grid(x.expand(5, 2, 2, 3), padding=0).shape)
print(make_grid(list(x), nrow=3, normalize=True)[0])
print(make_grid(x, 3, 1, True, scale_each=True)[0], make_grid(x.byte(), 3, 1).dtype)
print(make_grid(x, 3, 1, normalize=True, value_range=(5, 20))[2], x.max())
for wrong in (3, [x, 3], (x,)):
    try:
        make_grid(wrong)
    except TypeError as error:
        print(error)
try:
    make_grid(x, normalize=True, value_range=[0, 1])
except TypeError as error:
    print(error)
for image in (torch.linspace(-0.2, 1.2, 24).view(2, 3, 2, 2), torch.linspace(0, 1, 12).view(4, 3, 1), torch.rand(2, 4, 5).requires_grad_()):
    into = io.BytesIO()
    save_image(image, into, format="png", padding=1)
    data = into.getvalue()
    print(data[:8], len(data) > 57, data[12:33], data[-12:])
