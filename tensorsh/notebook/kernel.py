"""The Jupyter kernel, on ipykernel's own base class: messages in, a dialogue with one session behind them.

What a client sends reaches the session's gate or nothing: cells and `user_expressions` are programs of the session, there
is no `get_ipython()`, no shell escape, no comm and no debugger.
"""

from __future__ import annotations

import sys
from typing import Any

from ipykernel.kernelbase import Kernel

from .. import __version__
from ..command.arguments import Options
from .bundle import html_of_text
from .cells import Cells


class Answers:
    """Standard input of programs: each line is asked of the person at the notebook."""

    def __init__(self, kernel: TensorshKernel) -> None:
        self.kernel = kernel

    def readline(self, size: int = -1) -> str:
        """A line with its end. Raises EOFError where the client cannot be asked."""
        return self.answer("")

    def answer(self, prompt: str) -> str:
        """The answer to a question, with its end."""
        from ipykernel.kernelbase import StdinNotImplementedError

        try:
            return str(self.kernel.raw_input(prompt)) + "\n"
        except StdinNotImplementedError:
            raise EOFError("this notebook's client cannot be asked for input") from None


class TensorshKernel(Kernel):
    """One notebook's kernel: one session."""

    implementation = "tensorsh"
    implementation_version = __version__
    banner = f"tensorsh {__version__}: torch's names need no prefix; name? explains, %help lists commands."
    language_info = {
        "name": "tensorsh",
        "version": __version__,
        "mimetype": "text/x-python",
        "file_extension": ".tsr",
        "pygments_lexer": "tensorsh",
        "codemirror_mode": {"name": "ipython", "version": 3},
        "nbconvert_exporter": "python",
    }
    help_links = []
    options = Options()
    """The options that the process was started with."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.cells = Cells(self.options, Answers(self), self.publish, self.update, self.clear)

    _execute_sleep: float = 0.0  # each flush has waited for its end

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        """Note the message that is being answered; what is printed belongs to it."""
        super().set_parent(ident, parent, channel)
        for stream in (sys.stdout, sys.stderr):
            if channel == "shell" and hasattr(stream, "set_parent"):
                stream.set_parent(parent)

    def publish(self, data: dict[str, Any], metadata: dict[str, Any], is_result: bool, display: str | None) -> None:
        """Send a MIME bundle to the clients."""
        content: dict[str, Any] = {"data": data, "metadata": metadata}
        if display is not None:
            content["transient"] = {"display_id": display}
        kind = "display_data"
        if is_result:
            kind, content["execution_count"] = "execute_result", self.execution_count
        self._flush()
        self.send_response(self.iopub_socket, kind, content)

    def update(self, data: dict[str, Any], display: str) -> None:
        """Replace what was displayed under a name."""
        content = {"data": data, "metadata": {}, "transient": {"display_id": display}}
        self.send_response(self.iopub_socket, "update_display_data", content)

    def clear(self, wait: bool) -> None:
        """Clear what stands beneath the cell."""
        self._flush()
        self.send_response(self.iopub_socket, "clear_output", {"wait": wait})

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Any = None,
        cell_id: Any = None,
    ) -> dict[str, Any]:
        """Run a cell; the reply says how it ended."""
        self._allow_stdin = allow_stdin
        failed = self.cells.run_cell(code, self.execution_count, silent, store_history and not silent)
        reply: dict[str, Any] = {"execution_count": self.execution_count}
        if failed is not None:
            told = {"ename": failed.name, "evalue": failed.value, "traceback": failed.lines}
            if not silent:
                self._flush()
                self.send_response(self.iopub_socket, "error", told)
            return {"status": "error", **reply, **told}
        payload: list[dict[str, Any]] = [
            {"source": "page", "data": {"text/plain": text}, "start": 0} for text in self.cells.pages
        ]
        if self.cells.leave is not None:
            payload.append({"source": "ask_exit", "keepkernel": False})
        self.cells.leave = None
        expressions = {key: self.cells.expression(text) for key, text in (user_expressions or {}).items()}
        return {"status": "ok", **reply, "payload": payload, "user_expressions": expressions}

    async def do_complete(self, code: str, cursor_pos: int | None) -> dict[str, Any]:
        """The completions of the word before the cursor, each with its kind, dtype and shape or signature."""
        at = _within(code, cursor_pos)
        found = self.cells.completions(code, at)
        start = found[0].start if found else at
        kinds = [
            {"start": each.start, "end": at, "text": each.text, "type": each.kind, "signature": each.detail}
            for each in found[:200]
        ]
        return {
            "status": "ok",
            "matches": [each.text for each in found],
            "cursor_start": start,
            "cursor_end": at,
            "metadata": {"_jupyter_types_experimental": kinds},
        }

    async def do_inspect(
        self, code: str, cursor_pos: int | None, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        """The facts about the name at the cursor, or about the function whose arguments are being typed."""
        text = self.cells.explanation(code, _within(code, cursor_pos), detail_level > 0)
        data = {} if text is None else {"text/plain": text, "text/html": html_of_text(text)}
        return {"status": "ok", "found": text is not None, "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        """Whether a text is a whole program, and the indentation of its next line."""
        status, indent = self.cells.is_complete(code)
        reply: dict[str, Any] = {"status": status}
        if status == "incomplete":
            reply["indent"] = " " * indent
        return reply

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> dict[str, Any]:
        """The cells of this kernel: the last ones, a range, or those that a pattern fits."""
        from fnmatch import fnmatchcase

        found = [(0, number, text) for number, text in self.cells.history]
        if hist_access_type == "range":
            found = [each for each in found if (start or 0) <= each[1] < (stop or sys.maxsize)]
        elif hist_access_type == "search":
            found = [each for each in found if fnmatchcase(each[2], pattern or "*")]
            if unique:
                found = list({each[2]: each for each in found}.values())
        if n is not None:
            found = found[-n:] if n else []
        entries = [(zero, number, (text, None)) for zero, number, text in found] if output else found
        return {"status": "ok", "history": entries}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        """Let go of the session; the process ends behind it."""
        return {"status": "ok", "restart": restart}


def _within(code: str, cursor: int | None) -> int:
    """A cursor's place in a text: its end where none is told, or one beyond it."""
    return len(code) if cursor is None else min(max(cursor, 0), len(code))
