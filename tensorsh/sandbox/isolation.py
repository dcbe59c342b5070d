"""The kernel's walls around a program, under those of the language.

A program from the command line runs in a process (a child of the one that was started) that gives up, where Linux has
landlock, all files but the interpreter's, its libraries', the program's own and what --allow-read and --allow-write say, other
programs, TCP and signals: who gets past the language finds nothing there (`give_up_files`).

`--isolate` promises more, before the program is read by anything: network, processes and signals by seccomp, core dumps and
many open files by rlimits. Where a part of that is not to be had, the program is not run: `Unavailable` says why.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing is not imported only for this
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

INSTALL = 'pip install "tensorsh[isolate]"'

NETWORK = "socket socketpair connect bind listen accept accept4"
PROGRAMS = "execve execveat fork vfork"
PROCESSES = "kill tkill ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal kcmp"
SYSTEM = """mount umount2 pivot_root chroot unshare setns bpf perf_event_open keyctl add_key request_key userfaultfd
io_uring_setup open_by_handle_at name_to_handle_at init_module finit_module delete_module kexec_load reboot swapon
swapoff sethostname setdomainname acct quotactl personality shmget msgget semget mq_open setpriority ioprio_set
vhangup clock_settime settimeofday adjtimex clock_adjtime"""
# Landlock knows the contents of files and their names, not who owns them and when they were changed.
FILE_MARKS = """chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat setxattr
lsetxattr fsetxattr removexattr lremovexattr fremovexattr mknod mknodat"""
# Calls on the process itself and on no other: the first argument is a process, 0 is the one that calls.
TO_ITSELF = "prlimit64 sched_setaffinity sched_setparam sched_setscheduler sched_setattr setpgid"
SIGNALS = "tgkill rt_sigqueueinfo rt_tgsigqueueinfo"
TIOCSTI = 0x5412  # types into the terminal
CLONE_THREAD = 0x10000

LIBRARIES = "/usr/lib /usr/lib64 /usr/local/lib /lib /lib64 /usr/share/zoneinfo /sys/devices/system/cpu"
FILES = "/etc/ld.so.cache /etc/localtime /dev/null /dev/urandom /dev/zero /proc/self/statm /proc/cpuinfo /proc/meminfo"


READ = 1 << 2 | 1 << 3
"""Landlock's rights to read a file and a folder."""
WRITE = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 14
"""To write into a file, to remove a folder and a file, to make a folder and a file, to cut a file short."""
SINCE = ((2, 13), (3, 14), (5, 15))
"""Versions of landlock, and the right that each knows besides the first 13: to link elsewhere, to cut short, to command a device."""
SYSTEMS = "/proc /sys /nix/store /opt"
"""Where the system tells of processes and devices, which MPI asks for, and where some have their libraries."""


class Unavailable(Exception):
    """This system cannot isolate a program."""


def isolate(read: Iterable[str] | bool, write: Iterable[str] | bool, modules: str | None = None) -> str:
    """Restricts this process for good; what is then in force, in words. `modules` is the folder of the program's own modules,
    which are read as it imports them."""
    if not sys.platform.startswith("linux"):
        raise Unavailable(f"landlock and seccomp are Linux's, and this is {sys.platform}")
    try:
        import pyseccomp
    except ImportError:
        raise Unavailable(f"the package pyseccomp is missing: {INSTALL}") from None
    except RuntimeError:
        raise Unavailable("pyseccomp does not find the system's library libseccomp") from None
    _limit()
    try:
        version, places = give_up_files(read, write, modules)
        _restrict_calls(pyseccomp)
    except OSError as error:
        raise Unavailable(f"the kernel refused: {error}") from None
    _try_out(places)
    return f"isolated: files by landlock (ABI {version}), network, programs, processes by seccomp; rlimits"


def _limit() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = min(256, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def give_up_files(
    read: Iterable[str] | bool, write: Iterable[str] | bool, modules: str | None, shared: bool = False
) -> tuple[int, list[str]]:
    """Restricts this process for good to the files that a program needs; landlock's version, and the places that the program may
    open by its permissions. shared: also to what processes of its own share. Raises Unavailable, OSError."""
    try:
        from . import walls  # type: ignore[attr-defined]
    except ImportError:
        raise Unavailable("the part of tensorsh that asks the kernel is not compiled") from None
    version = walls.version()
    if not version:
        raise Unavailable("this kernel has no landlock, or it is switched off")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    own = {sys.prefix, sys.base_prefix, package, os.path.join(os.path.dirname(package), "grammar")}
    own |= {path for path in sys.path if os.path.isabs(path) and path != os.getcwd()}
    own |= {path for path in os.environ.get("LD_LIBRARY_PATH", "").split(":") if os.path.isabs(path)}
    reading = [*own, *LIBRARIES.split(), *FILES.split()]
    places = ["/"] if read is True else [*(read or ()), *([modules] if modules else ())]
    writing = ["/dev/shm", os.devnull] if shared else []
    for path in ["/"] if write is True else write or ():
        # A file is written beside its place and renamed: the folder must be writable.
        folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
        writing.append(folder)
        places.append(folder)
    if shared:
        reading += SYSTEMS.split()
    allowed = [(path, READ) for path in (*reading, *places)] + [(path, READ | WRITE) for path in writing]
    known = (1 << 13) - 1 | sum(1 << bit for since, bit in SINCE if version >= since)
    walls.restrict(known, version >= 4, version >= 6, tuple((os.fsencode(path), rights) for path, rights in allowed))
    return version, places


def _restrict_calls(pyseccomp: Any) -> None:
    import errno

    refuse = pyseccomp.ERRNO(errno.EPERM)
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in f"{NETWORK} {PROGRAMS} {PROCESSES} {SYSTEM} {FILE_MARKS}".split():
        try:
            rules.add_rule(refuse, name)
        except OSError:
            if name in f"{NETWORK} {PROGRAMS}" and name not in ("fork", "vfork", "accept"):  # some machines have none
                raise
    for name, allowed in [(name, 0) for name in TO_ITSELF.split()] + [(name, os.getpid()) for name in SIGNALS.split()]:
        rules.add_rule(refuse, name, pyseccomp.Arg(0, pyseccomp.NE, allowed))
    rules.add_rule(refuse, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, TIOCSTI))
    # Threads may be started (numpy's BLAS has some), processes not.
    rules.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, 0))
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be seen; the C library then uses clone
    rules.load()


TRIED = "/etc/passwd"
"""A file that there is everywhere, and that no program needs."""


def _try_out(places: list[str]) -> None:
    """Tries once what is claimed, but to open what lies in a place that may be opened."""
    import socket

    try:
        socket.socket().close()
    except OSError:
        pass
    else:
        raise Unavailable("a socket could still be opened")
    if not any(
        os.path.join(os.path.realpath(TRIED), "").startswith(os.path.join(os.path.realpath(each), ""))
        for each in places
    ):
        try:
            os.close(os.open(TRIED, os.O_RDONLY))
        except PermissionError:
            pass
        except OSError:
            return
        else:
            raise Unavailable("a file could still be opened")
