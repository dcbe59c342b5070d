"""Reinforcement learning: PPO, DQN and A2C of stable-baselines3 on small worlds."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import A2C, DQN, PPO, SAC


class Line(gym.Env):
    observation_space = gym.spaces.Box(-3, 3, (2,), np.float32)

    def __init__(self, continuous=False):
        self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32) if continuous else gym.spaces.Discrete(2)
        self.continuous = continuous

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.t = 0.5, 0
        return np.array([self.at, 0], np.float32), {}

    def step(self, a):
        self.at += float(a[0]) * 0.2 if self.continuous else (0.2 if a else -0.2)
        self.t += 1
        return np.array([self.at, self.t / 10], np.float32), -abs(self.at), abs(self.at) > 2, self.t >= 10, {}


for kind, extra in (
    (PPO, dict(n_steps=32, batch_size=16, n_epochs=2)),
    (A2C, dict(n_steps=8)),
    (DQN, dict(learning_starts=20, buffer_size=200, batch_size=8)),
    (SAC, dict(learning_starts=20, buffer_size=200, batch_size=8)),
):
    model = kind("MlpPolicy", Line(kind is SAC), seed=0, device="cpu", policy_kwargs=dict(net_arch=[8]), **extra)
    model.learn(64)
    print(kind.__name__, model.num_timesteps, model.predict(np.array([0.5, 0.1], np.float32), deterministic=True)[0])
    print(f"{sum(p.double().sum().item() for p in model.policy.parameters()):.5f}")
print(model.policy.actor)
