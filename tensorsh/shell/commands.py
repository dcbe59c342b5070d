"""The commands of the shell: one decorator declares each; dispatch, %help and completion follow from it.

@command("device", "[NAME]", "shows or sets the default device")
def device(shell, argument): ...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from keyword import iskeyword
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from .config import KEYS as SETTINGS
from .values import columns

if TYPE_CHECKING:
    from .loop import Shell

FAMILIES = (
    "running", "blocks", "keeping", "looking", "setting", "moving", "again", "reloading", "debugger", "profiles",
)  # fmt: skip
"""The files in which commands are declared."""
NO_SYSTEM = (
    "`!` is not there: a session computes and prints, and starts no programs, so that what you paste into it cannot either. "
    "Use another terminal for system commands"
)
INSTALLS = "the shell starts no programs and installs nothing; use another terminal."
IDLE = {
    **dict.fromkeys(("matplotlib", "pylab"), "plot and hist draw in the terminal"),
    "load_ext": "%autoreload is there without it, and there are no other extensions",
    "reload_ext": "there are no extensions",
}
"""Commands of IPython that set up what needs no setting up here."""
ELSEWHERE = {
    "pip": INSTALLS, "conda": INSTALLS, "mamba": INSTALLS, "micromamba": INSTALLS, "uv": INSTALLS,
    **dict.fromkeys("sx system bash sh script perl ruby cmd python python2 python3 pypy".split(), NO_SYSTEM + "."),
    "env": "programs see no environment variables; import os and os.environ have what a launcher sets.",
    "set_env": "programs see no environment variables.",
    "javascript": "scripts of a program would run in the browser with your rights.", "js": "scripts of a program would run in the browser with your rights.",
    "pdb": "%debug looks into the last error at any time after it.",
    **dict.fromkeys(("lsmagic", "magic", "quickref"), "%help lists the commands."),
    **dict.fromkeys(("automagic", "autocall"), "a command keeps its sign, a call its parentheses."),
    **dict.fromkeys(("logstart", "logon", "notebook"), "%transcript writes what was typed and shown, %save the program, %export Python."),
    **dict.fromkeys(("pushd", "popd", "dirs", "dhist", "bookmark"), "%cd - goes back to the folder before."),
    **dict.fromkeys(("xdel", "reset_selective"), "del NAME forgets a variable, %reset all of them."),
    **dict.fromkeys(("memit", "mprun"), "%whos shows the memory of each tensor."),
    "tb": "an error is told in full at once; %debug looks into the last one.",
    "lprun": "%lprof STATEMENT gives the times of all lines that run.",
    "cpaste": "what is pasted at the prompt runs as it is, also with prompts and margins.",
    "recall": "%rerun runs entries again; Up brings back earlier entries; %load and %edit put a file's text at the prompt.",
    "pycat": "%cat shows a file.",
    **dict.fromkeys(("pinfo", "pdoc", "pdef", "pfile"), "name? explains it."), "pinfo2": "name?? shows its text, too.",
    "psource": "name?? shows its text.",
    "xmode": "errors show the place, the operands' shapes and a hint.", "colors": "%config theme sets the colours.",
    "store": "torch.save keeps values from one day to the next.",
    "tensorboard": "plot, hist and track show losses.",
}  # fmt: skip
"""Commands of IPython that are not there, and what is."""
ALIASES = {"hist": "history", "ed": "edit", "rep": "rerun"}
"""Shorter names that IPython has."""
KEYS = "name?  explains a function, shows what is in a tensor; Alt-Enter begins a new line; Ctrl-R searches"
_QUESTION = re.compile(r"\?{0,2}\s*([^\W\d]\w*(?:\.[^\W\d]\w*|\[-?\d+\])*)\s*\?{0,2}$")
_WILD = re.compile(r"(?:\?+\s*[\w.]*\*[\w.*]*|[^\W\d*][\w.]*\*[\w.*]*\s*\?+|\*[\w.*]*\s*\?+)\s*$")
_BLOCK = re.compile(r"%%(time|timeit|prun|lprof|capture|writefile|file|html|markdown|latex|svg)\b")
_HELP = re.compile(r"help\(\s*(?:([\"']?)([^\W\d][\w.]*)\1)?\s*\)$")
"""How Python asks."""


class Command(NamedTuple):
    name: str
    usage: str
    about: str
    function: Callable[..., Any]
    takes_lines: bool = False
    """Whether it is called with its own line and with those beneath it."""


class CommandError(Exception):
    """Wrong use of a command: the message is all there is to say."""


class NotHere(CommandError):
    """A command of IPython that is left out on purpose: what a notebook has besides goes on."""


_commands: dict[str, Command] = {}


def command(name: str, usage: str, about: str) -> Callable[[Callable[[Shell, str], Any]], Callable[[Shell, str], Any]]:
    """Declares a command."""

    def declare(function: Callable[[Shell, str], Any]) -> Callable[[Shell, str], Any]:
        _commands[name] = Command(name, usage, about, function)
        return function

    return declare


def block(name: str, usage: str, about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a command for the lines beneath it: a function of the shell, its own line, those lines."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _commands[name] = Command(name, usage, about, function, True)
        return function

    return declare


def commands() -> dict[str, Command]:
    """All commands by name."""
    from importlib import import_module

    for family in FAMILIES:
        import_module(f"tensorsh.shell.{family}")
    return _commands


def is_special(text: str) -> bool:
    """Whether an entry is no program: a command, a question, or what is not there."""
    text = text.strip()
    return text.startswith(("%", "!")) or is_question(text)


def is_question(text: str) -> bool:
    if text.startswith("help("):
        return _HELP.match(text) is not None
    if not text.startswith("?") and not text.endswith("?"):
        return False
    return text in ("?", "??") or _QUESTION.match(text) is not None or _WILD.match(text) is not None


def is_block(text: str) -> bool:
    """Whether an entry is a command for the lines beneath it (`%%timeit`), which an empty line ends."""
    return _BLOCK.match(text) is not None and bool(text.rpartition("\n")[2].strip())


def parts(text: str, is_complete: Callable[[str], tuple[str, int]]) -> list[tuple[int, str]]:
    """An entry as programs, commands and questions, each with its first line: what is pasted may have them one below the other."""
    lines = text.split("\n")
    if len(lines) == 1 or text.lstrip().startswith("%%") or not any(_is_special_line(line) for line in lines):
        return [(0, text)]
    found: list[tuple[int, str]] = []
    start = 0
    for number, line in enumerate(lines):
        before = "\n".join(lines[start:number])
        if _is_special_line(line) and (not before.strip() or is_complete(before + "\n")[0] != "incomplete"):
            found += [(start, before), (number, line)]
            start = number + 1
    return [(number, part) for number, part in [*found, (start, "\n".join(lines[start:]))] if part.strip()]


def _is_special_line(line: str) -> bool:
    return bool(line) and not line[0].isspace() and is_special(line)


def explain(shell: Shell, name: str, tell: Callable[[str], None], source: bool = False) -> None:
    """Tells the answer to `name?`; for `name??` also the text of what was defined here."""
    from ..display.cells import draws_unicode
    from ..display.explanation import explanation
    from ..display.terminal import broken
    from .values import shell_theme

    found = shell.session.inspect(name)
    if found is None:
        if iskeyword(name):
            print(f"{name} is a word of the language itself, Python's: docs/language.md")
            return
        print(f"nothing is called {name}", file=sys.stderr)
        close = shell.session.nearest(name)
        if close:
            print(f"did you mean {' or '.join(close)}?", file=sys.stderr)
        return
    text = explanation(found, columns() - 1, draws_unicode(sys.stdout), shell_theme(shell.config))
    if source and found.kind in ("function", "class"):
        text += "\n" + (
            found.source
            or broken(
                "(its text is not shown: ?? shows that of functions and classes that you have defined)", columns()
            )
        )
    tell(text)


def dispatch(shell: Shell, text: str) -> bool:
    """Runs an entry that is a command or a question; False for a program."""
    if text.startswith("!"):
        leave_out(shell, "")
        return True
    if is_question(text):
        if _WILD.match(text) is not None:
            commands()["psearch"].function(shell, text.strip("? "))
            return True
        match = _HELP.match(text) or _QUESTION.match(text)
        if match is not None and match.re is _HELP and match[1] and match[2] == "modules":
            print(
                fill(
                    "Programs may import " + ", ".join(sorted(shell.session.host().names_in(""))) + ".",
                    max(columns() - 1, 20),
                )
            )
            return True
        asked = match and match[match.re.groups]
        if match is None or asked is None:
            help(shell, "")
            return True
        tell = print if match.re is _HELP else shell.tell
        explain(shell, asked, tell, source="??" in text)
        return True
    if not text.startswith("%"):
        return False
    first, newline, body = text.partition("\n")
    name, _, line = first.lstrip("%").partition(" ")
    if name.endswith("?") and not line.strip():
        name, line = name.rstrip("?"), "?"
    name = ALIASES.get(name, name)
    found = commands().get(name)
    passed = name in shell.passes and re.split(r"[\s=]", line, maxsplit=1)[0] not in SETTINGS
    if passed or found is None and name in IDLE:
        shell.pass_over(name)
        return True
    try:
        if found is None:
            raise NotHere(unknown(name, first)) if name in ELSEWHERE else CommandError(unknown(name, first))
        if name in shell.lacks:
            raise CommandError(f"%{name} is a command of the shell; here a cell reads and writes files by its program")
        if line.strip() == "?":
            print_help(found)
        elif not found.usage and line.strip():
            raise CommandError(f"%{name} takes nothing behind it, not {line.strip()}")
        elif not found.takes_lines:
            shell.give(found.function(shell, (line + newline + body).rstrip().lstrip(" \t")))
        elif not first.startswith("%%"):
            raise CommandError(f"%%{name} takes the lines beneath it, and two %")
        else:
            found.function(shell, line.strip(), body)
    except CommandError as error:
        shell.refuse(error)
    except OSError as error:
        shell.refuse(
            CommandError(f"%{name}: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        )
    return True


def leave_out(shell: Shell, name: str) -> None:
    """Says why a command of IPython's, or of the system, is not there."""
    if name:
        shell.refuse(NotHere(unknown(name)))
    else:
        print(fill(NO_SYSTEM + shell.deals_with_files, max(columns() - 1, 20)))


