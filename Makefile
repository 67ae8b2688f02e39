# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# `make` alone says what there is. What a target does stands in tools/.

.DEFAULT_GOAL := help
.PHONY: help demo bench test lint sanity unit units integration molecule docs package venv requirements changelog clean

STAGES := lint sanity unit units integration molecule docs package

# The Python that looks for the others; any from 3.8 on.
PYTHON ?= python3
# For sanity, units and integration: oldest, newest, next, all, or releases (2.19 2.21). None: all for sanity, all but the newest for units, both ends for integration
# (the newest in process only).
CORES ?=
# For integration: the targets to run; none for all. For unit: more arguments for pytest.
TARGETS ?=
# For integration: in_process, module, or both; none for both, or for in_process alone on a real server.
DOORS ?=
ARGS ?=
# For bench: how often each row is measured, the groups of rows (none for all), and minutes after which no round begins.
ROUNDS ?= 5
ROWS ?=
UNTIL ?=
# For molecule: the scenarios to run; none for all.
SCENARIOS ?=
export PYTHON CORES TARGETS DOORS ARGS ROUNDS ROWS UNTIL SCENARIOS

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv-demo/ready ## Show the collection at work against a simulated fleet
	@tools/in_venv.sh demo demo/run

bench: venv ## Measure speed, an hour or two (ROUNDS, ROWS, UNTIL; a real server where OVENMEDIAENGINE_API_URL is set)
	@tools/in_venv.sh test python -m ansible_collections.streamops.ovenmediaengine.benchmarks $(ARGS)

test: venv ## Run all of the checks below
	@tools/run.sh $(STAGES)

lint: venv ## Static checks: style, types, documentation, changelog, licences
	@tools/run.sh $@

sanity: venv ## ansible-test sanity with all releases of ansible-core (CORES="2.19 2.21")
	@tools/run.sh $@

unit: venv ## Unit and end-to-end tests with their coverage (ARGS="-k NAME")
	@tools/run.sh $@

units: venv ## The unit tests that depend on ansible-core, with each other release (CORES)
	@tools/run.sh $@

integration: venv ## Integration targets, in process and by modules (CORES, TARGETS, DOORS; a real server where OVENMEDIAENGINE_API_URL is set)
	@tools/run.sh $@

molecule: venv ## Roles, by molecule's scenarios (SCENARIOS; a real server for default where OVENMEDIAENGINE_API_URL is set)
	@tools/run.sh $@

docs: venv ## The documentation as a site, in .build/docs/html
	@tools/run.sh $@

package: venv ## Build the artifact, check it, install it and list its modules
	@tools/run.sh $@

venv: .venv/ready ## The tools' own environment

.venv/ready: requirements/test.txt requirements/cores.txt requirements/uv.txt
	@tools/venv.sh test

.venv-demo/ready: requirements/demo.txt requirements/cores.txt requirements/uv.txt
	@tools/venv.sh demo

requirements: venv ## Lock requirements/*.in anew
	@tools/in_venv.sh test tools/lock.sh

changelog: venv ## Release what changelogs/fragments says, as galaxy.yml's version
	@tools/in_venv.sh test antsibull-changelog release

clean: ## Remove what these targets made
	rm -rf .build .venv .venv-demo tests/output
