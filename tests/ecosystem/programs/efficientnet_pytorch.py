"""Images classified by a small EfficientNet."""

import torch
from efficientnet_pytorch import EfficientNet

torch.manual_seed(0)
m = EfficientNet.from_name("efficientnet-b0", num_classes=10).eval()
with torch.no_grad():
    print(m(torch.randn(1, 3, 64, 64)), m.extract_features(torch.randn(1, 3, 64, 64)).abs().sum())
