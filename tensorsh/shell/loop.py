"""Read, run, echo: the shell's loop over whole entries.

An entry is run statement by statement in the main thread, where Ctrl-C ends it (`interrupts.py`), and each value is echoed.
Errors are explained and never end the shell; Ctrl-C drops what is typed or stops what runs; Ctrl-D, `exit` and `quit` leave.
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..command.folders import config_folder
from ..display.terminal import at_words, room, use_color
from ..sandbox.whole import whole
from ..session import Session, torch_namespace
from .config import Config
from .history import Entries
from .interrupts import Interrupts
from .keyboard import HUNG_UP, Keyboard, terminal_is_gone, watch_terminal
from .outputs import Outputs
from .own_files import warn
from .record import Record, Tee
from .status import Status
from .within import CALL, Within, program_of
from .within import whole as whole_entry

if TYPE_CHECKING:
    from ..command.arguments import Options
    from ..sandbox.files import Permissions

Echo = bool | Callable[[Any], None]
GOODBYE = frozenset({"exit", "quit", "exit()", "quit()"})
STACK = 64 << 20
"""Bytes of the stack: iterators in iterators a few hundred thousand deep."""
PAUSE = 0.02
"""Seconds between two things that are loaded in the background."""


class Shell:
    """One person's dialogue with a session."""

    lacks: frozenset[str] = frozenset()
    """Commands that are not there: an entry may be somebody else's, and they ask no permissions."""
    deals_with_files = "; %ls, %cat, %cd, %run, %load, %save and %edit deal with files."
    """What is said of the system's commands that are there."""
    passes: frozenset[str] = frozenset()
    """Commands that have another meaning for whoever wrote the entry, and are passed over."""

    def __init__(self, session: Session | None = None, options: Options | None = None) -> None:
        self.fresh = session is None
        self.config = Config()
        for problem in self.config.problems:
            warn(problem)
        self.home = os.path.realpath(os.getcwd())
        """The folder in which it was opened."""
        self.folder_before = ""
        """The folder that %cd - goes back to."""
        self.among = False
        """Whether the entry that runs has several parts, as what is pasted may have."""
        self.session = session or self._new_session(options)
        self.entries = Entries(self.config["history_size"])
        self.interrupts = Interrupts()
        self.status = Status(self.session)
        self.records: list[Record] = []
        self.settings: list[str] = []
        """What commands have set since the last of them, as statements."""
        self.outputs = Outputs(self.session, self.config["outputs"])
        self.macros: dict[str, str] = {}
        self.session._builtins[CALL] = Within(self)
        self.lines: Any = None
        """The editor of lines that are no entries."""
        self.count = 0
        self.next_text = ""
        """The text that the next prompt begins with (%load, %edit)."""
        self.failed: BaseException | None = None
        self.error: BaseException | None = None
        """The last error, with its frames, for %debug."""
        self.before_entries: list[Callable[[], None]] = []
        """What is done before each program, such as reloading modules."""
        self.leave: int | None = None
        self._preparing: threading.Thread | None = None
        self.timing = self.untraced = False
        """Whether a measurement runs, for which operations do not remember their lines."""
        if getattr(options, "nan", False):
            self.config.set("nan", True)

    def _new_session(self, options: Options | None) -> Session:
        read: Any = options.read if options is not None else []
        write: Any = options.write if options is not None else []
        permissions = self.permissions(read, write)
        permissions.imports = tuple(options.imports if options is not None else ())
        memory = options.max_memory if options is not None else None
        return Session(permissions, stdin=self.keyboard(), folder="", max_memory=memory)

    def permissions(self, read: Any, write: Any) -> Permissions:
        """What programs may read and write, by the flags of the command line and beyond."""
        from .asking import Asked

        return Asked(self.home, read is True or [self.home, *read], write)

    def keyboard(self) -> Any:
        """What `input()` of programs reads."""
        return None if sys.stdin is None else Keyboard(sys.stdin)

    def present(self, value: Any, text: str) -> None:
        """Shows what a command has made: its text for this screen."""
        print(text)

    def stopped(self, error: KeyboardInterrupt) -> None:
        """Says that Ctrl-C has ended a command; what stands behind it in the entry is left out."""
        self.failed = error
        print("KeyboardInterrupt", file=sys.stderr)

    def tell(self, text: str) -> None:
        """Shows the answer to a question."""
        print(text)

    def pass_over(self, name: str) -> None:
        """Says why a command of IPython has nothing to do here."""
        from .commands import IDLE

        print(f"%{name}: nothing to be set up; {IDLE[name]}")

    def refuse(self, error: Exception) -> None:
        """Says what is wrong with a command; what stands behind it in the entry is left out, unless it is not here on purpose."""
        from textwrap import fill

        from .commands import NotHere
        from .values import columns

        self.failed = None if isinstance(error, NotHere) else error
        print(fill(str(error), max(columns() - 1, 20)), file=sys.stderr)

    def give(self, value: Any) -> None:
        """Echoes the value of a command, if it has one."""
        if value is not None:
            self.session._timed(None, self._echo, value, Tee(sys.stdout), False)

    def is_complete(self, text: str) -> tuple[str, int]:
        """`("complete" | "incomplete" | "invalid", indent)` of an entry, which may have commands in it."""
        return whole_entry(self, text)

    def captured(self, text: str) -> tuple[str, str, list[Any]]:
        """What a program prints, to the standard output and error, and what it displays; nothing is echoed."""
        from contextlib import redirect_stderr, redirect_stdout

        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            self.execute(program_of(self, text), "<capture>", echo=False)
        return out.getvalue(), err.getvalue(), []

    def confirm(self, question: str) -> bool:
        """Whether the person says yes."""
        from .asking import confirm

        return confirm(question)

    def ask(self, prompt: str, names: list[str]) -> str:
        """A line of another dialogue than that of entries, at whose prompt names complete. EOFError ends it."""
        from .prompt import line_of

        return line_of(self, prompt, names)

    def run(self) -> int:
        """Reads entries until there are no more."""
        from .prompt import make_reader

        read = make_reader(self)
        watch_terminal(sys.stdin, lambda: self.interrupts.is_running)
        self.interrupts.listen()
        deepen_stack()
        if self.fresh:
            self._greet()
        self._preparing = threading.Thread(target=self._prepare, daemon=True)
        self._preparing.start()
        threading.Thread(target=warm_up, args=(self.session,), daemon=True).start()
        try:
            self.interrupts.run(self._start_up)
        except KeyboardInterrupt:
            print("KeyboardInterrupt", file=sys.stderr)
        while self.leave is None:
            try:
                self.interrupts.forget()
                entry = read()
            except KeyboardInterrupt:
                continue
            except (EOFError, OSError) as error:
                self._end_of_input(error)
                break
            try:
                self.entries.say()
                if entry.strip() in GOODBYE:
                    break
                if entry.strip():
                    self.interrupts.run(self.enter, entry)
            except KeyboardInterrupt:
                print("KeyboardInterrupt", file=sys.stderr)
            except OSError as error:
                self._end_of_input(error)
        return self.leave or 0

    def _end_of_input(self, error: Exception) -> None:
        """Ends the shell where nobody can type any more."""
        if isinstance(error, OSError):
            if not terminal_is_gone():
                raise error
            self.leave = HUNG_UP

    def _prepared(self) -> None:
        """Waits until the settings of the first entry are there."""
        if self._preparing is not None:
            self._preparing.join()
            self._preparing = None

    def _prepare(self) -> None:
        """Loads the engine while the person looks at the prompt."""
        try:
            from ..language import diagnostics  # noqa: F401 - before there is no memory left for it

            self.session.trace(self.config["trace"])
            for kind in ("nan", "lint"):
                self.session.watch(kind, self.config[kind])
            if self.config["precision"] != 4:
                self.settings.append(f"torch.set_printoptions(precision={self.config['precision']})")
                self.session.run(self.settings[-1], "<config>")
        except Exception as error:
            warn(f"the settings could not be applied: {error}")

    def _start_up(self) -> None:
        """Runs the person's own start-up program, if there is one."""
        folder = config_folder()
        if folder is None or not self.fresh or not self.config["startup"]:
            return
        path = os.path.join(folder, self.config["startup"])
        if not os.path.isfile(path):
            return
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError) as error:
            warn(f"{path} is not used: {error}")
            return
        self._prepared()
        self.run_file(text, path)

    def enter(self, entry: str, among: bool = False) -> None:
        """Runs an entry: a command, a question or a program, or several of them until one fails. `among` others it is
        where nobody typed it, as what is run again."""
        from .commands import parts

        self._prepared()
        refused = getattr(self.session.permissions, "refused", None)
        if refused:
            refused.clear()
        found = parts(entry, self.is_complete)
        self.among, before = among or self.among or len(found) > 1, self.among
        try:
            for _, part in found:
                self.failed = None
                self._enter(part)
                if self.failed is not None or self.leave is not None:
                    break
        finally:
            self.among = before

    def _enter(self, entry: str) -> None:
        from .commands import CommandError, dispatch

        stripped = entry.strip()
        try:
            if dispatch(self, stripped):
                return
            program = program_of(self, entry)
            if stripped in self.macros and stripped not in self.session:
                self.enter(self.macros[stripped], among=True)
                return
        except KeyboardInterrupt as error:
            self.stopped(error)
            return
        except SystemExit as error:
            self._exit(error)
            return
        except CommandError as error:
            self.refuse(error)
            return
        except Exception as error:
            self.explain(error)
            return
        self.count += 1
        record = Record(self.count, entry, self.settings)
        self.settings = []
        self.records.append(record)
        self.outputs.entered(self.count, entry)
        for step in self.before_entries:
            step()
        self.execute(program, f"<input {self.count}>", record)

    def execute(self, text: str, filename: str, record: Record | None = None, echo: Echo = True) -> bool:
        """Runs a program and echoes its values, or gives that of its last expression to `echo`; False after an error, which
        has been explained."""
        record = record or Record(0, text)
        self.failed = None
        try:
            self._execute(text, filename, record, echo)
            record.done = True
        except SystemExit as error:
            self._exit(error)
        except BaseException as error:
            from ..language.places import headline

            record.error = headline(error).split("\n")[0]
            record.interrupted = isinstance(error, KeyboardInterrupt)
            self.explain(error)
        self.session.give_back()
        return record.succeeded

    def _execute(self, text: str, filename: str, record: Record, echo: Echo) -> None:
        began = time.perf_counter()
        out = sys.stdout
        tee = Tee(out)
        sys.stdout = tee  # type: ignore[assignment]
        try:
            if self.untraced and not self.timing:  # a measurement that was interrupted
                self.session.trace(True)
                self.untraced = False
            program = self.session.compile(text, filename, continued=True)
            lines = text.rstrip().split("\n")
            statements = program.statements  # none in an entry of comments
            following = [*(each.lineno for each in statements[1:]), len(lines) + 1]
            for at, (statement, next_line) in enumerate(zip(statements, following, strict=False)):
                before = self.outputs.echoed
                silent = next_line > statement.end_lineno and lines[statement.end_lineno - 1].rstrip().endswith(";")
                show = self._echo_to(tee, silent) if echo is True else None
                if callable(echo) and statement is statements[-1] and not silent:
                    show = echo
                try:
                    self.session.execute(program, show, [statement])
                finally:
                    if self.outputs.echoed > before:
                        record.kept.add(at)
                    record.outputs.append((statement.lineno, statement.end_lineno, tee.take()))
        finally:
            self._executed(tee, began)

    @whole
    def _executed(self, tee: Tee, began: float) -> None:
        sys.stdout = out = tee.stream
        if tee.in_line and out.isatty():  # neither a prompt nor an error stands behind what was printed
            out.write("\n")
        out.flush()
        self.status.given = self.count if self.count in self.outputs.values else None
        self.status.refresh(time.perf_counter() - began)

    def _echo_to(self, tee: Tee, silent: bool) -> Callable[[Any], None]:
        """The function that shows a value; `silent` after a semicolon at the end of a line, where it is only remembered."""
        return lambda value: self._echo(value, tee, silent)

    def _echo(self, value: Any, tee: Tee, silent: bool) -> None:
        from ..display.shortened import is_long, shortened
        from .values import value_text

        self.outputs.keep(self.count, value)
        plain = shortened(value)
        tee.keep((shortened(value, "[..]") if is_long(value) else plain) + "\n")
        if not silent:
            tee.stream.write(value_text(value, plain, self.session, self.config) + "\n")
            tee.in_line = False

    def explain(self, error: BaseException) -> None:
        """Prints what went wrong."""
        from .commands import meant

        self.failed = error
        self.error = None if isinstance(error, MemoryError) else error  # whose frames keep what there is no room for
        sys.stdout.flush()
        try:
            text, said = self.session.diagnose(error, use_color(sys.stderr), room(sys.stderr)), meant(self, error)
            if said:  # the command of this very name is closer than a name that is like it
                text = text[:at] if (at := text.rfind("\n")) > 0 and "did you mean" in text[at:] else text
            text += said
        except MemoryError:  # the program's frames keep what it has
            text = type(error).__name__
        print(at_words(text, sys.stderr), file=sys.stderr, flush=True)

    def run_file(self, text: str, path: str) -> None:
        """Runs a file's program without echo; where it exits, the shell stays."""
        self.execute(text, path, echo=False)
        if self.leave is not None and not terminal_is_gone():
            if self.leave:
                print(f"{path} ended with exit code {self.leave}", file=sys.stderr)
            self.leave = None

    def _exit(self, error: SystemExit) -> None:
        from ..language.places import text_of

        if error.code is not None and not isinstance(error.code, int):
            print(self.session.text(error.code, text_of), file=sys.stderr)
        self.leave = error.code if isinstance(error.code, int) else 1 if error.code else 0

    def _greet(self) -> None:
        from textwrap import fill

        from .. import __version__
        from .values import columns

        width = max(columns() - 1, 20)
        first = f"tensorsh {__version__}: torch's names need no prefix; programs may read files below this folder, and ask before they write."
        print(fill(first, width))
        print(fill("Alt-Enter begins a new line, name? explains, %help lists commands, Ctrl-D leaves.", width))


