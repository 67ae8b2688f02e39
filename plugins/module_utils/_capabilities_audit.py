# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the module `audit_info` does: options in, findings out."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _application as application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _push_task as push_task
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _virtual_host as virtual_host
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import Capability, Result, check_name
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificate import (
    CertificateError,
    Endpoint,
    normal_fingerprint,
    read_pem_certificates,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._checks import host_name
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._push_task import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_audit import ERROR, Audit, Finding, Wanted, WantedCertificate
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile_certificates import Expected, Handshakes
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._virtual_host import VIRTUAL_HOST

Entries = list[tuple[str, dict[str, t.Any]]]
LONGEST_INTERVAL = 600.0  # seconds


class AuditInfo(Capability):
    """Compares a server with what is listed, and looks for what is wrong with it; never writes."""

    @functools.cached_property
    def vhosts(self) -> Entries:
        """The path of the option and the given form of each virtual host."""
        return [(f"vhosts[{index}]", VIRTUAL_HOST.given(entry)) for index, entry in enumerate(self.params["vhosts"] or [])]

    @functools.cached_property
    def applications(self) -> Entries:
        """The same of applications, those inside of virtual hosts first."""
        found = [
            (f"vhosts[{index}].applications[{inner}]", APPLICATION.given({**app, "vhost": entry["name"]}))
            for index, entry in enumerate(self.params["vhosts"] or [])
            for inner, app in enumerate(entry["applications"] or [])
        ]
        return found + [(f"applications[{index}]", APPLICATION.given(entry)) for index, entry in enumerate(self.params["applications"] or [])]

    @functools.cached_property
    def push_tasks(self) -> Entries:
        """The same of push tasks."""
        return [(f"push_tasks[{index}]", PUSH_TASK.given(entry)) for index, entry in enumerate(self.params["push_tasks"] or [])]

    def collect_secrets(self, secrets: SecretStore) -> None:
        for group, entries in ((VIRTUAL_HOST, self.vhosts), (APPLICATION, self.applications), (PUSH_TASK, self.push_tasks)):
            for _path, entry in entries:
                group.collect_secrets(entry, secrets)

    def check(self) -> None:
        if not 0 <= self.params["sampling_interval"] <= LONGEST_INTERVAL:
            raise BadInput("sampling_interval", f"expected seconds, from 0 to {LONGEST_INTERVAL:g}, got {self.params['sampling_interval']:g}")
        if self.params["certificate_days"] < 0:
            raise BadInput("certificate_days", f"expected days, 0 or more, got {self.params['certificate_days']}")
        for index, name in enumerate(self.params["read_only_vhosts"] or []):
            check_name(name, f"read_only_vhosts[{index}]")

    def run(self, api: Api, context: Context) -> Result:
        audit = Audit(api, context, sampling_interval=self.params["sampling_interval"])
        wanted = Wanted(
            self._valid(audit, self.vhosts, lambda entry, path: virtual_host.validate(entry, path, present=True), lambda entry: entry["name"]),
            self._valid(audit, self.applications, application.validate, lambda entry: str(application.key_of(entry))),
            self._valid(audit, self.push_tasks, lambda entry, path: push_task.validate(entry, path, started=True), lambda entry: str(push_task.key_of(entry))),
            self.params["read_only_vhosts"] or (),
        )
        handshakes = Handshakes(self.params["timeout"], self.params["verify_chain"], self.params["chain_ca_path"] or self.params["ca_path"])
        audit.run(wanted, list(self._certificates(audit, api, context)), handshakes)
        return {"changed": False, **audit.result()}

    def _valid(
        self, audit: Audit, entries: Entries, validate: t.Callable[[t.Any, str], None], key: t.Callable[[t.Mapping[str, t.Any]], str]
    ) -> list[dict[str, t.Any]]:
        """The entries that can be compared; each other one is a finding, and does not keep the rest from being looked at."""
        valid: dict[str, dict[str, t.Any]] = {}
        for path, entry in entries:
            try:
                validate(entry, path)
                if key(entry) in valid:
                    raise BadInput(path, f"expected each object once, got {key(entry)!r} again")
            except BadInput as error:
                audit.findings.append(_bad_input(error))
            else:
                valid[key(entry)] = entry
        return list(valid.values())

    def _certificates(self, audit: Audit, api: Api, context: Context) -> t.Iterator[WantedCertificate]:
        """What should be served at which endpoint; what cannot be read is a finding."""
        for index, entry in enumerate(self.params["certificates"] or []):
            path = f"certificates[{index}]"
            try:
                expected = self._expected(entry, path)
            except BadInput as error:
                audit.findings.append(_bad_input(error))
                expected = None
            for inner, endpoint in enumerate(entry["endpoint"] or []):
                problem = None if endpoint["server_name"] is None else host_name(endpoint["server_name"])
                if problem or endpoint["port"] is None or not 0 < endpoint["port"] < 65536:
                    audit.findings.append(_bad_input(BadInput(f"{path}.endpoint[{inner}]", problem or "expected a port from 1 to 65535")))
                    continue
                host = endpoint["host"] or api.hostname
                name = endpoint["server_name"] or self._first_name(entry["vhost"]) or host
                days = self.params["certificate_days"] if entry["days"] is None else entry["days"]
                yield WantedCertificate(entry["vhost"] or "", Endpoint(host, endpoint["port"], name), expected, days)

    def _first_name(self, vhost: str | None) -> str | None:
        """The first listed host name of a virtual host that names one host alone."""
        names: list[str] = next((entry.get("host", {}).get("names", []) for _path, entry in self.vhosts if entry["name"] == vhost), [])
        return next((str(name) for name in names if "*" not in str(name)), None)

    @staticmethod
    def _expected(entry: t.Mapping[str, t.Any], path: str) -> Expected | None:
        if entry["fingerprint"] is not None:
            fingerprint = normal_fingerprint(entry["fingerprint"])
            if fingerprint is None:
                raise BadInput(f"{path}.fingerprint", f"expected a SHA-256 fingerprint, got {entry['fingerprint']!r}")
            return Expected(fingerprint)
        if entry["certificate"] is None:
            return None
        try:
            first = read_pem_certificates(entry["certificate"])[0]
        except CertificateError as error:
            raise BadInput(f"{path}.certificate", f"expected a certificate in PEM form; {str(error).rstrip('.')}") from None
        return Expected(first.fingerprint, first)


def _bad_input(error: BadInput) -> Finding:
    """The finding of an entry that no run could bring about."""
    return Finding(ERROR, error.kind, str(error), field=error.option)
