#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# each_core.sh ARGUMENT...   ansible-test with each release in CORES; all are run, also after one has failed

. "$(dirname "$0")/common.sh"

read -ra wanted <<<"${CORES:-oldest newest}"
skipped=$(mktemp "$build/skipped.XXXXXX")
cores=$("$PYTHON" tools/pythons.py cores "$pythons" "${wanted[@]}" 2>"$skipped") || die "$(cat "$skipped")"
sed 's/^/   /' "$skipped" >&3
rm -f "$skipped"
[ -n "$cores" ] || die "no Python here can run ansible-core ${wanted[*]}"

failed=0
while read -r core python <&4; do
    started=$SECONDS result=ok
    say "===== ansible-core $core, Python $python"
    tools/ansible_test.sh "$core" "$python" "$@" || { result=FAILED failed=1; }
    printf '   ansible-core %s, Python %s: %s, %d s\n' "$core" "$python" "$result" $((SECONDS - started)) >&3
done 4<<<"$cores"
exit "$failed"
