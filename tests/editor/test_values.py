"""Values while a program is written: faults with the shapes of operands, hover, hints behind assignments."""

from __future__ import annotations

import pytest

PROGRAM = """\
x = randn(2, 3)
w = randn(5, 3)
def scaled(a, b=2):
    '''Some rows, scaled.'''
    c = a * b
    return c
for i in range(2):
    z = scaled(x[: i + 1])
y = x @ w
"""


@pytest.fixture(scope="module")
def text(editor):
    opened = editor.open(PROGRAM)
    opened.faults()
    return opened


def test_an_error_stands_at_its_place_with_the_shapes_of_its_operands(text):
    (fault,) = text.faults()
    assert fault.range.start.line == 8 and (fault.range.start.character, fault.range.end.character) == (4, 9)
    assert fault.message == (
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 5x3)\n"
        "x: float32[2, 3]  w: float32[5, 3]\n"
        "hint: inner sizes differ (3 and 5); did you mean `x @ w.T`?"
    )


def test_hints_stand_behind_what_is_bound(text):
    assert text.hints() == [
        (0, 1, ": float32[2, 3]"),
        (1, 1, ": float32[5, 3]"),
        (2, 12, ": float32[*, 3]"),
        (4, 5, ": float32[*, 3]"),
        (7, 5, ": float32[*, 3]"),
    ]


def test_hover_shows_dtype_and_shape_at_that_line(text):
    assert "x: float32[2, 3]" in text.hover(8, 4)
    assert "b: int = 2" in text.hover(4, 12)
    assert "def scaled(a, b=2)" in text.hover(7, 10) and "Some rows" in text.hover(7, 10)


def test_hover_shows_methods_and_functions_without_a_name(editor):
    text = editor.open(
        "class A:\n    def tick(self, by=2):\n        'One more.'\n        return by\nclass B:\n    def tick(self): pass\n"
        "    def tock(self): return 3\na = A(); a.tick(); B().tock()\nf = lambda q, r=1: q\nx = ones(2); x.relu()\n"
    )
    assert text.messages() == []
    told = "```python\ndef A.tick(self, by=2)\n```\n\nOne more.\n\n```python\ndef B.tick(self)\n```"
    assert told in text.hover(1, 9) and text.hover(7, 12) == "```python\na.tick(by=2)\n```\n\nOne more."
    assert "def B.tock(self)" in text.hover(7, 24)
    assert "f: function(q, r=1)" in text.hover(8, 0)
    assert "x.relu()" in text.hover(9, 16) and "The larger of each element and 0" in text.hover(9, 16)


def test_hover_shows_signature_and_words_of_the_library(text):
    said = text.hover(0, 6)
    assert "randn(*size, generator=None" in said and "normal distribution" in said


def test_a_name_that_is_bound_again_has_the_value_of_its_line(editor):
    text = editor.open("x = ones(2)\nx.sum()\nx = ones(3, 4)\nx = x.T\nx.sum()")
    assert text.messages() == []
    assert "float32[2]" in text.hover(1, 0) and "float32[4, 3]" in text.hover(4, 0)
    assert "float32[3, 4]" in text.hover(3, 4) and "float32[4, 3]" in text.hover(3, 0)


def test_attributes_that_a_method_sets_have_values(editor):
    text = editor.open(
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.w = nn.Parameter(ones(2, 3))\n"
        "    def forward(self, x):\n        return x @ self.w\nnet = Net()\nnet(ones(4, 2))"
    )
    assert text.messages() == []
    assert (3, 14, ": float32[2, 3]") in text.hints() and "self.w: float32[2, 3]" in text.hover(5, 24)


def test_a_half_built_object_is_looked_at_without_running_its_code(editor):
    text = editor.open(
        "class Half:\n    def __init__(self):\n        self.a = 1\n        self.b = ones(2)\n    def __repr__(self):\n"
        "        raise ValueError('asked')\n    def __getattr__(self, name):\n        raise ValueError('asked')\nh = Half()\n"
    )
    assert text.messages() == []
    assert "Half" in text.hover(8, 0) and "float32[2]" in text.hover(3, 14)


