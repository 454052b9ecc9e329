# Gnomon: two commands are enough, `make run` and `make test`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export UV_COMPILE_BYTECODE = 1
# Everything the tests use; training the encoder anew (extra `train`) is left out for its size.
EXTRAS := postgres polars images dask charts reports coder llm local

.PHONY: help setup compiled run test test-long test-again check bench bench-llm lock clean

help: ## What each command does
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) ## Create .venv and install Gnomon with everything the tests use

$(STAMP): requirements.lock pyproject.toml
	@test -x $(BIN)/python || python3 -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

# Where Python is told to write no bytecode, every process would compile every file of ours anew.
compiled: $(STAMP)
	@$(BIN)/python -m compileall -q src

run: compiled ## Show Gnomon at work on the demo store
	@$(BIN)/gnomon demo

# The bytecode of the tests is kept for the same reason.
test: compiled ## Run the tests (8 minutes on two quiet cores)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m "not long"

test-long: compiled ## Run the others: those that take long alone, repeat a draw, train anew or kill what runs (half an hour)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m long

test-again: compiled ## Run those that failed last, one after the other
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 0 --last-failed --last-failed-no-failures none

check: $(STAMP) ## Lint, types, and the layers of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright

bench: $(STAMP) ## Run the benchmarks and print their tables (slow); DATA=folder for those on real data
	$(BIN)/python bench/run.py $(if $(DATA),--data $(DATA))

bench-llm: $(STAMP) ## Measure a real language model: prefix, questions, code (an hour; DATA=folder)
	$(BIN)/gnomon llm install
	$(BIN)/python bench/llm_prefix.py
	$(BIN)/python bench/ask_model.py "$$($(BIN)/gnomon llm where)" $(if $(DATA),--data $(DATA))
	$(BIN)/python bench/llm_dabench.py $(if $(DATA),--data $(DATA))

lock: ## Resolve the pins of requirements.lock anew
	@test -x $(BIN)/python || python3 -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev $(addprefix --extra ,$(EXTRAS)) --universal --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --quiet --output-file requirements.lock

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis logs
