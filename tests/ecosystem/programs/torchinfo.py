"""A table of a network's layers."""

import torch
from torchinfo import summary

net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Flatten(),
    torch.nn.Linear(8 * 15 * 15, 10),
)
print(
    summary(
        net, input_size=(4, 3, 32, 32), verbose=0, col_names=("input_size", "output_size", "num_params", "mult_adds")
    )
)
