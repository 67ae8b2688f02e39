# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `certificates`: put certificate files into place, reload, prove, or undo.

It validates the files of all virtual hosts before it changes anything, and then rotates one virtual host after the other.
The first that fails ends it.
"""

from __future__ import annotations

import contextlib
import functools
import grp
import posixpath
import pwd
import typing as t

from .._api.client import Api
from .._certificates import ending
from .._certificates.destinations import Destination, merged
from .._certificates.file_modes import mode_of
from .._certificates.installation import (
    Change,
    InPlace,
    Installation,
    Ownership,
    changes_of,
    interrupted,
    read_in_place,
    remove_surplus_backups,
)
from .._certificates.new_files import (
    NewFile,
    check_entry,
    checked,
    destinations_of,
    read_sources,
    sources_of,
)
from .._certificates.probe import EndpointReport, Expected, unverified
from .._certificates.rotation import Rotation
from .._certificates.sni import shadowed
from .._config.atomic_files import remove_leftovers
from .._config.directory_lock import locked
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._resources.virtual_host import VIRTUAL_HOST
from .._tls.certificate import Certificate, CertificateError, Endpoint
from .._tls.pem_files import read_pem_certificates
from .base import FLAG, TEXT, WAIT_TIMEOUT, Operation, Params, Result, check_name, check_wait_timeout, list_of
from .certificate_options import CHAIN_OPTIONS, SERVED_OPTIONS, check_authorities, check_endpoint, check_path, settings_of

_ENDPOINTS = SERVED_OPTIONS["endpoint"]
_PATH = {"type": "path", "no_log": False}
_ACCEPTED = ["name_not_covered", "chain_order", "chain_in_certificate", "not_yet_valid"]
_ENTRY: dict[str, dict[str, t.Any]] = {
    "vhost": {"type": "str", "required": True},
    "certificate": _PATH,
    "private_key": _PATH,
    "chain": _PATH,
    "certbot_live": _PATH,
    "certificate_content": TEXT,
    "private_key_content": {"type": "str", "no_log": True},
    "chain_content": TEXT,
    "endpoints": _ENDPOINTS,
    "cert_path": _PATH,
    "key_path": _PATH,
    "chain_cert_path": _PATH,
}
_NOTHING = "Nothing was changed."


class _Entry:
    """A virtual host, with its new files after they were validated."""

    def __init__(self, vhost: str, rotation: Rotation, certificate: Certificate, files: list[NewFile]) -> None:
        self.vhost = vhost
        self.rotation = rotation
        self.certificate = certificate
        self.files = files
        self.destinations: list[Destination] = []

    @property
    def expected(self) -> Expected:
        return Expected(self.certificate.fingerprint, self.certificate)

    @property
    def certificate_path(self) -> str:
        return next(file.path for file in self.files if file.name == "certificate")


class Certificates(Operation):
    """The operation of the module `certificates`."""

    masked_results = ("diff",)
    # It has to finish, or to undo, although nobody waits for its result any more.
    outlives_connection = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "certificates": list_of(_ENTRY),
            "remote_src": FLAG,
            "endpoints": _ENDPOINTS,
            "owner": TEXT,
            "group": TEXT,
            "mode": {"type": "raw", "default": "0644"},
            "key_mode": {"type": "raw", "default": "0600", "no_log": False},
            "backups": {"type": "int", "default": 3},
            "accept": {"type": "list", "elements": "str", "choices": _ACCEPTED, "default": []},
            "min_days_left": {"type": "int", "default": 0},
            "check_endpoints_first": {"type": "bool", "default": True},
            "wait_timeout": WAIT_TIMEOUT,
            **CHAIN_OPTIONS,
        }

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(*(entry["private_key_content"] for entry in self.params["certificates"]))

    def check(self) -> None:
        seen = set()
        for index, entry in enumerate(self.params["certificates"]):
            path = f"certificates[{index}]"
            check_name(entry["vhost"], f"{path}.vhost")
            if entry["vhost"] in seen:
                raise BadInput(f"{path}.vhost", "expected each virtual host once")
            seen.add(entry["vhost"])
            for option, spec in _ENTRY.items():
                if spec is _PATH and not (option == "chain" and entry[option] == ""):
                    check_path(entry[option], f"{path}.{option}")
            check_entry(entry, path)
            self._check_endpoints(entry, path)
        for option in ("mode", "key_mode"):
            if mode_of(self.params[option]) is None:
                expected = 'expected a mode in quotes, such as "0640"'
                raise BadInput(option, f"{expected}, got {self.params[option]!r}")
        for option in ("backups", "min_days_left"):
            if self.params[option] < 0:
                raise BadInput(option, f"expected a whole number, 0 or more, got {self.params[option]}")
        check_wait_timeout(self.params)
        check_authorities(self.params)
        self._ownership()

    def _check_endpoints(self, entry: Params, path: str) -> None:
        own = entry["endpoints"] is not None
        endpoints = entry["endpoints"] if own else self.params["endpoints"]
        option = f"{path}.endpoints" if own else "endpoints"
        if not endpoints:
            raise BadInput(option, "expected at least one, because only a handshake shows what is served")
        for index, endpoint in enumerate(endpoints):
            check_endpoint(endpoint, f"{option}[{index}]")

    def _ownership(self) -> Ownership:
        """Return the IDs of owner and group. Raises BadInput if the host does not know one."""
        owner, group = self.params["owner"], self.params["group"]
        try:
            uid = None if owner is None else int(owner) if owner.isdecimal() else pwd.getpwnam(owner).pw_uid
        except KeyError:
            raise BadInput("owner", f"expected a user of the host, got {owner!r}") from None
        try:
            gid = None if group is None else int(group) if group.isdecimal() else grp.getgrnam(group).gr_gid
        except KeyError:
            raise BadInput("group", f"expected a group of the host, got {group!r}") from None
        return Ownership(uid, gid)

    def run(self, api: Api, context: Context) -> Result:
        work = _Work(self.params, self._ownership(), api, context)
        try:
            work.run()
        except OmeError as error:
            return work.result(error)
        return work.result(None)


def not_run(entries: t.Any, *, check_mode: bool) -> Result:
    """Return the keys of a result that a summary needs, for a task that has failed before it could begin.

    ``entries`` is the option ``certificates``, which can be invalid.
    """
    listed = entries if isinstance(entries, list) else ()
    names = [str(one["vhost"]) for one in listed if isinstance(one, dict) and "vhost" in one]
    return _summary(dict.fromkeys(names, ending.UNTOUCHED), check_mode=check_mode)


def _summary(actions: t.Mapping[str, str], *, check_mode: bool) -> Result:
    listed = ", ".join(f"{vhost} {action}" for vhost, action in sorted(actions.items()))
    begin = "Check mode, this would be done: " if check_mode else ""
    return {"vhosts": dict(actions), "line": f"{begin}certificates: {listed or 'none listed'}"}


class _Work:
    """One run over all virtual hosts."""

    def __init__(self, params: Params, ownership: Ownership, api: Api, context: Context) -> None:
        self._params = params
        self._ownership = ownership
        self._api = api
        self._context = context
        self._actions = {entry["vhost"]: ending.UNTOUCHED for entry in params["certificates"]}
        self._results: list[dict[str, t.Any]] = []
        self._replaced: dict[t.Hashable, str] = {}
        """Destinations that this run has written, each with the name of its virtual host."""

    def run(self) -> None:
        """Validate all, then rotate one after the other. Raises OmeError for the first that fails."""
        entries = [self._validated(*pair) for pair in zip(self._params["certificates"], self._virtual_hosts())]
        self._check_shadows(entries)
        destinations, conflicts = merged({entry.vhost: entry.files for entry in entries})
        if conflicts:
            more = f" Number of such conflicts: {len(conflicts)}." if len(conflicts) > 1 else ""
            raise self._refused("use the destinations", " ".join(conflicts[:3]) + more)
        for entry in entries:
            entry.destinations = destinations[entry.vhost]
        folders = {posixpath.dirname(one.file.path) for entry in entries for one in entry.destinations}
        with contextlib.ExitStack() as stack:
            for folder in sorted(folders):
                stack.enter_context(locked(folder, self._context))
                if not self._context.check_mode:
                    remove_leftovers(folder, deepest=0)
            for entry in entries:
                self._rotate(entry)

    def result(self, failure: OmeError | None) -> Result:
        """Return the result of the task."""
        result: Result = {
            "changed": any(one["changed"] for one in self._results),
            **_summary(self._actions, check_mode=self._context.check_mode),
            "results": self._results,
            "diff": {
                side: {one["vhost"]: one["diff"][side] for one in self._results if one["changed"]}
                for side in ("before", "after")
            },
        }
        for one in self._results:
            del one["diff"]
        if failure is not None:
            result.update(failed=True, msg=str(failure), error=failure.as_result())
        return result

    # Validation

    def _refused(self, attempt: str, detail: str, kind: str = "bad_input") -> OmeError:
        return OmeError(kind, attempt, detail=detail, remedy=_NOTHING)

    def _virtual_hosts(self) -> list[dict[str, t.Any]]:
        """Return the listed virtual hosts in option form."""
        raws = self._api.map_concurrently(
            [
                functools.partial(self._api.read_virtual_host, entry["vhost"])
                for entry in self._params["certificates"]
            ]
        )
        for entry, raw in zip(self._params["certificates"], raws):
            if raw is None:
                detail = f"The server has no virtual host {entry['vhost']}."
                raise self._refused(f"rotate the certificate of virtual host {entry['vhost']}", detail, "vhost_not_found")
        return [VIRTUAL_HOST.from_wire(raw) for raw in raws]

    def _validated(self, entry: Params, vhost: t.Mapping[str, t.Any]) -> _Entry:
        """Return a virtual host with its new files and what is served. Raises OmeError if they cannot be used."""
        name, host = entry["vhost"], vhost.get("host") or {}
        attempt = f"rotate the certificate of virtual host {name}"
        paths = destinations_of(entry, host.get("tls") or {})
        if not paths["certificate"] or not paths["private_key"]:
            raise self._refused(
                attempt,
                f"The virtual host {name} has no TLS: the server names no files for its certificate. Set "
                "host.tls.cert_path and host.tls.key_path, with the module vhost and recreate or, if the virtual host "
                "comes from the server's configuration file, in that file.",
            )
        sources = sources_of(entry)
        if "chain" in sources and not paths["chain"]:
            raise self._refused(
                attempt,
                f"There is a chain for the virtual host {name}, which has no host.tls.chain_cert_path: the server would "
                "not send the chain, and clients would refuse the certificate. Set the path, or omit the chain with "
                "chain: ''.",
            )
        contents, problems = read_sources(entry)
        names, now = host.get("names", []), self._context.now()
        certificate = None
        if not problems:
            old_chain = "" if "chain" in contents else paths["chain"]
            certificate, problems = checked(contents, sources, old_chain, names, now)
        problems = [problem for problem in problems if problem.kind not in self._params["accept"]]
        if problems or certificate is None:
            kinds = ", ".join(dict.fromkeys(problem.kind for problem in problems))
            text = " ".join(problem.text for problem in problems)[:1500]
            detail = f"The new files for the virtual host {name} cannot be used ({kinds}). {text}"
            raise self._refused(attempt, detail, "certificate_file")
        days, least = certificate.days_left(now), self._params["min_days_left"]
        if least and days < least:
            raise self._refused(
                attempt,
                f"The new certificate for the virtual host {name} is valid until {certificate.not_after}, for {days} "
                f"days. min_days_left requires {least}.",
                "certificate_expiring",
            )
        modes = {key: mode_of(self._params[key]) or 0 for key in ("mode", "key_mode")}
        files = [
            NewFile(
                one, sources[one], paths[one], contents[one], modes["key_mode" if one == "private_key" else "mode"]
            )
            for one in sources
        ]
        rotation = Rotation(
            self._api,
            self._context,
            settings_of(self._params),
            vhost=name,
            scope="vhosts",
            wait_timeout=self._params["wait_timeout"],
            known=True,
        )
        rotation.probe(self._endpoints(entry, names))
        return _Entry(name, rotation, certificate, files)

    def _endpoints(self, entry: Params, names: t.Sequence[str]) -> list[Endpoint]:
        first = next((name for name in names if "*" not in name), None)
        listed = self._params["endpoints"] if entry["endpoints"] is None else entry["endpoints"]
        found = []
        for one in listed:
            host = one["host"] or self._api.hostname
            found.append(Endpoint(host, one["port"], one["server_name"] or first or host))
        return found

    def _check_shadows(self, entries: t.Sequence[_Entry]) -> None:
        """Raise OmeError if the server presents the certificate of another virtual host, unless both get the same."""
        for number, entry in enumerate(entries):
            same = {one.vhost for one in entries[:number] if one.certificate.fingerprint == entry.certificate.fingerprint}
            shadows = [
                (endpoint, shadow)
                for endpoint, shadow in entry.rotation.shadows(entry.expected)
                if shadow.host.name not in same
            ]
            if shadows:
                error = shadowed(entry.vhost, shadows)
                advice = (
                    f"The server would not present the certificate of the virtual host {entry.vhost} (shadowed). "
                    f"{error.detail} {error.remedy} If the other virtual host gets the same certificate, list it before "
                    f"{entry.vhost}."
                )
                raise self._refused(error.attempt, advice, "shadowed")

    # Rotation

    def _rotate(self, entry: _Entry) -> None:
        """Rotate the certificate of one virtual host. Raises OmeError if that is not proven; what it can is undone."""
        attempt = f"rotate the certificate of virtual host {entry.vhost}"
        before = self._in_place(entry, attempt)
        changes = changes_of(entry.destinations, self._ownership, before)
        had_certificate = before[entry.certificate_path].content is not None
        if self._replaced:  # what was probed at the beginning is no longer what is served
            entry.rotation.probe([report.endpoint for report in entry.rotation.reports])
        self._check_answering(entry, had_certificate, attempt)
        old = _first_certificate(entry.certificate_path) if had_certificate else None
        shared = list(
            dict.fromkeys(
                vhost
                for identity, vhost in self._replaced.items()
                if identity in {one.identity for one in entry.destinations}
            )
        )
        differ = any(change.replaces for change in changes)
        installation = Installation(entry.certificate_path, changes)
        try:
            if changes and not self._context.check_mode:
                installation.place(self._context.now())
            # A chain or the encoding of a key can change without the certificate.
            reloaded = entry.rotation.prove(entry.expected, force=differ or bool(shared))
            failure = unverified(entry.rotation.reports) if not (self._context.check_mode and reloaded) else None
        except OSError as error:
            failure = OmeError("certificate_file", attempt, detail=f"{error.filename}: {error.strerror}.")
        except OmeError as error:
            failure = error
        if failure is not None:
            self._undo(entry, installation, changes, had_certificate, shared, old, failure)
        if not self._context.check_mode:
            installation.keep()
            remove_surplus_backups(installation.backups, self._params["backups"])
        for change in changes:
            if change.replaces:
                self._replaced.setdefault(change.identity, entry.vhost)
        self._note(entry, ending.ROTATED if changes or reloaded else ending.UNCHANGED, changes, installation)

    def _in_place(self, entry: _Entry, attempt: str) -> dict[str, InPlace]:
        """Return what is in place, after what a killed run has left is undone. Raises OmeError if it cannot be read."""
        try:
            left = interrupted(entry.certificate_path)
            if left:
                will = "would come back first" if self._context.check_mode else "are back"
                self._context.warn(
                    f"A rotation of the certificate of the virtual host {entry.vhost} was interrupted. The old files {will}."
                )
                if not self._context.check_mode:
                    Installation(entry.certificate_path).undo()
            current = {one.file.path: read_in_place(one.file.path) for one in entry.destinations}
            return {path: left.get(path, there) for path, there in current.items()} if self._context.check_mode else current
        except OSError as error:
            detail = (
                f"The directory {error.filename} cannot be read: {error.strerror}. If it does not exist, create it, with an "
                "owner and a mode that suit the server."
                if isinstance(error, FileNotFoundError)
                else f"{error.filename} cannot be read: {error.strerror}."
            )
            raise self._refused(attempt, detail, "certificate_file") from None

    def _check_answering(self, entry: _Entry, had_certificate: bool, attempt: str) -> None:
        """Raise OmeError if an endpoint serves nothing, because it could not prove the new certificate."""
        silent = [report.before.error for report in entry.rotation.reports if report.before.error is not None]
        if not silent or not had_certificate or not self._params["check_endpoints_first"]:
            return
        raise self._refused(
            attempt,
            f"The certificate of the virtual host {entry.vhost} was not replaced, because a handshake could not prove it: "
            f"{' '.join(map(str, silent))[:1200]} If the server serves no certificate at all, as after a restart with "
            "broken files, set check_endpoints_first to false.",
            "handshake_failed",
        )

    def _undo(
        self,
        entry: _Entry,
        installation: Installation,
        changes: t.Sequence[Change],
        had_certificate: bool,
        shared: t.Sequence[str],
        old: Certificate | None,
        failure: OmeError,
    ) -> t.NoReturn:
        """Restore the old files, bring the old certificate into use, and raise OmeError that says how that has ended."""
        reports: t.Sequence[EndpointReport] = entry.rotation.reports
        differ = any(change.replaces for change in changes)
        if self._context.check_mode:
            found = ending.Ending(ending.UNTOUCHED, _NOTHING)
        else:
            try:
                installation.undo()
            except OSError as error:
                found = ending.not_restored(error, installation.backups.values())
            else:
                if not differ:
                    found = ending.nothing_to_restore(shared)
                elif not had_certificate:
                    found = ending.removed()
                else:
                    found, reports = self._reload_old(entry, old)
        self._note(entry, found.action, changes if found.action == ending.FAILED else (), installation)
        detail = " ".join(
            part
            for part in (
                f"The new certificate of the virtual host {entry.vhost} is not proven to be in use.",
                f"{failure.detail or failure.advice.meaning}",
                f"The server says: {failure.server_message.rstrip('.')}." if failure.server_message else "",
                found.text,
                ending.served_now(reports),
            )
            if part
        )
        raise OmeError(
            failure.kind,
            f"rotate the certificate of virtual host {entry.vhost}",
            detail=detail,
            remedy=failure.remedy,
            method=failure.method,
            path=failure.path,
            host=failure.host,
            status=failure.status,
        ) from None

    def _reload_old(
        self, entry: _Entry, old: Certificate | None
    ) -> tuple[ending.Ending, t.Sequence[EndpointReport]]:
        """Reload the old certificate; return how that ends and what is served.

        Always with a reload, because that of the new certificate can take effect late. A certificate that no endpoint
        served before is not waited for.
        """
        before = entry.rotation.reports
        served = {report.before.certificate.fingerprint for report in before if report.before.certificate}
        expected = Expected(old.fingerprint, old) if old is not None and old.fingerprint in served else None
        rotation = Rotation(
            self._api,
            self._context,
            settings_of({**self._params, "verify_chain": False}),
            vhost=entry.vhost,
            scope="vhosts",
            wait_timeout=self._params["wait_timeout"],
            known=True,
        )
        text = ""
        try:
            rotation.run([report.endpoint for report in before], expected, force=True)
        except OmeError as error:
            text = str(error)
        return ending.restored(old, before, rotation.reports, text), rotation.reports

    def _note(self, entry: _Entry, action: str, changes: t.Sequence[Change], installation: Installation) -> None:
        """Add what was done for a virtual host to the result."""
        now, expected = self._context.now(), entry.expected
        self._actions[entry.vhost] = action
        endpoints = [report.as_result(expected, now) for report in entry.rotation.reports]
        changed = action in (ending.ROTATED, ending.FAILED) and (bool(changes) or action == ending.ROTATED)
        if self._context.check_mode and changed:
            for one in endpoints:
                one["after"], one["agrees"] = expected.as_result(now), True
        files = [
            {
                "path": one.file.path,
                "changed": any(change.path == one.file.path for change in changes),
                "backup": installation.backups.get(one.file.path) if changes else None,
            }
            for one in entry.destinations
        ]
        titles = [str(report.endpoint) for report in entry.rotation.reports]
        self._results.append(
            {
                "vhost": entry.vhost,
                "action": action,
                "changed": changed,
                "certificate": entry.certificate.as_result(now),
                "files": files,
                "endpoints": endpoints,
                "diff": {
                    "before": {
                        "files": {change.path: _shown(change.before.content, change.before.mode) for change in changes},
                        "served": {title: one["before"] for title, one in zip(titles, endpoints)},
                    },
                    "after": {
                        "files": {
                            change.path: _shown(change.content, change.access.mode, change.before.content)
                            for change in changes
                        },
                        "served": {title: one["after"] for title, one in zip(titles, endpoints)},
                    },
                },
            }
        )


def _shown(content: bytes | None, mode: int, before: bytes | None = None) -> str:
    """Return a file as a diff shows it: its mode, and whether it is another than before, but not what it holds."""
    if content is None:
        return "absent"
    return f"mode {mode:04o}" + (", new content" if before is not None and before != content else "")


def _first_certificate(path: str) -> Certificate | None:
    try:
        return read_pem_certificates(path)[0]
    except CertificateError:
        return None
