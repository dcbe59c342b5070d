"""%autoreload: modules of the program's own are run anew when their files have changed, before the next entry.

The functions that were there get the new code, so that whoever holds them, by `from mymod import f` or as methods of objects,
calls the new ones; other values that a name took from the module are taken from it again.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .commands import CommandError, command

if TYPE_CHECKING:
    from .loop import Shell

WORDS = {"on": True, "1": True, "2": True, "explicit": True, "complete": True, "off": False, "0": False}


class Reloading:
    """Runs the modules of a session anew."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def __call__(self) -> None:
        for module in self.shell.session._modules.changed():
            self.reload(module)

    def reload(self, module: Any) -> None:
        """Runs a module anew and hands the new code to those who hold the old one."""
        session = self.shell.session
        before = dict(vars(module))
        try:
            session._settings.run(session._modules.reload, module)
        except BaseException as error:
            print(f"{module._title} has changed and cannot be run:", file=sys.stderr)
            self.shell.explain(error)
            if isinstance(error, KeyboardInterrupt):
                raise
            return
        session._settings.run(self._replace, before, vars(module))

    def _replace(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        renewed = {}
        for name, old in before.items():
            new = now.get(name, old)
            if new is old or name.startswith("__"):
                continue
            renewed[id(old)] = new
            if isinstance(old, type) and isinstance(new, type):
                for method, value in list(vars(old).items()):
                    _renew(value, vars(new).get(method), now)
            else:
                _renew(old, new, now)
        variables = self.shell.session.variables
        for name, value in list(variables.items()):
            if id(value) in renewed and not name.startswith("_"):
                variables[name] = renewed[id(value)]


def _renew(old: Any, new: Any, variables: dict[str, Any]) -> None:
    """Gives a function the code of its new form, where both are functions of the module itself."""
    if type(old) is not FunctionType or type(new) is not FunctionType:
        return
    if old.__globals__ is not variables or new.__globals__ is not variables:
        return
    try:
        old.__code__ = new.__code__
    except ValueError:  # it closes over other variables
        return
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


@command("autoreload", "[on|off]", "runs modules of your own anew when their files have changed")
def autoreload(shell: Shell, argument: str) -> None:
    now = next((step for step in shell.before_entries if isinstance(step, Reloading)), None)
    if not argument:
        print(f"autoreload is {'off' if now is None else 'on'}")
        return
    if argument == "now":
        (now or Reloading(shell))()
        return
    if argument not in WORDS:
        raise CommandError(f"%autoreload takes on or off, not {argument}")
    if WORDS[argument] and now is None:
        shell.before_entries.append(Reloading(shell))
    elif not WORDS[argument] and now is not None:
        shell.before_entries.remove(now)
