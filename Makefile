# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Short names for what is done most. `make` alone lists them; the checks themselves are sessions of noxfile.py and antsibull-nox.toml.

.DEFAULT_GOAL := help
.PHONY: help demo check test test-all test-long lint format sanity unit units integration molecule hosts docs package fresh mutants behaviour bench watch requirements changelog venv clean

# The Python that sets up the environments; any from 3.8 on.
PYTHON ?= python3
# Releases of ansible-core for sanity, units and integration: 2.19, several, or oldest, newest, next, all.
CORES ?= $(if $(filter sanity units,$(MAKECMDGOALS)),all,oldest next)
# For integration: in_process, module or both; and the targets to run, none for all.
EXECUTION ?= in_process module
TARGETS ?=
# For unit, watch and bench: more arguments. For molecule: the scenarios; for hosts: all, or parts of their names.
ARGS ?=
# For unit and watch: a file, a folder or one test.
TEST ?=
SCENARIOS ?= default audit fleet restream record rotate server container
# For fresh: bookworm (Debian 12), trixie (13), or all.
RELEASES ?= bookworm
# For test: measure the coverage, which doubles the time of the unit tests; test-all then runs only the others (COVERAGE=yes).
COVERAGE ?=
export COVERAGE
# For test-all: set if `make test` has run on such a machine, with an older ansible-core than the newest.
FRESH ?=
# For bench: rounds, groups of rows (none for all), and minutes after which no round begins.
ROUNDS ?= 5
ROWS ?=
UNTIL ?=
export ROUNDS ROWS UNTIL
# For behaviour: an artifact or a git revision; the last release.
REFERENCE ?= $(shell git log -1 --format=%h --grep="^Release [0-9]")

RUN = @$(PYTHON) tools/environment.py test
GATE = $(RUN) python tools/gate.py
# In one process and in the order of the file, which begins at once.
PYTEST = pytest --no-cov -p no:randomly --numprocesses=0
releases := $(shell sed -n 's/^\([0-9]*\.[0-9]*\)\.[0-9].*/\1/p' requirements/cores.txt)
final := $(shell sed -n 's/^\([0-9]*\.[0-9]*\)\.[0-9]* .*/\1/p' requirements/cores.txt)
oldest := $(firstword $(releases))
newest := $(lastword $(final))
next := $(lastword $(releases))
scenarios = $(foreach scenario,$(SCENARIOS),"molecule(scenario='$(scenario)')")
cores := $(patsubst oldest,$(oldest),$(patsubst newest,$(newest),$(patsubst next,$(next),$(if $(filter all,$(CORES)),$(releases),$(CORES)))))
static := codeqa yamllint typing antsibull-nox-config docs-check license-check extra-checks repository

help: ## List what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Show the collection at work on a simulated fleet; on a real server if OVENMEDIAENGINE_API_URL is set
	@$(PYTHON) tools/environment.py demo demo/run

check: ## The daily command, a minute: static checks, unit tests of what differs from main, one playbook
	$(RUN) python tools/check.py

test: ## The fast gate: static checks, tests, sanity, integration, artifact
	$(GATE) integration-quick unit sanity-quick package-quick $(static)

# Each integration target runs at least once, and one of modules of each kind in both execution paths.
test-all: export TARGETS_IN_PARTS = yes
test-all: ## What fits into an hour: all other tests but the long ones, both execution paths, molecule, site
	$(GATE) unit-all both-paths-$(oldest) integration-$(next)-in_process \
		$(if $(FRESH),sanity-$(newest),sanity-slow) sanity-$(oldest) units-$(oldest) hosts $(scenarios) docs \
		ansible-lint package

test-long: ## What takes longest: more tests of roles, all integration targets, each release of ansible-core
	$(GATE) unit-long both-paths-$(oldest) integration-$(next)-in_process \
		$(foreach core,$(filter-out $(oldest),$(releases)),sanity-$(core) units-$(core))

fresh: ## Run `make demo` and `make test` on a new Debian 12, as root (RELEASES=all: and 13)
	@$(PYTHON) tools/fresh.py readme $(RELEASES)

lint: ## Static checks: style, types, documentation, changelog, licences
	$(GATE) $(static) ansible-lint

format: ## Format all Python, and update what is generated
	$(RUN) ruff format .
	$(RUN) python tools/update_return_docs.py
	$(RUN) python tools/update_module_files.py
	$(RUN) python tools/update_error_table.py

sanity: ## ansible-test sanity (CORES="2.19 2.21")
	$(GATE) $(addprefix sanity-,$(cores))

unit: ## The tests of the fast gate (ARGS="-k NAME"), or one file in seconds (TEST=tests/unit/plugins/filter)
	$(RUN) $(if $(TEST),$(PYTEST) $(TEST) $(ARGS),nox --sessions unit -- $(ARGS))

units: ## The unit tests that depend on ansible-core, with each release (CORES)
	$(GATE) $(addprefix units-,$(cores))

integration: ## Integration targets (CORES, EXECUTION, TARGETS); on a real server if OVENMEDIAENGINE_API_URL is set
	$(RUN) nox --sessions $(foreach core,$(cores),$(if $(word 2,$(EXECUTION)),both-paths-$(core),integration-$(core)-$(EXECUTION))) -- $(TARGETS)

molecule: ## The roles, by molecule (SCENARIOS="default audit")
	$(GATE) $(scenarios)

hosts: ## The roles on a real systemd, podman and docker, as root; the chosen scenarios (SCENARIOS=all)
	$(RUN) nox --sessions hosts -- $(if $(filter-out file,$(origin SCENARIOS)),$(SCENARIOS))

docs: ## The documentation as a site, in .build/docs/html
	$(GATE) docs

package: ## Build the artifact in .build/dist, check it and install it
	$(GATE) package

mutants: ## See that the tests find the deliberate bugs of tests/mutants
	$(RUN) python -m tests.mutants $(ARGS)

behaviour: ## Compare results and requests with another version (REFERENCE, ARGS="--jobs 2 vhosts")
	$(RUN) python -m tests.behaviour $(REFERENCE) $(ARGS)

bench: ## Measure the speed, an hour or two (ROUNDS, ROWS, UNTIL); on a real server if OVENMEDIAENGINE_API_URL is set
	$(RUN) python -m ansible_collections.streamops.ovenmediaengine.benchmarks $(ARGS)

watch: ## Run a test again and again as files change (TEST=tests/unit/plugins/filter)
	$(RUN) watchfiles "$(PYTEST) --failed-first $(or $(TEST),tests/unit) $(ARGS)" plugins tests

requirements: ## Lock requirements/*.in again
	$(RUN) nox --sessions requirements

changelog: ## Release what changelogs/fragments says, as the version in galaxy.yml
	$(RUN) antsibull-changelog release

venv: ## The environment of the checks, .venv
	$(RUN) true

clean: ## Remove what these targets made
	rm -rf .build .venv .venv-demo .nox tests/output
