#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The unit tests, as ansible-test runs them: with other releases of ansible-core than the one in .venv.

. "$(dirname "$0")/../common.sh"

exec tools/each_core.sh units
