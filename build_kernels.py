"""Compiles ``tensorsh/engine/kernels`` when the package is built; without a C compiler the package works on numpy alone.

As a program it compiles them in place, for work on the sources: ``python build_kernels.py``.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path

KERNELS = Path(__file__).parent / "tensorsh" / "engine" / "kernels"
OPTIONS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-std=gnu11"]


def build() -> Path:
    """Compile the kernels beside their sources; the extension's path. Raises whatever the compiler's tools raise."""
    import numpy
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    options = OPTIONS + (["-mprefer-vector-width=512"] if platform.machine() in ("x86_64", "AMD64") else [])
    extension = Extension(
        "tensorsh.engine.kernels.compiled",
        sorted(os.path.relpath(source) for source in KERNELS.glob("*.c")),
        include_dirs=[numpy.get_include()],
        extra_compile_args=options,
        depends=[str(header) for header in KERNELS.glob("*.h")],
    )
    command = build_ext(Distribution({"name": "tensorsh", "ext_modules": [extension]}))
    command.inplace = True
    command.build_temp = str(KERNELS / "build")
    command.finalize_options()
    command.run()
    return Path(command.get_ext_fullpath(extension.name))


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
                self.app.display_warning(
                    f"tensorsh is built without its compiled kernels, which are optional: {problem}"
                )
                return
            finally:
                os.chdir(before)
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["artifacts"].append(str(made.relative_to(Path(self.root)) if made.is_absolute() else made))


if __name__ == "__main__":
    print(build())
