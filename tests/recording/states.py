"""Files of state dicts, between tensorsh and PyTorch, for every module of torch.nn that has a state.

A test loads the recorded file, tests/data/states.pt.gz. By hand, with Python and then with a Python that has PyTorch:

    python -m tests.recording.states write FILE       writes such a file with tensorsh
    python -m tests.recording.states check FILE       loads it into PyTorch's modules and compares
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

from .origin import origin

RECORDED = Path(__file__).parents[1] / "data" / "states.pt.gz"
LAZY_INPUTS = {
    "LazyLinear": (2, 3),
    "LazyBatchNorm1d": (2, 3),
    "LazyConv2d": (1, 2, 4, 4),
    "LazyInstanceNorm1d": (2, 3, 4),
}
LAZY_INPUTS |= {"LazyConvTranspose1d": (1, 2, 4)}

MODULES = [
    text.strip()
    for text in """
    Linear(2, 3) | Linear(2, 3, bias=False) | Bilinear(2, 3, 2) | Identity() | LazyLinear(2)
    Conv1d(2, 4, 3) | Conv2d(2, 4, 3, groups=2, bias=False) | Conv3d(1, 2, 2) | LazyConv2d(2, 3)
    ConvTranspose1d(2, 1, 3) | ConvTranspose2d(1, 2, 2) | ConvTranspose3d(1, 1, 2) | LazyConvTranspose1d(2, 3)
    BatchNorm1d(3) | BatchNorm2d(3, affine=False) | BatchNorm3d(2, track_running_stats=False) | LazyBatchNorm1d()
    SyncBatchNorm(2) | InstanceNorm1d(2, affine=True) | InstanceNorm2d(2, affine=True, track_running_stats=True)
    InstanceNorm3d(2) | LazyInstanceNorm1d(affine=True) | LayerNorm(3) | LayerNorm((2, 3), bias=False) | GroupNorm(2, 4)
    RMSNorm(3) | LocalResponseNorm(2) | CrossMapLRN2d(2) | PReLU(2) | Embedding(4, 3, padding_idx=1) | EmbeddingBag(4, 2)
    RNN(2, 3, 2, nonlinearity="relu") | LSTM(2, 3, 2, bidirectional=True, batch_first=True) | LSTM(2, 4, proj_size=3)
    GRU(2, 3, bias=False) | RNNCell(2, 3) | LSTMCell(2, 3) | GRUCell(2, 3, bias=False)
    MultiheadAttention(4, 2) | MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True)
    TransformerEncoderLayer(4, 2, 8) | TransformerDecoderLayer(4, 2, 8, bias=False) | Transformer(4, 2, 1, 1, 8)
    TransformerEncoder(nn.TransformerEncoderLayer(4, 1, 4), 2) | TransformerDecoder(nn.TransformerDecoderLayer(4, 1, 4), 2)
    CrossEntropyLoss(weight=torch.ones(3)) | BCEWithLogitsLoss(pos_weight=torch.ones(2)) | NLLLoss(torch.ones(2))
    BCELoss(torch.ones(2)) | MultiLabelSoftMarginLoss(torch.ones(2)) | MultiMarginLoss(weight=torch.ones(2))
    LinearCrossEntropyLoss(3, 2, bias=True) | AdaptiveLogSoftmaxWithLoss(4, 6, [2, 4])
    Sequential(nn.Linear(1, 2), nn.ReLU(), nn.BatchNorm1d(2)) | ModuleList([nn.Linear(1, 1)])
    ModuleDict({"a": nn.Linear(1, 1)}) | ParameterList([nn.Parameter(torch.ones(2))])
    ParameterDict({"a": nn.Parameter(torch.ones(2))}) | Dropout(0.5) | ReLU() | Softmax(dim=1) | MaxPool2d(2) | Flatten()
    Upsample(scale_factor=2) | PixelShuffle(2) | ZeroPad2d(1) | AdaptiveAvgPool2d(1) | FractionalMaxPool2d(2, output_size=1)
    """.replace("\n", "|").split("|")
    if text.strip()
]
"""How each module is made, below torch.nn."""


def make(text: str, torch: Any) -> Any:
    """A module with a state that is not the one it starts with."""
    torch.manual_seed(len(text))
    module = eval("nn." + text, {"nn": torch.nn, "torch": torch})
    kind = text.partition("(")[0]
    if kind in LAZY_INPUTS:
        module(torch.ones(*LAZY_INPUTS[kind]))
    for i, value in enumerate(module.state_dict().values()):
        if value.is_floating_point():
            value += i
    return module


def states(torch: Any) -> dict[str, Any]:
    return {text: make(text, torch).state_dict() for text in MODULES}


def recorded(torch: Any) -> dict[str, Any]:
    """PyTorch's states."""
    return torch.load(io.BytesIO(gzip.decompress(RECORDED.read_bytes())))["states"]


def differences(found: dict[str, Any], torch: Any) -> list[str]:
    """What is wrong with the states of a file: each must load into a fresh module, and be what the module here has."""
    wrong = []
    for text in MODULES:
        own = make(text, torch).state_dict()
        other = found[text]
        if list(own) != list(other) or own._metadata != other._metadata:
            wrong.append(f"{text}: {list(other)} {other._metadata} instead of {list(own)} {own._metadata}")
            continue
        fresh = make(text, torch)
        for value in fresh.state_dict().values():
            value.zero_()
        answer = fresh.load_state_dict(other)
        if answer.missing_keys or answer.unexpected_keys:
            wrong.append(f"{text}: {answer}")
        for name, value in fresh.state_dict().items():
            if value.dtype is not own[name].dtype or not torch.allclose(value, own[name], rtol=1e-6, atol=1e-6):
                wrong.append(f"{text}: {name}")
    return wrong


def record() -> None:
    import torch

    file = io.BytesIO()
    torch.save({"made": origin("states"), "states": states(torch)}, file)
    RECORDED.write_bytes(gzip.compress(file.getvalue(), mtime=0))


def main(command: str, path: str) -> int:
    if command == "write":
        from tensorsh import torch

        torch.save(states(torch), path)
        return 0
    import torch  # type: ignore[no-redef,import-not-found]

    wrong = differences(torch.load(path), torch)
    print("\n".join(wrong) or f"{len(MODULES)} states load and are the same")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
