# shellcheck shell=bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# For stages to source, after common.sh: run commands side by side, each with a log of its own, .build/logs/NAME.log.
#
#     begin NAME COMMAND ARGUMENT...   start a command as soon as fewer than $at_once run
#     finish                           wait for all; succeeds where all have succeeded
#
# At the end the logs are shown one after the other.

at_once=$("$PYTHON" -c "import os; print(os.cpu_count() or 1)")
begun=()

# shellcheck disable=SC2154 # common.sh sets it
show_logs() {
    local name
    for name in "${begun[@]}"; do
        cat "$build/logs/$name.log"
        [ -e "$build/logs/$name.passed" ] || say "===== $name has failed, or has not come to its end; that was .build/logs/$name.log"
    done
}
# Also when the stage's time is over: then the logs say how far each has come.
trap show_logs EXIT
trap 'exit 143' TERM
# What runs in the background does not get it by itself.
trap 'trap - TERM; kill 0' INT

run_one() {
    local name=$1
    shift
    if "$@"; then
        : >"$build/logs/$name.passed"
    fi
}

begin() {
    local name=$1
    while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do
        wait -n || true
    done
    mkdir -p "$build/logs"
    rm -f "$build/logs/$name.passed"
    begun+=("$name")
    run_one "$@" >"$build/logs/$name.log" 2>&1 </dev/null &
}

finish() {
    local name
    wait
    for name in "${begun[@]}"; do
        [ -e "$build/logs/$name.passed" ] || return 1
    done
}
