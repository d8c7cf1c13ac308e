# Circolo: `make up` plays, `make test` proves, `make help` lists the rest. Needs Python 3.11+ (or make PYTHON=...).
PYTHON ?= python3
PARTS := $(sort $(dir $(wildcard libs/*/pyproject.toml services/*/pyproject.toml)))
BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input
.PHONY: up test check format bench soak docs pins help

up: $(READY) ; @$(BIN)/circolo up $(ARGS)  ## servers and services; prints the URL when one can play
test: check ; @$(BIN)/pytest -n auto --maxprocesses 4 --dist loadgroup $(ARGS)  ## every check and every test; under 10 minutes on 2 cores
check: $(READY) ; @set -x; $(BIN)/ruff check -q . && $(BIN)/ruff format -q --check . && $(BIN)/mypy && $(BIN)/lint-imports --no-logo  ## lint, format, types, import contracts
format: $(READY) ; @$(BIN)/ruff check -q --fix-only . ; $(BIN)/ruff format -q .  ## put the code into the house's format
bench: $(READY) ; @$(BIN)/python -m bench $(ARGS)  ## moves a second, latency, CPU a move
soak: $(READY) ; @$(BIN)/pytest -m soak $(ARGS)  ## the long runs that `make test` leaves out
docs: $(READY) ; @for page in docs/build_*.py; do $(BIN)/python $$page || exit 1; done  ## pages that are made from the code
pins: ; @uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header requirements.in -o requirements.txt  ## requirements.txt from requirements.in (needs uv)
help: ; @sed -n 's/^\([a-z]*\):.*  ## \(.*\)/make \1 \2/p' $(MAKEFILE_LIST) | awk '{ name = $$2; $$1 = $$2 = ""; printf "  make %-8s%s\n", name, $$0 }'  ## this list

$(READY): requirements.txt $(addsuffix pyproject.toml,$(PARTS))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Circolo needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || { echo "circolo: making .venv"; $(PYTHON) -m venv .venv; }
	@echo "circolo: installing $$(grep -c == requirements.txt) pinned packages (10 to 60 s the first time)"
	@$(PIP) --require-hashes -r requirements.txt
	@echo "circolo: installing $(words $(PARTS)) parts of the project"
	@$(PIP) --no-deps --no-build-isolation $(addprefix -e ,$(PARTS))
	@touch $@
