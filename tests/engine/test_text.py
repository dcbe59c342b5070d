"""The text of tensors against PyTorch's: thousands of recorded random tensors, and the rules one by one."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tensorsh.engine.tensors.text import (
    PrintOptions,
    format_tensor,
    parameter_text,
    size_text,
    tensor_text,
)

from ..recording.text import Recipe
from ..support.processes import printed
from ..support.tables import rows


def own_text(recipe) -> str:
    """Our text of a recipe, by the way a Tensor takes."""
    options = PrintOptions()
    options.set(**recipe.options)
    array = recipe._array
    if recipe.dtype == "bfloat16":
        import ml_dtypes

        array = array.astype(ml_dtypes.bfloat16)
    elif recipe.dtype == "complex32":
        halves = np.empty(array.shape, "complex64")
        halves.real, halves.imag = array.real.astype("float16"), array.imag.astype("float16")
        array = halves
    text = tensor_text(
        array,
        dtype=recipe.dtype,
        default_dtype=recipe.default_dtype,
        options=options,
        device="meta" if recipe.meta else None,
        grad_fn=None if recipe.parameter else recipe.grad_fn,
        requires_grad=recipe.requires_grad or recipe.parameter,
    )
    return parameter_text(text) if recipe.parameter else text


def test_recorded_random_tensors():
    expected = rows("text")
    assert len(expected) >= 3000
    wrong = []
    with np.errstate(over="ignore"):
        for number, text in expected:
            recipe = Recipe(number)
            ours = own_text(recipe)
            if ours != text:
                wrong.append(
                    f"recipe {number} {recipe.dtype} {recipe.shape} {recipe.options}\n{ours}\nPyTorch:\n{text}"
                )
    assert not wrong, f"{len(wrong)} differ, for example\n" + "\n\n".join(wrong[:3])


NAN, INF = np.nan, np.inf
FLOATS = [
    ([1.0, NAN], "tensor([1., nan])"),
    ([1.5, NAN, INF, -INF], "tensor([1.5000,    nan,    inf,   -inf])"),
    ([INF], "tensor([inf])"),
    ([-0.0], "tensor([-0.])"),
    ([1.0, 1000.0], "tensor([   1., 1000.])"),
    ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
    ([1e8], "tensor([100000000.])"),
    ([1.0001e8], "tensor([1.0001e+08])"),
    ([1e-4], "tensor([1.0000e-04])"),
    ([0.0, 1e-5], "tensor([0.0000e+00, 1.0000e-05])"),
    ([99999.5], "tensor([99999.5000])"),
    (123456789.0, "tensor(1.2346e+08)"),
]


@pytest.mark.parametrize(("values", "text"), FLOATS, ids=[text for _, text in FLOATS])
def test_notation_of_floats(values, text):
    assert tensor_text(np.array(values, "float32"), dtype="float32", options=PrintOptions()) == text


def test_double_1e_4_is_not_small_but_its_float32_is():
    double = np.array([1e-4])
    assert tensor_text(double, dtype="float64", default_dtype="float64", options=PrintOptions()) == "tensor([0.0001])"


def test_only_the_shown_elements_are_read():
    """A copy of this array would need 4e16 bytes; even a pass over one row would be seen in the time."""
    array = np.broadcast_to(np.array([[1.5], [2.5]], "float32").repeat(4, 0)[:, None], (8, 10**8, 10**8))
    start = time.thread_time()
    text = tensor_text(array, dtype="float32", options=PrintOptions())
    assert time.thread_time() - start < 0.1
    assert text.count("1.5000") == 108 and text.count("2.5000") == 108
    options = PrintOptions(edgeitems=0)
    assert tensor_text(array, dtype="float32", options=options) == f"tensor([...], size={array.shape})"


def test_a_device_array_is_cut_before_it_is_fetched():
    fetched = []

    class DeviceArray:
        """As much of cupy's array as printing may use."""

        __cuda_array_interface__: dict = {}

        def __init__(self, array):
            self._array, self.shape, self.size, self.dtype = array, array.shape, array.size, array.dtype

        def __getitem__(self, index):
            return DeviceArray(self._array[index])

        def __array_function__(self, function, types, arguments, keywords):
            parts, axis = arguments
            return DeviceArray(function([part._array for part in parts], axis, **keywords))

        def get(self):
            fetched.append(self.size)
            return self._array

    array = DeviceArray(np.arange(1e6, dtype="float32"))
    text = tensor_text(array, dtype="float32", options=PrintOptions(), device="cuda:0")
    assert text == (
        "tensor([0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 1.0000e+06, 1.0000e+06,\n"
        "        1.0000e+06], device='cuda:0')"
    )
    assert fetched == [6]


def test_meta_tensors_need_only_a_shape():
    options = PrintOptions()
    assert tensor_text((2, 3), dtype="float32", options=options, device="meta") == (
        "tensor(..., device='meta', size=(2, 3))"
    )
    assert tensor_text((2,), dtype="int64", options=options, device="meta") == (
        "tensor(..., device='meta', size=(2,), dtype=torch.int64)"
    )


def test_subclass_prefix_sets_the_indent():
    array = np.ones((2, 1), "float32")
    assert tensor_text(array, dtype="float32", options=PrintOptions(), prefix="Weights(") == (
        "Weights([[1.],\n         [1.]])"
    )


def test_print_options():
    options = PrintOptions()
    assert options.get() == dict(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)
    options.set(profile="short", linewidth=60, sci_mode=True)
    assert options.get() == dict(precision=2, threshold=1000, edgeitems=2, linewidth=60, sci_mode=True)
    options.set(precision=7)
    assert options.precision == 7 and options.sci_mode is None, "every call overwrites sci_mode"
    options.set(profile="full")
    assert options.threshold == INF and options.precision == 4
    options.set(profile="unknown")
    assert options.threshold == INF
    options.set(precision=2.5)
    with pytest.raises(ValueError, match=r"Invalid format specifier '\.2\.5f' for object of type 'float'"):
        tensor_text(np.array([0.5]), dtype="float64", options=options)


def test_format_of_numbers():
    text = lambda: "the text"
    tenth = np.array(0.1, "float32")
    assert format_tensor(tenth, "", text) == "0.10000000149011612"
    assert format_tensor(tenth, ".3f", text) == "0.100"
    assert format_tensor(np.array(True), ".3f", text) == "1.000"
    assert format_tensor(np.array(1 + 2j), ".2f", text) == "1.00+2.00j"
    assert format_tensor(np.array(3), "5d", text) == "    3"
    assert format_tensor(np.array([3]), "", text) == "the text"
    assert format_tensor(tenth, "", text, "Parameter") == "the text"
    assert format_tensor(None, "", text) == "the text"
    with pytest.raises(ValueError, match="Unknown format code 'd' for object of type 'float'"):
        format_tensor(tenth, "d", text)
    for array, name in ((np.array([3]), "Tensor"), (tenth, "Parameter"), (None, "Tensor")):
        with pytest.raises(TypeError, match=rf"^unsupported format string passed to {name}.__format__$"):
            format_tensor(array, ".2f", text, name)


def test_sizes():
    assert size_text((2, 3)) == "torch.Size([2, 3])" and size_text(()) == "torch.Size([])"


def test_imports_nothing_but_numpy():
    code = "import tensorsh.engine.tensors.text, sys; print([m for m in ('ml_dtypes', 'scipy', 'rich') if m in sys.modules])"
    assert printed(code) == "[]\n"
