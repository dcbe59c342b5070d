"""A diffusion of small images: a step of learning, and a sample."""

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

torch.manual_seed(0)
network = Unet(dim=8, dim_mults=(1, 2), flash_attn=False, full_attn=(False, True))
diffusion = GaussianDiffusion(network, image_size=8, timesteps=10, sampling_timesteps=3)
loss = diffusion(torch.rand(2, 3, 8, 8))
loss.backward()
print(loss, network.init_conv.weight.grad[0, 0, 0])
print(diffusion.sample(batch_size=1)[0, 0, 0])
