"""The start of the server: its ways to be asked, the extra that it needs."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from tensorsh.cli import main

from ..support.later import later
from .conftest import start

lsp = later("lsprotocol.types")


def test_without_the_extra_its_name_is_told(monkeypatch, capsys):
    for name in [each for each in sys.modules if each.startswith(("tensorsh.editor.", "pygls"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setattr("tensorsh.editor.workshop_process.Workshop.start", lambda self: None)
    assert main(["lsp"]) == 2
    assert 'the language server needs pygls: pip install "tensorsh[editor]"' in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--tcp=x"], ["--what"], ["file.tsr"]])
def test_other_words_are_refused(words, capsys):
    assert main(["lsp", *words]) == 2
    assert "lsp takes --stdio" in capsys.readouterr().err


def test_one_setting_switches_running_off():
    client = start(settings={"run": False})
    try:
        text = client.open("x = ones(2)\ny = x @ ones(3)\nz = undefinde\n")
        assert text.messages() == ["2: name 'undefinde' is not defined"]
        assert text.hints() == []
        settings = lsp.DidChangeConfigurationParams({"tensorsh": {"run": True}})
        client.client.workspace_did_change_configuration(settings)
        assert any("RuntimeError" in each.message for each in text.faults(4))
    finally:
        client.close()


def test_it_serves_over_tcp():
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "tensorsh", "lsp", f"--tcp={port}"])

    async def asked() -> lsp.InitializeResult:
        from pygls.lsp.client import LanguageClient

        client = LanguageClient("tests", "1")
        while server.poll() is None:
            try:
                await client.start_tcp("127.0.0.1", port)
                break
            except OSError:  # on a busy machine a start takes its time
                await asyncio.sleep(0.1)
        found = await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()
        return found

    assert asyncio.run(asked()).capabilities.hover_provider
    assert server.wait(20) is not None


def test_modules_in_the_opened_folder_are_not_the_servers(tmp_path, monkeypatch):
    """A folder may come from a stranger: its json.py would run with all rights."""
    for name in ("json", "socket", "numpy", "lark", "tensorsh"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the folder')\n")
    monkeypatch.chdir(tmp_path)
    client = start()
    try:
        text = client.open("x = ones(2)\nx")
        assert text.messages() == [] and "float32[2]" in text.hover(1, 0)
    finally:
        client.close()


def framed(*bodies: bytes) -> bytes:
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in bodies)


BEGIN = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{}}}'
END = framed(b'{"jsonrpc":"2.0","id":9,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}')
HEAD = b"Content-Length: "
NO_MESSAGES = (
    framed(
        b"{",
        b"[1]",
        b"3",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b"[" * 100_000,
        b"{}",
        b'{"jsonrpc":"2.0","id":3}',
        b"9" * 5000,
    ),
    framed(b'{"jsonrpc":"2.0","id":{},"method":"x"}', b'{"jsonrpc":"2.0","id":7,"result":1}'),
    framed(b'{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{"position":{"line":NaN}}}'),
    framed(b'{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"tensorsh":5}}}'),
    b"no head\r\n\r\n" + b"".join(HEAD + each + b"\r\n\r\n" for each in (b"x", b"0", b"-5")),
)


@pytest.mark.parametrize(
    "sent, code, answers",
    [
        (b"".join(NO_MESSAGES) + END, 0, True),
        (HEAD + b"50\r\n\r\n{", 0, False),
        (HEAD + b"9" * 18 + b"\r\n\r\n{}", 1, False),
        (HEAD + b"9" * 5000 + b"\r\n\r\n{}", 1, False),
    ],
    ids=range(4),
)
def test_messages_that_are_none_are_told_in_a_line(sent: bytes, code: int, answers: bool) -> None:
    command = [sys.executable, "-m", "tensorsh", "lsp"]
    ended = subprocess.run(command, input=framed(BEGIN) + sent, capture_output=True, timeout=60)
    assert ended.returncode == code and (b'"id": 9' in ended.stdout or b'"id":9' in ended.stdout) is answers
    told = ended.stderr.decode().splitlines()
    assert all(line.startswith("tensorsh: ") for line in told), told
    assert "Traceback" not in ended.stdout.decode()
