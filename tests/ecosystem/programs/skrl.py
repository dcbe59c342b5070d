"""Models, memories and an agent of skrl."""

import gymnasium as gym
import numpy as np
import torch
from skrl.memories.torch import RandomMemory
from skrl.models.torch import GaussianMixin, Model
from skrl.resources.preprocessors.torch import RunningStandardScaler
from skrl.resources.schedulers.torch import KLAdaptiveLR

torch.manual_seed(0)
observations, actions = gym.spaces.Box(-1, 1, (3,), np.float32), gym.spaces.Box(-1, 1, (2,), np.float32)


class Policy(GaussianMixin, Model):
    def __init__(self):
        Model.__init__(self, observation_space=observations, action_space=actions, device="cpu")
        GaussianMixin.__init__(self, clip_actions=True)
        self.net = torch.nn.Linear(3, 2)
        self.log_std = torch.nn.Parameter(torch.zeros(2))

    def compute(self, inputs, role=""):
        return self.net(inputs["observations"]).tanh(), {"log_std": self.log_std}


policy = Policy()
acts, found = policy.act({"observations": torch.randn(4, 3)}, role="policy")
print(acts, found.keys())
memory = RandomMemory(memory_size=6, num_envs=2, device="cpu")
memory.create_tensor("states", size=3)
memory.create_tensor("rewards", size=1)
for i in range(7):
    memory.add_samples(states=torch.full((2, 3), float(i)), rewards=torch.full((2, 1), i / 10))
print(len(memory), memory.sample(names=["states", "rewards"], batch_size=4)[0])
scaler = RunningStandardScaler(size=3, device="cpu")
print(scaler(torch.randn(10, 3), train=True).mean(0), scaler.running_mean)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
schedule = KLAdaptiveLR(optimizer)
schedule.step(0.1)
print(optimizer.param_groups[0]["lr"])
