"""Compiles every kernel that ``engine/cuda`` declares, for a GPU that need not be there.

``python -m tests.device.compile_kernels [90]`` (the number: compute capability) with an interpreter that has cupy and its
CUDA headers (``pip install "cupy-cuda12x[ctk]"``). Each kernel is written out as cupy would write it for arrays of
float16, float32 and float64, contiguous and not, and given to NVRTC. What does not compile is told with NVRTC's words.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tensorsh.engine.cuda import kernels, pointwise

FLOATS = "float16 float32 float64".split()
AT_ONCE = "at once"
"""What is compiled without CuPy's headers."""
OTHERS = "bool int8 uint8 int16 int32 int64".split()


def variants(kernel: Any) -> Iterator[tuple[str, str]]:
    """What cupy would compile for a kernel: the dtype with the form of the arrays, and the source."""
    import cupy
    import numpy as np
    from cupy._core import _carray, _kernel, _reduction

    if isinstance(kernel, pointwise.Pointwise):
        others = [pointwise.NUMBER, pointwise.SPREAD, pointwise.ARRAY]
        for kind in sorted(kernel.dtypes, key=str):
            for role in others[:: 1 if len(kernel.kinds) > 1 else -1][: len(kernel.kinds[:2]) * 2 - 1]:
                mask = kernel.kinds[0] == "M"
                roles = (pointwise.ARRAY, *[role] * (len(kernel.kinds) - 1))
                roles = (pointwise.SPREAD, pointwise.ARRAY, role) if mask else roles
                code, _ = pointwise.source(
                    kernel.name, kernel.expression, kind.name, kernel.result or kind.name, kernel.kinds, roles
                )
                yield f"{kind.name}, {', '.join(roles)}", code
        return
    if isinstance(kernel, kernels.Raw):
        import ml_dtypes  # noqa: F401 - numpy knows bfloat16 by it

        for name in kernel.dtypes:
            yield name, kernel.source(np.dtype(name))
        return
    if kernel.kind == "ElementwiseKernel" and not kernel.preamble:
        parameters = (*kernel.inputs, *kernel.outputs)
        letters = sorted({p.kind for p in parameters if len(p.kind) == 1} - {"T"})
        arrays = [p.name for p in parameters if p.raw or len(p.kind) == 1]
        for name in FLOATS[1:] if kernel.floats else FLOATS[1:] + OTHERS:
            kinds = {letter: np.dtype(np.uint8) for letter in letters} | {"T": np.dtype(name)}
            yield f"{name}, {AT_ONCE}", kernel.source(kinds, arrays)
    options = {"preamble": kernel.preamble} if kernel.preamble else {}
    made = getattr(cupy, kernel.kind)(*kernel.definition, **options)
    for name in FLOATS if kernel.floats else FLOATS + OTHERS:
        for contiguous in True, False:
            infos, pairs = [], {}
            for p in (*made.in_params, *made.out_params):
                kind = np.dtype(name if p.dtype is None else p.dtype).type
                if p.dtype is None:
                    pairs[p.ctype] = kind
                flat = contiguous or p.raw
                infos.append(_kernel._ArgInfo(1, cupy.ndarray, kind, 1 if flat else 3, flat, contiguous))
            index = _kernel._ArgInfo(2, _carray.Indexer, None, 1 if contiguous else 3, True, contiguous)
            if kernel.kind == "ElementwiseKernel":
                types = _kernel._TypeMap(tuple(pairs.items()))
                code = _kernel._get_elementwise_kernel_code(
                    (*infos, index), types, made.params, made.operation, made.name, made.preamble
                )
            else:
                block = _kernel._ArgInfo(3, cupy._core._scalar.CScalar, np.int32, 0, True, True)
                types = _kernel._TypeMap((*pairs.items(), ("IndexT", np.int32)))
                code = _reduction._ReductionKernel_get_cached_function_code(
                    made.nin, made.nout, made._params, (*infos, index, index, block), types, made.name, 512,
                    made.reduce_type, made.identity, made.map_expr, made.reduce_expr, made.post_map_expr, made.preamble,
                    made.options,
                )  # fmt: skip
            yield f"{name}, {'contiguous' if contiguous else 'strided'}", code


def declare() -> None:
    """Import all modules of kernels, and take steps of all optimizers, whose kernels are made of their formulas."""
    from tensorsh.engine import cuda

    from . import standin
    from .test_kernels import OPTIONS, stepped

    for path in Path(cuda.__file__).parent.glob("*.py"):
        importlib.import_module(f"{cuda.__name__}.{path.stem}")
    with standin.installed():
        for name, options in OPTIONS:
            stepped("cuda", name, options)


def failures(arch: str) -> list[str]:
    """What NVRTC does not take, in its words."""
    from cupy._core import core
    from cupy_backends.cuda.libs import nvrtc

    headers = "".join(f"#include <{name}>\n" for name in core._cupy_header_list)
    options = (*core.assemble_cupy_compiler_options(()), f"-arch=sm_{arch}")

    def problem(form: tuple[Any, str, str]) -> str | None:
        kernel, variant, code = form
        plain = isinstance(kernel, (kernels.Raw, pointwise.Pointwise)) or variant.endswith(AT_ONCE)
        program = nvrtc.createProgram(code if plain else headers + code, "kernel.cu", (), ())
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError:
            return f"{kernel.name} ({variant}): {nvrtc.getProgramLog(program)}"
        finally:
            nvrtc.destroyProgram(program)
        return None

    declared = [*kernels.DECLARED, *pointwise.KERNELS.values()]
    forms = [(kernel, *form) for kernel in declared for form in variants(kernel)]
    with ThreadPoolExecutor() as pool:  # NVRTC compiles without the interpreter's lock
        found = [told for told in pool.map(problem, forms) if told]
    print(f"{len(forms)} forms of {len(declared)} kernels compiled for sm_{arch}, {len(found)} failed")
    return found


if __name__ == "__main__":
    declare()
    problems = failures(sys.argv[1] if len(sys.argv) > 1 else "90")
    print(*problems, sep="\n")
    sys.exit(bool(problems))
