"""What an editor completes after `torch.nn.`. Made by `make tables` from the table of operators; do not edit."""

from builtins import bool as _bool
from typing import Any

from . import attention as attention
from . import functional as functional
from . import grad as grad
from . import init as init
from . import modules as modules
from . import parallel as parallel
from . import parameter as parameter
from . import utils as utils
from tensorsh.torch import Tensor as Tensor
from tensorsh.torch.nn.modules.activation import CELU as CELU
from tensorsh.torch.nn.modules.activation import ELU as ELU
from tensorsh.torch.nn.modules.activation import GELU as GELU
from tensorsh.torch.nn.modules.activation import GLU as GLU
from tensorsh.torch.nn.modules.activation import Hardshrink as Hardshrink
from tensorsh.torch.nn.modules.activation import Hardsigmoid as Hardsigmoid
from tensorsh.torch.nn.modules.activation import Hardswish as Hardswish
from tensorsh.torch.nn.modules.activation import Hardtanh as Hardtanh
from tensorsh.torch.nn.modules.activation import LeakyReLU as LeakyReLU
from tensorsh.torch.nn.modules.activation import LogSigmoid as LogSigmoid
from tensorsh.torch.nn.modules.activation import LogSoftmax as LogSoftmax
from tensorsh.torch.nn.modules.activation import Mish as Mish
from tensorsh.torch.nn.modules.activation import PReLU as PReLU
from tensorsh.torch.nn.modules.activation import RReLU as RReLU
from tensorsh.torch.nn.modules.activation import ReLU as ReLU
from tensorsh.torch.nn.modules.activation import ReLU6 as ReLU6
from tensorsh.torch.nn.modules.activation import SELU as SELU
from tensorsh.torch.nn.modules.activation import SiLU as SiLU
from tensorsh.torch.nn.modules.activation import Sigmoid as Sigmoid
from tensorsh.torch.nn.modules.activation import Softmax as Softmax
from tensorsh.torch.nn.modules.activation import Softmax2d as Softmax2d
from tensorsh.torch.nn.modules.activation import Softmin as Softmin
from tensorsh.torch.nn.modules.activation import Softplus as Softplus
from tensorsh.torch.nn.modules.activation import Softshrink as Softshrink
from tensorsh.torch.nn.modules.activation import Softsign as Softsign
from tensorsh.torch.nn.modules.activation import Tanh as Tanh
from tensorsh.torch.nn.modules.activation import Tanhshrink as Tanhshrink
from tensorsh.torch.nn.modules.activation import Threshold as Threshold
from tensorsh.torch.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from tensorsh.torch.nn.modules.attention import MultiheadAttention as MultiheadAttention
from tensorsh.torch.nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from tensorsh.torch.nn.modules.container import Container as Container
from tensorsh.torch.nn.modules.container import ModuleDict as ModuleDict
from tensorsh.torch.nn.modules.container import ModuleList as ModuleList
from tensorsh.torch.nn.modules.container import ParameterDict as ParameterDict
from tensorsh.torch.nn.modules.container import ParameterList as ParameterList
from tensorsh.torch.nn.modules.container import Sequential as Sequential
from tensorsh.torch.nn.modules.distance import CosineSimilarity as CosineSimilarity
from tensorsh.torch.nn.modules.distance import PairwiseDistance as PairwiseDistance
from tensorsh.torch.nn.modules.dropout import AlphaDropout as AlphaDropout
from tensorsh.torch.nn.modules.dropout import Dropout as Dropout
from tensorsh.torch.nn.modules.dropout import Dropout1d as Dropout1d
from tensorsh.torch.nn.modules.dropout import Dropout2d as Dropout2d
from tensorsh.torch.nn.modules.dropout import Dropout3d as Dropout3d
from tensorsh.torch.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from tensorsh.torch.nn.modules.flatten import ChannelShuffle as ChannelShuffle
from tensorsh.torch.nn.modules.flatten import Flatten as Flatten
from tensorsh.torch.nn.modules.flatten import Fold as Fold
from tensorsh.torch.nn.modules.flatten import PixelShuffle as PixelShuffle
from tensorsh.torch.nn.modules.flatten import PixelUnshuffle as PixelUnshuffle
from tensorsh.torch.nn.modules.flatten import Unflatten as Unflatten
from tensorsh.torch.nn.modules.flatten import Unfold as Unfold
from tensorsh.torch.nn.modules.linear import Bilinear as Bilinear
from tensorsh.torch.nn.modules.linear import Identity as Identity
from tensorsh.torch.nn.modules.linear import LazyLinear as LazyLinear
from tensorsh.torch.nn.modules.linear import Linear as Linear
from tensorsh.torch.nn.modules.linear_cross_entropy import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from tensorsh.torch.nn.modules.linear_cross_entropy import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from tensorsh.torch.nn.modules.loss import BCELoss as BCELoss
from tensorsh.torch.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from tensorsh.torch.nn.modules.loss import CTCLoss as CTCLoss
from tensorsh.torch.nn.modules.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from tensorsh.torch.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
from tensorsh.torch.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
from tensorsh.torch.nn.modules.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from tensorsh.torch.nn.modules.loss import HuberLoss as HuberLoss
from tensorsh.torch.nn.modules.loss import KLDivLoss as KLDivLoss
from tensorsh.torch.nn.modules.loss import L1Loss as L1Loss
from tensorsh.torch.nn.modules.loss import MSELoss as MSELoss
from tensorsh.torch.nn.modules.loss import MarginRankingLoss as MarginRankingLoss
from tensorsh.torch.nn.modules.loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from tensorsh.torch.nn.modules.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from tensorsh.torch.nn.modules.loss import MultiMarginLoss as MultiMarginLoss
from tensorsh.torch.nn.modules.loss import NLLLoss as NLLLoss
from tensorsh.torch.nn.modules.loss import NLLLoss2d as NLLLoss2d
from tensorsh.torch.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
from tensorsh.torch.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
from tensorsh.torch.nn.modules.loss import SoftMarginLoss as SoftMarginLoss
from tensorsh.torch.nn.modules.loss import TripletMarginLoss as TripletMarginLoss
from tensorsh.torch.nn.modules.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from tensorsh.torch.nn.modules.module import Module as Module
from tensorsh.torch.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from tensorsh.torch.nn.modules.normalization import GroupNorm as GroupNorm
from tensorsh.torch.nn.modules.normalization import LayerNorm as LayerNorm
from tensorsh.torch.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from tensorsh.torch.nn.modules.normalization import RMSNorm as RMSNorm
from tensorsh.torch.nn.modules.parallel import DataParallel as DataParallel
from tensorsh.torch.nn.modules.pooling import AvgPool1d as AvgPool1d
from tensorsh.torch.nn.modules.rnn import GRU as GRU
from tensorsh.torch.nn.modules.rnn import GRUCell as GRUCell
from tensorsh.torch.nn.modules.rnn import LSTM as LSTM
from tensorsh.torch.nn.modules.rnn import LSTMCell as LSTMCell
from tensorsh.torch.nn.modules.rnn import RNN as RNN
from tensorsh.torch.nn.modules.rnn import RNNBase as RNNBase
from tensorsh.torch.nn.modules.rnn import RNNCell as RNNCell
from tensorsh.torch.nn.modules.rnn import RNNCellBase as RNNCellBase
from tensorsh.torch.nn.modules.sparse import Embedding as Embedding
from tensorsh.torch.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from tensorsh.torch.nn.modules.transformer import Transformer as Transformer
from tensorsh.torch.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from tensorsh.torch.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from tensorsh.torch.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from tensorsh.torch.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from tensorsh.torch.nn.modules.upsampling import Upsample as Upsample
from tensorsh.torch.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from tensorsh.torch.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
from tensorsh.torch.nn.parameter import Buffer as Buffer
from tensorsh.torch.nn.parameter import Parameter as Parameter
from tensorsh.torch.nn.parameter import UninitializedBuffer as UninitializedBuffer
from tensorsh.torch.nn.parameter import UninitializedParameter as UninitializedParameter

