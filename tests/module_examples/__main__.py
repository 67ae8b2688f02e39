# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the examples as a file of tasks: ``python -m tests.module_examples DIRECTORY``.

The integration target execution_paths includes ``DIRECTORY/examples.yml``. Each module runs in check mode, and then for
real. The output is JSON: ``needed``, the requests to a simulator that make what the modules need, and ``results``, the
variables with the results.
"""

from __future__ import annotations

import json
import sys
import typing as t
from pathlib import Path

from . import HOLDER, LIVE, RENDITIONS, options

_COLLECTION = "streamops.ovenmediaengine"
_NEEDED = [
    {"call": "v1/vhosts", "body": [HOLDER]},
    {"call": "_simulator/streams", "body": LIVE},
    {"call": "_simulator/speech", "body": {**LIVE, "renditions": RENDITIONS}},
]


def tasks(directory: Path) -> dict[str, dict[str, t.Any]]:
    """Return the tasks by the variable with the result; the files that they need are written to the directory."""
    found = {}
    for module, values in options(directory).items():
        name, variable = f"Run the example of {module}", f"execution_paths_run_the_example_of_{module}"
        task = {"name": name, f"{_COLLECTION}.{module}": values, "diff": True, "register": variable}
        checked = {"name": f"{name}, in check mode", "register": f"{variable}_in_check_mode", "check_mode": True}
        found[checked["register"]] = {**task, **checked}
        found[variable] = task
    return found


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    directory = Path(arguments[0])
    made = tasks(directory)
    (directory / "examples.yml").write_text(json.dumps(list(made.values()), indent=1), encoding="utf-8")
    print(json.dumps({"needed": _NEEDED, "results": list(made)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
