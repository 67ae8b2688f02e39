# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Refuse values of applications before anything is written if the server decides whether they are valid.

What no server takes is refused without a request. Only the rest costs one: for the server's version, or for the current
application, which may have what the desired one lacks.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import NEWEST
from .._resources import application
from .._resources import application_rules as rules
from .._resources.application import APPLICATION
from .plan import Specified, Value

_NO_APPLICATION = ("vhost_not_found", "controller_not_found")


def refuse_values(api: Api, context: Context, desired: t.Sequence[tuple[str, Specified]], *, durable: bool) -> None:
    """Raise BadInput for an application, with its path, that this server would refuse.

    A file can have what a ``durable`` one lacks, so that only values are judged that no file could make valid.
    """
    doubtful = [(path, app) for path, app in desired if rules.is_doubtful(app)]
    if not doubtful:
        return
    depends = any(rules.depends_on_version(app) for _path, app in doubtful)
    version = api.server_version() if depends else NEWEST
    for path, app in doubtful:
        application.check_values(app, path, version, complete=False)
    if durable:
        return
    lacking = [(path, app) for path, app in doubtful if rules.refused(app, version) is not None]
    found = api.map_concurrently([functools.partial(_current, api, context, app) for _path, app in lacking])
    for (path, app), current in zip(lacking, found):
        application.check_values(APPLICATION.merge(app, current), path, version)


def _current(api: Api, context: Context, app: Specified) -> Value:
    """Read an application in option form; empty if it does not exist."""
    key = application.key_of(app)
    try:
        raw = api.read_application(*key)
    except OmeError as error:
        if error.kind not in _NO_APPLICATION:
            raise
        raw = None
    if raw is None:
        return {}
    value = application.from_wire(raw, key.vhost)
    context.keep_secrets(APPLICATION, value)
    return value
