# make demo: be asked about films.   make test: lint, types, layers, tests.   Both set up .venv on the first run only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check lint types layers unit docs format page clean

demo: $(VENV)/.demo-ready
	@$(BIN)/rather demo

test check: lint types layers unit

lint: $(VENV)/.dev-ready
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests

types: $(VENV)/.dev-ready
	$(BIN)/mypy

layers: $(VENV)/.dev-ready
	$(BIN)/lint-imports --no-logo --no-cache

unit: $(VENV)/.dev-ready
	$(BIN)/python -m pytest

# Builds the documentation into docs/_build/html. A warning, such as a broken link, is an error.
docs: $(VENV)/.dev-ready
	$(BIN)/python -m sphinx -W --keep-going -n -q -E -b html -d docs/_build/doctrees docs docs/_build/html

format: $(VENV)/.dev-ready
	$(BIN)/ruff format src tests
	$(BIN)/ruff check --fix src tests

# Rebuilds the page that the server ships, from web/ (needs Node 20.19 or later).
page:
	cd web && npm ci --no-audit --no-fund && npm run build

$(VENV)/bin/python:
	@echo "setting up $(VENV) (a minute or two, once)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable '.[serve]'
	@touch $@

$(VENV)/.dev-ready: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.demo-ready

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache
