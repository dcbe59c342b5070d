"""The command ``tensorsh`` without its start: a process that has loaded it forks a child for each call.

A start loads numpy, the engine and the editor anew, which takes longer than most programs of tests. Whoever looks at what a command
prints, at a shell, at ranks and at how they end calls `tensorsh`, `Shell` or `Call`; who looks at the start itself, its streams or its
locale starts a process. The ranks of a launcher are its forks, too.
Elsewhere than on Linux each call starts one, too.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FORKS = sys.platform == "linux"
"""Elsewhere a call starts a process, too: there are no sockets for messages with files."""
LONGEST = 1 << 20
"""Bytes of a call's words and variables."""
LOADED = """
tensorsh.cli tensorsh.session tensorsh.torch tensorsh.sandbox.supervision tensorsh.sandbox.bounds tensorsh.sandbox.builtins
tensorsh.language.source tensorsh.language.lowering tensorsh.language.translation tensorsh.language.diagnostics tensorsh.language.hints
tensorsh.language.build tensorsh.language.fstrings tensorsh.language.literals tensorsh.language.table tensorsh.language.tokens
tensorsh.language.prompt tensorsh.shell.loop tensorsh.shell.prompt tensorsh.shell.keys tensorsh.shell.style tensorsh.shell.lexer
tensorsh.shell.asking tensorsh.shell.editing tensorsh.assist.completion tensorsh.tools.tracing tensorsh.display.shortened
tensorsh.engine.ops.creation.legacy tensorsh.engine.ops.creation.asarray tensorsh.engine.operators.device_calls
pygments.lexers.python prompt_toolkit.shortcuts prompt_toolkit.input.vt100 prompt_toolkit.patch_stdout
prompt_toolkit.key_binding.bindings.search
tensorsh.ranks.launcher tensorsh.ranks.client tensorsh.torch.distributed tensorsh.torch.distributed.transport mpi4py
""".split()
"""What shells, ranks and programs with tensors load; what others load besides, they load themselves."""
PLAIN = """
tensorsh.cli tensorsh.as_torch tensorsh.as_torch.running torch torch.nn torch.nn.functional torch.optim torch.distributed
tensorsh.ranks.launcher tensorsh.ranks.client tensorsh.torch.distributed.transport mpi4py
""".split()
"""The same where tensorsh stands for PyTorch in plain Python, which is for a process as a whole."""
PR_SET_CHILD_SUBREAPER = 36


def plain(words: list[str]) -> bool:
    """Whether a call runs plain Python."""
    return words[:1] == ["python"] or "-m" in words or any(word.endswith(".py") for word in words)


@cache
def server(loaded: str) -> tuple[socket.socket, int]:
    """The end at which calls are asked for, and the number of the process that forks."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [sys.executable, "-m", "tests.support.started", loaded, str(theirs.fileno())]
    process = subprocess.Popen(words, pass_fds=[theirs.fileno()], cwd=ROOT, stdin=subprocess.DEVNULL)
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours, process.pid


def left() -> list[str]:
    """The processes that calls have left behind, or that still run: the one that forks adopts those without a parent."""
    found = []
    for parent in [server(loaded)[1] for loaded in ("LOADED", "PLAIN")] if FORKS else ():
        for number in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            try:
                told = Path(f"/proc/{number}/stat").read_text()
            except OSError:
                continue  # it has just ended
            if told.rpartition(")")[2].split()[0] != "Z":
                found.append(told)
    return found


class Call:
    """A process of the command: its number and, in the end, its exit code."""

    def __init__(self, words: list[str], variables: dict[str, str], folder: Any, streams: list[int]) -> None:
        self.answers, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps([words, variables, os.fspath(folder)]).encode()
        with theirs:
            socket.send_fds(server("PLAIN" if plain(words) else "LOADED")[0], [message], [theirs.fileno(), *streams])
        self.pid, self.code = int(self.answers.recv(64)), None

    def wait(self, timeout: float | None = None) -> int:
        if self.code is None:
            self.answers.settimeout(timeout)
            self.code = int(self.answers.recv(64))
            self.answers.close()
        return self.code

    def kill(self, number: int) -> None:
        if self.code is None:
            os.kill(self.pid, number)


def tensorsh(
    *words: Any, stdin: str = "", cwd: Any = None, env: dict[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Runs the command with its words, as `subprocess.run` does with text for its streams."""
    if not FORKS:
        command = [sys.executable, "-m", "tensorsh", *map(str, words)]
        return subprocess.run(
            command, input=stdin, capture_output=True, encoding="utf-8", cwd=cwd, env=env, timeout=timeout
        )
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        given.write(stdin.encode())
        given.seek(0)
        streams = [given.fileno(), out.fileno(), error.fileno()]
        call = Call([*map(str, words)], dict(os.environ if env is None else env), cwd or os.getcwd(), streams)
        try:
            code = call.wait(timeout)
        except TimeoutError:
            call.kill(signal.SIGKILL)
            call.wait()
            raise subprocess.TimeoutExpired(["tensorsh", *words], timeout) from None
        told = [stream.seek(0) or stream.read().decode() for stream in (out, error)]
    return subprocess.CompletedProcess(["tensorsh", *words], code, *told)


