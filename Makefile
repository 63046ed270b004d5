# Two commands for a newcomer: `make demo` and `make test`. Both start from a bare clone with only python3 (>= 3.11)
# and make. `make help` lists the others.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# uv takes a fifth of pip's time; where it cannot be had, or does not find what pip finds, pip installs. Without bytecode,
# which is written when it is first needed: much of what is installed never is.
# Called with what to install, and the environment, by default this one.
PIP := bin/python -m pip --disable-pip-version-check --quiet install --no-compile
install = $(BIN)/uv pip install --quiet --python $(or $(2),$(VENV))/bin/python $(1) 2> /dev/null || \
  $(or $(2),$(VENV))/$(PIP) $(1)

.DEFAULT_GOAL := demo

.PHONY: help dev test-native test-sanitized test-arm wheels release-check demo examples fetch-live docs pictures stubs studio-pictures test test-long golden fuzz test-lowest test-solvers test-programs bench bench-small bench-supports bench-before bench-adult bench-threads bench-covers bench-prototype bench-first-cards bench-many bench-accuracy bench-risk bench-public bench-table bench-limits bench-rows bench-questions bench-new-rows bench-projections bench-learner certificates risk-certificates study study-small study-page study-check lint format clean

##@ Start here

# What each target is for, from the comments behind it.
help:  ## this list
	@awk -F ':.*  ## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z-]+:.*  ## / { printf "  %-18s %s\n", $$1, $$2 }' \
	  $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.package  ## learn a card from a table that comes along, and print it
	$(BIN)/supersparse demo

# The paper's three applications (one whose data are missing says so, exit code 3, and is left out), its figures, and
# a published score beside a learned one.
examples: $(VENV)/.package  ## the paper's three applications, its figures, a published score
	@for name in breast_cancer mammography criminology; do \
	  $(BIN)/python examples/applications/$$name.py || [ $$? -eq 3 ] || exit 1; echo; \
	done
	$(BIN)/python examples/paper_figures.py
	$(BIN)/python examples/published_beside_learned.py

# The package, editable, and what tests and lint need.
dev: $(VENV)/.dev $(VENV)/.package  ## install what a developer needs into .venv, and run nothing

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check src checker study tests benchmarks examples docs/conf.py docs/scripts
	$(BIN)/ruff format --check src study tests benchmarks examples docs/conf.py docs/scripts
	$(BIN)/mypy

format: $(VENV)/.dev  ## ruff's fixes and layout; paragraphs of the docs wrapped at 120
	$(BIN)/ruff check --fix src study tests benchmarks examples docs/conf.py docs/scripts
	$(BIN)/ruff format src study tests benchmarks examples docs/conf.py docs/scripts
	$(BIN)/python docs/scripts/wrap.py

clean:  ## remove the environment and what was built
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

##@ Tests

# Two processes, so one thread each for linear algebra. They share the bytecode that the first of them writes.
PYTEST = -m pytest -n 2 --dist worksteal
# What a laptop can run; pytest says at its end what was left out, and the targets that run it.
QUICK = -m "not long and not solver and not program$(if $(SUPERSPARSE_SHARED_DATA)$(wildcard ../shared/data),, and not shared_data)"
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.test  ## what a laptop can run; a few minutes
	$(BIN)/python $(PYTEST) $(QUICK)

# The slow tests too, and more examples of each property.
test-long: $(VENV)/.test  ## the slow tests too, and more examples of each property
	$(BIN)/python $(PYTEST) --hypothesis-profile long

# Kills, mutations of files and faults, with the figures of docs/trust; an hour on two cores. The same for the same seed.
fuzz: $(VENV)/.test  ## kills, mutations of files and faults; an hour
	$(BIN)/python tests/robustness/fuzz.py --mutations 100000 --store
	$(BIN)/python tests/robustness/kills.py --trials 1000 --jobs 2 --store
	$(BIN)/python tests/robustness/faults.py --store
	$(BIN)/python docs/scripts/trust_page.py

# Golden answers: 200 problems, certificates and texts as they were stored; a change that is meant stores them anew with
# `python tests/golden/answers.py --store`.
golden: $(VENV)/.test  ## problems, certificates and texts against stored answers; a minute
	$(BIN)/python tests/golden/answers.py

# The same with the least versions that pyproject.toml allows, in an environment of their own.
test-lowest:  ## with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/pip install --quiet --constraint tests/lowest-versions.txt --editable ".[test]"
	build/lowest/bin/python $(PYTEST) $(QUICK)