class AdaptiveAvgPool1d(Any):
    def __init__(self, output_size: Any) -> None: ...
class AdaptiveAvgPool2d(Any):
    def __init__(self, output_size: Any) -> None: ...
class AdaptiveAvgPool3d(Any):
    def __init__(self, output_size: Any) -> None: ...
class AdaptiveMaxPool1d(Any):
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...
class AdaptiveMaxPool2d(Any):
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...
class AdaptiveMaxPool3d(Any):
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...
class AvgPool2d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: Any = None) -> None: ...
class AvgPool3d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: Any = None) -> None: ...
class BatchNorm1d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class BatchNorm2d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class BatchNorm3d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class CircularPad1d(Any):
    def __init__(self, padding: Any) -> None: ...
class CircularPad2d(Any):
    def __init__(self, padding: Any) -> None: ...
class CircularPad3d(Any):
    def __init__(self, padding: Any) -> None: ...
class ConstantPad1d(Any):
    def __init__(self, padding: Any, value: Any) -> None: ...
class ConstantPad2d(Any):
    def __init__(self, padding: Any, value: Any) -> None: ...
class ConstantPad3d(Any):
    def __init__(self, padding: Any, value: Any) -> None: ...
class Conv1d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class Conv2d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class Conv3d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class ConvTranspose1d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class ConvTranspose2d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class ConvTranspose3d(Any):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class FractionalMaxPool2d(Any):
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> None: ...
class FractionalMaxPool3d(Any):
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> None: ...
class InstanceNorm1d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = False, track_running_stats: _bool = False, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class InstanceNorm2d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = False, track_running_stats: _bool = False, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class InstanceNorm3d(Any):
    def __init__(self, num_features: Any, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = False, track_running_stats: _bool = False, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LPPool1d(Any):
    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...
class LPPool2d(Any):
    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...
class LPPool3d(Any):
    def __init__(self, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...
class LazyBatchNorm1d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LazyBatchNorm2d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LazyBatchNorm3d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LazyConv1d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyConv2d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyConv3d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1, bias: _bool = True, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyConvTranspose1d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyConvTranspose2d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyConvTranspose3d(Any):
    def __init__(self, out_channels: Any, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: Any = 1, bias: _bool = True, dilation: Any = 1, padding_mode: Any = 'zeros', device: Any = None, dtype: Any = None) -> None: ...
class LazyInstanceNorm1d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LazyInstanceNorm2d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class LazyInstanceNorm3d(Any):
    def __init__(self, eps: Any = 1e-05, momentum: Any = 0.1, affine: _bool = True, track_running_stats: _bool = True, device: Any = None, dtype: Any = None, *, bias: _bool = True) -> None: ...
class MaxPool1d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...
class MaxPool2d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...
class MaxPool3d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...
class MaxUnpool1d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...
class MaxUnpool2d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...
class MaxUnpool3d(Any):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...
class ReflectionPad1d(Any):
    def __init__(self, padding: Any) -> None: ...
class ReflectionPad2d(Any):
    def __init__(self, padding: Any) -> None: ...
class ReflectionPad3d(Any):
    def __init__(self, padding: Any) -> None: ...
class ReplicationPad1d(Any):
    def __init__(self, padding: Any) -> None: ...
class ReplicationPad2d(Any):
    def __init__(self, padding: Any) -> None: ...
class ReplicationPad3d(Any):
    def __init__(self, padding: Any) -> None: ...
class ZeroPad1d(Any):
    def __init__(self, padding: Any) -> None: ...
class ZeroPad2d(Any):
    def __init__(self, padding: Any) -> None: ...
class ZeroPad3d(Any):
    def __init__(self, padding: Any) -> None: ...
