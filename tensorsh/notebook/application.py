"""ipykernel's application, with one thread for the cells of one session."""

from __future__ import annotations

from typing import Any

from ipykernel.kernelapp import IPKernelApp


class Application(IPKernelApp):
    """The process of one kernel.

    ipykernel receives requests in a thread that hands them to subshells. Programs of one session take turns, so that there are
    none; and a socket that one thread receives from while another answers on it ends the process (an assertion of ZeroMQ).
    """

    def init_control(self, context: Any) -> None:
        super().init_control(context)
        self.shell_channel_thread = None