class Shell(Call):
    """The command in a pseudo-terminal of its own, of which `child_fd` is our side."""

    def __init__(self, words: list[str], variables: dict[str, str], folder: Any, rows: int, columns: int) -> None:
        import fcntl
        import termios

        self.child_fd, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        super().__init__(words, variables, folder, [theirs] * 3)
        os.close(theirs)

    def close(self) -> None:
        if self.child_fd >= 0:
            os.close(self.child_fd)  # which hangs up
            self.child_fd = -1
            self.wait()


def run(words: list[str], variables: dict[str, str], folder: str, streams: list[int]) -> None:
    """What the process of a call does, like ``python -m tensorsh``."""
    begin(variables, streams)
    os.chdir(folder)
    sys.argv = [str(ROOT / "tensorsh" / "__main__.py"), *words]
    from tensorsh.cli import main
    from tensorsh.ranks import launcher

    launcher.subprocess = types.SimpleNamespace(Popen=started, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)  # type: ignore[attr-defined]
    sys.exit(main())


def begin(variables: dict[str, str], streams: list[int]) -> None:
    """Puts the streams of a process in their places, and what Python reads from its environment when it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.isatty(streams[0]):
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(streams[0], termios.TIOCSCTTY, 0)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(variables)
    if os.isatty(0) or "PYTHONUNBUFFERED" in variables:
        sys.stdout.reconfigure(line_buffering=True, write_through="PYTHONUNBUFFERED" in variables)  # type: ignore[union-attr]
    if variables.get("PYTHONWARNINGS") == "ignore":
        warnings.simplefilter("ignore")
    sys.path[:1] = [sys.prefix + "/bin", *filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))]


def started(command: list[str], **options: Any) -> Any:
    """What a launcher calls for `subprocess.Popen`: ranks are forked, programs of others are started."""
    if command[:2] != [sys.executable, "-m"]:
        return subprocess.Popen(command, **options)
    return Fork(command[2], command[3:], **options)


class Fork:
    """A process that runs a module of the package in a fork of this one, as `subprocess.Popen` would start it."""

    def __init__(
        self, module: str, words: list[str], env: dict[str, str], stdin: Any, preexec_fn: Callable[[], None], pass_fds: Any,
        **options: Any,
    ) -> None:  # fmt: skip
        assert options == {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
        self.returncode: int | None = None
        out, error = os.pipe(), os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            try:
                os.setsid()
                preexec_fn()
                signal.set_wakeup_fd(-1)
                for number in (signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_DFL)
                begin(
                    env,
                    [os.open(os.devnull, os.O_RDONLY) if stdin == subprocess.DEVNULL else os.dup(0), out[1], error[1]],
                )
                for number in map(int, os.listdir("/proc/self/fd")):
                    if number > 2 and number not in pass_fds:
                        try:
                            os.close(number)
                        except OSError:
                            pass  # that of the list itself
                as_python(module, words)
            finally:
                os._exit(70)
        os.close(out[1])
        os.close(error[1])
        self.stdout, self.stderr = open(out[0], "rb", 0), open(error[0], "rb", 0)

    def poll(self, options: int = os.WNOHANG) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self) -> int | None:
        return self.poll(0)


def as_python(module: str, words: list[str]) -> None:
    """Runs a module and ends the process as Python does."""
    code: Any = 0
    sys.argv = [str(ROOT / "tensorsh" / "__main__.py"), *words]
    try:
        if module == "tensorsh":
            from tensorsh.cli import main

            code = main()
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as error:
        code = error.code or 0
        if not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    ctypes.pythonapi.Py_Exit(code)


def serve(modules: list[str], asked: socket.socket) -> None:
    """Makes two processes of each call: one that runs it, and one that waits for it and tells its end."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    for module in modules:
        import_module(module)
    from tensorsh.engine.loading.table import find_function, load_all

    if modules is PLAIN:
        load_all()
    for function in ("tensor", "randn", "ones", "add", "sum", "matmul", "exp", "bitwise_and"):
        find_function(function)
    gc.freeze()
    while True:
        message, passed, _, _ = socket.recv_fds(asked, LONGEST, 4)
        if not message:
            break
        answers, *streams = passed
        if not os.fork():
            asked.close()
            child = os.fork()
            if not child:
                os.close(answers)
                run(*json.loads(message), streams)
            with socket.socket(fileno=answers) as told:
                for stream in streams:
                    os.close(stream)
                told.send(str(child).encode())
                told.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
            os._exit(0)
        for stream in passed:
            os.close(stream)
        while ended():
            pass
    while ended(0):
        pass


def ended(options: int = os.WNOHANG) -> bool:
    """Whether a process that waited had ended; it is gone then."""
    try:
        return os.waitpid(-1, options)[0] != 0
    except ChildProcessError:
        return False


if __name__ == "__main__":
    serve(globals()[sys.argv[1]], socket.socket(fileno=int(sys.argv[2])))
