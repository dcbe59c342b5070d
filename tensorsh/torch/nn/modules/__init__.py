"""Where the classes of ``torch.nn`` stand."""

from __future__ import annotations

from ....sandbox.namespace import lazily

LAYOUT = {
    "parameter": "Parameter Buffer UninitializedParameter UninitializedBuffer",
    "modules.module": "Module",
    "modules.container": "Container Sequential ModuleList ModuleDict ParameterList ParameterDict",
    "modules.linear": "Identity Linear Bilinear LazyLinear",
    "modules.activation": (
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU RReLU ReLU "
        "ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
    ),
    "modules.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "modules.flatten": "ChannelShuffle Flatten Fold PixelShuffle PixelUnshuffle Unflatten Unfold",
    "modules.distance": "CosineSimilarity PairwiseDistance",
    "modules.upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "modules.sparse": "Embedding EmbeddingBag",
    "modules.loss": (
        "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss "
        "KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
        "NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss"
    ),
    "modules.linear_cross_entropy": "LinearCrossEntropyLoss LinearCrossEntropyOptions",
    "modules.conv": (
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d "
        "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
    ),
    "modules.pooling": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
        "AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d "
        "MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "modules.batchnorm": (
        "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyBatchNorm1d LazyBatchNorm2d "
        "LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d SyncBatchNorm"
    ),
    "modules.rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "modules.adaptive": "AdaptiveLogSoftmaxWithLoss",
    "modules.parallel": "DataParallel",
    "modules.attention": "MultiheadAttention",
    "modules.transformer": (
        "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer"
    ),
    "modules.normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "modules.padding": (
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d "
        "ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d"
    ),
}
"""Module below ``torch.nn`` -> the names it has."""


_found = lazily("tensorsh.torch.nn", {m: names for m, names in LAYOUT.items() if m.startswith("modules.")})
globals().update(_found)
__all__ = list(_found)
