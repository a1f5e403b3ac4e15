# make demo    set everything up and run the main job on embedded data
# make test    set everything up and run all tests
# make lint    style, types, the order of imports, and the licences of dependencies
# make bench   time the main job            make paper   the paper's tables and figures (hours)
# make docs    build the documentation site into site/
# make attack  try a million spoiled files and numbers (hours; the same command goes on where it was stopped), kill 1,000 trainings

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test lint bench paper docs attack clean
.DELETE_ON_ERROR:

demo: $(VENV)/.user
	$(BIN)/orthonet demo

# Tests start many processes: with compiled files kept each starts sooner, and pytest reads its own again. Worksteal leaves the
# tests of a module to one process, so that what they share is made once.
test: $(VENV)/.dev
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/licences.py

bench: $(VENV)/.user
	$(BIN)/python benchmarks/aggregation.py
	$(BIN)/python benchmarks/fit.py
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/beside_spectral.py
	$(BIN)/python benchmarks/reading.py
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/scale/run.py

paper: $(VENV)/.dev
	$(BIN)/orthonet paper all --jobs 2 --output experiments/results
	$(BIN)/python experiments/publish.py
	$(BIN)/python experiments/compressed.py

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

attack: $(VENV)/.dev
	OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 $(BIN)/python -W ignore tests/attack/fuzz.py --inputs 1000000 --state attack.json
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore tests/attack/kills.py --kills 1000

clean:
	rm -rf $(VENV) site build dist

# Each stamp is made once, and again when the dependencies change.
$(VENV)/.venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "OrthoNet needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.user: $(VENV)/.venv pyproject.toml constraints.txt
	@echo "Installing OrthoNet and what it needs into $(VENV); a few minutes the first time"
	$(PIP) --editable '.[all]'
	touch $@

$(VENV)/.dev: $(VENV)/.user
	$(PIP) --editable '.[dev]'
	touch $@

$(VENV)/.docs: $(VENV)/.user
	$(PIP) --editable '.[docs]'
	touch $@
