import torch
from torch import nn
torch.manual_seed(0)
a_float32 = torch.rand((8, 8)); b_float32 = torch.rand((8, 8)); c_float32 = torch.rand((8, 8)); d_float32 = torch.rand((8, 8))
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    e_float16 = torch.mm(a_float32, b_float32)
    with torch.autocast(device_type="cpu", enabled=False):
        f_float32 = torch.mm(c_float32, e_float16.float())
    g_float16 = torch.mm(d_float32, f_float32)
    print(torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'))
print(e_float16.dtype, f_float32.dtype, g_float16.dtype, e_float16[0], f_float32[0])
w=torch.ones(2,2,requires_grad=True)
with torch.autocast('cpu'):
    y=w@w; print(y, y.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0])
    z=torch.nn.functional.linear(torch.ones(1,2),w); print(z)
    with torch.autocast('cpu',enabled=False): print((w@w).dtype)
    l=torch.nn.functional.mse_loss(z, torch.ones(1,2)); print(l, l.grad_fn.next_functions[0][0].name())
l.backward(); print(w.grad)
class Fn(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type='cpu', cast_inputs=torch.float32)
    def forward(ctx,x): print(x.dtype, torch.is_autocast_enabled('cpu')); return x*2
    @staticmethod
    @torch.amp.custom_bwd(device_type='cpu')
    def backward(ctx,g): print(torch.is_autocast_enabled('cpu')); return g*2
with torch.autocast('cpu'): Fn.apply(torch.ones(2,dtype=torch.bfloat16,requires_grad=True)).sum().backward()
net = nn.Sequential(nn.Conv2d(1,4,3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4*36,10))
opt = torch.optim.SGD(net.parameters(), lr=.1)
x=torch.randn(4,1,8,8); t=torch.tensor([1,2,3,4])
for i in range(3):
    opt.zero_grad()
    with torch.autocast(device_type='cpu', dtype=torch.bfloat16):
        out=net(x); loss=nn.functional.cross_entropy(out,t)
    loss.backward(); opt.step()
    print(out.dtype, loss.dtype, f"{loss.item():.1f}", net[0].weight.grad.dtype)
scaler=torch.amp.GradScaler('cpu')
for i in range(2):
    opt.zero_grad()
    with torch.autocast('cpu', torch.float16): loss=nn.functional.cross_entropy(net(x),t)
    scaler.scale(loss).backward(); scaler.unscale_(opt); torch.nn.utils.clip_grad_norm_(net.parameters(), 1.); scaler.step(opt); scaler.update()
    print(f"{loss.item():.1f}", scaler.get_scale())
@torch.autocast(device_type="cpu")
def f(x): return x@x
print(f(torch.eye(2)))
l=nn.LSTM(3,4); m=nn.MultiheadAttention(4,2); 
with torch.autocast('cpu'):
    print(l(torch.ones(2,1,3))[0].dtype, m(*[torch.ones(2,1,4)]*3)[0].dtype, torch.cat([torch.ones(1),torch.ones(1).bfloat16()]).dtype, nn.functional.softmax(torch.ones(2).bfloat16(),0).dtype)
    print(torch.stack([torch.ones(1).bfloat16()]*2).dtype, torch.ones(2)+torch.ones(2).bfloat16())