# The solvers that need a licence, with the free wheels of gurobipy and cplex, whose licence is limited to small
# problems; in an environment of their own, so that `make test` stays free of them.
test-solvers: export OMP_NUM_THREADS = 1
test-solvers: build/solvers/.installed  ## Gurobi and CPLEX, with their free wheels
	build/solvers/bin/python $(PYTEST) -m "solver and not long"

build/solvers/.installed: pyproject.toml | $(BIN)/python
	$(PYTHON) -m venv build/solvers
	$(call install,--editable ".[test-solvers]",build/solvers)
	build/solvers/bin/python -c "import gurobipy, cplex"
	@touch $@

# Tests in Chromium, node, Java, JupyterLab, LaTeX and LibreOffice; without one of them its tests are skipped. The
# packages that they want of Python and node are installed; `.ci/run` installs the programs themselves.
test-programs: export OMP_NUM_THREADS = 1
test-programs: $(VENV)/.test-programs  ## Chromium, node, Java, JupyterLab, LaTeX, LibreOffice, where installed
	@! command -v npm > /dev/null || [ -e build/node/node_modules/fhirpath ] || \
	  npm install --silent --no-audit --no-fund --prefix build/node @electric-sql/pglite fhirpath@4 || true
	$(BIN)/python $(PYTEST) -m "program and not long"

# The C++ tests by themselves.
ENGINE_TESTS = -m pytest -q -p no:cacheprovider -m "not long" tests/engine/questions
test-native:  ## the C++ tests by themselves
	cmake -S native -B build/native -G Ninja -DNATIVE_TESTS=ON > /dev/null
	cmake --build build/native
	ctest --test-dir build/native --output-on-failure

# The C++ tests and the tests of the engine with AddressSanitizer and UndefinedBehaviorSanitizer, then with
# ThreadSanitizer; the library of a sanitizer must be there before Python, and what throws before it.
runtime = $$(g++ -print-file-name=lib$(1).so) $$(g++ -print-file-name=libstdc++.so)
test-sanitized: $(VENV)/.test  ## the same, and tests of the engine of questions, with sanitizers
	for kind in address,undefined thread; do \
	  cmake -S native -B build/$$kind -G Ninja -DNATIVE_TESTS=ON -DSANITIZERS=$$kind > /dev/null && \
	  cmake --build build/$$kind && ctest --test-dir build/$$kind --output-on-failure || exit 1; \
	done
	LD_PRELOAD="$(call runtime,asan)" ASAN_OPTIONS=detect_leaks=0 \
	  SUPERSPARSE_CORE=$(CURDIR)/build/address,undefined/libsupersparse_core.so $(BIN)/python $(ENGINE_TESTS)
	LD_PRELOAD="$(call runtime,tsan)" TSAN_OPTIONS="exitcode=66 ignore_noninstrumented_modules=1" \
	  SUPERSPARSE_CORE=$(CURDIR)/build/thread/libsupersparse_core.so $(BIN)/python $(ENGINE_TESTS)

