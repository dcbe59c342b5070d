"""Operations and parameters, counted by hooks."""

import torch
from thop import clever_format, profile

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.b = torch.nn.BatchNorm2d(8)
        self.p = torch.nn.AdaptiveAvgPool2d(2)
        self.l = torch.nn.Linear(32, 4)
        self.g = torch.nn.GRU(4, 5, batch_first=True)

    def forward(self, x):
        x = self.l(self.p(torch.relu(self.b(self.c(x)))).flatten(1))
        return self.g(x[:, None])[0]


n = Net()
print(profile(n, inputs=(torch.randn(1, 3, 16, 16),), verbose=False))
print(clever_format(profile(n, inputs=(torch.randn(2, 3, 16, 16),), verbose=False), "%.3f"))
m, p, info = profile(n, inputs=(torch.randn(1, 3, 16, 16),), verbose=False, ret_layer_info=True)
print(m, p, sorted(info))
