import torch
from torch import nn, optim
torch.manual_seed(0)
model=nn.Sequential(nn.Linear(3,4),nn.ReLU(),nn.Linear(4,1))
optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9); print(optimizer)
optimizer = optim.SGD([{'params': model[0].parameters(), 'lr': 1e-2},{'params': model[2].parameters()}], lr=1e-3, momentum=0.9); print(optimizer)
bias_params = [p for name, p in model.named_parameters() if 'bias' in name]; others = [p for name, p in model.named_parameters() if 'bias' not in name]
o=optim.SGD([{'params': others},{'params': bias_params, 'weight_decay': 0}], weight_decay=1e-2, lr=1e-2); print([g['weight_decay'] for g in o.param_groups])
x=torch.randn(8,3); y=torch.randn(8,1)
def closure():
    optimizer.zero_grad(); loss=nn.functional.mse_loss(model(x),y); loss.backward(); return loss
print(optimizer.step(closure))
for cls,kw in ((optim.Adam,{}),(optim.AdamW,dict(weight_decay=.1)),(optim.RMSprop,{}),(optim.Adagrad,{}),(optim.Adadelta,{}),(optim.Adamax,{}),(optim.ASGD,{}),(optim.NAdam,{}),(optim.RAdam,{}),(optim.Rprop,{}),(optim.LBFGS,{}),(optim.SGD,dict(lr=.1,nesterov=True,momentum=.9)),(optim.Adafactor,{}),(optim.Adam,dict(amsgrad=True)),(optim.Adam,dict(maximize=True)),(optim.Adam,dict(fused=True)),(optim.SGD,dict(foreach=True))):
    torch.manual_seed(1); model=nn.Linear(3,1); optimizer=cls(model.parameters(),**kw)
    for _ in range(3): l=optimizer.step(closure)
    print(cls.__name__, l, model.weight, list(optimizer.state_dict()['param_groups'][0].items())[:4])
model=nn.Linear(3,1); optimizer=optim.SGD(model.parameters(),.1)
from torch.optim.lr_scheduler import *
def run(s,n=6,arg=None):
    out=[]
    for i in range(n):
        optimizer.step(); s.step(*([] if arg is None else [arg])); out.append(round(optimizer.param_groups[0]['lr'],6))
    return out
import torch.optim.lr_scheduler as L
for mk in (lambda o:L.StepLR(o,2,.1),lambda o:L.MultiStepLR(o,[1,3],.5),lambda o:L.ExponentialLR(o,.9),lambda o:L.CosineAnnealingLR(o,4),lambda o:L.LambdaLR(o,lambda e:.95**e),lambda o:L.MultiplicativeLR(o,lambda e:.9),lambda o:L.ConstantLR(o,.5,3),lambda o:L.LinearLR(o,.5,total_iters=4),lambda o:L.PolynomialLR(o,4,2.),lambda o:L.OneCycleLR(o,.5,total_steps=8),lambda o:L.CyclicLR(o,.01,.1,2,cycle_momentum=False),lambda o:L.CosineAnnealingWarmRestarts(o,3),lambda o:L.SequentialLR(o,[L.ConstantLR(o,.1,2),L.ExponentialLR(o,.9)],[2]),lambda o:L.ChainedScheduler([L.ConstantLR(o,.1,2),L.ExponentialLR(o,.9)])):
    optimizer=optim.SGD(model.parameters(),.1); s=mk(optimizer); print(type(s).__name__, run(s), s.get_last_lr())
optimizer=optim.SGD(model.parameters(),.1); s=L.ReduceLROnPlateau(optimizer,patience=1); print(run(s,5,1.), s.state_dict()['best'], s.num_bad_epochs)
print(L.StepLR(optimizer,3).state_dict())
from torch.optim.swa_utils import AveragedModel, SWALR, get_ema_multi_avg_fn, update_bn
a=AveragedModel(model); a.update_parameters(model); print(a.n_averaged, [k for k in a.state_dict()])
ema=AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(.9)); ema.update_parameters(model); print(ema.module.weight.shape)
def hook(optimizer,args,kwargs): print("pre",type(optimizer).__name__,args,kwargs)
h=optimizer.register_step_pre_hook(hook); optimizer.step(); h.remove()
optimizer.register_step_post_hook(lambda o,a,k: print('post')); optimizer.step()
optimizer.add_param_group({'params':[nn.Parameter(torch.ones(1))],'lr':1.}); print(len(optimizer.param_groups))
try: optim.SGD(model.parameters(), lr=-1)
except ValueError as e: print(e)
try: optim.Adam([], lr=1)
except ValueError as e: print(e)
try: optim.Adam(torch.ones(1))
except TypeError as e: print(e)
try: optim.SGD([torch.ones(1,requires_grad=True)*2], lr=1)
except ValueError as e: print(e)
sd=optimizer.state_dict(); 
try: optim.SGD(model.parameters(),.1).load_state_dict(sd)
except ValueError as e: print(e)
o=optim.Adam(model.named_parameters(),lr=.1); print(o.param_groups[0]['param_names'])
