"""ipykernel's application, with one thread for the cells of one session."""

from __future__ import annotations

import re
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.session import json_packer

from ..language.source import escaped

_HALF = re.compile(r"[\ud800-\udfff]")


class Application(IPKernelApp):
    """The process of one kernel.

    ipykernel receives requests in a thread that hands them to subshells. Programs of one session take turns, so that there are
    none; and a socket that one thread receives from while another answers on it ends the process (an assertion of ZeroMQ).
    """

    def init_control(self, context: Any) -> None:
        super().init_control(context)
        self.shell_channel_thread = None
        self.session.pack = packed


def packed(message: Any) -> bytes:
    """A message as it is sent. Half a character of UTF-16 that a program prints or raises, which no message can hold, stands in it
    as its escape: else nothing would be sent, and whoever waits for the answer would wait for ever."""
    try:
        return json_packer(message)
    except UnicodeEncodeError:
        return json_packer(_whole(message))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return escaped(_HALF, value)
    if isinstance(value, dict):
        return {_whole(key): _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list | tuple) else value