def unknown(name: str, typed: str = "%") -> str:
    """What is said of a command that is not there. typed: the line, for its signs."""
    from difflib import get_close_matches

    sign = "%%" if typed.startswith("%%") and name else "%"
    if name in ELSEWHERE:
        return f"there is no command {sign}{name}: {ELSEWHERE[name]}"
    close = get_close_matches(name, list(commands()), 1)
    also = f"%{'%' if commands()[close[0]].takes_lines else sign[1:]}{close[0]}" if close else ""
    return f"there is no command {sign}{name}" + (f"; did you mean {also}?" if also else "; %help lists them")


def meant(shell: Shell, error: BaseException) -> str:
    """A line on the command that somebody meant who typed it without its sign, or nothing."""
    if not isinstance(error, (NameError, SyntaxError)) or not shell.records:
        return ""
    entry = shell.records[-1]
    is_it = (
        entry.text.split(None, 1)[:1] == [error.name]
        if isinstance(error, NameError)
        else error.filename == f"<input {entry.number}>"
    )
    said = as_command(shell, entry.text) if is_it else None
    return f"\nhint: {said}" if said else ""


def as_command(shell: Shell, text: str) -> str | None:
    """The question whether a line is a command without its sign."""
    word = text.strip().partition(" ")[0]
    if "\n" in text.strip() or word in shell.session or word not in commands():
        return None
    return f"did you mean %{text.strip()}?"


