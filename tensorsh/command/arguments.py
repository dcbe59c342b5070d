"""The arguments of the command line, read by hand: argparse would take as long as all the rest of a short program.

`parse` gives `Options` or raises `UsageError`. Options stand before the file; what follows it belongs to the program.
"""

from __future__ import annotations

from itertools import takewhile

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

HELP = """\
tensorsh runs programs in PyTorch's language, on numpy: same names, same text, same numbers under the same seed.

  tensorsh                       opens the shell
  tensorsh FILE.tsr [ARG...]     runs a program (also: tensorsh run FILE.tsr), or the cells of a notebook FILE.ipynb
  tensorsh run -n 4 FILE         runs a program as 4 processes that work together by torch.distributed
  tensorsh -c CODE [ARG...]      runs CODE and shows the value of its last expression
  tensorsh -                     runs what comes from standard input
  tensorsh test PATH...          runs golden files and compares their output with what stands in them
  tensorsh export FILE.tsr       writes the same program as plain Python for PyTorch
  tensorsh convert FROM TO       makes a notebook of a program (cells begin with `# %%`), or a program of a notebook
  tensorsh python SCRIPT.py      runs plain Python in which `import torch` means tensorsh (-m MODULE, -c CODE)
  tensorsh kernel install        makes the notebook kernel known to Jupyter (--user, --sys-prefix or --prefix=PATH)
  tensorsh lsp                   serves editors: errors, shapes, completion as a program is written (--stdio, or
                                 --tcp[=PORT], --host=HOST)
  tensorsh completion SHELL      prints what makes bash, zsh or fish complete: eval "$(tensorsh completion bash)"

Running
  -i                             stay in the shell afterwards, with the program's variables
  --allow-read[=PATH]            let the program read files (below PATH; may be repeated)
  --allow-write[=PATH]           let the program write files (below PATH; may be repeated)
  --allow-all, -A                both, everywhere; without these flags a program touches no file
  --allow-import NAMES           let the program import installed packages (einops,timm); each runs with all the rights
                                 of Python: what it can do with files and the network, it does for the program
  --nan                          stop at the first operation that makes a NaN or an infinity
  --trace                        remember the line of each operation, for errors of backward() and graph()
  --timeout SECONDS              stop after so long (exit code 124)
  --max-memory SIZE              bound the memory, as in 512M or 2G
  --max-output SIZE              bound what is printed, as in 1M
  --isolate                      also by the kernel: no network, no processes, no other files (Linux)

Many processes (tensorsh run -n N FILE.tsr; FILE.py and -m MODULE run as `tensorsh python` does)
  -n N                           start N processes, the ranks; one that fails ends all
  --no-labels                    print the lines of ranks without their numbers
  --hostfile FILE                start them on the machines that a file lists, by mpiexec, which listens on the network
  --nodes HOST,HOST              the same, for these machines

Testing (tensorsh test)
  Expected output stands behind each statement of a .tsr file: `#> ` a line that it prints or echoes (as in the shell,
  an expression's value is echoed unless it is None), `#! ` the error it ends with. `[..]` stands for any text in a
  line, a line `...` for any lines.
  A line `#@ ranks 2` runs a file as two processes; `#1> ` is then what rank 1 alone prints, `#> ` what each does.
  -n N                           run each file as N processes
  --bless                        write the actual output into the files, keeping wildcards that still hold
  --timeout SECONDS              stop a statement after so long (120)
  -j N                           run N files at a time (all processors)
  -v                             also name the files that passed

Exporting (tensorsh export)
  -o FILE                        write there and not to standard output

  --version, -V                  the version, and whether the kernels are compiled
  --help, -h                     this text

In a program `argv` is the list of its name and arguments. NO_COLOR=1 turns colours off, FORCE_COLOR=1 turns them on.

  tensorsh -c "x = randn(3, requires_grad); x.exp().sum().backward(); x.grad"
  tensorsh --allow-read=data train.tsr 20
  tensorsh test --bless scripts
"""


def help_text(command: str) -> str:
    """The whole help, or what there is to say of a command other than `run`."""
    if command in ("", "run"):
        return HELP
    title, lines = HELP.partition("\n\n")[0], HELP.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith(f"  tensorsh {command} "))
    usage = "\n".join([lines[first], *takewhile(lambda line: line.startswith(" " * 30), lines[first + 1 :])])
    sections = [part for part in HELP.split("\n\n") if f"(tensorsh {command})" in part]
    return "\n\n".join([title, usage, *sections]) + "\n"


