# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that operations on certificates share, and their checks."""

from __future__ import annotations

import os
import typing as t

from .._certificates.probe import Expected, ProbeSettings
from .._core.errors import BadInput, OmeError
from .._schema.validators import host_name
from .._tls.certificate import CertificateError, normalize_fingerprint
from .._tls.pem_files import certificates_in, read_pem_certificates
from .base import FLAG, TEXT, Params

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
