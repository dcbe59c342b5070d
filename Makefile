PYTHON ?= python3
BIN = .venv/bin

setup:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e ".[dev]"

kernels:
	$(BIN)/python build_kernels.py

tables:
	$(BIN)/python -m tensorsh.language.build
	$(BIN)/python -m tensorsh.engine.operators.index
	$(BIN)/python -m tensorsh.assist.catalogue
	$(BIN)/python -m tensorsh.command.completion

format:
	$(BIN)/ruff format tensorsh tests benchmarks website build_kernels.py

check:
	$(BIN)/ruff format --check tensorsh tests benchmarks website build_kernels.py
	$(BIN)/ruff check tensorsh tests benchmarks website build_kernels.py
	$(BIN)/mypy
	$(MAKE) test

test:
	$(BIN)/python -m pytest -q -n auto

record:  # with PYTHON_WITH_TORCH=/path/to/python; ONLY="bits views": these
	$(PYTHON_WITH_TORCH) -m tests.recording $(ONLY)

bless:
	$(BIN)/tensorsh test --bless scripts

docs:
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

bench:
	$(BIN)/python -m benchmarks

nightly:
	$(BIN)/python -m pytest -q -n auto -m nightly
	TENSORSH_KERNELS=off $(BIN)/python -m pytest -q -n auto tests/engine tests/autograd tests/nn tests/optim tests/language tests/display tests/vision tests/data_loader tests/as_torch
	HOSTILE=all $(BIN)/python -m pytest -q tests/engine/builds.py tests/hostile/test_programs.py tests/hostile/sweep.py

fuzz:
	$(BIN)/python -m pytest -q tests/fuzz --hypothesis-profile=long -o timeout=3600

ecosystem:  # in .ecosystem, some 2 GB; writes docs/ecosystem.md
	$(BIN)/python -m tests.ecosystem .ecosystem

sanitize:
	.ci/sanitize long $(BIN)/python

.PHONY: kernels setup tables format check test record bless docs bench nightly fuzz ecosystem sanitize
