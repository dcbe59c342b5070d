"""A trainer of events, metrics and handlers."""

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping
from ignite.metrics import Accuracy, Loss

torch.manual_seed(0)
x = torch.randn(32, 4)
y = (x.sum(1) > 0).long()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
net = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
criterion = torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(net, optimizer, criterion)
evaluator = create_supervised_evaluator(net, metrics={"accuracy": Accuracy(), "loss": Loss(criterion)})
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(3, lambda e: e.state.metrics["accuracy"], trainer))


@trainer.on(Events.EPOCH_COMPLETED)
def tell(engine):
    evaluator.run(data)
    print(engine.state.epoch, evaluator.state.metrics, engine.state.output)


trainer.run(data, max_epochs=3)
