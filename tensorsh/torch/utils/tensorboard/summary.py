"""What TensorBoard shows, as its package wants it: scalars, histograms, images, texts, hyperparameters."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

__all__ = ["histogram", "hparams", "image", "make_np", "scalar", "text"]


def make_np(x: Any) -> np.ndarray:
    """A tensor, a number or a list as an array."""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if hasattr(x, "detach"):
        return x.detach().cpu().resolve_conj().numpy()
    if isinstance(x, (list, tuple)):
        return np.array(x)
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def scalar(name: str, tensor: Any) -> Any:
    """One number under a name."""
    value = make_np(tensor).squeeze()
    if value.ndim:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {value.size} and {value.ndim} dimensions."
        )
    return Summary(value=[Summary.Value(tag=name, simple_value=float(value))])


def default_bins() -> list[float]:
    """The borders of TensorBoard's histograms: each a tenth larger than the one before."""
    bins, v = [], 1e-12
    while v < 1e20:
        bins.append(v)
        v *= 1.1
    return [*(-b for b in reversed(bins)), 0.0, *bins]


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Any:
    """How many values lie between each two borders."""
    values = make_np(values).astype(float).reshape(-1)
    if not values.size:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        counts = np.add.reduceat(counts, np.arange(0, len(counts), step))
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = filled[0], filled[-1] + 1
    counts = counts[first - 1 : last] if first > 0 else np.concatenate([[0], counts[:last]])
    made = HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values.dot(values),
        bucket_limit=limits[first : last + 1].tolist(), bucket=counts.tolist(),
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=name, histo=made)])


def in_rows(array: np.ndarray, dataformats: str) -> np.ndarray:
    """Images of any order of dimensions as rows, columns and three colours; several beside one another."""
    if array.ndim != len(dataformats):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {array.shape}, input_format: {dataformats}"
        )
    order = dataformats.upper()
    if "N" in order:
        many = array.transpose([order.find(c) for c in "NCHW"])
        many = many.repeat(3, 1) if many.shape[1] == 1 else many
        wide = min(len(many), 8)
        high = -(-len(many) // wide)
        _, colours, h, w = many.shape
        grid = np.zeros((colours, h * high, w * wide), many.dtype)
        for i, one in enumerate(many):
            top, left = i // wide * h, i % wide * w
            grid[:, top : top + h, left : left + w] = one
        return grid.transpose(1, 2, 0)
    if "C" not in order:
        return np.stack([array.transpose([order.find(c) for c in "HW"])] * 3, 2)
    one = array.transpose([order.find(c) for c in "HWC"])
    return np.concatenate([one] * 3, 2) if one.shape[2] == 1 else one


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """A picture, encoded as PNG."""
    from PIL import Image

    array = in_rows(make_np(tensor), dataformats)
    whole = array.dtype == np.uint8
    array = np.clip(array.astype(np.float32) * (1 if whole else 255), 0, 255).astype(np.uint8)
    picture = Image.fromarray(array)
    if rescale != 1:
        picture = picture.resize((int(array.shape[1] * rescale), int(array.shape[0] * rescale)))
    file = io.BytesIO()
    picture.save(file, format="PNG")
    shown = Summary.Image(
        height=picture.height, width=picture.width, colorspace=array.shape[2], encoded_image_string=file.getvalue()
    )
    return Summary(value=[Summary.Value(tag=tag, image=shown)])


def text(tag: str, words: str) -> Any:
    """A text, which TensorBoard reads as Markdown."""
    plugin = SummaryMetadata.PluginData(plugin_name="text", content=b"")
    value = TensorProto(
        dtype="DT_STRING", string_val=[words.encode("utf-8")],
        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
    )  # fmt: skip
    return Summary(
        value=[Summary.Value(tag=tag + "/text_summary", metadata=SummaryMetadata(plugin_data=plugin), tensor=value)]
    )


def hparams(given: dict, metrics: dict, discrete: dict) -> list[Any]:
    """What a run was given and what is measured of it: the experiment, the beginning and the end of its session."""
    from tensorboard.plugins.hparams.api_pb2 import DataType, Experiment, HParamInfo, MetricInfo, MetricName, Status
    from tensorboard.plugins.hparams.metadata import (
        EXPERIMENT_TAG,
        PLUGIN_DATA_VERSION,
        PLUGIN_NAME,
        SESSION_END_INFO_TAG,
        SESSION_START_INFO_TAG,
    )
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

    start, infos = SessionStartInfo(), []
    for name, value in given.items():
        value = value.item() if hasattr(value, "item") else value
        if value is None:
            continue
        if isinstance(value, str):
            start.hparams[name].string_value, kind = value, "DATA_TYPE_STRING"
        elif isinstance(value, (int, float)):
            start.hparams[name].number_value = value
            kind = "DATA_TYPE_BOOL" if isinstance(value, bool) and name in discrete else "DATA_TYPE_FLOAT64"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        info = HParamInfo(name=name, type=DataType.Value(kind))
        if name in discrete:
            info.domain_discrete.extend(discrete[name])
        infos.append(info)
    measured = [MetricInfo(name=MetricName(tag=name)) for name in metrics]
    parts = {
        EXPERIMENT_TAG: {"experiment": Experiment(hparam_infos=infos, metric_infos=measured)},
        SESSION_START_INFO_TAG: {"session_start_info": start},
        SESSION_END_INFO_TAG: {"session_end_info": SessionEndInfo(status=Status.Value("STATUS_SUCCESS"))},
    }
    made = []
    for tag, content in parts.items():
        data = HParamsPluginData(version=PLUGIN_DATA_VERSION, **content).SerializeToString()
        plugin = SummaryMetadata.PluginData(plugin_name=PLUGIN_NAME, content=data)
        made.append(Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))]))
    return made
