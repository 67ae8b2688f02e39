# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declarations of all objects that options can hold, found in the operations of all modules."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS


def _declared() -> tuple[Object, ...]:
    found = {}
    for operation in OPERATIONS.values():
        lists, whole = operation.declarations()
        for one in (*lists.values(), whole):
            if one is not None:
                found[id(one)] = one
    return tuple(found.values())


RESOURCES = _declared()