def usage(found: Command) -> str:
    """How it is typed."""
    return f"{'%%' if found.takes_lines else '%'}{found.name} {found.usage}".rstrip()


def print_help(found: Command) -> None:
    print(usage(found))
    print(fill(found.about, max(columns() - 1, 24), initial_indent="    ", subsequent_indent="    "))


def on_off(shell: Shell, argument: str, name: str, now: bool) -> bool | None:
    """The new state that `on` or `off` asks for; None where there was no argument and the state was shown."""
    if not argument:
        print(f"{name} is {'on' if now else 'off'}")
        return None
    if argument not in ("on", "off"):
        raise CommandError(f"%{name} takes on or off, not {argument}")
    return argument == "on"


@command("help", "[COMMAND]", "lists the commands, or explains one")
def help(shell: Shell, argument: str) -> None:
    if argument:
        found = commands().get(argument.lstrip("%"))
        if found is None:
            raise CommandError(unknown(argument))
        print_help(found)
        return
    every = sorted(commands().values())
    wide = max(len(usage(c)) for c in every)
    room = columns() - 1
    narrow = room < wide + 40
    for each in every:
        head = usage(each)
        indent = 4 if narrow else wide + 2
        about = wrap(each.about, max(room - indent, 20))
        if narrow:
            print(head)
        else:
            print(head.ljust(indent) + about.pop(0))
        for line in about:
            print(" " * indent + line)
    for line in wrap(KEYS, max(room, 20)):
        print(line)
