# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of `audit_info` and `audit_report`."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._audit.auditor import Audit
from .._audit.findings import DRIFT, ERROR, Audited, Desired, DesiredCertificate, Finding, audited_by
from .._audit.live_statistics import LEVELS
from .._certificates.new_files import sources_of
from .._certificates.probe import Expected, ProbeSettings
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._core.texts import named
from .._resources import application
from .._resources.application import APPLICATION, APPLICATIONS
from .._resources.expected_stream import ExpectedStream, expected_of
from .._resources.jobs import PUSH_TASKS, RECORDS
from .._resources.kind import LABELS, Kind
from .._resources.multiplex_channel import MULTIPLEX_CHANNELS
from .._resources.scheduled_channel import SCHEDULED_CHANNELS
from .._resources.stream import PULLED_STREAMS
from .._resources.virtual_host import VIRTUAL_HOST, VIRTUAL_HOSTS
from .._schema.objects import Object
from .._schema.validators import host_name
from .._tls.certificate import Endpoint
from .base import (
    INVALID_ENTRIES,
    NAMES,
    ONLY_VHOSTS,
    TEXT,
    Operation,
    Params,
    Referenced,
    Result,
    check_name,
    check_only_vhosts,
    list_of,
)
from .certificates import (
    CHAIN_OPTIONS,
    ENDPOINTS,
    ENTRY,
    ENTRY_PATH,
    SERVED_OPTIONS,
    check_endpoint,
    check_expected,
    read_expected,
    with_list_of_endpoints,
)
from .durable_options import DURABLE, check_durable, warn_unused
from .expected import EXPECTED_STREAMS
from .viewers import VIEWERS, check_viewers, viewers_of

# The operation that audits a server.

Entries = list[tuple[str, dict[str, t.Any]]]
SHORTEST_INTERVAL = (
    2.0  # seconds; the server updates the byte counts of pushes once a second (server-facts: Push tasks)
)
LONGEST_INTERVAL = 600.0  # seconds


INSIDE = (PUSH_TASKS, RECORDS, PULLED_STREAMS, SCHEDULED_CHANNELS, MULTIPLEX_CHANNELS)
"""The lists of objects that are inside of applications."""

_CERTIFICATE: dict[str, dict[str, t.Any]] = {
    "vhost": {"type": "str"},
    **SERVED_OPTIONS,
    "certificate_content": TEXT,
    "certbot_live": ENTRY_PATH,
    "days": {"type": "int"},
}


