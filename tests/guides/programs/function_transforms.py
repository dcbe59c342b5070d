import torch
from torch import nn
from torch.func import grad, vjp, jvp, vmap, jacrev, jacfwd, hessian, functional_call, stack_module_state, grad_and_value
import torch.nn.functional as F
torch.manual_seed(0)
x=torch.tensor(0.7); cos_x = grad(lambda x: torch.sin(x))(x); print(torch.allclose(cos_x, x.cos())); print(grad(grad(torch.sin))(x))
batch_size, feature_size = 3, 5
weights = torch.randn(feature_size, requires_grad=True)
def model(feature_vec): return feature_vec.dot(weights).relu()
examples = torch.randn(batch_size, feature_size)
print(vmap(model)(examples).shape)
def compute_loss(weights, example, target):
    y_pred = example.dot(weights).relu(); return ((y_pred - target)**2).mean()
weights = torch.randn(feature_size); targets = torch.randn(batch_size)
gr = vmap(grad(compute_loss), in_dims=(None, 0, 0))(weights, examples, targets); print(gr.shape, gr[0].sum() != 0)
inputs = torch.randn(3); outputs, vjp_fn = vjp(torch.sin, inputs); print(vjp_fn(torch.ones(3))[0]-inputs.cos())
x = torch.randn(5); y = torch.randn(5); f = lambda x, y: (x * y)
_, out_tangent = jvp(f, (x, y), (torch.ones(5), torch.ones(5))); print(torch.allclose(out_tangent, x + y))
x = torch.randn(5); print(torch.allclose(jacrev(torch.sin)(x), torch.diag(x.cos())), torch.allclose(jacfwd(torch.sin)(x), torch.diag(x.cos())))
x = torch.randn(4, 5); jac=vmap(jacrev(torch.sin))(x); print(jac.shape)
print(torch.allclose(hessian(lambda x: x.sin().sum())(x[0]), -torch.diag(x[0].sin())))
class MLP(nn.Module):
    def __init__(self, h=8, n=4):
        super().__init__(); self.fc1=nn.Linear(6,h); self.fc2=nn.Linear(h,n)
    def forward(self,x): return self.fc2(F.relu(self.fc1(x.flatten(1) if x.dim()>1 else x)))
models=[MLP() for _ in range(3)]
params, buffers = stack_module_state(models); print({k:v.shape for k,v in params.items()})
import copy
base_model = copy.deepcopy(models[0])
def fmodel(params, buffers, x): return functional_call(base_model, (params, buffers), (x,))
data=torch.randn(2,6)
pred=vmap(fmodel, in_dims=(0,0,None))(params, buffers, data); print(pred.shape, torch.allclose(pred[1], models[1](data), atol=1e-5))
m=models[0]; params={k:v.detach() for k,v in m.named_parameters()}; buffers={k:v.detach() for k,v in m.named_buffers()}
def loss_fn(params, buffers, sample, target):
    p=functional_call(m,(params,buffers),(sample.unsqueeze(0),)); return F.cross_entropy(p,target.unsqueeze(0))
ft=vmap(grad(loss_fn), in_dims=(None,None,0,0)); g=ft(params,buffers,data,torch.tensor([1,2])); print({k:v.shape for k,v in g.items()})
l=F.cross_entropy(m(data[:1]), torch.tensor([1])); gg=torch.autograd.grad(l,m.parameters()); print(torch.allclose(gg[0],g['fc1.weight'][0],atol=1e-6))
print(grad_and_value(lambda x:(x**2).sum())(torch.tensor([1.,2.])))
print(vmap(lambda x,y:x*y,in_dims=(0,1),out_dims=1)(torch.ones(2,3),torch.arange(6.).view(3,2)))
try: vmap(torch.dot)(torch.ones(2,3),torch.ones(3,3))
except Exception as e: print(type(e).__name__, str(e)[:80])
try: vmap(lambda x: 3)(torch.ones(2))
except Exception as e: print(type(e).__name__, e)
try: grad(lambda x:x)(torch.ones(2))
except Exception as e: print(type(e).__name__, e)
print(vmap(torch.rand_like, randomness='different')(torch.ones(2,1)).shape)
try: vmap(lambda x: x+torch.rand(1))(torch.ones(2))
except Exception as e: print(type(e).__name__, str(e)[:90])
def f(x):
    return (x['a']*x['b']).sum()
print(grad(f)({'a':torch.ones(2),'b':torch.tensor([2.,3.])}))
print(grad(lambda x,y:(x*y**2).sum(),argnums=(0,1))(torch.ones(2),torch.full((2,),3.)), grad(lambda x:(x.sum(),x*2),has_aux=True)(torch.ones(2)))
print(torch.vmap(torch.matmul,in_dims=(0,None))(torch.ones(2,2,3),torch.ones(3,1)).shape)
print(jacrev(lambda x,y:(x*y,x.sum()),argnums=(0,1))(torch.ones(2),torch.arange(2.)))
