# ruff: noqa
"""torch.utils.benchmark: measurements in words and tables, and inputs drawn at random."""

import pickle
import re

import torch
import torch.utils.benchmark as benchmark
from torch.utils.benchmark import Compare, Measurement, TaskSpec, Timer


def told(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])


def measured(label, sub, description, times, runs=10, threads=1, env=None, stmt="x + 1", setup="pass"):
    task = TaskSpec(stmt, setup, label=label, sub_label=sub, description=description, num_threads=threads, env=env)
    return Measurement(runs, times, task)


found = [
    measured("add", "small", "ours", [1e-5 * k for k in (10, 11, 12, 13, 14)]),
    measured("add", "small", "theirs", [1e-5 * k for k in (20, 21, 20.5, 20.2)]),
    measured("add", "large", "ours", [1e-2 * k for k in (10, 11, 12, 13, 14)]),
    measured("add", "large", "theirs", [1e-2 * k for k in (70, 71, 72)]),
    measured("add", "large", "theirs", [1e-2 * k for k in (10.1, 11, 12)], threads=4),
    measured("mul", None, "ours", [3e-7, 3.1e-7, 2.9e-7], runs=1),
]
for each in found:
    print(re.sub("0x[0-9a-f]+", "0x", repr(each)).rstrip())
    print(
        f"{each.mean:.4g} {each.median:.4g} {each.iqr:.4g}",
        each.significant_figures,
        each.has_warnings,
        each.title,
        each.as_row_name,
    )
for settings in ("", "trim", "colours", "rows", "warnings", "trim colours warnings"):
    table = Compare(found)
    if "trim" in settings:
        table.trim_significant_figures()
    if "colours" in settings or "rows" in settings:
        table.colorize(rowwise="rows" in settings)
    if "warnings" in settings:
        table.highlight_warnings()
    print(str(table).replace("\033", "ESC"))
others = [
    measured("add", "small", "ours", [1e-5], env="a"),
    measured("add", "small", "ours", [2e-5], env="bb"),
    measured("add", "tiny", "ours", [2e-5], env="bb"),
    measured(None, None, "ours", [2.0], stmt="a\nb", setup="c\nd"),
]
Compare(others).print()
print(re.sub("0x[0-9a-f]+", "0x", repr(others[-1])))
print(benchmark.trim_sigfig(3.14159, 2), benchmark.select_unit(3e-5), benchmark.unit_to_english("ms"))
print(pickle.loads(pickle.dumps(found[0])).raw_times == found[0].raw_times, len(Measurement.merge(found[3:5] * 2)))

timer = Timer("y.append(x + 1)", setup="y = []\nx = torch.ones(2)", label="l", num_threads=2)
once = timer.timeit(5)
print(once.number_per_run, len(once.raw_times), once.num_threads, once.stmt, once.median > 0)
print(timer.blocked_autorange(min_run_time=0.01).median > 0, timer.adaptive_autorange(0.9, max_run_time=0.05).mean > 0)
print(repr(Timer("\n    a = 1\n    b = 2\n").timeit(2).stmt))
for call in (
    lambda: Timer(3), lambda: Timer("1", language="x"), lambda: Timer("1", global_setup="x"), lambda: Timer("1").repeat(),
    lambda: Timer("1").autorange(), lambda: Compare([1]), lambda: found[0].nothing,
):  # fmt: skip
    told(call)

P, X = benchmark.FuzzedParameter, benchmark.FuzzedTensor
fuzzer = benchmark.Fuzzer(
    parameters=[
        [P(f"k{i}", minval=16, maxval=64, distribution="loguniform") for i in range(2)],
        P("s", 1, 3, "uniform", strict=True), P("u", 0.1, 3.0, "uniform"),
    ],
    tensors=[
        X("x", size=("k0", "k1"), steps=("s", 1), min_elements=400, max_elements=3000, probability_contiguous=0.3),
        X("y", size=("k1", 3), dtype=torch.int64),
    ],
    seed=3,
)  # fmt: skip
for tensors, properties, params in fuzzer.take(4):
    print({name: (t.shape, t.stride(), t.double().sum().item()) for name, t in tensors.items()}, properties, params)
print(fuzzer.rejection_rate)
told(lambda: benchmark.Fuzzer([P("x", 1, 2, "uniform")], [X("x", (2,))]))
told(lambda: P("x", 1, 2, "normal"))
