import re
import sys

import torch

layer = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(layer.parameters(), 0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
loader = iter(torch.utils.data.DataLoader([1, 2]))
for thing in (
    optimizer.step, type(torch.FloatTensor), torch.FloatTensor, loader, type(loader), type(loader).__mro__[1], torch.autograd.Variable,
    torch.autograd.profiler.profile, torch.distributions.utils.lazy_property, layer.parameters(), layer.forward,
):  # fmt: skip
    print(re.sub("0x[0-9a-f]+", "there", str(thing)))
print(optimizer.step.__name__, optimizer.step.__qualname__)
torch.optim.SGD(layer.parameters(), 0.1).step()
optimizer.step()
schedule.step()
sys.modules["tensorboard"] = None
try:
    import torch.utils.tensorboard
except ModuleNotFoundError as error:
    print(error)
print("data" in dir(torch.utils))
print(torch.autograd.profiler.profile.__name__, torch.Tensor.__torch_function__)
