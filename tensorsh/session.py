"""Session: one namespace that runs source text.

    s = Session()
    s["x"] = torch.ones(3)
    s.run("x.sum() * 2")        # tensor(6.)

There is no user interface in it: the shell, the command line, a notebook kernel and an editor server stand on its
`run`, `execute`, `complete`, `inspect` and `is_complete`. Nothing a program does reaches another session (see
`settings.py`).
"""

from __future__ import annotations

import gc
import os
import sys
from _thread import interrupt_main, start_new_thread
from _weakref import ref

from .language.compiler import RUNTIME, Recent, compile_program
from .sandbox import process
from .sandbox.environment import make_environment
from .sandbox.files import Permissions
from .sandbox.sealed import MARK, SOURCE, current
from .sandbox.settings import Settings, before_collecting, heal
from .sandbox.whole import is_outside, was_interrupted
from .tools import TOOLS, ipython, tool, tqdm
from .tools.provided import LATER, heeding, torch_names, torch_namespace

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType
    from typing import Any, TextIO

    from .assist.about import Inspection
    from .assist.completion import Completion
    from .language.compiler import Program, Statement
    from .language.places import Host
    from .sandbox.limits import MemoryBound

MODULES = {"torch": "torch", "np": "numpy", "math": "math"}
"""Modules that a program may use without an import, under these names."""

PROGRAMS_KEPT = 200
"""Programs of one file name whose text is kept for diagnostics."""


class _Known:
    """The names that are bound when a text is compiled."""

    __slots__ = ("variables", "builtins")

    def __init__(self, variables: dict[str, Any], builtins: dict[str, Any]) -> None:
        self.variables, self.builtins = variables, builtins

    def __contains__(self, name: object) -> bool:
        return (
            name in self.variables or name in self.builtins or name in MODULES or name in torch_names() or name in TOOLS
        )


