#!/usr/bin/env bash
# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# core_units.sh RELEASE X.Y   run the unit tests that depend on ansible-core with that release, in an environment of its own
#
# By pytest alone: ansible-test would make the same environment, and add its own start.

. "$(dirname "$0")/common.sh"

core=${1:?release of ansible-core} python=${2:?version of Python}

# Where the collection meets ansible-core. The rest of the suite is about requests, servers that fail, certificates and the simulator: a release has no part in
# that, and it takes some twenty minutes. Whole playbooks with other releases are the business of the stage integration.
selected=(
    # What runs in Ansible's own process: templates, connections, results, the settings of a task.
    tests/unit/plugin_utils
    # Filters, whose input from 2.19 on carries tags, and whose errors have other classes.
    tests/unit/filter
    # The argument specs as ansible-core checks them, and the documentation as ansible-doc reads it.
    tests/unit/module_utils/test_options.py
    # How modules begin and end: AnsibleModule, warnings, secrets, what is returned of the options.
    tests/unit/module_utils/test_door.py
    # Options that ansible-core refuses, or hands on to the module in a form that differs from release to release.
    tests/unit/modules/test_bad_input.py
    # Each module from options to result and diff, on a server.
    tests/unit/modules/test_life.py
    tests/unit/modules/test_application_life.py
    # The comparison of the results of both doors, by a callback plugin.
    tests/unit/doors
)

environment=$build/units/$core
[ -e "$environment/ready" ] || tools/venv.sh units "$core" "$python"
# Counts of the tests of robustness are those of the stage unit.
export ROBUSTNESS_COUNTS=$environment/robustness PATH=$environment/bin:$PATH
exec "$environment/bin/python" -m pytest --override-ini="cache_dir=$environment/cache" --quiet "${selected[@]}"
