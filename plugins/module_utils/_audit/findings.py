# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings of an audit and their severities.

Filters import this file, so it imports neither `requests` nor `ssl`.
"""

from __future__ import annotations

import typing as t

ERROR = "error"
DRIFT = "drift"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, DRIFT, WARNING, INFO)
"""All severities, the worst first."""


class Finding(t.NamedTuple):
    """One fault or difference.

    The names of the fields are keys of results. A field that does not apply is empty, or None for ``found`` and
    ``wanted``. ``vhosts`` are all virtual hosts that a cause affects, if these are several; ``vhost`` is the first.
    """

    severity: str
    kind: str
    message: str
    vhost: str = ""
    application: str = ""
    push_task: str = ""
    record: str = ""
    stream: str = ""
    channel: str = ""
    endpoint: str = ""
    field: str = ""
    found: t.Any = None
    wanted: t.Any = None
    vhosts: t.Sequence[str] = ()


def affects(vhosts: t.Sequence[str]) -> dict[str, t.Any]:
    """Return the fields of a finding that name one or several virtual hosts."""
    return {"vhost": vhosts[0], "vhosts": list(vhosts) if len(vhosts) > 1 else []}
