"""docs/ecosystem.md: what each library's program did."""

from __future__ import annotations

import ast
from datetime import date

from .running import HERE

PAGE = HERE.parents[1] / "docs" / "ecosystem.md"
PACKAGES = {
    "transformers_gpt2": "transformers", "transformers_bert": "transformers", "transformers_llama": "transformers",
    "fabric": "lightning", "pyro": "pyro-ppl", "ignite": "pytorch-ignite", "torchvision_parts": "torchvision",
    "laplace": "laplace-torch", "curvlinops": "curvlinops-for-pytorch", "backpack": "backpack-for-pytorch", "open_clip": "open-clip-torch",
    "esm": "fair-esm",
}  # fmt: skip
"""Programs that are not named as their package is."""
TEXT = """\
# Libraries that run on tensorsh

Each of these programs uses a library that is written for PyTorch, in plain Python in which `torch` means tensorsh
([as_torch.md](as_torch.md)). What it prints is compared with what it printed on PyTorch 2.13 (CPU): *same* is to the letter, *close*
where last digits differ. `make ecosystem` makes an environment of its own, runs them, and writes this page; the programs
are `tests/ecosystem/programs/`.

{count} of {all} print PyTorch's numbers, {same} of them to the letter ({date}).

| library | version | what the program does | on tensorsh |
|---|---|---|---|
{rows}
"""


SECTION = "## Their own tests"
SUITES = """\

{section}

Tests that come with the libraries' sources, run on both sides (`python -m tests.ecosystem.suites`): of those that PyTorch passes, how many
pass on tensorsh. Where a suite takes longer than its time, of those that ran in it.

| library | version | pass here | of | in all |
|---|---|---|---|---|
{suites}

In the mean {mean:.2f} %.
"""


def suites() -> str:
    """The section of the libraries' own tests: a row for each, and the mean of their rates."""
    rows, rates = [], []
    for line in (HERE / "suites.txt").read_text("ascii").splitlines():
        name, version, passing, count, whole, _ = line.split()
        rates.append(100 * int(passing) / int(count))
        rows.append(f"| {name} | {version} | {passing} ({rates[-1]:.2f} %) | {count} | {whole} |")
    mean = sum(rates) / max(len(rates), 1)
    return SUITES.format(section=SECTION, suites="\n".join(rows), mean=mean)


OWN_TESTS = """\

## PyTorch's own tests

The test files of PyTorch 2.6 (as Debian packages them), run on both sides (`python tests/against_pytorch_tests.py`): of the tests
that PyTorch 2.13 passes, how many pass on tensorsh. What is left, by what it asks for: copies on write, objects that rise again
when they are freed, MKLDNN and NNPACK (152 of nn/test_convolution), quantized layers, graphs of TorchScript, half precision
of complex numbers, and one by one the corners of forward differentiation. Of test_overrides those of functions that only
quantization, ROCm and collectives have, and of properties under their private names; of test_autograd what looks into
counters, caches, views and metadata of PyTorch's own engine, hooks that are called without a gradient, test operators and records of the profiler; of
test_serialization the helpers of its zip files and files of TorchScript; of functorch's own tests what asks for
private levels of transforms; of test_custom_ops and test_python_dispatch operators as `torch._custom_ops` made them
before `torch.library`, kernels by the dispatcher's private keys, schemas and tags of PyTorch's own operators, sizes and strides
that classes answer; of test_fx the functions of torch.nn.functional traced by their source, types that grow while a graph is traced,
and `torch.export`; of test_tensorboard graphs of models; of test_datapipe snapshots; of nested tensors what
is compiled, views that are replayed and private kernels; of test_fake_tensor and test_proxy_tensor sizes that are symbols, caches
and what PyTorch's compiler keeps of a mode; of test_control_flow graphs with symbols; of the profiler its private records; of what several processes do the modules that PyTorch keeps to itself, parts of tensors on
some of the processes, backends of others, and how often parts are moved in a backward pass. Of
test_transformers and test_multiprocessing, which take longer than their time, those that ran in it are counted. There is no
`torch.package`, no cache of contents, no parser of schemas and no vmap of old; bundled inputs and the experiments of
test_fx_experimental want TorchScript and shapes that are inferred.

With PyTorch's tables of operators and layers in their places, test_ops asks each operator for its refusals (of 220 tests that
PyTorch passes, 197 pass), for one result by each of its forms (all but 7 of 961), and for conjugates and negatives (all but 7 of
1,327); test_modules asks each layer for its text, its errors, copies, and operands that lie in any order (all of 810). What is left are
operators and helpers under private names, tensors of more than 64 dimensions, and sparse operands in layouts that PyTorch does not
compute with.

| file | pass here | of |
|---|---|---|
{rows}

Together {passing:,} of {count:,}, {rate:.1f} %.
"""


def own_tests() -> str:
    """The section of PyTorch's own test files."""
    found = [line.split() for line in (HERE / "pytorch_tests.txt").read_text("ascii").splitlines()]
    rows = [f"| {name} | {part} ({100 * int(part) / int(whole):.1f} %) | {whole} |" for name, part, whole in found]
    passing, count = (sum(int(words[k]) for words in found) for k in (1, 2))
    return OWN_TESTS.format(rows="\n".join(rows), passing=passing, count=count, rate=100 * passing / count)


def write_suites() -> None:
    """Write the sections of suites of tests anew."""
    before = PAGE.read_text(encoding="utf-8").partition(SECTION)[0].rstrip()
    PAGE.write_text(f"{before}\n{suites()}{own_tests()}", encoding="utf-8")


def first_line(name: str) -> str:
    """What a program says that it does."""
    text = ast.get_docstring(ast.parse((HERE / "programs" / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0]


def write(outcomes: dict[str, str], versions: dict[str, str]) -> None:
    """Write the page of what the programs did."""
    rows = []
    for name, told in outcomes.items():
        package = PACKAGES.get(name, name).replace("_", "-")
        cell = told.replace("|", "\\|")
        rows.append(
            f"| {name.replace('_', ' ') if name in PACKAGES else package} | {versions.get(package, '')} | {first_line(name)} | {cell} |"
        )
    same = sum(told == "same" for told in outcomes.values())
    close = sum(told == "close" for told in outcomes.values())
    page = (
        TEXT.format(count=same + close, all=len(outcomes), same=same, date=date.today(), rows="\n".join(rows))
        + suites()
        + own_tests()
    )
    PAGE.write_text(page, encoding="utf-8")
