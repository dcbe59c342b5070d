"""Advantages by a value network over steps and their successors at once, and losses of PPO and DQN."""

import logging

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.modules import MLP, NormalParamExtractor, ProbabilisticActor, QValueActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss, DQNLoss, SoftUpdate
from torchrl.objectives.value import GAE, TDLambdaEstimator

torch.manual_seed(0)
logging.getLogger("torchrl").setLevel(logging.ERROR)  # what it tells has the time of day
net = MLP(in_features=3, out_features=4, num_cells=[8, 8], activation_class=torch.nn.Tanh)
print(net)
actor = ProbabilisticActor(
    TensorDictModule(
        torch.nn.Sequential(net, NormalParamExtractor()), in_keys=["observation"], out_keys=["loc", "scale"]
    ),
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    distribution_kwargs={"low": -1, "high": 1},
    return_log_prob=True,
)
critic = ValueOperator(MLP(in_features=3, out_features=1, num_cells=[8]), in_keys=["observation"])
none = torch.zeros(4, 6, 1, dtype=torch.bool)
after = {"observation": torch.randn(4, 6, 3), "reward": torch.randn(4, 6, 1), "done": none, "terminated": none}
steps = TensorDict({"observation": torch.randn(4, 6, 3), "next": after}, [4, 6])
steps = actor(steps).detach()
print(sorted(steps.keys()), steps["action"][0])
for kind in (TDLambdaEstimator, GAE):
    kind(gamma=0.99, lmbda=0.95, value_network=critic)(steps)
    print(kind.__name__, steps["advantage"][0, :, 0], steps["value_target"][0, :, 0])
loss = ClipPPOLoss(actor, critic, entropy_bonus=True, entropy_coeff=0.01)
optimizer = torch.optim.Adam(loss.parameters(), 1e-2)
for _ in range(3):
    parts = loss(steps)
    (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
    optimizer.step()
    optimizer.zero_grad()
    print({name: round(value.float().mean().item(), 4) for name, value in sorted(parts.items())})
values = QValueActor(
    MLP(in_features=3, out_features=2, num_cells=[8]), in_keys=["observation"], action_space="categorical"
)
memory = TensorDictReplayBuffer(storage=LazyTensorStorage(50), batch_size=6)
memory.extend(values(steps.select("observation", "next").reshape(-1)).detach())
print(len(memory))
loss = DQNLoss(values, action_space="categorical", delay_value=True)
target, optimizer = SoftUpdate(loss, eps=0.9), torch.optim.Adam(loss.parameters(), 1e-2)
for _ in range(3):
    found = loss(memory.sample())["loss"]
    found.backward()
    optimizer.step()
    optimizer.zero_grad()
    target.step()
    print(round(found.item(), 4))
