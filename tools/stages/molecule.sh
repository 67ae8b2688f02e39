#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The roles, by molecule. The scenarios have nothing in common, and run side by side: at most as many as there are processors, the longest first.
# SCENARIOS names some of them.

. "$(dirname "$0")/../common.sh"
. tools/side_by_side.sh

read -ra scenarios <<<"${SCENARIOS:-default audit fleet restream rotate container}"
for scenario in "${scenarios[@]}"; do
    [ -f "extensions/molecule/$scenario/molecule.yml" ] || die "no molecule scenario in extensions/molecule/$scenario"
done

# A client without its daemon is no engine.
engine=
for candidate in ${OVENMEDIAENGINE_CONTAINER_ENGINE:-podman docker}; do
    if command -v "$candidate" >/dev/null && timeout 20 "$candidate" info >/dev/null 2>&1; then
        engine=$candidate
        break
    fi
done

# What molecule keeps between its steps stays in the clone.
export XDG_CACHE_HOME=$build/cache
cd extensions
for scenario in "${scenarios[@]}"; do
    if [ "$scenario" = container ] && [ -z "$engine" ]; then
        say "   the scenario container is left out: no container engine answers here (podman or docker)" >&3
        continue
    fi
    begin "molecule-$scenario" env MOLECULE_EPHEMERAL_DIRECTORY="$build/molecule/$scenario" OVENMEDIAENGINE_CONTAINER_ENGINE="$engine" \
        molecule test --scenario-name "$scenario"
done
finish
