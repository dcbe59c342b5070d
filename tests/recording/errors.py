"""Wrong calls of the most used functions, and what PyTorch says of them.

The calls are the examples of the operators below, with one thing made wrong at a time: an argument too few, too many, of
another kind, shape, dtype or dimension, a keyword nobody knows; as function and as method.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch

from tensorsh.engine.examples import example

from ..support.outcomes import NO_ERROR, refusal, space
from .origin import write

CORE = """
arange linspace zeros ones full eye zeros_like ones_like clone add sub mul div floor_divide remainder pow neg abs sign sqrt
square exp log log2 sin cos tanh sigmoid erf floor ceil round clamp maximum minimum where eq ne lt le gt ge allclose equal
isnan masked_fill masked_select sum mean std var prod max min amax amin argmax argmin any all norm logsumexp cumsum cumprod
median reshape permute transpose t squeeze unsqueeze flatten repeat_interleave cat stack split chunk unbind flip meshgrid
tril triu diag gather scatter scatter_add index_select nonzero topk sort argsort unique matmul mm bmm dot outer einsum trace
linalg.norm linalg.det linalg.inv linalg.solve linalg.svd linalg.eigh linalg.qr linalg.cholesky fft.fft softmax log_softmax
nn.functional.linear nn.functional.relu nn.functional.leaky_relu nn.functional.elu nn.functional.gelu nn.functional.silu
nn.functional.softplus nn.functional.conv1d nn.functional.conv2d nn.functional.max_pool2d nn.functional.avg_pool2d
nn.functional.adaptive_avg_pool2d nn.functional.batch_norm nn.functional.layer_norm nn.functional.embedding
nn.functional.one_hot nn.functional.pad nn.functional.interpolate nn.functional.normalize
nn.functional.scaled_dot_product_attention nn.functional.cross_entropy nn.functional.nll_loss nn.functional.mse_loss
nn.functional.l1_loss nn.functional.smooth_l1_loss nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy_with_logits nn.functional.kl_div nn.functional.cosine_similarity
""".split()
METHODS = "to float long item view expand repeat T zero_ fill_ add_ mul_ div_ masked_fill_ copy_".split()
WRITTEN = {
    "nn.functional.binary_cross_entropy_with_logits": "nn.functional.binary_cross_entropy_with_logits(tensor([1.]), tensor([1.]))",
    "nn.functional.kl_div": "nn.functional.kl_div(tensor([1.]), tensor([1.]))",
}
OTHERS = [
    "ones(7)",
    "ones(2, 3, 5)",
    "tensor([True])",
    "tensor([1+1j])",
    "tensor([[1, 2], [3, 4]])",
    "'a'",
    "None",
    "[1., 2.]",
]


def tensors(call: ast.Call) -> list[int]:
    return [
        i
        for i, a in enumerate(call.args)
        if "tensor" in ast.unparse(a) or "ones" in ast.unparse(a) or "arange" in ast.unparse(a)
    ]


def mutations(code: str) -> Iterator[str]:
    """The call with one thing wrong."""
    call = ast.parse(code, mode="eval").body
    if not isinstance(call, ast.Call):
        return
    function = ast.unparse(call.func)
    args = [ast.unparse(a) for a in call.args]
    keywords = [ast.unparse(k) for k in call.keywords]

    def made(args: list[str], keywords: list[str] = keywords) -> str:
        return f"{function}({', '.join([*args, *keywords])})"

    yield made([], [])
    if args:
        yield made(args[:-1])
    yield made([*args, "1", "2", "3", "4", "5", "6", "7", "8"])
    yield made(args, [*keywords, "bogus=1"])
    for i in tensors(call):
        for other in OTHERS:
            yield made([*args[:i], other, *args[i + 1 :]])
    for i, a in enumerate(args):
        if i not in tensors(call):
            for other in ("'a'", "1.5", "9", "-9", "None", "ones(2)"):
                if other != a:
                    yield made([*args[:i], other, *args[i + 1 :]])
    if any(k.arg == "dim" for k in call.keywords):
        for other in ("9", "-9", "'a'", "1.5", "(0, 0)", "ones(2)"):
            yield made(args, [f"dim={other}", *(k for k in keywords if not k.startswith("dim="))])
    yield made(args, [*keywords, "dtype='a'"])
    yield made(args, [*keywords, "out=3"])
    first = args[0] if args else ""
    if first.startswith(("tensor", "ones")) and "." not in function.replace("torch.", ""):
        name = function.removeprefix("torch.")
        rest = ", ".join([*args[1:], *keywords])
        if hasattr(torch.Tensor, name):
            yield f"{first}.{name}({rest}{', ' if rest else ''}bogus=1)"
            yield f"{first}.{name}({', '.join([*args[1:], '1', '2', '3', '4', '5', '6', '7'])})"
            if len(args) > 1:
                yield f"{first}.{name}()"
                for other in ("'a'", "ones(7)", "None"):
                    yield f"{first}.{name}({other})"


def calls() -> list[str]:
    found: dict[str, None] = {}
    for name in CORE:
        shown = example(name)
        code = WRITTEN.get(name) or (shown.code[-1] if shown else "")
        if code:
            found |= dict.fromkeys(mutations(code))
    for name in METHODS:
        for text in ("'a'", "None", "ones(7)", "1, 2, 3, 4", "bogus=1", "", "(-5,)", "1.5", "[1, 'a']"):
            found[f"ones(2, 3).{name}({text})"] = None
    return list(found)


def record() -> None:
    names = space(torch)
    told = {code: refusal(torch, code, names) for code in calls()}
    write("errors", "errors", [[code, text] for code, text in told.items() if text != NO_ERROR])
