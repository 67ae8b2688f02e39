#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The integration targets, run with what users get: the artifact is built, and installed with each release of ansible-core; see ansible_test.sh.
#
# Against the simulator, or a real server where OVENMEDIAENGINE_API_URL and _API_TOKEN are set. Each runs twice, in process and by modules, and all results
# are compared; see each_core.sh. DOORS says which: in_process, module, or both of them.
#
# Without CORES and DOORS, the newest release runs in process only. What the comparison needs of each module and each way to end is in the target execution_paths.

. "$(dirname "$0")/../common.sh"

# A target is a directory; setup_* are called by others. ansible-test with none of them would pass.
compgen -G 'tests/integration/targets/*/tasks/main.yml' >/dev/null || compgen -G 'tests/integration/targets/*/runme.sh' >/dev/null ||
    die "no integration target under tests/integration/targets"
ARTIFACT=$(tools/artifact.sh "$build/integration")
export ARTIFACT
if [ -z "${CORES:-}${DOORS:-}" ]; then
    export IN_PROCESS_ONLY=newest
fi
# The longest first: begun last, it would leave a processor idle at the end.
export CORES="${CORES:-oldest newest}"
read -ra targets <<<"${TARGETS:-}"
exec tools/each_core.sh integration "${targets[@]}"
