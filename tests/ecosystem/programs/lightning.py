"""A LightningModule, trained and tested by the Trainer."""

import logging
import warnings

import torch

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
import lightning as L  # noqa: E402

L.seed_everything(0, verbose=False)
x = torch.randn(32, 4)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)


class Net(L.LightningModule):
    def __init__(self, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(4, 1)
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss)
        self.losses.append(round(loss.item(), 5))
        return loss

    def test_step(self, batch, index):
        self.log("test", torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.rate)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


quiet = dict(
    logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, accelerator="cpu"
)
net = Net()
trainer = L.Trainer(max_epochs=2, **quiet)
trainer.fit(net, data)
print(net.losses, trainer.callback_metrics, net.layer.weight)
print(trainer.test(net, data, verbose=False))
