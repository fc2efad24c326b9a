# Two commands matter: `make demo` sets up and runs the main job, `make test` sets up and passes all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-stamp
KERNELS := $(VENV)/.kernels-stamp
RUN := runs/demo
PAGE := src/proxops/console/static/index.html

.PHONY: demo test test-fast setup lint bench wheel clean
.DELETE_ON_ERROR:

demo: setup
	@rm -rf $(RUN)
	$(BIN)/proxops run approach --out $(RUN)

test: setup
	$(BIN)/python tools/run_tests.py

# What needs no facility and no long run: a minute, for daily work.
test-fast: setup
	$(BIN)/python tools/run_tests.py fast

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd page && ../$(BIN)/node node_modules/typescript/bin/tsc --noEmit
	cd page && ../$(BIN)/node --test 'test/*.test.mjs'

bench: setup
	$(BIN)/python -m benchmarks

# One file for pip, with the console's page inside; build/ is emptied first, or what has been deleted since would come along.
wheel: setup
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

setup: $(STAMP) $(PAGE) $(KERNELS)

$(STAMP): pyproject.toml constraints.txt Makefile
	@bash tools/system_packages.sh
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# What a flight through the hall needs, compiled by two processes. It can be done without: a run compiles what is not there.
$(KERNELS): $(STAMP)
	-$(BIN)/python tools/compile_kernels.py
	@touch $@

# The console's page: TypeScript to one script, with the Node.js that pip has brought.
$(PAGE): page/node_modules/.package-lock.json page/build.mjs $(shell find page/src -type f)
	cd page && ../$(BIN)/node build.mjs

page/node_modules/.package-lock.json: page/package-lock.json page/package.json $(STAMP)
	cd page && ../$(BIN)/npm ci --ignore-scripts --loglevel error
	@touch $@

clean:
	rm -rf $(VENV) runs build dist page/node_modules src/proxops/console/static .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
