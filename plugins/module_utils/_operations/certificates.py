# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations on certificates."""

from __future__ import annotations

import os
import typing as t
from urllib.parse import urlsplit

from .._api.client import Api
from .._certificates.probe import (
    EndpointReport,
    Expected,
    ProbeResult,
    ProbeSettings,
    Shadow,
    SniOrder,
    expiring,
    proven_shadows,
    shadowed,
    unverified,
)
from .._certificates.rotation import Rotation
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import named
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import duration, host_name, http_url
from .._tls.certificate import Certificate, CertificateError, Endpoint, Problem, host_of, normalize_fingerprint
from .._tls.certificate_reader import certificates_in, check_files, key_matches, read_pem_certificates
from .base import (
    FLAG,
    NAMES,
    TEXT,
    WAIT_TIMEOUT,
    Operation,
    Params,
    Result,
    check_name,
    check_wait_timeout,
    state_option,
)

# The options that operations on certificates share, and their checks.

ENDPOINTS: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "options": {"host": {"type": "str"}, "port": {"type": "int"}, "server_name": {"type": "str", "no_log": False}},
}
"""Argument spec: ports with TLS."""
SERVED_OPTIONS: dict[str, dict[str, t.Any]] = {
    "certificate": {"type": "path"},
    "fingerprint": {"type": "str"},
    "endpoint": ENDPOINTS,
}
"""Argument specs: which certificate should be served, and where."""

_EXPECTED = ("certificate", "certificate_content", "certbot_live", "fingerprint")
"""Options that define the expected certificate."""

CHAIN_OPTIONS: dict[str, dict[str, t.Any]] = {"verify_chain": FLAG, "chain_ca_path": {"type": "path"}}
"""Argument specs: whether and how the chain is verified."""

ENTRY_PATH = {"type": "path", "no_log": False}
ENTRY: dict[str, dict[str, t.Any]] = {
    "vhost": {"type": "str", "required": True},
    "certificate": ENTRY_PATH,
    "private_key": ENTRY_PATH,
    "chain": ENTRY_PATH,
    "certbot_live": ENTRY_PATH,
    "certificate_content": TEXT,
    "private_key_content": {"type": "str", "no_log": True},
    "chain_content": TEXT,
    "endpoints": ENDPOINTS,
    "cert_path": ENTRY_PATH,
    "key_path": ENTRY_PATH,
    "chain_cert_path": ENTRY_PATH,
}
"""Argument specs: one certificate of the module `certificates`."""


def with_list_of_endpoints(specified: Params) -> dict[str, t.Any]:
    """Return the options with ``endpoint`` as a list, even if it is a single dictionary."""
    one = specified.get("endpoint")
    return {**specified, "endpoint": [one]} if isinstance(one, dict) else dict(specified)


def check_authorities(params: Params) -> None:
    """Raise BadInput if the CA certificates cannot be read, because every handshake after the reload would fail."""
    option = "chain_ca_path" if params["chain_ca_path"] is not None else "ca_path"
    path = params[option]
    if not params["verify_chain"] or path is None or os.path.isdir(path):
        return
    try:
        read_pem_certificates(path)
    except CertificateError as error:
        expected = "expected a file or a directory of CA certificates in PEM form"
        raise BadInput(option, f"{expected}; {str(error).rstrip('.')}") from None


def settings_of(params: Params) -> ProbeSettings:
    """Return the settings of handshakes."""
    chain_ca_path = params["chain_ca_path"]
    return ProbeSettings(
        params["timeout"], params["verify_chain"], params["ca_path"] if chain_ca_path is None else chain_ca_path
    )


def check_path(value: str | None, option: str) -> None:
    """Raise BadInput if a value is not a path but, by mistake, the content of a file, without repeating it."""
    if value is not None and not (value.strip() and value.isprintable() and "-----BEGIN" not in value):
        raise BadInput(option, "expected the path of a file in PEM form, not what the file holds")


def check_expected(params: Params, path: str = "") -> None:
    """Raise BadInput if the options `certificate` and `fingerprint` define no certificate.

    ``path`` is that of their entry, if they are in a list.
    """
    prefix = f"{path}." if path else ""
    defined = [option for option in _EXPECTED if params.get(option) is not None]
    if len(defined) > 1:
        raise BadInput(f"{prefix}{defined[1]}", f"cannot be used together with {defined[0]}, which defines the same")
    if params["fingerprint"] is not None and normalize_fingerprint(params["fingerprint"]) is None:
        expected = "expected a SHA-256 fingerprint, 64 hexadecimal digits with or without colons"
        raise BadInput(f"{prefix}fingerprint", f"{expected}, got {params['fingerprint']!r}")
    check_path(params["certificate"], f"{prefix}certificate")


