"""The command line: `tensorsh FILE | -c CODE | - | test | export | ...`.

Imports what a command needs when it is known. Exit codes: 0; 1 after an error, which stands on stderr; 2 for wrong
usage; 124 when the time was over; 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC

from .command.arguments import COMMANDS, Options, UsageError, help_text, meant, parse
from .command.bytecode import install
from .command.folders import cache_folder
from .language.collector import Held
from .sandbox import process

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from typing import Any

    from .sandbox.limits import CountingStream
    from .session import Session


UNWRITTEN = (ENOSPC, EDQUOT, EFBIG, EIO, EBADF)
"""What a stream answers that takes no more."""


def main(arguments: list[str] | None = None) -> int:
    """The command `tensorsh`; returns the exit code."""
    _prepare_streams()
    install(cache_folder())
    try:
        process.owned = arguments is None
        words = sys.argv[1:] if arguments is None else arguments
        if words[:1] == ["python"]:
            from .as_torch.running import run

            return run(words[1:])
        code = _main([_as_utf8(word) for word in words], arguments is None)
    except BrokenPipeError:
        code = 1
    except KeyboardInterrupt:
        code = 130
    except OSError as error:
        if error.errno not in UNWRITTEN or error.filename is not None:
            raise
        return _flush(1, error)
    except BaseException as error:
        limits = sys.modules.get("tensorsh.sandbox.limits")
        if limits is None or not isinstance(error, limits.Limit):
            raise
        code = _failure(error)  # the time was over before the program began, or after it ended
    return _flush(code)


def _main(arguments: list[str], is_process: bool) -> int:
    from .language.source import SourceError, harmless, read_source

    try:
        options = parse(arguments)
        if options.show == "help":
            return _say(help_text(options.command))
        if options.show == "version":
            return _say(_version())
        if options.command == "test":
            # Files run side by side: threads of one would wait for those of the others. And digits do not depend on cores.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            from .golden.outcomes import MOST, TIMEOUT, Bounds
            from .golden.report import command

            output = MOST if options.max_output is None else options.max_output
            bounds = Bounds(options.permissions(), options.timeout or TIMEOUT, options.max_memory, output)
            return command(options.arguments, options.bless, options.jobs, options.verbose, bounds, options.ranks)
        if options.command == "export":
            return _export(options)
        if options.command == "convert":
            from .golden.notebook import convert

            convert(*options.arguments)
            return 0
        if options.command == "kernel":
            return _kernel(options.arguments)
        if options.command == "completion":
            from .command.completion import completion

            return _say(completion(options.arguments))
        if options.command == "lsp":
            from .editor.launch import launch

            return launch(options.arguments)
        if options.ranks:
            from .ranks.launcher import launch

            if not options.hosts and options.arguments and options.code is None and options.arguments[0][:1] != "-":
                read_source(options.arguments[0])  # each rank would say that it cannot
            return launch(options.ranks, options.words, options.labels, options.hosts)
        return _run(options, is_process)
    except UsageError as error:
        command = next((f"{word} " for word in arguments[:1] if word in COMMANDS), "")
        complain(harmless(f"tensorsh: {error}\nTry `tensorsh {command}--help`."))
        return 2
    except SourceError as error:
        complain(f"tensorsh: {error}")
        return error.code


def _run(options: Options, is_process: bool) -> int:
    """Runs a file, code or standard input, or opens the shell."""
    from .language.source import read_source

    name = options.arguments[0] if options.arguments else ""
    if options.isolate and not name:
        raise UsageError("--isolate is for running a program")
    if not name and sys.stdin is not None and sys.stdin.isatty():
        for option in ("timeout", "max_output"):
            if getattr(options, option) is not None:
                raise UsageError(f"--{option.replace('_', '-')} bounds a program; in the shell Ctrl-C stops what runs")
        return _shell(options, None)
    if (is_process or options.timeout is not None or options.isolate) and not options.interactive:
        from .sandbox.supervision import supervise

        supervise(options.timeout)
        if options.timeout is not None:
            from .sandbox.limits import start_timer

            start_timer(options.timeout)
    if options.code is not None:
        source, filename = options.code, "<string>"
    elif name.endswith(".ipynb"):
        source, filename = "", name
    elif name and name != "-":
        if not os.path.exists(name) and (close := meant(name, (*COMMANDS, "--help", "--version"))):
            raise UsageError(f"cannot read {name}: no such file{close}")
        source, filename = read_source(name), name
    else:
        source, filename = _standard_input(), "<stdin>"
    if options.isolate:
        from .sandbox.isolation import Unavailable, isolate

        modules = None if filename[:1] == "<" else os.path.dirname(os.path.abspath(filename))

        try:
            complain("tensorsh: " + isolate(options.read, options.write, modules))
        except Unavailable as error:
            complain(f"tensorsh: --isolate is not possible here, the program was not run: {error}")
            return 2
    code, session = _execute(options, source, filename, is_process)
    if options.interactive and session is not None:
        return _shell(options, session)
    if is_process:
        session = None
        _end(_flush(code))
    return code


def _end(code: int) -> None:
    """Ends the process once the program's objects are gone. Python would take its modules apart, too, which takes as long
    as a short program does. With other threads, under mpiexec, or where somebody measures the process, this is left to
    Python."""
    limits = sys.modules.get("tensorsh.sandbox.limits")
    if limits is not None:
        limits.end_by_timer()  # children and queues are waited for
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1 or sys.getprofile() or sys.gettrace():
        return
    from atexit import _run_exitfuncs

    from .sandbox.files import close_all

    world = sys.modules.get("tensorsh.ranks.world")
    if world is not None:
        world.__dict__["failed"] = bool(code)
        if world.__dict__["attached"]:
            return
    close_all()
    _run_exitfuncs()
    os._exit(_flush(code))


def _execute(options: Options, source: str, filename: str, is_process: bool) -> tuple[int, Session | None]:
    """The exit code of a program, and the session it leaves."""
    session = bound = counted = None
    stdout, stderr = streams = sys.stdout, sys.stderr
    code = 0
    failed: list[BaseException] = []
    spare = [*os.pipe(), *os.pipe()]  # for what is loaded to tell an error, where a program has opened all that it may
    try:
        with Held():
            from .session import Session

        process.one_program = is_process
        if options.max_output is not None and stdout is not None:
            from .sandbox.limits import CountingStream

            counted = CountingStream(stdout, options.max_output)
            sys.stdout = counted  # type: ignore[assignment]
            if stderr is not None:
                sys.stderr = CountingStream(stderr, options.max_output, counted.left)  # type: ignore[assignment]
            streams = sys.stdout, sys.stderr
        if options.max_memory is not None:
            from .engine import kernels
            from .sandbox.limits import Unbounded, bound_memory

            try:
                bound = bound_memory(options.max_memory, kernels)
            except Unbounded as problem:
                sys.stdout, sys.stderr = stdout, stderr
                complain(f"tensorsh: --max-memory cannot be kept: {problem}")
                return 2, None
        session = Session(
            options.permissions(),
            stdin=None if filename == "<stdin>" else sys.stdin,
            cache=None if options.isolate else cache_folder(),
            arguments=options.arguments or ["-"],
            max_memory=bound,
            folder=folder_of(filename),
        )
        if options.trace:
            session.trace()
        if options.nan:
            session.watch("nan")
        value = None
        if filename.endswith(".ipynb"):
            from .golden.notebook import run

            if is_process:
                _give_up_files(options, filename)
            run(session, filename)
        else:
            if is_process and not options.interactive:
                session.ready = lambda: _give_up_files(options, filename)
            value = session.run(source, filename)
        if options.code is not None and value is not None:
            print(session.text(value))
        del value
        if not options.interactive:
            session.close()
    except BaseException as error:
        _close(spare)
        code = _failure(error, session, counted, stderr)
        failed.append(error)
    _close(spare)
    if session is not None and not options.interactive:
        try:  # what is freed only now may print, too, and run into the limits once more
            session.close(failed)
        except BaseException:
            code = code or 1
        if is_process:
            sys.__stdout__, sys.__stderr__ = streams  # type: ignore[misc, assignment]
            return code, session
    sys.stdout, sys.stderr = stdout, stderr
    return code, session


RANKS = "RANK PMI_RANK PMI_FD PMI_PORT PMIX_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID TENSORSH_KEYS".split()
"""The environment's names of which a rank has one."""


