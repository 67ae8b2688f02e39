# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks of the options that modules about certificates share."""

from __future__ import annotations

import typing as t

from .._certificates.probe import Expected
from .._core.errors import BadInput, OmeError
from .._schema.validators import host_name
from .._tls.certificate import CertificateError, normalize_fingerprint
from .._tls.pem_files import read_pem_certificates
from .base import Params


def with_list_of_endpoints(specified: Params) -> dict[str, t.Any]:
    """The options with an ``endpoint`` that is one dictionary as a list of it."""
    one = specified.get("endpoint")
    return {**specified, "endpoint": [one]} if isinstance(one, dict) else dict(specified)


def check_path(value: str | None, option: str) -> None:
    """Raises BadInput where this is no path but the content of a file, given by mistake, which must not be repeated in
    a message.
    """
    if value is not None and not (value.strip() and value.isprintable() and "-----BEGIN" not in value):
        raise BadInput(option, "expected the path of a file in PEM form, not what the file holds")


def check_expected(params: Params, path: str = "") -> None:
    """Raises BadInput where the options ``certificate`` and ``fingerprint`` cannot say what should be served; ``path``
    is that of their entry in a list.
    """
    prefix = f"{path}." if path else ""
    if params["certificate"] is not None and params["fingerprint"] is not None:
        raise BadInput(f"{prefix}fingerprint", "cannot be used beside certificate, which says the same")
    if params["fingerprint"] is not None and normalize_fingerprint(params["fingerprint"]) is None:
        expected = "expected a SHA-256 fingerprint, 64 hexadecimal digits with or without colons"
        raise BadInput(f"{prefix}fingerprint", f"{expected}, got {params['fingerprint']!r}")
    check_path(params["certificate"], f"{prefix}certificate")


def read_expected(params: Params) -> Expected | None:
    """What the options ``certificate`` and ``fingerprint``, which were checked, say should be served; raises OmeError
    where the file cannot be used.
    """
    path = params["certificate"]
    if path is None:
        fingerprint = normalize_fingerprint(params["fingerprint"] or "")
        return Expected(fingerprint) if fingerprint else None
    try:
        first = read_pem_certificates(path)[0]
    except CertificateError as error:
        raise OmeError("certificate_file", f"read the certificate {path}", detail=str(error)) from None
    return Expected(first.fingerprint, first)


def check_endpoint(entry: Params, path: str) -> None:
    """Raises BadInput where no handshake can be made with an endpoint; ``path`` is that of the option."""
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
