"""Hostile programs and PyTorch's answers: the files of tests/hostile/programs, of which generated.txt is made here.

The generated programs are examples of the operators that take indices, sizes or lists, each with one argument replaced by something
that lies: a number whose arithmetic is another, a list that changes, a tensor whose elements overlap, one without elements and 2**40
rows, an index out of range. Of those every fourth is kept.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import json
import sys
import warnings
from collections.abc import Iterator

from ..hostile import runner
from ..hostile.corpus import FOLDER, PRELUDE, Program, read, write
from ..support.outcomes import headline
from .origin import origin

# Arguments replaced

PLAIN = {"overlapping elements", "rows without elements"}
"""The replacements of any tensor."""


def replacements(argument: ast.expr, space: dict) -> Iterator[tuple[str, str]]:
    """What is put in the place of an argument, and what to call it."""
    import torch

    text = ast.unparse(argument)
    try:
        value = eval(text, space)
    except Exception:
        return
    if type(value) is int:
        yield "a lying number", f"Lying({text})"
        yield "a number that changes", f"Index({text}, 2**40)"
        yield "a number beyond all", "2**62"
        yield "a number below all", "-2**63"
    elif type(value) in (list, tuple) and value and all(type(each) is int for each in value):
        yield "lying numbers", f"[Lying(n) for n in {text}]"
        yield "a list that lies long", f"Long({text})"
        yield "a list that lies short", f"Short({text})"
        yield "numbers beyond all", f"[2**62 for n in {text}]"
    elif type(value) in (list, tuple) and value and all(isinstance(each, torch.Tensor) for each in value):
        yield "a list that lies long", f"Long({text})"
        yield "a list that lies short", f"Short({text})"
        yield "an object that says it is long", "Sequence(2**40, torch.empty(2**40, 0))"
    elif isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_quantized:
        if value.dim() and value.numel():
            yield "overlapping elements", f"(({text})[:1].expand_as({text}))"
        yield "rows without elements", f"torch.empty(2**40, 0, dtype={value.dtype})"
        if value.dtype in (torch.int64, torch.int32):
            yield "indices beyond all", f"(({text}) + 2**30)"
            yield "indices below all", f"(({text}) - 2**30)"


def generated() -> Iterator[Program]:
    import torch

    from tensorsh.engine.examples import example
    from tensorsh.engine.loading import table

    table.load_all()
    public = {n: v for n, v in vars(torch).items() if n[0] != "_" and n not in ("range", "sum", "abs")}
    for name in sorted(table.OPERATORS):
        shown = example(name)
        if shown is None or table.OPERATORS[name].name.split(".")[-1] != name.split(".")[-1]:
            continue
        space = {**public, "torch": torch}
        try:
            for line in shown.code[:-1]:
                exec(line, space)
            tree = ast.parse(shown.code[-1], mode="eval")
        except Exception:
            continue
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        calls = [c for c in calls if ast.unparse(c.func).split(".")[-1] == name.split(".")[-1]]
        for call in calls[:1]:
            places = [(call.args, i) for i in range(len(call.args))]
            places += [(k, "value") for k in call.keywords if k.arg != "out"]
            if isinstance(call.func, ast.Attribute) and not ast.unparse(call.func.value).startswith(
                ("torch", "nn", "F")
            ):
                places.append((call.func, "value"))
            befores = [holder[key] if isinstance(holder, list) else getattr(holder, key) for holder, key in places]
            if not any(kind not in PLAIN for before in befores for kind, _ in replacements(before, space)):
                continue  # it takes no index, size or list
            for (holder, key), before in zip(places, befores, strict=True):
                for kind, text in replacements(before, space):
                    lie = ast.parse(text, mode="eval").body
                    if isinstance(holder, list):
                        holder[key] = lie
                    else:
                        setattr(holder, key, lie)
                    where = holder.arg if isinstance(holder, ast.keyword) else key
                    code = "\n".join([*shown.code[:-1], ast.unparse(tree)])
                    yield Program(f"{name}, argument {where}: {kind}", code, "")
                if isinstance(holder, list):
                    holder[key] = before
                else:
                    setattr(holder, key, before)


# Answers


def answer(source: str) -> str:
    """The text of a program run by PyTorch in plain Python."""
    import numpy as np
    import torch

    output = io.StringIO()
    space = {n: v for n, v in vars(torch).items() if n[0] != "_" and n not in __builtins__.__dict__}
    space |= {"torch": torch, "np": np, "nn": torch.nn, "__name__": "__main__"}
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(PRELUDE, space)
        with contextlib.redirect_stdout(output):
            exec(compile(tree, "<program>", "exec"), space)
            value = None if last is None else eval(compile(ast.Expression(last.value), "<program>", "eval"), space)
            text = "" if value is None else repr(value)
    except Exception as error:
        text = headline(error).rstrip(": ")
    return (output.getvalue() + text).strip()


def work() -> None:
    """The process that runs programs with PyTorch, as tests.hostile.worker does with tensorsh."""
    import resource

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for line in sys.stdin:
        source = json.loads(line)
        print("start", flush=True)
        torch.manual_seed(0)
        text = answer(source)
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        gc.collect()
        print(json.dumps([text, "", 0.0]), flush=True)


def record() -> None:
    runner.PATIENCE = 4.0
    generated_file = FOLDER / "generated.txt"
    if not generated_file.exists():
        write(generated_file, list(generated())[::4], "")
    for path in sorted(FOLDER.glob("*.txt")):
        programs = read(path)
        command = [sys.executable, "-m", "tests.recording.hostile"]
        sources = [p.source for p in programs]
        once, again = runner.run(sources, command), runner.run(sources, command, byte=0x11)
        for program, (text, harm), (other, _) in zip(programs, once, again, strict=True):
            program.answer = text if not harm and text == other else ""
        write(path, programs, f"# Hostile programs with PyTorch's answers, made by {origin('hostile')}.")


if __name__ == "__main__":
    work()
