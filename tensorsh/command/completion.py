"""Completion of the command line in shells, and its manual page: both made from the text of `tensorsh --help`.

eval "$(tensorsh completion bash)"           the same for zsh
tensorsh completion fish | source
"""

from __future__ import annotations

import re
from pathlib import Path

from .arguments import COMMANDS, HELP, UsageError

MANUAL = Path(__file__).parents[2].joinpath("docs", "tensorsh").with_suffix(".1")
"""The manual page, which an installation puts into `share/man/man1`."""
SHELLS = ("bash", "zsh", "fish")
FOLDERS = "--allow-read --allow-write"


def commands() -> dict[str, str]:
    """The commands and what each does."""
    found = dict(re.findall(r"^  tensorsh ([a-z]+)\b.*?\s{2,}(\S.*)$", HELP, re.MULTILINE))
    return {name: found.get(name, "runs a program") for name in (*COMMANDS, "python")}


def options() -> list[tuple[str, str, str]]:
    """The options, each with its value's name (or nothing) and what it does; `--name` stands before its short form."""
    found: dict[str, tuple[str, str, str]] = {}
    for names, told in re.findall(r"^  (-\S.*?)\s{2,}(\S.*)$", HELP, re.MULTILINE):
        for name in re.findall(r"(?<!\S)--?[\w-]+", names):
            value = names.partition(name)[2].strip(" =[],").partition(" ")[0].rstrip("]")
            found.setdefault(name, (name, value if re.fullmatch("[A-Z]+", value) else "", told))
    return list(found.values())


def completion(words: list[str]) -> str:
    """The program that completes in a shell; raises UsageError for another than bash, zsh or fish."""
    if len(words) != 1 or words[0] not in SHELLS:
        raise UsageError(f"completion takes a shell: {', '.join(SHELLS)}")
    return {"bash": bash, "zsh": zsh, "fish": fish}[words[0]]()


def bash() -> str:
    """Words are split at lines, since names of files have spaces; bash takes `--allow-read=x` for three words."""
    valued = "|".join(name for name, value, _ in options() if value and name not in FOLDERS)
    return f"""\
_tensorsh() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} IFS=$' \\n'
    COMPREPLY=()
    [ "$word" != = ] || {{ before==; word=; }}
    case $before in
        -o|=) IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$word")); return ;;
        completion) COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$word")); return ;;
        {valued}) return ;;
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "{" ".join(name for name, _, _ in options())}" -- "$word")) ;;
        *) [ "$COMP_CWORD" -gt 1 ] || COMPREPLY=($(compgen -W "{" ".join(commands())}" -- "$word"))
           IFS=$'\\n'
           COMPREPLY+=($(compgen -d -- "$word"; for end in tsr ipynb py; do compgen -f -X "!*.$end" -- "$word"; done)) ;;
    esac
}}
complete -o filenames -F _tensorsh tensorsh
"""


def zsh() -> str:
    def quoted(text: str) -> str:
        return re.sub(r"([\[\]:])", r"\\\1", text).replace("'", "'\\''")

    lines = []
    for name, value, told in options():
        after = "" if not value else f":{value.lower()}:" + ("_files" if value in ("PATH", "FILE") else " ")
        optional = name in FOLDERS
        lines.append(f"    '{'*' * optional}{name}{'=-' * optional}[{quoted(told)}]{':' * optional}{after}'")
    described = " \\\n".join(lines)
    named = "\n".join(f"      '{name}:{quoted(told)}'" for name, told in commands().items())
    return f"""\
#compdef tensorsh
_tensorsh_words() {{
  local -a commands=(
{named}
  )
  (( CURRENT == 2 )) && _describe command commands
  if [[ $words[2] == completion ]]; then
    compadd {" ".join(SHELLS)}
  else
    _files -g '*.(tsr|ipynb|py)'
  fi
}}
_tensorsh() {{
  _arguments \\
{described} \\
    '*:file:_tensorsh_words'
}}
if [[ $funcstack[1] == _tensorsh ]]; then
  _tensorsh "$@"
else
  (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
  compdef _tensorsh tensorsh
fi
"""


def fish() -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = []
    for name, told in commands().items():
        lines.append(f"complete -c tensorsh -n __fish_use_subcommand -a {name} -d {quoted(told)}")
    lines.append(f"complete -c tensorsh -n '__fish_seen_subcommand_from completion' -f -a '{' '.join(SHELLS)}'")
    for name, value, told in options():
        kind = "-l" if name.startswith("--") else "-s"
        needs = (
            "" if not value or name in FOLDERS else " -r" if value in ("PATH", "FILE") else " -x"
        )  # -x: no names of files
        lines.append(f"complete -c tensorsh {kind} {name.lstrip('-')}{needs} -d {quoted(told)}")
    return "\n".join(lines) + "\n"


def manual() -> str:
    """The manual page, in the language of `man`."""
    from .. import __version__

    def plain(text: str) -> str:
        text = text.replace("\\", "\\e").replace("-", "\\-")
        return re.sub(r"(?m)^([.'])", r"\\&\1", text)

    def laid(body: str) -> list[str]:
        """What stands in two columns as items, which `man` breaks at the terminal's width; the rest as paragraphs."""
        found, in_text = [], False
        for line in body.split("\n"):
            item = re.fullmatch(r"  (\S.*?)\s{2,}(\S.*)", line)
            if item:
                found += [".TP", f".B {plain(item[1])}"]
            elif not line.startswith("    ") and not in_text:
                found.append(".PP")
            in_text = not item and not line.startswith("    ")
            found.append(plain(item[2] if item else line.strip()))
        return found

    first, *parts = HELP.strip().split("\n\n")
    parts = [part for part in parts if not part.startswith("  --version")]
    usage, *sections = parts
    lines = [
        f'.TH TENSORSH 1 "" "tensorsh {__version__}"',
        ".ad l",
        ".nh",
        ".SH NAME",
        "tensorsh \\- a shell and interpreter for tensor programs",
    ]
    lines += [".SH SYNOPSIS", *laid(usage), ".SH DESCRIPTION", plain(first)]
    for section in sections:
        head, newline, body = section.partition("\n")
        if head.startswith("  "):
            lines += [".SH EXAMPLES", ".nf", plain(section), ".fi"]
        elif newline:
            title, _, form = head.partition(" (")
            lines += [f".SH {plain(title).upper()}", *filter(None, [plain(form.rstrip("):"))]), *laid(body)]
        else:
            lines += [".SH ENVIRONMENT", plain(head)]
    lines += [
        ".SH EXIT STATUS",
        "0; 1 with a diagnostic on standard error; 2 for wrong usage; 5 where test found nothing to test; 124 after \\-\\-timeout; 130 after Ctrl\\-C.",
    ]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR python (1)"]) + "\n"


if __name__ == "__main__":
    MANUAL.write_text(manual(), encoding="utf-8")
