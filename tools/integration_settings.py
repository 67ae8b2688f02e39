# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print what ansible-test gives the integration targets, by the environment variables that ansible_test.sh is given.

    integration_settings.py variables         integration_config.yml: the real server, if there is one, and the door of the modules (DOOR)
    integration_settings.py ansible COPY      integration.cfg: the callback that writes all results (RESULTS), from a copy of the collection

Written for any Python from 3.8 on, as the machine's own runs it.
"""

from __future__ import annotations

import json
import os
import sys


def variables() -> str:
    """Return extra variables for all targets."""
    found: dict[str, object] = {"ovenmediaengine_in_process": os.environ["DOOR"] == "in_process"}
    if os.environ.get("OVENMEDIAENGINE_API_URL"):
        found.update({name.lower(): os.environ.get(name, "") for name in ("OVENMEDIAENGINE_API_URL", "OVENMEDIAENGINE_API_TOKEN")})
    return json.dumps(found)


def ansible(copy: str) -> str:
    """Return Ansible's settings."""
    lines = ["[defaults]", "callback_plugins = %s/tests/doors/callback" % copy, "[callback_door_results]", "path = %s" % os.environ["RESULTS"]]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    if arguments == ["variables"]:
        print(variables())
    elif len(arguments) == 2 and arguments[0] == "ansible":
        print(ansible(arguments[1]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
