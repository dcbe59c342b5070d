PYTHON ?= python3
BIN = .venv/bin

setup:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -e ".[dev]"

kernels:
	$(BIN)/python build_kernels.py

tables:
	$(BIN)/python -m tensorsh.language.build
	$(BIN)/python -m tensorsh.engine.index
	$(BIN)/python -m tensorsh.catalogue

format:
	$(BIN)/ruff format tensorsh tests benchmarks

check:
	$(BIN)/ruff format --check tensorsh tests benchmarks
	$(BIN)/ruff check tensorsh tests benchmarks
	$(BIN)/mypy
	$(MAKE) test

test:
	$(BIN)/python -m pytest -q -n auto

bless:
	$(BIN)/tensorsh test --bless scripts

bench:
	$(BIN)/python -m benchmarks

fuzz:
	$(BIN)/python -m pytest -q tests/fuzz --hypothesis-profile=long

.PHONY: kernels setup tables format check test bless bench fuzz
