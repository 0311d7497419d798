# Every target sets up what it needs first: a .venv in this checkout from the lock files, nothing by hand.
# Python 3.11 or newer has to be on the PATH (or named: make demo PYTHON=/path/to/python3).
.DEFAULT_GOAL := help
.PHONY: help demo test quick chaos check format bench lock clean

export PYTHON ?= python3
# What is compiled is kept: the demo and the tests start many processes, and each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
PREPARE = python=$$(scripts/find-python) && "$$python" -m scripts.prepare
RUN = .venv/bin/python -m
# Files go to the workers in the order that tests/conftest.py gives them.
SUITE = $(RUN) pytest -n auto --dist loadfile --no-loadscope-reorder

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

demo:  ## Slack on this machine, with the bot in it; prints the address when ready
	@$(PREPARE) demo -- -m bot demo $(ARGS)

test:  ## the whole suite (ARGS="-k word" for a part)
	@$(PREPARE) test
	@$(SUITE) $(ARGS)

quick:  ## the everyday suite: everything but endurance and enumerations
	@$(PREPARE) test
	@$(SUITE) -m "not long" $(ARGS)

chaos:  ## five minutes of kills, pauses, duplicates and Redis trouble, with a table of counts
	@$(PREPARE) test
	@$(RUN) tests.chaos $(ARGS)

check:  ## format, lint, types, import contracts, sizes, built page, known vulnerabilities
	@$(PREPARE) check
	@$(RUN) scripts.check

format:  ## apply formatting and the safe fixes of the linter
	@$(PREPARE) check
	@$(RUN) ruff format .
	@$(RUN) ruff check --fix .

bench:  ## the benchmark suite with a table and JSON
	@$(PREPARE) test
	@$(RUN) bench $(ARGS)

lock:  ## write the lock files anew
	@$(PREPARE) lock
	@$(RUN) scripts.lock

clean:  ## remove the environment and caches of this checkout
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache
