# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form of all events of this collection."""

from __future__ import annotations

import re
import typing as t

# What could be a pattern, or several names, in the limit of a playbook run.
_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}")


def server_label(value: str) -> str | None:
    """Check the name of a server, which can become the limit of a playbook run."""
    if not value or _LABEL.fullmatch(value):
        return None
    return "expected the inventory name of the server: letters, digits, '_', '.' and '-'"


def event(kind: str, server: str, **fields: t.Any) -> dict[str, t.Any]:
    """Return an event. ansible-rulebook limits the actions of a rule to the hosts in ``meta``."""
    found: dict[str, t.Any] = {"ovenmediaengine": {"kind": kind, "server": server, **fields}}
    if server:
        found["meta"] = {"hosts": server}
    return found
