import torch
import torch.nn as nn
x=torch.randn(5, requires_grad=True); y=x.pow(2)
print(x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self)
x=torch.randn(5, requires_grad=True); y=x.exp()
print(y.equal(y.grad_fn._saved_result), y is y.grad_fn._saved_result)
x = torch.ones(5); y = torch.zeros(3); w = torch.ones(5,3,requires_grad=True); b = torch.zeros(3, requires_grad=True)
z = torch.matmul(x, w)+b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print("Gradient function for z =", z.grad_fn.name(), "Gradient function for loss =", loss.grad_fn.name())
loss.backward(); print(w.grad, b.grad)
print(z.requires_grad)
with torch.no_grad(): z = torch.matmul(x, w)+b
print(z.requires_grad, z.detach().requires_grad)
inp = torch.eye(4, 5, requires_grad=True); out = (inp+1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True); print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True); print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_(); out.backward(torch.ones_like(out), retain_graph=True); print(f"\nCall after zeroing gradients\n{inp.grad}")
class SelfDeletingTempFile():
    def __init__(self): self.name='x'
def pack(x): print("Packing", x.shape); return x*2
def unpack(x): print("Unpacking"); return x/2
a = torch.ones(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * a
y.sum().backward(); print(a.grad)
with torch.autograd.graph.disable_saved_tensors_hooks("no hooks"):
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack,unpack): pass
    except RuntimeError as e: print(e)
z = torch.tensor([1+2j, 3j], requires_grad=True)
L = (z.abs()**2).sum(); L.backward(); print(z.grad)
class Inplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x_npy = x.numpy(); x_npy += 1; ctx.mark_dirty(x); return x
    @staticmethod
    def backward(ctx, g): return g
q=torch.ones(3); q=Inplace.apply(q); print(q)
def f(x): return (x**2).sum()
print(torch.autograd.functional.jacobian(f, torch.tensor([1.,2.])), torch.autograd.functional.hessian(f, torch.tensor([1.,2.])))
with torch.inference_mode():
    t = torch.ones(2)
print(t.is_inference())
try: (t*torch.ones(2,requires_grad=True)).sum()
except RuntimeError as e: print(e)
@torch.no_grad()
def doubler(x): return x*2
print(doubler(torch.tensor([1.],requires_grad=True)).requires_grad)
model = nn.Linear(2,2); model.weight.requires_grad_(False); print([n for n,p in model.named_parameters() if p.requires_grad])
x=torch.tensor([1.,2.],requires_grad=True)
hs=[]
h=x.register_hook(lambda g: hs.append(g) or g*2)
(x*3).sum().backward(); print(x.grad, hs); h.remove()
y=x*2; y.retain_grad(); (y**2).sum().backward(); print(y.grad)
v=x.detach(); 
y = x.sin(); y.mul_(2)
try: y2=x.exp(); y2.add_(1); y2.sum().backward()
except RuntimeError as e: print(e)
from torch.autograd import gradcheck
print(gradcheck(lambda x: (x**3).sum(), torch.randn(3,dtype=torch.double,requires_grad=True)))
print(torch.autograd.grad(x.pow(3).sum(), x, create_graph=True))
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        t=torch.tensor([0.],requires_grad=True); (t.sqrt()*0).sum().backward()
    except RuntimeError as e: print(e)
