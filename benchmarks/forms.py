"""Functions in the forms that programs use them in: modes, strides, groups, dimensions and axes, at the sizes of small networks.

A row of `TABLE` is a name, the tensors by their sizes, and an expression of them; each is measured forward, and forward and backward.
"""

from __future__ import annotations

from .cases import Case

LINES, IMAGES, VOLUMES = "(8, 16, 512)", "(4, 16, 64, 64)", "(2, 8, 16, 32, 32)"
CONVOLUTIONS = [
    ("conv1d, 3", LINES, "(32, 16, 3)", "F.conv1d(x, w, padding=1)"),
    ("conv1d, 1", LINES, "(32, 16, 1)", "F.conv1d(x, w)"),
    ("conv1d, stride 2", LINES, "(32, 16, 3)", "F.conv1d(x, w, stride=2)"),
    ("conv1d, depthwise", LINES, "(16, 1, 5)", "F.conv1d(x, w, groups=16)"),
    ("conv2d, 3x3", IMAGES, "(32, 16, 3, 3)", "F.conv2d(x, w, padding=1)"),
    ("conv2d, 5x5, stride 2", IMAGES, "(32, 16, 5, 5)", "F.conv2d(x, w, stride=2)"),
    ("conv2d, dilation 2", IMAGES, "(32, 16, 3, 3)", "F.conv2d(x, w, dilation=2)"),
    ("conv2d, depthwise", IMAGES, "(16, 1, 3, 3)", "F.conv2d(x, w, padding=1, groups=16)"),
    ("conv2d, depthwise, stride 2", IMAGES, "(16, 1, 3, 3)", "F.conv2d(x, w, stride=2, padding=1, groups=16)"),
    ("conv2d, 4 groups", IMAGES, "(32, 4, 3, 3)", "F.conv2d(x, w, padding=1, groups=4)"),
    ("conv2d, 7x7 of RGB", "(4, 3, 128, 128)", "(64, 3, 7, 7)", "F.conv2d(x, w, stride=2, padding=3)"),
    ("conv3d", VOLUMES, "(16, 8, 3, 3, 3)", "F.conv3d(x, w, padding=1)"),
    ("conv3d, stride 2", VOLUMES, "(16, 8, 3, 3, 3)", "F.conv3d(x, w, stride=2)"),
    ("conv3d, 2 groups", VOLUMES, "(8, 4, 3, 3, 3)", "F.conv3d(x, w, padding=1, groups=2)"),
    ("conv3d, depthwise", VOLUMES, "(8, 1, 3, 3, 3)", "F.conv3d(x, w, groups=8)"),
    ("conv2d, 1x1", IMAGES, "(32, 16, 1, 1)", "F.conv2d(x, w)"),
    ("conv_transpose1d", LINES, "(16, 8, 4)", "F.conv_transpose1d(x, w, stride=2)"),
    ("conv_transpose2d", "(4, 16, 32, 32)", "(16, 8, 4, 4)", "F.conv_transpose2d(x, w, stride=2, padding=1)"),
    ("conv_transpose3d", "(2, 8, 8, 8, 8)", "(8, 8, 3, 3, 3)", "F.conv_transpose3d(x, w, stride=2)"),
]
BY_KIND = {
    LINES: """
        F.max_pool1d(x, 3, 2) | F.avg_pool1d(x, 3, 2) | F.adaptive_avg_pool1d(x, 7) | F.pad(x, (5, 5), "reflect")
        F.pad(x, (5, 5), "replicate") | F.pad(x, (5, 5), "circular") | F.interpolate(x, scale_factor=2.0, mode="linear")
        F.interpolate(x, scale_factor=2.0)
    """,
    IMAGES: """
        F.max_pool2d(x, 2) | F.max_pool2d(x, 3, 2, 1) | F.avg_pool2d(x, 2) | F.adaptive_avg_pool2d(x, 7) | F.adaptive_avg_pool2d(x, 1)
        F.adaptive_max_pool2d(x, 7) | F.lp_pool2d(x, 2, 2) | F.pad(x, (2, 2, 2, 2), "reflect") | F.pad(x, (2, 2, 2, 2), "replicate")
        F.pad(x, (2, 2, 2, 2), "circular") | F.interpolate(x, scale_factor=2.0, mode="bilinear") | F.interpolate(x, scale_factor=0.5)
        F.interpolate(x, scale_factor=2.0, mode="bicubic") | F.pixel_shuffle(x, 2) | F.instance_norm(x) | F.group_norm(x, 4)
        F.batch_norm(x, None, None, training=True) | F.layer_norm(x, (64,)) | F.local_response_norm(x, 5) | F.normalize(x, dim=1)
        x[:, j] | x[:, :, j, j] | x.index_select(1, j) | x.gather(2, i) | torch.zeros_like(x).index_add(1, k, x) | x[i > 30]
        torch.zeros_like(x).scatter_add(3, i, x) | x.take_along_dim(i, 2) | x.repeat_interleave(2, 1) | x.unfold(2, 4, 2).sum(-1)
        x.permute(0, 2, 3, 1).contiguous() | torch.stack(x.unbind(1), 1) | torch.cat(x.chunk(4, -1), -1) | x.flip(1) | x.roll(3, 2)
    """
    + " | ".join(
        f"x.{name.replace('AXIS', str(axis))}"
        for axis in (0, 1, -1)
        for name in (
            *(
                "softmax(AXIS)",
                "log_softmax(AXIS)",
                "logsumexp(AXIS)",
                "cumsum(AXIS)",
                "sort(AXIS)[0]",
                "topk(3, AXIS)[0]",
            ),
            *(
                "median(AXIS)[0]",
                "var(AXIS)",
                "norm(dim=AXIS)",
                "amax(AXIS)",
                "max(AXIS)[0]",
                "prod(AXIS)",
                "diff(dim=AXIS)",
            ),
        )
    ),
    VOLUMES: """
        F.max_pool3d(x, 2) | F.avg_pool3d(x, 2) | F.adaptive_avg_pool3d(x, 5) | F.pad(x, (1, 1, 1, 1, 1, 1), "replicate")
        F.interpolate(x, scale_factor=0.5, mode="trilinear") | F.batch_norm(x, None, None, training=True)
    """,
    "(4, 10, 64, 64)": """
        F.cross_entropy(x, places, weight=torch.arange(10.0), ignore_index=3) | F.nll_loss(x, places)
    """,
    "(100, 32)": "F.pdist(x, 0.0) | F.pdist(x, float('inf')) | torch.cdist(x, x.flip(0), 1.0)",
    "(256, 100)": """
        F.nll_loss(x, labels, reduction="sum") | F.nll_loss(x, labels, weight=torch.ones(100)) | F.cross_entropy(x, labels, reduction="none")
        F.cross_entropy(x, labels) | F.cross_entropy(x, labels, label_smoothing=0.1) | F.cross_entropy(x, labels, weight=torch.ones(100))
        F.multi_margin_loss(x, labels) | F.huber_loss(x, torch.zeros(256, 100)) | F.kl_div(x, torch.full((256, 100), 0.01))
        F.poisson_nll_loss(x, torch.ones(256, 100)) | F.binary_cross_entropy_with_logits(x, torch.full((256, 100), 0.3))
    """,
    "(50, 8, 20)": "F.ctc_loss(x.log_softmax(-1), labels[:80].reshape(8, 10) % 19 + 1, [50] * 8, [10] * 8)",
    "(1000, 64)": """
        F.embedding(words, x) | F.embedding_bag(words, x) | F.embedding_bag(words, x, mode="sum") | F.embedding_bag(words, x, mode="max")
        F.embedding_bag(words, x, mode="sum", per_sample_weights=torch.ones(64, 32))
    """,
    "(4, 8, 128, 32)": """
        F.scaled_dot_product_attention(x, x, x) | F.scaled_dot_product_attention(x, x, x, is_causal=True)
        (x @ x.transpose(-1, -2)).softmax(-1) @ x | torch.einsum("bhid,bhjd->bhij", x, x)
    """,
}
"""Expressions of a tensor x of a size, between bars or on lines of their own."""
LAID = {
    "transposed": "x.transpose(2, 3)",
    "with the channels last": "x.contiguous(memory_format=torch.channels_last)",
    "every second column": "x[..., ::2]",
    "a part of the columns": "x[..., :48]",
    "expanded": "x[:, :1].expand(4, 16, 64, 64)",
}
IN_MEMORY = """
    y.sum() | y.sum(1) | y.sum(-1) | y.mean((2, 3)) | y.amax(1) | y.amax(-1) | y.max() | y.argmax(1) | y.logsumexp(1) | y.norm() | y.norm(dim=1)
    y.exp() | y + 1 | F.softmax(y, 1) | y.cumsum(1) | y.bfloat16() | F.batch_norm(y, None, None, training=True) | F.group_norm(y, 4)
    F.max_pool2d(y, 2) | F.avg_pool2d(y, 2) | F.interpolate(y, scale_factor=2.0) | F.pad(y, (1, 1, 1, 1)) | torch.cat([y, y], 1) | y.contiguous()
"""
"""Expressions of images y that lie otherwise in memory."""
KINDS = {
    "float64": "F.interpolate(y, scale_factor=2.0, mode='bilinear') | y.exp() | y.erf() | F.gelu(y) | y.amax(-1) | F.layer_norm(y, (64,))",
    "bfloat16": "y.sum(-1) | y.amax(1) | y.exp() | F.softmax(y, -1) | y.logsumexp(1) | F.group_norm(y, 4) | y.index_add(1, k, y)",
    "float16": "y.sum(-1) | y.amax(1) | F.batch_norm(y, None, None, training=True) | y.index_add(1, k, y)",
    "int64": "y.sum(-1) | y.sum(1) | y.amax(-1) | y.max(1)[0] | y.argmax(1) | y.median() | y.sort(1)[0]",
    "int32": "y.sum(-1) | y.sum(1) | y.amax(-1) | y.max(1)[0] | y.index_add(1, k, y) | y.scatter_reduce(2, i, y, 'amax')",
    "uint8": "y.sum(-1) | y.amax(1) | y.max(1)[0] | y.index_add(1, k, y)",
}
"""Expressions of images of other types."""
SETUP = (
    "torch.manual_seed(0); F = torch.nn.functional; i = torch.randint(0, 64, (4, 16, 64, 64)); j = torch.randint(0, 16, (40,)); "
    "k = torch.arange(16); places = torch.randint(0, 10, (4, 64, 64)); labels = torch.randint(0, 100, (256,)); words = torch.randint(0, 1000, (64, 32))"
)