def read_expected(params: Params) -> Expected | None:
    """Return the expected certificate from the checked options `certificate`, `certificate_content` and `fingerprint`;
    None without any.

    Raises OmeError if it cannot be used.
    """
    path, content = params["certificate"], params.get("certificate_content")
    if path is None and content is None:
        fingerprint = normalize_fingerprint(params["fingerprint"] or "")
        return Expected(fingerprint) if fingerprint else None
    try:
        if content is None:
            first = read_pem_certificates(path)[0]
        else:
            path = "certificate_content"
            first = certificates_in(content.encode("utf-8", "replace"), path)[0]
    except CertificateError as error:
        raise OmeError("certificate_file", f"read the certificate {path}", detail=str(error)) from None
    return Expected(first.fingerprint, first)


def check_endpoint(entry: Params, path: str) -> None:
    """Raise BadInput if no handshake can be made with an endpoint; ``path`` is that of its entry."""
    if entry["port"] is None or not 0 < entry["port"] < 65536:
        raise BadInput(f"{path}.port", f"expected a port from 1 to 65535, got {entry['port']}")
    for option in ("host", "server_name"):
        specified = entry[option] or ""
        # The zone of an IPv6 address is the name of an interface.
        expected = (
            host_name(specified.partition("%")[0] if option == "host" and ":" in specified else specified)
            if specified
            else None
        )
        if expected or "*" in (entry[option] or ""):
            raise BadInput(f"{path}.{option}", f"expected a host name or an address, got {entry[option]!r}")


_ONLY_HANDSHAKES = "because only a handshake shows what is served"


class _Certificates(Operation):
    """The common part: the expected certificate, and the endpoints that should serve it."""

    # Options that are paths of files.
    PATHS: tuple[str, ...] = ("certificate", "chain_ca_path")

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        return with_list_of_endpoints(specified)

    def check(self) -> None:
        if self.params["vhost"] is not None:
            check_name(self.params["vhost"], "vhost")
        check_expected(self.params)
        too_long = duration(self.params["timeout"])
        if too_long:
            raise BadInput("timeout", f"{too_long}, got {self.params['timeout']:g}")
        for option in self.PATHS:
            check_path(self.params[option], option)
        check_authorities(self.params)
        seen = set()
        for index, entry in enumerate(self.params["endpoint"] or []):
            endpoint = (entry["host"], entry["port"], entry["server_name"])
            if endpoint in seen:
                raise BadInput(f"endpoint[{index}]", "expected each endpoint once")
            seen.add(endpoint)
            check_endpoint(entry, f"endpoint[{index}]")

    def _expected(self, context: Context) -> Expected | None:
        """Return the certificate that should be served. Raises OmeError if its file cannot be used."""
        expected = read_expected(self.params)
        first = expected.certificate if expected is not None else None
        if first is not None and first.days_left(context.now()) < 0:
            context.warn(
                f"The certificate in {self.params['certificate']} has expired: it was valid until {first.not_after}."
            )
        return expected

    def _endpoints(self, default_host: str | None, names: t.Sequence[str]) -> list[Endpoint]:
        """Return the endpoints. The server name defaults to the first of the host names without a wildcard."""
        first = next((name for name in names if "*" not in name), None)
        endpoints = []
        for entry in self.params["endpoint"] or []:
            host = entry["host"] or str(default_host)
            endpoints.append(Endpoint(host, entry["port"], entry["server_name"] or first or host))
        return endpoints

    def _needs_names(self) -> bool:
        return any(not entry["server_name"] for entry in self.params["endpoint"] or [])


