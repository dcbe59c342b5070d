"""A dictionary of tensors that behaves as one, and modules that read and write in it."""

import torch
from tensordict import TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
td = TensorDict({"a": torch.arange(6.0).view(3, 2), "n": {"b": torch.ones(3, 1)}}, batch_size=[3])
print(td)
print(td[1]["a"], td["n", "b"].shape, td.shape)
td["c"] = td["a"] * 2
print(torch.stack([td, td + 1], 0)["c"])
print(td.apply(lambda x: x + 1)["a"].sum(), td.flatten_keys(".").keys())
print(torch.cat([td, td], 0).batch_size, td.reshape(3, 1).batch_size, td.split(2)[0].batch_size)
net = TensorDictSequential(
    TensorDictModule(torch.nn.Linear(2, 4), ["a"], ["h"]), TensorDictModule(torch.nn.Linear(4, 1), ["h"], ["out"])
)
print(net(td)["out"])


@tensorclass
class Point:
    x: torch.Tensor
    y: torch.Tensor


p = Point(torch.ones(4), torch.zeros(4), batch_size=[4])
print(p[:2].x, (p + 1).y, p.batch_size)
params = TensorDict.from_module(net)
print(sorted(params.keys(True, True), key=str)[:3])
with (params * 0).to_module(net):
    print(net(td)["out"].sum())
