import torch
from torch import nn
class MyLinear(nn.Module):
  def __init__(self, in_features, out_features):
    super().__init__()
    self.weight = nn.Parameter(torch.ones(in_features, out_features))
    self.bias = nn.Parameter(torch.zeros(out_features))
  def forward(self, input):
    return (input @ self.weight) + self.bias
m = MyLinear(4, 3); sample_input = torch.ones(4)
print(m(sample_input))
for parameter in m.named_parameters(): print(parameter)
net = nn.Sequential(MyLinear(4, 3), nn.ReLU(), MyLinear(3, 1)); print(net(sample_input)); print(net)
class Net(nn.Module):
  def __init__(self):
    super().__init__()
    self.l0 = MyLinear(4, 3); self.l1 = MyLinear(3, 1)
  def forward(self, x):
    x = self.l0(x); x = torch.relu(x); x = self.l1(x); return x
net = Net()
for child in net.named_children(): print(child)
class BigNet(nn.Module):
  def __init__(self):
    super().__init__()
    self.l1 = MyLinear(5, 4); self.net = Net()
  def forward(self, x): return self.net(self.l1(x))
big_net = BigNet()
for module in big_net.named_modules(): print(module)
class DynamicNet(nn.Module):
  def __init__(self, num_layers):
    super().__init__()
    self.linears = nn.ModuleList([MyLinear(4, 4) for _ in range(num_layers)])
    self.activations = nn.ModuleDict({'relu': nn.ReLU(), 'lrelu': nn.LeakyReLU()})
    self.final = MyLinear(4, 1)
  def forward(self, x, act):
    for linear in self.linears: x = linear(x)
    x = self.activations[act](x); x = self.final(x); return x
dynamic_net = DynamicNet(3); print(dynamic_net(torch.ones(4), 'relu')); print(dynamic_net)
for parameter in dynamic_net.named_parameters(): print(parameter[0], parameter[1].shape)
dynamic_net.to(dtype=torch.float64); print(dynamic_net(torch.ones(4,dtype=torch.float64), 'relu'))
@torch.no_grad()
def init_weights(m):
  if isinstance(m, nn.Linear):
    nn.init.xavier_normal_(m.weight); m.bias.fill_(0.0)
dynamic_net.apply(init_weights)
class ModalModule(nn.Module):
  def forward(self, x):
    return x + torch.randn(x.shape) if self.training else x
m=ModalModule(); m.eval(); print(m(torch.zeros(2))); m.train(); print(m.training)
class RunningMean(nn.Module):
  def __init__(self, num_features, momentum=0.9):
    super().__init__()
    self.momentum = momentum
    self.register_buffer('mean', torch.zeros(num_features))
  def forward(self, x):
    self.mean = self.momentum * self.mean + (1.0 - self.momentum) * x
    return self.mean
m = RunningMean(4)
for _ in range(10): x = m(torch.ones(4)); 
print(m.state_dict())
class StatefulModule(nn.Module):
  def __init__(self):
    super().__init__()
    self.param1 = nn.Parameter(torch.ones(2))
    self.register_parameter('param2', nn.Parameter(torch.ones(3)))
    self.param3 = None; self.register_parameter('param4', None)
    self.register_buffer('buffer1', torch.ones(4), persistent=True)
    self.register_buffer('buffer2', torch.ones(5), persistent=False)
    self.register_buffer('buffer3', None)
    self.small = nn.Linear(1,1)
m=StatefulModule(); print([n for n in m.state_dict()]); print(m)
def fpre(m,i): print('fpre',type(m).__name__,i); return i[0]*2
def fwd(m,i,o): print('fwd',i,o.shape); return o+1
def bwd(m,gi,go): print('bwd',gi,go)
l=nn.Linear(2,2,bias=False); nn.init.ones_(l.weight)
hs=[l.register_forward_pre_hook(fpre), l.register_forward_hook(fwd), l.register_full_backward_hook(bwd)]
x=torch.ones(1,2,requires_grad=True); l(x).sum().backward(); print(x.grad)
for h in hs: h.remove()
c=nn.Conv2d(3,6,3,padding='same',groups=3,bias=False); print(c, c.extra_repr())
print(nn.utils.parameters_to_vector(nn.Linear(2,2).parameters()).shape)
for layer in (nn.LSTM(3,4,2,bidirectional=True,batch_first=True,dropout=.1), nn.MultiheadAttention(8,2), nn.TransformerEncoderLayer(8,2), nn.BatchNorm2d(4,affine=False), nn.Embedding(10,3,padding_idx=0), nn.GroupNorm(2,4), nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d((5,7)), nn.PReLU(), nn.CrossEntropyLoss(label_smoothing=.1), nn.Bilinear(1,2,3), nn.Fold((4,5),(2,2)), nn.MaxPool2d(3,2), nn.ConvTranspose2d(2,3,3,output_padding=1,stride=2), nn.GRUCell(2,3), nn.LayerNorm([2,3]), nn.Softmax(dim=1), nn.Flatten(), nn.Unflatten(1,(2,3)), nn.ZeroPad2d(2), nn.PixelShuffle(3), nn.ParameterList([torch.ones(2)]), nn.ParameterDict({'a':torch.ones(2,2)})): print(layer)
try: m.nope
except AttributeError as e: print(e)
try: nn.Linear(2,3)(torch.ones(1,3))
except RuntimeError as e: print(e)
