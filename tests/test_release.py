"""What is given to others beside the code: one version everywhere, completion in shells, the manual page, files that say what the
project is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tensorsh
from tensorsh.command import completion
from tensorsh.command.arguments import HELP, UsageError

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_one_version() -> None:
    version = tensorsh.__version__
    assert re.search(rf'^version: "?{re.escape(version)}"?$', (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text()
    assert (
        PROJECT["tool"]["hatch"]["version"]["path"] == "tensorsh/__init__.py"
        and "version" in PROJECT["project"]["dynamic"]
    )
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text())["version"]
    assert extension == re.match(r"[\d.]+\d", version)[0]


def test_types_are_for_checkers() -> None:
    assert (
        Path(tensorsh.__file__).with_name("py.typed").exists()
        and "Typing :: Typed" in PROJECT["project"]["classifiers"]
    )


@pytest.mark.sources
def test_the_manual_page_is_current() -> None:
    assert completion.MANUAL.read_text(encoding="utf-8") == completion.manual(), "make tables"
    assert "\n.TP\n.B \\-\\-isolate\nalso by the kernel" in completion.manual()  # what `man` breaks at any width


def test_every_option_and_command_is_completed() -> None:
    names = {name for name, _, _ in completion.options()}
    assert names >= set(re.findall(r"(?<=[ ,])--?[a-zA-Z][\w-]*(?=[\[ ,])", HELP)) - {"-c", "-m"} - {
        "--user",
        "--sys-prefix",
        "--tcp",
        "--stdio",
    }
    assert all(told and told != "runs a program" or name == "run" for name, told in completion.commands().items())
    for shell in completion.SHELLS:
        text = completion.completion([shell])
        assert all(name.lstrip("-") in text for name in [*names, *completion.commands()])
    with pytest.raises(UsageError, match="bash, zsh, fish"):
        completion.completion(["cmd"])


def completed(shell: list[str], program: str) -> list[str]:
    return subprocess.run([*shell, program], capture_output=True, text=True, cwd=ROOT, check=True).stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
def test_bash() -> None:
    asked = "; ".join(
        f'COMP_WORDS=({words}); COMP_CWORD={words.count(" ")}; _tensorsh; echo "${{COMPREPLY[@]}}"'
        for words in (
            "tensorsh --al",
            "tensorsh scripts/to",
            "tensorsh ex",
            "tensorsh completion z",
            "tensorsh test --bl",
        )
    )
    found = completed(["bash", "-c"], completion.bash() + asked)
    assert found == [
        "--allow-read",
        "--allow-write",
        "--allow-all",
        "--allow-import",
        "scripts/tour.tsr",
        "export",
        "zsh",
        "--bless",
    ]


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
@pytest.mark.parametrize(
    "words, found",
    [
        ("tensorsh a", ["a folder", "a program.tsr"]),
        ("tensorsh test ''", ["a folder", "a program.tsr"]),
        ("tensorsh --allow-read =", ["a folder", "a program.tsr", "notes.txt"]),
        ("tensorsh --allow-read = n", ["notes.txt"]),
        ("tensorsh --timeout ''", []),
    ],
)
def test_bash_keeps_names_with_spaces_together(tmp_path: Path, words: str, found: list[str]) -> None:
    (tmp_path / "a folder").mkdir()
    for name in ("a program.tsr", "notes.txt"):
        (tmp_path / name).touch()
    asked = f'COMP_WORDS=({words}); COMP_CWORD={words.count(" ")}; _tensorsh; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", completion.bash() + asked], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert sorted(filter(None, done.stdout.split("\n"))) == found


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
def test_fish() -> None:
    found = completed(
        ["fish", "--no-config", "-c"], completion.fish() + "complete -C 'tensorsh --bl'; complete -C 'tensorsh exp'"
    )
    assert {"--bless", "export"} <= set(found)


@pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh here")
def test_zsh_reads_it(tmp_path: Path) -> None:
    (tmp_path / "_tensorsh").write_text(completion.zsh())
    assert subprocess.run(["zsh", "-n", str(tmp_path / "_tensorsh")]).returncode == 0


def test_a_python_without_the_lock_is_refused() -> None:
    """The free-threaded build says so in its version."""
    code = "import sys; sys.version += ' free-threading build'; import tensorsh"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith(
        "ImportError: tensorsh needs a Python with the global"
    )


@pytest.mark.sources
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("avx avx2 bmi1 bmi2 f16c fma abm movbe xsave sse4_2", ["-DTENSORSH_HERE=3"]),
        (
            "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave avx512f avx512bw avx512cd avx512dq avx512vl",
            ["-DTENSORSH_HERE=4"],
        ),
        ("sse4_2 avx", []),
        (None, []),
    ],
)
def test_the_kernels_are_compiled_for_the_processor_at_hand(
    flags: str | None, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import build_kernels

    told = "processor : 0\n" + ("" if flags is None else f"flags\t\t: {flags}\n") + "bogomips : 1\n"
    monkeypatch.setattr(Path, "read_text", lambda self, *_: told)
    assert build_kernels.here() == expected


@pytest.mark.sources
def test_a_wheel_holds_its_modules_as_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which runs whatever time an installer gives the sources, and says where these lie now."""
    import build_kernels

    monkeypatch.setattr(build_kernels, "PACKAGE", ROOT / "tensorsh" / "command")
    made = build_kernels.bytecode(tmp_path / "made")
    assert {Path(place).name.partition(".")[0] for place in made.values()} == {
        path.stem for path in (ROOT / "tensorsh" / "command").glob("*.py")
    }
    for path, place in made.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / place)
    (tmp_path / "tensorsh" / "command" / "bytecode.py").write_text("1 / 0")
    program = "import tensorsh.command.bytecode as it; print(it.install.__code__.co_filename)"
    (tmp_path / "tensorsh" / "__init__.py").touch()
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == str(tmp_path / "tensorsh" / "command" / "bytecode.py") + "\n", done.stderr
