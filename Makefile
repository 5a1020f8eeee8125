# Referee: everything a person types. `make help` lists the targets.
# Needs only Python 3.11 or newer and make; the rest is installed into .venv.
.DEFAULT_GOAL := help
UV_VERSION := 0.13.7
VENV := .venv
BIN := $(VENV)/bin
# Tests at a time: two more than there are processors, for many wait for clocks and for programs that start.
AT_ONCE ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 2 )))
export UV_PROJECT_ENVIRONMENT := $(VENV)
export GRPC_ENABLE_FORK_SUPPORT := 0
unexport VIRTUAL_ENV
# Tests start hundreds of programs: none of them should compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

# The files with tests that run alone: to look through all the others takes longer than some of them.
ALONE = $(shell grep -rl --include='test_*.py' 'mark\.alone' tests)

.PHONY: help setup demo test test-sdks sdks bots lint types imports unit fmt goldens picture pictures browser coverage bench soak dist demo-polyglot clean \
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

demo-polyglot: setup  ## one tournament of Flip 7 with a bot in every language this machine has the tools for
	@$(BIN)/python tests/e2e/polyglot.py

test: setup  ## everything that must hold; ends with the tests' own summary
	@$(MAKE) --no-print-directory -j $(AT_ONCE) --output-sync=target lint types imports proto-check
	@$(MAKE) --no-print-directory unit

test-sdks: setup  ## the SDKs in other languages: generated code, their tests, the conformance kit, bots; needs their toolchains
	@$(BIN)/pytest -q -n 3 --dist loadgroup -m sdks $(or $(TESTS),tests/sdk/languages tests/bots_with_dependencies)

sdks: ## build the SDKs in other languages, as many as this machine has the tools for
	@for folder in $(patsubst %/Makefile,%,$(wildcard sdk/*/Makefile)); do echo "$$folder"; $(MAKE) --no-print-directory -C $$folder build \
	  || echo "skipped $$folder: see the line above" >&2; done

bots: ## build the bots in other languages, as many as this machine has the tools for
	@for folder in $(patsubst %/Makefile,%,$(wildcard bots/*/Makefile)); do echo "$$folder"; $(MAKE) --no-print-directory -C $$folder build \
	  || echo "skipped $$folder: see the line above" >&2; done

lint: setup  ## ruff: rules and formatting
	@echo "ruff"; $(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet . || { echo "run 'make fmt', then look at what is left" >&2; exit 1; }

types: setup  ## mypy --strict
	@echo "mypy --strict"; $(BIN)/mypy

imports: setup  ## the import directions (import-linter)
	@echo "import directions"; $(BIN)/lint-imports --no-cache >/tmp/lint-imports.$$$$ 2>&1 && rm -f /tmp/lint-imports.$$$$ || { cat /tmp/lint-imports.$$$$; rm -f /tmp/lint-imports.$$$$; exit 1; }

browser:  ## Chromium for the tests in a browser, where it is missing and can be installed; else they are skipped by name
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then echo "Installing Chromium"; \
	    { apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 || true; fi; \
	  command -v chromium >/dev/null || echo "no Chromium: the tests in a browser are skipped" >&2; }

unit: setup browser  ## the tests without the static checks; TESTS=tests/rules for a part
	@# First those that measure what the machine gives to programs, one by one (exit code 5: there are none in this part).
	@$(BIN)/pytest -q -m "alone and not soak" $(or $(TESTS),$(ALONE)) || [ $$? = 5 ]
	@$(BIN)/pytest -q -n $(AT_ONCE) --dist loadgroup -m "not alone and not soak and not sdks" $(TESTS)

fmt: setup  ## format the code
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

goldens: setup  ## record the golden matches anew, after raising a game's version
	@$(BIN)/python tests/goldens/make.py

picture: setup  ## draw the leaderboard in README.md anew
	@$(BIN)/python tests/leaderboard/demo.py --bots 9 --svg leaderboard/leaderboard.svg

pictures: setup browser  ## screenshots of every page of `--web` into pictures/, and those of README.md anew
	@$(BIN)/python -m tests.web.pictures pictures
	@$(BIN)/python -m tests.web.pictures --readme server/pictures

coverage: setup  ## run the tests and report which lines of server/, leaderboard/ and sdk/ they reach; TESTS=… for a part
	@$(BIN)/pytest -q -n $(AT_ONCE) --dist loadgroup --cov --cov-report=term:skip-covered --cov-report=html $(TESTS)
	@echo "line by line: htmlcov/index.html"

bench: setup  ## measure; figures and meaning in tests/bench/README.md
	@$(BIN)/uv sync --quiet --frozen --inexact --group bench
	@for bench in tests/bench/bench_*.py; do echo; echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

soak: setup  ## long runs that are too long for `make test`
	@$(BIN)/pytest -q -m "alone and soak" $(or $(TESTS),$(ALONE)) || [ $$? = 5 ]
	@$(BIN)/pytest -q -n 2 --dist loadgroup -m "soak and not alone" $(TESTS) || [ $$? = 5 ]

dist: setup  ## build the packages into dist/: referee-arena, and the SDK in every language this machine has the tools for
	@rm -rf dist
	@for project in . sdk/python; do $(BIN)/uv build --quiet --offline --no-build-isolation --out-dir dist $$project || exit 1; done
	@# Exit code 3 is a missing tool, which leaves out one SDK; anything else is a mistake.
	@failed=; for folder in $(patsubst %/Makefile,%,$(wildcard sdk/*/Makefile)); do \
	  $(MAKE) --no-print-directory -C $$folder dist >dist/.log 2>&1 || { cat dist/.log >&2; \
	    if grep -q 'Error 3$$' dist/.log; then echo "skipped $$folder: see the line above" >&2; else failed="$$failed $$folder"; fi; }; done; \
	  rm -f dist/.log; ls dist; \
	  if [ -n "$$failed" ]; then echo "no package of$$failed: see above" >&2; exit 1; fi

clean:  ## remove .venv, what was built, and caches
	rm -rf $(VENV) dist pictures htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .demo

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
