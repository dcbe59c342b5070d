"""`SummaryWriter`: the file of one run, which TensorBoard shows."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import Any, NoReturn

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from .summary import default_bins, histogram, hparams, image, scalar, text

__all__ = ["FileWriter", "SummaryWriter"]


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
        import numpy as np
        from matplotlib import pyplot
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figures = figure if isinstance(figure, list) else [figure]
        drawn = []
        for each in figures:
            canvas = FigureCanvasAgg(each)
            canvas.draw()
            drawn.append(np.asarray(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1))
            if close:
                pyplot.close(each)
        if isinstance(figure, list):
            self.add_images(tag, np.stack(drawn), global_step, walltime)
        else:
            self.add_image(tag, drawn[0], global_step, walltime)

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
            "tensorsh writes scalars, histograms, images, figures, texts and hyperparameters for TensorBoard: add one of these"
        )

    add_graph = add_onnx_graph = add_embedding = add_video = add_audio = add_mesh = add_pr_curve = add_pr_curve_raw = (
        _refuse
    )
    add_custom_scalars = add_histogram_raw = add_image_with_boxes = add_tensor = _refuse

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
