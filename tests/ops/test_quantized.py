"""What quantized tensors lack, in PyTorch's words: the kernel is named that it misses."""

import pytest

from tensorsh import torch

MISSED = {
    "q.sum()": "sum.IntList_out", "q.prod()": "prod", "q.argmax()": "argmax.out", "q.amax()": "amax.out", "q.cumsum(0)": "cumsum.out",
    "q.all()": "all.all_out", "q.var()": "var.correction", "q + q": "add.out", "q * q": "mul.out", "q @ q": "mm.out", "q.exp()": "exp.out",
    "q.neg()": "neg.out", "torch.sqrt(q)": "sqrt.out", "q.median()": "median", "q.zero_()": "zero_", "q.add_(q)": "add.out",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_the_kernel_that_is_missing_is_named() -> None:
    q = torch.quantize_per_tensor(torch.eye(2), 0.5, 0, torch.quint8)
    wrong = []
    for call, kernel in MISSED.items():
        with pytest.raises(NotImplementedError) as told:
            eval(call, {"torch": torch, "q": q})
        if f"Could not run 'aten::{kernel}' with arguments from the 'QuantizedCPU' backend" not in str(told.value):
            wrong.append((call, str(told.value)[:60]))
    assert not wrong
