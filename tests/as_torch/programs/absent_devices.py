"""What programs say to kinds of devices that are not there; weights laid out anew; what the compiler and the profiler are asked."""

import torch
from torch import nn

for kind in ("mps", "xpu", "mtia"):
    module = getattr(torch, kind)
    print(kind, module.is_available(), module.device_count(), module.manual_seed(3))
    for name in (
        "empty_cache",
        "synchronize",
        "current_device",
        "memory_allocated",
        "is_initialized",
        "get_rng_state",
        "seed",
    ):
        if not hasattr(module, name) or kind == "mtia" and name == "get_rng_state":
            continue
        try:
            print(name, getattr(module, name)())
        except (RuntimeError, AssertionError) as error:
            print(name, type(error).__name__, error)
print(torch.xpu.manual_seed_all(1), torch.xpu.memory_stats(), torch.xpu.get_rng_state_all())

model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Conv3d(1, 2, 2), nn.ConvTranspose2d(2, 2, 2))
print(nn.utils.convert_conv2d_weight_memory_format(model, torch.channels_last) is model)
print([tuple(p.stride()) for p in model.parameters()])
nn.utils.convert_conv3d_weight_memory_format(model, torch.channels_last_3d)
print([tuple(p.stride()) for p in model.parameters()])

print(
    torch.compiler.nested_compile_region(lambda x: x + 1)(2), torch.compiler.wrap_numpy(lambda x: x + 1)(torch.ones(2))
)
print(torch.compiler.save_cache_artifacts(), [each.name for each in torch.profiler.supported_activities()])