def both(name: str, tensors: dict[str, str], expression: str) -> list[Case]:
    """An expression of tensors forward, and with their gradients."""
    made = "; ".join(f"{key} = torch.randn{size}" for key, size in tensors.items())
    leaves = "; ".join(f"{key} = torch.randn{size}.requires_grad_()" for key, size in tensors.items())
    return [
        Case(name, f"{SETUP}; {made}", expression),
        Case(f"{name}, forward and backward", f"{SETUP}; {leaves}", f"({expression}).sum().backward()"),
    ]


FORMS = [
    case
    for name, image, kernel, expression in CONVOLUTIONS
    for case in both(name, {"x": image, "w": kernel}, expression)
] + [
    case
    for size, text in BY_KIND.items()
    for expression in (part.strip() for line in text.splitlines() for part in line.split(" | "))
    if expression
    for case in both(f"{expression}, x {size}", {"x": size}, expression)
]

FORMS += [
    Case(f"{expression}, y {how}", f"{SETUP}; x = torch.randn(4, 16, 64, 64); y = {made}", expression)
    for how, made, text in [
        *((how, made, IN_MEMORY) for how, made in LAID.items()),
        *((f"of {kind}", f"(4 * x).abs().to(torch.{kind})", text) for kind, text in KINDS.items()),
    ]
    for expression in (part.strip() for line in text.splitlines() for part in line.split(" | "))
    if expression
]
