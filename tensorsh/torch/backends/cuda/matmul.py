"""``torch.backends.cuda.matmul``: settings that programs make, accepted without effect."""

__all__: list[str] = []

SWITCHES = {
    "allow_tf32": False, "allow_fp16_reduced_precision_reduction": True,
    "allow_bf16_reduced_precision_reduction": True, "allow_fp16_accumulation": False,
}  # fmt: skip
