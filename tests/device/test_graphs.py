"""CUDA graphs: what is asked of CuPy, and what is refused in PyTorch's words. Their results need a GPU (test_cuda.py)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensorsh import torch

from . import standin


@pytest.fixture(autouse=True)
def cuda() -> Iterator[None]:
    with standin.installed():
        yield


def captured() -> tuple:
    x = torch.ones(3, device="cuda")
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        assert torch.cuda.is_current_stream_capturing()
        y = x * 2
    assert not torch.cuda.is_current_stream_capturing()
    return g, y


def test_a_replay_is_one_launch() -> None:
    g, _ = captured()
    before = standin.Graph.launches
    g.replay()
    g.replay()
    assert standin.Graph.launches == before + 2
    g.reset()
    with pytest.raises(RuntimeError, match="Called CUDAGraph::replay without a preceding successful capture."):
        g.replay()


def test_graphs_share_memory_by_its_handle() -> None:
    handle = torch.cuda.graph_pool_handle()
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    for g, pool in ((first, handle), (second, first)):
        with torch.cuda.graph(g, pool=pool if pool is handle else pool.pool()):
            torch.ones(2, device="cuda")
    assert first.pool() == second.pool() == handle != torch.cuda.graph_pool_handle()
    with (
        pytest.raises(RuntimeError, match="no memory pool of that handle"),
        torch.cuda.graph(torch.cuda.CUDAGraph(), pool=(0, 10**6)),
    ):
        pass


WRONG = {
    "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)": (
        "torch.cuda.CUDAGraph().capture_begin()"
    ),
    "Called CUDAGraph::replay without a preceding successful capture.": "torch.cuda.CUDAGraph().replay()",
    "Called CUDAGraph::pool() without a preceding successful capture.": "torch.cuda.CUDAGraph().pool()",
    "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got x": (
        "torch.cuda.CUDAGraph().capture_begin(capture_error_mode='x')"
    ),
}  # fmt: skip
"""What PyTorch says on a GPU."""


@pytest.mark.parametrize("words", WRONG)
def test_refused(words: str) -> None:
    with pytest.raises(RuntimeError) as refused:
        eval(WRONG[words], {"torch": torch})
    assert str(refused.value) == words


def test_steps_that_count_on_the_host_are_not_captured() -> None:
    p = torch.ones(2, device="cuda", requires_grad=True)
    p.grad = torch.ones(2, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        torch.optim.SGD([p], lr=0.1).step()
        with pytest.raises(RuntimeError) as refused:
            torch.optim.Adam([p]).step()
        with pytest.raises(RuntimeError, match="call step\\(\\) after replay\\(\\)"):
            torch.optim.Adam([p], capturable=True).step()
    words = "Attempting CUDA graph capture of step() for an instance of Adam but param_groups' capturable is False."
    assert str(refused.value) == words


def test_an_error_ends_the_capture() -> None:
    g = torch.cuda.CUDAGraph()
    with pytest.raises(ZeroDivisionError), torch.cuda.graph(g):
        raise ZeroDivisionError
    assert not torch.cuda.is_current_stream_capturing()
    assert torch.cuda.current_stream() == torch.cuda.default_stream()


def test_random_numbers_go_on_at_each_replay() -> None:
    torch.manual_seed(3)
    g = torch.cuda.CUDAGraph()
    torch.rand(4, device="cuda")
    with torch.cuda.graph(g):
        torch.rand(4, device="cuda")
        torch.rand(4, device="cuda")
    offsets = []
    for _ in range(3):
        offsets.append(int(torch.cuda.get_rng_state().view(torch.int64)[1]))
        g.replay()
    assert offsets == [4, 12, 20]


def test_callables_are_cuda_functions_of_tensors() -> None:
    with pytest.raises(TypeError, match="must be CUDA tensors"):
        torch.cuda.make_graphed_callables(torch.nn.Linear(2, 2), (torch.ones(2),))
    model = torch.nn.Linear(2, 2).cuda()
    graphed = torch.cuda.make_graphed_callables(model, (torch.ones(3, 2, device="cuda"),))
    assert graphed is model and model(torch.ones(3, 2, device="cuda")).grad_fn is not None
