"""Profiles: short in the test suite, long by `make fuzz` (`--hypothesis-profile=long`)."""

from hypothesis import HealthCheck, settings

QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("short", max_examples=60, derandomize=True, database=None, **QUIET)
settings.register_profile("long", max_examples=5000, **QUIET)
settings.load_profile("short")