# Wheels for Linux and macOS go to dist, cross-compiled; those for this machine and, under qemu, for aarch64 are tried.
wheels: $(VENV)/.test build/wheels/.installed  ## wheels for Linux and macOS, in dist; ten minutes
	rm -f dist/*.whl
	build/wheels/bin/python native/wheels.py
	rm -rf build/wheels/package && $(BIN)/python -m zipfile -e dist/supersparse-*manylinux2014_x86_64.whl build/wheels/package
	SUPERSPARSE_CORE=$(CURDIR)/build/wheels/package/supersparse/engine/libsupersparse_core.so \
	  $(BIN)/python $(ENGINE_TESTS)
	native/tests/arm.sh

test-arm: dist  ## C++ tests and tests of the engine of questions on aarch64, under qemu
	native/tests/arm.sh

release-check:  ## build, metadata, contents, an install without a compiler, the citation; uploads nothing
	$(PYTHON) .ci/release_check.py

dist: | build/wheels/.installed
	build/wheels/bin/python native/wheels.py manylinux2014_aarch64

build/wheels/.installed:
	$(PYTHON) -m venv build/wheels
	build/wheels/bin/python -m pip install --quiet ziglang wheel scikit-build-core
	@touch $@

# Needs the network, so no test runs it: download what is not bundled into an empty folder, and load it.
fetch-live: $(VENV)/.package  ## download what is not bundled, and load it; needs the network
	@folder=$$(mktemp -d) && export SUPERSPARSE_DATA=$$folder && $(BIN)/supersparse datasets fetch && \
	  $(BIN)/supersparse datasets export mammography --variant paper $$folder/mammography.csv && \
	  $(BIN)/supersparse datasets export internet-ads --processed $$folder/internet_ads.csv; \
	  status=$$?; rm -rf $$folder; exit $$status

##@ Documentation

# The site, in build/docs; a warning is an error.
docs: $(VENV)/.docs  ## the site, in build/docs
	rm -rf docs/gallery
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs build/docs
	@echo "open build/docs/index.html"

# The pictures of the README and of the architecture page.
pictures: $(VENV)/.docs  ## pictures of the README and of docs/architecture.md
	$(BIN)/python docs/scripts/readme_pictures.py
	$(BIN)/python docs/scripts/import_picture.py

# The stubs of the public names and of everything that takes declared settings as keywords.
stubs: $(VENV)/.package  ## public names and declared settings, for editors and type checkers
	$(BIN)/python docs/scripts/stubs.py

# The pictures of docs/studio.md, taken in Chromium; about five minutes.
studio-pictures: $(VENV)/.test  ## pictures of docs/studio.md, in Chromium; five minutes
	$(BIN)/python docs/scripts/studio_pictures.py

##@ Measurements: hours, some of them; results go to benchmarks/results, docs and study

# Results go to benchmarks/results. FasterRisk gets an environment of its own. All instances and peers,
# threads and executors, what more workers would give, first cards, and the C++ prototype where its source is: about an
# hour and a half on two idle cores, 40 minutes of it the first part, which goes on where it stopped if interrupted.
bench: $(VENV)/.bench  ## what docs/benchmarks.md shows; an hour and a half
	$(BIN)/python -m benchmarks.run full
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.run threads
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.first_cards
	[ ! -e ../shared/prototype/slim.cpp ] || $(BIN)/python -m benchmarks.prototype

bench-small: $(VENV)/.bench  ## a few small instances
	$(BIN)/python -m benchmarks.run small

bench-supports: $(VENV)/.bench  ## tables of many small supports, beside the commit before-3
	$(BIN)/python -m benchmarks.before supports

bench-before: $(VENV)/.bench  ## bench-small and bench-supports beside the commit before-3, in one run
	$(BIN)/python -m benchmarks.before

bench-adult: $(VENV)/.bench  ## the two instances of adult
	$(BIN)/python -m benchmarks.run adult

bench-threads: $(VENV)/.bench  ## threads and executors; docs/cluster.md
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.run threads

bench-covers: $(VENV)/.bench  ## instances for the bounds of covers
	$(BIN)/python -m benchmarks.run covers

bench-first-cards: $(VENV)/.bench  ## cards after 2 and 30 seconds where no proof is in reach
	$(BIN)/python -m benchmarks.first_cards

bench-prototype: $(VENV)/.bench  ## beside the prototype in C++, where its source is
	$(BIN)/python -m benchmarks.prototype

bench-many: $(VENV)/.bench  ## frontiers and pools
	$(BIN)/python -m benchmarks.many

# Default cards and their peers on held-out rows; other defaults beside them; the tables of docs/accuracy.md.
bench-accuracy: $(VENV)/.bench  ## default cards and peers on held-out rows; docs/accuracy.md
	$(BIN)/python -m benchmarks.accuracy run
	$(BIN)/python -m benchmarks.accuracy risk
	$(BIN)/python -m benchmarks.accuracy defaults
	$(BIN)/python -m benchmarks.accuracy table

# Least log loss beside the heuristics of peers, each in an environment of its own, on bundled tables, on folds and on
# random tables (what is stored of the last two is kept); proofs on generated and real tables beside what they may take,
# and beside the times of the feasibility study, which need shared/risk-optima.json.
bench-risk: $(VENV)/.bench  ## least log loss beside peers; docs/engine.md
	$(BIN)/python -m benchmarks.risk_peers
	$(BIN)/python -m benchmarks.risk_folds
	$(BIN)/python -m benchmarks.risk_random
	$(BIN)/python -m benchmarks.risk_tables
	$(BIN)/python -m benchmarks.risk_folds table
	$(BIN)/python -m benchmarks.risk_proofs

# Parquet files of 10^6, 10^7 and 10^8 rows (about 2 GB of disk) to a card; writes docs/rows.md.
bench-rows: $(VENV)/.bench  ## 10^6 to 10^8 rows, 2 GB of disk; docs/rows.md
	$(BIN)/python -m benchmarks.rows

# The public benchmark of exact risk scores, on a copy of it in FOLDER (docs/engine.md); JOBS=15 solves as many at a time.
FOLDER ?= ../shared/public-benchmark
bench-public: $(VENV)/.bench  ## the public benchmark of risk scores in FOLDER; docs/engine.md
	$(BIN)/python -m benchmarks.public $(FOLDER) --jobs $(or $(JOBS),1)

# Cards of questions beside the prototype, which stands with its tables in ../shared; JOBS=16 solves as many side by side.
bench-questions: $(VENV)/.package  ## cards of questions; JOBS=16 solves as many side by side
	$(BIN)/python -m benchmarks.questions --jobs $(or $(JOBS),1)

bench-projections: $(VENV)/.bench  ## projected times of proofs beside the times that they took; docs/projection.md
	$(BIN)/python -m benchmarks.projections

bench-learner: $(VENV)/.bench  ## CPU seconds of eleven fits: a default card with its ten folds; a minute
	$(BIN)/python -m benchmarks.eleven_fits

# Cards of questions and peers on held-out rows of nineteen real tables, which are made from the packages that hold
# them; what is stored is kept. Peers run in environments of their own.
bench-new-rows: $(VENV)/.bench  ## default cards and peers on nineteen tables; JOBS=16 fits as many at a time
	$(BIN)/python -m benchmarks.new_rows run
	$(BIN)/python -m benchmarks.new_rows table

bench-limits: $(VENV)/.bench  ## whether a time limit is kept on large tables; ten minutes
	$(BIN)/python -m benchmarks.time_limits

bench-table: $(VENV)/.bench  ## a CSV file of 10^6 rows to a card
	$(BIN)/python -m benchmarks.large_table

# Certificates of nine instances, checked by both checkers, and what becomes of changed ones; figures go to docs/trust.
# Some data and viprchk stand beside the checkout only; what is missing is left out.
certificates: $(VENV)/.bench $(VENV)/.test  ## certificates, both checkers, tampering; docs/trust
	PYTHONPATH=tests $(BIN)/python -m benchmarks.certificates

# Proofs of risk cards: bundled tables, and those of a suite beside the checkout. Half an hour on two cores.
risk-certificates: $(VENV)/.bench  ## proofs of cards of questions: leaves, bytes, seconds; docs/trust
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.risk_certificates

# The paper's study. Hours on two cores; killed, the same command goes on where it stopped. The page goes to docs/study.
STUDY = $(BIN)/python -m study
STUDY_RUN = --jobs 2 --fasterrisk benchmarks/.fasterrisk-venv

study: $(VENV)/.study  ## the paper's study; hours, goes on where it stopped; docs/study
	$(STUDY) run full build/study/full.jsonl $(STUDY_RUN)
	$(STUDY) store build/study/full.jsonl study/stored/full.jsonl.gz
	$(STUDY) page study/stored/full.jsonl.gz docs/study

study-small: $(VENV)/.study  ## a small part of it, in build/study
	$(STUDY) run small build/study/small.jsonl $(STUDY_RUN)
	$(STUDY) page build/study/small.jsonl build/study/small

# The page of docs/study again, from the stored records.
study-page: $(VENV)/.study  ## docs/study again, from the stored records
	$(STUDY) page study/stored/full.jsonl.gz docs/study

# One stored fit of each method and kind on each dataset, made again and compared.
study-check: $(VENV)/.study  ## one stored fit of each kind, made again and compared
	$(STUDY) repeat full study/stored/full.jsonl.gz $(STUDY_RUN)

# An install builds the compiled core, so a change of its sources installs again.
NATIVE := $(filter-out native/tests/%_test.cpp native/tests/%.sh,$(wildcard native/* native/*/*))