class Session:
    """A namespace and settings of its own, in which source text is run.

    `permissions` says which files a program may use and which packages it may import (none, by default); `stdout` takes what it prints,
    `stdin` is what `input()` reads (nothing, by default); `cache` is a folder for compiled programs; `arguments` become
    `argv`. `max_memory` (bytes, or text as "1G") bounds what its programs take together; while one runs, that holds for
    the whole process. `folder` is where its programs' own modules lie (`import mymod` runs mymod.tsr or mymod.py there, as a
    program of the session). `timeout` (seconds, or text as "2m") bounds how long each of them runs: `Timeout` ends it.
    """

    def __init__(
        self, permissions: Any = None, stdout: TextIO | None = None, *, stdin: TextIO | None = None,
        cache: str | os.PathLike[str] | None = None, arguments: list[str] | None = None,
        max_memory: int | str | MemoryBound | None = None, timeout: float | str | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:  # fmt: skip
        this = ref(self)  # no cycle: a session is freed when it is let go, before what its programs left
        self._environment = make_environment(
            stdout,
            permissions,
            stdin=stdin,
            argv=tuple(arguments or ("",)),
            modules={**LATER, "tqdm": lambda: tqdm(this()), "IPython": lambda: ipython(this())},
            prepare=stand_in,
        )
        process.programs = True
        if process.owned:
            process.outside = Permissions()
        if (loaded := sys.modules.get("tensorsh.engine.kernels")) is not None:
            loaded.heed()
        self._environment.modules["numpy"] = heeding(self._environment.modules["numpy"])
        self._builtins: dict[str, Any] = self._environment.builtins
        self._builtins.update(RUNTIME)
        self._builtins["<diagnose>"] = lambda error: this().diagnose(error)  # type: ignore[union-attr]
        self._builtins[SOURCE] = lambda code: this().source_of(code)  # type: ignore[union-attr]
        self._modules = self._environment.beside
        self._modules.folder = None if folder is None else os.fspath(folder)
        self._modules.execute = lambda module, path: this()._run_module(module, path)  # type: ignore[union-attr]
        self.variables: dict[str, Any] = {"__name__": "__main__", "__builtins__": self._builtins}
        self._settings = Settings(
            lambda *told: session._show_warning(*told) if (session := this()) is not None else None,
            lambda told: show_ignored(told, this()),
        )
        self._settings.context.run(current.set, self._environment.permissions)
        if max_memory is not None:
            from .engine import kernels
            from .sandbox.limits import MemoryBound, parse_size

            if not isinstance(max_memory, MemoryBound):
                size = max_memory if isinstance(max_memory, int) else parse_size(max_memory)
                max_memory = MemoryBound(size, kernels)
            self._settings.bound(max_memory)
        self._cache, self._timeout = cache, timeout
        self._programs: dict[str, list[Program]] = {}
        self._recent = Recent()
        self._newest: Program | None = None
        """The program that is likely to be asked for its statements: its tree is kept."""
        self._unprovided: set[str] = set()
        """Names that programs read and that nobody but they can bind."""
        self.ready: Callable[[], object] = bool
        """Is called when a text to run is translated."""
        self._future = 0
        self._watches: dict[str, Any] = {}
        self.reached: BaseException | None = None
        """The `Limit` that was reached where it could not be raised: as a generator was freed."""

    def __del__(self) -> None:
        if hasattr(self, "_programs") and not sys.is_finalizing():
            self._settings.glance(self._let_go)

    def close(self, *held: list[Any]) -> None:
        """Lets go of the variables, and of what the lists `held` hold: what generators still do when they are freed
        (`finally: set_default_dtype(...)`) is done now, in the session. Raises the `Limit` that they reached."""
        self._settings.glance(self._let_go, *held)
        if self.reached is not None:
            raise self.reached

    def _let_go(self, *held: list[Any]) -> None:
        """The newest first: what they use is still there."""
        for each in held:
            each.clear()
        for name in reversed(list(self.variables)):
            self.variables.pop(name, None)
        self._modules.let_go()

    @property
    def permissions(self) -> Any:
        """Which files its programs may use, which packages they may import."""
        return self._environment.permissions

    # Running

    def run(self, source: str, filename: str = "<string>", *, timeout: float | str | None = None) -> Any:
        """Runs source text, for so many seconds at most; the value of a final expression statement, else None."""
        try:
            return self._timed(timeout, self._text, source, filename)
        except MemoryError as error:
            raise _shortage(error, self._settings.memory) from None

    def compile(self, source: str, filename: str = "<string>", *, continued: bool = False) -> Program:
        """The text as a program that `execute` runs in this session. One that is continued, as entries at a prompt are, keeps
        what those before it imported from `__future__`."""
        if self._newest is not None:
            self._newest.let_go()
        future = self._future if continued else 0
        program = self._newest = self._settings.run(self._translated, source, filename, self.variables, future)
        if continued:
            self._future = program.future
        return self._kept(program)

    def _kept(self, program: Program) -> Program:
        kept = self._programs.get(program.filename)
        if kept is None or len(self._programs) > 1:  # put last: which came later
            kept = self._programs[program.filename] = self._programs.pop(program.filename, [])
        if not kept or kept[-1] is not program:
            kept.append(program)
        if len(kept) > PROGRAMS_KEPT:
            del kept[0]
        return program

    def _run_module(self, module: Any, path: str) -> None:
        """Runs the text of a module that a program imports; it is in its turn."""
        from .language.source import SourceError, read_source

        variables = vars(module)
        variables["__builtins__"] = self._builtins
        try:
            source = read_source(path)
        except SourceError as error:
            raise ImportError(str(error), name=module.__name__, path=path) from None
        self.run_in(source, path, variables)

    def run_in(self, source: str, filename: str, variables: dict[str, Any]) -> Any:
        """Runs source text, in its turn, with other variables than the session's; the value of a final expression."""
        return self._at_once(self._kept(self._translated(source, filename, variables).let_go()), variables)

    def _translated(self, source: str, filename: str, variables: dict[str, Any], future: int = 0) -> Program:
        known, checked = _Known(variables, self._builtins), bool(self.permissions.imports)
        return self._recent.compile(source, filename, known, self._cache, future, checked)

    def execute(
        self, program: Program, echo: Callable[[Any], None] | None = None, statements: list[Statement] | None = None
    ) -> None:
        """Runs a program (or some of its statements) one by one; values other than None go to `echo`."""
        chosen = program.statements if statements is None else statements
        try:
            self._timed(None, self._seen, self._each, program, chosen, echo)
        except MemoryError as error:
            raise _shortage(error, self._settings.memory) from None

    def trace(self, on: bool = True) -> None:
        """Whether operations remember the line of the program that they stand on."""

        def switch() -> None:
            from .tools.tracing import Tracing

            Tracing(self.variables).switch(on)

        from .engine.arrays import state  # noqa: F401 - the settings of the engine are the session's once it is there

        self._settings.run(switch)

    def watch(self, kind: str, on: bool = True) -> None:
        """Stops programs at the first NaN or infinity (`nan`), warns of what is seldom meant (`lint`)."""
        self._watches.pop(kind, None)
        if on:
            from importlib import import_module

            name = {"nan": "NanWatch", "lint": "LintWatch"}[kind]
            self._watches[kind] = getattr(import_module(f"tensorsh.tools.{kind}"), name)(self.variables)

    def watches(self, kind: str) -> bool:
        return kind in self._watches

    def _text(self, source: str, filename: str) -> Any:
        program = self._kept(self._translated(source, filename, self.variables).let_go())
        self.ready()
        return self._seen(self._at_once, program) if self._watches else self._at_once(program)

    def _seen(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if not self._watches:
            return function(*arguments)
        from contextlib import ExitStack

        with ExitStack() as stack:
            for watch in self._watches.values():
                stack.enter_context(watch)
            return function(*arguments)

    def _at_once(self, program: Program, variables: dict[str, Any] | None = None) -> Any:
        variables = self.variables if variables is None else variables
        if program.names:
            self._resolve(program)
        exec(program.module, variables)
        return None if program.last is None else eval(program.last, variables)

    def _each(self, program: Program, statements: list[Statement], echo: Callable[[Any], None] | None) -> None:
        self._resolve(program)
        for statement in statements:
            if statement.is_expression:
                value = eval(statement.code, self.variables)
                if echo is not None and value is not None:
                    echo(value)
            else:
                exec(statement.code, self.variables)

    def _resolve(self, program: Program) -> None:
        """Puts the torch names that a program reads without prefix where Python looks last."""
        for name in program.names:
            if name in self._builtins or name in self._unprovided:
                continue
            if name in MODULES:
                self._builtins[name] = self._environment.module(MODULES[name])
            elif name in torch_names():
                try:
                    self._builtins[name] = getattr(torch_namespace(), name)
                except AttributeError:
                    continue
            elif name in TOOLS:
                self._builtins[name] = tool(self, name)
            else:
                self._unprovided.add(name)

    def prepare(self, load: Callable[..., Any], *arguments: Any) -> None:
        """Loads something ahead of time, in a turn of its own: no program of the session runs meanwhile."""
        self._settings.run(load, *arguments)

    def give_back(self) -> None:
        """Returns the memory that programs have freed to the system; meanwhile it is kept for what they compute next."""
        kernels = sys.modules.get("tensorsh.engine.kernels")
        if kernels is not None:
            kernels.give_back()

    # Variables

    def __getitem__(self, name: str) -> Any:
        return self.variables[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.variables[name] = value

    def __delitem__(self, name: str) -> None:
        del self.variables[name]

    def __contains__(self, name: object) -> bool:
        return name in self.variables and not _is_internal(name)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in list(self.variables) if not _is_internal(name)])  # a program may be binding more

    def __len__(self) -> int:
        return sum(1 for _ in self)

    # Questions of user interfaces

    def complete(self, text: str, cursor: int | None = None) -> list[Completion]:
        """The completions of the word before the cursor."""
        from .assist.completion import complete

        return self._settings.glance(complete, self, text, len(text) if cursor is None else cursor)

    def inspect(self, name: str) -> Inspection | None:
        """The facts about a name or a dotted path, or None where nothing is bound to it."""
        from .assist.about import inspect

        return self._settings.glance(inspect, self, name)

    def check(self, source: str) -> None:
        """Raises the SyntaxError that a text has, without keeping it."""
        self._settings.glance(compile_program, source, "<input>", _Known(self.variables, self._builtins), None)

    def is_complete(self, source: str) -> tuple[str, int]:
        """`("complete" | "incomplete" | "invalid", indent)` of text typed so far."""
        from .language.prompt import completeness

        return completeness(source)

    def diagnose(self, error: BaseException, color: bool = False, width: int | None = None) -> str:
        """The explanation of an error that a program of this session raised, as text, for a terminal of so many columns.

        It takes no longer than a program may: programs word their errors. With TENSORSH_DEBUG set, Python's own traceback follows,
        which also shows the frames of tensorsh.
        """
        from .language.diagnostics import report
        from .sandbox.thrown import Timeout

        try:
            text = self._timed(None, self._settings.explain, report, error, self.host(), color, width)
        except Timeout as over:
            text = f"{type(error).__name__}\n{over}"
        if os.environ.get("TENSORSH_DEBUG"):
            from traceback import format_exception

            text += "\n\n" + "".join(format_exception(error)).rstrip()
        return text

    def place(self, error: BaseException) -> str:
        """`file:line:column in function` where an error arose in a program of this session, or nothing."""
        from .language.diagnostics import place_text

        return place_text(error, self.host())

    def text(self, value: Any, form: Callable[[Any], str] = repr) -> str:
        """`repr(value)`, or `str(value)`, under the session's print options and with its permissions."""
        return self._timed(None, form, value)

    def _timed(self, timeout: float | str | None, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function with the settings in place, within the time given, or the session's own."""
        timeout = self._timeout if timeout is None else timeout
        if timeout is None:
            return self._settings.run(function, *arguments)
        from .sandbox.deadline import timed

        return self._settings.run(timed, timeout, function, *arguments)

    def host(self) -> Host:
        """The session as diagnostics see it."""
        from .language.places import Host
        from .language.pytorch_names import lacking

        return Host(self.owns, self.source_of, self.names, lacking, self._history, self._environment.names_in)

    def _history(self, error: BaseException, filename: str, line: int) -> str | None:
        from .tools.cuts import history

        return history(self, error, filename, line)

    def owns(self, frame: FrameType) -> bool:
        """Whether a frame runs code of this session's programs."""
        return frame.f_globals is self.variables or self._modules.holds(frame.f_globals)

    def source_of(self, code: CodeType) -> str | None:
        """The text that a code object was compiled from."""
        programs = self._programs.get(code.co_filename, [])
        for program in reversed(programs if len(programs) > 1 else []):
            if program.holds(code):
                return program.source
        return programs[-1].source if programs else None

    def sources(self) -> list[tuple[str, str]]:
        """File name and text of the programs compiled so far, the newest last."""
        return [(name, program.source) for name, kept in self._programs.items() for program in kept]

    def line(self, filename: str, number: int) -> str:
        """A line of the newest program of a file name, or nothing."""
        lines = programs[-1].source.split("\n") if (programs := self._programs.get(filename)) else []
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def names(self) -> list[str]:
        """The names that a program may use without having bound them."""
        found = dict.fromkeys(name for names in (list(self._builtins), MODULES, TOOLS, torch_names()) for name in names)
        return [name for name in found if name.isidentifier() and name[0] != "_"]

    def builtin(self, name: str) -> Any:
        """The value of such a name as far as it is loaded, else `peek.MISSING`."""
        from .language.peek import MISSING

        if name in MODULES:
            return self._environment.module(MODULES[name])
        found = self._builtins.get(name, MISSING)
        found = vars(torch_namespace()).get(name, MISSING) if found is MISSING else found
        ready = torch_names().loaded(name) if found is MISSING else None
        return found if ready is None else ready

    def load(self, name: str) -> Any:
        """The value of such a name, loaded if need be, else `peek.MISSING`."""
        from .language.peek import MISSING

        if name in TOOLS:
            return tool(self, name)
        return getattr(torch_namespace(), name, MISSING) if name in torch_names() else MISSING

    def nearest(self, path: str) -> list[str]:
        """The names most like a misspelt one."""
        from .assist.completion import nearest_to

        return nearest_to(self, path)

    def _show_warning(
        self, message: Warning | str, category: type, filename: str, line: int, file: Any = None, text: Any = None
    ) -> None:
        """Prints a warning with the line of the script that led to it."""
        frame: FrameType | None = sys._getframe()
        while frame is not None and not self.owns(frame):
            frame = frame.f_back
        stream = file or sys.stderr
        if stream is None:
            return
        where = f"{filename}:{line}: " if category is SyntaxWarning else ""
        if frame is not None:
            where = f"{frame.f_code.co_filename}:{frame.f_lineno}: "
            lines = (self.source_of(frame.f_code) or "").split("\n")
            text = lines[frame.f_lineno - 1].strip() if frame.f_lineno <= len(lines) else ""
        stream.write(f"{where}{category.__name__}: {message}\n" + (f"  {text}\n" if text else ""))


def show_ignored(told: Any, session: Session | None) -> None:
    """Says what was raised where nobody can catch it, as a generator was freed. An interrupt comes again."""
    error, limits = told.exc_value, sys.modules.get("tensorsh.sandbox.limits")
    lost = heal(told) or was_interrupted(told.exc_traceback) or is_outside(told.exc_traceback)
    if isinstance(error, KeyboardInterrupt) and (lost or type(error) is not KeyboardInterrupt):
        collects = gc.isenabled()
        gc.disable()
        start_new_thread(before_collecting, (interrupt_main, collects))  # in this one it would be raised here
        return
    try:
        if limits is None or not isinstance(error, limits.Limit):
            from .language.diagnostics import report
            from .language.places import Host

            what = told.object if type(told.object).__module__ == "builtins" else type(told.object)
            host = Host(lambda frame: MARK in frame.f_builtins)
            said = report(error, host) if session is None else session.diagnose(error)
            sys.stderr.write(f"{told.err_msg or 'Exception ignored in'}: {what!r}\n{said}\n")
            return
    except BaseException as another:  # here nothing can be raised
        error = another
    if session is not None and limits is not None and isinstance(error, limits.Limit):
        session.reached = session.reached or error


def _shortage(error: MemoryError, bound: MemoryBound | None) -> BaseException:
    """The error of memory that a tensor did not get is PyTorch's; others stay as they are. The limit is named."""
    from .engine.arrays.memory import shortage

    return shortage(error, None if bound is None else bound.size)


def _is_internal(name: object) -> bool:
    return isinstance(name, str) and name.startswith("__") and name.endswith("__")


def stand_in() -> None:
    """Lets `torch` mean tensorsh in installed packages."""
    from .as_torch import finder

    finder.fill()
