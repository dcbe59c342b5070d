"""Operations counted by hooks, by functions that are replaced, and below autograd."""

import torch
from ptflops import get_model_complexity_info
from torchvision.models.resnet import BasicBlock, ResNet

torch.manual_seed(0)
model = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=5).eval()
for backend in ("pytorch", "aten"):
    found = get_model_complexity_info(model, (3, 32, 32), print_per_layer_stat=backend == "pytorch", backend=backend)
    print(backend, found)
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
print(get_model_complexity_info(layer, (5, 8), print_per_layer_stat=False, backend="aten"))
lstm = torch.nn.LSTM(4, 5)
print(get_model_complexity_info(lstm, (3, 4), print_per_layer_stat=False, backend="pytorch"))
