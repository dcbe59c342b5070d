"""What the example of each function gives on the meta device, where it runs there: dtypes, shapes, strides, refusals."""

from __future__ import annotations

import numpy
import torch

from tensorsh.engine.examples import examples

from ..support.forms import outcome
from .origin import write


def record() -> None:
    space = dict(vars(torch), torch=torch, np=numpy)
    write("meta", "meta", [[name, outcome(torch, example.code, space)] for name, example in examples().items()])
