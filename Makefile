# What people type. A fresh machine needs Python 3.11 or newer, make and git; nothing else.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
FRONTENDS := $(patsubst %/package.json,%,$(wildcard app/*/frontend/package.json))

# Where this is set, as containers like to, each of many processes compiles all of our code anew.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest

.PHONY: run demo check test test-all without flakes durations gpu nearest crossing bench tables lint messages frontend frontend-check golden constraints oldest setup dev clean

run: .venv/installed  ## open the workbench on LeNet, ready to train
	$(BIN)/layerloom projects/lenet_digits.loom.json $(ARGS)

demo: .venv/installed  ## the whole line without a browser, in about a minute
	$(BIN)/layerloom demo $(ARGS)

check: .venv/installed-dev  ## before each commit, under two minutes: small tests, style, types
	@$(MAKE) --no-print-directory lint frontend-check >.venv/lint.log 2>&1 & \
	$(PYTEST) -n 2 --dist=worksteal --tier=check --part=together --ignore=tests/browser $(ARGS); \
	tests=$$?; wait $$!; style=$$?; cat .venv/lint.log; \
	exit $$((tests ? tests : style))

test: .venv/installed-dev  ## the gate, eleven minutes: small tests, one of each slow family, main journeys
	@.ci/tests gate $(ARGS)

test-all: .venv/installed-dev  ## everything, or one room of it: ROOM=core/script
	@.ci/tests all $(if $(ROOM),tests/$(ROOM)) $(ARGS)

without: .venv/installed-dev  ## what is left without WING=shrink, or WING=all: style, types, demo, make check
	@.ci/without $(WING)

flakes: .venv/installed-dev  ## run browser and process tests N times under load; a table of failures
	$(BIN)/python -m tests.flakes $(or $(N),5) $(ARGS)

durations: .venv/installed-dev  ## measure all tests anew, for the budget of the gate
	JUNIT=.venv/results .ci/tests all $(ARGS); $(BIN)/python -m tests.durations .venv/results-*.xml

gpu: .venv/installed-dev  ## all GPU tests and the engine's table into OUT; without a GPU on recordings
	$(BIN)/python -m tests.gpu.all $(or $(OUT),out/gpu)

nearest: .venv/installed-dev  ## the tests to run after a change of FILE=core/engine/ema.py
	$(PYTEST) $$($(BIN)/python -m tests.nearest $(FILE)) $(ARGS)

crossing: .venv/installed-dev  ## every door's answer for every kind of project, into tests/bench/crossing.md
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.crossing.cross $(ARGS)

bench: .venv/installed-bench  ## engine against other trainers, and its ways of calculating a step
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.engine_vs_loop $(ARGS)
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.engine_modes

tables: .venv/installed-dev  ## renew the tables of tests/bench that are older than their code; ARGS=--list
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.bench.tables $(ARGS)

lint: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	set -e; for rooms in $(wildcard core/wings/*/rooms.toml); do $(BIN)/lint-imports --config $$rooms; done
	$(BIN)/pyright

messages: .venv/installed-dev  ## write the canvas's types of the messages from their declaration
	$(BIN)/python -m app.canvas.typescript

frontend: messages  ## rebuild the checked-in bundles; fails when they differ from what is committed
	set -e; for folder in $(FRONTENDS); do (cd $$folder && npm ci && npm run --if-present test && npm run build); done
	cd app && canvas/frontend/node_modules/.bin/biome check --error-on-warnings */frontend/src canvas/frontend/tests frontend_shared
	git diff --exit-code -- app/static
	test -z "$$(git status --porcelain -- app/static)"

frontend-check:  ## the front ends' style, types and tests, where Node is
	@if ! command -v npm >/dev/null; then echo "No Node here: the front ends are not tested."; exit 0; fi; \
	set -e; for folder in $(FRONTENDS); do (cd $$folder && { [ -d node_modules ] || npm ci --silent; } \
		&& npx tsc --noEmit && npm run --silent --if-present test); done; \
	cd app && canvas/frontend/node_modules/.bin/biome check --error-on-warnings */frontend/src canvas/frontend/tests frontend_shared

golden: .venv/installed-dev  ## write the golden files anew, to be read as a diff
	$(BIN)/python -m pytest tests/projects --golden

constraints: .venv/installed-dev  ## renew the exact versions from what is installed
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/pip freeze --exclude-editable; } > .venv/new \
		&& mv .venv/new constraints.txt

oldest: .venv-oldest/installed  ## the small tests of blocks and core on the oldest versions allowed
	OMP_NUM_THREADS=1 .venv-oldest/bin/python -m pytest -n 2 --tier=check --part=together \
		--dist=worksteal $(or $(ARGS),tests/blocks tests/core)

.venv-oldest/installed: pyproject.toml .ci/oldest
	$(PYTHON) -m venv .venv-oldest
	$(PYTHON) .ci/oldest >.venv-oldest/floors.txt
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' \
		-c .venv-oldest/floors.txt
	touch $@

setup: .venv/installed
dev: .venv/installed-dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Layerloom needs Python 3.11 or newer; PYTHON=/path/to/python make ... names one."; exit 1; }
	$(PYTHON) -m venv .venv

# Says how much an installation needs and how much is free; DISK_SPACE=0 does not look.
disk_space = @test "$(DISK_SPACE)" = 0 || $(BIN)/python .ci/disk_space .venv

# The stamps make a second start instant; a changed pyproject or constraints file installs again.
.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	$(disk_space)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	touch $@

.venv/installed-dev: pyproject.toml constraints.txt | .venv/bin/python
	$(disk_space)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	[ ! -e .git ] || git config core.hooksPath .ci/hooks
	touch .venv/installed $@

# The trainers that are only compared with: over 1 GB, and no part of the product.
.venv/installed-bench: .venv/installed-dev
	$(disk_space) 8.5 5
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]' -c constraints.txt
	touch $@

clean:
	rm -rf .venv .venv-oldest out .pytest_cache .ruff_cache .import_linter_cache *.egg-info
