.DEFAULT_GOAL := help
SHELL := /bin/bash
BIN := .venv/bin
READY := .venv/.ready
export OMP_NUM_THREADS ?= 1
CLASSROOM ?= classroom

.PHONY: help setup lab formgrader release grade check test book bench clean

help:  ## list these targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */make \1\t/' | expand -t 16

setup: $(READY)  ## .venv from the lock (PYTHON=python3.12 chooses); as root, the sandbox's Debian packages too

# What was made with another Python than the one that PYTHON= names is not ready.
OTHER := $(if $(PYTHON),$(shell bash grader/setup.sh --other "$(PYTHON)"))
.PHONY: $(OTHER)

$(READY): grader/requirements.lock grader/pyproject.toml grader/setup.sh $(OTHER)
	@bash grader/setup.sh "$(PYTHON)" $(AND_TESTS)
	@touch $@

lab: $(READY)  ## open work/, your own copy of the course, in JupyterLab
	@$(BIN)/nbproctor work
	@echo "Ctrl-C here, twice, ends JupyterLab. Your answers are in work/."
	@JUPYTER_CONFIG_PATH=grader/lab $(BIN)/jupyter lab work --log-level=ERROR $(if $(filter 0,$(shell id -u)),--allow-root)

formgrader: $(READY)  ## your class in nbgrader's formgrader (or CLASSROOM=classroom/sample)
	cd grader && PATH="$(abspath $(BIN)):$$PATH" CLASSROOM="$(CLASSROOM)" GRADEBOOK="$(GRADEBOOK)" jupyter lab --allow-root \
		--ServerApp.root_dir=.. --LabApp.default_url=/formgrader $(ARGS)

release: $(READY)  ## course/ from solutions/
	$(BIN)/nbproctor release $(ARGS)

grade: $(READY)  ## grade classroom/submitted (FROM=download.zip ROSTER=class.csv fill it; CLASSROOM=folder), or a sample class
	@$(BIN)/nbproctor grade $(if $(filter-out file,$(origin CLASSROOM)),--classroom "$(CLASSROOM)") \
	  $(if $(FROM),--from "$(FROM)") $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS) || \
	  { code=$$?; [ $$code -eq 3 ] || exit $$code; }  # 3: graded, and something needs a look, which it has said

check: $(READY)  ## lint, types, imports and the quick tests: two minutes
	@bash grader/setup.sh --check
	bash grader/tests/run.sh --quick

test: AND_TESTS := --test
test: export NBPROCTOR_WEEKLY := $(or $(WEEKLY),$(NBPROCTOR_WEEKLY))
test: $(READY)  ## what a change is tried with; with WEEKLY=1 everything, as once a week and before a release
	@bash grader/setup.sh --test
	bash grader/tests/run.sh

book: $(READY)  ## the course as a website, in solutions/book/_build/site, without network once its packages are there
	@bash grader/setup.sh --book
	PYTHONPATH=.book $(BIN)/python solutions/book/make.py

bench: $(READY)  ## a class of 100 by us, by nbgrader, by nbgrader tuned, and the floor
	$(BIN)/python grader/bench/bench.py

clean:  ## remove .venv and caches; never the classroom or work/
	rm -rf .venv .colab .models .book solutions/book/_build .mypy_cache .ruff_cache .pytest_cache grader/.hypothesis grader/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
