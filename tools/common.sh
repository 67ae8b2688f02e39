# shellcheck shell=bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# For the other scripts here to source: where things are, and an environment that is the same on every machine.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/.build
# Links to the real pythonX.Y of this machine.
# shellcheck disable=SC2034
pythons=$build/pythons
cd "$root"
mkdir -p "$build"

# The program itself: what is on PATH may be a shim, and those go.
PYTHON=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')
export PYTHON

# Ansible's tools must not find a version manager's shims, nor the user's own collections and settings,
# and must leave nothing in the user's home.
PATH=$("$PYTHON" tools/pythons.py path)
export PATH
export PYTHONPATH=$build/tree ANSIBLE_COLLECTIONS_PATH=$build/tree ANSIBLE_HOME=$build/ansible
export HYPOTHESIS_STORAGE_DIRECTORY=$build/cache/hypothesis
unset ANSIBLE_CONFIG ANSIBLE_ROLES_PATH ANSIBLE_INVENTORY VIRTUAL_ENV
# Byte code is kept, though not beside the sources: without it every start of ansible-playbook and of a module would compile anew what it imports.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$build/cache/bytecode
# Colours and progress bars are for a terminal; the stages write into files.
export PY_COLORS=0 ANSIBLE_NOCOLOR=1

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }
