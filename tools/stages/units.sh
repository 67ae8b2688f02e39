#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Those of the unit tests that could come out differently with another release of ansible-core, with each that is supported (CORES).
#
# Which they are, and why, is said in core_units.sh. Without CORES, the release in .venv is left out: with that one the stage unit runs them all.

. "$(dirname "$0")/../common.sh"

if [ -z "${CORES:-}" ]; then
    own=$(.venv/bin/python -c 'import ansible.release; print(ansible.release.__version__)')
    CORES=$(awk -v own="$own" '/^[0-9]/ && $1 != own { printf "%s ", $1 }' requirements/cores.txt)
    export CORES
fi
exec tools/each_core.sh units
