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
    truth, guess = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0.1, 0.4, 0.9, 0.6, 0.7])
    writer.add_pr_curve("curve", truth, guess, 0, num_thresholds=5)
    writer.add_pr_curve_raw("raw", [3, 1], [2, 0], [0, 2], [0, 2], [0.6, 1.0], [1.0, 0.3], 0, num_thresholds=2)
    writer.add_histogram_raw("counted", 0.0, 1.0, 4, 2.0, 1.5, [0.5, 1.0], [1, 3], 0)
    writer.add_audio("sound", torch.tensor([0.0, 0.5, -1.0, 1.0]), 0, sample_rate=8)
    writer.add_image_with_boxes("boxes", torch.zeros(3, 8, 8), torch.tensor([[1.0, 1, 5, 5]]), 0)
    writer.add_custom_scalars({"all": {"lines": ["Multiline", ["a", "b"]], "band": ["Margin", ["a", "b", "c"]]}})
    writer.add_custom_scalars_multilinechart(["a"])
    corners = torch.tensor([[[1.0, 1, 1], [-1, -1, 1], [1, -1, -1]]])
    writer.add_mesh("mesh", corners, torch.tensor([[[255, 0, 0]] * 3]), torch.tensor([[[0, 1, 2]]]), global_step=0)
    for kind in (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        writer.add_tensor(f"tensor of {kind}", torch.tensor([[0, 1], [1, 0]]).to(kind), 0)
    writer.add_histogram("halves", torch.ones(4, dtype=torch.bfloat16), 1)
    writer.add_embedding(torch.eye(3), ["a", "b", "c"], torch.ones(3, 1, 2, 2), tag="some/points")
    writer.add_embedding(torch.ones(2, 2), [[1, 2], [3, 4]], global_step=1, metadata_header=["x", "y"])
    writer.add_video("film", torch.zeros(1, 2, 3, 4, 4))
    for wrong in (
        lambda: writer.add_custom_scalars_marginchart(["a"]),
        lambda: writer.add_tensor("q", torch.ones(1).to(torch.uint16)),
    ):
        try:
            wrong()
        except Exception as error:
            print(type(error).__name__, error)
for file in sorted(glob.glob(folder + "/**/*.tsv", recursive=True) + glob.glob(folder + "/*.pbtxt")):
    print(file.removeprefix(folder), open(file).read())
for file in sorted(glob.glob(folder + "/**/events*", recursive=True), key=lambda path: path.split("/")[-2]):
    for event in EventFileLoader(file).Load():
        for value in event.summary.value:
            print(event.step, value.tag, value.WhichOneof("value"))
            print(str(value)[:600])
