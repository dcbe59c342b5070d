"""What TensorBoard shows by plugins of its own: curves of precision, sound, films, meshes, charts of several scalars, tensors."""

from __future__ import annotations

import io
import json
import struct
import tempfile
import wave
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from ._convert_np import make_np
from ._utils import _prepare_video

__all__ = ["audio", "compute_curve", "custom_scalars", "half_to_int", "int_to_half", "mesh", "pr_curve", "pr_curve_raw", "tensor_proto", "video"]  # fmt: skip

LEAST = 1e-7


def shaped(kind: str, field: str, values: list, shape: Any) -> Any:
    """A tensor as TensorBoard keeps it."""
    sizes = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in shape])
    return TensorProto(**{"dtype": kind, field: values, "tensor_shape": sizes})


def by_plugin(tag: str, name: str, content: bytes, tensor: Any) -> Any:
    """A value that a plugin shows."""
    plugin = SummaryMetadata.PluginData(plugin_name=name, content=content)
    return Summary(value=[Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin), tensor=tensor)])


def half_to_int(f: float) -> int:
    """The bits of a number. f: the number."""
    return struct.unpack("i", struct.pack("f", f))[0]


def int_to_half(i: int) -> float:
    """The number of some bits. i: the bits."""
    return struct.unpack("f", struct.pack("i", i))[0]


HALVES = {"float16": "DT_HALF", "bfloat16": "DT_BFLOAT16"}
COMPLEX = {"complex32": ("DT_COMPLEX32", "scomplex_val"), "complex64": ("DT_COMPLEX64", "scomplex_val"), "complex128": ("DT_COMPLEX128", "dcomplex_val")}  # fmt: skip
PLAIN = {
    "float32": ("DT_FLOAT", "float_val"), "float64": ("DT_DOUBLE", "double_val"), "int8": ("DT_INT8", "int_val"),
    "int16": ("DT_INT16", "int_val"), "int32": ("DT_INT32", "int_val"), "int64": ("DT_INT64", "int64_val"),
    "uint8": ("DT_UINT8", "uint32_val"), "bool": ("DT_BOOL", "bool_val"),
}  # fmt: skip


def tensor_proto(tag: str, tensor: Any) -> Any:
    """All elements of a tensor under a name. tag: the name. tensor: the tensor."""
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    name = str(tensor.dtype).removeprefix("torch.")
    if name in HALVES:
        kind, field, values = HALVES[name], "half_val", [half_to_int(x) for x in tensor.flatten().tolist()]
    elif name in COMPLEX:
        kind, field = COMPLEX[name]
        values = [part for x in tensor.flatten().tolist() for part in (x.real, x.imag)]
    elif name in PLAIN:
        (kind, field), values = PLAIN[name], tensor.flatten().tolist()
    else:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    return by_plugin(tag, "tensor", b"", shaped(kind, field, values, tensor.shape))


def compute_curve(labels: Any, predictions: Any, num_thresholds: int | None = None, weights: Any = None) -> np.ndarray:
    """For each threshold how many are rightly and wrongly taken for true and for false, precision and recall. labels: what is
    true. predictions: how probable that is. num_thresholds: how many thresholds. weights: how much each counts."""
    count = 127 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    places, true = np.int32(np.floor(predictions * (count - 1))), labels.astype(np.float64)
    hits, misses = (
        np.histogram(places, bins=count, range=(0, count - 1), weights=each * weights)[0] for each in (true, 1.0 - true)
    )
    tp, fp = (np.cumsum(each[::-1])[::-1] for each in (hits, misses))
    tn, fn = fp[0] - fp, tp[0] - tp
    return np.stack((tp, fp, tn, fn, tp / np.maximum(LEAST, tp + fp), tp / np.maximum(LEAST, tp + fn)))


