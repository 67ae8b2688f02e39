# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings of an audit and their severities. Imports nothing that a filter cannot."""

from __future__ import annotations

import typing as t

ERROR = "error"
DRIFT = "drift"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, DRIFT, WARNING, INFO)


class Finding(t.NamedTuple):
    """One thing that is not as it should be. What does not apply is empty, or None for values."""

    severity: str
    kind: str
    message: str
    vhost: str = ""
    application: str = ""
    push_task: str = ""
    endpoint: str = ""
    field: str = ""
    found: t.Any = None
    wanted: t.Any = None
