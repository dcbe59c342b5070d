"""A headless Chromium and a JupyterLab that it looks at, over the browser's own protocol (CDP)."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 120.0


def browser() -> str | None:
    """The path of a browser, if there is one."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


def wait(condition: Callable[[], Any], what: str) -> Any:
    """What a condition gives, as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.1)


class Lab:
    """A JupyterLab server in a folder, for which the kernel is installed."""

    def __init__(self, folder: Path, home: Path) -> None:
        env = {
            **os.environ,
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "JUPYTER_PATH": str(home / "share" / "jupyter"),
        }
        env |= {"JUPYTER_CONFIG_DIR": str(home / "config"), "JUPYTER_DATA_DIR": str(home / "data")}
        subprocess.run(
            [sys.executable, "-m", "tensorsh", "kernel", "install", f"--prefix={home}"],
            check=True,
            env=env,
            capture_output=True,
        )
        settings = home / "config" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')  # no question about news
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/lab"
        self.log = open(home / "lab.log", "w")  # noqa: SIM115 - until it is closed
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={self.port}",
                "--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}",
                "--ServerApp.port_retries=0", "--LabApp.expose_app_in_browser=True", "--LabApp.news_url=",
            ],
            env=env, cwd=folder, stdout=self.log, stderr=self.log,
        )  # fmt: skip
        wait(self._answers, "JupyterLab")

    def _answers(self) -> bool:
        assert self.process.poll() is None, "JupyterLab has ended"
        try:
            with urllib.request.urlopen(self.url + "/../api", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


class Page:
    """One page of a browser of its own."""

    def __init__(self, home: Path, width: int = 1100, height: int = 900) -> None:
        from websocket import create_connection

        profile = home / "profile"
        path = browser()
        assert path is not None
        self.process = subprocess.Popen(
            [
                path, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={profile}",
                "--disable-dev-shm-usage", "--no-first-run", f"--window-size={width},{height}", "--force-device-scale-factor=1",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        said = profile / "DevToolsActivePort"
        port = wait(lambda: said.exists() and said.read_text().split("\n")[0], "the browser")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as reply:
            target = next(each for each in json.load(reply) if each["type"] == "page")
        self.socket = create_connection(target["webSocketDebuggerUrl"], suppress_origin=True, timeout=PATIENCE)
        self.numbers = itertools.count(1)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The browser's answer."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            reply = json.loads(self.socket.recv())
            if reply.get("id") == number:
                assert "error" not in reply, reply
                return dict(reply["result"])

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression, also of a promise."""
        reply = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def until(self, script: str) -> Any:
        """The value of an expression, as soon as it is true."""
        return wait(lambda: self.run(script), script)

    def key(self, text: str) -> None:
        """Types a text where the cursor is."""
        self.ask("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
