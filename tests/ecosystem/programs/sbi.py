"""Parameters of a simulator inferred from what it made."""

import logging

import torch
from sbi import utils
from sbi.inference import SNPE

logging.disable(logging.CRITICAL)
torch.manual_seed(0)
prior = utils.BoxUniform(low=-2 * torch.ones(2), high=2 * torch.ones(2))
sim = lambda th: th + 0.3 * torch.randn_like(th)
th = prior.sample((200,))
x = sim(th)
print(th[:2], x[:2])
inf = SNPE(prior=prior, density_estimator="mdn", show_progress_bars=False)
est = inf.append_simulations(th, x).train(max_num_epochs=5)
post = inf.build_posterior(est)
s = post.sample((5,), x=torch.tensor([0.5, -0.5]), show_progress_bars=False)
print(s.shape, post.log_prob(s, x=torch.tensor([0.5, -0.5])).shape, bool(s.abs().max() <= 2))
print(inf.summary["best_validation_loss"][-1])
