"""%debug: the frames of the last error, with their variables, in which one may go up and down and evaluate.

<input 2>:3:16 in Net.forward
3 |         return self.fc(x.flatten(1))
                   ^^^^^^^^^^^^^^^^^^^^^
  self  Net
  x     float32[2, 2, 52, 52]
debug> x.mean()
tensor(0.5010)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..display.terminal import broken
from ..language import peek
from ..language.places import Place, places
from .commands import CommandError, command, is_question
from .values import columns, value_text

if TYPE_CHECKING:
    from .loop import Shell

PROMPT = "debug> "
AROUND = 5
"""Lines before and behind the one that failed that `list` shows."""
MOST = 20
"""Variables that are shown of a frame unasked."""
HELP = (
    "up, down (u, d)   the frame that called this one, the one it called\n"
    "where (w)         all frames, the current one marked\n"
    "list (l)          the lines around the failing one\n"
    "vars (v)          the variables of the frame\n"
    "quit (q)          back to the prompt; so does Ctrl-D\n"
    "anything else is evaluated in the frame, also what a variable of the frame is called; so is what stands behind p or !"
)


@command("debug", "", "looks into the frames of the last error: variables, up and down, evaluation")
def debug(shell: Shell, argument: str) -> None:
    if shell.error is None:
        raise CommandError("%debug: no error has left frames to be looked at")
    found = places(shell.error.__traceback__, shell.session.host())
    if not found:
        raise CommandError("%debug: the last error arose before anything ran, so that there are no frames")
    Debugger(shell, found).run()


class Debugger:
    """A dialogue about the frames of one error."""

    def __init__(self, shell: Shell, frames: list[Place]) -> None:
        self.shell, self.frames = shell, frames
        self.at = len(frames) - 1
        self.spaces: dict[int, dict[str, Any]] = {}
        """By frame, the variables that an evaluation sees and may bind."""

    place = property(lambda self: self.frames[self.at])

    def run(self) -> None:
        """Asks until the person has seen enough."""
        self.show()
        while True:
            try:
                line = self.shell.ask(PROMPT, sorted(self.variables())).strip()
                if not line:
                    continue
                if not self.answer(line):
                    return
            except EOFError:
                return
            except KeyboardInterrupt:
                print("KeyboardInterrupt", file=sys.stderr)

    def answer(self, line: str) -> bool:
        """Does what a line says; False where it ends the dialogue."""
        word, _, rest = line.partition(" ")
        own = self.variables()
        name = SHORT.get(word, word)
        if name not in ACTIONS and (line.startswith("%") or is_question(line)):
            said = "the shell's commands and questions are not there within %debug; q leads back to them"
            print(broken(said, columns() - 1))
        elif line.startswith("!"):
            self.evaluate(line[1:].strip())
        elif word in ("p", "pp") and rest and word not in own:
            self.evaluate(rest)
        elif word in own or name not in ACTIONS or rest and not rest.isdigit():
            self.evaluate(line)
        elif name == "quit":
            return False
        else:
            ACTIONS[name](self, int(rest or 1))
        return True

    def variables(self) -> dict[str, Any]:
        """The variables of the frame; of a module's, those that programs have bound."""
        local = dict(self.place.scopes[0])
        return {name: value for name, value in local.items() if name[:2] != "__" and name not in ("_", "___")}

    def move(self, count: int) -> None:
        wanted = self.at + count
        if not 0 <= wanted < len(self.frames):
            print("this is the " + ("first frame" if wanted < 0 else "frame of the error"))
            return
        self.at = wanted
        self.show()

    def show(self) -> None:
        """The place, and the variables, the first of them."""
        self.mark()
        self.list_variables(MOST)

    def mark(self) -> None:
        from ..display.terminal import room, use_color
        from ..language.diagnostics import Painter, excerpt, where_text

        place, paint = self.place, Painter(use_color(sys.stdout), room(sys.stdout))
        print(paint("place", where_text(place)))
        end = place.end_column if place.end_line == place.line else len(place.text.rstrip())
        for line in excerpt(place.text, place.line, place.column, end, paint):
            print(line)

    def list_variables(self, most: int = 10**6) -> None:
        from ..display.cells import clip

        found = self.variables()
        wide = max((len(name) for name in list(found)[:most]), default=0)
        for name in list(found)[:most]:
            print(clip(f"  {name:{wide}}  {self.shell.session._settings.run(told, found[name])}", columns() - 1, "..."))
        if len(found) > most:
            print(f"  ... and {len(found) - most} more; vars shows them")

    def where(self, _: int) -> None:
        from ..language.diagnostics import where_text

        for number, place in enumerate(self.frames):
            print(f"{'>' if number == self.at else ' '} {where_text(place)}  {place.text.strip()[:100]}")

    def list(self, _: int) -> None:
        place = self.place
        for number in range(max(place.line - AROUND, 1), min(place.line + AROUND, len(place.lines)) + 1):
            print(f"{'>' if number == place.line else ' '} {number:4} | {place.lines[number - 1]}")

    def evaluate(self, text: str) -> None:
        """Runs a line where the frame stands; what it binds is seen by later lines, and by nobody else."""
        session = self.shell.session
        space = self.spaces.get(self.at)
        if space is None:
            local, whole = self.place.scopes[:2]
            space = self.spaces[self.at] = {**whole, **local, "__builtins__": session._builtins}

        def work() -> None:
            value = session.run_in(text, "<debug>", space)
            if value is not None:
                print(value_text(value, repr(value), session, self.shell.config))

        try:
            session._timed(None, work)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            from ..language.places import headline
            from ..language.source import harmless

            print(harmless(headline(error)), file=sys.stderr)


def told(value: Any) -> str:
    """A value in a few words, nothing of a program's run for it."""
    described = peek.describe(value)
    if described:
        return described
    kind = type(value)
    if kind in (int, float, bool, complex, str, bytes, type(None)):
        text = repr(value)
        return text if len(text) <= 100 else f"{text[:97]}..."
    if kind in (list, tuple, set, frozenset, dict):
        return f"{kind.__name__} of {len(value)}" + "".join(_first(value))
    return kind.__qualname__ if not isinstance(value, type) else f"class {value.__qualname__}"


def _first(value: Any) -> Iterator[str]:
    """What the elements of a list are, if they are all alike."""
    if type(value) in (list, tuple) and value:
        kinds = {peek.describe(each) or type(each).__qualname__ for each in value[:1000]}
        if len(kinds) == 1:
            yield f": {next(iter(kinds))}"


SHORT = {
    "u": "up", "d": "down", "w": "where", "bt": "where", "l": "list", "ll": "list", "v": "vars", "a": "vars",
    "args": "vars", "locals": "vars", "q": "quit", "exit": "quit", "h": "help", "?": "help",
}  # fmt: skip
ACTIONS = {
    "up": lambda d, n: d.move(-n),
    "down": lambda d, n: d.move(n),
    "where": Debugger.where,
    "list": Debugger.list,
    "vars": lambda d, n: d.list_variables(),
    "help": lambda d, n: print("\n".join(broken(line, columns()) for line in HELP.split("\n"))),
    "quit": None,
}
