"""The benchmarks' gate names what fell and nothing else; the sweep knows a call of nearly every operator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import gate, loader, sweep
from benchmarks.cases import Case


def told(monkeypatch: pytest.MonkeyPatch, path: Path, times: dict[str, dict]) -> tuple[str, bool]:
    monkeypatch.setattr(gate, "measure", lambda case, *_, of: times[case.name])
    return gate.Gate(path).run([Case(name, "", "") for name in times], {}, 1, 0.1)


def test_against_a_checkout_the_two_versions_are_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    times = {
        "fell": {"tensorsh": 2.0, "before": 1.0},
        "noise": {"tensorsh": 1.05, "before": 1.0},
        "new": {"tensorsh": 1.0, "before": "AttributeError"},
    }
    text, fell = told(monkeypatch, tmp_path, times)
    assert fell and "| fell | 0.50 |" in text and "noise" not in text and "2 rows compared" in text
    assert told(monkeypatch, tmp_path, {"noise": times["noise"]})[1] is False


def test_against_an_earlier_run_a_slower_machine_does_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = {name: {"tensorsh": 1.0, "torch": 2.0} for name in ("same", "fell")} | {
        "numpy's": {"tensorsh": 1.0, "numpy": 1.0}
    }
    (tmp_path / "rows.json").write_text(json.dumps({"machine": "", "rows": rows}), encoding="utf-8")
    times = {
        "same": {"tensorsh": 3.0, "torch": 6.0},
        "fell": {"tensorsh": 3.0, "torch": 3.0},
        "numpy's": {"tensorsh": 3.0, "numpy": 1.5},
        "unknown": {"tensorsh": 3.0, "torch": 0.1},
    }
    text, fell = told(monkeypatch, tmp_path / "rows.json", times)
    assert fell and "| fell | 0.50 |" in text and "| numpy's | 0.50 |" in text
    assert "same" not in text and "unknown" not in text


def test_the_sweep_has_a_row_for_nearly_every_operator() -> None:
    found = sweep.expressions()
    assert len(found) > 650 and sum(differentiable for _, differentiable in found.values()) > 450
    for name in (
        "add",
        "conv2d",
        "softmax",
        "sort",
        "fft.fft",
        "linalg.svd",
        "nn.functional.cross_entropy",
        "Tensor.expand",
    ):
        assert name in found, name


def test_a_loader_that_took_no_time_of_the_processors_has_no_ratio() -> None:
    assert (loader.ratio(3.0, 1.5), loader.ratio(3.0, 0.0).strip()) == ("  2.00", "-")
