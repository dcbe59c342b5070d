"""What TensorBoard shows, as its package wants it: scalars, histograms, images, texts, hyperparameters."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from ._convert_np import make_np
from ._utils import convert_to_HWC
from .charts import (
    audio,
    compute_curve,
    custom_scalars,
    half_to_int,
    int_to_half,
    mesh,
    pr_curve,
    pr_curve_raw,
    tensor_proto,
    video,
)

__all__ = [
    "audio", "compute_curve", "custom_scalars", "draw_boxes", "half_to_int", "histogram", "histogram_raw", "hparams", "image",
    "image_boxes", "int_to_half", "make_image", "mesh", "pr_curve", "pr_curve_raw", "scalar", "tensor_proto", "text", "video",
]  # fmt: skip


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


def histogram_raw(
    name: str, min: float, max: float, num: int, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any
) -> Any:  # fmt: skip
    """How values are distributed that are counted already. name: the name. min, max, num, sum, sum_squares: of all values.
    bucket_limits: the upper border of each bin. bucket_counts: how many lie in it."""
    made = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return Summary(value=[Summary.Value(tag=name, histo=made)])


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


def _calc_scale_factor(tensor: Any) -> int:
    return 1 if make_np(tensor).dtype == np.uint8 else 255


def as_bytes(array: np.ndarray) -> np.ndarray:
    """Colours from 0 to 1, or bytes, as bytes."""
    return np.clip(array.astype(np.float32) * _calc_scale_factor(array), 0, 255).astype(np.uint8)


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Any:
    """A picture, encoded as PNG."""
    made = make_image(as_bytes(convert_to_HWC(make_np(tensor), dataformats)), rescale)
    return Summary(value=[Summary.Value(tag=tag, image=made)])


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW", labels: Any = None
) -> Any:  # fmt: skip
    """A picture with boxes on it. tag: the name. tensor_image: the picture. tensor_boxes: left, top, right and bottom of each.
    rescale: how many times as large it is shown. dataformats: the order of dimensions. labels: words for the boxes."""
    array = as_bytes(convert_to_HWC(make_np(tensor_image), dataformats))
    return Summary(value=[Summary.Value(tag=tag, image=make_image(array, rescale, make_np(tensor_boxes), labels))])


def make_image(tensor: np.ndarray, rescale: float = 1, rois: Any = None, labels: Any = None) -> Any:
    """A picture of bytes, with boxes where there are any. tensor: rows, columns, colours; the others are those of `image_boxes`."""
    from PIL import Image

    high, wide, colours = tensor.shape
    picture = Image.fromarray(tensor)
    if rois is not None:
        draw_boxes(picture, rois, labels)
    picture = picture.resize((int(wide * rescale), int(high * rescale)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return Summary.Image(height=high, width=wide, colorspace=colours, encoded_image_string=file.getvalue())


def draw_boxes(disp_image: Any, boxes: Any, labels: Any = None) -> Any:
    """Draw boxes on a picture. disp_image: the picture. boxes: left, top, right and bottom of each. labels: words for them."""
    from PIL import ImageDraw, ImageFont

    draw, font = ImageDraw.Draw(disp_image), ImageFont.load_default()
    for i, (left, top, right, bottom) in enumerate(boxes[:, :4]):
        around = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(around, width=2, fill="Red")
        if labels is not None and labels[i]:
            begin, above, end, below = font.getbbox(labels[i])
            margin = np.ceil(0.05 * (below - above))
            up = bottom - (below - above) - margin
            draw.rectangle([(left, up - margin), (left + end - begin, bottom)], fill="Red")
            draw.text((left + margin, up), labels[i], fill="black", font=font)
    return disp_image


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
