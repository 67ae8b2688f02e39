#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# in_venv.sh test|demo COMMAND...   run a command in one of the environments that venv.sh makes

. "$(dirname "$0")/common.sh"

case ${1:?test or demo} in
    test) venv=$root/.venv ;;
    demo) venv=$root/.venv-demo ;;
    *) die "no environment named $1" ;;
esac
shift
# What a person runs, a person watches.
unset PY_COLORS ANSIBLE_NOCOLOR
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
"$PYTHON" tools/collection_tree.py link "$build/tree"
exec "$@"
