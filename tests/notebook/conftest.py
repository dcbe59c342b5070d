"""One running kernel for the tests of notebooks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorsh.notebook.launch import specification

ROOT = Path(__file__).parents[2]


class Client:
    """A client of a kernel: what it is sent, and what comes back."""

    def __init__(self, folder: Path) -> None:
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import KernelManager

        self.manager = KernelManager(transport="ipc", ip=str(folder / "kernel"))
        self.manager._kernel_spec = KernelSpec(**specification())
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "PYTHONWARNINGS": "ignore"}
        self.manager.start_kernel(cwd=str(folder), env=environment, stderr=sys.stderr)
        self.channels = self.manager.client()
        self.channels.start_channels()
        self.channels.wait_for_ready(timeout=60)

    def run(self, code: str, timeout: float = 60, **options: Any) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
        """The reply to a cell, and what it showed: `(kind, content)` of each output."""
        shown: list[tuple[str, Any]] = []

        def note(message: dict[str, Any]) -> None:
            if message["msg_type"] not in ("status", "execute_input"):
                shown.append((message["msg_type"], message["content"]))

        reply = self.channels.execute_interactive(code, timeout=timeout, output_hook=note, **options)
        return reply["content"], shown

    def texts(self, code: str, **options: Any) -> list[str]:
        """What a cell showed, as text, with what it sent to the pager."""
        found: list[str] = []
        reply, shown = self.run(code, **options)
        for (kind, content), (before, earlier) in zip(shown, [("", {}), *shown], strict=False):
            if kind == before == "stream" and content["name"] == earlier["name"]:
                found[-1] += content["text"]  # a text comes in parts where the stream's timer ran out within it
            elif kind == "stream":
                found.append(content["text"])
            elif kind == "error":
                found.append(f"{content['ename']}: {content['evalue']}")
            else:
                found.append(content["data"]["text/plain"])
        return found + [each["data"]["text/plain"] for each in reply.get("payload", ()) if each["source"] == "page"]

    def close(self) -> None:
        self.channels.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    client = Client(tmp_path_factory.mktemp("notebook"))
    yield client
    client.close()