def _give_up_files(options: Options, filename: str) -> None:
    """Stands the kernel's walls around a program, where there are any: not where it imports packages, which have all rights of
    Python, is one of several ranks or has a GPU, whose driver and compiler need more files than are known."""
    apart = (
        options.imports
        or options.isolate
        or os.path.exists("/dev/nvidiactl")
        or not os.environ.keys().isdisjoint(RANKS)
    )
    if apart or os.environ.get("TENSORSH_WALLS") == "off":
        return
    from .sandbox.isolation import Unavailable, give_up_files

    try:
        give_up_files(options.read, options.write, os.path.abspath(folder_of(filename)), shared=True)
    except (Unavailable, OSError):
        pass


def folder_of(filename: str) -> str:
    """Where a program's own modules lie: beside its file, else in the current folder."""
    return "" if filename[:1] == "<" else os.path.dirname(filename)


LEAST = 2000
"""Characters of an error that are shown however little output is left."""


def _close(descriptors: list[int]) -> None:
    """Closes what is still open of them."""
    while descriptors:
        os.close(descriptors.pop())


def _failure(
    error: BaseException, session: Session | None = None, counted: CountingStream | None = None, stderr: Any = None
) -> int:
    """Says what went wrong on the real stderr, in as many characters as are left; the exit code for it."""
    limits = sys.modules.get("tensorsh.sandbox.limits")
    if limits is not None:
        limits.stop_timer()
        limits.loosen_memory()
    if isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        from .language.places import text_of

        told = text_of(error.code) if session is None else session.text(error.code, text_of)
        complain(_cut(told, counted), stderr)
        return 1
    from .language.source import SourceError

    if isinstance(error, SourceError):
        complain(f"tensorsh: {error}", stderr)
        return error.code
    is_limit = limits is not None and isinstance(error, limits.Limit)
    if session is None and not is_limit and not isinstance(error, MemoryError):
        raise error
    _flush_quietly()
    if limits is not None and is_limit:
        place = session.place(error) if session is not None else ""
        complain(f"{error}{' at ' + place if place else ''}", stderr)
        if isinstance(error, limits.Timeout):
            os._exit(limits.TIMEOUT_CODE)  # taking the program's objects apart could last as long again
        return 1
    if session is None:
        complain("MemoryError: --max-memory leaves too little to start", stderr)
        return 1
    from .display.terminal import at_words, room, use_color

    complain(
        _cut(at_words(session.diagnose(error, use_color(sys.stderr), room(sys.stderr)), sys.stderr), counted), stderr
    )
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _cut(text: str, counted: CountingStream | None) -> str:
    """A program writes its own errors: `raise ValueError("x" * 10**8)` is output, too."""
    most = len(text) if counted is None else max(counted.left[0], LEAST)
    return text if len(text) <= most else text[:most] + " ... (--max-output)"


