# Which kernels attention may take: what is left of them decides its node, or that there is none.
import torch
from torch.backends import cuda
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

query = torch.arange(24.0).reshape(1, 2, 3, 4) / 10
forms = {
    "plain": (query,) * 3,
    "with gradients": (query.clone().requires_grad_(),) * 3,
    "double": (query.double(),) * 3,
    "two dimensions": (query[0, 0],) * 3,
    "half": (query.half(),) * 3,
}


def tried(title, *given, **more):
    try:
        found = scaled_dot_product_attention(*given, **more)
        print(f"  {title}: {found.double().sum().item():.4f}", type(found.grad_fn).__name__)
    except RuntimeError as error:
        print(f"  {title}: {error}")


def all_forms(title):
    print(title)
    for name, given in forms.items():
        tried(name, *given)
    tried("mask", query, query, query, attn_mask=torch.ones(3, 3).bool())
    tried("causal", query, query, query, is_causal=True)


for name in "ERROR MATH FLASH_ATTENTION EFFICIENT_ATTENTION CUDNN_ATTENTION OVERRIDEABLE".split():
    with sdpa_kernel(getattr(SDPBackend, name)):
        all_forms(name)
for ways in ([], [SDPBackend.FLASH_ATTENTION, SDPBackend.MATH], [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
    with sdpa_kernel(ways) as given:
        all_forms([way.name for way in ways])
        print(given)
try:
    with sdpa_kernel("MATH"):
        print("never")
except AssertionError as error:
    print(error)


@sdpa_kernel(SDPBackend.MATH)
def attended(x):
    return scaled_dot_product_attention(x, x, x)


print(type(attended(forms["with gradients"][0]).grad_fn).__name__)
cuda.enable_flash_sdp(False)
all_forms(
    [cuda.flash_sdp_enabled(), cuda.math_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.cudnn_sdp_enabled()]
)
cuda.enable_math_sdp(False)
all_forms([cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()])
cuda.enable_flash_sdp(True)
cuda.enable_math_sdp(True)
all_forms("again")
