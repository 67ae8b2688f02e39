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
# Each process goes through a half of its own, so that what tests of one file share is made once, and then takes from the other's end.
pytest --numprocesses=2 --dist=worksteal --cov --cov-report=term "${selected[@]}" "${arguments[@]}" || status=$?
sed -n -e 's/^replayed .*/   &/p' -e 's/^TOTAL .* \([0-9.]*%\)$/   coverage of plugins: \1/p' -e 's/^=* \(.*[0-9] \(passed\|failed\|errors\?\).* in .*s\).*/   \1/p' \
    "$build/logs/unit.log" >&3
# The numbers in docs/robustness.md are those of the whole suite.
if [ "$status" -eq 0 ] && [ "${#arguments[@]}" -eq 0 ]; then
    "$PYTHON" -m tests.robustness check >&3 || status=$?
fi
exit "$status"
