"""`logging`: loggers, handlers and formats of one session.

The real ones belong to the process, know its files and threads, and find callers by frames.
"""

from __future__ import annotations

from typing import Any

from ..classes import checked_state
from ..copying import same
from ..integers import plain_text
from ..kinds import Final, make
from ..sealed import Sealed, program_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment

LEVELS = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARNING": 30, "WARN": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
NAMES = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}


def level_number(level: Any) -> int:
    if isinstance(level, str):
        if level not in LEVELS:
            raise ValueError(f"Unknown level: {level!r}")
        return LEVELS[level]
    if not isinstance(level, int):
        raise TypeError(f"Level not an integer or a valid string: {level!r}")
    return level


def level_name(level: Any) -> Any:
    """The name of a level's number, and the number of a name."""
    if isinstance(level, str):
        return LEVELS.get(level, f"Level {level}")
    return NAMES.get(level, f"Level {level}")


class Record(metaclass=Sealed):
    """A report, by whom and where: it has the attributes of Python's own records."""

    def __init__(self, values: Any = ()) -> None:
        self.__dict__.update(checked_state(self, values))

    def getMessage(self) -> str:  # noqa: N802
        msg = str(self.msg)
        return msg % self.args if self.args else msg

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'LogRecord' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f'<LogRecord: {self.name}, {self.levelno}, {self.pathname}, {self.lineno}, "{self.msg}">'


class Formatter(metaclass=Sealed):
    """How a record is written: a text with `%(name)s` and the like. A program may derive from it."""

    def __init__(
        self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", validate: bool = True, **rest: Any
    ) -> None:
        import logging

        if style != "%":
            raise ValueError("logging.Formatter: only the style '%' is available in tensorsh")
        logging.Formatter(fmt, datefmt)  # for its errors
        self._fmt, self.datefmt = "%(message)s" if fmt is None else fmt, datefmt

    def format(self, record: Any) -> str:
        import logging

        text, dates = ("" if x is None else plain_text(str(x)) for x in (self._fmt, self.datefmt))
        real = logging.Formatter(text or "%(message)s", dates or None, validate=False)
        real.formatTime = lambda _, datefmt=None: self.formatTime(record, datefmt)  # type: ignore
        record.message = record.getMessage()
        # Of another's making: Python's own would look for the lines of an error in the files that a record names.
        told = dict(record.__dict__) | {"msg": record.message, "args": None, "exc_info": None, "stack_info": None}
        return real.format(logging.makeLogRecord(told))

    def formatTime(self, record: Any, datefmt: Any = None) -> str:  # noqa: N802
        import logging

        return logging.Formatter().formatTime(record, datefmt)


class Filterer(metaclass=Sealed):
    """The base of what may be asked whether it takes a record."""

    filters: list

    def addFilter(self, filter: Any) -> None:  # noqa: N802
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter: Any) -> None:  # noqa: N802
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record: Any) -> bool:
        return all(asked(each, record) for each in list(self.filters))


def asked(filter: Any, record: Any) -> bool:
    return bool(filter.filter(record) if hasattr(filter, "filter") else filter(record))


class Filter(metaclass=Sealed):
    """Takes the records of a logger and of those below it."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def filter(self, record: Any) -> bool:
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")


class Handler(Filterer):
    """Where records are written. A program may derive from it, with an `emit` of its own."""

    def __init__(self, level: Any = 0) -> None:
        self.level = level_number(level)
        self.name, self.formatter, self.filters = None, None, []

    def setLevel(self, level: Any) -> None:  # noqa: N802
        self.level = level_number(level)

    def setFormatter(self, fmt: Any) -> None:  # noqa: N802
        self.formatter = fmt

    def format(self, record: Any) -> str:
        return (self.formatter or Formatter()).format(record)

    def emit(self, record: Any) -> None:
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def handle(self, record: Any) -> bool:
        taken = self.filter(record)
        if taken:
            self.emit(record)
        return taken

    def flush(self) -> None:
        """Records are written at once."""

    def close(self) -> None:
        """Nothing is kept open."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} ({level_name(self.level)})>"


