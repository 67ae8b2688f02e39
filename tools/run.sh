#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# run.sh STAGE...   run tools/stages/STAGE.sh, one after the other, each to its end whatever became of those before it
#
# A stage writes all it likes to its log, which is shown where the stage fails, and what is worth a line to descriptor 3.

. "$(dirname "$0")/common.sh"

logs=$build/logs
mkdir -p "$logs"
export VIRTUAL_ENV=$root/.venv PATH=$root/.venv/bin:$PATH

# A stage that hangs must fail, not take all of the time there is.
bound=()
if command -v timeout >/dev/null; then
    bound=(timeout --kill-after=20 "${STAGE_TIMEOUT:-2400}")
fi

passed=0 failed=()
for stage in "$@"; do
    "$PYTHON" tools/collection_tree.py link "$build/tree"
    [ -x "tools/stages/$stage.sh" ] || die "no stage named $stage"
    log=$logs/$stage.log
    started=$SECONDS
    printf '== %s\n' "$stage"
    status=0
    "${bound[@]}" "tools/stages/$stage.sh" 3>&1 >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        printf '   ok, %d s\n' $((SECONDS - started))
    else
        failed+=("$stage")
        cat "$log"
        printf '   FAILED with status %d, %d s; the log is %s\n' "$status" $((SECONDS - started)) "${log#"$root"/}"
    fi
done

# Once more what failed, as what is read first is the end.
for stage in "${failed[@]+"${failed[@]}"}"; do
    printf '\nfailed: %s\n' "$stage"
    { grep -aE '^(FAILED|ERROR|FAIL)\b|^error:' "$logs/$stage.log" || tail -n 5 "$logs/$stage.log"; } | cut -c 1-300 | tail -n 20 | sed 's/^/   /'
done
printf '\nstages: %d passed, %d failed\n' "$passed" "${#failed[@]}"
[ "${#failed[@]}" -eq 0 ]
