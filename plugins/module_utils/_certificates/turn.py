# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rotate the certificate of one virtual host: place its files, reload, prove, or undo."""

from __future__ import annotations

import posixpath
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import named
from .._tls.certificate import Certificate, CertificateError
from .._tls.certificate_reader import read_pem_certificates
from .installation import (
    Change,
    InPlace,
    Installation,
    Ownership,
    changes_of,
    interrupted,
    read_in_place,
    remove_surplus_backups,
)
from .new_files import NOTHING, Validated, refused
from .probe import EndpointReport, Expected, ProbeSettings, describe_reports, unverified
from .rotation import Rotation

# How a rotation that failed has ended: what is in place, and what is served.

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


class Policy(t.NamedTuple):
    """How to rotate; ``wait_timeout`` is in seconds."""

    ownership: Ownership
    settings: ProbeSettings
    wait_timeout: float
    backups: int
    check_endpoints_first: bool


class Turn:
    """The rotation for one virtual host. It has what was done, also if that has failed."""

    def __init__(self, entry: Validated, policy: Policy, api: Api, context: Context) -> None:
        self.entry = entry
        self._policy = policy
        self._api = api
        self._context = context
        self._installation = Installation(entry.certificate_path)
        self.action = UNTOUCHED
        self.changes: t.Sequence[Change] = ()
        """The files that have another content, mode or owner than before."""

    @property
    def backups(self) -> t.Mapping[str, str]:
        """The copies of old files, by path of the file."""
        return self._installation.backups if self.changes else {}

    def take(self, replaced: t.Mapping[t.Hashable, str]) -> None:
        """Rotate. Raises OmeError if that is not proven; what can be undone is undone then.

        ``replaced`` are the destinations that the run has written before, each with the name of its virtual host.
        """
        entry, check_mode = self.entry, self._context.check_mode
        before = self._in_place()
        had_certificate = before[entry.certificate_path].content is not None
        if replaced:  # what was probed at the beginning is no longer what is served
            entry.rotation.probe([report.endpoint for report in entry.rotation.reports])
        if had_certificate and self._policy.check_endpoints_first:
            self._check_answering()
        old = _first_certificate(entry.certificate_path) if had_certificate else None
        destinations = {one.identity for one in entry.destinations}
        shared = list(dict.fromkeys(vhost for identity, vhost in replaced.items() if identity in destinations))
        changes = changes_of(entry.destinations, self._policy.ownership, before)
        differ = any(change.replaces for change in changes)
        self._installation = Installation(entry.certificate_path, changes)
        reloaded, failure = False, None
        try:
            if changes and not check_mode:
                self._installation.place(self._context.now())
            # A chain or the encoding of a key can change without the certificate.
            reloaded = entry.rotation.prove(entry.expected, force=differ or bool(shared))
            failure = None if check_mode and reloaded else unverified(entry.rotation.reports)
        except OSError as error:
            failure = OmeError("certificate_file", entry.attempt, detail=f"{error.filename}: {error.strerror}.")
        except OmeError as error:
            failure = error
        if failure is not None:
            ended, reports = self._undo(differ, had_certificate, shared, old)
            self.action = ended.action
            self.changes = changes if ended.action == FAILED else ()
            raise self._unproven(failure, ended, reports)
        if not check_mode:
            self._installation.keep()
            remove_surplus_backups(self._installation.backups, self._policy.backups)
        self.changes = changes
        self.action = ROTATED if changes or reloaded else UNCHANGED

    def _in_place(self) -> dict[str, InPlace]:
        """Return what is in place, after what a killed run has left is undone. Raises OmeError if it cannot be read."""
        entry, check_mode = self.entry, self._context.check_mode
        paths = [one.file.path for one in entry.destinations]
        try:
            left = interrupted(entry.certificate_path)
            if left:
                will = "would come back first" if check_mode else "are back"
                self._context.warn(
                    f"A rotation of the certificate of the virtual host {entry.vhost} was interrupted. "
                    f"The old files {will}."
                )
                if not check_mode:
                    self._installation.undo()
            current = {path: read_in_place(path) for path in paths}
            return {**current, **{path: left[path] for path in paths if check_mode and path in left}}
        except OSError as error:
            missing = isinstance(error, FileNotFoundError) and error.filename in map(posixpath.dirname, paths)
            detail = (
                f"The directory {error.filename} cannot be read: {error.strerror}. If it does not exist, create it, "
                "with an owner and a mode that suit the server."
                if missing
                else f"{error.filename} cannot be read: {error.strerror}."
            )
            raise refused(entry.attempt, detail, "certificate_file") from None

    def _check_answering(self) -> None:
        """Raise OmeError if an endpoint serves nothing, because it could not prove the new certificate."""
        silent = [report.before.error for report in self.entry.rotation.reports if report.before.error is not None]
        if silent:
            raise refused(
                self.entry.attempt,
                f"The certificate of the virtual host {self.entry.vhost} was not replaced, because a handshake could "
                f"not prove it: {' '.join(map(str, silent))[:1200]} If the server serves no certificate at all, as "
                f"after a restart with broken files, set {named('check_endpoints_first')} to false.",
                "handshake_failed",
            )

    def _undo(
        self, differ: bool, had_certificate: bool, shared: t.Sequence[str], old: Certificate | None
    ) -> tuple[Ending, t.Sequence[EndpointReport]]:
        """Restore the old files and bring the old certificate into use; return how that ends and what is served."""
        reports = self.entry.rotation.reports
        if self._context.check_mode:
            return Ending(UNTOUCHED, NOTHING), reports
        try:
            self._installation.undo()
        except OSError as error:
            return not_restored(error, self._installation.backups.values()), reports
        if not differ:
            return nothing_to_restore(shared), reports
        return self._reload_old(old) if had_certificate else (removed(), reports)

    def _reload_old(self, old: Certificate | None) -> tuple[Ending, t.Sequence[EndpointReport]]:
        """Reload the old certificate; return how that ends and what is served.

        Always with a reload, because that of the new certificate can take effect late. A certificate that no endpoint
        served before is not waited for.
        """
        before = self.entry.rotation.reports
        served = {report.before.certificate.fingerprint for report in before if report.before.certificate}
        expected = Expected(old.fingerprint, old) if old is not None and old.fingerprint in served else None
        rotation = Rotation(
            self._api,
            self._context,
            self._policy.settings._replace(verify_chain=False),
            vhost=self.entry.vhost,
            scope="vhosts",
            wait_timeout=self._policy.wait_timeout,
            known=True,
        )
        text = ""
        try:
            rotation.run([report.endpoint for report in before], expected, force=True)
        except OmeError as error:
            text = str(error)
        return restored(old, before, rotation.reports, text), rotation.reports

    def _unproven(self, failure: OmeError, ended: Ending, reports: t.Sequence[EndpointReport]) -> OmeError:
        """Return the error that says what has failed, how that has ended, and what is served now."""
        parts = (failure.detail or failure.advice.meaning, ended.text, served_now(reports))
        detail = " ".join(part for part in parts if part)
        return failure.for_attempt(self.entry.attempt).with_detail_only(detail)


def _first_certificate(path: str) -> Certificate | None:
    """Return the certificate in place; None if the file has none."""
    try:
        return read_pem_certificates(path)[0]
    except CertificateError:
        return None
