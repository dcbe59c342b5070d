"""torch.fx: arguments that are trees, written Python that programs change, and what a graph says when it is wrong."""

import copy
import pickle

import torch
from torch import fx, nn
from torch.fx import PH


def add(x):
    return {"sum": x["a"] + sum(x["z"]), "first": x["a"]}


inner = fx.symbolic_trace(add, concrete_args={"x": {"a": PH, "z": (PH, PH)}})
given = {"a": torch.ones(2), "z": (torch.ones(2), torch.zeros(2))}
print(inner.code, inner.graph, inner(given))
bare = fx.GraphModule({}, copy.deepcopy(inner.graph))
bare.graph.set_codegen(fx.graph.CodeGen())
bare.recompile()
leaves = inner.graph.process_inputs(given)
print(bare.code, inner.graph.process_outputs(bare(*leaves)), fx.Interpreter(inner).run(given))


def chosen(b, a):
    return a["a"] if b else a["z"]


told = fx.symbolic_trace(chosen, concrete_args={"a": {"a": PH, "z": PH}, "b": True})
print(told.code, told(True, {"a": torch.ones(1), "z": torch.zeros(1)}))
try:
    told(False, {"a": torch.ones(1), "z": torch.zeros(1)})
except AssertionError as error:
    print(error)


class Many(nn.Module):
    def forward(self, *args, **kwargs):
        return args[0] + args[1]


print(fx.symbolic_trace(Many(), concrete_args=(PH, PH)).code)


class WithMeta(fx._symbolic_trace.PHWithMeta):
    pass


for node in fx.symbolic_trace(
    lambda a, b: a + b, concrete_args={"a": WithMeta(ph_key="one"), "b": WithMeta("two")}
).graph.nodes:
    print(node.name, getattr(node, "ph_key", None))


class Plus(nn.Module):
    def forward(self, a, b):
        return torch.sin(a) + torch.cos(b)


plus = fx.symbolic_trace(Plus())
print(
    sorted(plus._lineno_map.items()),
    "Plus" in plus.forward.__code__.co_filename,
    plus.forward.__code__.co_filename.split(" ")[1],
)
with plus.graph.on_generate_code(lambda before: lambda body: ["print('hello')\n", *body]):
    plus.recompile()
    print(plus.code, sorted(plus._lineno_map.items()))
plus(torch.zeros(1), torch.zeros(1))
plus.recompile()
print(plus.code)


class Rows(fx.graph.CodeGen):
    def gen_fn_def(self, free_vars, annotation):
        return f"def forward(self, rows):\n    {', '.join(free_vars)} = rows"

    def process_inputs(self, *inputs):
        return inputs[0]

    def generate_output(self, output_args):
        return f"return [{output_args!r}]"

    def process_outputs(self, outputs):
        return [outputs]


plus.graph.set_codegen(Rows())
plus.recompile()
pair = [torch.zeros(1), torch.zeros(1)]
print(plus.code, plus(pair), fx.Interpreter(plus).run(pair))
try:
    fx.Interpreter(plus).run([torch.zeros(2), torch.zeros(3)])
except RuntimeError as error:
    print(error)
try:
    fx.Interpreter(plus).boxed_run([1])
except RuntimeError as error:
    print(error)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.ones(2))

    def forward(self, x):
        return self.sub(self.sub(x)) + self.w + self.b

    def other(self, x):
        return self.w - x


outer = Outer()
traced = fx.symbolic_trace(outer)
for node in traced.graph.nodes:
    print(node.name, {k: (n, t.__name__) for k, (n, t) in node.meta.get("nn_module_stack", {}).items()})
tracer = fx.Tracer()
tracer.traced_func_name = "other"
print(fx.GraphModule(outer, tracer.trace(outer)).code)
tracer.traced_func_name = "absent"
try:
    tracer.trace(outer)
except AssertionError as error:
    print(error)
tracer = fx.Tracer()
tracer.proxy_buffer_attributes = tracer.record_stack_traces = True
graph = tracer.trace(outer)
print(
    [n.target for n in graph.nodes if n.op == "get_attr"],
    "in forward\n    return self.sub" in graph.find_nodes(op="get_attr")[0].stack_trace,
)
moved = fx.Transformer(fx.GraphModule(outer, graph)).transform()
print([n.stack_trace is not None for n in moved.graph.nodes if n.op != "placeholder"])

for wrong in (
    lambda: traced.graph.call_module("absent"),
    lambda: fx.Graph().node_copy(next(iter(reversed(traced.graph.nodes)))).graph.lint(),
    lambda: fx.symbolic_trace(lambda x: nn.functional.relu({x: 1})),
    lambda: fx.symbolic_trace(lambda a, b: a, concrete_args=(1,)),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


class NoSelf(nn.Module):
    def forward(*args):
        return args[1]


class Functional(fx.Tracer):
    check_mutable_operations = True


for function in (lambda x: torch.sigmoid(x, out=x), lambda x: torch.relu_(x), lambda x: x.add_(1)):
    try:
        print(Functional().trace(function))
    except RuntimeError as error:
        print(str(error).partition("(")[0].partition(". FX")[0], "FX only" in str(error))
try:
    fx.symbolic_trace(NoSelf())
except RuntimeError as error:
    print(error)
traced.delete_submodule("sub.0")
traced.delete_all_unused_submodules()
print([n for n, _ in traced.named_modules()])
try:
    traced.graph.lint()
except RuntimeError as error:
    print(error)


class Pair(metaclass=fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def add(self, other):
        return Pair(self.left + other.left, self.right + other.right)


def plus_ones(x):
    return x.add(Pair(torch.ones(1), torch.ones(1)))


pairs = fx.symbolic_trace(plus_ones)
print(pairs.graph, pairs(Pair(torch.ones(1), torch.zeros(1))).left)
proxy = fx.Proxy(next(iter(pairs.graph.nodes)), fx.Tracer())
again = copy.deepcopy(proxy)
print(again.node.name, again.node is proxy.node, again.tracer is proxy.tracer, type(again.tracer).__name__)


def operators(x):
    torch.ops.aten.add_.Tensor(x, 1)
    torch.ops.aten.neg(x)
    return torch.ops.aten.relu(x) + torch.ops.aten.add.Tensor(x, x)


called = fx.symbolic_trace(operators)
print(called.graph, pickle.loads(pickle.dumps(called)).code)
called.graph.eliminate_dead_code()
print(called.graph)
print([type(n.target).__name__ for n in called.graph.nodes if n.op == "call_function"][:2])
