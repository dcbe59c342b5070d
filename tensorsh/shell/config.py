"""The settings of the shell: a TOML file in the user's config folder, every key explained in the default file.

Whatever is wrong with the file is said once, and the defaults stand in.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from ..command.folders import config_folder
from .own_files import read_tail, write_whole


class Key(NamedTuple):
    """One setting: its default, what it means, the values it may have (any of the default's type if there are none)."""

    default: Any
    about: str
    values: tuple[str, ...] = ()


KEYS = {
    "theme": Key("auto", "Colours for a dark or a light terminal, or none. auto asks the terminal's COLORFGBG.",
                 ("auto", "dark", "light", "plain")),
    "keys": Key("emacs", "The keys of the line editor.", ("emacs", "vi")),
    "note": Key(True, "A dim note of dtype and shape beside each tensor that is echoed: float32[3, 4]."),
    "chain": Key(True, "The chain of grad_fn beneath a tensor that has a history."),
    "status_bar": Key(True, "The line at the bottom: device, dtype, grad mode, memory of tensors, last duration."),
    "complete_while_typing": Key(True, "Show completions as you type; Tab shows them in any case."),
    "suggestions": Key(True, "Suggest the rest of an entry from the history (Right accepts it)."),
    "after_mistake": Key("stay", "An entry with a syntax error stays to be mended, or is left behind with the message.",
                         ("stay", "leave")),
    "outputs": Key(1000, "How many values Out, _3 and their like keep; 0 keeps none."),
    "history_size": Key(10000, "How many entries the history keeps."),
    "trace": Key(True, "Remember the source line of each operation, for graph() and for errors of backward()."),
    "nan": Key(False, "Stop at the first operation that makes a NaN or an infinity (as %nan on)."),
    "lint": Key(False, "Warn of silent broadcasting and of optimizer steps without zero_grad (as %lint on)."),
    "precision": Key(4, "Digits after the point of printed tensors."),
    "startup": Key("startup.tsr", "A program that runs when the shell opens; its path starts at this folder."),
}  # fmt: skip


LARGEST = 1_000_000


def path() -> str | None:
    """Where the file is, or would be."""
    folder = config_folder()
    return None if folder is None else os.path.join(folder, "config.toml")


class Config:
    """The values in force, by key; `problems` says what was wrong with the file."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {name: key.default for name, key in KEYS.items()}
        self.problems: list[str] = []
        where = path()
        if where is None or not os.path.exists(where):
            return
        try:
            import tomllib

            found = tomllib.loads(read_tail(where).decode())
        except (OSError, ValueError, RecursionError) as error:
            self.problems.append(f"{where} is not used: {error}")
            return
        for name, value in found.items():
            try:
                self.set(name, value)
            except ValueError as error:
                self.problems.append(f"{where}: {error}")

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def set(self, name: str, value: Any) -> None:
        """Gives a key a value (or the text of one); ValueError says what it may be."""
        key = KEYS.get(name)
        if key is None:
            raise ValueError(f"there is no setting {name!r}; there are {', '.join(KEYS)}")
        kind = type(key.default)
        if kind is bool and isinstance(value, str):
            words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
            value = words.get(value.lower(), value)
        elif kind is int and isinstance(value, str) and value.isdigit():
            value = int(value)
        if (
            type(value) is not kind
            or (key.values and value not in key.values)
            or (kind is int and not 0 <= value <= LARGEST)
        ):
            may = (
                " or ".join(key.values)
                if key.values
                else {"bool": "true or false", "int": f"a number from 0 to {LARGEST}"}.get(kind.__name__, "text")
            )
            raise ValueError(f"{name} must be {may}, not {value!r}")
        self.values[name] = value

    def text(self) -> str:
        """The defaults as a TOML file with an explanation of each: what is set for one shell is not kept."""
        lines = ["# Settings of the tensorsh shell. A key that is left out has the value given here.", ""]
        for name, key in KEYS.items():
            value = key.default
            shown = (
                str(value).lower()
                if isinstance(value, bool)
                else f'"{value}"'
                if isinstance(value, str)
                else str(value)
            )
            may = f" One of: {', '.join(key.values)}." if key.values else ""
            lines += [f"# {key.about}{may}", f"{name} = {shown}", ""]
        return "\n".join(lines)

    def write(self) -> str:
        """Writes the file and returns its path."""
        where = path()
        if where is None:
            raise OSError("there is no home folder to keep it in")
        write_whole(where, self.text())
        return where

    def theme(self) -> str:
        """`dark`, `light` or `plain`."""
        from ..display.terminal import use_color

        if not use_color(sys.stdout):
            return "plain"
        if self["theme"] != "auto":
            return self["theme"]
        background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
        return "light" if background in ("7", "15") else "dark"
