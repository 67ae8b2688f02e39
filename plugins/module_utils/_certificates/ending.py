# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a rotation that failed has ended: what is in place, and what is served."""

from __future__ import annotations

import typing as t

from .._tls.certificate import Certificate
from .probe import EndpointReport, describe_reports

UNTOUCHED, ROTATED, UNCHANGED = "untouched", "rotated", "unchanged"
RESTORED, REMOVED, FAILED = "restored", "removed", "failed"

_UNPROVEN = "The old files are back. THAT THE OLD CERTIFICATE IS SERVED IS NOT PROVEN."


class Ending(t.NamedTuple):
    """The action that a result has, and sentences about it."""

    action: str
    text: str


def nothing_to_restore(others: t.Sequence[str]) -> Ending:
    """Return the ending if the new files were in place before; ``others`` are the virtual hosts that got them by this
    run.
    """
    if others:
        return Ending(
            FAILED,
            f"The files are also those of the virtual host {', '.join(others)}, which serves the new certificate since "
            "this run placed them. They stay.",
        )
    return Ending(FAILED, "The new files were in place before this run, so that there is nothing to restore.")


def not_restored(error: OSError, backups: t.Iterable[str]) -> Ending:
    """Return the ending if the old files could not be restored."""
    copies = ", ".join(backups)
    where = f" Restore them from {copies}, or run the task again." if copies else " Run the task again."
    return Ending(FAILED, f"RESTORING THE OLD FILES FAILED, TOO: {error.filename}: {error.strerror}.{where}")


def removed() -> Ending:
    """Return the ending if there was no certificate before."""
    return Ending(
        REMOVED,
        "There was no certificate before. The new files are removed. "
        "The server serves what it has loaded until it restarts.",
    )


def restored(
    old: Certificate | None,
    before: t.Sequence[EndpointReport],
    after: t.Sequence[EndpointReport],
    failure: str,
) -> Ending:
    """Return the ending after the reload of the old certificate.

    ``before`` are the endpoints before the rotation, ``after`` those after the last reload. ``failure`` says why the
    old certificate is not proven; empty if it is.
    """
    fingerprint = old.fingerprint if old is not None else ""
    if not after or _lost(before, after, fingerprint):
        return Ending(FAILED, f"{_UNPROVEN} {failure}".rstrip())
    if fingerprint in (report.before.certificate.fingerprint for report in before if report.before.certificate):
        return Ending(RESTORED, "The old files are back, and the old certificate is served.")
    return Ending(
        RESTORED,
        "The old files are back, and each endpoint serves what it served before, which was not the old certificate of "
        "this virtual host.",
    )


def served_now(reports: t.Sequence[EndpointReport]) -> str:
    """Return the sentence about what the endpoints serve; empty without any."""
    return f"Served now: {describe_reports(reports)}." if reports else ""


def _lost(before: t.Sequence[EndpointReport], after: t.Sequence[EndpointReport], fingerprint: str) -> bool:
    """Return whether an endpoint that served a certificate now serves neither this one nor the old certificate."""
    for old, new in zip(before, after):
        was = old.before.certificate
        now = new.after.certificate.fingerprint if new.after.certificate else ""
        if was is not None and now != was.fingerprint and (not fingerprint or now != fingerprint):
            return True
    return False
