"""Where new nodes of a graph go: before and behind one, in a `with` and without; schedules and compiled modules by their parts."""

import torch
from torch import fx, nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


graph = fx.symbolic_trace(Model()).graph
relu = next(node for node in graph.nodes if node.name == "relu")


def told():
    print([node.name for node in graph.nodes])


with graph.inserting_after(relu):
    graph.call_function(torch.cos, (graph.call_function(torch.sin, (relu,)),))
told()
with graph.inserting_before(relu):
    graph.call_function(torch.exp, (graph.call_function(torch.tan, (relu,)),))
told()
with graph.inserting_before():
    graph.call_function(torch.log2, (graph.call_function(torch.log, (relu,)),))
told()
with graph.inserting_after():
    graph.call_function(torch.abs, (graph.call_function(torch.neg, (relu,)),))
told()
place = graph.inserting_after(relu)
graph.call_function(torch.ceil, (relu,))
told()
with place:
    graph.call_function(torch.floor, (relu,))
graph.call_function(torch.round, (relu,))
told()

optimizer = torch.optim.SGD(
    [{"params": [nn.Parameter(torch.ones(1))]}, {"params": [nn.Parameter(torch.ones(1))]}], lr=1.0
)


class OfOne(torch.optim.lr_scheduler.ReduceLROnPlateau):
    """Lowers the rate of the first group alone."""

    def _reduce_lr(self, epoch):
        self.optimizer.param_groups[0]["lr"] *= self.factor


schedule = OfOne(optimizer, patience=0, factor=0.5)
for loss in (1.0, 2.0, 3.0, 0.5):
    schedule.step(loss)
    print([group["lr"] for group in optimizer.param_groups], schedule.num_bad_epochs, schedule.best)
schedule._reset()
print(schedule.best, schedule.cooldown_counter)

model = torch.compile(nn.Linear(2, 4), backend="eager")
other = nn.Linear(2, 3)
model._orig_mod = other
print(model._orig_mod is other, model.out_features, [name for name, _ in model.named_parameters()])
model.label = "given to the module within"
print(other.label, "label" in model.__dict__)
