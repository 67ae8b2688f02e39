#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# each_core.sh COMMAND ARGUMENT...   ansible-test, or the unit tests, with each release in CORES; all are run, also after one has failed
#
# BETWEEN: more arguments for the releases between the oldest and the newest one.
# IN_PROCESS_ONLY=newest: no integration by modules with the newest release, and so no comparison.
#
# Side by side, as ansible-test keeps little more than one processor busy.

. "$(dirname "$0")/common.sh"

command=${1:?sanity, units or integration}
shift
read -ra wanted <<<"${CORES:-oldest newest}"
skipped=$(mktemp "$build/skipped.XXXXXX")
cores=$("$PYTHON" tools/pythons.py cores "$pythons" "${wanted[@]}" 2>"$skipped") || die "$(cat "$skipped")"
sed 's/^/   /' "$skipped" >&3
rm -f "$skipped"
[ -n "$cores" ] || die "no Python here can run ansible-core ${wanted[*]}"
newest=$("$PYTHON" tools/pythons.py cores "$pythons" newest 2>/dev/null | cut -d ' ' -f 1)
oldest=$("$PYTHON" tools/pythons.py cores "$pythons" oldest 2>/dev/null | cut -d ' ' -f 1)
read -ra between <<<"${BETWEEN:-}"

run=tools/ansible_test.sh
[ "$command" != units ] || run=tools/core_units.sh
# The integration targets say nothing of a module that is run in process, if they are run only as modules, nor the other way round. On a real server they are
# run in process alone unless DOORS says otherwise, and nothing is compared: times, counters and what else there is on the server differ from run to run.
doors=("")
if [ "$command" = integration ]; then
    both="module in_process"
    [ -z "${OVENMEDIAENGINE_API_URL:-}" ] || both=in_process
    read -ra doors <<<"${DOORS:-$both}"
fi

# Whether integration runs a release through a door.
goes_through() {
    [ "$1 $2 ${IN_PROCESS_ONLY:-}" != "$newest module newest" ]
}

. tools/side_by_side.sh
# Two would be in each other's way on one real server: the names of what they make are the same.
[ -z "${OVENMEDIAENGINE_API_URL:-}" ] || at_once=1

one() {
    local core=$1 python=$2 door=$3 started=$SECONDS result=ok
    shift 3
    say "===== ansible-core $core, Python $python${door:+, $door}"
    # What stays in the repository, the tests and the tools, is checked with the newest release alone.
    [ "$command $core" != "sanity $newest" ] || unset ARTIFACT
    [ "$core" = "$oldest" ] || [ "$core" = "$newest" ] || set -- "$@" "${between[@]}"
    if [ -n "$door" ]; then
        export DOOR=$door RESULTS=$build/ansible-test/$core/results-$door.jsonl
        mkdir -p "$(dirname "$RESULTS")"
        rm -f "$RESULTS"
    fi
    "$run" "$core" "$python" "$@" || result=FAILED
    printf '   ansible-core %s, Python %s%s: %s, %d s\n' "$core" "$python" "${door:+, $door}" "$result" $((SECONDS - started)) >&3
    [ "$result" = ok ]
}

# Whether all results of a release are the same through both doors.
compare() {
    local core=$1 place=$build/ansible-test/$1 status=0
    say "===== ansible-core $core, both doors"
    "$PYTHON" -m tests.doors compare "$place/results-in_process.jsonl" "$place/results-module.jsonl" | tee "$place/doors.txt" || status=1
    printf '   ansible-core %s, %s\n' "$core" "$(tail -n 1 "$place/doors.txt")" >&3
    return "$status"
}

for door in "${doors[@]}"; do
    case $door in
        '' | in_process | module) ;;
        *) die "no door named $door" ;;
    esac
    while read -r core python; do
        goes_through "$core" "$door" || continue
        begin "$command-$core${door:+-$door}" one "$core" "$python" "$door" "$command" "$@"
    done <<<"$cores"
done
status=0
finish || status=1
if [ "${#doors[@]}" -gt 1 ] && [ -z "${OVENMEDIAENGINE_API_URL:-}" ]; then
    while read -r core _python; do
        ! goes_through "$core" module || compare "$core" || status=1
    done <<<"$cores"
fi
[ "$status" -eq 0 ]
