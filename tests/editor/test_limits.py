"""A program that loops for ever, takes all memory or prints without end costs nothing but its own limits."""

from __future__ import annotations

import time

import psutil
import pytest

from ..support.later import later
from .conftest import seconds

lsp = later("lsprotocol.types")


def checks(editor) -> list[psutil.Process]:
    """The processes in which texts run."""
    server = psutil.Process(editor.client._server.pid)
    return [each for workshop in server.children() for each in workshop.children()]


@pytest.fixture(autouse=True)
def nothing_runs(editor):
    editor.until(lambda: not checks(editor))


def test_an_endless_loop_is_ended_and_nobody_waits_for_it(editor):
    endless = editor.open("x = ones(2)\nwhile True:\n    y = x + 1\n")
    editor.until(lambda: checks(editor))
    other = editor.open("z = ones(3)\n")
    assert other.messages() == []
    assert other.hints() == [(0, 1, ": float32[3]")]
    assert seconds(lambda: other.hover(0, 0)) < 0.5
    messages = endless.messages()
    assert len(messages) == 1 and "ended here after 1 s" in messages[0]
    assert (2, 5, ": float32[2]") in endless.hints()
    editor.until(lambda: not checks(editor))


def test_the_next_key_ends_the_run(editor):
    text = editor.open("while True:\n    pass\n")
    (running,) = editor.until(lambda: checks(editor))
    began = time.monotonic()
    text.change("x = ones(2)\n")
    editor.until(lambda: not running.is_running())
    assert time.monotonic() - began < 0.8
    assert text.messages() == []


def test_closing_a_text_ends_its_run(editor):
    text = editor.open("while True:\n    pass\n")
    (running,) = editor.until(lambda: checks(editor))
    text.close()
    editor.until(lambda: not running.is_running(), 0.8)
    assert editor.shown[text.uri] == []


@pytest.mark.parametrize(
    "program, said",
    [
        ("x = zeros(25_000_000_000)\n", "--max-memory"),
        ("x = [0] * 10**11\n", "MemoryError"),
        ("kept = []\nwhile True:\n    kept.append(zeros(10000, 5000))\n", "--max-memory"),
        ("while True:\n    print('x' * 1000)\n", "ended here after 1 s"),
        ("x = 10 ** 10 ** 9\n", "ended here after 1 s"),
        ("open('/etc/passwd').read()\n", "PermissionError"),
        ("import socket\n", "ModuleNotFoundError"),
        ("input()\n", "EOFError"),
    ],
)
def test_what_is_not_given_is_told_without_an_error(editor, program, said):
    (fault,) = editor.open(program).faults()
    assert said in fault.message and fault.severity == lsp.DiagnosticSeverity.Information


def test_deep_nesting_and_recursion_end_by_themselves(editor):
    (fault,) = editor.open("def f():\n    return f()\nf()\n").faults()
    assert "RecursionError" in fault.message
    assert (fault.range.start, fault.range.end) == (lsp.Position(1, 11), lsp.Position(1, 14))
    assert editor.open("x = " + "-" * 900 + "1\n").messages() == []


def test_a_server_without_its_workshop_starts_another(editor):
    (workshop,) = psutil.Process(editor.client._server.pid).children()
    workshop.kill()
    assert editor.open("x = ones(2) @ ones(3)\n").messages()


def test_what_memory_was_too_little_for_is_told_by_shapes(editor):
    text = editor.open("w = zeros(200_000, 200_000)\ny = w @ w[:, :5]\nz = y.sum(0)\nbad = z @ ones(4)\n")
    memory, wrong = sorted(text.faults(), key=lambda each: each.range.start.line)
    assert "--max-memory" in memory.message and memory.severity == lsp.DiagnosticSeverity.Information
    assert wrong.range.start.line == 3 and wrong.severity == lsp.DiagnosticSeverity.Error
    assert "z: float32[5]" in wrong.message
    assert (1, 1, ": float32[200000, 5]") in text.hints() and (2, 1, ": float32[5]") in text.hints()


def test_shapes_tell_nothing_of_numbers_that_are_not_there(editor):
    text = editor.open("w = zeros(200_000, 200_000)\nfor i in range(int(w[0, 0])):\n    pass\n")
    (memory,) = text.faults()
    assert memory.range.start.line == 0 and (0, 1, ": float32[200000, 200000]") in text.hints()
