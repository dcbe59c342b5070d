"""What a program may do to end its kernel, to keep an interrupt out, to take all memory."""

from __future__ import annotations

import threading

import pytest

from . import conftest

pytestmark = pytest.mark.filterwarnings("default")
RAISES = "class Raises(Exception):\n    def __str__(self): raise SystemExit(7)\n    def __repr__(self): raise SystemExit(8)\n"
ENDLESS = (
    "class Endless(Exception):\n    def __str__(self):\n        while True: pass\ndef loop():\n    while True: pass\n"
)


def test_what_a_client_evaluates_ends_no_kernel(kernel) -> None:
    kernel.run(f"kept = 5\n{RAISES}")
    asked = {"a": "raise SystemExit(3)", "b": "exit()", "c": "raise KeyboardInterrupt", "d": "Raises()", "e": "kept"}
    found = kernel.run("1", user_expressions=asked)[0]["user_expressions"]
    assert [found[name].get("ename") for name in asked] == ["SystemExit"] * 2 + [
        "KeyboardInterrupt",
        "SystemExit",
        None,
    ]
    assert found["e"]["data"] == {"text/plain": "5"}


@pytest.mark.parametrize("code", ["raise Raises()", "Raises()", "raise ValueError(Raises())", "[Raises()]"])
def test_the_text_of_a_value_or_an_error_ends_no_kernel(kernel, code: str) -> None:
    kernel.run(f"kept = 6\n{RAISES}")
    assert kernel.run(code)[0]["status"] == "error" and kernel.texts("kept") == ["6"]


@pytest.mark.parametrize(
    "code", ["raise Endless()", "%prun loop()\nprint('behind')", "%%capture c\nloop()", "%timeit loop()"]
)
def test_an_interrupt_is_an_answer(kernel, code: str) -> None:
    kernel.run(f"kept = 7\n{ENDLESS}")
    timer = threading.Timer(0.7, kernel.manager.interrupt_kernel)
    timer.start()
    reply, shown = kernel.run(code, timeout=20)
    assert reply["ename"] == "KeyboardInterrupt" and "behind" not in str(shown)
    assert kernel.texts("kept") == ["7"]


def test_memory_is_bounded_where_the_kernel_was_installed_so(tmp_path, monkeypatch) -> None:
    made = conftest.specification(["--max-memory=600M"])
    monkeypatch.setattr(conftest, "specification", lambda: made)
    client = conftest.Client(tmp_path)
    try:
        client.run("kept = 8")
        for code in ("l = []\nwhile True: l.append(torch.ones(1_000_000))", "x = torch.ones(10**9)", "[0] * 10**11"):
            assert client.run(code)[0]["ename"] in ("RuntimeError", "MemoryError")
        assert client.texts("l = None\nkept") == ["8"]
    finally:
        client.close()


def test_modules_beside_a_notebook_are_not_the_kernels(tmp_path) -> None:
    for name in ("json", "socket", "numpy", "ipykernel", "tensorsh"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the folder')\n")
    client = conftest.Client(tmp_path)
    try:
        assert client.texts("ones(2)") == ["tensor([1., 1.])"]
    finally:
        client.close()
