"""Names of torch that its documentation does not list: older names, settings of autocast one by one, classes for type checks."""

import torch

print([isinstance(3, kind) for kind in (torch.SymInt, torch.SymFloat, torch.SymBool)])
print(issubclass(torch.AcceleratorError, RuntimeError), torch.AcceleratorError("lost"))
print(torch.has_mkl, torch.has_openmp, torch.has_lapack, torch.legacy_contiguous_format)

x = torch.ones(2, 2)
torch.set_autocast_enabled("cpu", True)
print(torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled(), (x @ x).dtype)
torch.set_autocast_dtype("cpu", torch.float16)
print(torch.get_autocast_cpu_dtype(), (x @ x).dtype)
torch.set_autocast_cpu_enabled(False)
print(torch.is_autocast_enabled("cpu"), (x @ x).dtype, torch.get_autocast_dtype("cpu"))
with torch.autocast("cpu"):
    print((x @ x).dtype)
torch.set_autocast_cpu_dtype(torch.bfloat16)
torch.set_autocast_gpu_dtype(torch.bfloat16)
print(torch.get_autocast_gpu_dtype(), torch.get_autocast_dtype("cuda"))
torch.set_autocast_cache_enabled(False)
print(torch.is_autocast_cache_enabled())
torch.set_autocast_cache_enabled(True)
print(torch.autocast_increment_nesting(), torch.autocast_increment_nesting(), torch.autocast_decrement_nesting())
print(torch.autocast_decrement_nesting())

torch.set_anomaly_enabled(True, False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
for wrong in (
    lambda: torch.set_anomaly_enabled(1),
    lambda: torch.is_distributed(3),
    lambda: torch.get_device_module("none"),
):
    try:
        wrong()
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)

sparse = torch.eye(2).to_sparse()
print(torch.spmm(sparse, x), torch.dsmm(sparse, x), torch.hsmm(sparse, x))
rows, columns = torch.eye(2).to_sparse_csr(), torch.eye(2).to_sparse_csc()
print(torch.crow_indices_copy(rows), torch.col_indices_copy(rows))
print(torch.ccol_indices_copy(columns), torch.row_indices_copy(columns))
print(torch.is_distributed(x), torch.is_vulkan_available(), torch.is_warn_always_enabled())
print(torch.get_device_module("cpu").__name__, torch.get_device_module().__name__)

# The gradients of softmax by name, of columns, too.
torch.manual_seed(0)
slopes = torch.randn(3, 4, requires_grad=True)
shares = torch.randn(3, 4).softmax(1).requires_grad_()
for function in (torch._softmax_backward_data, torch._log_softmax_backward_data):
    found = function(slopes, shares, 1, torch.float32)
    print(found, *torch.autograd.grad((found * found).sum(), (slopes, shares)))
    print(function(grad_output=slopes, output=shares, dim=0, input_dtype=torch.float32))

# Types of TorchScript, which programs name in annotations.
print(torch.TensorType, issubclass(torch.OptionalType, torch.Type), torch.NoneType.__name__)
try:
    torch.TensorType()
except TypeError as error:
    print(error)
