"""``torch.utils.tensorboard._utils``: images in the order in which they are written."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["convert_to_HWC", "figure_to_image", "make_grid"]


def figure_to_image(figures: Any, close: bool = True) -> np.ndarray:
    """A figure of matplotlib, or several, as arrays of colours, rows and columns. close: whether they are not used any more."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if isinstance(figures, list):
        return np.stack([figure_to_image(each, close) for each in figures])
    canvas = FigureCanvasAgg(figures)
    canvas.draw()
    if close:
        pyplot.close(figures)
    return np.asarray(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1)


def make_grid(I: np.ndarray, ncols: int = 8) -> np.ndarray:  # noqa: E741 - PyTorch's name
    """Images beside and below one another. I: images, colours, rows, columns. ncols: how many stand beside one another."""
    many = I.repeat(3, 1) if I.shape[1] == 1 else I
    assert many.ndim == 4 and many.shape[1] == 3, "Input should be a 4D numpy array with 3 channels"
    wide = min(len(many), ncols)
    high = -(-len(many) // wide)
    _, colours, h, w = many.shape
    grid = np.zeros((colours, h * high, w * wide), many.dtype)
    for i, one in enumerate(many):
        top, left = i // wide * h, i % wide * w
        grid[:, top : top + h, left : left + w] = one
    return grid


def convert_to_HWC(tensor: np.ndarray, input_format: str) -> np.ndarray:  # noqa: N802
    """Images of any order of dimensions as rows, columns and three colours; several beside one another. input_format: the order,
    such as NCHW."""
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"You can not use the same dimension shorthand twice. input_format: {input_format}")
    if tensor.ndim != len(input_format):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {tensor.shape}, input_format: {input_format}"
        )
    order = input_format.upper()
    if "N" in order:
        return make_grid(tensor.transpose([order.find(c) for c in "NCHW"])).transpose(1, 2, 0)
    if "C" not in order:
        return np.stack([tensor.transpose([order.find(c) for c in "HW"])] * 3, 2)
    one = tensor.transpose([order.find(c) for c in "HWC"])
    return np.concatenate([one] * 3, 2) if one.shape[2] == 1 else one


def _prepare_video(V: np.ndarray) -> np.ndarray:  # noqa: N803
    """Films beside and below one another: times, rows, columns, colours."""
    count, times, colours, h, w = V.shape
    whole = 1 << (count - 1).bit_length() if count & (count - 1) else count
    V = np.float32(V) / 255.0 if V.dtype == np.uint8 else V
    V = np.concatenate([V, np.zeros((whole - count, times, colours, h, w))]) if whole != count else V
    high = 2 ** ((count.bit_length() - 1) // 2)
    parts = V.reshape(high, whole // high, times, colours, h, w).transpose(2, 0, 4, 1, 5, 3)
    return parts.reshape(times, high * h, whole // high * w, colours)
