"""`traceback`, `sys.exc_info` and the errors in a log: what Python itself says of the same programs."""

import io
import subprocess
import sys

import pytest

from tensorsh import Session

CHAINED = """
import traceback
def f(x):
    return 1 / x
def g(x):
    try:
        return f(x)
    except ZeroDivisionError as e:
        raise ValueError("wrong") from e
try:
    g(0)
except Exception as e:
    print(traceback.format_exc())
    print(traceback.format_exc(limit=1))
    print(traceback.format_exception_only(e), traceback.format_exception_only(type(e), e))
    traceback.print_exception(e, file=sys.stdout, chain=False)
"""
PROGRAMS = {
    "chained": CHAINED,
    "in the midst of another": """
try:
    try: undefined
    finally: [][1]
except IndexError: print(traceback.format_exc())
traceback.print_exc(file=sys.stdout)
""",
    "several lines": """
try:
    max(
        1,
        int("x"),
    )
except Exception: print(traceback.format_exc())
""",
    "characters of many bytes": """
try:
    "äöü" + 1
except TypeError: print(traceback.format_exc())
""",
    "of the program": """
class Mine(Exception):
    def __str__(self): return "first\\nsecond"
try: raise Mine
except Mine: print(traceback.format_exc())
e = KeyError("a"); e.add_note("a note"); print("".join(traceback.format_exception(e)))
""",
    "a group": """
try: raise ExceptionGroup("several", [ValueError(1), TypeError(2)])
except ExceptionGroup: traceback.print_exc(file=sys.stdout)
""",
    "of a log": """
import logging
logging.basicConfig(stream=sys.stdout)
try: 1 / 0
except Exception as e:
    logging.exception("bad %d", 3); logging.error("x", exc_info=True); logging.warning("y", exc_info=e)
""",
    "what is handled": """
print(sys.exc_info())
try: 1 / 0
except Exception: print(sys.exc_info()[:2])
print(sys.exc_info())
""",
    "no error": """
try: traceback.print_exception(3)
except TypeError as e: print(e)
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_as_python_says_it(program: str) -> None:
    text = "import sys, traceback\n" + program
    code = f"exec(compile({text!r}, 'program', 'exec'))"
    lines = {"PYTHONPATH": "", "PYTHONIOENCODING": "utf-8"}
    prime = f"import linecache; linecache.cache['program'] = (1, None, {text.splitlines(keepends=True)!r}, 'program'); "
    expected = subprocess.run(
        [sys.executable, "-c", prime + code], capture_output=True, text=True, encoding="utf-8", env=lines, check=True
    ).stdout
    # Python's own first frame is that of the command.
    expected = expected.replace('  File "<string>", line 1, in <module>\n', "").replace(
        '  |   File "<string>", line 1, in <module>\n', ""
    )
    out = io.StringIO()
    Session(stdout=out).run(text, filename="program")
    assert out.getvalue() == expected


def test_an_error_that_names_a_module_imports_none() -> None:
    name = "wsgiref.simple_server"  # which nothing here imports
    sys.modules.pop(name, None)
    Session().run(f"""
import traceback
try:
    error = ImportError("x", name="{name}", name_from="y")
except TypeError:
    error = ImportError("x", name="{name}")
try:
    raise ValueError(1) from error
except ValueError:
    assert "ImportError: x" in traceback.format_exc()
""")
    assert name not in sys.modules
