# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare a running server with the files from which it starts: why a restart is due, and what it would lose."""

from __future__ import annotations

import posixpath
import re
import typing as t

from .._api.client import Api
from .._certificates.probe import ProbeSettings
from .._core.context import Context
from .._core.errors import OmeError
from .._host.server_memory import MAPS, configuration_files
from .._reconcile.config_files import VirtualHostFiles
from .auditor import Audit
from .findings import Desired

_VHOST = re.compile(r"VHost.*\.xml")


class Due(t.NamedTuple):
    """What a restart would change."""

    reasons: t.Sequence[str] = ()
    """Why a restart is due; none if the server runs as its files say."""
    lost: t.Sequence[str] = ()
    """Virtual hosts and applications that run and are in no file, as ``VHOST`` and ``VHOST/APP``."""
    vhosts: t.Sequence[str] = ()
    """Virtual hosts with which the server starts."""


def read_defined(config_dir: str, context: Context) -> list[str]:
    """Return the virtual hosts with which a server starts. Raises OmeError if it could not start."""
    return _defined(VirtualHostFiles(config_dir, context))


def read_due(api: Api, context: Context, config_dir: str, since: float | None) -> Due:
    """Return what a restart of a running server would change.

    Virtual hosts and applications are compared, as an audit does with the files as its lists. Other files count if they
    are newer than the process; stream maps never do, because the server reads them for each stream.

    :param since: when the process started, in seconds since 1970; None if it is unknown. Raises OmeError.
    """
    files = VirtualHostFiles(config_dir, context)
    vhosts, apps = [], []
    for name in files.names:
        vhost = dict(files.read(name) or {})
        apps += [{**app, "vhost": name} for app in vhost.pop("applications", ())]
        vhosts.append(vhost)
    audit = Audit(api, context, Desired(vhosts, apps), config_dir=config_dir)
    audit.run([], ProbeSettings(0))
    found = audit.result()
    findings = found["findings"]
    if not found["reachable"]:
        first = findings[0]
        raise OmeError(first["kind"], "find out whether a restart is due", detail=first["message"])
    newer = []
    for one in configuration_files(config_dir):
        name = posixpath.basename(one.path)
        if since is not None and one.mtime >= since and name not in MAPS and not _VHOST.fullmatch(name):
            newer.append(f"{name} is newer than the running server")
    compared = [_reason(one) for one in findings if one["kind"] in ("restart_due", "missing")]
    places = (_place(one) for one in findings if one["kind"] == "not_listed" and not _is_inside(one))
    return Due(newer + list(dict.fromkeys(compared)), list(dict.fromkeys(places)), _defined(files))


def _defined(files: VirtualHostFiles) -> list[str]:
    # A macro is another name once the server has started.
    return [name for name in files.defined if "${" not in name]


def _place(finding: t.Mapping[str, t.Any]) -> str:
    return "/".join(filter(None, (finding["vhost"], finding["application"])))


def _is_inside(finding: t.Mapping[str, t.Any]) -> bool:
    """Return whether a finding is about something inside of an application."""
    return any(finding[part] for part in ("push_task", "record", "stream", "channel"))


def _reason(finding: t.Mapping[str, t.Any]) -> str:
    kind = "application" if finding["application"] else "virtual host"
    title, field = f"{kind} {_place(finding)}", finding["field"]
    if finding["kind"] == "missing" or (field == "name" and finding["found"] is None):
        return f"{title} is in its file and not on the server"
    if field == "name":
        return f"{title} is on the server and in no file"
    return f"{title} differs in {field}"
