#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# ansible_test.sh RELEASE X.Y ARGUMENT...   run that release's ansible-test, in environments that it makes itself, without containers
#
# Each release has a copy of the collection and a home of its own, so that two can run side by side.
#
# For integration, DOOR says how the collection's modules are run (in_process or module), and RESULTS where the results of all tasks are kept; copy and home are
# those of release and door then. ARTIFACT is tested in place of the copy: what is installed from it under .build/ansible-test/RELEASE, by that release, into
# nothing.

. "$(dirname "$0")/common.sh"

core=${1:?release of ansible-core} python=${2:?version of Python}
shift 2

environment=$build/ansible-test/$core/venv
place=$build/ansible-test/$core${DOOR:+/$DOOR}
mkdir -p "$place"
# The environment is made once, and one program at a time is in each copy. What ansible-test leaves running must not inherit the lock.
lock() {
    if command -v flock >/dev/null; then
        exec 9>"$1"
        flock 9
    fi
}
lock "$build/ansible-test/$core.lock"
[ -e "$environment/ready" ] || tools/venv.sh core "$core" "$python"
lock "$place.lock"

# The user's pip settings and downloads serve here too.
home=$place/home
mkdir -p "$home/.config" "$home/.cache"
for own in .config/pip .cache/pip .pip .netrc; do
    if [ -e "$HOME/$own" ] && [ ! -e "$home/$own" ]; then
        ln -s "$HOME/$own" "$home/$own"
    fi
done
"$environment/bin/python" tools/seed_get_pip.py "$home/.ansible/test/cache"

# ansible-test takes the Pythons from PATH, and shellcheck. Its environments are not to find each other's commands there.
mkdir -p "$place/bin"
ln -sf "$root/.venv/bin/shellcheck" "$place/bin/shellcheck"
# Neither ansible-test nor ansible-galaxy is to find the collection anywhere else.
unset PYTHONPATH ANSIBLE_COLLECTIONS_PATH ANSIBLE_HOME VIRTUAL_ENV
if [ -n "${ARTIFACT:-}" ]; then
    installed=$place/installed
    rm -rf "$installed"
    HOME=$home ANSIBLE_COLLECTIONS_PATH=$installed "$environment/bin/ansible-galaxy" collection install \
        --offline --collections-path "$installed" "$ARTIFACT"
    # The integration targets are not in the artifact, as users do not need them. All else is the artifact's.
    target=$("$PYTHON" tools/collection_tree.py "$([ -n "${DOOR:-}" ] && echo tests || echo ready)" "$installed")
    "$PYTHON" tools/artifact.py installed "$ARTIFACT" "$target"
else
    target=$("$PYTHON" tools/collection_tree.py copy "$place")
fi
if [ -n "${DOOR:-}" ]; then
    # ansible-test hands no environment on; these files are its ways to give targets variables, and Ansible settings.
    settings=("$target/tests/integration/integration_config.yml" "$target/tests/integration/integration.cfg")
    trap 'rm -f "${settings[@]}"' EXIT
    (
        umask 077
        "$PYTHON" tools/integration_settings.py variables >"${settings[0]}"
        "$PYTHON" tools/integration_settings.py ansible "$target" >"${settings[1]}"
    )
fi
cd "$target"
# Sanity without --python tests what runs on managed hosts with each Python that is found.
where=(--venv)
[ "$1" = sanity ] || where+=(--python "$python")
# What pip says of each package is of interest to nobody, but for the rare day on which it fails.
HOME=$home PATH=$place/bin:$pythons:$PATH "$environment/bin/ansible-test" "$@" "${where[@]}" --color no 2>&1 9>&- |
    tee "$place/output.txt" |
    sed -E '/^ *(Collecting|Downloading|Installing collected|Looking in|Processing|Using cached|Successfully installed|━|WARNING: Location )/d'
# With nothing to do, ansible-test is content.
if grep -q '^WARNING: All targets skipped' "$place/output.txt"; then
    die "ansible-test ran nothing; all it said: $place/output.txt"
fi