COMMANDS = ("run", "test", "export", "convert", "kernel", "lsp", "completion")


class UsageError(Exception):
    """Arguments that make no sense."""


class Options:
    """The options and the words that the arguments give."""

    def __init__(self) -> None:
        self.command = ""
        self.code: str | None = None
        self.arguments: list[str] = []
        """The file and what follows it."""
        self.interactive = self.bless = self.verbose = self.isolate = False
        self.nan = self.trace = False
        self.read: list[str] | bool = []
        self.write: list[str] | bool = []
        self.imports: list[str] = []
        self.timeout: float | None = None
        self.max_memory: int | None = None
        self.max_output: int | None = None
        self.jobs = 0
        self.ranks = 0
        self.labels = True
        self.hosts: list[str] = []
        """How mpiexec is told of other machines."""
        self.words: list[str] = []
        """What each rank is started with."""
        self.output: str | None = None
        self.show = ""
        """`help` or `version`, if that is all that is asked for."""

    def permissions(self) -> Any:
        """The files that the program may read and write, the packages it may import; None for none."""
        if not self.read and not self.write and not self.imports:
            return None
        from ..sandbox.files import Permissions

        return Permissions(self.read, self.write, self.imports)


def parse(arguments: list[str]) -> Options:
    """The options in the arguments; what follows the file belongs to the program."""
    options, rest = Options(), list(arguments)
    while rest:
        start = len(arguments) - len(rest)
        word = rest.pop(0)
        if word == "-c" or word == "-m" and options.ranks:
            if not rest:
                raise UsageError(f"{word} needs the {'code' if word == '-c' else 'module'} to run")
            options.code, options.arguments = (rest[0] if word == "-c" else None), [word, *rest[word == "-c" :]]
            break
        if word == "--":
            options.arguments += rest
            break
        if word.startswith("-") and word != "-":
            _option(options, word, rest)
            if not word.startswith(LAUNCHING):
                options.words += arguments[start : len(arguments) - len(rest)]
        elif word in COMMANDS and not options.command and not options.arguments:
            options.command = word
            if word in ("kernel", "lsp", "completion"):  # the rest is its own
                options.arguments = rest
                options.show = "help" if rest[-1:] in (["--help"], ["-h"]) else ""
                break
        elif options.command in ("test", "export", "convert"):
            options.arguments.append(word)
        else:
            options.arguments = [word, *rest]
            break
    if options.ranks and options.command in ("", "run"):
        options.words = rank_words(options)
    _check(options)
    return options


LAUNCHING = ("-n", "--ranks", "--no-labels", "--hostfile", "--nodes")
"""Options of the launcher, which its ranks do not see."""


def rank_words(options: Options) -> list[str]:
    """The words with which a rank is started: its own options, the program and what belongs to it."""
    name = options.arguments[0] if options.arguments else ""
    if name != "-m" and not name.endswith(".py"):
        code = ["-c", options.code, *options.arguments[1:]] if options.code is not None else ["--", *options.arguments]
        return [*options.words, *code]
    if options.words:
        raise UsageError(
            f"{options.words[0]} bounds scripts; {name} is plain Python, which has all the rights of Python"
        )
    return ["python", *options.arguments]


def whole(text: str) -> int:
    """The number that a word is, of so many digits as anybody means; -1 of another word."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else -1


def meant(word: str, words: Iterable[str]) -> str:
    """`; did you mean ...?` of a misspelt word, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(words), 1, 0.7)
    return f"; did you mean {close[0]}?" if close else ""


def _unknown(name: str) -> str:
    import re

    return f"unknown option {name}" + meant(name, re.findall(r"(?m)^  (--[\w-]+)", HELP))


