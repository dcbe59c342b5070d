"""Compiles the kernels of ``tensorsh/engine/kernels`` (C) and the modules that have a ``.pxd`` beside them (Python, by Cython)
when the package is built; without a C compiler the package works on numpy alone.

As a program it compiles them in place, for work on the sources: ``python build_kernels.py``.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent
PACKAGE = ROOT / "tensorsh"
KERNELS = PACKAGE / "engine" / "kernels"
OPTIONS = ["-g0", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-std=gnu11"]
"""Nothing is fused that is not written as ``fma``, so that all compilers give the same bits."""

LESS = ["-fno-gcse", "-fno-tree-pre", "-fno-tree-vrp", "-fno-code-hoisting"]

FEW = [
    "-O1",
    *(
        "-fno-combine-stack-adjustments -fno-compare-elim -fno-cprop-registers -fno-dse -fno-forward-propagate -fno-if-conversion "
        "-fno-if-conversion2 -fno-ipa-profile -fno-ipa-pure-const -fno-ipa-reference -fno-move-loop-invariants "
        "-fno-shrink-wrap-separate -fno-split-wide-types -fno-ssa-phiopt -fno-tree-bit-ccp -fno-tree-builtin-call-dce -fno-tree-ch "
        "-fno-tree-copy-prop -fno-tree-dominator-opts -fno-tree-dse -fno-tree-loop-optimize -fno-tree-phiprop -fno-tree-pta "
        "-fno-tree-sink -fno-tree-slsr -fno-tree-sra -fno-tree-ter -fira-algorithm=priority -fira-region=one"
    ).split(),
]
"""Half of what -O2 costs. Calls of the interpreter are most of what a translated module does; no pass makes them faster."""

LOOPS = ["-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic"]
"""For kernels that are as fast without the rest of -O3. Sums, norms and copies need its unrolling, and sorting (`orders`) is a tenth
faster with it."""

LEVELS = {
    "kernels/fourier": ["-O2", *LESS, "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-schedule-insns2"],
    **{
        f"kernels/{name}": LOOPS
        for name in ("complex counting distances elementwise patience places pooling rectifiers rows").split()
    },
    "kernels/orders": ["-Wa,-mbranches-within-32B-boundaries"],
    "arrays/extents": FEW,
    "/language/": FEW,
    "operators/around": FEW,
    "operators/titles": FEW,
    "tape/walk": FEW,
    "tensors/sizes": FEW,
    "wording/arguments": FEW,
}
"""Files that more passes make slower to compile and not faster to run: transforms are written in vectors; the modules stand beside the
way of a usual call. And short loops of `orders`, which take up to twice as long on Intel's processors where a branch lies across a
boundary of 32 bytes: where the linker puts them is chance."""

TRANSLATED = ["-g0", "-w", "-O2", "-std=gnu11", "-DCYTHON_INLINE=", *LESS]
"""For modules: the passes left out cost an eighth of the compiler's time, and calls of the interpreter gain nothing by them. Nor does
anybody read warnings of translated code, which cost a twentieth."""

ONCE = '-DCYTHON_SMALL_CODE=__attribute__((cold, optimize("O0")))'
"""Cython's mark of what runs once, when a module is imported: a tenth of the code, which no pass needs to see."""

SHARED = "tensorsh.translated"
"""The module that has what Cython would write into each of the others: types of functions, keywords, imports. It has no source."""

SANITIZERS = (
    "-O1 -fexpensive-optimizations -g -fno-var-tracking -fno-omit-frame-pointer "  # lines, no variables: three times as fast
    "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
).split()
"""Added where SANITIZE is set in the environment (`make sanitize`): the first wrong access or undefined operation aborts."""


@cache
def is_gcc() -> bool:
    """Whether the compiler is GCC, whose passes have names that others do not know."""
    found = compiler("--version")
    return found is not None and "Free Software Foundation" in found.stdout


