"""``torch.fx.experimental.rewriter``: a tracer that rewrites the source of what it traces, so that `assert` becomes a node."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from types import FunctionType
from typing import Any

from ...nn.modules.module import Module
from ..tracer import Tracer

__all__ = ["AST_Rewriter", "RewritingTracer"]


class AST_Rewriter(ast.NodeTransformer):  # noqa: N801
    """Rewrites a function: `assert` as a call of ``torch._assert``, a type behind a variable as a call of ``annotate``."""

    __module__ = "torch.fx.experimental.rewriter"

    def rewrite(self, fn: Any) -> FunctionType:
        """The function rewritten. fn: a function whose source is there."""
        tree = ast.fix_missing_locations(self.visit(ast.parse(textwrap.dedent(inspect.getsource(fn)))))
        scope = dict(fn.__globals__)
        exec(compile(tree, "", "exec"), scope)  # noqa: S102 - plain Python alone comes here
        made = scope[tree.body[0].name]
        found = FunctionType(made.__code__, fn.__globals__, made.__name__, made.__defaults__, made.__closure__)
        found.__dict__.update(made.__dict__)
        found.__annotations__, found.__doc__, found.__qualname__ = made.__annotations__, made.__doc__, made.__qualname__
        found.__kwdefaults__ = copy.copy(made.__kwdefaults__)
        return found

    def visit_Assert(self, node: ast.Assert) -> Any:  # noqa: N802
        """A call for a statement."""
        function = ast.parse("torch._assert", mode="eval").body
        call = ast.Call(func=function, args=[node.test, node.msg or ast.Constant("")], keywords=[])
        return ast.copy_location(ast.Expr(value=call), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:  # noqa: N802
        """A call for a type."""
        if node.value is None:
            return node
        function = ast.Name(id="annotate", ctx=ast.Load())
        call = ast.Call(func=function, args=[node.value, node.annotation], keywords=[])
        return ast.Assign(targets=[node.target], value=call)


class RewritingTracer(Tracer):
    """Traces what it has rewritten, modules with all that are below them."""

    __module__ = "torch.fx.experimental.rewriter"

    def trace(self, root: Any, concrete_args: Any = None) -> Any:
        return super().trace(_rewrite(root), concrete_args)


def _rewrite(root: Any) -> Any:
    if not isinstance(root, Module):
        return AST_Rewriter().rewrite(root)

    class RewrittenModule(Module):
        def __init__(self) -> None:
            super().__init__()
            for name, value in vars(root).items():
                self.__dict__[name] = copy.copy(_rewrite(value) if isinstance(value, Module) else value)

    RewrittenModule.forward = AST_Rewriter().rewrite(root.forward)  # type: ignore[method-assign]
    return RewrittenModule()
