#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# venv.sh test|demo         make .venv or .venv-demo: requirements/NAME.txt and the newest ansible-core that this machine can run
# venv.sh core RELEASE X.Y  make .build/ansible-test/RELEASE/venv: that ansible-core alone, on that Python
# venv.sh units RELEASE X.Y make .build/units/RELEASE: that ansible-core and what the unit tests need, on that Python

. "$(dirname "$0")/common.sh"

name=${1:?test, demo, core or units}
# Environments of several releases may be set up side by side.
log=$build/logs/venv-$name${2:+-$2}.log
found=$("$PYTHON" tools/pythons.py link "$pythons" 2>&1)

case $name in
    test) venv=.venv ;;
    demo) venv=.venv-demo ;;
    core) venv=$build/ansible-test/${2:?release}/venv ;;
    units) venv=$build/units/${2:?release} ;;
    *) die "no environment named $name" ;;
esac
if [ "$name" = core ]; then
    core=$2 python=${3:?version of Python}
    packages=("ansible-core==$core")
elif [ "$name" = units ]; then
    core=$2 python=${3:?version of Python}
    # The versions that are locked, but for the one package whose version the release of ansible-core decides.
    mkdir -p "$build/units"
    sed '/^resolvelib==/d' requirements/test.txt >"$build/units/$core.txt"
    packages=("ansible-core==$core" pytest -r tests/unit/requirements.txt -c "$build/units/$core.txt")
else
    # Releases that are skipped are of interest only where there is no other.
    newest=$("$PYTHON" tools/pythons.py cores "$pythons" newest 2>/dev/null) ||
        die "No Python here can run a supported ansible-core: Python 3.11 or later is needed. $found"
    core=${newest% *} python=${newest#* }
    packages=("ansible-core==$core" -r "requirements/$name.txt")
fi

say "Setting up ${venv#"$root"/}: ansible-core $core, Python $python"
rm -rf "$venv"
mkdir -p "$build/logs"
# uv installs in seconds what takes pip a minute. It does not read pip's settings (a company's mirror, say): there, pip does it.
{
    "$pythons/python$python" -m venv "$venv" &&
        "$venv/bin/python" -m pip install --disable-pip-version-check -r requirements/uv.txt &&
        {
            "$venv/bin/uv" pip install --python "$venv/bin/python" "${packages[@]}" ||
                "$venv/bin/python" -m pip install --disable-pip-version-check "${packages[@]}"
        }
} >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    rm -rf "$venv"
    die "Setting up $venv failed."
}

"$PYTHON" tools/collection_tree.py link "$build/tree"
touch "$venv/ready"
