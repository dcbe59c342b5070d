"""Operations and parameters of networks, counted by functions that take the place of PyTorch's."""

import torch
from calflops import calculate_flops

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1),
    torch.nn.BatchNorm2d(8),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(8, 16, 3, stride=2),
    torch.nn.SiLU(),
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(16, 10),
    torch.nn.LayerNorm(10),
    torch.nn.GELU(),
    torch.nn.Softmax(-1),
)
print(calculate_flops(net, input_shape=(1, 3, 16, 16), print_results=False, output_as_string=True))
print(calculate_flops(net, input_shape=(4, 3, 16, 16), print_results=False, output_as_string=False))
flops, macs, params = calculate_flops(
    net, input_shape=(1, 3, 16, 16), include_backPropagation=True, print_detailed=True
)
print(flops, macs, params)
