# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The findings of an audit, what it compares a server with, and how it keeps running after errors."""

from __future__ import annotations

import fnmatch
import typing as t

from .._certificates.probe import Expected
from .._core.concurrency import deferred
from .._core.errors import UNANSWERED, OmeError
from .._core.texts import name_list
from .._schema.fields import Difference
from .._tls.certificate import Endpoint

# The findings of an audit and their severities.
#
# Filters import this file, so it imports neither `requests` nor `ssl`.

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


# The desired state that an audit compares a server with.


class Desired(t.NamedTuple):
    """The lists of one server, in specified form."""

    vhosts: t.Sequence[t.Mapping[str, t.Any]] = ()
    applications: t.Sequence[t.Mapping[str, t.Any]] = ()
    push_tasks: t.Sequence[t.Mapping[str, t.Any]] = ()
    # Virtual hosts of the server's configuration file that the API does not identify as such.
    read_only: t.Collection[str] = ()
    # The names in invalid entries, from the virtual host on. These objects are neither compared nor "not listed".
    # Those of virtual hosts have one name and those of applications two; others begin with the option of their list.
    referenced_keys: t.Collection[tuple[str, ...]] = ()
    records: t.Sequence[t.Mapping[str, t.Any]] = ()
    streams: t.Sequence[t.Mapping[str, t.Any]] = ()
    scheduled_channels: t.Sequence[t.Mapping[str, t.Any]] = ()
    multiplex_channels: t.Sequence[t.Mapping[str, t.Any]] = ()


Audited = t.Callable[[str], bool]
"""Whether a virtual host of a name is audited."""


def audited_by(patterns: t.Collection[str]) -> Audited:
    """Return whether a virtual host is audited, by names and patterns such as ``tenant-*``."""
    return lambda vhost: any(fnmatch.fnmatchcase(vhost, pattern) for pattern in patterns)


EVERY_VHOST = audited_by("*")


class DesiredCertificate(t.NamedTuple):
    """The certificate that an endpoint should serve, and the fewest days that it must remain valid."""

    vhost: str
    endpoint: Endpoint
    expected: Expected | None
    days: int
    # Whether clients use the server name of the endpoint; otherwise it is the address of the port.
    named: bool = True


# Collect findings while a server is read, and keep an audit running after errors.

SERVER_LOST = (*UNANSWERED, "unauthorized", "redirect", "tls")
"""Kinds of errors that end an audit: each further request would fail in the same way, some after a time-out."""

MOST_NAMED = 5  # objects in a message

UNKNOWN = object()
"""Stands for a response that could not be read, because None means that the object does not exist."""


class Collector:
    """Collects the findings of one audit, in the order of the calls even if they run concurrently."""

    def __init__(self, findings: t.Iterable[Finding] = (), audited: Audited = EVERY_VHOST) -> None:
        """``findings`` are those that were made before the server was asked.

        Those that are only about virtual hosts that are not ``audited`` are not kept.
        """
        self.findings: list[Finding] = list(findings)
        self._audited = audited

    def add(self, severity: str, kind: str, message: str, **place: t.Any) -> None:
        """Add a finding. ``place`` holds the remaining fields of :class:`Finding`."""
        self._keep(self.findings.append, Finding(severity, kind, message, **place))

    def add_error(self, error: OmeError, **place: t.Any) -> None:
        """Add the finding of a failed request, once; raise the error again if it ends the audit."""
        if error.kind in SERVER_LOST:
            raise error
        self._keep(self._add_once, Finding(ERROR, error.kind, str(error), **place))

    def _keep(self, keep: t.Callable[[Finding], None], finding: Finding) -> None:
        vhosts = [name for name in (finding.vhost, *finding.vhosts) if name]
        if not vhosts or any(map(self._audited, vhosts)):
            deferred(keep, finding)

    def _add_once(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)

    def add_blocked(self, error: OmeError, title: str, what: str, names: t.Sequence[str], **place: str) -> None:
        """Add one finding about listed objects that an application cannot have, for what it lacks.

        ``title`` and ``place`` are those of the first object. ``what`` is the plural of their kind, for several.
        """
        text = f"{title} is"
        if len(names) > 1:
            place = {part: place[part] for part in ("vhost", "application")}
            text = f"Application {place['vhost']}/{place['application']}: {what} {name_list(names, MOST_NAMED)} are"
        text = f"{text} listed and not on the server. {error.advice.meaning} {error.advice.remedy}"
        self.add(ERROR, error.kind, text, **place)

    def add_warnings(self, texts: t.Iterable[str], **place: str) -> None:
        """Add warnings about desired objects that are valid but may not do what was meant."""
        for text in texts:
            self.add(WARNING, "concern", text, **place)

    def add_differences(
        self, title: str, differences: t.Iterable[Difference], *, read_only: bool, **place: str
    ) -> None:
        """Add a finding for each field that differs. ``title`` names the object; it begins with a capital."""
        for difference in differences:
            self.add(
                DRIFT,
                "differs",
                f"{title}: {difference.field} differs.{where_to_change(read_only)}",
                field=difference.field,
                found=difference.before,
                wanted=difference.after,
                **place,
            )

    def read(self, call: t.Callable[..., t.Any], *names: str, **place: str) -> t.Any:
        """Return what a call returns; :data:`UNKNOWN` if it fails, with a finding.

        Raises OmeError if no further request can succeed.
        """
        try:
            return call(*names)
        except OmeError as error:
            self.add_error(error, **place)
            return UNKNOWN


def where_to_change(read_only: bool) -> str:
    """Return a sentence for messages about objects of a read-only virtual host; empty for others."""
    if not read_only:
        return ""
    return " The virtual host comes from the server's configuration file and must be changed there."
