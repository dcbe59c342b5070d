import torch, io, copy
t1=torch.arange(1,10).reshape(3,3); 
numbers=torch.arange(1,10); evens=numbers[1::2]
b=io.BytesIO(); torch.save([numbers,evens],b); b.seek(0)
ln,le=torch.load(b); le*=2; print(ln)
large=torch.arange(1,1000); small=large[0:5]
b=io.BytesIO(); torch.save(small,b); b.seek(0); print(torch.load(b).storage().size()); 
b=io.BytesIO(); torch.save(small.clone(),b); b.seek(0); print(torch.load(b).storage().size(), len(torch.load(io.BytesIO(b.getvalue()))))
bn = torch.nn.BatchNorm1d(3, track_running_stats=True)
print(list(bn.named_parameters()), list(bn.named_buffers()), bn.state_dict())
bn2=torch.nn.BatchNorm1d(3); print(bn2.load_state_dict(bn.state_dict()))
class MyModule(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.l0=torch.nn.Linear(4,2); self.l1=torch.nn.Linear(2,1)
    def forward(self,input): return self.l1(torch.relu(self.l0(input)))
m=MyModule(); print(m.state_dict().keys()); print(m)
try: m.load_state_dict({'l0.weight':torch.zeros(2,4)})
except RuntimeError as e: print(e)
try: m.load_state_dict({k:torch.zeros(7) for k in m.state_dict()})
except RuntimeError as e: print(e)
try: m.load_state_dict({'foo':torch.zeros(2)}, strict=False)
except RuntimeError as e: print(e)
print(m.load_state_dict({'foo':torch.zeros(2)}, strict=False))
m.register_buffer('b', torch.ones(2), persistent=False); print(list(m.state_dict()))
opt=torch.optim.Adam(m.parameters()); m(torch.ones(1,4)).sum().backward(); opt.step(); sd=opt.state_dict(); print(sd['state'].keys(), sd['param_groups'])