@cache
def takes(option: str) -> bool:
    """Whether the compiler, or its assembler, takes an option."""
    found = compiler(option, "-x", "c", "-c", os.devnull, "-o", os.devnull)
    return found is not None and found.returncode == 0


def compiler(*options: str) -> subprocess.CompletedProcess[str] | None:
    """What the C compiler says to these options; None where there is none."""
    command = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
    try:
        return subprocess.run([*command, *options], capture_output=True, text=True)
    except OSError:
        return None


def known(options: list[str]) -> list[str]:
    """The options without those that leave GCC's passes out, for another compiler, and those that an assembler does not take."""
    gccs = ("-fno-", "-fira-", "-fvect-")
    return [
        option
        for option in options
        if (is_gcc() or not option.startswith(gccs)) and (not option.startswith("-Wa,") or takes(option))
    ]


STRICT = ["-Wall", "-Wextra", "-Werror"]
"""For work on the sources; an installation must not fail by what a newer compiler warns of."""


def headers() -> str:
    """The folder of numpy's headers, found without the half second of a first import of numpy."""
    found = find_spec("numpy")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
    return str(Path(found.origin).parent / "_core" / "include")


def modules() -> list[Path]:
    """The Python modules that Cython compiles."""
    return sorted(declared.with_suffix(".py") for declared in PACKAGE.rglob("*.pxd"))


def build(folder: Path | None = None, more: Sequence[str] = ()) -> list[Path]:
    """Compile everything beside the sources, or the kernels alone into a folder; the extensions' paths. Raises whatever the
    compiler's tools raise."""
    from setuptools import Distribution, Extension

    os.chdir(ROOT)
    options = [*OPTIONS, *(["-mprefer-vector-width=512"] if platform.machine() in ("x86_64", "AMD64") else [])]
    if folder is None and os.environ.get("TENSORSH_BUILD") != "strict":
        options += here()
    checked = SANITIZERS if os.environ.get("SANITIZE") else []
    temporary = (folder or KERNELS) / "build"
    kernels = Extension(
        "tensorsh.engine.kernels.compiled",
        sorted(os.path.relpath(source) for source in KERNELS.glob("*.c")),
        include_dirs=[headers()],
        extra_compile_args=[*options, *more, *checked],
        extra_link_args=checked,
        depends=[str(header) for header in KERNELS.glob("*.h")],
    )
    extensions = [kernels]
    if folder is None:
        extensions += [*translated(temporary, checked), *hardening([*OPTIONS, *more, *checked], checked)]
    command = side_by_side()(Distribution({"name": "tensorsh", "ext_modules": extensions}))
    command.inplace = folder is None
    command.build_lib = str(folder or temporary)
    command.build_temp = str(temporary)
    command.parallel = len(extensions)
    command.finalize_options()
    command.run()
    return [Path(command.get_ext_fullpath(extension.name)) for extension in extensions]


V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
"""What Linux calls the parts of x86-64's levels."""


