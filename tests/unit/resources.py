# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declarations of all objects that options can hold, found in the package ``_resources``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _resources
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object


def _declared() -> dict[str, Object]:
    """Return the objects at the top of each file of the package, by the file; not those that it imports."""
    found = {}
    for entry in pkgutil.iter_modules(_resources.__path__):
        file = importlib.import_module(f"{_resources.__name__}.{entry.name}")
        assigned = re.findall(r"^(\w+)(?:: .+?)? = ", inspect.getsource(file), re.MULTILINE)
        objects = [vars(file)[name] for name in assigned if isinstance(vars(file)[name], Object)]
        assert len(objects) <= 1, f"{entry.name} declares more than one object"
        if objects:
            found[entry.name] = objects[0]
    return found


DECLARED = _declared()
"""The declarations by the name of their file."""
RESOURCES = tuple(DECLARED.values())
