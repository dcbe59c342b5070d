"""`argparse`: the real parser behind a front that opens no files and sets no attributes but those of a Namespace.

The real one reads files (`fromfile_prefix_chars`, FileType), sets any attribute of any object (`dest`, `namespace`) and
knows the interpreter's own arguments.
"""

from __future__ import annotations

from typing import Any

from ..classes import is_script_class, register_class
from ..kinds import Final, make
from ..names import check_keywords, is_special
from ..stores import set_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..environment import Environment

_ACTIONS = "store store_const store_true store_false append append_const count help version extend".split()
_FORMATTERS = "HelpFormatter ArgumentDefaultsHelpFormatter RawTextHelpFormatter RawDescriptionHelpFormatter".split()
_ADVICE = "prog usage description epilog formatter_class prefix_chars add_help allow_abbrev exit_on_error".split()


class Choice(metaclass=Final):
    """Stands for a class of argparse that is only named: a way to format help, BooleanOptionalAction."""

    __slots__ = ("_name",)

    def __repr__(self) -> str:
        return f"<class 'argparse.{self._name}'>"


def _real_class(choice: Any, allowed: Any) -> Any:
    import argparse as real

    if type(choice) is Choice and choice._name in allowed:
        return getattr(real, choice._name)
    raise TypeError(f"argparse: {choice!r} is not available in tensorsh")


def _check_dest(name: Any) -> None:
    if type(name) is not str or name[:2] == "__":
        raise ValueError(f"{name!r} cannot be the name of an argument")


def _add_argument(target: Any, flags: tuple, options: dict[str, Any]) -> None:
    check_keywords(options)
    for flag in flags:
        _check_dest(flag.lstrip(target.prefix_chars).replace("-", "_") if type(flag) is str else flag)
    if options.get("dest") is not None:
        _check_dest(options["dest"])
    action = options.get("action", "store")
    if type(action) is Choice:
        options["action"] = _real_class(action, ("BooleanOptionalAction",))
    elif type(action) is not str or action not in _ACTIONS:
        raise ValueError(f"unknown action {action!r}")
    if is_script_class(type(options.get("type"))) and not callable(options["type"]):
        raise ValueError(f"{options['type']!r} is not callable")
    target.add_argument(*flags, **_helping(options, options.pop("help", None)))


def _helping(options: dict[str, Any], text: Any) -> dict[str, Any]:
    """Options with a help. The real one hands all that it knows of an argument, also its parser, to `%` of that."""
    return options if text is None else options | {"help": str.__str__(text)}


class Group(metaclass=Final):
    """A group of arguments of a parser."""

    __slots__ = ("_real",)

    def add_argument(self, *flags: Any, **options: Any) -> None:
        _add_argument(self._real, flags, options)

    def add_mutually_exclusive_group(self, *, required: bool = False) -> Any:
        return make(Group, _real=self._real.add_mutually_exclusive_group(required=required))


class Subparsers(metaclass=Final):
    """The commands of a parser."""

    __slots__ = ("_environment", "_namespace", "_real")

    def add_parser(self, name: str, *, help: str | None = None, aliases: Any = (), **options: Any) -> Any:
        options = _helping(_checked(options), help)
        real = self._real.add_parser(name, aliases=tuple(aliases), **options)
        return make(Parser, _real=real, _environment=self._environment, _namespace=self._namespace)


