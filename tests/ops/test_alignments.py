"""The loss of connectionist temporal classification, against the sum over all alignments, one by one."""

from itertools import product

import numpy as np
import pytest

from tensorsh import torch
from tensorsh.engine.ops.losses import likelihood

F = torch.nn.functional


def collapsed(path, blank):
    """The labels of an alignment: repeated ones once, without blanks."""
    return [label for k, label in enumerate(path) if label != blank and (k == 0 or label != path[k - 1])]


def expected(log_probs, targets, steps, blank):
    """The loss of one sample, and its slopes by all logarithms of probabilities."""
    total, slopes = 0.0, np.zeros(log_probs.shape)
    for path in product(range(log_probs.shape[1]), repeat=steps):
        if collapsed(path, blank) == list(targets):
            likelihood = np.exp(sum(log_probs[t, label] for t, label in enumerate(path)))
            total += likelihood
            for t, label in enumerate(path):
                slopes[t, label] -= likelihood
    return -np.log(total), slopes / total


@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_loss_is_that_of_all_alignments(dtype, blank):
    torch.manual_seed(0)
    x = torch.randn(5, 4, 3, dtype=dtype).log_softmax(-1)
    labels = [label for label in range(3) if label != blank]
    targets = torch.tensor([[labels[0], labels[1]], [labels[1], labels[1]], [labels[0], 0], [0, 0]])
    steps, lengths = [5, 4, 3, 5], [2, 2, 1, 0]
    x.requires_grad_()
    losses = F.ctc_loss(x, targets, steps, lengths, blank, "none")
    losses.sum().backward()  # what PyTorch calls the gradient: by what a log_softmax is taken of
    slopes = x.grad - x.detach().exp()
    for n, (count, length) in enumerate(zip(steps, lengths, strict=True)):
        loss, slope = expected(x.detach().double().numpy()[:, n], targets[n, :length].tolist(), count, blank)
        assert float(losses[n].detach()) == pytest.approx(loss, rel=1e-6)
        np.testing.assert_allclose(slopes[:count, n].numpy(), slope[:count], atol=2e-6)
        assert not x.grad[count:, n].any()
    joined = torch.cat([targets[n, :length] for n, length in enumerate(lengths)])
    assert torch.equal(F.ctc_loss(x, joined, steps, lengths, blank, "none"), losses)


def test_kernel_and_formula_agree():
    torch.manual_seed(1)
    x = torch.randn(30, 5, 12).log_softmax(-1)._array
    targets = torch.randint(1, 12, (5, 9))._array
    given = ([30, 29, 1, 0, 12], [9, 3, 0, 2, 9])
    forward = np.empty(30 * 5 * (2 * 9 + 5))
    losses = likelihood.alignments(x, targets, np.array(given), 0, forward)
    if losses is None:
        pytest.skip("no compiled kernels")
    found = losses, likelihood.alignment_slopes(x, targets, np.array(given), 0, forward, False)
    assert likelihood.alignments(x, targets, np.array(given), 0, forward[1:]) is None
    assert likelihood.alignment_slopes(x, targets, np.array(given), 0, forward[1:], False) is None
    plain = likelihood.summed_alignments(x, targets, *given, 0)
    for a, b in zip(found, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_label_that_is_no_class_is_refused():
    x = torch.zeros(4, 1, 3).log_softmax(-1)
    for label in (3, -1, 2**40):
        with pytest.raises(IndexError, match="out of bounds"):
            F.ctc_loss(x, torch.tensor([[1, label]]), [4], [2])
    assert float(F.ctc_loss(x, torch.tensor([[1, 9]]), [4], [1])) > 0  # beyond the labels that count


def test_likelihoods_of_zero_have_no_slopes_if_wanted():
    x = torch.zeros(3, 2, 4, dtype=torch.float64).log_softmax(-1).requires_grad_()
    targets = torch.tensor([[1, 1, 2], [1, 2, 3]])  # the first needs four steps
    losses = F.ctc_loss(x, targets, [3, 3], [3, 3], reduction="none", zero_infinity=True)
    losses.sum().backward()
    assert losses.tolist()[0] == 0 and not x.grad[:, 0].any() and x.grad[:, 1].any()


def test_what_is_kept_for_the_gradient_holds_nothing_of_others():
    x = torch.zeros(10, 1, 5, requires_grad=True).log_softmax(2)
    kept = F.ctc_loss(x, torch.tensor([[1, 2, 3]]), [4], [3], reduction="none").grad_fn._saved_result1
    others = [torch.full(kept.shape, 7.0, dtype=torch.double) for _ in range(20)]
    del others
    loss = F.ctc_loss(x, torch.tensor([[1, 2, 3]]), [4], [3], reduction="none")
    assert not (loss.grad_fn._saved_result1 == 7).any()
