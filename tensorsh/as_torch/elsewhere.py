"""Names that only Python written for PyTorch asks for: where PyTorch has them, and the file that has them here."""

from __future__ import annotations

from functools import cache

TABLE = """
torch                                quantized                _empty_affine_quantized
torch                                checks                   _check _check_index _check_is_size _check_not_implemented _check_tensor_all _check_type _check_value _check_with _assert
torch                                storage                  _storage_classes
torch.autograd.gradcheck             autograd.checking        GradcheckError
torch.nn.modules.module              nn.modules.hooks         register_module_backward_hook register_module_buffer_registration_hook register_module_module_registration_hook register_module_parameter_registration_hook
torch.autograd.function              autograd.function        FunctionCtx=FunctionNode InplaceFunction BackwardCFunction NestedIOFunction
torch.amp.grad_scaler                grad_scaler              GradScaler OptState _refresh_per_optimizer_state
torch.cuda.amp.grad_scaler           amp                      GradScaler=CudaGradScaler
torch.cuda.amp.common                amp                      amp_definitely_not_available
torch.cpu.amp.grad_scaler            amp                      GradScaler=CpuGradScaler
torch.compiler                       compiler                 set_stance
torch                                compiler                 _disable_dynamo=disable
torch._jit_internal                  jit                      Final export ignore is_scripting unused _isinstance=isinstance _overload _overload_method _copy_to_script_wrapper=as_it_is
torch.jit._trace                     jit                      TracerWarning
torch.cuda._utils                    utils._flat              _get_device_index
torch._jit_internal                  jit.annotations          Any BroadcastingList1 BroadcastingList2 BroadcastingList3 Dict List Optional Tuple Union
torch.autograd                       utils.checkpoint         _is_checkpoint_valid=is_checkpoint_valid
torch._compile                       compiler                 _disable_dynamo=disable
torch.nn.modules.instancenorm        nn.modules.batchnorm     _InstanceNorm
torch.distributions.transforms       distributions.transform  _InverseTransform
torch.distributions.transforms       distributions.maps       _clipped_sigmoid=clipped_sigmoid
torch.nn.modules.linear              nn.modules.attention     NonDynamicallyQuantizableLinear
torch.nn.modules.lazy                nn.modules.lazy          LazyModuleMixin
torch.nn.modules.module              nn.modules.state         _IncompatibleKeys
torch.optim.lr_scheduler             optim.schedule           EPOCH_DEPRECATION_WARNING=EPOCH_GIVEN
torch.optim.optimizer                optim.optimizer          register_optimizer_step_pre_hook register_optimizer_step_post_hook
torch.optim.optimizer                optim.leaned_on          ParamsT _capturable_doc _default_to_fused_or_foreach _differentiable_doc _disable_dynamo_if_unsupported _foreach_doc _fused_doc _get_scalar_dtype _get_value _maximize_doc _params_doc _stack_if_compiling _to_scalar _use_grad_for_differentiable _view_as_real
torch.optim.lr_scheduler             optim.leaned_on          _enable_get_lr_call _warn_get_lr_called_within_step
torch.optim.lbfgs                    optim.lbfgs              _cubic_interpolate=cubic _strong_wolfe=strong_wolfe
torch.autograd.functional            autograd.functional      _as_tuple=_tuple _construct_standard_basis_for=standard_basis _grad_postprocess=detached _tuple_postprocess=unpacked
torch.nn.modules.module              nn.modules.leaned_on     _addindent _grad_t
torch.nn.functional                  nn.modules.leaned_on     _in_projection_packed _in_projection _none_or_dtype _canonical_mask _get_softmax_dim
torch.nn.modules.utils               nn.modules.leaned_on     _reverse_repeat_tuple _list_with_default
torch.nn.modules.transformer         nn.modules.transformer   _get_activation_fn=activation_of _get_clones=copies
torch.nn.modules.batchnorm           nn.modules.batchnorm     _LazyNormBase=LazyNorm
torch.nn.modules.pooling             nn.modules.pooling       _MaxPoolNd=MaxPool _MaxUnpoolNd=MaxUnpool _AdaptiveAvgPoolNd=AdaptiveAvgPool _AdaptiveMaxPoolNd=AdaptiveMaxPool
torch.nn.modules.padding             nn.modules.padding       _ConstantPadNd=ConstantPadding
torch.nn.modules.conv                nn.common_types          _size_1_t _size_2_t _size_3_t
torch.nn.modules.container           jit                      _copy_to_script_wrapper=as_it_is
torch.nn.utils.clip_grad             nn.utils.clip_grad       _get_total_norm=get_total_norm
torch.nn.init                        nn.modules.leaned_on     _no_grad_fill_ _no_grad_normal_ _no_grad_trunc_normal_ _no_grad_uniform_ _no_grad_zero_
torch.serialization                  storage_locations        default_restore_location location_tag normalize_storage_type
torch.autograd.profiler_util         profiler                 EventList FunctionEvent FunctionEventAvg=FunctionEvent _format_time=in_words
torch.autograd                       autograd.profiler        kineto_available
torch.profiler                       autograd.profiler        kineto_available itt
torch._vmap_internals                mapping                  _vmap=vmap vmap
torch.masked                         masked.where             _where
torch.autograd                       autograd.shapes          _calculate_shape
torch.distributions.multivariate_normal distributions.multivariate _precision_to_scale_tril=lower_of_precision _batch_mv=batch_mv _batch_mahalanobis=mahalanobis
torch.nn.parameter                   nn.parameter             UninitializedTensorMixin=Uninitialized
torch.distributions.dirichlet        distributions.multivariate _Dirichlet_backward Dirichlet
torch.distributions.kl               distributions.kl_rules   _kl_expfamily_expfamily=exponential_family
torch.serialization                  file_options             DEFAULT_PROTOCOL PROTOCOL_VERSION LONG_SIZE INT_SIZE SHORT_SIZE STORAGE_KEY_SEPARATOR SourceChangeWarning LoadEndianness get_default_load_endianness set_default_load_endianness check_module_version_greater_or_equal skip_data _is_zipfile get_crc32_options set_crc32_options
torch.serialization                  serialization            get_unsafe_globals_in_checkpoint
torch.serialization                  file_options             set_default_mmap_options get_default_mmap_options
torch.serialization                  pickling                 _get_layout pickle
torch._utils                         rebuilding               _rebuild_tensor _rebuild_tensor_v2 _rebuild_tensor_v3 _rebuild_meta_tensor_no_storage _rebuild_on _rebuild_storage _rebuild_sparse_tensor _rebuild_parameter _rebuild_parameter_with_state _element_size ExceptionWrapper
torch._utils                         utils._flat              _flatten_dense_tensors _unflatten_dense_tensors _take_tensors _reorder_tensors_as _get_available_device_type _get_device_module _get_all_device_indices _get_device_index _import_dotted_name classproperty
torch.nn.parallel.scatter_gather     utils._flat              scatter_kwargs is_namedtuple _is_namedtuple=is_namedtuple
torch.utils.data._utils.collate      utils.data.collate       default_collate_err_msg_format=WRONG_KIND default_collate_fn_map collate_tensor_fn np_str_obj_array_pattern collate
torch.multiprocessing                multiprocessing.spawning ENV_VAR_PARALLEL_START
torch.multiprocessing.spawn          multiprocessing.spawning ENV_VAR_PARALLEL_START ProcessContext ProcessException ProcessExitedException ProcessRaisedException SpawnContext=ProcessContext spawn start_processes
torch.nested._internal.nested_tensor nested                  jagged_from_list nested_view_from_values_offsets nested_view_from_values_offsets_lengths nested_from_padded
torch.nested._internal.nested_tensor nested_jagged           NestedTensor get_tensor_symint=symbol_of _rebuild_njt
torch                                nested                  _nested_tensor_from_mask _nested_from_padded _nested_from_padded_and_nested_example
torch                                nested_strided          _nested_view_from_buffer
torch._utils                         nested_strided          _rebuild_nested_tensor
torch._higher_order_ops              control_flow             cond while_loop scan associative_scan map
torch._higher_order_ops.cond         control_flow             cond UnsupportedAliasMutationException
torch._higher_order_ops.while_loop   control_flow             while_loop
torch._higher_order_ops.map          control_flow             map
torch._higher_order_ops.scan         control_flow             scan
torch._higher_order_ops.associative_scan control_flow         associative_scan
torch._linalg_utils                  rebuilding               matmul qform
torch._tensor                        rebuilding               _rebuild_from_type_v2
torch.storage                        serialization            _load_from_bytes
torch._utils_internal                rebuilding               get_file_path_2 get_writable_path
torch._prims_common                  rebuilding               corresponding_complex_dtype corresponding_real_dtype
torch.overrides                      overrides                get_testing_overrides _get_current_function_mode _get_current_function_mode_stack BaseTorchFunctionMode enable_reentrant_dispatch get_default_nowrap_functions has_torch_function_unary has_torch_function_variadic
torch.nn.utils._per_sample_grad      nn.utils.per_sample      call_for_per_sample_grads
torch.nn.utils.stateless             stateless                _functional_call=functional_call
torch.nn.utils.prune                 nn.utils.prune           _validate_pruning_amount_init _validate_pruning_amount _compute_nparams_toprune
torch.sparse                         sparse_typed             FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor ByteTensor
torch.random                         settings                 default_generator
torch.nn.utils.spectral_norm         nn.utils.spectral_normalization SpectralNorm SpectralNormLoadStateDictPreHook SpectralNormStateDictHook
torch.nn.utils.weight_norm           nn.utils.weight_normalization WeightNorm
torch.testing                        testing                  assert_allclose
torch.testing                        file_check               FileCheck
torch.utils.data.dataloader          utils.data.workers       _MultiProcessingDataLoaderIter=WorkersPass
torch.utils.data                     utils.data.datapipes     IterDataPipe MapDataPipe DFIterDataPipe DataChunk functional_datapipe
torch.utils.data.datapipes.datapipe  utils.data.datapipes     IterDataPipe MapDataPipe DFIterDataPipe DataChunk
torch.utils.data.datapipes._decorator utils.data.datapipes    functional_datapipe
torch.utils.data.datapipes.iter      utils.data.datapipes     IterableWrapper Mapper Collator Filter UnBatcher Shuffler Batcher Concater Zipper ShardingFilter Forker Demultiplexer Multiplexer Grouper Sampler=Sampling
torch.utils.data.datapipes.iter      utils.data.file_pipes    FileLister FileOpener StreamReader
torch.utils.data.datapipes.iter.filelister utils.data.file_pipes FileListerIterDataPipe=FileLister
torch.utils.data.datapipes.iter.fileopener utils.data.file_pipes FileOpenerIterDataPipe=FileOpener
torch.utils.data.datapipes.iter.streamreader utils.data.file_pipes StreamReaderIterDataPipe=StreamReader
torch.utils.data.datapipes.utils.common utils.data.file_pipes StreamWrapper
torch.utils.data.datapipes.iter.callable utils.data.datapipes MapperIterDataPipe=Mapper CollatorIterDataPipe=Collator
torch.utils.data.datapipes.iter.combinatorics utils.data.datapipes ShufflerIterDataPipe=Shuffler SamplerIterDataPipe=Sampling
torch.utils.data.datapipes.iter.combining utils.data.datapipes ConcaterIterDataPipe=Concater ZipperIterDataPipe=Zipper ForkerIterDataPipe=Forker DemultiplexerIterDataPipe=Demultiplexer MultiplexerIterDataPipe=Multiplexer
torch.utils.data.datapipes.iter.combining utils.data.shared_pipes _ChildDataPipe _ForkerIterDataPipe=Forked _DemultiplexerIterDataPipe=Parted
torch.utils.data.datapipes.iter.grouping utils.data.datapipes BatcherIterDataPipe=Batcher UnBatcherIterDataPipe=UnBatcher GrouperIterDataPipe=Grouper
torch.utils.data.datapipes.iter.selecting utils.data.datapipes FilterIterDataPipe=Filter
torch.utils.data.datapipes.iter.sharding utils.data.datapipes ShardingFilterIterDataPipe=ShardingFilter
torch.utils.data.datapipes.iter.sharding utils.data.pipe SHARDING_PRIORITIES
torch.utils.data.datapipes.iter.utils utils.data.datapipes    IterableWrapperIterDataPipe=IterableWrapper
torch.utils.data.datapipes.map       utils.data.keyed_pipes   SequenceWrapper Mapper Concater Zipper Batcher Shuffler
torch.utils.data.datapipes.map.callable utils.data.keyed_pipes MapperMapDataPipe=Mapper default_fn
torch.utils.data.datapipes.map.combinatorics utils.data.keyed_pipes ShufflerIterDataPipe=Shuffler
torch.utils.data.datapipes.map.combining utils.data.keyed_pipes ConcaterMapDataPipe=Concater ZipperMapDataPipe=Zipper
torch.utils.data.datapipes.map.grouping utils.data.keyed_pipes BatcherMapDataPipe=Batcher
torch.utils.data.datapipes.map.utils utils.data.keyed_pipes   SequenceWrapperMapDataPipe=SequenceWrapper
torch.utils.data.datapipes.utils.common utils.data.functions  validate_input_col _check_unpickable_fn
torch.utils.data._utils.worker       utils.data.workers       _generate_state
torch.utils.data._utils              utils.data.workers       MP_STATUS_CHECK_INTERVAL
torch.distributed.checkpoint._nested_dict distributed.checkpoint._traverse flatten_state_dict unflatten_state_dict
torch.distributed.checkpoint.utils   distributed.checkpoint.planner_helpers find_state_dict_object
torch.distributed.checkpoint._dedup_save_plans distributed.checkpoint.planner_helpers dedup_save_plans
torch.distributed.checkpoint._dedup_tensors distributed.checkpoint.planner_helpers dedup_tensors
torch.distributed.tensor._utils      distributed.tensor.moving compute_local_shape_and_global_offset=placed
torch.distributed._tensor._utils     distributed.tensor.moving compute_local_shape_and_global_offset=placed
torch.distributed._tensor.experimental distributed.tensor.experimental implicit_replication
torch.utils.data.graph_settings      utils.data.datapipes     apply_sharding apply_shuffle_settings apply_random_seed
torch.utils.data.graph_settings      utils.data.graph         get_all_graph_pipes
"""
"""A line: PyTorch's module, the file of tensorsh/torch, the names; `theirs=ours` where they differ."""


@cache
def places() -> dict[str, tuple[str, str]]:
    """Each name with its module in PyTorch -> the file here, and its name there."""
    found = {}
    for line in TABLE.strip().splitlines():
        module, file, *words = line.split()
        for word in words:
            name, _, own = word.partition("=")
            found[f"{module}.{name}"] = file, own or name
    return found
