"""Parameters counted, losses of detection, schedules and checkpoints."""

import tempfile

import torch
from fvcore.common.checkpoint import Checkpointer
from fvcore.common.config import CfgNode
from fvcore.common.param_scheduler import CosineParamScheduler, LinearParamScheduler, MultiStepParamScheduler
from fvcore.nn import giou_loss, parameter_count, parameter_count_table, sigmoid_focal_loss, smooth_l1_loss, weight_init

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1),
    torch.nn.BatchNorm2d(8),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(8 * 16, 5),
)
weight_init.c2_msra_fill(net[0])
weight_init.c2_xavier_fill(net[4])
print(dict(parameter_count(net)))
print(parameter_count_table(net, max_depth=1))
print(net(torch.randn(2, 3, 4, 4)))
p, t = torch.randn(4, 3, requires_grad=True), (torch.rand(4, 3) > 0.5).float()
focal = sigmoid_focal_loss(p, t, alpha=0.25, gamma=2, reduction="mean")
focal.backward()
print(focal, p.grad)
print(smooth_l1_loss(p.detach(), t, beta=0.5, reduction="sum"))
print(giou_loss(torch.tensor([[0.0, 0.0, 2.0, 2.0]]), torch.tensor([[1.0, 1.0, 3.0, 4.0]]), reduction="sum"))
for s in (
    CosineParamScheduler(1.0, 0.1),
    LinearParamScheduler(1.0, 0.5),
    MultiStepParamScheduler([1.0, 0.1, 0.01], milestones=[3, 6], num_updates=10),
):
    print([round(s(k / 10), 5) for k in range(0, 10, 3)])
c = CfgNode({"A": {"B": 1}})
c.merge_from_list(["A.B", 3])
print(c)
with tempfile.TemporaryDirectory() as d:
    Checkpointer(net, d).save("m", step=3)
    other = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(8 * 16, 5),
    )
    print(Checkpointer(other, d).resume_or_load("").get("step"), torch.equal(other[0].weight, net[0].weight))
