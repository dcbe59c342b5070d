"""What the forward of a custom function is given under autocast: floats in the wanted dtype, doubles as they are, in containers, too."""

import torch


class Seen(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.bfloat16)
    def forward(ctx, x, more):
        print(x.dtype, [each.dtype for each in more["list"]], more["number"], torch.is_autocast_enabled("cpu"))
        return x.double()

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        return g, None


for dtype in (torch.float32, torch.float16, torch.float64, torch.int64):
    x = torch.ones(2, dtype=dtype)
    with torch.autocast("cpu"):
        Seen.apply(x, {"list": [x, x.float(), x.double()], "number": 3})
    Seen.apply(x, {"list": (x, x.double()), "number": 3})