def curve(tag: str, data: np.ndarray, num_thresholds: int) -> Any:
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    return by_plugin(tag, "pr_curves", content, shaped("DT_FLOAT", "float_val", data.reshape(-1).tolist(), data.shape))


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Any:
    """Precision and recall of predictions. tag: the name; the others are those of `compute_curve`."""
    num_thresholds = min(num_thresholds, 127)
    return curve(tag, compute_curve(labels, predictions, num_thresholds, weights), num_thresholds)


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any, num_thresholds: int = 127, weights: Any = None
) -> Any:  # fmt: skip
    """Precision and recall that are known. tag: the name. tp, fp, tn, fn: counts of true and false positives and negatives.
    weights: not used."""
    return curve(tag, np.stack((tp, fp, tn, fn, precision, recall)), min(num_thresholds, 127))


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Any:
    """A sound. tag: the name. tensor: amplitudes from -1 to 1. sample_rate: so many a second."""
    array = make_np(tensor).squeeze()
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    assert array.ndim == 1, "input tensor should be 1 dimensional."
    array = (array * np.iinfo(np.int16).max).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(sample_rate)
        written.writeframes(array.tobytes())
    made = Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(array), encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, audio=made)])


def video(tag: str, tensor: Any, fps: float = 4) -> Any:
    """A film, by the package moviepy. tag: the name. tensor: films, times, colours, rows, columns. fps: times a second."""
    array = _prepare_video(make_np(tensor)).astype(np.float32)
    return Summary(value=[Summary.Value(tag=tag, image=make_video((array * 255).clip(0, 255).astype(np.uint8), fps))])


def make_video(tensor: np.ndarray, fps: float) -> Any:
    try:
        import moviepy  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        print("add_video needs package moviepy")
        return None
    try:
        from moviepy import editor  # type: ignore[import-not-found]
    except ImportError:
        print(
            "moviepy is installed, but can't import moviepy.editor.",
            "Some packages could be missing [imageio, requests]",
        )
        return None
    _, h, w, colours = tensor.shape
    with tempfile.NamedTemporaryFile(suffix=".gif") as file:
        editor.ImageSequenceClip(list(tensor), fps=fps).write_gif(file.name, verbose=False, logger=None)
        return Summary.Image(height=h, width=w, colorspace=colours, encoded_image_string=file.read())


def custom_scalars(layout: dict) -> Any:
    """Charts of several scalars. layout: of each category its charts, of each chart ["Multiline" or "Margin", tags]."""
    from tensorboard.plugins.custom_scalar import layout_pb2 as made

    categories = []
    for title, charts in layout.items():
        drawn = []
        for name, (kind, tags, *_) in charts.items():
            if kind == "Margin":
                assert len(tags) == 3, "len(tags) != 3"
                series = made.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
                drawn.append(made.Chart(title=name, margin=made.MarginChartContent(series=[series])))
            else:
                drawn.append(made.Chart(title=name, multiline=made.MultilineChartContent(tag=tags)))
        categories.append(made.Category(title=title, chart=drawn))
    words = made.Layout(category=categories).SerializeToString()
    tensor = TensorProto(dtype="DT_STRING", string_val=[words], tensor_shape=TensorShapeProto())
    return by_plugin("custom_scalars__config__", "custom_scalars", b"", tensor)


def mesh(
    tag: str, vertices: Any, colors: Any, faces: Any, config_dict: Any, display_name: Any = None, description: Any = None
) -> Any:  # fmt: skip
    """Points in space, or surfaces. tag: the name. vertices: points. colors: those of the points. faces: three points each.
    config_dict: how ThreeJS draws them. display_name, description: words."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    given = [(vertices, MeshPluginData.VERTEX), (faces, MeshPluginData.FACE), (colors, MeshPluginData.COLOR)]
    given = [(make_np(each), kind) for each, kind in given if each is not None]
    parts = metadata.get_components_bitmask([kind for _, kind in given])
    made = []
    for array, kind in given:
        told = metadata.create_summary_metadata(
            tag, display_name, kind, parts, array.shape, description, json_config=config
        )
        tensor = shaped("DT_FLOAT", "float_val", array.reshape(-1).tolist(), array.shape[:3])
        made.append(Summary.Value(tag=metadata.get_instance_name(tag, kind), tensor=tensor, metadata=told))
    return Summary(value=made)