class CertReload(_Certificates):
    """The operation of the module `cert_reload`."""

    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "vhost": TEXT,
            "scope": state_option("vhosts", "api"),
            **SERVED_OPTIONS,
            **CHAIN_OPTIONS,
            "force": FLAG,
            "wait_timeout": WAIT_TIMEOUT,
            "fail_if_days_left_below": {"type": "int"},
        }

    def check(self) -> None:
        super().check()
        if self.params["scope"] == "api" and self.params["vhost"] is not None:
            raise BadInput("vhost", "cannot be used if scope is api")
        check_wait_timeout(self.params)
        days = self.params["fail_if_days_left_below"]
        if days is not None and days < 0:
            raise BadInput("fail_if_days_left_below", f"expected days, 0 or more, got {days}")
        for option in ("verify_chain", "fail_if_days_left_below", "certificate", "fingerprint"):
            is_set = self.params[option] is not None and self.params[option] is not False
            if is_set and not self._has_endpoints():
                raise BadInput("endpoint", f"is required if {named(option)} is set, {_ONLY_HANDSHAKES}")

    def _has_endpoints(self) -> bool:
        # The port of the API is known from api_url.
        return bool(self.params["endpoint"]) or (
            self.params["scope"] == "api" and self.params["api_url"].strip().lower().startswith("https:")
        )

    def run(self, api: Api, context: Context) -> Result:
        raw = self._read_virtual_host(api, context)
        names = VIRTUAL_HOST.from_wire(raw or {}).get("host", {}).get("names", [])
        endpoints = self._endpoints(api.hostname, names)
        if self.params["scope"] == "api" and not endpoints and api.tls_endpoint is not None:
            endpoints = [Endpoint(*api.tls_endpoint, api.hostname)]
        own = {option: self.params[option] for option in ("vhost", "scope", "wait_timeout")}
        rotation = Rotation(api, context, settings_of(self.params), known=raw is not None, **own)
        expected: Expected | None = None
        try:
            expected = self._expected(context)
            self._refuse_other_key(raw)
        except OmeError as error:
            rotation.probe(endpoints)
            return self._result(rotation, expected, context, False, rotation.with_served(error))
        failure: OmeError | None = None
        changed = False
        try:
            changed = rotation.run(endpoints, expected, force=self.params["force"])
        except OmeError as error:
            # Without endpoints, nothing shows whether a reload without an answer took effect.
            failure, changed = error, rotation.served_another or (error.outcome_unknown and not endpoints)
        days, now = self.params["fail_if_days_left_below"], context.now()
        if failure is None and context.check_mode and changed:  # a real run would serve the expected certificate
            failure = (
                expiring(rotation.reports, days, now, expected.certificate)
                if expected is not None and expected.certificate is not None
                else None
            )
        elif failure is None:
            failure = unverified(rotation.reports) or expiring(rotation.reports, days, now)
        return self._result(rotation, expected, context, changed, failure)

    def _read_virtual_host(self, api: Api, context: Context) -> dict[str, t.Any] | None:
        """Return the virtual host in wire form; None if it is not needed.

        Also None in check mode if it is missing, because an earlier task may create it.
        """
        vhost = self.params["vhost"]
        if vhost is None or not (self._needs_names() or (self.params["verify_chain"] and self.params["certificate"])):
            return None
        raw = api.read_virtual_host(vhost)
        if raw is None and not context.check_mode:
            raise OmeError("vhost_not_found", f"read virtual host {vhost}")
        return raw

    def _refuse_other_key(self, raw: dict[str, t.Any] | None) -> None:
        """Raise OmeError if the key of the virtual host can be read here and belongs to another certificate."""
        key_path = VIRTUAL_HOST.from_wire(raw or {}).get("host", {}).get("tls", {}).get("key_path")
        if not self.params["verify_chain"] or not self.params["certificate"] or not key_path:
            return
        try:
            matches = key_matches(self.params["certificate"], key_path)
        except CertificateError:  # the key is on another host, or not readable; the certificate was read before
            return
        if not matches:
            detail = f"The key in {key_path} does not belong to the certificate in {self.params['certificate']}."
            raise OmeError("certificate_file", f"use the certificate {self.params['certificate']}", detail=detail)

    def _result(
        self, rotation: Rotation, expected: Expected | None, context: Context, changed: bool, failure: OmeError | None
    ) -> Result:
        now = context.now()
        reports = [report.as_result(expected, now) for report in rotation.reports]
        if context.check_mode and changed and expected is not None:
            for report in reports:
                report["after"], report["agrees"] = expected.as_result(now), True
        titles = [str(report.endpoint) for report in rotation.reports]
        result: Result = {
            "changed": changed,
            "expected": expected.as_result(now) if expected is not None else None,
            "reload": rotation.answer._asdict() if rotation.answer is not None else None,
            "endpoints": reports,
            "before": reports[0]["before"] if reports else None,
            "after": reports[0]["after"] if reports else None,
            "diff": {
                side: {title: report[side] for title, report in zip(titles, reports) if changed}
                for side in ("before", "after")
            },
        }
        if failure is not None:
            result.update(failed=True, msg=str(failure), error=failure.as_result())
        return result


