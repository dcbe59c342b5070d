"""What quantized tensors lack, in PyTorch's words: the kernel is named that it misses."""

import pytest

from tensorsh import torch

MISSED = {
    "q.sum()": "sum.IntList_out", "q.prod()": "prod", "q.argmax()": "argmax.out", "q.amax()": "amax.out", "q.cumsum(0)": "cumsum.out",
    "q.all()": "all.all_out", "q.var()": "var.correction", "q + q": "add.out", "q * q": "mul.out", "q @ q": "mm.out", "q.exp()": "exp.out",
    "q.neg()": "neg.out", "torch.sqrt(q)": "sqrt.out", "q.median()": "median", "q.zero_()": "zero_", "q.add_(q)": "add.out",
    "torch.max(q, q)": "maximum.out", "torch.zeros_like(q)": "zero_", "torch.diag(q[0])": "zero_",
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


X = "torch.tensor([[-3., -1., 0.26, 0.5], [1., 2., 3., 7.]])"
MADE = {
    "q": f"torch.quantize_per_tensor({X}, 0.1, 20, torch.quint8)", "s": f"torch.quantize_per_tensor({X}, 0.05, 3, torch.qint8)",
    "i": f"torch.quantize_per_tensor({X}, 0.01, 5, torch.qint32)",
    "c": f"torch.quantize_per_channel({X}, torch.tensor([0.1, 0.2]), torch.tensor([1, 2]), 0, torch.qint8)",
    "a": f"torch.quantize_per_channel({X}, torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([1, 2, 3, 4]), 1, torch.qint8)",
}  # fmt: skip
ANSWERS = {
    "q.sigmoid()": [[[31, 69, 147, 159], [187, 225, 244, 255]], 0.00390625, 0],
    "s.sigmoid()": [[[-116, -59, 16, 31], [59, 97, 116, 127]], 0.00390625, -128],
    "i.sigmoid()": [[[203692576, 1155094656, 2147483647, 2147483647], [2147483647, 2147483647, 2147483647, 2147483647]], 2.3283064365386963e-10, 0],
    "q.tanh()": [[[5, 31, 165, 187], [225, 251, 255, 255]], 0.0078125, 128],
    "s.tanh()": [[[-127, -97, 31, 59], [97, 123, 127, 127]], 0.0078125, 0],
    "i.tanh()": [[[-2136863872, -1635511040, 546095488, 992389056], [1635511040, 2070233472, 2136863872, 2147480064]], 4.656612873077393e-10, 0],
    "q.clamp(0, 1)": [[[20, 20, 23, 25], [30, 30, 30, 30]], 0.1, 20],
    "torch.clamp(q, 0.33, 1.27)": [[[23, 23, 23, 25], [30, 33, 33, 33]], 0.1, 20],
    "s.clamp(max=1)": [[[-57, -17, 8, 13], [23, 23, 23, 23]], 0.05, 3],
    "torch.nn.functional.hardtanh(q)": [[[10, 10, 23, 25], [30, 30, 30, 30]], 0.1, 20],
    "torch.nn.functional.relu6(q)": [[[20, 20, 23, 25], [30, 40, 50, 80]], 0.1, 20],
    "q.fill_(1.26)": [[[33, 33, 33, 33], [33, 33, 33, 33]], 0.1, 20],
    "q.fill_(1000)": [[[255, 255, 255, 255], [255, 255, 255, 255]], 0.1, 20],
    "c.fill_(0.55)": [[[6, 6, 6, 6], [5, 5, 5, 5]], 0],
    "q.masked_fill(q > 1, 0.5)": [[[0, 10, 23, 25], [30, 25, 25, 25]], 0.1, 20],
    "q.masked_fill_(q > 1, torch.tensor(0.5))": [[[0, 10, 23, 25], [30, 25, 25, 25]], 0.1, 20],
    "torch.ones_like(q)": [[[30, 30, 30, 30], [30, 30, 30, 30]], 0.1, 20],
    "torch.ones_like(c)": [[[11, 11, 11, 11], [7, 7, 7, 7]], 0],
    "torch.full_like(q, 2.)": [[[40, 40, 40, 40], [40, 40, 40, 40]], 0.1, 20],
    "q.copy_(x * 2)": [[[0, 0, 25, 30], [40, 60, 80, 160]], 0.1, 20],
    "q.copy_(torch.quantize_per_tensor(x, 0.2, 20, torch.quint8))": [[[5, 15, 21, 22], [25, 30, 35, 55]], 0.2, 20],
    "c.copy_(x * 2)": [[[-59, -19, 6, 11], [12, 22, 32, 72]], 0],
    "(q[0].copy_(x[1]), q)": [[[30, 40, 50, 90], 0.1, 20], [[[30, 40, 50, 90], [30, 40, 50, 90]], 0.1, 20]],
    "(q.__setitem__(0, 1.), q)[1]": [[[30, 30, 30, 30], [30, 40, 50, 90]], 0.1, 20],
    "(q.__setitem__(q > 1, 0.), q)[1]": [[[0, 10, 23, 25], [30, 20, 20, 20]], 0.1, 20],
    "q.diag()": [[0, 40], 0.1, 20],
    "q.std()": [48, 0.1, 20],
    "q.std(1, keepdim=True)": [[[32], [46]], 0.1, 20],
    "q.std(unbiased=False)": [46, 0.1, 20],
    "q.repeat(2, 1)": [[[0, 10, 23, 25], [30, 40, 50, 90], [0, 10, 23, 25], [30, 40, 50, 90]], 0.1, 20],
    "torch.hstack([q, q])": [[[0, 10, 23, 25, 0, 10, 23, 25], [30, 40, 50, 90, 30, 40, 50, 90]], 0.1, 20],
    "torch.cat([q[:1], torch.quantize_per_tensor(x[1:], 1., 0, torch.quint8)])": [[[0, 10, 23, 25], [30, 40, 50, 90]], 0.1, 20],
    "(q.relu_(), q)": [[[[20, 20, 23, 25], [30, 40, 50, 90]], 0.1, 20], [[[20, 20, 23, 25], [30, 40, 50, 90]], 0.1, 20]],
    "c[0]": [[-29, -9, 4, 6], 0.10000000149011612, 1],
    "c[0, 0]": [-29, 0.10000000149011612, 1],
    "c[:1]": [[[-29, -9, 4, 6]], 0.10000000149011612, 1],
    "c.split(1)": [[[[-29, -9, 4, 6]], 0.10000000149011612, 1], [[[7, 12, 17, 37]], 0.20000000298023224, 2]],
    "c.unbind(0)": [[[-29, -9, 4, 6], 0.10000000149011612, 1], [[7, 12, 17, 37], 0.20000000298023224, 2]],
    "c.view(2, 2, 2)": [[[[-29, -9], [4, 6]], [[7, 12], [17, 37]]], 0],
    "c.unsqueeze(0)": [[[[-29, -9, 4, 6], [7, 12, 17, 37]]], 1],
    "a[0]": [[-29, -3, 4, 5], 0],
    "a[:, 0]": [[-29, 11], 0.10000000149011612, 1],
    "a[:, 1:3]": [[[-3, 4], [12, 13]], 1],
}  # fmt: skip
"""The codes, and the scale and zero point or the axis."""
REFUSED = {
    "q.clamp()": "torch.clamp: At least one of 'min' or 'max' must not be None",
    "q.fill_(torch.ones(3))": "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.",
    "torch.cat([q, x])": "Could not run 'aten::qscheme' with arguments from the 'CPU' backend",
    "c.t()": "Setting strides is possible only on uniformly quantized tensor",
    "c.view(-1)": "length of scales must equal to channel, expected 8 got, 2",
    "c.view(4, 2)": "length of scales must equal to channel, expected 4 got, 2",
    "c.flip(0)": "Setting strides is possible only on uniformly quantized tensor",
    "c.relu()": "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.",
    "c.sigmoid()": "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.",
    "c.clamp(0, 1)": "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.",
    "c.mean()": "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.",
    "c.max()": "Max operator for quantized tensors only works for per tensor quantized tensors. Please open an issue on https://github.c",
    "c.topk(1)": "Top-K is only supported on per-tensor quantization",
    "torch.cat([c, c])": "Only per-tensor quantization is supported in 'cat'!",
    "c.masked_fill(x > 1, 0.)": "masked_fill__quantized_cpu for quantized tensors is currently only supported for per tensor quantized tensors",
    "q.copy_(x[0])": "Quantized copy only works with Tensors with the same shape",
    "q.copy_(x.double())": "Quantized copy only works with kFloat as source Tensor",
    "q.copy_(s)": "Expected self.scalar_type() == src.scalar_type() to be true, but got false.",
    "x.copy_(q)": "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use dequantize to get a float Tensor from a",
    "torch.ones_like(q, dtype=torch.float)": "It is currently not supported to specify a dtype that doesn't match the input tensor's dtype via empty_like.  Specified:",
}  # fmt: skip


def parts(x: object) -> list:
    """Codes with what they stand for; of several tensors, one after the other."""
    if isinstance(x, tuple):
        return [parts(each) for each in x]
    whole = x.qscheme() is torch.per_tensor_affine
    return [x.int_repr().tolist(), *((x.q_scale(), x.q_zero_point()) if whole else (x.q_per_channel_axis(),))]


def asked(call: str) -> object:
    given = {name: eval(made, {"torch": torch}) for name, made in MADE.items()} | {
        "torch": torch,
        "x": eval(X, {"torch": torch}),
    }
    return eval(call, given)


@pytest.mark.filterwarnings("ignore:torch.quantize_per")
@pytest.mark.parametrize("call", ANSWERS)
def test_codes(call: str) -> None:
    assert parts(asked(call)) == ANSWERS[call]


@pytest.mark.filterwarnings("ignore:torch.quantize_per")
@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused(call: str) -> None:
    with pytest.raises(RuntimeError) as told:
        repr(asked(call))
    assert str(told.value).startswith(REFUSED[call])


def test_dtypes_that_have_a_name_alone() -> None:
    told = {
        torch.uint4: ("torch.uint4", 1, False), torch.int3: ("torch.int3", 1, True), torch.float4_e2m1fn_x2: ("torch.float4_e2m1fn_x2", 1, True)
    }  # fmt: skip
    assert {each: (repr(each), each.itemsize, each.is_signed) for each in told} == told
    assert torch.float4_e2m1fn_x2.is_floating_point and not torch.uint7.is_floating_point
    refused = {
        "\"copy_\" not implemented for 'UInt4'": lambda: torch.ones(2).to(torch.uint4),
        "\"copy_\" not implemented for 'Bits16'": lambda: torch.ones(2).to(torch.bits16),
        "Bits types are undefined": lambda: torch.bits1x8.is_signed,
        "isSignedType not supported for quantized types": lambda: torch.qint8.is_signed,
        "empty_strided not supported on quantized tensors yet": lambda: torch.ones(2).to(torch.quint4x2),
    }
    for text, call in refused.items():
        with pytest.raises((NotImplementedError, RuntimeError), match=text):
            call()


def test_float8_of_exponents() -> None:
    kind, inf, nan = torch.float8_e8m0fnu, float("inf"), float("nan")
    x = torch.tensor([1.0, 3.0, 1.4, 2.9, 6.0, 0.0, -1.0, inf, nan, 1e-40, 3e38, 0.75, -0.3])
    for each in (x, x.double(), x.bfloat16()):
        assert each.to(kind).view(torch.uint8).tolist() == [127, 129, 127, 128, 130, 0, 127, 255, 255, 0, 255, 127, 125]
    assert x.to(kind)[:4].tolist() == [1.0, 4.0, 1.0, 2.0] and not kind.is_signed
    assert repr(torch.zeros(2, dtype=kind)) == "tensor([0., 0.], dtype=torch.float8_e8m0fnu)"
    assert repr(torch.finfo(kind)).startswith("finfo(resolution=1, min=5.87747e-39, max=1.70141e+38, eps=1, ")


def test_float8_without_kernels() -> None:
    space = {"torch": torch, "x": torch.tensor([1.0, 2.0, 4.0]).to(torch.float8_e5m2)}
    text = """clamp(x, 1, 2) clamp_scalar_cpu | clamp_min(x, 2) clamp_min_scalar_cpu | clamp(x, x) maximum_cpu | pow(x, 2) pow
        pow(2, x) pow | pow(x, x) pow | lerp(x, x, 0.5) lerp_kernel_scalar | lerp(x, x, x) lerp_kernel_tensor | rsub(x, 1) add_stub
        remainder(x, 2) remainder_cpu | fmod(x, 2) fmod_cpu | floor_divide(x, 2) div_floor_cpu_reduced_float | max(x) max_all
        median(x) median_cpu | count_nonzero(x) nonzero_count_cpu | xlogy(x, x) xlogy_cpu
        linspace(0, 1, 3, dtype=x.dtype) linspace_cpu | logspace(0, 1, 3, dtype=x.dtype) logspace_cpu"""
    for each in text.replace("\n", "|").split("|"):
        call, _, kernel = each.strip().rpartition(" ")
        with pytest.raises(NotImplementedError, match=f"^\"{kernel}\" not implemented for 'Float8_e5m2'$"):
            eval("torch." + call, space)
    with pytest.raises(RuntimeError, match="^std_var_all: Unsupported dtype Float8_e5m2$"):
        eval("x.std()", space)
    assert eval("x.isinf(), x.isfinite()", space)[1].all()
    with pytest.raises(NotImplementedError, match="isinf"):
        torch.ones(1).to(torch.float8_e4m3fn).isinf()