class Logger(metaclass=Final):
    """Records what a program reports, at levels from DEBUG to CRITICAL."""

    __slots__ = ("_journal", "disabled", "filters", "handlers", "level", "name", "parent", "propagate")
    __deepcopy__ = same

    addFilter, removeFilter, filter = Filterer.addFilter, Filterer.removeFilter, Filterer.filter  # noqa: N815

    def setLevel(self, level: Any) -> None:  # noqa: N802
        self.level = level_number(level)

    def addHandler(self, hdlr: Any) -> None:  # noqa: N802
        if not isinstance(hdlr, Handler):
            raise TypeError("addHandler: a handler of logging is expected")
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr: Any) -> None:  # noqa: N802
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self) -> bool:  # noqa: N802
        return any(logger.handlers for logger in self._chain())

    def getEffectiveLevel(self) -> int:  # noqa: N802
        logger = self
        while not logger.level and logger.parent is not None:
            logger = logger.parent
        return logger.level

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802
        return not self.disabled and level > self._journal["disabled"] and level >= self.getEffectiveLevel()

    def getChild(self, suffix: str) -> Any:  # noqa: N802
        return self._journal["get"](suffix if self.parent is None else f"{self.name}.{suffix}")

    def _chain(self) -> Any:
        logger: Any = self
        while logger is not None:
            yield logger
            logger = logger.parent if logger.propagate else None

    def log(
        self, level: int, msg: Any, *args: Any, exc_info: Any = None, stack_info: bool = False, stacklevel: int = 1,
        extra: Any = None,
    ) -> None:  # fmt: skip
        if not self.isEnabledFor(level):
            return
        record = make_record(self.name, level, msg, args, exc_info, extra)
        if not self.filter(record):
            return
        found = False
        for logger in self._chain():
            for handler in list(logger.handlers):
                found = True
                if level >= handler.level:
                    handler.handle(record)
        if not found and level >= 30:
            self._journal["last"].handle(record)

    def debug(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(10, msg, *args, **options)

    def info(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(20, msg, *args, **options)

    def warning(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(30, msg, *args, **options)

    def error(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(40, msg, *args, **options)

    def critical(self, msg: Any, *args: Any, **options: Any) -> None:
        self.log(50, msg, *args, **options)

    def exception(self, msg: Any, *args: Any, exc_info: Any = True, **options: Any) -> None:
        self.log(40, msg, *args, exc_info=exc_info, **options)

    def __repr__(self) -> str:
        kind = "RootLogger" if self.parent is None else "Logger"
        return f"<{kind} {self.name} ({level_name(self.getEffectiveLevel())})>"


def make_record(name: str, level: int, msg: Any, args: tuple, exc_info: Any, extra: Any) -> Any:
    """The real record, of the line of the program that reported."""
    import logging
    import sys

    frame = program_frame(sys._getframe(1))
    place = ("<program>", 0, "") if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    if exc_info:
        error = exc_info if isinstance(exc_info, BaseException) else sys.exc_info()[1]
        if error is not None:
            from .tracebacks import told

            text = "".join(told(error).format()).rstrip("\n")
            msg, args = f"{msg % args if args else msg}\n{text}", ()
    record = logging.LogRecord(name, level, place[0], place[1], msg, args, None, place[2] or None)
    for key, value in dict(extra or {}).items():
        if (
            type(key) is not str
            or key in record.__dict__
            or not key.isidentifier()
            or key[:1] == "_"
            or hasattr(record, key)
        ):
            raise KeyError(f"Attempt to overwrite {key!r} in LogRecord")
        record.__dict__[key] = value
    return Record(record.__dict__)


def handlers_of(environment: Environment) -> tuple[type, type, type]:
    """The classes of handlers that write where the session does."""
    import sys

    class StreamHandler(Handler):
        """Writes records to a stream."""

        terminator = "\n"

        def __init__(self, stream: Any = None) -> None:
            Handler.__init__(self)
            self.stream = stream

        def emit(self, record: Any) -> None:
            (self.stream or environment.stderr or sys.stderr).write(self.format(record) + self.terminator)

    class FileHandler(StreamHandler):
        """Writes records to a file."""

        def __init__(self, filename: Any, mode: str = "a", encoding: str | None = None, delay: bool = False) -> None:
            Handler.__init__(self)
            self.baseFilename, self.encoding = filename, encoding  # noqa: N815
            if not delay or mode == "w":
                environment.permissions.open(filename, mode, encoding=encoding).close()

        def emit(self, record: Any) -> None:
            with environment.permissions.open(self.baseFilename, "a", encoding=self.encoding) as file:
                file.write(self.format(record) + self.terminator)  # type: ignore[arg-type]

    class NullHandler(Handler):
        """Writes nothing."""

        def emit(self, record: Any) -> None:
            """Nothing."""

    for own in (StreamHandler, FileHandler, NullHandler):
        own.__qualname__ = own.__name__
    return StreamHandler, FileHandler, NullHandler


def loggers_of(journal: dict[str, Any]) -> tuple[Any, Any]:
    """The logger at the root, and what finds or makes those below it by their names."""

    def logger(name: str, parent: Any, level: int) -> Any:
        return make(
            Logger, name=name, parent=parent, level=level, handlers=[], filters=[], propagate=True, disabled=False,
            _journal=journal,
        )  # fmt: skip

    def get(name: str | None = None) -> Any:
        if not name or name == "root":
            return root
        if name not in loggers:
            above = name.rpartition(".")[0]
            while above and above not in loggers:
                above = above.rpartition(".")[0]
            loggers[name] = logger(name, loggers.get(above, root), 0)
            for below, each in loggers.items():
                if below.startswith(name + ".") and len(each.parent.name if each.parent is not root else "") < len(
                    name
                ):
                    each.parent = loggers[name]
        return loggers[name]

    loggers: dict[str, Any] = {}
    root = logger("root", None, 30)
    return root, get


def logging(environment: Environment) -> dict[str, Any]:
    StreamHandler, FileHandler, NullHandler = handlers_of(environment)  # noqa: N806
    journal: dict[str, Any] = {"disabled": 0, "last": StreamHandler()}
    root, journal["get"] = loggers_of(journal)

    def basic_config(
        *, filename: Any = None, filemode: str = "a", format: str | None = None, datefmt: str | None = None,
        style: str = "%", level: Any = None, stream: Any = None, handlers: Any = None, force: bool = False,
        encoding: str | None = None, errors: str | None = None,
    ) -> None:  # fmt: skip
        if force:
            root.handlers.clear()
        if root.handlers:
            return
        if handlers is None:
            handlers = [StreamHandler(stream) if filename is None else FileHandler(filename, filemode, encoding)]
        text = Formatter("%(levelname)s:%(name)s:%(message)s" if format is None else format, datefmt, style)
        for each in handlers:
            if each.formatter is None:
                each.setFormatter(text)
            root.addHandler(each)
        if level is not None:
            root.setLevel(level)

    def of_root(name: str) -> Any:
        def report(*args: Any, **options: Any) -> None:
            if not root.handlers:
                basic_config()
            getattr(root, name)(*args, **options)

        report.__name__ = report.__qualname__ = name
        return report

    def disable(level: Any = 50) -> None:
        journal["disabled"] = level_number(level)

    reports = "debug info warning error critical exception log".split()
    return {
        **LEVELS, **{name: of_root(name) for name in reports}, "Formatter": Formatter, "StreamHandler": StreamHandler,
        "FileHandler": FileHandler, "NullHandler": NullHandler, "Filter": Filter, "LogRecord": Record,
        "Logger": Logger, "Handler": Handler, "basicConfig": basic_config, "disable": disable, "getLogger": journal["get"],
        "getLevelName": level_name, "root": root, "captureWarnings": lambda capture: None,
    }  # fmt: skip