class Parser(metaclass=Final):
    """An ArgumentParser."""

    __slots__ = ("_environment", "_namespace", "_real")

    def add_argument(self, *flags: Any, **options: Any) -> None:
        _add_argument(self._real, flags, options)

    def add_argument_group(self, title: str | None = None, description: str | None = None) -> Any:
        return make(Group, _real=self._real.add_argument_group(title, description))

    def add_mutually_exclusive_group(self, *, required: bool = False) -> Any:
        return make(Group, _real=self._real.add_mutually_exclusive_group(required=required))

    def add_subparsers(
        self, *, title: str | None = None, description: str | None = None, prog: str | None = None,
        dest: str | None = None, required: bool = False, help: str | None = None, metavar: str | None = None,
    ) -> Any:  # fmt: skip
        import argparse as real

        if dest is not None:
            _check_dest(dest)
        named = {"title": title, "description": description, "prog": prog}
        made = self._real.add_subparsers(
            dest=real.SUPPRESS if dest is None else dest, required=required, metavar=metavar,
            **_helping({name: value for name, value in named.items() if value is not None}, help),
        )  # fmt: skip
        return make(Subparsers, _real=made, _environment=self._environment, _namespace=self._namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._real.parse_args(self._given(args), self._target(namespace))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._real.parse_known_args(self._given(args), self._target(namespace))

    def _given(self, args: Any) -> list[str]:
        return list(self._environment.argv[1:]) if args is None else list(args)

    def _target(self, namespace: Any) -> Any:
        if namespace is None:
            return self._namespace()
        if type(namespace) is not self._namespace:
            raise TypeError("parse_args: the namespace must be an argparse.Namespace")
        return namespace

    def set_defaults(self, **defaults: Any) -> None:
        for name in defaults:
            _check_dest(name)
        self._real.set_defaults(**defaults)

    def get_default(self, dest: str) -> Any:
        return self._real.get_default(dest)

    def format_help(self) -> str:
        return self._real.format_help()

    def format_usage(self) -> str:
        return self._real.format_usage()

    def print_help(self) -> None:
        self._real._print_message(self.format_help())

    def print_usage(self) -> None:
        self._real._print_message(self.format_usage())

    def error(self, message: str) -> None:
        self._real.error(message)

    def exit(self, status: int = 0, message: str | None = None) -> None:
        self._real.exit(status, message)


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    import argparse as real

    for name in check_keywords(options):
        if name not in (*_ADVICE, "parents", "conflict_handler"):
            raise TypeError(f"ArgumentParser: {name} is not available in tensorsh")
    options = dict(options)
    options["formatter_class"] = (
        _real_class(options["formatter_class"], _FORMATTERS) if "formatter_class" in options else real.HelpFormatter
    )
    if options.get("conflict_handler", "error") not in ("error", "resolve"):
        raise ValueError(f"invalid conflict_resolution value: {options['conflict_handler']!r}")
    parents = list(options.get("parents", ()))
    if any(type(parent) is not Parser for parent in parents):
        raise TypeError("ArgumentParser: parents must be parsers")
    options["parents"] = [parent._real for parent in parents]
    return options


def namespace_class(module: str, name: str, shown: str) -> Any:
    """A class of the session's own whose instances hold values as attributes."""

    class Namespace:
        """Values as attributes."""

        def __init__(self, **values: Any) -> None:
            for key, value in values.items():
                set_attribute(self, key, value)

        def __setattr__(self, name: str, value: Any) -> None:
            if is_special(name):  # a parser of the library's makes it of a text
                raise AttributeError(f"{name!r} cannot be the name of an argument")
            object.__setattr__(self, name, value)

        def __repr__(self) -> str:
            own = object.__getattribute__(self, "__dict__")
            plain = [f"{key}={value!r}" for key, value in own.items() if key.isidentifier()]
            rest = {key: value for key, value in own.items() if not key.isidentifier()}
            return f"{shown}({', '.join(plain + ([f'**{rest!r}'] if rest else []))})"

        def __eq__(self, other: object) -> Any:
            if type(other) is not type(self):
                return NotImplemented
            return object.__getattribute__(self, "__dict__") == object.__getattribute__(other, "__dict__")

        __hash__ = None  # type: ignore[assignment]

        def __contains__(self, key: object) -> bool:
            return key in object.__getattribute__(self, "__dict__")

    Namespace.__module__, Namespace.__name__, Namespace.__qualname__ = module, name, name
    return register_class(Namespace)


def argparse(environment: Environment) -> dict[str, Any]:
    import argparse as real
    import os
    import sys

    stderr, stdout = environment.stderr, environment.stdout

    class Real(real.ArgumentParser):
        """Writes to the session's streams."""

        def _print_message(self, message: str, file: Any = None) -> None:
            if message:
                stream = (stderr or sys.stderr) if file is sys.stderr else (stdout or sys.stdout)
                stream.write(message)

        def exit(self, status: int = 0, message: str | None = None) -> Any:
            self._print_message(message or "", sys.stderr)
            raise SystemExit(status)

    Namespace = namespace_class("argparse", "Namespace", "Namespace")  # noqa: N806

    def ArgumentParser(prog: str | None = None, *rest: Any, **options: Any) -> Any:  # noqa: N802
        options |= dict(zip(("usage", "description", "epilog"), rest, strict=False))
        name = os.path.basename(environment.argv[0] or "tensorsh")
        made = Real(prog=name if prog is None else prog, **_checked(options))
        return make(Parser, _real=made, _environment=environment, _namespace=Namespace)

    table = {name: make(Choice, _name=name) for name in (*_FORMATTERS, "BooleanOptionalAction")}
    constants = "SUPPRESS OPTIONAL ZERO_OR_MORE ONE_OR_MORE REMAINDER ArgumentTypeError ArgumentError"
    return table | {name: getattr(real, name) for name in constants.split()} | {
        "ArgumentParser": ArgumentParser, "Namespace": Namespace,
    }  # fmt: skip
