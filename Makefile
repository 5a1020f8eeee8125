# Referee: everything a person types. `make help` lists the targets.
# Needs only Python 3.11 or newer and make; the rest is installed into .venv.
.DEFAULT_GOAL := help
UV_VERSION := 0.13.7
VENV := .venv
BIN := $(VENV)/bin
export UV_PROJECT_ENVIRONMENT := $(VENV)
export GRPC_ENABLE_FORK_SUPPORT := 0
unexport VIRTUAL_ENV

.PHONY: help setup demo test lint types imports unit fmt goldens picture coverage bench soak dist clean \
  proto proto-lint proto-check proto-baseline

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

setup: $(VENV)/.ready  ## create .venv with the `referee` command and all tools

# The two modules hold the versions, which an installation copies.
$(VENV)/.ready: pyproject.toml uv.lock sdk/python/pyproject.toml server/referee/__init__.py sdk/python/arena/__init__.py Makefile
	@python=; for p in $${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do \
	  if command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then python=$$p; break; fi; done; \
	if [ -z "$$python" ]; then echo "Referee needs Python 3.11 or newer; none found. Install one, or name it: make setup PYTHON=/path/to/python" >&2; exit 3; fi; \
	if [ ! -x $(BIN)/python ]; then \
	  echo "Creating $(VENV) with $$($$python --version)"; \
	  $$python -m venv $(VENV) || { echo "Could not create $(VENV): on Debian and Ubuntu, install the package python3-venv" >&2; rm -rf $(VENV); exit 3; }; fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip -q
	@if ! $(BIN)/uv --version 2>/dev/null | grep -q '^uv $(UV_VERSION)'; then $(BIN)/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION); fi
	@echo "Installing into $(VENV)"
	@# An environment from before the distribution was called referee-arena would hold it twice.
	@for old in $(VENV)/lib/python3*/site-packages/referee-*.dist-info; do \
	  if [ -d "$$old" ]; then $(BIN)/uv pip uninstall --quiet --python $(BIN)/python referee; fi; done
	@$(BIN)/uv sync --quiet --frozen --inexact --compile-bytecode
	@touch $@

demo: setup  ## the whole thing: a server, bots in processes of their own, a short tournament of every game
	@$(BIN)/referee demo

test: lint types imports proto-check unit  ## everything that must hold; ends with the tests' own summary

lint: setup  ## ruff: rules and formatting
	@echo "ruff"; $(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet . || { echo "run 'make fmt', then look at what is left" >&2; exit 1; }

types: setup  ## mypy --strict
	@echo "mypy --strict"; $(BIN)/mypy

imports: setup  ## the import directions (import-linter)
	@echo "import directions"; $(BIN)/lint-imports --no-cache >/tmp/lint-imports.$$$$ 2>&1 && rm -f /tmp/lint-imports.$$$$ || { cat /tmp/lint-imports.$$$$; rm -f /tmp/lint-imports.$$$$; exit 1; }

unit: setup  ## the tests alone; TESTS=tests/rules for a part
	@$(BIN)/pytest -q -n 2 --dist loadgroup $(TESTS)

fmt: setup  ## format the code
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

goldens: setup  ## record the golden matches anew, after raising a game's version
	@$(BIN)/python tests/goldens/make.py

picture: setup  ## draw the leaderboard in README.md anew
	@$(BIN)/python tests/leaderboard/demo.py --bots 9 --svg leaderboard/leaderboard.svg

coverage: setup  ## run the tests and report which lines of server/, leaderboard/ and sdk/ they reach; TESTS=… for a part
	@$(BIN)/pytest -q -n 2 --dist loadgroup --timeout 600 --cov --cov-report=term:skip-covered --cov-report=html $(TESTS)
	@echo "line by line: htmlcov/index.html"

bench: setup  ## measure; figures and meaning in tests/bench/README.md
	@$(BIN)/uv sync --quiet --frozen --inexact --group bench
	@for bench in tests/bench/bench_*.py; do echo; echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

soak: setup  ## long runs that are too long for `make test`
	@$(BIN)/pytest -q -n 2 --dist loadgroup -m soak $(TESTS)

dist: setup  ## build wheels and sdists of referee-arena and referee-sdk into dist/
	@rm -rf dist
	@for project in . sdk/python; do $(BIN)/uv build --quiet --offline --no-build-isolation --out-dir dist $$project || exit 1; done
	@ls dist

clean:  ## remove .venv, what was built, and caches
	rm -rf $(VENV) dist htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .demo

PROTOS = $(shell cd proto && find arena -name '*.proto' | LC_ALL=C sort)
GENERATE = $(abspath $(BIN))/python -m grpc_tools.protoc -I . --plugin=protoc-gen-mypy=$(abspath $(BIN))/protoc-gen-mypy \
  --plugin=protoc-gen-mypy_grpc=$(abspath $(BIN))/protoc-gen-mypy_grpc

proto: setup  ## regenerate the Python code of the protocol (committed in sdk/python/arena)
	@cd proto && $(GENERATE) --python_out=../sdk/python --mypy_out=quiet:../sdk/python $(PROTOS)
	@cd proto && $(GENERATE) --grpc_python_out=../sdk/python --mypy_grpc_out=quiet:../sdk/python $$(grep -l '^service ' $(PROTOS))

proto-lint: setup  ## lint the protocol, and compare it with what the last release promised (proto/baseline.binpb)
	@echo "buf"; cd proto && $(abspath $(BIN))/buf lint
	@cd proto && $(abspath $(BIN))/buf breaking --against baseline.binpb || { \
	  echo "this breaks clients of the last release: add fields and messages, never change or remove them (CONTRIBUTING.md)" >&2; exit 1; }

proto-baseline: setup  ## with a release: promise the protocol as it is now
	@cd proto && $(abspath $(BIN))/buf build --exclude-source-info -o baseline.binpb

proto-check: proto-lint  ## proto-lint, and check that the committed code is what the generator makes
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && cd proto && \
	  $(GENERATE) --python_out=$$tmp --mypy_out=quiet:$$tmp $(PROTOS) && \
	  $(GENERATE) --grpc_python_out=$$tmp --mypy_grpc_out=quiet:$$tmp $$(grep -l '^service ' $(PROTOS)) && cd .. && \
	  for made in $$(cd $$tmp && find arena -name '*_pb2*' | LC_ALL=C sort); do \
	    cmp -s $$tmp/$$made sdk/python/$$made || { echo "sdk/python/$$made is not what proto/ generates: run 'make proto' and commit" >&2; exit 1; }; done && \
	  for kept in $$(cd sdk/python && find arena -name '*_pb2*' ! -name '*.pyc' | LC_ALL=C sort); do \
	    [ -e $$tmp/$$kept ] || { echo "sdk/python/$$kept comes from no file in proto/: remove it" >&2; exit 1; }; done
