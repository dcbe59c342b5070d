import torch, torch.autograd.forward_ad as fw
p=torch.tensor([1.,2.]); t=torch.tensor([1.,1.])
try: fw.make_dual(p,t)
except Exception as e: print(type(e).__name__,e)
with fw.dual_level() as l:
    d=fw.make_dual(p,t); print(l, d, d.requires_grad, d.grad_fn, fw.unpack_dual(d), type(d), d is p)
    y=d.sin()*d; print(y, y.grad_fn, y.requires_grad, fw.unpack_dual(y).tangent, fw.unpack_dual(y))
    print(fw.unpack_dual(p))
    try: fw.make_dual(torch.tensor([1,2]),t)
    except Exception as e: print(type(e).__name__,e)
    try: fw.make_dual(p,torch.ones(3))
    except Exception as e: print(type(e).__name__,e)
    try: fw.make_dual(d,t)
    except Exception as e: print(type(e).__name__,e)
    try: fw.make_dual(3.,t)
    except Exception as e: print(type(e).__name__,e)
    try:
        with fw.dual_level(): pass
    except Exception as e: print(type(e).__name__,e)
    z=d.detach(); print(fw.unpack_dual(z).tangent, d.clone(), d[0], d.sum().item(), d.data)
    w=torch.ones(2,requires_grad=True); q=(w*d); print(q.requires_grad, fw.unpack_dual(q).tangent.detach())
    q.sum().backward(); print(w.grad)
    r=torch.zeros(2); r.copy_(d); print(r, fw.unpack_dual(r).tangent)
    r=torch.zeros(2); r+=d; print(r)
    m=torch.nn.Linear(2,1); m.weight.data.fill_(1); m.bias.data.fill_(0); o=m(d); print(o, fw.unpack_dual(o).tangent)
    print(torch.relu(d), torch.cat([d,p]), torch.stack([d,d]), d>1, d.tolist(), str(d))
    print(d@d, d.softmax(0), d.max(), d.view(2,1), d.cumsum(0), d.norm(), torch.where(d>1,d,p), d.sort(descending=True).values)
print(y)
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, foo):
        result = torch.exp(foo); ctx.result = result; return result
    @staticmethod
    def jvp(ctx, gI):
        gO = gI * ctx.result; del ctx.result; return gO
fn=Fn.apply
primal=torch.randn(3,dtype=torch.double,requires_grad=True); tangent=torch.randn(3,dtype=torch.double)
with fw.dual_level():
    d=fw.make_dual(primal,tangent); r=fn(d); print(torch.allclose(fw.unpack_dual(r).tangent, primal.exp()*tangent), r.grad_fn is not None)
print(torch.autograd.gradcheck(Fn.apply,(primal,),check_forward_ad=True,check_backward_ad=False,check_undefined_grad=False,check_batched_grad=False))
class F2(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): return x*2
    @staticmethod
    def backward(ctx,g): return g*2
class F3(torch.autograd.Function):
    @staticmethod
    def forward(x,y): return x*y
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs); ctx.save_for_forward(*inputs)
    @staticmethod
    def backward(ctx,g):
        x,y=ctx.saved_tensors; return g*y, g*x
    @staticmethod
    def jvp(ctx,a,b):
        x,y=ctx.saved_tensors; return a*y+x*b
with fw.dual_level():
    d=fw.make_dual(p,t)
    try: print(F2.apply(d))
    except Exception as e: print(type(e).__name__,str(e)[:300])
    print(F3.apply(d,p), F3.apply(d*2,d).sum())
l=fw.enter_dual_level(); print(l); fw.exit_dual_level()
try: fw.exit_dual_level()
except Exception as e: print(type(e).__name__,e)
model=torch.nn.Linear(5,5,bias=False); torch.nn.init.eye_(model.weight); inp=torch.arange(5.)[None]
params={n:p for n,p in model.named_parameters()}; tangents={n:torch.ones_like(p) for n,p in params.items()}
with fw.dual_level():
    for name,p in params.items():
        delattr(model,name); setattr(model,name,fw.make_dual(p,tangents[name]))
    out=model(inp); jvp=fw.unpack_dual(out).tangent
print(jvp.detach(), out.shape)
from torch.func import jvp, jacfwd, jacrev, vmap, linearize, hessian
print(jvp(lambda x: x.sin(), (torch.tensor([1.,2.]),), (torch.ones(2),)))
print(jacfwd(lambda x:x**2)(torch.tensor([1.,2.])), hessian(lambda x:(x**3).sum())(torch.tensor([1.,2.])))
o,f=linearize(lambda x:x.sin(),torch.tensor([1.,2.])); print(o,f(torch.ones(2)))
