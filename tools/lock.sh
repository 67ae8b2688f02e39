#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Write requirements/NAME.txt from NAME.in: exact versions of everything, good for each Python from 3.11 on.
# ansible-core is left out: its releases stand in cores.txt, and which one is taken depends on the Python.

. "$(dirname "$0")/common.sh"

cd requirements
for name in demo test; do
    # Without the header, which would hold this machine's command line.
    uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate \
        --no-emit-package ansible-core --output-file "$name.txt" "$name.in"
done
git --no-pager diff --stat -- .
