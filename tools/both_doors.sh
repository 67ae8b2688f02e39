#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# both_doors.sh RELEASE X.Y integration ARGUMENT...   run integration targets in process and by modules, and compare all results
#
# DOORS says which: in_process, module, or both of them. On a real server it is in_process alone unless it is given, and nothing is compared: times, counters and
# what else there is on the server differ from run to run.

. "$(dirname "$0")/common.sh"

core=${1:?release of ansible-core}
if [ -n "${OVENMEDIAENGINE_API_URL:-}" ]; then
    compared=no
    read -ra doors <<<"${DOORS:-in_process}"
else
    compared=yes
    read -ra doors <<<"${DOORS:-in_process module}"
fi
[ "${#doors[@]}" -gt 1 ] || compared=no

failed=0
files=()
for door in "${doors[@]}"; do
    case $door in
        in_process | module) ;;
        *) die "no door named $door" ;;
    esac
    say "===== door: $door"
    file=$build/ansible-test/$core/results-$door.jsonl
    mkdir -p "$(dirname "$file")"
    rm -f "$file"
    files+=("$file")
    DOOR=$door RESULTS=$file tools/ansible_test.sh "$@" || failed=1
done

if [ "$compared" = yes ]; then
    say "===== both doors"
    "$PYTHON" -m tests.doors compare "$build/ansible-test/$core/results-in_process.jsonl" "$build/ansible-test/$core/results-module.jsonl" |
        tee "$build/ansible-test/$core/doors.txt" || failed=1
    printf '   ansible-core %s, %s\n' "$core" "$(tail -n 1 "$build/ansible-test/$core/doors.txt")" >&3
fi
exit "$failed"