class AuditInfo(Operation):
    """The operation of the module `audit_info`."""

    # The entries of `vhosts` hold names and states only.
    masked_results = ("vhosts",)
    lists_of_findings = ("vhosts", "applications", *(one.option for one in INSIDE), "certificates", "expected_streams")

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        vhost = {**VIRTUAL_HOST.options(), "applications": list_of(application.nested_spec(), required=False)}
        return {
            "vhosts": Referenced(list_of(vhost, required=False)),
            "applications": Referenced(list_of(APPLICATION.options(), required=False)),
            **{one.option: Referenced(list_of(one.declaration.options(), required=False)) for one in INSIDE},
            "only_vhosts": ONLY_VHOSTS,
            "read_only_vhosts": NAMES,
            "certificates": list_of(_CERTIFICATE, required=False),
            "certificates_remote_src": {"type": "bool", "default": True},
            "certificate_endpoints": Referenced(ENDPOINTS),
            "certificate_days": {"type": "int", "default": 30},
            "sampling_interval": {"type": "float", "default": 0.0},
            "expected_streams": Referenced(EXPECTED_STREAMS),
            "statistics": {"type": "str", "choices": list(LEVELS), "default": LEVELS[0]},
            "statistics_streams": {"type": "int", "default": 100},
            "play": {"type": "bool", "default": False},
            "viewers": Referenced(VIEWERS),
            **CHAIN_OPTIONS,
            **DURABLE,
        }

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        inside = {one.option: one.declaration for one in INSIDE}
        return {"vhosts": VIRTUAL_HOST, "applications": APPLICATION, **inside}, None

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        opened = super().as_declared(specified)
        entries, endpoints = opened.get("certificates"), opened.pop("certificate_endpoints", None)
        if isinstance(entries, list):
            opened["certificates"] = [_as_audited(entry, endpoints) for entry in entries]
        if endpoints and (entries is None or isinstance(entries, list)):
            listed = opened.get("certificates") or []
            opened["certificates"] = [*listed, *_of_other_vhosts(listed, opened.get("vhosts"), endpoints)]
        return opened

    @functools.cached_property
    def invalid_entries(self) -> t.Mapping[str, str]:
        """Problems of entries that do not have the types of their options, by path.

        The entries hold nothing but their names.
        """
        return dict(self.params.get(INVALID_ENTRIES) or {})

    @functools.cached_property
    def audited(self) -> Audited:
        """Whether a virtual host is audited."""
        return audited_by(self.params["only_vhosts"])

    @functools.cached_property
    def vhosts(self) -> Entries:
        """The path of the option and the specified form of each virtual host."""
        return [
            (f"vhosts[{index}]", VIRTUAL_HOST.specified(entry))
            for index, entry in enumerate(self.params["vhosts"] or [])
        ]

    @functools.cached_property
    def applications(self) -> Entries:
        """The path of the option and the specified form of each application, those inside of virtual hosts first."""
        nested = [
            (f"vhosts[{index}].applications[{inner}]", APPLICATION.specified({**app, "vhost": entry["name"]}))
            for index, entry in enumerate(self.params["vhosts"] or [])
            for inner, app in enumerate(entry.get("applications") or [])
        ]
        return nested + [
            (f"applications[{index}]", APPLICATION.specified(entry))
            for index, entry in enumerate(self.params["applications"] or [])
        ]

    @functools.cached_property
    def inside(self) -> dict[str, Entries]:
        """The path of the option and the specified form of each object inside of applications, by option."""
        return {
            one.option: [
                (f"{one.option}[{index}]", one.declaration.specified(entry))
                for index, entry in enumerate(self.params[one.option] or [])
            ]
            for one in INSIDE
        }

    def collect_secrets(self, secrets: SecretStore) -> None:
        for declaration, entries in (
            (VIRTUAL_HOST, self.vhosts),
            (APPLICATION, self.applications),
            *((one.declaration, self.inside[one.option]) for one in INSIDE),
        ):
            for _path, entry in entries:
                declaration.collect_secrets(entry, secrets)

    def check(self) -> None:
        interval = self.params["sampling_interval"]
        if interval != 0 and not SHORTEST_INTERVAL <= interval <= LONGEST_INTERVAL:
            expected = f"expected 0 for one sample, or seconds from {SHORTEST_INTERVAL:g} to {LONGEST_INTERVAL:g}"
            raise BadInput("sampling_interval", f"{expected}, got {interval:g}")
        if self.params["certificate_days"] < 0:
            raise BadInput("certificate_days", f"expected days, 0 or more, got {self.params['certificate_days']}")
        if self.params["statistics_streams"] < 0:
            raise BadInput("statistics_streams", f"expected 0 or more, got {self.params['statistics_streams']}")
        check_only_vhosts(self.params)
        check_durable(self.params)
        check_viewers(self.params["viewers"])
        for index, name in enumerate(self.params["read_only_vhosts"] or []):
            check_name(name, f"read_only_vhosts[{index}]")

    def run(self, api: Api, context: Context) -> Result:
        bad: list[Finding] = []
        referenced_keys: set[tuple[str, ...]] = set()
        vhosts = self._valid(self.vhosts, VIRTUAL_HOSTS, bad, referenced_keys)
        applications = self._valid(self.applications, APPLICATIONS, bad, referenced_keys)
        inside = {one.option: self._valid(self.inside[one.option], one, bad, referenced_keys) for one in INSIDE}
        desired = Desired(
            vhosts,
            applications,
            read_only=self.params["read_only_vhosts"] or (),
            referenced_keys=referenced_keys,
            **inside,
        )
        settings = ProbeSettings(
            self.params["timeout"], self.params["verify_chain"], self.params["chain_ca_path"] or self.params["ca_path"]
        )
        certificates, expected = list(self._certificates(api, bad)), list(self._expected(bad))
        warn_unused(self.params, context, "the files of the configuration are not compared")
        audit = Audit(
            api,
            context,
            desired,
            sampling_interval=self.params["sampling_interval"],
            config_dir=self.params["config_dir"] if self.params["durable"] else None,
            viewers=viewers_of(self.params["viewers"]),
            play=self.params["play"],
            expected=expected,
            statistics=self.params["statistics"],
            most_streams=self.params["statistics_streams"],
            findings=bad,
            audited=self.audited,
        )
        audit.run(certificates, settings)
        return {"changed": False, "only_vhosts": self.params["only_vhosts"], **audit.result()}

    def _valid(
        self,
        entries: Entries,
        kind: Kind,
        bad: list[Finding],
        referenced_keys: set[tuple[str, ...]],
    ) -> list[dict[str, t.Any]]:
        """Return the entries of audited virtual hosts that can be compared; add a finding to ``bad`` for each of the
        others.

        The identities of invalid entries are added to ``referenced_keys``, with the name of the list if it is one of
        :data:`INSIDE`.
        """
        key = [option for option in LABELS if option in kind.declaration.fields]
        inside = (kind.option,) if kind in INSIDE else ()
        places = ("vhost", "application", kind.place)
        valid: dict[tuple[str, ...], dict[str, t.Any]] = {}
        for path, entry in entries:
            names = tuple(str(entry.get(option, "")) for option in key)
            if not self.audited(names[0]):
                continue
            try:
                if path in self.invalid_entries:
                    raise BadInput(path, self.invalid_entries[path])
                kind.validate(entry, path, complete=True)
                if names in valid:
                    raise BadInput(path, f"expected each object once, got {'/'.join(names)!r} again")
            except BadInput as error:
                referenced_keys.add((*inside, *names))
                bad.append(_bad_input(error, **dict(zip(places, names))))
            else:
                valid[names] = entry
        return list(valid.values())

    def _expected(self, bad: list[Finding]) -> t.Iterator[ExpectedStream]:
        """Yield the streams that should be live; add a finding to ``bad`` for invalid entries."""
        for index, entry in enumerate(self.params["expected_streams"] or []):
            path = f"expected_streams[{index}]"
            if not self.audited(str(entry.get("vhost"))):
                continue
            try:
                if path in self.invalid_entries:
                    raise BadInput(path, self.invalid_entries[path])
                yield expected_of(entry, path)
            except BadInput as error:
                names = dict(
                    zip(("vhost", "application", "stream"), map(str, map(entry.get, ("vhost", "app", "stream"))))
                )
                bad.append(_bad_input(error, **names))

    def _certificates(self, api: Api, bad: list[Finding]) -> t.Iterator[DesiredCertificate]:
        """Yield the certificate that each endpoint should serve; add a finding to ``bad`` for invalid options."""
        for index, entry in enumerate(self.params["certificates"] or []):
            path, place = f"certificates[{index}]", {"vhost": entry.get("vhost") or ""}
            if place["vhost"] and not self.audited(place["vhost"]):
                continue
            if path in self.invalid_entries:
                bad.append(_bad_input(BadInput(path, self.invalid_entries[path])))
                continue
            expected = None
            try:
                if not entry["endpoint"]:
                    text = "expected at least one, because only a handshake shows what is served"
                    raise BadInput(f"{path}.endpoint", text)
                if entry["days"] is not None and entry["days"] < 0:
                    raise BadInput(f"{path}.days", f"expected days, 0 or more, got {entry['days']}")
                check_expected(entry, path)
                expected = read_expected(entry)
            except BadInput as error:
                bad.append(_bad_input(error, **place))
            except OmeError as error:
                bad.append(Finding(ERROR, error.kind, str(error), field=f"{path}.certificate", **place))
            for inner, endpoint in enumerate(entry["endpoint"] or []):
                try:
                    yield self._desired_certificate(api, entry, endpoint, expected, f"{path}.endpoint[{inner}]")
                except BadInput as error:
                    bad.append(_bad_input(error, **place))

    def _desired_certificate(
        self,
        api: Api,
        entry: t.Mapping[str, t.Any],
        endpoint: t.Mapping[str, t.Any],
        expected: Expected | None,
        path: str,
    ) -> DesiredCertificate:
        """Return the certificate that one endpoint should serve. Raises BadInput."""
        check_endpoint(endpoint, path)
        host = endpoint["host"] or api.hostname
        name = endpoint["server_name"] or self._first_name(entry["vhost"])
        days = entry["days"] if entry["days"] is not None and entry["days"] >= 0 else self.params["certificate_days"]
        return DesiredCertificate(
            entry["vhost"] or "", Endpoint(host, endpoint["port"], name or host), expected, days, named=name is not None
        )

    def _first_name(self, vhost: str | None) -> str | None:
        """Return the first listed host name of a virtual host without a wildcard; None if there is none."""
        names: list[str] = next(
            (entry.get("host", {}).get("names", []) for _path, entry in self.vhosts if entry["name"] == vhost), []
        )
        return next((str(name) for name in names if "*" not in str(name) and host_name(str(name)) is None), None)


