"""``torch.fx.experimental._config``: settings of symbolic sizes, which may be set and do nothing."""

from __future__ import annotations

from ..._dynamo.config import patch as patch

translation_validation = translation_validation_no_bisect = print_specializations = False
translation_validation_timeout = 600000
use_duck_shape = True
