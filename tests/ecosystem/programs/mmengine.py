"""Models, optimizers and schedules of mmengine, made of dictionaries; what it knows of an image; running means."""

import logging

import torch
from mmengine.config import Config
from mmengine.logging import MMLogger
from mmengine.model import BaseModel, ExponentialMovingAverage, stack_batch
from mmengine.optim import CosineAnnealingLR, LinearLR, build_optim_wrapper
from mmengine.registry import MODELS
from mmengine.structures import InstanceData

torch.manual_seed(0)
MMLogger.get_instance("mmengine").setLevel(logging.ERROR)  # what it tells has the time of day


@MODELS.register_module()
class Net(BaseModel):
    def __init__(self, width=4):
        super().__init__(init_cfg=dict(type="Xavier", layer="Linear", distribution="uniform"))
        self.last = torch.nn.Linear(width, 2)

    def forward(self, x, y, mode="loss"):
        found = self.last(x)
        return {"loss": torch.nn.functional.cross_entropy(found, y)} if mode == "loss" else (found, y)


model = MODELS.build(dict(type="Net", width=4))
model.init_weights()
print(model)
optimizer = dict(type="SGD", lr=0.1, momentum=0.9)
wrapper = build_optim_wrapper(
    model,
    dict(
        type="OptimWrapper",
        optimizer=optimizer,
        clip_grad=dict(max_norm=1.0),
        paramwise_cfg=dict(bias_lr_mult=2.0),
        accumulative_counts=2,
    ),
)
schedules = [LinearLR(wrapper, start_factor=0.1, end=3), CosineAnnealingLR(wrapper, T_max=5, begin=3)]
x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
for _ in range(5):
    told = model.train_step((x, y), wrapper)
    for schedule in schedules:
        schedule.step()
    print({name: round(value.item(), 5) for name, value in told.items()}, wrapper.param_groups[0]["lr"])
print(model.last.weight, model.test_step((x, y))[0][:2])
mean = ExponentialMovingAverage(model, momentum=0.1)
mean.update_parameters(model)
print(mean.module.last.bias)
boxes = InstanceData(bboxes=torch.rand(3, 4), labels=torch.tensor([1, 0, 2]))
print(boxes[boxes.labels > 0].bboxes.shape, InstanceData.cat([boxes, boxes]).labels)
print(stack_batch([torch.ones(3, 4, 5), torch.ones(3, 5, 4)], 4).shape, Config(dict(a=dict(b=2))).a.b)
