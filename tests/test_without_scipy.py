"""Everything but some special functions and decompositions works where scipy is not installed; those say what to install."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import importlib.util, json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name.partition(".")[0] == "scipy" else spec(name, package)

from tensorsh import Session
from tensorsh.engine.examples import examples
from tensorsh.golden.document import matches
import io, warnings
warnings.simplefilter("ignore")
lacking, wrong = {}, []
for name, example in examples().items():
    out = io.StringIO()
    session = Session(stdout=out)
    try:
        value = session.run("\\n".join(example.code))
        if value is not None:
            out.write(session.text(value))
    except Exception as error:
        lacking[name] = f"{type(error).__name__}: {error}"
        continue
    if not matches(example.output, out.getvalue().rstrip("\\n").split("\\n")) and example.output:
        wrong.append(name)
programs = []
for program in json.loads(sys.argv[1]):
    try:
        session = Session()
        session.run(program)
        programs.append("")
    except Exception as error:
        programs.append(session.diagnose(error))
print(json.dumps([lacking, wrong, programs, "scipy" in sys.modules]))
"""
WORDS = "ModuleNotFoundError: this needs scipy, which is not there: pip install scipy"
LACKING = set(
    """
    igamma igammac linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve polygamma special.zeta
    """.split()
)
"""The examples that need it."""
PROGRAMS = [
    "net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))\n"
    "opt = torch.optim.AdamW(net.parameters())\nloss = nn.CrossEntropyLoss()(net(randn(5, 4)), tensor([0, 1, 0, 1, 1]))\n"
    "loss.backward()\nopt.step()",
    "nn.TransformerEncoderLayer(8, 2, batch_first=True)(randn(2, 3, 8)).sum().backward()",
    "x = randn(4, 4); torch.linalg.solve(x, x); torch.linalg.svd(x); torch.linalg.eigh(x @ x.T); torch.linalg.qr(x)",
    "d = torch.distributions.Normal(0., 1.); d.cdf(tensor(1.)); d.log_prob(tensor(0.)); torch.distributions.Gamma(1., 1.).sample()",
    "torch.fft.fft(randn(8)); torch.stft(randn(64), 16, return_complex=True)",
]


def test_examples_and_programs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(PROGRAMS)],
        capture_output=True, text=True, cwd=Path(__file__).parents[1], timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lacking, wrong, programs, loaded = json.loads(done.stdout)
    assert not loaded and wrong == [] and programs == [""] * len(PROGRAMS)
    assert set(lacking.values()) <= {WORDS}
    assert sorted(lacking) == sorted(LACKING)
