"""cupy's ElementwiseKernel, ReductionKernel and RawKernel without a GPU: their C, run by `c.Machine` on numpy's arrays."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np

from tensorsh.engine.cuda import kernels

from . import c, standin


def parsed(text: str, types: dict) -> dict[str, tuple]:
    return c.Parser(text, c.TYPES | types).program()


class Kernel:
    def __init__(self, inputs: str, outputs: str, name: str, preamble: str = "") -> None:
        self.inputs, self.outputs, self.name, self.preamble = (
            kernels.parsed(inputs),
            kernels.parsed(outputs),
            name,
            preamble,
        )

    def bound(self, args: tuple) -> tuple[dict, dict]:
        """The parameters by name, and the types of the letters; TypeError where cupy has it."""
        standin.launched.append(self.name)
        arrays = [a for a in args if isinstance(a, standin.ndarray)]
        if any(not isinstance(a, standin.ndarray | np.generic | int | float) for a in args):
            raise TypeError("Unsupported type")
        standin.check_place(arrays)
        types: dict[str, Any] = {}
        space: dict[str, Any] = {}
        for (kind, name, _), a in zip(self.inputs + self.outputs, args, strict=False):
            if isinstance(a, standin.ndarray | np.generic):
                wanted = types.setdefault(kind, a.dtype) if len(kind) == 1 else np.dtype(kind)
                if a.dtype != wanted and isinstance(a, standin.ndarray):
                    raise TypeError(f"Type is mismatched. {self.name}: {name} {a.dtype} {wanted}")
            space[name] = a._held if isinstance(a, standin.ndarray) else a
        for kind, name, _ in self.inputs + self.outputs:
            if name in space and not isinstance(space[name], np.ndarray):
                space[name] = np.asarray(space[name]).astype(types[kind] if len(kind) == 1 else kind)[()]
        return space, types


class ElementwiseKernel(Kernel):
    def __init__(self, inputs: str, outputs: str, operation: str, name: str, preamble: str = "") -> None:
        super().__init__(inputs, outputs, name, preamble)
        self.operation = operation

    def __call__(self, *args: Any, size: int | None = None) -> Any:
        count = len(self.inputs)
        assert len(args) in (count, count + len(self.outputs)), self.name
        space, types = self.bound(args)
        whole = [
            space[n].shape
            for _, n, raw in self.inputs + self.outputs
            if not raw and isinstance(space.get(n), np.ndarray)
        ]
        assert (size is None) == bool(whole), f"{self.name}: a size is given where all arrays are raw, and only there"
        shape = (size,) if size is not None else np.broadcast_shapes(*whole)
        lanes = int(np.prod(shape))
        written = {}
        for kind, name, raw in self.inputs + self.outputs:
            value = space.get(name)
            if raw:
                space[name] = c.Memory(value if value.flags.c_contiguous else value.copy())
            elif isinstance(value, np.ndarray):
                space[name] = np.broadcast_to(value, shape).reshape(-1)
            elif value is None:
                space[name] = np.zeros(lanes, types[kind] if len(kind) == 1 else kind)
        for _, name, raw in self.outputs:
            assert not raw or len(args) > count, "a raw output is given"
            given = dict(zip([n for _, n, _ in self.inputs + self.outputs], args, strict=False)).get(name)
            written[name] = (raw, given)
        body = c.Parser("{" + self.operation + ";}", c.TYPES | types).statement()
        # What folds by atomic operations is one of numpy's ufuncs here.
        machine = c.Machine({} if "void fold_" in self.preamble else parsed(self.preamble, types), lanes)
        space["i"] = np.arange(lanes)
        machine.run(body, space)
        results = []
        for name, (raw, given) in written.items():
            if raw:
                if not given._held.flags.c_contiguous:
                    given._held[...] = space[name].array.reshape(given._held.shape)
                results.append(given)
                continue
            value = np.broadcast_to(space[name], lanes).reshape(shape)
            if given is not None:
                assert given._held.shape == shape, f"{self.name}: an output of another shape"
                given._held[...] = value
            results.append(given if given is not None else standin.on_device(value.copy()))
        return results[0] if len(results) == 1 else tuple(results)


class ReductionKernel(Kernel):
    def __init__(self, inputs: str, outputs: str, term: str, fold: str, last: str, identity: str, name: str) -> None:
        super().__init__(inputs, outputs, name)
        assert (fold, last, identity) == ("a + b", f"{self.outputs[0][1]} = a", "0"), name
        self.term = term

    def __call__(self, *args: Any, axis: Any = None, keepdims: bool = False) -> Any:
        assert len(args) == len(self.inputs), self.name
        space, types = self.bound(args)
        shape = np.broadcast_shapes(*(v.shape for v in space.values() if isinstance(v, np.ndarray)))
        flat = {n: np.broadcast_to(v, shape).reshape(-1) if isinstance(v, np.ndarray) else v for n, v in space.items()}
        machine = c.Machine({}, int(np.prod(shape)))
        flat["result"] = np.zeros(int(np.prod(shape)), types["T"])
        machine.run(c.Parser(f"{{result = {self.term};}}", c.TYPES | types).statement(), flat)
        return standin.on_device(np.asarray(np.add.reduce(flat["result"].reshape(shape), axis, keepdims=keepdims)))


C_TYPES = {
    "__half": np.dtype(np.float16), "__nv_bfloat16": np.dtype(ml_dtypes.bfloat16), "float": np.dtype(np.float32),
    "double": np.dtype(np.float64), "bool": np.dtype(bool), "signed char": np.dtype(np.int8), "unsigned char": np.dtype(np.uint8),
    "unsigned short": np.dtype(np.uint16), "unsigned long long": np.dtype(np.uint64), "short": np.dtype(np.int16), "int": np.dtype(np.int32), "unsigned int": np.dtype(np.uint32), "long long": np.dtype(np.int64),
}  # fmt: skip


def reach(held: np.ndarray) -> np.ndarray:
    """The memory from an array's first element to its last, as a kernel that is given the steps between them sees it."""
    if held.flags.c_contiguous or min(held.strides) < 0:
        return held
    count = 1 + sum((n - 1) * s for n, s in zip(held.shape, held.strides, strict=True)) // held.itemsize
    return np.lib.stride_tricks.as_strided(held, (count,), (held.itemsize,))