def here() -> list[str]:
    """The option that compiles for the processor at hand alone, see kernels.h; wheels for others are for all."""
    try:
        flags = set(re.search(r"^flags\s*:(.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    except (OSError, TypeError):
        return []
    return ["-DTENSORSH_HERE=4"] if flags >= V4 else ["-DTENSORSH_HERE=3"] if flags >= V3 else []


def hardening(compiled: list[str], linked: list[str]) -> list[Any]:
    """The extensions that mend Python's own errors of text, and what it does without bounds, for the sandbox."""
    from setuptools import Extension

    return [
        Extension(
            f"tensorsh.sandbox.{source.stem}",
            [os.path.relpath(source)],
            extra_compile_args=compiled,
            extra_link_args=linked,
            depends=[str(header) for header in (PACKAGE / "sandbox").glob("*.h")],
        )
        for source in sorted((PACKAGE / "sandbox").glob("*.c"))
    ]


def side_by_side() -> Any:
    """The command that compiles, with as many files at a time as there are processors, and a line that says how far it is."""
    from setuptools.command.build_ext import build_ext

    class SideBySide(build_ext):
        def build_extensions(self) -> None:
            files = sum(len(extension.sources) for extension in self.extensions)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                self.compiler.compile = shared(self.compiler.compile, pool, Progress(files))
                super().build_extensions()

    return SideBySide


def shared(one: Callable[..., list[str]], pool: ThreadPoolExecutor, progress: Progress) -> Callable[..., list[str]]:
    """A compiler's `compile` that hands its files to a pool of threads."""

    def compiled(sources: list[str], *rest: Any, extra_postargs: Sequence[str] = (), **named: Any) -> list[str]:
        def made(source: str) -> list[str]:
            name = Path(source).with_suffix("").as_posix()
            less = [level for file, level in LEVELS.items() if file in name and not os.environ.get("SANITIZE")]
            found = one([source], *rest, extra_postargs=[*extra_postargs, *known(less[0] if less else [])], **named)
            progress.step()
            return found

        return [name for names in pool.map(made, sources) for name in names]

    return compiled


class Progress:
    """A line that counts the compiled files where somebody looks."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0

    def step(self) -> None:
        self.done += 1
        if sys.stderr.isatty():
            end = "\n" if self.done == self.total else ""
            print(f"\rcompiling the kernels: {self.done} of {self.total} files", end=end, file=sys.stderr, flush=True)


def translated(temporary: Path, checked: list[str]) -> list:
    """The extensions of the modules that Cython translates to C."""
    from Cython.Build import cythonize
    from setuptools import Extension

    options = {
        "include_dirs": [headers()],
        "extra_compile_args": [*known(TRANSLATED), *([ONCE] if is_gcc() else []), *checked],
        "extra_link_args": checked,
    }
    files = [path.relative_to(ROOT) for path in modules()]
    extensions = [Extension(".".join(path.with_suffix("").parts), [str(path)], **options) for path in files]
    extensions.append(Extension(SHARED, [SHARED.replace(".", "/") + ".c"], **options))
    directives = {
        "language_level": 3,
        "binding": True,
        "annotation_typing": False,
        "auto_pickle": False,
        "emit_code_comments": False,
    }
    return cythonize(
        extensions,
        compiler_directives=directives,
        build_dir=str(temporary),
        quiet=True,
        shared_utility_qualified_name=SHARED,
        shared_utility_features_disabled=["MemoryView"],
    )


def bytecode(folder: Path) -> dict[str, str]:
    """The package's modules as bytecode of this Python, where each stands in a wheel: not every installer compiles them, and the first
    start would then take half as long again. Python reads them without a look at the sources' times, which an installer sets."""
    from importlib.util import cache_from_source
    from py_compile import PycInvalidationMode, compile

    made: dict[str, str] = {}
    for path in sorted(set(PACKAGE.rglob("*.py")) - set(modules())):
        name = path.relative_to(ROOT)
        place = cache_from_source(str(name))
        compile(str(path), str(folder / place), str(name), True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
        made[str(folder / place)] = place
    return made


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    pass
else:

    class Kernels(BuildHookInterface):
        """The step of the package's build; a failure is a warning."""

        def initialize(self, version: str, build_data: dict) -> None:
            before = os.getcwd()
            os.chdir(self.root)
            try:
                made = build()
            except Exception as problem:
                if os.environ.get("TENSORSH_BUILD") == "strict":  # wheels that are given to others
                    raise
                self.app.display_warning(
                    f"tensorsh is built without its compiled kernels, which are optional: {problem}"
                )
                return
            finally:
                os.chdir(before)
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            for path in made:
                build_data["artifacts"].append(str(path.relative_to(Path(self.root)) if path.is_absolute() else path))
            if version == "standard":  # an editable installation runs sources that change
                self.folder = TemporaryDirectory()  # until the wheel is made
                build_data["force_include"].update(bytecode(Path(self.folder.name)))


if __name__ == "__main__":
    print(build(more=[] if os.environ.get("SANITIZE") else STRICT))
