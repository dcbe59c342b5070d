"""`SummaryWriter`: the file of one run, which TensorBoard shows."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import Any, NoReturn

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from ._convert_np import make_np
from ._embedding import get_embedding_info, make_mat, make_sprite, make_tsv
from ._utils import figure_to_image
from .charts import audio, custom_scalars, mesh, pr_curve, pr_curve_raw, tensor_proto, video
from .summary import default_bins, histogram, histogram_raw, hparams, image, image_boxes, scalar, text

__all__ = ["FileWriter", "SummaryWriter"]


def encoded(tag: str) -> str:
    """A name as part of a path."""
    return tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")


class FileWriter:
    """A file of events."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        self.event_writer = EventFileWriter(os.fspath(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Write an event of a step; walltime: seconds since 1970 (None: now)."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        self.event_writer.flush()

    def close(self) -> None:
        self.event_writer.close()


class SummaryWriter:
    """Writes what a run should show in TensorBoard into a folder.

    log_dir: the folder (None: ``runs/`` with the time and the machine). comment: the end of that name. purge_step: what stands
    there from this step on is hidden. max_queue, flush_secs: so many events, or seconds, are kept before they are written.
    """

    def __init__(
        self, log_dir: Any = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
        flush_secs: int = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = log_dir, purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer: Any = None
        self.all_writers: Any = None
        self.default_bins = default_bins()
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=self.purge_step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> Any:
        return self.log_dir

    def _add(self, summary: Any, step: Any, walltime: Any) -> None:
        self._get_file_writer().add_summary(summary, step, walltime)

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: Any = None, walltime: Any = None, new_style: bool = False,
        double_precision: bool = False,
    ) -> None:  # fmt: skip
        """One number of a step."""
        self._add(scalar(tag, scalar_value), global_step, walltime)

    def add_scalars(self, main_tag: str, tag_scalar_dict: dict, global_step: Any = None, walltime: Any = None) -> None:
        """Several numbers of a step in one drawing: each has a file of its own."""
        base = self._get_file_writer().get_logdir()
        for tag, value in tag_scalar_dict.items():
            folder = f"{base}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[folder].add_summary(scalar(main_tag, value), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: Any = None, bins: Any = "tensorflow", walltime: Any = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """How the values of a tensor are distributed."""
        borders = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(histogram(tag, values, borders, max_bins), global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "CHW"
    ) -> None:
        """A picture: colours from 0 to 1, or bytes."""
        self._add(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "NCHW"
    ) -> None:
        """Pictures beside one another."""
        self._add(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: Any = None
    ) -> None:
        """A figure of matplotlib, or several, as pictures."""
        drawn = figure_to_image(figure, close)
        if isinstance(figure, list):
            self.add_images(tag, drawn, global_step, walltime)
        else:
            self.add_image(tag, drawn, global_step, walltime)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Any = None, walltime: Any = None, rescale: float = 1,
        dataformats: str = "CHW", labels: Any = None,
    ) -> None:  # fmt: skip
        """A picture with boxes on it: left, top, right and bottom of each, and words for them."""
        labels = [labels] if isinstance(labels, str) else labels
        labels = labels if labels is not None and len(labels) == box_tensor.shape[0] else None
        self._add(image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels), global_step, walltime)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: Any = None, fps: float = 4, walltime: Any = None
    ) -> None:
        """A film, by the package moviepy: films, times, colours, rows, columns."""
        self._add(video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: Any = None, sample_rate: int = 44100, walltime: Any = None
    ) -> None:
        """A sound: amplitudes from -1 to 1."""
        self._add(audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: Any = None) -> None:
        """All elements of a tensor."""
        self._add(tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: int, sum: float, sum_squares: float, bucket_limits: Any,
        bucket_counts: Any, global_step: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """How values are distributed that are counted already."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Any = None, num_thresholds: int = 127,
        weights: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """Precision and recall of predictions from 0 to 1 of what is true."""
        made = pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
        false_negative_counts: Any, precision: Any, recall: Any, global_step: Any = None, num_thresholds: int = 127,
        weights: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """Precision and recall that are known."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        self._add(pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights), global_step, walltime)

    def add_custom_scalars(self, layout: dict) -> None:
        """Charts of several scalars: of each category its charts, of each chart ["Multiline" or "Margin", tags]."""
        self._add(custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(self, tags: list, category: str = "default", title: str = "untitled") -> None:
        """One chart of several scalars."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: list, category: str = "default", title: str = "untitled") -> None:
        """One chart of a scalar between two others."""
        assert len(tags) == 3, f"Expected 3 tags, got {len(tags)}."
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: Any = None,
        global_step: Any = None, walltime: Any = None,
    ) -> None:  # fmt: skip
        """Points in space, or surfaces of three points each."""
        self._add(mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: Any = None, tag: str = "default",
        metadata_header: Any = None,
    ) -> None:  # fmt: skip
        """Points of many dimensions, with labels and images, for the projector."""
        from google.protobuf import text_format
        from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

        mat = make_np(mat)
        assert mat.ndim == 2, "mat should be 2D, where mat.size(0) is the number of data points"
        global_step = 0 if global_step is None else global_step
        subdir = f"{str(global_step).zfill(5)}/{encoded(tag)}"
        base = self._get_file_writer().get_logdir()
        folder = os.path.join(base, subdir)
        if os.path.isdir(folder):
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        os.makedirs(folder, exist_ok=True)
        if metadata is not None:
            assert len(mat) == len(metadata), "#labels should equal with #data points"
            make_tsv(metadata, folder, metadata_header)
        if label_img is not None:
            assert len(mat) == label_img.shape[0], "#images should equal with #data points"
            make_sprite(label_img, folder)
        make_mat(mat, folder)
        self._projector = getattr(self, "_projector", None) or ProjectorConfig()
        self._projector.embeddings.extend([get_embedding_info(metadata, label_img, subdir, global_step, tag)])
        with open(os.path.join(base, "projector_config.pbtxt"), "wb") as file:
            file.write(text_format.MessageToString(self._projector).encode())

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: Any = None) -> None:
        """A text in Markdown."""
        self._add(text(tag, text_string), global_step, walltime)

    def add_hparams(
        self, hparam_dict: dict, metric_dict: dict, hparam_domain_discrete: Any = None, run_name: Any = None,
        global_step: Any = None,
    ) -> None:  # fmt: skip
        """The hyperparameters of a run and what came of it, in a folder below."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        folder = os.path.join(os.fspath(self.log_dir), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for each in hparams(hparam_dict, metric_dict, hparam_domain_discrete or {}):
                writer._add(each, global_step, None)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            "tensorsh has no graphs of TorchScript or ONNX for TensorBoard: print(model), or draw torch.fx.symbolic_trace(model).graph"
        )

    add_graph = add_onnx_graph = _refuse

    def flush(self) -> None:
        """Write what is kept."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what is kept, and close the files."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()
