"""Schedulers of diffusion, and a small network that they would ask."""

import torch
from diffusers.models.unets.unet_2d import UNet2DModel
from diffusers.schedulers.scheduling_ddim import DDIMScheduler
from diffusers.schedulers.scheduling_ddpm import DDPMScheduler
from diffusers.schedulers.scheduling_dpmsolver_multistep import DPMSolverMultistepScheduler
from diffusers.schedulers.scheduling_euler_discrete import EulerDiscreteScheduler

torch.manual_seed(0)
for kind in (DDPMScheduler, DDIMScheduler, EulerDiscreteScheduler, DPMSolverMultistepScheduler):
    scheduler = kind(num_train_timesteps=100)
    scheduler.set_timesteps(5)
    x = torch.randn(1, 1, 2, 3)
    for t in scheduler.timesteps:
        x = scheduler.step(scheduler.scale_model_input(x, t) * 0.1, t, x).prev_sample
    print(kind.__name__, x)
network = UNet2DModel(
    sample_size=8, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(8, 16), norm_num_groups=4,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=4,
)  # fmt: skip
y = network(torch.randn(1, 3, 8, 8), torch.tensor([5])).sample
y.mean().backward()
print(y.shape, y[0, 0, 0], network.conv_in.weight.grad[0, 0])