def _standard_input() -> str:
    from .language.source import decode_source

    if sys.stdin is None:
        return ""
    return decode_source(sys.stdin.buffer.read(), "<stdin>")


def _shell(options: Options, session: Session | None) -> int:
    from .shell import start

    return start(session, options)


def _kernel(words: list[str]) -> int:
    """Makes the notebook kernel known to Jupyter."""
    from .notebook.launch import install as install_kernel

    if words[:1] != ["install"]:
        raise UsageError("kernel takes: install [--user | --sys-prefix | --prefix=PATH] [options of programs]")
    return _say(f"installed in {install_kernel(words[1:])}\n")


def _export(options: Options) -> int:
    """Writes a program as PyTorch's Python."""
    from .language.export import export
    from .language.source import SourceError, read_source
    from .tools.provided import torch_names

    name = options.arguments[0]
    try:
        if name.endswith(".ipynb"):
            from .golden.notebook import exported

            text = exported(name)
        else:
            from .golden.printing import printing

            source = read_source(name)
            text = export(source, name, torch_names())  # which says what is wrong with it, at its place
            if (printed := printing(source)) != source:
                text = export(printed, name, torch_names())
    except SyntaxError as error:
        from .display.terminal import at_words, use_color
        from .language.diagnostics import report

        complain(at_words(report(error, color=use_color(sys.stderr)), sys.stderr))
        return 1
    if options.output is None:
        return _say(text)
    from .sandbox.files import Permissions

    try:
        if os.path.exists(options.output) and not os.path.isfile(options.output):  # a device, a pipe
            with open(options.output, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        else:
            Permissions(write=True).write_bytes(options.output, text.encode())
    except OSError as error:
        raise SourceError(f"cannot write {options.output}: {error.strerror}", 1) from None
    return 0


def _version() -> str:
    """The version, and what the numbers are computed with."""
    import numpy

    from . import __version__
    from .engine.kernels import compiled

    kernels = "compiled kernels" if compiled else "no compiled kernels (slower, other last digits)"
    python = ".".join(map(str, sys.version_info[:3]))
    return f"tensorsh {__version__}\n{kernels}, numpy {numpy.__version__}, Python {python}\n"


def _say(text: str) -> int:
    """Writes to stdout; the exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except AttributeError:  # there is no stdout
        return 1
    return 0


def complain(text: str, stream: Any = None) -> None:
    """Writes to stderr (or a stream that stands for it) whatever its state."""
    stream = stream or sys.stderr
    try:
        stream.write(text + "\n")
        stream.flush()
    except (OSError, ValueError, AttributeError):
        pass


def _prepare_streams() -> None:
    """UTF-8 where the locale knows only ASCII; stderr never fails for a character; ranks write whole lines."""
    if sys.stdout is not None and not os.environ.keys().isdisjoint(("PMI_RANK", "RANK", "SLURM_PROCID")):
        sys.stdout.reconfigure(line_buffering=True, write_through=False)  # type: ignore[union-attr]
    for stream, errors in ((sys.stdin, None), (sys.stdout, None), (sys.stderr, "backslashreplace")):
        encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "").replace("_", "")
        if encoding in ("ascii", "usascii", "ansix3.41968", "646"):
            stream.reconfigure(  # type: ignore[union-attr]
                encoding="utf-8", errors=errors or stream.errors
            )


def _as_utf8(word: str) -> str:
    """An argument that a locale without UTF-8 did not decode."""
    return word if word.isascii() else os.fsencode(word).decode("utf-8", "surrogateescape")


def _flush_quietly() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        pass  # said once, at the end


def _flush(code: int, refused: OSError | None = None) -> int:
    """Writes out what is buffered, where nothing was refused before. A closed pipe is silent, a full disk is not."""
    try:
        if refused is not None:
            raise refused
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = code or 1
    except (OSError, ValueError) as error:
        complain(f"tensorsh: cannot write output: {getattr(error, 'strerror', None) or error}")
        code = code or 1
    # The interpreter flushes once more when it ends, and would complain itself, with an exit code of its own.
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            except (OSError, ValueError):
                pass
    return code
