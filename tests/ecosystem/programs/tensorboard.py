"""What a run writes for TensorBoard, read back from its files."""

import glob
import tempfile

import torch
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
folder = tempfile.mkdtemp()
with SummaryWriter(folder) as writer:
    for step in range(3):
        writer.add_scalar("loss/train", torch.tensor(1.0 / (step + 1)), step)
    writer.add_scalars("both", {"a": 1.0, "b": torch.tensor(2.0)}, 0)
    writer.add_histogram("weights", torch.randn(100), 1)
    writer.add_histogram("bins", torch.randn(100), 1, bins="auto")
    writer.add_image("image", torch.rand(3, 4, 5), 0)
    writer.add_images("images", torch.rand(10, 1, 4, 5), 0)
    writer.add_text("text", "hello **you**", 2)
    writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5}, run_name="run")
for file in sorted(glob.glob(folder + "/**/events*", recursive=True), key=lambda path: path.split("/")[-2]):
    for event in EventFileLoader(file).Load():
        for value in event.summary.value:
            print(event.step, value.tag, value.WhichOneof("value"))
            print(str(value)[:600])
