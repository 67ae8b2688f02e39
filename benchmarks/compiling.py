# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print how many seconds it takes to compile the files of the collection that an action plugin loads.

ansible-core compiles them in each run, because its loader of collections keeps no bytecode. Its own files, and those of
installed packages, are compiled once.
"""

from __future__ import annotations

import pathlib
import sys
import time

from ansible.plugins.loader import action_loader, init_plugin_loader

COLLECTION = "streamops.ovenmediaengine"


def main(plugin: str) -> None:
    """Load an action plugin and print the seconds. :raises SystemExit: there is no such plugin."""
    init_plugin_loader()
    if action_loader.get(f"{COLLECTION}.{plugin}", class_only=True) is None:
        sys.exit(f"{COLLECTION} has no action plugin {plugin}")
    paths = [
        pathlib.Path(module.__file__)
        for name, module in sys.modules.items()
        if name.startswith(f"ansible_collections.{COLLECTION}.") and module.__file__
    ]
    sources = [(path.read_bytes(), path) for path in paths if path.suffix == ".py"]
    started = time.perf_counter()
    for source, path in sources:
        compile(source, path, "exec", dont_inherit=True)
    print(time.perf_counter() - started)


if __name__ == "__main__":
    main(sys.argv[1])