def test_what_is_no_program_is_told_and_values_stay(editor):
    text = editor.open("x = ones(2, 3)\ny = x.T\n")
    assert text.messages() == []
    text.change("x = ones(2, 3)\ny = x.T\nz = (x\n")
    assert text.messages() == ["2: '(' was never closed"]
    assert (0, 1, ": float32[2, 3]") in text.hints()


def test_names_and_arguments_that_cannot_be_are_told_also_where_nothing_runs(editor):
    text = editor.open(
        "def f(a, b):\n    return resahpe(a)\ndef g():\n    f(1)\n    f(1, 2, 3)\n    f(1, c=2)\n    zeros(2, dtyp=torch.int64)\n"
    )
    assert text.messages() == [
        "1: name 'resahpe' is not defined; did you mean `reshape`?",
        "3: f() missing 1 required argument: 'b'",
        "4: f() takes 2 positional arguments but 3 were given",
        "5: f() got an unexpected keyword argument 'c'",
        "6: zeros() got an unexpected keyword argument 'dtyp'; did you mean `dtype`?",
    ]


def test_names_that_a_module_of_the_library_lacks_are_told_also_where_nothing_runs(editor):
    text = editor.open(
        "import torch\nimport torch.nn.functional as F\ndef f(x):\n    y = torch.onse(2)\n    y = F.rleu(x)\n    y = torch.nn.Liner(2, 3)\n"
        "    return torch.linalg.norm(y), torch.special.expit(y), torch.utils.checkpoint, torch.cuda.is_available()\n"
    )
    assert text.messages() == [
        "3: module 'torch' has no attribute 'onse'; did you mean `ones`?",
        "4: module 'torch.nn.functional' has no attribute 'rleu'; did you mean `relu`?",
        "5: module 'torch.nn' has no attribute 'Liner'; did you mean `Linear`?",
    ]
    text = editor.open("a = torch.onse(2)\n")
    assert text.messages() == ["0: AttributeError: module 'torch' has no attribute 'onse'\nhint: did you mean `ones`?"]


def test_what_lint_finds_is_a_warning_as_one_types(editor):
    text = editor.open("p = ones(3, 1)\nt = ones(3)\nloss = ((p - t) ** 2).mean()\n")
    (said,) = text.messages()
    assert said.startswith("2: UserWarning: ") and "gives [3, 3]" in said


def test_errors_that_a_golden_file_expects_are_no_faults(editor):
    text = editor.open(
        "x = ones(2)\nx @ ones(3)\n#! RuntimeError: inconsistent tensor size[..]\nnothere\n#! [..]\ny = x + 1\n"
    )
    assert text.messages() == [] and (5, 1, ": float32[2]") in text.hints()


def test_columns_are_counted_in_units_of_utf_16(editor):
    assert editor.capabilities.position_encoding == "utf-16"
    text = editor.open("s = '\U0001f600é'; größe = ones(2); größe @ ones(3)\n")
    (fault,) = text.faults()
    assert fault.range.start.character == len("s = '  é'; größe = ones(2); ")
    assert text.hints() == [(0, 16, ": float32[2]")]
    assert "float32[2]" in text.hover(0, 13)


def test_lines_end_as_in_editors_only(editor):
    text = editor.open("s = 'a\u2028b\x0cc'\r\nx = ones(2)\r\ny = x @ ones(3)\r\n")
    assert text.faults()[0].range.start.line == 2 and text.hints() == [(1, 1, ": float32[2]")]


def test_python_files_that_import_torch_are_served_too(editor):
    text = editor.open("import torch\nx = torch.ones(2, 3)\nx @ x\n", "program.py")
    assert text.messages()[0].startswith("2: RuntimeError: mat1") and text.hints() == [(1, 1, ": float32[2, 3]")]
    assert editor.open("import os\nx = ones(3)\n", "other.py").faults(1) == []


def test_syntax_of_python_that_tensorsh_lacks_is_no_error(editor):
    text = editor.open("import torch\nasync def f():\n    pass\n", "program2.py")
    (fault,) = text.faults()
    assert fault.severity == 3 and "tensorsh does not have" in fault.message
