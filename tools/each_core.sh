#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# each_core.sh COMMAND ARGUMENT...   ansible-test with each release in CORES; all are run, also after one has failed
#
# Side by side, as ansible-test keeps little more than one processor busy.

. "$(dirname "$0")/common.sh"

command=${1:?command of ansible-test}
read -ra wanted <<<"${CORES:-oldest newest}"
skipped=$(mktemp "$build/skipped.XXXXXX")
cores=$("$PYTHON" tools/pythons.py cores "$pythons" "${wanted[@]}" 2>"$skipped") || die "$(cat "$skipped")"
sed 's/^/   /' "$skipped" >&3
rm -f "$skipped"
[ -n "$cores" ] || die "no Python here can run ansible-core ${wanted[*]}"

# The integration targets say nothing of a module that is run in process, if they are run only as modules, nor the other way round.
run=tools/ansible_test.sh
[ "$command" != integration ] || run=tools/both_doors.sh

. tools/side_by_side.sh
# Two would be in each other's way on one real server: the names of what they make are the same.
[ -z "${OVENMEDIAENGINE_API_URL:-}" ] || at_once=1

one() {
    local core=$1 python=$2 started=$SECONDS result=ok
    shift 2
    say "===== ansible-core $core, Python $python"
    "$run" "$core" "$python" "$@" || result=FAILED
    printf '   ansible-core %s, Python %s: %s, %d s\n' "$core" "$python" "$result" $((SECONDS - started)) >&3
    [ "$result" = ok ]
}

while read -r core python; do
    begin "$command-$core" one "$core" "$python" "$@"
done <<<"$cores"
finish
