#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Unit and end-to-end tests by pytest, and how much of plugins/ they run.

. "$(dirname "$0")/../common.sh"

# Without it the tests that need it fail, and say so.
tools/chromium.sh || true

read -ra arguments <<<"${ARGS:-}"
# Of a choice of tests the coverage says nothing.
selected=()
if [ "${#arguments[@]}" -eq 0 ]; then
    "$PYTHON" -m tests.robustness clear
else
    selected=(--no-cov)
fi
status=0
# Each process goes through a part of its own, so that what tests of one file share is made once, and then takes from the others' ends. They are one more
# than the processors of a small machine, as for about a third of the time a test waits: for a server that is late, a port that is closed for a while, a poll.
pytest --cache-clear --numprocesses=3 --dist=worksteal --durations=40 --durations-min=5 --cov --cov-report=term "${selected[@]}" "${arguments[@]}" || status=$?
sed -n -e 's/^\(replayed\|compared\) .*/   &/p' -e 's/^TOTAL .* \([0-9.]*%\)$/   coverage of plugins: \1/p' \
    -e 's/^=* \(.*[0-9] \(passed\|failed\|errors\?\).* in .*s\).*/   \1/p' "$build/logs/unit.log" >&3
# Tests talk to servers over the loopback, with limits of time that a very busy machine can break. If up to three fail, and nothing else is wrong, they are named
# here, and run once more with the machine to themselves. What fails alone fails.
failures=$(sed -n 's/^\(FAILED\|ERROR\) \(tests.*\)/\2/p' "$build/logs/unit.log" | sed 's/ - .*//' | sort -u)
if [ "$status" -eq 1 ] && [ -n "$failures" ] && [ "$(wc -l <<<"$failures")" -le 3 ] \
    && ! grep '^FAIL Required test coverage' "$build/logs/unit.log"; then
    awk '{ print "   failed in company, once more alone: " $0 }' <<<"$failures" >&3
    status=0
    pytest --last-failed --last-failed-no-failures=none --no-cov || status=$?
    sed -n -e '$s/^=* \(.*[0-9] \(passed\|failed\|errors\?\).* in .*s\).*/   \1/p' "$build/logs/unit.log" >&3
fi
# The numbers in docs/robustness.md are those of the whole suite.
if [ "$status" -eq 0 ] && [ "${#arguments[@]}" -eq 0 ]; then
    "$PYTHON" -m tests.robustness check >&3 || status=$?
fi
exit "$status"
