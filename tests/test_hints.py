"""Hints that need a session: layers that refuse their input, names of modules, names that people know from elsewhere."""

from __future__ import annotations

import pytest

from tensorsh import Session

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.fc = nn.Linear(7200, 10)
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(5))
        self.words = nn.Embedding(3, 4)
    def forward(self, x):
        return self.fc(x.flatten(1))
net = Net()
"""


def hint(source: str, before: str = "") -> str:
    session = Session()
    session.run(before)
    with pytest.raises(Exception) as caught:
        session.run(source)
    return session.diagnose(caught.value).partition("hint: ")[2]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "net(ones(2, 2, 52, 52))",
            "`self.fc`: in_features is 7200, this input has 5408; `nn.Linear(5408, 10)` would fit",
        ),
        (
            "torch.tensor([1], requires_grad=True)",
            "write the numbers with a point (`1.`) or give `dtype=torch.float32`",
        ),
        ("net.conv(ones(2, 2, 5, 5))", "`net.conv`: in_channels is 3, this input has 2"),
        (
            "net.conv(ones(2, 9, 9, 3))",
            "`net.conv`: in_channels is 3, this input has 9; channels come before height and width: `.movedim(-1, 1)` "
            "puts them there",
        ),
        ("net.conv(ones(2, 5, 5))", "`net.conv`: in_channels is 3, this input has 2"),
        ("net.body(ones(2, 3))", "`net.body[2]`: normalized_shape is [5], this input ends in [4]"),
        ("net.words(tensor([3]))", "`net.words`: num_embeddings is 3, so that indices are 0 to 2"),
        ("nn.BatchNorm1d(4)(ones(2, 3))", "`nn.BatchNorm1d`: num_features is 4, this input has 3"),
        ("nn.LSTM(3, 4)(ones(2, 2, 2))", "`nn.LSTM`: input_size is 3, this input has 2"),
        ("nn.GroupNorm(2, 4)(ones(1, 2, 3))", "`nn.GroupNorm`: num_channels is 4, this input has 2"),
        (
            "nn.TransformerEncoderLayer(8, 2)(ones(2, 2, 4))",
            "`nn.MultiheadAttention`: embed_dim is 8, this input has 4",
        ),
    ],
)
def test_a_layer_that_does_not_fit_is_named(source: str, said: str) -> None:
    assert hint(source, NET) == said


def test_a_layer_of_a_program_runs_nothing_while_it_is_explained() -> None:
    """Its tables and attributes are looked at, never asked."""
    program = NET + (
        "class Table(dict):\n"
        "    def items(self): print('asked'); return []\n"
        "class Loud(nn.Module):\n"
        "    def __getattr__(self, name): print('asked'); return 3\n"
        "    def forward(self, x): return net(x)\n"
        "loud = Loud()\n"
    )
    import io

    out = io.StringIO()
    session = Session(stdout=out)
    session.run(program)
    with pytest.raises(RuntimeError) as caught:
        session.run("loud(ones(2, 2, 52, 52))")
    before = out.getvalue()
    assert "`self.fc`: in_features" in session.diagnose(caught.value)
    assert out.getvalue() == before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nn.Lin(3, 4)", "did you mean `Linear`"),
        ("from torch.nn import Lin", "did you mean `Linear`"),
        ("import nump", "did you mean `numpy`"),
        ("import shelve", "`torch.save`, `torch.load` and `pickle` keep tensors and other values"),
        ("import ctypes", "a program reaches no memory but its tensors'"),
        ("import subprocess", "a program starts no processes"),
        ("import sqlite3", "of Python's own modules programs import those that lead to no files"),
        ("import requests", "programs import torch, numpy, tqdm, some of Python's own modules"),
        ("import matplotlib.pyplot as plt", "`plot` and `hist` draw in the terminal; programs import torch, numpy"),
        ("from sklearn.datasets import load_iris", "`from tensorsh import datasets` has small sets of data; programs"),
        ("ones(3).lenght", "a tensor has `len(x)` for the size of its first dimension"),
        ("ones(3).astype(int)", "a tensor has `x.to(dtype)`"),
        ("ones(3).copy()", "a tensor has `x.clone()` for a copy"),
        ("torch.append(ones(3), 1)", "did you mean `cat`?"),
        ("from torch import nm", "PyTorch has no such name either"),
        ("tensor(1, 2, 3)", "the numbers stand in a list: `tensor([1, 2, 3])`"),
        ("nn.Parameter([1., 2.])", "`torch.tensor(...)` makes a tensor of a list"),
        (
            "optim.SGD(nn.Linear(2, 2).parameters, 0.1)",
            "`nn.Linear(2, 2).parameters` is a function: `nn.Linear(2, 2).p",
        ),
        ("zeros(2, 3).size[0]", "`zeros(2, 3).size` is a function: `zeros(2, 3).size()` calls it"),
        (
            "ones(2) @ ones(2).double()",
            "`.float()`, `.long()` and `.to(dtype)` give one of them the dtype of the other",
        ),
        ("nn.BCELoss()(tensor(2.), tensor(1.))", "`torch.sigmoid` makes probabilities of scores"),
        ("nn.BatchNorm1d(2)(ones(1, 2))", "one example has no spread; `net.eval()` takes what training has seen"),
        (
            "nn.CrossEntropyLoss()(ones(2, 3), tensor([[1], [2]]))",
            "a target holds one number of a class for each example",
        ),
        ("class N(nn.Module):\n    def foward(self, x): return x\nN()(1)", "`N` has `foward`: is `forward` meant?"),
        ("x = ones(3)\nx.sqrt + 1", "`x.sqrt` is a function: `x.sqrt()` calls it"),
        ("x = ones(3)\n1 + x.sqrt", "`x.sqrt` is a function: `x.sqrt()` calls it"),
        ("x = ones(1)\n'loss ' + x.item", "`x.item` is a function: `x.item()` calls it"),
        ("x = ones(1)\nf'{x.item:.2f}'", "`x.item` is a function: `x.item()` calls it"),
        ("x = ones(1)\nround(x.item, 2)", "`x.item` is a function: `x.item()` calls it"),
        ("x = ones(1)\n'%.2f' % x.item", "`x.item` is a function: `x.item()` calls it"),
        ("x = ones(1)\nsqrt(x.abs)", "`x.abs` is a function: `x.abs()` calls it"),
        ("x = ones(3)\nx.detach.numpy()", "`x.detach` is a function: `x.detach()` calls it"),
        ("with torch.no_grad:\n    pass", "`torch.no_grad` is a class: `torch.no_grad()` makes an object of it"),
        ("HTML('<b>')", "`from IPython.display import HTML` brings it"),
        ("random.seed(0)", "`random` is torch's here: `import random` brings Python's"),
        ("class N(nn.Module):\n    def forward(x): return x\nN()(1)", "a method is given its object first: `def"),
        (
            "class N:\n    def _init_(self): self.a = 1\nN().a",
            "the class has `_init_`, which nobody calls: is `__init__`",
        ),
        (
            "class N:\n    def __init__(self): self.fc = 1\n    def f(self): return fc\nN().f()",
            "did you mean `self.fc`?",
        ),
        ("out = nn.LSTM(3, 4)(ones(5, 3))\nnn.Linear(4, 1)(out)", "`out` holds several values: `out[0]` is the first"),
        ("nn.L1Loss(ones(2), ones(2))", "`nn.L1Loss` is a class: `nn.L1Loss()(ones(2), ones(2))` makes a layer of it"),
        (
            "nn.Sequential(nn.Conv2d(1, 8, 3), nn.Linear(8, 10))(ones(4, 1, 28, 28))",
            "`nn.Linear`: in_features is 8, this input has 26; `nn.Flatten()` or `x.flatten(1)` makes rows of 5408 of [4, 8, "
            "26, 26]; `nn.Linear(5408, 10)` would fit",
        ),
        (
            "nn.Linear(6, 1)(ones(4, 2, 3))",
            "`nn.Linear`: in_features is 6, this input has 3; `nn.Flatten()` or `x.flatten(1)` makes rows of 6 of [4, 2, 3]",
        ),
        ("nn.ModuleList([nn.ReLU()])(ones(1))", "a ModuleList holds layers, which `forward` calls one by one"),
        ("len(nn.ReLU().parameters())", "`list(...)` makes a list of it, which has places and a length"),
        (
            "nn.Linear(1, 1).weight = ones(1, 1)",
            "`nn.Parameter(...)` makes one; `with torch.no_grad(): net.weight.copy_(",
        ),
        ("c = nn.MSELoss()\nc.backward()", "`backward` is the loss's, a tensor"),
        ("a = np.ones(1)\na.backward()", "numpy's arrays have no gradients"),
        (
            "nn.CrossEntropyLoss()(ones(1, 2), tensor([[1, 0]]))",
            "`.float()` makes probabilities of it; a target of class",
        ),
        ("def f(): pass\ny = f()\ny + 1", "`y` is None; a function without `return` gives that"),
        ("x = ones(1)\nx.grad()", "`x.grad` is None until `backward()` has run"),
        (
            "x = ones(1, requires_grad=True)\ny = x * 2\ny.grad.sum()",
            "`y` was computed: `y.retain_grad()` before `backward()` keeps",
        ),
        ("nn.Module()(1)", "the class defines `forward(self, x)`, which `net(x)` calls"),
        ("ones(3).shap", "did you mean `shape`?"),
        ("[1].length", "did you mean `len(...)`?"),
        ("lenght([1])", "did you mean `len(...)`?"),
        ("torch.nn.functional.crossentropy", "did you mean `cross_entropy`"),
        ("from torch.utils.tensorboard import SummaryWriter", "tensorsh has no such part of PyTorch; `plot`, `hist`"),
        ("import torch.utils.benchmark", "torch.utils.benchmark is there in plain Python alone"),
        ("import torch.fx", "torch.fx is there in plain Python alone"),
        ("torch.fx.Graph()", "torch.fx is there in plain Python alone"),
        (
            "from torch.utils.checkpoint import create_selective_checkpoint_contexts",
            "torch.utils.checkpoint.create_selective_checkpoint_contexts is there in plain",
        ),
        (
            "import torch.utils.checkpoint as c\nc.CheckpointPolicy",
            "torch.utils.checkpoint.CheckpointPolicy is there in plain",
        ),
        ("vmap(lambda a: a if a > 0 else -a)(ones(2))", "all slices are computed at once, so no branch can"),
    ],
)
def test_what_was_meant(source: str, said: str) -> None:
    assert hint(source).startswith(said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "torch.Tensor.sub_",
            "`sub` in place: the tensor itself is written and returned.\n\n``input - alpha * other``",
        ),
        ("x.clone", ">>> clone("),
        ("torch.Tensor.sum", ">>> torch.sum("),
        ("torch.tensor", "\nIntegers give int64"),
        ("x.detach", ">>> detach("),
        ("nn.init.zeros_", ">>> nn.init.zeros_("),
    ],
)
def test_help_tells_in_full(name: str, said: str) -> None:
    session = Session()
    session.run("x = ones(2)")
    found = session.inspect(name)
    assert found is not None and found.kind == "function" and said in found.doc


def test_an_example_is_not_that_of_a_function_of_the_programs() -> None:
    session = Session()
    session.run("def relu(x):\n    'mine'\n    return x")
    found = session.inspect("relu")
    assert found is not None and found.doc == "mine"


def test_explanations_break_between_words_on_a_narrow_terminal(monkeypatch) -> None:
    import io

    from tensorsh.display.terminal import at_words

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "40")
    source = "  --> <string>:1:1\n1 | " + "x" * 20 + " + " * 9 + "\n    " + "^" * 40
    said = (
        "RuntimeError: no "
        + "words " * 8
        + "\n"
        + source
        + "\nhint: programs import torch, numpy, tqdm and `a_name_of_many_letters` too"
    )
    shown = at_words(said, Terminal()).split("\n")
    assert shown[:2] == ["RuntimeError: no words words words words", "words words words words"]
    assert shown[2:5] == source.split("\n")  # the program's text is as it was written
    assert shown[5:] == ["hint: programs import torch, numpy, tqdm", "      and `a_name_of_many_letters` too"]
    assert at_words(said, io.StringIO()) == said
    coloured = at_words("\x1b[32mhint: \x1b[0m" + "word " * 12, Terminal()).split("\n")
    assert coloured[0].startswith("\x1b[32mhint: \x1b[0mword") and max(map(len, coloured)) <= 40 + 9


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "nn.Linear(3, 4)(arange(3))",
            "`nn.Linear`: its weight is float32, this input is int64; `.to(torch.float32)` converts it",
        ),
        (
            "nn.Conv2d(1, 2, 3)(ones(1, 1, 5, 5).double())",
            "`nn.Conv2d`: its weight is float32, this input is float64; `.to(torch.float32)` converts it",
        ),
        ("nn.Embedding(3, 4)(ones(2))", "`nn.Embedding`: indices are whole numbers; `.long()` makes them of others"),
        (
            "nn.CrossEntropyLoss()(randn(2, 3), tensor([0., 1.]))",
            "numbers of classes are whole; `target.long()` converts it",
        ),
        ("nn.BCELoss()(rand(2), tensor([0, 1]))", "target and input need one dtype; `target.float()` converts it"),
        (
            "nn.CrossEntropyLoss()(randn(2, 3), tensor([0, 5]))",
            "classes are numbered from 0: class 5 needs scores for 6 classes or more",
        ),
    ],
)
def test_what_has_another_type_or_class_is_converted(source: str, said: str) -> None:
    assert hint(source) == said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("true", "did you mean `True`?"),
        ("math.squareroot(2)", "did you mean `sqrt`?"),
        ("ln(2)", "did you mean `log`?"),
        ("time.time()", "`import time` brings it"),
        ("F.relu(ones(2))", "`import torch.nn.functional as F` brings it"),
        ("DataLoader([1])", "`from torch.utils.data import DataLoader` brings it"),
        ("nn.functional.softmax(ones(2), axis=0)", "did you mean `dim`?"),
        ("ones(3).mean(axes=0)", "did you mean `dim`?"),
        ("ones(2, dtype='float32')", "a dtype is written without quotes, as in `dtype=torch.float32`"),
        ("ones(2).to('gpu')", "did you mean `cuda`?"),
        ("[1, 2].shape", "`torch.tensor(...)` makes a tensor of a list"),
        (
            "ones(2, requires_grad).grad.zero_()",
            "`ones(2, requires_grad).grad` is None until `backward()` has run on something that was computed from it",
        ),
        ("optim.SGD(nn.Linear(2, 2), lr=0.1)", "an optimizer takes parameters: `nn.Linear(2, 2).parameters()`"),
        ("nn.Linear(2, 2).load_state_dict({'weigth': 1})", "`weigth` is like `weight`, which is missing"),
        (
            "nn.Linear(2, 2).load_state_dict({'module.weight': ones(2, 2), 'module.bias': ones(2)})",
            'a parallel module wrote these names: `{name.removeprefix("module."): value for name, value in state.items()}`',
        ),
        ("arange(3).mean()", "whole numbers have no mean here; `.float()` in front of it converts them"),
        ("ones(2).item()", "`.tolist()` gives all numbers; an index, `.sum()` or `.mean()` make one of them"),
        (
            "class Net(nn.Module):\n    def __init__(self):\n        self.a = nn.ReLU()\n\nNet()",
            "`__init__` of a module begins with `super().__init__()`",
        ),
        (
            "f(x)?",
            "'name?' or 'name.part?' as a whole entry is explained at the prompt.",
        ),
        ("$ tensorsh", "What stands behind a $ at the beginning of a line is a command for another terminal."),
        ("x = a ? b : c", "Write 'a if condition else b' instead of 'condition ? a : b'."),
        ("// x", "A comment begins with '#'."),
        ("x => 3", "Write '>=' instead of '=>'."),
        ("func f(x): pass", "Write 'def' instead of 'func'."),
        ("for i in 1..10: pass", "Write 'range(1, 10)'."),
        ("let x = 3", "Nothing is declared: write x = ..."),
        ("switch x:\n    pass", "Write 'match' instead of 'switch'."),
        ("%foo", "Commands that begin with % are the shell's and notebooks'."),
        ("Flase", "did you mean `False`?"),
        ("null", "did you mean `None`?"),
        ("randn(2, grad=True)", "did you mean `requires_grad`?"),
        ("randn(2, dtyp=float32)", "did you mean `dtype`?"),
        ("randn(2, dtype='float32')", "a dtype is written without quotes, as in `dtype=torch.float32`"),
        (
            "nn.Sequential([nn.ReLU()])",
            "the modules of a list are given one by one with a star, as in `nn.Sequential(*layers)`",
        ),
    ],
)
def test_constants_keywords_and_forms_of_other_languages(source: str, said: str) -> None:
    assert hint(source) == said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x.size[0]", "`x.size` is a function, which round brackets call: `x.size(0)`"),
        ("torch.rand[2, 3]", "`torch.rand` is a function, which round brackets call: `torch.rand(2, 3)`"),
        ("net.parameters()[0]", "`list(...)` makes a list of it, which has places and a length"),
        ("x.shape(0)", "`x.shape` is a value; square brackets take a part of it: `x.shape[0]`"),
        ("x(0)", "`x` is a value; square brackets take a part of it: `x[0]`"),
        ("for i in len(x):\n    pass", "`range(n)` counts from 0 to n - 1"),
        ("optim.SGD(net.parameters, lr=1)", "`net.parameters` is a function: `net.parameters()` calls it"),
        ("optim.SGD(net, lr=1)", "an optimizer takes parameters: `net.parameters()`"),
        ("nn.MSELoss(x, x)", "`nn.MSELoss` is a class: `nn.MSELoss()(x, x)` makes a layer of it and calls that"),
        ("nn.Sequential(net, nn.ReLU)", "`nn.ReLU` is a class: `nn.ReLU()` makes a layer of it"),
        ("nn.Sequential(net, torch.relu)", "`torch.relu` is a function; `nn.ReLU()` is a layer of it"),
        ("torch.cat(x, x)", "the tensors stand in a list: `torch.cat([x, x])`"),
        ("net([1., 2., 3.])", "`torch.tensor(...)` makes a tensor of it"),
        ("net(np.ones(3))", "`torch.from_numpy(...)` makes a tensor of it"),
        ("'x ' + x", '`f"... {value}"` writes a value into a text'),
        ("f'{x:.2f}'", "such a format is for one number; `torch.set_printoptions(precision=2)` is for tensors"),
        ("x.long().softmax(0)", "`.float()` in front of it makes floating-point numbers of whole ones"),
        ("x.masked_fill(x, 0)", "a comparison makes a mask, as in `x > 0`; `.bool()` makes one of numbers"),
        (
            "arange(3).add_(.5)",
            "what is written in place keeps its dtype, here one of whole numbers; begin with `1.` or `.float()`",
        ),
        (
            "nn.BCEWithLogitsLoss()(ones(2, 1), ones(2))",
            "`.squeeze(-1)` takes the last dimension off the input, `.unsqueeze(-1)` gives the target one",
        ),
        ("nn.Conv2d(3, 8, 3)(ones(9, 9))", "channels come first: `x[None]` is an image of one channel"),
        ("Linear(2, 3)", "did you mean `nn.Linear`?"),
        ("{'a': int}['type']", ""),
        ("int.type", ""),
        ("torch.Adam([x])", "it is `torch.optim.Adam`"),
    ],
)
def test_a_value_in_the_place_of_another(source: str, said: str) -> None:
    assert hint(source, "x = ones(4, 3); net = nn.Linear(3, 2)") == said
