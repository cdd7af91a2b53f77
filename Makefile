# make demo: be asked about films.   make test: lint, types, layers, docs, tests.   Both set up .venv once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := src tests .ci
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check lint types layers docs unit cluster dist format page clean

demo: $(VENV)/.demo-ready
	@$(BIN)/rather demo

test check: lint types layers docs unit

lint: $(VENV)/.dev-ready
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

types: $(VENV)/.dev-ready
	$(BIN)/mypy

layers: $(VENV)/.dev-ready
	$(BIN)/lint-imports --no-logo --no-cache

unit: $(VENV)/.dev-ready
	$(BIN)/python -m pytest

# Builds the documentation into docs/_build/html. A warning, such as a broken link, is an error.
docs: $(VENV)/.dev-ready
	$(BIN)/python -m sphinx -W --keep-going -n -q -E -b html -d docs/_build/doctrees docs docs/_build/html

# Adds Ray, for the tests that start a cluster: RATHER_CLUSTER_TESTS=1 make unit
cluster: $(VENV)/.cluster-ready

# Builds what is released: dist/rather-*.tar.gz, and from it dist/rather-*.whl.
dist: $(VENV)/.dev-ready
	rm -rf dist
	$(BIN)/python -m build --outdir dist

format: $(VENV)/.dev-ready
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

# Tests and rebuilds the page that the server ships, from web/ (needs Node 20.19 or later).
page:
	cd web && npm ci --no-audit --no-fund && npm test && npm run build

$(VENV)/bin/python:
	@echo "setting up $(VENV) (a minute or two, once)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.dev-ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.demo-ready

$(VENV)/.cluster-ready: $(VENV)/.dev-ready
	@$(PIP) --editable '.[cluster]'
	@touch $@

clean:
	rm -rf $(VENV) dist docs/_build .mypy_cache .ruff_cache .pytest_cache
