#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The roles, by molecule.

. "$(dirname "$0")/../common.sh"

[ -f extensions/molecule/default/molecule.yml ] || die "no molecule scenario in extensions/molecule/default"
# What molecule keeps between its steps stays in the clone.
export MOLECULE_EPHEMERAL_DIRECTORY=$build/molecule XDG_CACHE_HOME=$build/cache
cd extensions
exec molecule test --scenario-name default
