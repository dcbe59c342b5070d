"""PyTorch's own test files, run on tensorsh and on PyTorch: a script for developers, nothing of PyTorch lies here.

    python tests/against_pytorch_tests.py DIR [FILE ...] [--oracle PYTHON] [--results DIR] [--again] [--table]

DIR is the top of PyTorch's sources (Debian: `apt-get source pytorch`). FILE is a file of its test/ without `.py` (`test_nn`,
`nn/test_pooling`); without any, those of FILES. Each file runs in a process of its own; what PyTorch answered is kept below
--results and asked again with --again only. A rate is the share of the tests which PyTorch passes that tensorsh passes.

PyTorch's torch/testing/_internal is read from DIR, too, put beside the torch under test. Its tables of operators, which make
tens of thousands of tests, are empty here (tests/recording compares those), and what it imports of the compiler and of
private modules is replaced by a thing that answers anything, where the torch under test lacks it. Test files get no such help:
where they import a name that the torch under test lacks, those of their tests fail that use it.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import functools
import importlib
import importlib.abc
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

FILES = """
test_indexing test_view_ops test_shape_ops test_scatter_gather_ops test_sort_and_select test_type_promotion test_reductions
test_unary_ufuncs test_binary_ufuncs test_tensor_creation_ops test_spectral_ops test_linalg test_complex test_numpy_interop
test_segment_reductions test_masked test_maskedtensor test_torch test_autograd autograd/test_functional test_type_info test_nn nn/test_convolution
nn/test_dropout nn/test_embedding nn/test_init nn/test_lazy_modules nn/test_load_state_dict nn/test_module_hooks
nn/test_multihead_attention nn/test_packed_sequence nn/test_parametrization nn/test_pooling nn/test_pruning test_optim
optim/test_lrscheduler optim/test_swa_utils distributions/test_distributions distributions/test_constraints
distributions/test_transforms test_stateless test_serialization test_namedtensor test_overrides autograd/test_complex test_fx
test_dataloader functorch/test_vmap functorch/test_eager_transforms test_subclass test_flop_counter test_module_tracker test_autocast
test_futures test_testing test_dlpack test_foreach test_sparse test_sparse_csr test_custom_ops test_python_dispatch
test_nestedtensor test_utils test_pytree test_tensorboard test_multiprocessing test_namedtuple_return_api
test_expanded_weights test_comparison_utils test_weak test_functional_optim test_per_overload_api test_datapipe
test_transformers profiler/test_profiler profiler/test_record_function distributed/test_store
distributed/test_c10d_gloo distributed/test_c10d_spawn_gloo distributed/test_device_mesh
distributed/test_functional_api distributed/_tensor/test_api distributed/_tensor/test_init
distributed/_tensor/test_redistribute distributed/_tensor/test_dtensor distributed/checkpoint/test_planner
distributed/checkpoint/test_state_dict distributed/checkpoint/test_state_dict_utils
distributed/checkpoint/test_checkpoint distributed/checkpoint/test_file_system_checkpoint_cpu
distributed/checkpoint/test_utils distributed/checkpoint/test_traverse distributed/checkpoint/test_nested_dict
distributed/checkpoint/test_format_utils distributed/checkpoint/test_compatibility
distributed/checkpoint/test_dedup_tensors distributed/_composable/test_contract
distributed/_composable/test_checkpoint distributed/_composable/test_replicate
test_monitor test_multiprocessing_spawn test_native_mha functorch/test_control_flow functorch/test_rearrange test_fx_passes
test_fake_tensor test_proxy_tensor
fx/test_common_passes fx/test_cse_pass fx/test_dce_pass fx/test_fx_const_fold fx/test_fx_node_hook
fx/test_fx_param_shape_control_flow fx/test_fx_split fx/test_pass_infra fx/test_subgraph_rewriter fx/test_lazy_graph_module
distributed/_tensor/test_math_ops distributed/_tensor/test_tensor_ops distributed/_tensor/test_matrix_ops
distributed/_tensor/test_view_ops distributed/_tensor/test_utils distributed/_tensor/test_embedding_ops
distributed/_tensor/test_common_rules distributed/_tensor/test_random_ops distributed/_tensor/test_optimizers
distributed/tensor/parallel/test_tp_style distributed/tensor/parallel/test_parallelize_api distributed/algorithms/test_join
distributed/optim/test_zero_redundancy_optimizer distributed/test_c10d_common distributed/pipelining/test_microbatch
distributed/pipelining/test_backward distributed/pipelining/test_schedule test_native_functions test_legacy_vmap
test_fx_experimental test_bundled_inputs test_function_schema test_content_store test_package functorch/test_parsing
""".split()
INTERNAL = "torch.testing._internal"
COMPARISON = ("torch.testing._comparison", "torch.testing._utils")
"""Where the torch under test has them not, these are read from the sources, too: the judge is PyTorch's own."""
TABLES = {
    f"{INTERNAL}.{name}"
    for name in (
        "common_methods_invocations",
        "common_modules",
        "custom_op_db",
        "opinfo.definitions",
        "opinfo.refs",
        "common_quantization",
        "common_quantized",
        "logging_utils",
        "generated",
        "distributed.multi_threaded_pg",
    )
}
HUGE = re.compile(r"advancedindex_big|large|2gb|serialization_offset($|_filelike)")
"""Tests that want gigabytes of memory; they are left out."""
SECONDS = 60
"""What one test may take."""


