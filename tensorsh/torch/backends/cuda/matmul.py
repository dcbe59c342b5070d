"""``torch.backends.cuda.matmul``: `allow_tf32` rounds the factors of float32 products on GPUs; the rest has no effect."""

from ....sandbox.namespace import Linked
from ...settings import get_float32_matmul_precision, set_float32_matmul_precision

SWITCHES = {
    "allow_tf32": Linked(
        lambda: get_float32_matmul_precision() != "highest",
        lambda on: set_float32_matmul_precision("high" if on else "highest"),
    ), "allow_fp16_reduced_precision_reduction": True,
    "allow_bf16_reduced_precision_reduction": True, "allow_fp16_accumulation": False,
}  # fmt: skip
