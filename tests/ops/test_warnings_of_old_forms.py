"""Forms that PyTorch has given up warn in its words, once in a session. The texts are PyTorch's."""

from __future__ import annotations

import warnings

import pytest

from tensorsh import torch
from tensorsh.engine.arrays.state import state

SAID = {
    "torch.cholesky(torch.eye(2))": "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
    "torch.qr(torch.eye(2))": "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    "torch.lu(torch.eye(2))": "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    "torch.triangular_solve(torch.ones(2, 1), torch.eye(2))": "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
    "torch.chain_matmul(torch.eye(2), torch.eye(2))": "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple parameters.",
    "torch.cross(torch.ones(3, 3), torch.ones(3, 3))": "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.",
    "torch.istft(torch.stft(torch.ones(8), 4, return_complex=True, window=torch.ones(4)), 4)": "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
    "torch.stft(torch.ones(8), 4, return_complex=True)": "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
    "torch.ones(2, 2, 2).T": "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
    "torch.tensor(1.).T": "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.",
    "torch.tensor(1.).mT": "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.",
    "torch.tensor(1.).H": "Tensor.H is deprecated on 0-D tensors. Consider using x.conj().",
    "torch.tensor(1.).mH": "Tensor.mH is deprecated on 0-D tensors. Consider using x.conj().",
    "torch.tensor(1.).adjoint()": "adjoint() is deprecated on 0-D tensors. Consider using x.conj().",
    "torch.tensor(1j).float()": "Casting complex values to real discards the imaginary part",
    "torch.ones(()).copy_(torch.tensor(1j))": "Casting complex values to real discards the imaginary part",
    "torch.lu_solve(torch.ones(2, 1), *torch.linalg.lu_factor(torch.eye(2)))": "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    "torch.stft(torch.ones(8), 4, return_complex=False, window=torch.ones(4))": "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex output to recover the old return format.",
    "torch.ones(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce='add')": "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
    "torch.nn.functional.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2), padding='same')": "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be created",
    "torch.sparse_coo_tensor([[0]], [1.])": "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse tensor which violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. ",
    "torch.eye(2).to_sparse_bsr((1, 1))": "Sparse BSR tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit a feature request to https://github.com/pytorch/pytorch/issues.",
    **dict.fromkeys(
        (
            "torch.nested.nested_tensor([torch.ones(1)])",
            "torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(4, 2, 4, batch_first=True), 1).eval().requires_grad_(False)(torch.ones(1, 2, 4), src_key_padding_mask=torch.tensor([[False, True]]))",
        ),
        "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator coverage, and works with torch.compile.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", SAID)
def test_an_old_form_warns_once(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "sparse_invariants", None)
    before = set(state.warned)
    state.warned.clear()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eval(call, {"torch": torch})
            eval(call, {"torch": torch})
    finally:
        state.warned.update(before)
    assert [(each.category, str(each.message)) for each in caught] == [(UserWarning, SAID[call])]


@pytest.mark.parametrize("call", ["torch.linalg.qr(torch.eye(2))", "torch.eye(2).T", "torch.nn.LazyLinear(2)", "torch.eye(2).to_sparse()",
    "torch.sparse_coo_tensor([[0]], [1.], check_invariants=False)", "torch.ones(2).scatter(0, torch.tensor([0]), 1., reduce='add')"])  # fmt: skip
def test_others_are_silent(call: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(call, {"torch": torch})
    assert not caught


BETA = (
    "Sparse {} tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit a feature "
    "request to https://github.com/pytorch/pytorch/issues."
)
IMPLICIT = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse tensor which "
    "violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. See "
    "`torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. "
)
CHECKS = "torch.sparse.check_sparse_tensor_invariants"
SPARSE = {
    "torch.eye(2).to_sparse_csc(); torch.eye(2).to_sparse_csr()": [BETA.format("CSC")],
    "a = torch.eye(2).to_sparse(); a @ torch.eye(2)": [],
    "a = torch.eye(2).to_sparse(); a @ a": [BETA.format("CSR")],
    "torch.sparse_bsr_tensor([0, 1], [0], [[[1.]]])": [IMPLICIT, BETA.format("BSR")],
    "torch.sparse_coo_tensor([[0]], [1.]); torch.sparse_coo_tensor([[0]], [1.])": [IMPLICIT],
    "torch.sparse_coo_tensor([[0]], [1.], check_invariants=False)": [],
    f"{CHECKS}.disable(); torch.sparse_coo_tensor([[0]], [1.])": [],
    f"with {CHECKS}(): pass\ntorch.sparse_coo_tensor([[0]], [1.])": [],
}


@pytest.mark.parametrize("program", SPARSE)
def test_what_is_said_of_sparse_tensors(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "warned", set())
    monkeypatch.setattr(state, "sparse_invariants", None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(program, {"torch": torch})
    assert [str(each.message) for each in caught] == SPARSE[program]


DROP = "There is a performance drop because we have not yet implemented the batching rule for aten::{}. Please file us an issue on GitHub so that we can prioritize its implementation."
MASKED = "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github issue for features requests and see our documentation on the torch.masked module for further information about the project."
PLACES = "Use of {}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to advanced indexing e.g. tensor{}"
PUT, FILL = PLACES.format("index_put", "[indices] = tensor"), PLACES.format("masked_fill", "[mask] = scalar")
E = "e, m = torch.zeros(1, 2).expand(3, 2), torch.zeros(3, 2, dtype=torch.bool); "
TOLD = {
    "torch.vmap(torch.histc)(torch.ones(2, 3))": [DROP.format("histc")],
    "torch.vmap(lambda x: torch.special.hermite_polynomial_h(x, 2))(torch.ones(2, 3))": [DROP.format("special_hermite_polynomial_h.n_scalar")],
    "torch.vmap(lambda x: torch.isin(x, 1))(torch.ones(2, 3))": [DROP.format("isin.Tensor_Scalar")],
    "torch.vmap(torch.linalg.lu)(torch.ones(2, 3, 3))": [DROP.format("linalg_lu")],
    "torch.vmap(lambda x: x.kthvalue(1))(torch.ones(2, 3))": [],
    "m = torch.masked.masked_tensor(torch.ones(2), torch.tensor([True, False])); m + m; m.sum(); m.get_data()": [MASKED] * 3,
    E + "e[m] = 2": [PUT, FILL],
    E + "e[:, torch.tensor([True, False])] = torch.ones(1)": [PUT, FILL],
    E + "e[m] += 1": [PUT],
    E + "e[torch.tensor([0])] = 2": [PUT],
    "torch.manual_seed(0); torch.distributions.Wishart(torch.tensor(2.0), torch.eye(2) * 1e-20).sample()": ["Singular sample detected."],
}  # fmt: skip


@pytest.mark.parametrize("program", TOLD)
def test_each_call_warns(program: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(program, {"torch": torch})
    assert [str(each.message) for each in caught] == TOLD[program]
