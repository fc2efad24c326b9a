# Two commands matter: `make demo` sets up and runs the main job, `make test` sets up and passes all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-stamp
RUN := runs/demo

.PHONY: demo test setup lint bench clean
.DELETE_ON_ERROR:

demo: setup
	@rm -rf $(RUN)
	$(BIN)/proxops run approach --out $(RUN)

test: setup
	$(BIN)/python tools/run_tests.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt Makefile
	@bash tools/system_packages.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) runs build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