def _option(options: Options, word: str, rest: list[str]) -> None:
    name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if word[:2] in ("-j", "-n", "-o") and len(word) > 2:  # as in -j4
        name, equals, value = word[:2], "=", word[2:]

    def argument() -> str:
        if equals:
            return value
        if not rest:
            raise UsageError(f"{name} needs a value")
        return rest.pop(0)

    if name in ("--allow-read", "--allow-write"):
        kind = name.removeprefix("--allow-")
        allowed = getattr(options, kind)
        if not equals:
            setattr(options, kind, True)
        elif not value:
            raise UsageError(f"{name}= needs a path")
        elif allowed is not True:
            allowed.append(value)
    elif name == "--allow-import":
        from ..sandbox.files import package_names

        try:
            options.imports += package_names(argument())
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from None
    elif name == "--timeout" or name.startswith("--max-"):
        from ..sandbox.limits import parse_seconds, parse_size

        attribute = name[2:].replace("-", "_")
        if attribute not in ("timeout", "max_memory", "max_output"):
            raise UsageError(_unknown(name))
        text = argument()
        try:
            setattr(options, attribute, parse_seconds(text) if attribute == "timeout" else parse_size(text))
        except ValueError:
            example = "5 or 0.5" if attribute == "timeout" else "512M or 2G"
            raise UsageError(f"{name} takes a value such as {example}, not {text!r}") from None
    elif name in ("-o", "--output"):
        options.output = argument()
    elif name in ("-n", "--ranks"):
        text = argument()
        options.ranks = whole(text)
        if options.ranks < 1:
            raise UsageError(f"-n takes a number of processes, not {text!r}")
    elif name in ("--hostfile", "--nodes"):
        options.hosts = ["-f" if name == "--hostfile" else "-hosts", argument()]
    elif name in ("-j", "--jobs"):
        text = argument()
        options.jobs = whole(text)
        if options.jobs < 0:
            raise UsageError(f"{name} takes a number, not {text!r}")
    elif equals:
        raise UsageError(_unknown(name) if name not in _SWITCHES else f"{name} takes no value")
    elif name in _SWITCHES:
        _SWITCHES[name](options)
    else:
        raise UsageError(_unknown(name))


_SWITCHES = {
    "-h": lambda o: setattr(o, "show", "help"),
    "-V": lambda o: setattr(o, "show", "version"),
    "-i": lambda o: setattr(o, "interactive", True),
    "-v": lambda o: setattr(o, "verbose", True),
    "-A": lambda o: o.__dict__.update(read=True, write=True),
    "--isolate": lambda o: setattr(o, "isolate", True),
    "--bless": lambda o: setattr(o, "bless", True),
    "--nan": lambda o: setattr(o, "nan", True),
    "--trace": lambda o: setattr(o, "trace", True),
    "--no-labels": lambda o: setattr(o, "labels", False),
}
_SWITCHES["--help"], _SWITCHES["--version"] = _SWITCHES["-h"], _SWITCHES["-V"]
_SWITCHES["--allow-all"], _SWITCHES["--verbose"] = _SWITCHES["-A"], _SWITCHES["-v"]


def _check(options: Options) -> None:
    if options.show:
        return
    wrong = None
    if options.command != "test":
        wrong = "--bless" if options.bless else "-j" if options.jobs else "-v" if options.verbose else None
    if options.command != "export" and options.output is not None:
        wrong = "-o"
    if wrong:
        raise UsageError(f"{wrong} belongs to `tensorsh {'export' if wrong == '-o' else 'test'}`")
    if options.interactive and options.timeout is not None:
        raise UsageError("--timeout bounds a program, not the shell that -i opens")
    if options.isolate and (options.interactive or options.command in ("test", "export")):
        raise UsageError("--isolate is for running a program")
    if options.command and options.code is not None and options.command != "run":
        raise UsageError(f"-c cannot be used with {options.command}")
    if options.ranks and (options.interactive or options.isolate or options.command not in ("", "run", "test")):
        raise UsageError("-n is for running a program as several processes, without -i and --isolate")
    if options.ranks and not options.arguments:
        raise UsageError("-n needs a program to run")
    if not options.ranks and (options.hosts or not options.labels):
        raise UsageError("--hostfile, --nodes and --no-labels belong to `tensorsh run -n N`")
    if options.command == "test" and not options.arguments:
        raise UsageError("test needs the files or folders to run")
    if options.command == "export" and len(options.arguments) != 1:
        raise UsageError("export takes one file")
    if options.command == "convert" and len(options.arguments) != 2:
        raise UsageError("convert takes two files: a program and a notebook, in either order")
    if options.command == "run" and not options.arguments:
        raise UsageError("run needs a file")
