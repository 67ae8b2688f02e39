# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The virtual host: fields and rules (server-facts: Virtual hosts)."""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._core.server_version import NEWEST, Changed, Version
from .._schema import validators as checks
from .._schema.macro_options import with_macros
from .._schema.objects import Object, ObjectList
from .._schema.scalars import Bool, Float, Int, String, Url
from .._schema.string_lists import CsvSet, StringList, StringSet
from . import concerns, refusals, start_rules
from .cross_domains import CrossDomains


def _enables() -> Object:
    """Declare to which providers and publishers a policy applies; two objects of a virtual host have it."""
    return Object(
        "enables",
        fields=[
            CsvSet("providers", check=checks.module_name),
            CsvSet("publishers", check=checks.module_name),
        ],
    )


# Defaults come from the server's source. A field that is absent on the server and specified with its default is no
# difference: recreating the virtual host would disconnect its viewers for nothing.
VIRTUAL_HOST = with_macros(
    Object(
        "vhost",
        fields=[
            String("name", required=True, check=checks.addressable),
            Object(
                "host",
                short="names",
                fields=[
                    StringSet("names", xml="Names/Name", check=checks.host_name, doubt=concerns.host_name),
                    Object(
                        "tls",
                        xml="TLS",
                        doubt=concerns.tls_files,
                        fields=[
                            String("cert_path", "certPath", check=checks.absolute_path),
                            String("chain_cert_path", "chainCertPath", check=checks.absolute_path),
                            String("key_path", "keyPath", check=checks.absolute_path),
                        ],
                    ),
                ],
            ),
            String("distribution", default="ovenmediaengine.com", check=checks.one_line),
            Object(
                "signed_policy",
                "signedPolicy",
                doubt=concerns.access_policy,
                fields=[
                    String("policy_query_key_name", "policyQueryKeyName", check=checks.one_line),
                    String("signature_query_key_name", "signatureQueryKeyName", check=checks.one_line),
                    String("secret_key", "secretKey", secret=True, check=checks.one_line_or_empty),
                    _enables(),
                ],
            ),
            Object(
                "admission_webhooks",
                "admissionWebhooks",
                doubt=concerns.access_policy,
                fields=[
                    Url("control_server_url", "controlServerUrl", check=checks.http_url),
                    String("secret_key", "secretKey", secret=True, check=checks.one_line_or_empty),
                    Int("timeout", default=3000, check=checks.count),
                    _enables(),
                ],
            ),
            Object(
                "origins",
                short="origin",
                fields=[
                    ObjectList(
                        "origin",
                        identity="location",
                        fields=[
                            String("location", required=True, check=checks.location),
                            Object(
                                "pass",
                                required=True,
                                fields=[
                                    String("scheme", required=True, check=checks.url_scheme),
                                    Object(
                                        "urls",
                                        required=True,
                                        short="url",
                                        fields=[StringList("url", required=True, check=checks.origin_url)],
                                    ),
                                    Bool("forward_query_params", "forwardQueryParams", default=True),
                                ],
                            ),
                            Bool("persistent", default=False),
                            Bool("failback", default=False),
                            Bool("strict_location", "strictLocation", default=False),
                            Bool("relay", default=False),
                            Bool(
                                "ignore_rtcp_sr_timestamp",
                                Changed("ignoreRtcpSRTimestamp", "ignoreRtcpSrTimestamp", (0, 21, 0)),
                                default=False,
                                since="0.16.5",
                            ),
                        ],
                    ),
                    Object(
                        "properties",
                        fields=[
                            Int(
                                "no_input_failover_timeout", "noInputFailoverTimeout", default=3000, check=checks.count
                            ),
                            Int(
                                "unused_stream_deletion_timeout",
                                "unusedStreamDeletionTimeout",
                                default=60000,
                                check=checks.count,
                            ),
                            Int("stream_failback_timeout", "streamFailbackTimeout", default=3000, check=checks.count),
                            Int(
                                "retry_count",
                                "retryCount",
                                default=Changed(1, 0, (0, 20, 5)),
                                check=checks.count,
                                since="0.19.0",
                            ),
                        ],
                    ),
                ],
            ),
            CrossDomains(since="0.15.12", extra=False),
            Object(
                "origin_map_store",
                "originMapStore",
                fields=[
                    String("origin_host_name", "originHostName", check=checks.one_line),
                    Object(
                        "redis_server",
                        "redisServer",
                        fields=[
                            String("host", check=checks.host_and_port),
                            String("auth", secret=True, check=checks.one_line_or_empty),
                        ],
                    ),
                ],
            ),
        ],
    )
)


def validate(vhost: t.Mapping[str, t.Any], path: str, *, present: bool) -> None:
    """Raise BadInput for an invalid virtual host (specified form).

    ``path`` is the full path of its option. ``present`` requires everything that is necessary to create it.
    """
    prefix = f"{path}." if path else ""
    VIRTUAL_HOST.validate(vhost, path)
    if present and not vhost.get("host", {}).get("names"):
        raise BadInput(f"{prefix}host.names", "expected at least one name; it is required if state is present")
    check_values(vhost, path, NEWEST)


def check_values(vhost: t.Mapping[str, t.Any], path: str, version: Version) -> None:
    """Raise BadInput for a value with which the server's version refuses a virtual host (option form)."""
    refusals.check(start_rules.VIRTUAL_HOST, vhost, path, version)


def concerns_of(vhost: t.Mapping[str, t.Any]) -> list[concerns.Concern]:
    """Return the settings of a virtual host (specified form) that the server accepts although they cannot work."""
    return concerns.concerns(VIRTUAL_HOST, vhost, f"Virtual host {vhost['name']}")


def looks_read_only(raw: t.Any) -> bool:
    """Return whether a virtual host (wire form) is recognized as one of the server's configuration file.

    The API has no field for this. Since 0.16 such a virtual host has numbers and booleans as text, while one that was
    created through the API has them as posted (server-facts: Virtual hosts). False means "unknown".
    """
    return has_textual_scalar(VIRTUAL_HOST, raw)


def has_textual_scalar(declaration: Object, raw: t.Any) -> bool:
    """Return whether a value (wire form) has a number or a boolean as text, as only the configuration file causes."""
    return any(isinstance(value, str) for value in _scalars(declaration, raw))


def has_native_scalar(declaration: Object, raw: t.Any) -> bool:
    """Return whether a value (wire form) has a number or a boolean as such, as since 0.16 only the API causes."""
    return any(not isinstance(value, str) for value in _scalars(declaration, raw))


def _scalars(declaration: Object, raw: t.Any) -> t.Iterator[t.Any]:
    """Yield the values (wire form) of all fields for numbers and booleans."""
    if not isinstance(raw, dict):
        return
    for field in declaration.fields.values():
        value = next((raw[wire] for wire in field.wires if raw.get(wire) is not None), None)
        if isinstance(field, (Int, Float, Bool)) and value is not None:
            yield value
        elif isinstance(field, ObjectList) and isinstance(value, list):
            for item in value:
                yield from _scalars(field.element, item)
        elif isinstance(field, Object):
            yield from _scalars(field, value)
