# ruff: noqa
"""Every layer and loss: text, parameters, output, grad_fn."""

import torch

nn = torch.nn
torch.manual_seed(0)
x1 = torch.randn(2, 4, 10)
x2 = torch.randn(2, 4, 8, 8)
x3 = torch.randn(1, 4, 6, 6, 6)
v = torch.randn(3, 4)


def show(m, *a):
    try:
        print(m)
        for k, p in m.state_dict().items():
            print(k, p.shape, float(p.double().sum()))
        r = m(*a)
        r = r if isinstance(r, tuple) else (r,)
        for q in r:
            print(q.shape, q.double().sum().item().__format__(".5f"), q.grad_fn.name() if q.grad_fn else None)
    except Exception as e:
        print("EXC", m._get_name(), type(e).__name__, str(e).split("\n")[0])


for n in "CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish PReLU ReLU ReLU6 SELU SiLU Sigmoid Softplus Softshrink Softsign Tanh Tanhshrink".split():
    show(getattr(nn, n)(), v)
show(nn.ReLU(True), v.clone())
show(nn.Softmax(1), v)
show(nn.LogSoftmax(-1), v)
show(nn.Softmin(0), v)
show(nn.GLU(), v)
show(nn.Threshold(0.1, 2), v)
show(nn.GELU("tanh"), v)
show(nn.RReLU(), v)
show(nn.Softmax2d(), x2)
show(nn.LeakyReLU(0.2, True), v.clone())
for n in ["Dropout", "Dropout1d", "AlphaDropout", "FeatureAlphaDropout"]:
    show(getattr(nn, n)(0.3), x1)
show(nn.Dropout2d(), x2)
show(nn.Flatten(), x2)
show(nn.Unflatten(1, (2, 2)), x2)
show(nn.PixelShuffle(2), x2)
show(nn.PixelUnshuffle(2), x2)
show(nn.ChannelShuffle(2), x2)
show(nn.Unfold(3), x2)
show(nn.Fold((4, 4), 2), torch.randn(1, 12, 9))
show(nn.PairwiseDistance(), v, v + 1)
show(nn.CosineSimilarity(), v, v + 1)
show(nn.Upsample(scale_factor=2), x2)
show(nn.Upsample((4, 5), mode="bilinear"), x2)
show(nn.UpsamplingBilinear2d(scale_factor=2), x2)
show(nn.Embedding(10, 3, padding_idx=-1), torch.tensor([1, 9]))
show(nn.EmbeddingBag(10, 3, mode="sum"), torch.tensor([[1, 9]]))
show(nn.Embedding.from_pretrained(v), torch.tensor([1]))
t = torch.tensor([0, 1, 3])
f = torch.rand(3, 4)
show(nn.CrossEntropyLoss(label_smoothing=0.1), v, t)
show(nn.CrossEntropyLoss(torch.ones(4)), v, t)
show(nn.NLLLoss(), v, t)
for n in "L1Loss MSELoss BCEWithLogitsLoss HuberLoss SmoothL1Loss KLDivLoss PoissonNLLLoss SoftMarginLoss MultiLabelSoftMarginLoss".split():
    show(getattr(nn, n)(), v, f)
show(nn.MSELoss(reduction="sum"), v, f)
show(nn.BCELoss(), torch.sigmoid(v), f)
show(nn.GaussianNLLLoss(), v, f, f + 0.1)
show(nn.HingeEmbeddingLoss(), v, torch.sign(v))
show(nn.MultiMarginLoss(), v, t)
show(nn.CosineEmbeddingLoss(), v, v + 1, torch.ones(3))
show(nn.MarginRankingLoss(), v[0], v[1], torch.ones(4))
show(nn.TripletMarginLoss(), v, v + 1, v - 1)
show(nn.TripletMarginWithDistanceLoss(), v, v + 1, v - 1)
show(nn.MultiLabelMarginLoss(), v, torch.tensor([[0, -1, 1, 2], [1, 2, -1, 0], [3, 0, 1, -1]]))
show(
    nn.CTCLoss(),
    torch.randn(10, 2, 5).log_softmax(2),
    torch.tensor([[1, 2, 3], [2, 3, 4]]),
    torch.tensor([10, 10]),
    torch.tensor([3, 3]),
)
show(nn.Conv1d(4, 6, 3, padding=1), x1)
show(nn.Conv2d(4, 6, (3, 2), stride=2, padding="valid", groups=2, bias=False), x2)
show(nn.Conv3d(4, 2, 2), x3)
show(nn.Conv2d(4, 4, 3, padding="same", padding_mode="reflect"), x2)
show(nn.Conv2d(4, 4, 3, padding=(1, 2), padding_mode="circular", dilation=2), x2)
show(nn.ConvTranspose1d(4, 6, 3, output_padding=1, stride=2), x1)
show(nn.ConvTranspose2d(4, 6, 3, stride=2), x2, [17, 18])
show(nn.ConvTranspose2d(4, 6, 3, stride=2), x2, [19, 18])
show(nn.ConvTranspose3d(4, 6, 3), x3)
show(nn.LazyConv2d(5, 3), x2)
show(nn.LazyLinear(5), v)
show(nn.LazyBatchNorm2d(), x2)
show(nn.LazyConvTranspose1d(5, 3), x1)
l = nn.LazyLinear(3)
l(v)
print(l, type(l))
show(nn.MaxPool1d(2), x1)
show(nn.MaxPool2d((2, 2), return_indices=True, ceil_mode=True), x2)
show(nn.MaxPool3d(2), x3)
show(nn.AvgPool1d(2), x1)
show(nn.AvgPool2d(2, 1), x2)
show(nn.AvgPool3d(2), x3)
for n, x in ((1, x1), (2, x2), (3, x3)):
    show(getattr(nn, f"AdaptiveAvgPool{n}d")(2), x)
    show(getattr(nn, f"AdaptiveMaxPool{n}d")(2), x)
    show(getattr(nn, f"LPPool{n}d")(2, 2), x)
    show(getattr(nn, f"BatchNorm{n}d")(4), x)
    show(getattr(nn, f"InstanceNorm{n}d")(4), x)
    for k in "Zero Reflection Replication Circular".split():
        show(getattr(nn, f"{k}Pad{n}d")(1), x)
    show(getattr(nn, f"ConstantPad{n}d")(1, 3.5), x)
show(nn.AdaptiveAvgPool2d((None, 3)), x2)
p, i = nn.MaxPool2d(2, return_indices=True)(x2)
show(nn.MaxUnpool2d(2), p, i)
show(nn.FractionalMaxPool2d(2, output_ratio=0.5), x2)
b = nn.BatchNorm1d(4, momentum=None)
b(v)
b(v + 1)
show(b.eval(), v)
show(nn.BatchNorm2d(4), v)
show(nn.LayerNorm(4), v)
show(nn.GroupNorm(2, 4), x2)
show(nn.RMSNorm(4), v)
show(nn.LocalResponseNorm(2), x2)
show(nn.LayerNorm((8, 8), elementwise_affine=False), x2)
show(nn.SyncBatchNorm(4), v)