class CertificateInfo(_Certificates):
    """The operation of the module `certificate_info`."""

    PATHS = ("certificate", "chain_ca_path", "chain", "private_key")
    always_needs_server = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "vhost": TEXT,
            **SERVED_OPTIONS,
            **CHAIN_OPTIONS,
            "chain": {"type": "path"},
            "private_key": {"type": "path", "no_log": False},
            "names": NAMES,
        }

    @property
    def needs_server(self) -> bool:
        return self.params["vhost"] is not None

    @property
    def _default_host(self) -> str | None:
        """The host of the server's API, even if no request is sent to it."""
        url = (self.params["api_url"] or "").strip()
        return host_of(str(urlsplit(url).hostname)) if url and http_url(url) is None else None

    def check(self) -> None:
        super().check()
        for index, name in enumerate(self.params["names"] or []):
            if host_name(name):
                raise BadInput(f"names[{index}]", f"{host_name(name)}, got {name!r}")
        for index, entry in enumerate(self.params["endpoint"] or []):
            if not entry["host"] and self._default_host is None:
                raise BadInput(f"endpoint[{index}].host", f"is required if {named('api_url')} is not set")
        if self.params["certificate"] is None and not self.params["endpoint"]:
            raise BadInput("endpoint", "is required if certificate is not set")
        for option in ("chain", "private_key", "names"):
            if self.params[option] is not None and self.params["certificate"] is None:
                raise BadInput("certificate", f"is required if {named(option)} is set")

    def run(self, api: Api | None, context: Context) -> Result:
        names, now = list(self.params["names"] or []), context.now()
        if api is not None:
            raw = api.read_virtual_host(self.params["vhost"])
            if raw is None:
                raise OmeError("vhost_not_found", f"read virtual host {self.params['vhost']}")
            names = names or VIRTUAL_HOST.from_wire(raw).get("host", {}).get("names", [])
        endpoints = self._endpoints(self._default_host, names)
        certificates, problems = self._files(names, now)
        expected = self._expected_from(certificates)
        reports = [EndpointReport(endpoint, ProbeResult(endpoint, settings_of(self.params))) for endpoint in endpoints]
        hidden: dict[Endpoint, Shadow] = {}
        if api is not None and expected is not None:
            differing = [report for report in reports if not report.after.shows(expected)]
            hidden = dict(proven_shadows(SniOrder(api, self.params["vhost"]), differing))
            if hidden:
                error = shadowed(self.params["vhost"], list(hidden.items()))
                problems.append(Problem(error.kind, f"{error.detail} {error.advice.remedy}"))
        entries = []
        for report in reports:
            entry = report.as_result(expected, now)
            del entry["before"]
            shadow = hidden.get(report.endpoint)
            entry["shadowed_by"] = shadow.host.name if shadow is not None else None
            entry["certificate"] = entry.pop("after")
            entries.append(entry)
        return {
            "changed": False,
            "endpoints": entries,
            "certificates": [certificate.as_result(now) for certificate in certificates],
            "problems": [problem._asdict() for problem in problems],
        }

    def _expected_from(self, certificates: t.Sequence[Certificate]) -> Expected | None:
        """Return the certificate that should be served, from those of the file or from the fingerprint."""
        if certificates:
            return Expected(certificates[0].fingerprint, certificates[0])
        fingerprint = normalize_fingerprint(self.params["fingerprint"] or "")
        return Expected(fingerprint) if fingerprint else None

    def _files(self, names: t.Sequence[str], now: float) -> tuple[list[Certificate], list[Problem]]:
        """Return the certificates of the file `certificate`, and the problems of all files."""
        path = self.params["certificate"]
        if path is None:
            return [], []
        problems = check_files(path, self.params["chain"], self.params["private_key"], names, now)
        try:
            return read_pem_certificates(path), problems
        except CertificateError:  # one of the problems
            return [], problems
