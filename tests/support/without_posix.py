"""A stand-in for Windows: what only POSIX systems have is hidden, in a process of its own.

python -m tests.support.without_posix import           imports every module of the package
python -m tests.support.without_posix pytest FILE...   runs tests
python -m tests.support.without_posix run ARGUMENT...  is the command tensorsh
"""

from __future__ import annotations

import os
import select
import signal
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

MODULES = frozenset("fcntl resource termios tty pty pwd grp syslog pyseccomp".split())
OS = (
    "fork forkpty getgid getegid getpgid getpgrp killpg pread pwrite preadv sched_getaffinity  mkfifo nice "
    "chown fchown setsid setpgid statvfs sysconf uname wait3 wait4 waitid O_NONBLOCK O_CLOEXEC O_NOFOLLOW getrusage "
    "openpty ttyname tcgetpgrp sched_yield"
).split()
SIGNALS = (
    "SIGALRM SIGHUP SIGKILL SIGCHLD SIGUSR1 SIGUSR2 SIGWINCH SIGTSTP SIGCONT SIGSTOP SIGPIPE SIGBUS setitimer getitimer ITIMER_REAL "
    "pthread_kill pthread_sigmask sigtimedwait sigwait sigwaitinfo alarm pause SIG_BLOCK SIG_SETMASK siginterrupt"
).split()


FEW = "subprocess tempfile threading numpy".split()
LIBRARIES = (
    "subprocess tempfile threading asyncio uuid numpy scipy.linalg scipy.special lark rich.console prompt_toolkit.shortcuts pygments "
    "ml_dtypes safetensors platformdirs plotille ipykernel.kernelbase nbclient pygls.lsp.server pytest multiprocessing"
).split()
"""What is loaded beforehand: it knows Windows by itself, and finds out where it is when it is imported."""


OPTIONAL = frozenset(("matplotlib", "tensorboard"))
"""Libraries that tests do not install, and that one module or folder is for."""


class Hidden:
    """A finder that has none of these modules."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def hide(libraries: list[str]) -> None:
    """Hides them in this process, once the libraries are there."""
    for library in libraries:
        try:
            import_module(library)
        except ImportError:
            continue
    import _signal

    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Hidden)  # type: ignore[arg-type]
    for module, names in ((os, OS), (signal, SIGNALS), (_signal, SIGNALS), (select, ["poll", "epoll"])):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


def import_all() -> None:
    """Imports every module of the package, but for those of other libraries that are not there."""
    from pathlib import Path

    root = Path(__file__).parents[2]
    for path in sorted((root / "tensorsh").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        if name.rpartition(".")[2] in ("__main__", "plugin") or "/build/" in str(path):
            continue
        try:
            import_module(name.removesuffix(".__init__"))
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in OPTIONAL:
                raise


if __name__ == "__main__":
    if sys.argv[1] == "import":
        hide(LIBRARIES)
        import_all()
    elif sys.argv[1] == "run":
        from tensorsh.cli import main

        del sys.argv[1]
        os.environ["PYTHONPATH"] = os.getcwd()
        hide(FEW)
        sys.exit(main())
    else:
        import pytest

        hide([*FEW, "asyncio", "uuid", "prompt_toolkit.shortcuts"])
        sys.exit(
            pytest.main([*sys.argv[2:], "-q", "--noconftest", "-p", "no:cacheprovider", "-p", "no:unraisableexception"])
        )