class Anything:
    """Stands for what the torch under test lacks: empty, callable, with every attribute; as a decorator it changes nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return Anything()

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> Any:
        return Anything()

    def __mro_entries__(self, bases: Any) -> Any:
        return ()

    def __or__(self, other: Any) -> Any:
        return other

    __ror__ = __or__

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None: ...


class Lacking:
    """Stands for a name that a test file imports and the torch under test lacks: whoever uses it fails, unless tests
    are being collected, when what it would give is lacking, too."""

    collecting = True

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if Lacking.collecting and len(args) == 1 and isinstance(args[0], types.FunctionType):
            return functools.wraps(args[0])(lambda *_, **__: self.used("()"))  # a test that it decorates
        return self.used("()")

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return self.used("." + name)

    def used(self, how: str) -> Any:
        if not Lacking.collecting:
            raise ImportError(f"cannot import name {self.name!r}")
        return Lacking(self.name + how)

    def __iter__(self) -> Any:
        return iter(())

    def __mro_entries__(self, bases: Any) -> Any:
        return ()


class Stated(types.ModuleType):
    """A module of such things."""

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name != "__all__":
            raise AttributeError(name)
        if self.__name__.endswith("common_methods_invocations") and name[0].isupper():
            return getattr(imported(INTERNAL + ".opinfo.core", None), name, None) or Anything()
        return [] if name.endswith(("_db", "ufuncs", "funcs", "_ops", "__all__")) else Anything()


def imported(module: str, name: str | None) -> Any:
    """What `import module` or `from module import name` gives, or what stands for it."""
    if module.startswith((INTERNAL, *COMPARISON)):
        found = importlib.import_module(module)
        if name is None or hasattr(found, name):
            return found if name is None else getattr(found, name)
        return importlib.import_module(f"{module}.{name}")
    try:
        found = importlib.import_module(module)
        return found if name is None else getattr(found, name)
    except (ImportError, AttributeError):
        try:
            return importlib.import_module(f"{module}.{name}")
        except (ImportError, AttributeError):
            return Anything()


def imported_by_test(module: str, name: str | None) -> Any:
    """What the statement gives in a test file: what is lacking fails the tests that use it."""
    try:
        found = importlib.import_module(module)
        if name is None or hasattr(found, name):
            return found if name is None else getattr(found, name)
        return importlib.import_module(f"{module}.{name}")
    except (ImportError, AttributeError):
        return Lacking(f"{module}.{name}")


class Lenient(ast.NodeTransformer):
    """Imports from torch that may fail."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if (
            not (node.module or "").startswith(("torch", "functorch", "expecttest", "torchgen"))
            or node.names[0].name == "*"
        ):
            return node
        lines = [f"{a.asname or a.name} = __imported__({node.module!r}, {a.name!r})" for a in node.names]
        return [ast.copy_location(each, node) for each in ast.parse("\n".join(lines)).body]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """What decorates is imported likewise."""
        for at, each in enumerate(node.decorator_list):
            called = each.func if isinstance(each, ast.Call) else each
            module, _, name = ast.unparse(called).rpartition(".")
            if module.startswith("torch._"):
                found = ast.parse(f"__imported__({module!r}, {name!r})", mode="eval").body
                if isinstance(each, ast.Call):
                    each.func = found
                else:
                    node.decorator_list[at] = found
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """A base that is read off a private module is imported as if it stood in a statement."""
        for at, base in enumerate(node.bases):
            module, _, name = ast.unparse(base).rpartition(".")
            if module.startswith("torch._"):
                node.bases[at] = ast.parse(f"__imported__({module!r}, {name!r})", mode="eval").body
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> Any:
        made = []
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top not in ("torch", "functorch", "expecttest", "torchgen"):
                made.append(f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else ""))
            elif alias.asname:
                made.append(f"{alias.asname} = __imported__({alias.name!r}, None)")
            else:
                made.append(f"__imported__({alias.name!r}, None); {top} = __imported__({top!r}, None)")
        return [ast.copy_location(each, node) for each in ast.parse("\n".join(made)).body]