def _as_audited(entry: t.Any, endpoints: t.Any) -> t.Any:
    """Return an entry of ``certificates`` without the options that only the module `certificates` uses.

    It can have any type. One without endpoints of its own has ``endpoints``.
    """
    if not isinstance(entry, dict):
        return entry
    one = {option: value for option, value in entry.items() if option in _CERTIFICATE or option not in ENTRY}
    if one.get("certbot_live") and not one.get("certificate"):
        one["certificate"] = sources_of({"certbot_live": one.pop("certbot_live")})["certificate"]
    for value in (entry.get("endpoints"), endpoints):
        if one.get("endpoint") is None:
            one["endpoint"] = value
    return with_list_of_endpoints(one)


def _of_other_vhosts(entries: t.Iterable[t.Any], vhosts: t.Any, endpoints: t.Any) -> list[dict[str, t.Any]]:
    """Return entries for the virtual hosts with TLS that have none. ``vhosts`` can have any type."""
    named = [entry.get("vhost") for entry in entries if isinstance(entry, dict)]
    listed = [vhost for vhost in vhosts if isinstance(vhost, dict)] if isinstance(vhosts, list) else []
    return [
        with_list_of_endpoints({"vhost": vhost.get("name"), "endpoint": endpoints})
        for vhost in listed
        if vhost.get("name") not in named and isinstance(vhost.get("host"), dict) and vhost["host"].get("tls")
    ]


def _bad_input(error: BadInput, **place: str) -> Finding:
    """Return the finding for an entry of the lists that is invalid."""
    return Finding(ERROR, error.kind, str(error), field=error.option, **place)


# The operation of `audit_report`: its options. The action plugin does the work, which is all on the controller.

FAILING = {"none": (), "drift": (ERROR, DRIFT), "error": (ERROR,)}
"""Severities that make an audit fail, by the value of the option ``fail_on``."""
OPTIONS = "options"
"""The key of the result with the options after their check. The action plugin takes it away."""


class AuditReport(Operation):
    """The operation of the module `audit_report`."""

    has_connection = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "registered": {"type": "str"},
            # As those of programs, relative paths start in the current directory.
            "parts_dir": {"type": "str"},
            "report_dir": {"type": "str", "required": True},
            "metrics_file": {"type": "str"},
            "fail_on": {"type": "str", "choices": list(FAILING), "default": "drift"},
            "tenant": {"type": "str"},
        }

    def check(self) -> None:
        if (self.params["registered"] is None) == (self.params["parts_dir"] is None):
            raise BadInput("registered", f"expected either this option or {named('parts_dir')}")

    def run(self, api: t.Any, context: Context) -> Result:
        return {"changed": False, OPTIONS: self.params}