class RawKernel:
    """The arguments are held against the parameters, as a GPU would take anything."""

    def __init__(self, code: str, name: str, options: tuple = ()) -> None:
        defined = re.findall(r"typedef ([\w ]+) (\w);", code)
        self.types = {letter: C_TYPES[kind] for kind, letter in defined}
        code = re.sub(r"__launch_bounds__\([\w, ]+\)|__align__\(\d+\)", "", code)
        text = re.sub(r"typedef [\w ]+;|struct \w+ {[^}]*};|#(?!pragma)[^\n]*", "", code.replace(kernels.PACKS, ""))
        structures = dict.fromkeys(re.findall(r"struct (\w+) {", code))
        self.name, self.functions = name, parsed(text, self.types | structures)
        self.pointers = re.search(rf"\b{name}\(([^)]*)\)", text).group(1).split(",")  # type: ignore[union-attr]

    def __call__(self, grid: tuple, block: tuple, args: tuple) -> None:
        standin.launched.append(self.name)
        standin.check_place(args)
        params, body = self.functions[self.name]
        assert len(params) == len(args) and len(grid) == len(block) == 1 and block[0] <= 1024 and grid[0] < 1 << 31
        lanes = grid[0] * block[0]
        machine = c.Machine(self.functions, lanes, block[0])
        scope: dict[str, Any] = {}
        for (kind, name), text, a in zip(params, self.pointers, args, strict=True):
            if kind is None:
                scope |= self.table(name, a)
            elif "*" in text:
                if a is None or isinstance(a, np.uint64) and not a:
                    scope[name] = None
                    continue
                assert isinstance(a, standin.ndarray) and a.dtype == kind, f"{self.name}: {name} is no array of {kind}"
                scope[name] = c.Memory(reach(a._held))
            else:
                if type(a) is int and kind == np.int64:
                    a = np.int64(a)
                assert isinstance(a, np.generic) and a.dtype == kind, f"{self.name}: {name} is no number of {kind}"
                scope[name] = a
        machine.globals = self.numbers(lanes, block[0], grid[0])
        machine.run(body, scope | machine.globals)

    def table(self, name: str, given: Any) -> dict[str, Any]:
        """The fields of a structure given by value; columns of addresses point to as many elements as `size` says."""
        assert type(given) is np.ndarray and given.size == 1 and given.itemsize <= 4000, f"{self.name}: {name}"
        found: dict[str, Any] = {}
        for field in given.dtype.names:
            column = given[field].reshape(-1)
            if column.dtype != np.uint64:
                found[f"{name}.{field}"] = column[0] if column.size == 1 else c.Memory(column)
                continue
            rows = [(int(p), int(n)) for p, n in zip(column, given["size"].reshape(-1), strict=True)]
            found[f"{name}.{field}"] = c.Addresses([c.Memory(standin.memory(*row, self.types["T"])) for row in rows])
        return found

    @staticmethod
    def numbers(lanes: int, block: int, grid: int) -> dict[str, Any]:
        number = np.arange(lanes)
        return {
            "threadIdx.x": (number % block).astype(np.uint32), "blockIdx.x": (number // block).astype(np.uint32),
            "blockDim.x": np.uint32(block), "gridDim.x": np.uint32(grid),
        }  # fmt: skip
