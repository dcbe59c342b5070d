"""``torch._functorch.make_functional``: modules as functions of their parameters, by the names of old."""

from ..functional_modules import (  # noqa: F401
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)

__all__: list[str] = []