# Each stamp stands for one set of installed extras and is renewed when the requirements change.
$(VENV)/.package: pyproject.toml $(NATIVE) | $(BIN)/python
	$(call install,--editable .)
	@touch $@

# By their lists: asked for as ".[test]", pip would build the package again.
$(VENV)/.test-programs: $(VENV)/.test
$(VENV)/.test $(VENV)/.test-programs: pyproject.toml | $(VENV)/.package
	@$(BIN)/python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	  print(*project['optional-dependencies']['$(@F:.%=%)'], sep='\n')" > $(VENV)/requirements.txt
	$(call install,--requirement $(VENV)/requirements.txt)
	@touch $@

$(VENV)/.bench: pyproject.toml $(NATIVE) | $(BIN)/python
	$(call install,--editable ".[bench]")
	@touch $@ $(VENV)/.package

$(VENV)/.study: pyproject.toml $(NATIVE) | $(BIN)/python
	$(call install,--editable ".[study]")
	@touch $@ $(VENV)/.package

$(VENV)/.docs: pyproject.toml $(NATIVE) | $(BIN)/python
	$(call install,--editable ".[docs]")
	@touch $@ $(VENV)/.package

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(call install,--editable ".[dev]")
	@touch $@ $(VENV)/.test $(VENV)/.package

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "supersparse needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@$(VENV)/$(PIP) uv 2> /dev/null || true