def none_of_none(parametrize: Any) -> Any:
    """Tests for each operator of a table, also of an empty one."""

    def parametrized(*args: Any) -> Any:
        try:
            yield from parametrize(*args)
        except ValueError as error:
            if "empty op_list" not in str(error):
                raise

    return parametrized


def forked(test: Any) -> None:
    """The processes of one test: copies of this one, since a started one would find no test file."""
    import torch.multiprocessing

    test._start_processes(torch.multiprocessing.get_context("fork").Process)


class Beside(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torch.testing._internal in PyTorch's sources."""

    def __init__(self, sources: Path, more: tuple[str, ...], test: str) -> None:
        self.home, self.more = sources / "torch" / "testing", more
        self.tests = {test.rpartition("/")[2]: sources / "test" / (test + ".py")}
        self.beside = (sources / "test", self.tests[test.rpartition("/")[2]].parent, sources / "test" / "distributed")

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname in ("expecttest", "functorch_additional_op_db"):
            return importlib.util.spec_from_loader(fullname, self)
        if fullname not in self.tests and fullname.rpartition(".")[2].startswith(("test_", "common_utils")):
            files = [folder / (fullname.replace(".", "/") + ".py") for folder in self.beside]
            self.tests.update((fullname, file) for file in files[::-1] if file.is_file())  # another that it imports
        if fullname in self.tests:
            spec = importlib.util.spec_from_loader(fullname, self, origin=str(self.tests[fullname]))
            spec.has_location = True
            return spec
        if fullname != INTERNAL and not fullname.startswith((INTERNAL + ".", *self.more)):
            return None
        if any(fullname == t or fullname.startswith(t + ".") for t in TABLES):
            return importlib.util.spec_from_loader(fullname, self, is_package=True)
        base = self.home.joinpath(*fullname.split(".")[2:])
        for file in (base / "__init__.py", base.with_suffix(".py")):
            if file.is_file():
                spec = importlib.util.spec_from_loader(
                    fullname, self, origin=str(file), is_package=file.name == "__init__.py"
                )
                spec.has_location = True
                return spec
        return None

    def create_module(self, spec: Any) -> Any:
        return None if spec.has_location else Stated(spec.name)

    def exec_module(self, module: Any) -> None:
        if module.__name__ == "expecttest":
            module.TestCase = Expecting
            return
        if not module.__spec__.has_location:
            return
        file = Path(module.__spec__.origin)
        tree = ast.fix_missing_locations(Lenient().visit(ast.parse(file.read_text(encoding="utf-8"))))
        module.__imported__ = imported_by_test if module.__name__ in self.tests else imported
        exec(compile(tree, str(file), "exec", dont_inherit=True), vars(module))
        if module.__name__ == INTERNAL + ".common_device_type":
            module.ops._parametrize_test = none_of_none(module.ops._parametrize_test)
        if module.__name__ == INTERNAL + ".common_utils":
            module.TEST_MKL = True  # whether the functions that PyTorch computes by MKL give what they should
        if module.__name__ == INTERNAL + ".common_distributed":
            module.MultiProcessTestCase._spawn_processes = forked
            if not hasattr(module.torch._C, "_set_print_stack_traces_on_fatal_signal"):
                module.torch._C._set_print_stack_traces_on_fatal_signal = Anything()
        if module.__name__ == INTERNAL + ".jit_utils" and not hasattr(module.torch._C, "_jit_set_emit_hooks"):
            module.JitTestCase.setHooks = module.JitTestCase.clearHooks = lambda test: None
            module.clear_class_registry = Anything()
        if module.__name__ == "common_utils":
            module.skipOps = module.opsToleranceOverride = lambda *args: lambda test: test


def expecting() -> Any:
    import unittest

    class Expecting(unittest.TestCase):
        """The base of PyTorch's test cases, from the package expecttest: a text written in the test."""

        longMessage = True

        def assertExpectedInline(self, actual: str, expect: str, skip: int = 0) -> None:
            import textwrap

            self.assertMultiLineEqual(textwrap.dedent(expect.strip("\n").rstrip()), actual.rstrip())

        def assertExpectedRaisesInline(
            self, kind: Any, function: Any, expect: str, *args: Any, skip: int = 0, **kwargs: Any
        ) -> None:
            try:
                function(*args, **kwargs)
            except kind as error:
                self.assertExpectedInline(str(error), expect)
            else:
                self.fail(f"{kind} was not raised")

    return Expecting


Expecting = expecting()


class Recorder:
    """A plugin of pytest: writes what came of each test, and ends a test that takes too long."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process

    def pytest_collection_modifyitems(self, items: list) -> None:
        items[:] = [item for item in items if not HUGE.search(item.name)]

    def pytest_collection_finish(self, session: Any) -> None:
        Lacking.collecting = False

    def pytest_runtest_setup(self, item: Any) -> None:
        signal.signal(signal.SIGALRM, self.late)
        self.said = ""
        signal.alarm(SECONDS)

    def pytest_runtest_teardown(self, item: Any) -> None:
        signal.alarm(0)

    def late(self, *_: Any) -> None:
        raise TimeoutError(f"a test took {SECONDS} s")

    def write(self, name: str, outcome: str, said: str) -> None:
        print(json.dumps([name, outcome, said]), file=self.file, flush=True)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None:
            place = call.excinfo.traceback[-1]
            said = call.excinfo.exconly()
            said = (
                said if len(said) < 1200 else f"{said[:300]} ... {said[-900:]}"
            )  # a process's error stands at the end
            self.said = f"{said} @ {place.path}:{place.lineno + 1}"

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.write("(import)", "error", str(report.longrepr).strip())

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = report.nodeid.partition("::")[2]
        if report.when == "call" or report.outcome != "passed" and report.when == "setup":
            xfail = hasattr(report, "wasxfail")
            self.write(name, "skipped" if xfail else report.outcome, self.said if report.failed else "")


def for_children() -> str:
    """A folder in which processes that a test starts find `torch`, which means tensorsh there as well."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("torch", "functorch"):
        Path(folder, name + ".py").write_text(
            f"import sys\ndel sys.modules[{name!r}]\nsys.path.append({str(Path(__file__).parents[1])!r})\n"
            f"import tensorsh.as_torch\nsys.modules[{name!r}] = __import__({name!r})\n",
            encoding="utf-8",
        )
    return folder


def inside(sources: Path, file: str, result: str, side: str, words: list[str]) -> int:
    """One file in this process."""
    os.environ.update(PYTORCH_TESTING_DEVICE_ONLY_FOR="cpu", PYTORCH_TEST_WITH_SLOW="0", CI="")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    test = sources / "test"
    sys.argv[1:] = []
    sys.path[:1] = [
        str(test),
        str((test / file).parent),
        *([str(Path(__file__).parents[1])] if side == "tensorsh" else []),
    ]
    os.chdir(test)
    sys.dont_write_bytecode = True
    sys.modules["__main__"].__file__ = str(test / (file + ".py"))
    if side == "tensorsh":
        import tensorsh.as_torch  # noqa: F401

        os.environ["PYTHONPATH"] = os.pathsep.join([for_children(), os.environ.get("PYTHONPATH", "")])
    import torch.testing

    beside = Beside(sources, COMPARISON if side == "tensorsh" else (), file)
    sys.meta_path.insert(0, beside)
    if not hasattr(torch.testing, "__path__"):
        torch.testing.__path__ = []
    for name in [n for n in sys.modules if n == INTERNAL or n.startswith(INTERNAL + ".")]:
        del sys.modules[name]
    torch.testing._internal = importlib.import_module(INTERNAL)
    for name in COMPARISON:
        importlib.import_module(name)
    if side == "tensorsh":
        importlib.import_module("tensorsh.torch._ops").load_library = Anything()  # of TorchScript, for a few tests
    torch.set_num_threads(1)
    import pytest

    options = [
        "-q",
        "-c",
        os.devnull,
        "--rootdir",
        str(test),
        "--noconftest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:tensorsh",
    ]
    options += [
        "--tb=native",
        "--import-mode=prepend",
        "-p",
        "no:hypothesispytest",
        "--assert=plain",
        "--continue-on-collection-errors",
        "-W",
        "ignore::pytest.PytestWarning",
    ]
    return int(pytest.main([str(test / (file + ".py")), *options, *words], plugins=[Recorder(result)]))


def outcomes(path: Path) -> dict[str, tuple[str, str]]:
    """What a file's tests did."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    whole = [line for line in lines if line[:1] == "[" and line[-1:] == "]"]  # the last may have been cut off
    return {n: (o, s) for n, o, s in map(json.loads, whole)}


def row(results: Path, file: str) -> tuple[int, int, str]:
    """What PyTorch passes, what of it tensorsh passes, the import's error."""
    plain = file.replace("/", ".")
    there, here = (outcomes(results / side / f"{plain}.jsonl") for side in ("oracle", "tensorsh"))
    passed = [name for name, (outcome, _) in there.items() if outcome == "passed" and not HUGE.search(name)]
    error = here.get("(import)", ("", ""))[1]
    return (
        len(passed),
        sum(here.get(name, ("",))[0] == "passed" for name in passed),
        error.splitlines()[-1] if error else "",
    )


def table(results: Path, files: list[str]) -> str:
    """The table of rates."""
    lines, rates, all_there, all_here = ["| file | passes on PyTorch | on tensorsh |", "|---|---|---|"], [], 0, 0
    for file in files:
        there, here, error = row(results, file)
        if there:
            rates.append(here / there)
        all_there, all_here = all_there + there, all_here + here
        lines.append(f"| {file} | {there} | {here} ({100 * here / max(there, 1):.1f} %) {error[-120:]} |")
    mean = 100 * sum(rates) / max(len(rates), 1)
    lines.append(
        f"| **all** | {all_there} | **{all_here}** ({100 * all_here / max(all_there, 1):.1f} %), mean {mean:.1f} % |"
    )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, help="the top of PyTorch's sources")
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE")
    parser.add_argument("--oracle", help="a Python that has PyTorch, pytest and hypothesis")
    parser.add_argument("--results", type=Path, default=Path("/tmp/against_pytorch_tests"))
    parser.add_argument("--again", action="store_true", help="ask PyTorch again")
    parser.add_argument("--write", action="store_true", help="write the figures for docs/ecosystem.md")
    parser.add_argument("--table", action="store_true", help="run nothing, show the table of what ran before")
    parser.add_argument("--seconds", type=int, default=900, help="what one file may take")
    parser.add_argument("-k", default="", help="only tests of such a name (tensorsh alone; nothing is kept)")
    parser.add_argument("--inside", nargs=2, metavar=("RESULT", "SIDE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    sources = given.sources.resolve()
    if given.inside:
        return inside(sources, given.files[0], *given.inside, ["-k", given.k] if given.k else [])
    sides = {"tensorsh": sys.executable} | ({"oracle": given.oracle} if given.oracle and not given.k else {})
    for file in [] if given.table else given.files:
        for side, python in sides.items():
            result = given.results / side / (file.replace("/", ".") + ".jsonl")
            if side == "oracle" and result.exists() and not given.again:
                continue
            result.parent.mkdir(parents=True, exist_ok=True)
            kept = Path(os.devnull) if given.k else result
            words = [python, __file__, str(sources), file, "--inside", str(kept), side]
            began = time.time()
            with open(os.devnull if not given.k else 1, "w", closefd=not given.k) as out:
                try:
                    subprocess.run(
                        words + (["-k", given.k] if given.k else []), stdout=out, stderr=out, timeout=given.seconds
                    )
                except subprocess.TimeoutExpired:
                    print(f"{file} on {side}: ended after {given.seconds} s", file=sys.stderr)
            print(f"{file} on {side}: {time.time() - began:.0f} s", file=sys.stderr)
    if not given.k:
        print(table(given.results, given.files))
    if given.write:
        rows = [(file, *row(given.results, file)[:2]) for file in given.files]
        figures = "".join(f"{file} {here} {there}\n" for file, there, here in rows if there)
        (Path(__file__).parent / "ecosystem" / "pytorch_tests.txt").write_text(figures, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
