"""What libraries import from parts of PyTorch that tensorsh does not have: the compiler, exporters, training on many machines.

One line a module: its name without ``torch.``, a colon, its names: classes with ``!``, members of an enumeration in
parentheses, decorators with ``@``, classes whose objects can be made with ``~``, functions as they are.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
import types
from collections.abc import Iterator

from tensorsh.language.pytorch_names import REFUSED

from .origin import write_text

WHOLE = """
ao quantization nn.intrinsic nn.qat nn.quantizable nn.quantized distributed package onnx export monitor
"""
"""Packages that are listed with all their public modules and names."""

LEANED_ON = """
_custom_ops:
_dynamo.exc: TensorifyScalarRestartAnalysis
_dynamo.utils: is_compile_supported deepcopy_to_fake_tensor warn_once
_dynamo._trace_wrapped_higher_order_op: TransformGetItemToIndex
_higher_order_ops.associative_scan: associative_scan
_inductor:
_inductor.cpu_vec_isa: pick_vec_isa
_inductor.runtime.cache_dir_utils: cache_dir
_prims_common: is_contiguous_or_false suggest_memory_format
ao.quantization.fx._decomposed: _per_token_quant_qparam_dim_check quantize_per_channel_group quantized_decomposed_lib
autograd.profiler: emit_nvtx emit_itt
backends.cuda: SDPAParams can_use_flash_attention can_use_efficient_attention sdp_kernel
cuda: CUDAGraph graph cudart make_graphed_callables graph_pool_handle
cuda.comm:
cuda.profiler:
cuda.graphs:
distributed: Backend DeviceMesh FileStore GroupMember P2POp ProcessGroup ReduceOp TCPStore Work _rank_not_in_group all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list destroy_process_group gather gather_object get_backend get_global_rank get_process_group_ranks group init_device_mesh init_process_group irecv is_mpi_available is_nccl_available is_gloo_available is_torchelastic_launched isend monitored_barrier new_group recv reduce reduce_scatter reduce_scatter_tensor scatter scatter_object_list send
distributed._composable.fsdp: FSDPModule fully_shard
distributed._composable.fsdp.fully_shard: FSDPModule fully_shard
distributed._functional_collectives: all_to_all_single_autograd wait_tensor AsyncCollectiveTensor
distributed._tensor: DTensor
distributed._tensor.experimental:
distributed.algorithms._checkpoint.checkpoint_wrapper: CheckpointImpl CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper offload_wrapper
distributed.checkpoint: FileSystemReader FileSystemWriter load load_state_dict save save_state_dict
distributed.checkpoint._consolidate_hf_safetensors: consolidate_safetensors_files
distributed.checkpoint.format_utils: _EmptyStateDictLoadPlanner _load_state_dict
distributed.checkpoint.state_dict_loader: _load_state_dict
distributed.distributed_c10d: _get_default_group _new_process_group_helper
distributed.fsdp.fully_sharded_data_parallel: CPUOffload FullOptimStateDictConfig FullStateDictConfig MixedPrecision ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictType
distributed.fsdp.wrap: _or_policy
distributed.rpc.api: _all_gather _require_initialized
distributed.tensor._utils: compute_local_shape_and_global_offset
distributed.tensor.experimental._attention:
distributed.tensor.placement_types: _StridedShard
distributed.utils: _sync_module_states
export._trace:
fx.operator_schemas:
fx.passes.graph_drawer:
fx.passes.split_module:
fx.traceback:
fx.experimental.proxy_tensor: disable_proxy_modes_tracing proxy_call
fx.experimental.symbolic_shapes: GuardOnDataDependentSymNode free_unbacked_symbols SymNode
fx.passes.infra.pass_base:
nn.parallel: DistributedDataParallel gather scatter
nn.parallel._functions: Gather ReduceAddCoalesced Scatter
nn.parallel.distributed:
quantization: get_default_qconfig FakeQuantizeBase
mps: empty_cache current_allocated_memory driver_allocated_memory recommended_max_memory manual_seed synchronize
nn.attention.flex_attention: AuxRequest AuxOutput
nn.functional: ScalingType SwizzleType grouped_mm scaled_mm
numa.binding:
multiprocessing: start_processes
multiprocessing.spawn:
package: PackageExporter PackageImporter
profiler: tensorboard_trace_handler
profiler.profiler: _default_schedule_fn
onnx: OperatorExportTypes TensorProtoDataType TrainingMode register_custom_op_symbolic
onnx._internal.exporter:
onnx.operators: shape_as_tensor
onnx.symbolic_helper: parse_args quantized_args
onnx.symbolic_opset9: masked_fill softmax
onnx.symbolic_opset11: select squeeze unsqueeze
onnx.symbolic_opset12: dropout
utils._sympy.numbers: IntInfinity
utils._sympy.value_ranges:
utils.bundled_inputs: augment_model_with_bundled_inputs bundle_inputs
utils.mobile_optimizer: optimize_for_mobile
utils.show_pickle:
utils.cpp_extension:
utils.data.datapipes.iter:
utils.data.datapipes.iter.combinatorics:
utils.data.graph_settings:
utils.flop_counter:
xpu: device empty_cache current_device get_device_name get_device_capability get_device_properties is_bf16_supported manual_seed manual_seed_all max_memory_allocated memory_allocated memory_reserved mem_get_info reset_peak_memory_stats set_device synchronize get_rng_state get_rng_state_all set_rng_state set_rng_state_all
_C._profiler: _ExperimentalConfig
_guards: detect_fake_mode
_subclasses.functional_tensor: FunctionalTensor mb_unwrap_functional_tensor
_subclasses.meta_utils: MetaConverter
ao.quantization.fx._equalize: convert_eq_obs update_obs_for_equalization
ao.quantization.fx.graph_module: _is_observed_module _is_observed_standalone_module
ao.quantization.fx.prepare: _insert_obs_or_fq _save_state
ao.quantization.fx.qconfig_mapping_utils: _compare_prepare_convert_qconfig_mappings _generate_node_name_to_qconfig _is_qconfig_supported_by_dtype_configs _update_qconfig_for_fusion _update_qconfig_for_qat
ao.quantization.fx.utils: _get_module
ao.quantization.quantize: _remove_qconfig
ao.quantization.quantize_fx: _convert_to_reference_decomposed_fx
ao.quantization.utils: _parent_name
distributed._shard.sharded_tensor: ShardedTensor
distributed._tensor.placement_types: DTensorSpec TensorMeta
distributed.autograd: DistAutogradContext get_gradients
distributed.checkpoint._fsspec_filesystem: FsspecReader FsspecWriter
distributed.checkpoint.state_dict: _init_optim_state
distributed.fsdp._common_utils: _FSDPState
distributed.fsdp._flat_param: FlatParamHandle FlatParameter
distributed.fsdp._runtime_utils: _post_backward_final_callback
export.unflatten: _AttrKind _assign_attr
fx.passes.split_utils: split_by_tags
fx.passes.utils.matcher_with_name_node_map_utils: InternalMatch SubgraphMatcherWithNameNodeMap
fx.passes.utils.source_matcher_utils: SourcePartition check_subgraphs_connected get_source_partitions
profiler._memory_profiler: MemoryProfileTimeline _CATEGORY_TO_COLORS _CATEGORY_TO_INDEX
sparse: SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS to_sparse_semi_structured
utils.data._utils.signal_handling: _set_SIGCHLD_handler
utils.data._utils.pin_memory: _pin_memory_loop
utils.data._utils.worker: ManagerWatchdog WorkerInfo _IterableDatasetStopIteration _ResumeIteration
utils.data.dataloader: _sharding_worker_init_fn
utils.data.datapipes.datapipe: _IterDataPipeSerializationWrapper _MapDataPipeSerializationWrapper
"""
"""Modules and names beside these that at least one of the libraries of tests/ecosystem imports."""


APART = set(
    """
    cuda mps xpu nn.functional autograd.profiler backends.cuda multiprocessing profiler nn.parallel nn.parallel._functions nn.attention.flex_attention sparse
    """.split()
)
"""Modules of which tensorsh has most: only the names above are listed."""
PLAIN = {"Partial", "Replicate", "Shard", "_StridedShard"}
"""Classes of which libraries make objects when they are imported: these say how something would be done."""
DECORATORS = {"_require_initialized", "record"}
"""Functions that libraries call when they are imported, to mark others."""


def written(name: str, value: object) -> str | None:
    """A name and what it is; None for constants."""
    if name in DECORATORS:
        return name + "@"
    if name in PLAIN:
        return name + "~"
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return f"{name}({','.join(value.__members__)})"
    if isinstance(value, type) and hasattr(value, "__members__"):
        return f"{name}({','.join(value.__members__)})"
    if isinstance(value, type):
        return name + "!"
    return name if callable(value) and not isinstance(value, types.ModuleType) else None


def below(package: str) -> Iterator[str]:
    """A package of ``torch`` and its public modules, as many as can be imported."""
    yield package
    found = importlib.import_module(f"torch.{package}")
    for each in pkgutil.walk_packages(getattr(found, "__path__", ()), f"torch.{package}.", onerror=lambda name: None):
        if "._" in each.name:
            continue
        try:
            importlib.import_module(each.name)
        except ImportError:  # it needs a package that is not there
            continue
        yield each.name.removeprefix("torch.")


def public(module: types.ModuleType) -> set[str]:
    """The names of a module's ``__all__``; without one, the functions and classes that it defines, or hands on."""
    ours = {
        name: str(getattr(value, "__module__", ""))
        for name, value in vars(module).items()
        if name[:1] != "_" and callable(value)
    }
    defined = {name for name, place in ours.items() if place == module.__name__}
    return set(getattr(module, "__all__", defined or {name for name, place in ours.items() if place[:6] == "torch."}))


def record() -> None:
    wanted: dict[str, set[str]] = {}
    for package in WHOLE.split():
        for dotted in below(package):
            wanted[dotted] = public(importlib.import_module(f"torch.{dotted}"))
    for line in LEANED_ON.strip().splitlines():
        dotted, _, words = line.partition(":")
        listed = () if dotted in APART else getattr(importlib.import_module(f"torch.{dotted}"), "__all__", ())
        wanted.setdefault(dotted, set()).update({*words.split(), *listed})
    lines = []
    for dotted in sorted(wanted):
        module = importlib.import_module(f"torch.{dotted}")
        told = [written(name, getattr(module, name)) for name in sorted(wanted[dotted]) if hasattr(module, name)]
        lines.append(f"{dotted}: {' '.join(each for each in told if each)}".rstrip())
    write_text("refused", REFUSED, "Module: its classes!, enumerations(members) and functions.", lines)
