#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ansible-test sanity: with the newest release of ansible-core over the whole repository, with each other one over what users get, which is the artifact,
# installed with that release; see ansible_test.sh. The tests and the tools do not run with all releases, and are most of the work.
#
# All of its tests are run with the oldest and the newest release, and with each that CORES names. With those between, all but pylint, which takes as long as
# the others together: it reads the same files, and what it infers of ansible-core is its oldest and its newest source.

. "$(dirname "$0")/../common.sh"

ARTIFACT=$(tools/artifact.sh "$build/sanity")
export ARTIFACT
if [ -z "${CORES:-}" ]; then
    # The longest first: begun last, it would leave a processor idle at the end.
    export CORES="newest all" BETWEEN="--skip-test pylint"
fi
exec tools/each_core.sh sanity
