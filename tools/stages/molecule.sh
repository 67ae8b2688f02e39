#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The roles, by molecule. The scenarios have nothing in common, and run side by side.

. "$(dirname "$0")/../common.sh"
. tools/side_by_side.sh

scenarios=(default rotate)
for scenario in "${scenarios[@]}"; do
    [ -f "extensions/molecule/$scenario/molecule.yml" ] || die "no molecule scenario in extensions/molecule/$scenario"
done
# What molecule keeps between its steps stays in the clone.
export XDG_CACHE_HOME=$build/cache
cd extensions
for scenario in "${scenarios[@]}"; do
    begin "molecule-$scenario" env MOLECULE_EPHEMERAL_DIRECTORY="$build/molecule/$scenario" molecule test --scenario-name "$scenario"
done
finish
