"""The `gzip` module of programs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tensorsh.sandbox.files import Permissions
from tensorsh.session import Session

PROGRAM = """
import gzip
with gzip.open(path, "wb") as f:
    f.write(b"hello" * 1000)
with gzip.open(path, "ab") as f:
    f.write(b"more")
with gzip.open(path) as f:
    f.seek(4995)
    print(f.read())
with gzip.open(path, "wt", encoding="utf-8") as f:
    f.write("\\u00e9\\nb\\n")
    print("x", file=f)
with gzip.open(path, "rt", encoding="utf-8") as f:
    print(list(f))
print(gzip.decompress(gzip.compress(b"a", 1, mtime=0) + gzip.compress(b"b")))
for data in (b"abcdef", gzip.compress(b"abc" * 100)[:20], b""):
    try:
        print(gzip.decompress(data))
    except (OSError, EOFError) as error:
        print(type(error).__name__, error)
with open(path, "rb") as f, gzip.GzipFile(fileobj=f) as g:
    print(len(g.read()))
"""


def test_as_pythons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(PROGRAM, {"path": str(tmp_path / "python.gz")})
    expected = capsys.readouterr().out
    session = Session(Permissions(read=[str(tmp_path)], write=[str(tmp_path)]))
    session["path"] = str(tmp_path / "own.gz")
    session.run(PROGRAM)
    assert capsys.readouterr().out == expected
    assert gzip.open(tmp_path / "own.gz").read() == gzip.open(tmp_path / "python.gz").read()


def test_files_need_permission(tmp_path: Path) -> None:
    session = Session()
    with pytest.raises(PermissionError, match="reading .* needs --allow-read"):
        session.run(f"import gzip; gzip.open({str(tmp_path / 'a.gz')!r})")
    with pytest.raises(PermissionError, match="writing .* needs --allow-write"):
        session.run(f"gzip.open({str(tmp_path / 'a.gz')!r}, 'wb')")
    assert not list(tmp_path.iterdir())


def test_what_a_program_may_only_write_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"XYZ")
    Session(Permissions(write=[str(tmp_path)])).run(f"""
import gzip
with gzip.open({str(path)!r}, "ab") as f:
    f.write(b"more")
""")
    assert path.read_bytes()[:3] == b"XYZ" and gzip.decompress(path.read_bytes()[3:]) == b"more"


@pytest.mark.parametrize("name", ["open", "io.open", "Path.open"])
def test_no_program_packs_a_file(name: str, tmp_path: Path) -> None:
    session = Session(Permissions(write=[str(tmp_path)]))
    session.run("import io; from pathlib import Path")
    for way in ("pack", "unpack"):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            session.run(f"{name}(Path({str(tmp_path / 'a')!r}), 'ab', {way}=print)")