def deepen_stack() -> None:
    """Gives compiled code more room to call itself, as far as the system allows: where it ends, so does the shell."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
        if -1 < soft < STACK and (hard == resource.RLIM_INFINITY or hard >= STACK):
            resource.setrlimit(resource.RLIMIT_STACK, (STACK, hard))
    except (ImportError, OSError, ValueError):
        pass


def warm_up(session: Session) -> None:
    """Loads what completion and colours want while the person looks at the prompt, a little at a time.

    Each step is a turn of the session's, as a program is, so that no program meets what is half loaded.
    """
    try:
        time.sleep(PAUSE)
        from . import lexer

        for _ in lexer.TsrLexer().get_tokens("torch"):  # its tables are made with the first text
            pass
        session.prepare(session.is_complete, "1")
        session.prepare(torch_namespace)
        session.prepare(session.complete, "t")
        from ..engine.loading import table

        for family in table.families():
            time.sleep(PAUSE)
            session.prepare(table.load, family)
        for namespace in (torch_namespace().nn, torch_namespace().optim):
            for name in dir(namespace):
                time.sleep(PAUSE / 10)
                session.prepare(getattr, namespace, name, None)
        for text in ("torch.", "ones(1).", "nn.", "nn.functional."):  # the signatures that their menus show
            for each in session.complete(text):
                time.sleep(PAUSE / 20)
                session.prepare(getattr, each, "detail")
    except Exception:  # whoever needs it will say what is wrong with it
        return
