# Every target sets up .venv by itself, so a fresh clone needs `make` and Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_VENV := .venv-bench
BENCH_READY := $(BENCH_VENV)/.ready
CHROMIUM := /usr/bin/chromium
COMPILED := hatch_build.py $(wildcard src/mirada/native/source/*.?pp src/mirada/native/source/*/*)

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench kernels tour browser constraints clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# torch first and pinned: resolved together with the rest, pip may fetch a far larger build of it.
$(READY): pyproject.toml constraints.txt $(COMPILED)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

# The peers have requirements of their own, which must not move the versions the tests run with.
$(BENCH_READY): pyproject.toml constraints.txt bench/requirements.txt $(COMPILED)
	@test -x $(BENCH_VENV)/bin/python || $(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --constraint constraints.txt torch
	$(BENCH_VENV)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[ctranslate2]' --requirement bench/requirements.txt
	@touch $@

demo: $(READY) ## Train a small translator on the embedded grammar and show where it looks (3 minutes).
	$(BIN)/mirada demo

test: $(READY) browser ## Run every test.
	$(BIN)/pytest -q --durations=10 --numprocesses auto --dist loadfile

check: $(READY) ## Lint, formatting, strict types, and the direction of imports.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## Put the code into the house style.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The peers' own environments are made under .bench by the program itself. BENCH="quality --rounds 3" asks for a part.
bench: $(BENCH_READY) ## Measure us beside our peers, alternately in one run (35 minutes once the peers are set up).
	$(BENCH_VENV)/bin/python bench/run.py $(BENCH)

kernels: $(BENCH_READY) ## Measure attention kernels beside bare torch and other packages.
	$(BENCH_VENV)/bin/python bench/attention.py

tour: $(READY) ## Make docs/tour.md and its pictures anew; up to 8 minutes if what it trains has changed.
	$(BIN)/python docs/make_tour.py

browser: ## Install Chromium for the browser tests, where that is possible.
	@if test -x $(CHROMIUM); then \
	    true; \
	elif test "$$(id -u)" = 0 && command -v apt-get > /dev/null; then \
	    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium) < /dev/null \
	        || echo "Chromium could not be installed: the browser tests will be skipped."; \
	else \
	    echo "$(CHROMIUM) is absent and only root can install it with apt-get: the browser tests will be skipped."; \
	fi

constraints: $(READY) ## Pin in constraints.txt what .venv holds now.
	@{ echo "# Exactly what the tests ran with. Made by: make constraints"; \
	   $(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//'; } > constraints.new
	@mv constraints.new constraints.txt
	@touch $(READY)

clean: ## Remove what the other targets made.
	rm -rf $(VENV) $(BENCH_VENV) .bench bench/results build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
