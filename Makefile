# One command for each thing that is done here; `make` alone lists them. `make test` is what CI runs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Scripts that write generated files, in the order in which they run.
GENERATORS := tools/core_types.py tools/readme.py
BENCHES := $(sort $(wildcard bench/bench_*.py))

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test e2e conformance bench mutate results release lint format generate clean

help:
	@echo "make demo      read the examples, step by step"
	@echo "make test      everything that CI runs: lint, types, tests, conformance"
	@echo "make e2e       the same against a real API server and a real browser; builds the server once"
	@echo "make lint      style and types only"
	@echo "make format    write the style"
	@echo "make generate  write the generated files"
	@echo "make bench     measure"
	@echo "make conformance  put the suite to the readers that are here"
	@echo "make results   the same with all engines, and write conformance/RESULTS.md"
	@echo "make release   write the suite as lines of JSON, its index and the specification to dist/"
	@echo "make mutate    change the mappings, and see whether their cases notice"
	@echo "make clean     remove what the other targets made"
	@echo
	@echo "The virtual environment $(VENV) is made from PYTHON=$(PYTHON)."

$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { \
		echo "error: $(PYTHON) is not installed; name another Python: make PYTHON=python3.12 ..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "error: Python 3.11 or newer is needed and $(PYTHON) is $$("$(PYTHON)" -V 2>&1);" \
			"name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "error: $(PYTHON) lacks venv or ensurepip; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; }
	@echo "making $(VENV)"
	@"$(PYTHON)" -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

# The interpreter's own time says nothing about the environment, hence the order-only prerequisite.
$(VENV)/.package: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@ $(VENV)/.package

demo: $(VENV)/.package
	@echo "== What is in this workload?  (workloadmap inspect examples/jobset.yaml)"
	@$(BIN)/workloadmap inspect examples/jobset.yaml
	@echo
	@echo "== What must start together?  (workloadmap gang examples/jobset.yaml)"
	@$(BIN)/workloadmap gang examples/jobset.yaml
	@echo
	@echo "== The whole map, for programs  (workloadmap map -o yaml examples/jobset.yaml)"
	@$(BIN)/workloadmap map -o yaml examples/jobset.yaml

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A worker for each processor; more than eight gain little, since each collects all tests. Who is done first takes
# over from the others: the tests of one file stay together as long as possible, and with them what they share.
WORKERS := -n auto --maxprocesses 8 --dist worksteal
test: lint
	$(BIN)/python -m pytest $(WORKERS) --cov --cov-report=term
	$(MAKE) conformance

BROWSER := e2e/browser
# Needs Go and etcd for the server, chromium for the browser; what is absent is told.
e2e: $(VENV)/.dev
	$(BIN)/python -m pytest e2e
	@if command -v npm >/dev/null && command -v chromium >/dev/null; then \
		npm ci --silent --no-audit --no-fund --prefix $(BROWSER) && \
		$(BIN)/python $(BROWSER)/pages.py $(BROWSER)/pages && npm test --prefix $(BROWSER); \
	else echo "note: npm or chromium is not installed, so the page is not tried in a browser"; fi

# The second reader needs Node.js; where that is not installed the first one runs alone.
JAVASCRIPT := conformance/readers/javascript
conformance: $(VENV)/.dev
	$(BIN)/workloadmap conformance lint
	$(BIN)/workloadmap conformance run --jobs 2 --variants all -- $(BIN)/workloadmap reader
	@if command -v npm >/dev/null; then \
		(cd $(JAVASCRIPT) && npm ci --silent --no-audit --no-fund) && \
		$(BIN)/workloadmap conformance run --jobs 2 -- node $(JAVASCRIPT)/reader.js; \
	else echo "note: npm is not installed, so the reader in JavaScript is not run"; fi

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(VENV)/.dev
	@set -e; for script in $(GENERATORS); do echo "$$script"; $(BIN)/python "$$script"; done

bench: $(VENV)/.dev
	@test -n "$(BENCHES)" || { echo "error: there is no bench/bench_*.py" >&2; exit 1; }
	@set -e; for script in $(BENCHES); do echo "$$script"; $(BIN)/python "$$script"; done

results: $(VENV)/.dev
	cd $(JAVASCRIPT) && npm ci --silent --no-audit --no-fund
	$(BIN)/python tools/results.py --run

release: $(VENV)/.dev
	$(BIN)/workloadmap conformance lint
	$(BIN)/python tools/release.py

mutate: $(VENV)/.dev
	$(BIN)/python tools/mutate.py

clean:
	rm -rf $(VENV) build dist $(JAVASCRIPT)/node_modules .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
