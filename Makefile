# `make demo` and `make test` need Python ≥ 3.11 and make, nothing else: the rest goes into .venv.
PYTHON := $(firstword $(foreach one,python3 python3.13 python3.12 python3.11 python3.14 python,$(shell \
	$(one) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(one))))
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Some tests start the command: with bytecode on the disk each of them starts twice as fast.
unexport PYTHONDONTWRITEBYTECODE

# Two processes are enough for the two cores of a small machine; give PROCESSES=8 for more.
PROCESSES := 2
PYTEST = $(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal

.PHONY: demo check quick test tests test-slow test-sweeps test-ray test-inputs lint types docs page bench release clean

demo: .venv/installed        ## evaluate the bundled example
	$(BIN)/ragauge demo

lint: .venv/installed-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/installed-tests
	$(BIN)/basedpyright --level error --pythonversion $$($(BIN)/python -c 'from sys import version_info as v; print(f"{v[0]}.{v[1]}")')

# The developer's minute on two cores: layers, doctests, and the tests that start few processes and no encoder.
QUICK := src tests/test_layers.py $(addprefix tests/,language stats report features network samples metrics) \
	$(patsubst %,--ignore=tests/metrics/test_%.py,estimated_correctness token_similarity)

check: .venv/installed-tests  ## format, lint, types, layers, doctests and the quick tests: a minute
	@$(MAKE) --no-print-directory -j 2 lint types quick

quick: .venv/installed-tests
	$(PYTEST) -m "not slow" $(QUICK)

test: .venv/installed-tests  ## format, lint, types, every doctest and every test that is not slow
	@$(MAKE) --no-print-directory -j 2 lint types tests

tests: .venv/installed-tests
	$(PYTEST) -m "not slow"

test-slow: .venv/installed-tests .venv/installed-docs  ## the slow tests, and the property tests with many more examples
	RAGAUGE_HYPOTHESIS=thorough $(PYTEST) -m "slow or hypothesis" --timeout 600 tests

test-sweeps: .venv/installed-tests  ## before a release: long texts in every field, wrong values in all fields of a run (half an hour)
	RAGAUGE_SWEEPS=all $(PYTEST) -m "slow or not slow" --timeout 1800 tests/faults/test_time.py tests/faults/test_31_damaged_runs.py

test-ray: .venv-ray/installed  ## the tests that start a Ray cluster or an S3 server, with Ray in an environment of its own
	.venv-ray/bin/python -m pytest -m "slow or not slow" tests/on_ray tests/runs/test_at_s3_url.py

test-inputs: .venv/bin/python  ## load the objects of other tools' real packages, each in an environment of its own
	$(BIN)/python tests/loaders/real_packages.py

docs: .venv/installed-docs   ## build the site into build/site: offline, and a warning or a broken link is an error
	$(BIN)/python -m sphinx -q -W --keep-going -E -c docs -d build/doctrees . build/site
	@echo "open build/site/index.html"

page: .venv/installed-tests  ## rebuild the report page from web/ into src/ragauge/page/built
	$(BIN)/python web/make_types.py
	$(BIN)/python web/build.py

bench: .venv/installed-tests ## throughput on 100,000 generated answers; rankings and meaning beside the peers
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/ranking.py
	$(BIN)/python benchmarks/meaning.py

release: .venv/installed-release  ## build the last commit twice into dist/, compare, check, install without network
	$(BIN)/python tools/release.py

clean:
	rm -rf .venv .venv-inputs .venv-ray build dist ragauge-demo ragauge-runs

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "ragauge needs Python 3.11 or newer on the PATH"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml hatch_build.py
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/installed-tests: .venv/installed
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group test --group check --group page
	@touch $@

.venv-ray/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-ray/bin/python -m pip install --quiet --editable ".[ray,s3]" --group test "moto[server]>=5"
	@touch $@

.venv/installed-release: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group release
	@touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@
