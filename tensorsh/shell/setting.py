"""Commands that set something: %device %dtype %precision %nan %lint %config %allow %reset."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .commands import CommandError, command, on_off
from .config import KEYS, path

if TYPE_CHECKING:
    from .loop import Shell


@command("device", "[NAME]", "shows or sets the default device")
def device(shell: Shell, argument: str) -> None:
    if argument:
        name = repr(argument.strip(chr(34) + chr(39)))
        _set(shell, f"torch.set_default_device({name})", f"torch.empty(0, device={name})")
    print(shell.status.device)


FLOATS = ("float32", "float64", "float16", "bfloat16", "float", "double", "half")


@command("dtype", "[NAME]", "shows or sets the default dtype")
def dtype(shell: Shell, argument: str) -> None:
    if argument:
        name = argument.removeprefix("torch.")
        if name not in FLOATS:
            raise CommandError(f"%dtype takes one of {', '.join(FLOATS)}, not {argument}")
        _set(shell, f"torch.set_default_dtype(torch.{name})")
    print(shell.status.dtype)


@command("precision", "[DIGITS]", "shows or sets the digits after the point of printed tensors")
def precision(shell: Shell, argument: str) -> None:
    if argument:
        if not argument.isdigit() or int(argument) > 20:
            raise CommandError("%precision takes a number up to 20")
        _set(shell, f"torch.set_printoptions(precision={argument})")
        shell.config.set("precision", int(argument))
    print(shell.config["precision"])


def _set(shell: Shell, statement: str, tried: str = "pass") -> None:
    """Runs a statement that sets something, after what is tried, and keeps it for programs that are made of the entries;
    CommandError says why it could not be set."""
    from ..language.places import headline

    try:
        shell.session.run(f"{tried}; {statement}", "<setting>")
    except Exception as error:
        raise CommandError(headline(error).split("\n")[0]) from None
    shell.settings.append(statement)
    shell.status.refresh()


@command("nan", "[on|off]", "stops at the first operation that makes a NaN or an infinity")
def nan(shell: Shell, argument: str) -> None:
    _watch(shell, argument, "nan")


@command("lint", "[on|off]", "warns of silent broadcasting and of steps without zero_grad")
def lint(shell: Shell, argument: str) -> None:
    _watch(shell, argument, "lint")


def _watch(shell: Shell, argument: str, kind: str) -> None:
    wanted = on_off(shell, argument, kind, shell.session.watches(kind))
    if wanted is not None:
        shell.session.watch(kind, wanted)
        shell.config.set(kind, wanted)


@command(
    "config", "[KEY [VALUE]]", "shows the settings, sets one for this shell; writes the settings file if there is none"
)
def config(shell: Shell, argument: str) -> None:
    key, _, value = argument.replace("=", " ", 1).partition(" ")
    if key:
        value = value.strip().strip("\"'")
        try:
            if value:
                shell.config.set(key, value)
            elif key not in KEYS:
                raise ValueError(f"there is no setting {key!r}; there are {', '.join(KEYS)}")
        except ValueError as error:
            raise CommandError(str(error)) from None
        if value and key in ("nan", "lint"):
            shell.session.watch(key, shell.config[key])
        elif value and key == "trace":
            shell.session.trace(shell.config["trace"])
        elif value and key == "precision":
            _set(shell, f"torch.set_printoptions(precision={shell.config[key]})")
        elif value and key == "outputs":
            shell.outputs.most = shell.config[key]
        print(f"{key} = {shell.config[key]}")
        return
    width = max(map(len, KEYS))
    for name in KEYS:
        print(f"{name:{width}}  {shell.config[name]}")
    where = path()
    if where is not None and os.path.exists(where):
        print(f"the settings file is {where}")
        return
    try:
        print(f"written to {shell.config.write()}, with an explanation of each")
    except OSError as error:
        print(f"the settings file cannot be written: {error.strerror or error}", file=sys.stderr)


@command("allow", "import NAME", "lets programs import an installed package, which runs with all the rights of Python")
def allow(shell: Shell, argument: str) -> None:
    from importlib.util import find_spec

    from ..language.rechecked import recheck
    from ..sandbox.files import package_names

    permissions = shell.session.permissions
    what, _, names = argument.partition(" ")
    if not argument:
        print(f"packages that may be imported: {', '.join(permissions.imports) or 'none'}")
        return
    if what != "import" or not names.strip():
        raise CommandError("%allow import NAME lets programs import an installed package")
    try:
        wanted = [name for name in package_names(names.replace(" ", "")) if name not in permissions.imports]
    except ValueError as error:
        raise CommandError(str(error)) from None
    for name in wanted:
        if find_spec(name.partition(".")[0]) is None:
            raise CommandError(f"no package {name} is installed")
        if shell.confirm(f"May programs import {name}, which runs with all the rights of Python, in this session?"):
            if not permissions.imports:
                recheck(shell.session._programs, shell.session._builtins)
            permissions.imports += (name,)


@command("reset", "[-f]", "forgets all variables (-f: without asking)")
def reset(shell: Shell, argument: str) -> None:
    if argument not in ("", "-f"):
        raise CommandError(f"%reset takes -f or nothing, not {argument}")
    if argument != "-f" and not shell.confirm("Forget all variables?"):
        return
    for name in list(shell.session):
        del shell.session[name]
    shell.outputs.forget()
    shell.error = None
    shell.status.refresh()
