"""What libraries import from parts of PyTorch that tensorsh does not have: the compiler, exporters, training on many machines.

One line a module: its name without ``torch.``, a colon, its names: classes with ``!``, members of an enumeration in
parentheses, decorators with ``@``, classes whose objects can be made with ``~``, functions as they are.
"""

from __future__ import annotations

import enum
import importlib
import types

from tensorsh.language.pytorch_names import REFUSED

from .origin import write_text

LEANED_ON = """
_custom_ops: get_ctx
_dynamo.exc: TensorifyScalarRestartAnalysis
_dynamo.utils: is_compile_supported
_dynamo._trace_wrapped_higher_order_op: TransformGetItemToIndex
_higher_order_ops.associative_scan: associative_scan
_inductor: cudagraph_mark_step_begin list_mode_options
_inductor.cpu_vec_isa: pick_vec_isa
_inductor.runtime.cache_dir_utils: cache_dir
_prims_common: is_contiguous_or_false
ao.quantization: default_per_channel_weight_observer default_weight_observer fuse_modules_qat
ao.nn.intrinsic:
ao.nn.intrinsic.qat:
ao.nn.qat:
ao.nn.quantizable:
ao.nn.quantized:
ao.nn.quantized.dynamic:
ao.pruning:
ao.quantization.fuse_modules:
ao.quantization.fx._decomposed:
autograd.profiler: emit_nvtx emit_itt
backends.cuda: SDPAParams can_use_flash_attention can_use_efficient_attention sdp_kernel
cuda: CUDAGraph graph cudart make_graphed_callables graph_pool_handle
cuda.profiler: profile start stop
cuda.graphs:
distributed: Backend DeviceMesh FileStore GroupMember P2POp ProcessGroup ReduceOp TCPStore Work _rank_not_in_group all_gather all_gather_into_tensor all_gather_object all_reduce all_to_all all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list destroy_process_group gather gather_object get_backend get_global_rank get_process_group_ranks group init_device_mesh init_process_group irecv is_mpi_available is_nccl_available is_gloo_available is_torchelastic_launched isend monitored_barrier new_group recv reduce reduce_scatter reduce_scatter_tensor scatter scatter_object_list send
distributed._composable.fsdp: FSDPModule fully_shard
distributed._composable.fsdp.fully_shard: FSDPModule fully_shard
distributed._functional_collectives: all_to_all_single_autograd wait_tensor
distributed._tensor: DTensor
distributed._tensor.experimental: implicit_replication
distributed.algorithms._checkpoint.checkpoint_wrapper: CheckpointImpl CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper offload_wrapper
distributed.algorithms.ddp_comm_hooks.default_hooks:
distributed.algorithms.ddp_comm_hooks.post_localSGD_hook: PostLocalSGDState
distributed.algorithms.ddp_comm_hooks.powerSGD_hook: PowerSGDState batched_powerSGD_hook powerSGD_hook
distributed.algorithms.join: Join
distributed.algorithms.model_averaging.averagers: ModelAverager PeriodicModelAverager
distributed.checkpoint: FileSystemReader FileSystemWriter load load_state_dict save save_state_dict
distributed.checkpoint._consolidate_hf_safetensors: consolidate_safetensors_files
distributed.checkpoint.default_planner: DefaultLoadPlanner DefaultSavePlanner
distributed.checkpoint.format_utils: _EmptyStateDictLoadPlanner _load_state_dict
distributed.checkpoint.hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
distributed.checkpoint.optimizer: load_sharded_optimizer_state_dict
distributed.checkpoint.state_dict: StateDictOptions
distributed.checkpoint.state_dict_loader: _load_state_dict
distributed.constants: default_pg_timeout
distributed.device_mesh: DeviceMesh init_device_mesh
distributed.distributed_c10d: _get_default_group is_xccl_available ReduceOp ProcessGroup
distributed.elastic.multiprocessing.errors: ChildFailedError
distributed.fsdp: BackwardPrefetch CPUOffload CPUOffloadPolicy FSDPModule FullStateDictConfig FullyShardedDataParallel
distributed.fsdp.api: FullOptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig StateDictType
distributed.fsdp.fully_sharded_data_parallel: CPUOffload FullOptimStateDictConfig FullStateDictConfig FullyShardedDataParallel MixedPrecision ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictType
distributed.fsdp.sharded_grad_scaler: ShardedGradScaler
distributed.fsdp.wrap: ModuleWrapPolicy _or_policy enable_wrap lambda_auto_wrap_policy size_based_auto_wrap_policy transformer_auto_wrap_policy
distributed.launcher.api: LaunchConfig elastic_launch
distributed.nn:
distributed.nn.functional: all_gather all_reduce broadcast reduce_scatter all_to_all
distributed.optim: DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer
distributed.pipelining: ScheduleGPipe SplitPoint pipeline
distributed.rpc: TensorPipeRpcBackendOptions init_rpc rpc_async shutdown
distributed.rpc.api: _all_gather _require_initialized
distributed.run: get_args_parser main run
distributed.tensor: DTensor Partial Replicate Shard distribute_tensor
distributed.tensor._utils: compute_local_shape_and_global_offset
distributed.tensor.experimental: context_parallel
distributed.tensor.experimental._attention: set_rotate_method
distributed.tensor.parallel:
distributed.tensor.placement_types: Shard _StridedShard
distributed.utils: _sync_module_states
export: Dim ExportedProgram export load save
export._trace:
export.decomp_utils: CustomDecompTable
fx.operator_schemas: normalize_function normalize_module create_type_hint get_signature_for_torch_op
fx.passes.graph_drawer: FxGraphDrawer
fx.passes.split_module: split_module
fx.traceback: preserve_node_meta annotate
fx.experimental.proxy_tensor: get_proxy_mode make_fx
fx.experimental.symbolic_shapes: GuardOnDataDependentSymNode free_symbols free_unbacked_symbols guard_or_false guard_or_true statically_known_true
fx.passes.infra.pass_base: PassResult PassBase
nn.parallel: DistributedDataParallel
nn.parallel.distributed: DistributedDataParallel
nn.quantized: FloatFunctional
nn.intrinsic:
nn.qat:
nn.quantizable:
monitor:
quantization: DeQuantStub QuantStub convert default_qconfig fuse_modules get_default_qconfig prepare prepare_qat quantize quantize_dynamic
mps: empty_cache current_allocated_memory driver_allocated_memory recommended_max_memory manual_seed synchronize
nn.attention.flex_attention: AuxRequest AuxOutput
nn.functional: ScalingType SwizzleType grouped_mm scaled_mm
numa.binding: AffinityMode NumaOptions
multiprocessing: start_processes
multiprocessing.spawn: ProcessRaisedException ProcessExitedException spawn
package: PackageExporter PackageImporter
profiler: tensorboard_trace_handler
profiler.profiler: _default_schedule_fn
onnx: ExportOptions ONNXProgram OperatorExportTypes TensorProtoDataType TrainingMode export register_custom_op_symbolic
onnx._internal.exporter: ONNXProgram
onnx.operators: shape_as_tensor
onnx.symbolic_helper: parse_args quantized_args
onnx.symbolic_opset9: masked_fill softmax
onnx.symbolic_opset11: select squeeze unsqueeze
onnx.symbolic_opset12: dropout
utils._sympy.numbers: IntInfinity
utils._sympy.value_ranges: ValueRanges
utils.bundled_inputs: augment_model_with_bundled_inputs bundle_inputs
utils.mobile_optimizer: optimize_for_mobile
utils.show_pickle:
utils.cpp_extension: load load_inline CppExtension CUDAExtension BuildExtension
utils.data.datapipes.iter: Batcher
utils.data.datapipes.iter.combinatorics: ShufflerIterDataPipe
utils.data.graph_settings: apply_shuffle_settings
utils.flop_counter: FlopCounterMode
xpu: device empty_cache current_device get_device_name get_device_capability get_device_properties is_bf16_supported manual_seed manual_seed_all max_memory_allocated memory_allocated memory_reserved mem_get_info reset_peak_memory_stats set_device synchronize get_rng_state get_rng_state_all set_rng_state set_rng_state_all
"""
"""Modules, and names of theirs beside those in ``__all__``, that at least one of the libraries of tests/ecosystem imports."""


PLAIN = {"Partial", "Replicate", "Shard", "_StridedShard"}
"""Classes of which libraries make objects when they are imported: these say how something would be done."""
DECORATORS = {"_require_initialized"}
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


def record() -> None:
    lines = []
    apart = {
        "cuda",
        "mps",
        "xpu",
        "nn.functional",
        "autograd.profiler",
        "backends.cuda",
        "multiprocessing",
        "profiler",
        "nn.parallel",
        "nn.attention.flex_attention",
    }
    for line in LEANED_ON.strip().splitlines():
        dotted, _, words = line.partition(":")
        module = importlib.import_module("torch." + dotted)
        names = sorted({*words.split(), *(() if dotted in apart else getattr(module, "__all__", ()))})
        told = [written(name, getattr(module, name)) for name in names if hasattr(module, name)]
        lines.append(f"{dotted}: {' '.join(each for each in told if each)}".rstrip())
    write_text("refused", REFUSED, "Module: its classes!, enumerations(members) and functions.", lines)
