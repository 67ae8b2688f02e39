# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The virtual host: fields and rules, and which one a host name reaches (server-facts: Virtual hosts)."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.server_version import UNKNOWN, Changed, Version
from .._schema import validators as checks
from .._schema.fields import Bool, CsvSet, Float, Int, String, StringList, StringSet, Url
from .._schema.objects import Object, ObjectList
from .._schema.option_forms import with_macros
from . import concerns, refusals, value_rules
from .cross_domains import CrossDomains
from .kind import Kind

# The virtual host: fields and rules (server-facts: Virtual hosts).


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


def _check(vhost: t.Mapping[str, t.Any], path: str, present: bool) -> None:
    """Raise BadInput for a value that every server refuses; ``present`` requires what is necessary to create it."""
    prefix = f"{path}." if path else ""
    if present and not vhost.get("host", {}).get("names"):
        raise BadInput(f"{prefix}host.names", "expected at least one name; it is required if state is present")
    check_values(vhost, path, UNKNOWN)


def check_values(vhost: t.Mapping[str, t.Any], path: str, version: Version) -> None:
    """Raise BadInput for a value with which the server's version refuses a virtual host (option form)."""
    refusals.check(value_rules.VIRTUAL_HOST, vhost, path, version)


def concerns_of(vhost: t.Mapping[str, t.Any]) -> list[concerns.Concern]:
    """Return the settings of a virtual host (specified form) that the server accepts although they cannot work."""
    return concerns.concerns(VIRTUAL_HOST, vhost, f"Virtual host {vhost['name']}")


def playable_names(vhost: t.Mapping[str, t.Any]) -> list[str]:
    """Return the host names of a virtual host in option form that a URL can have: valid, and without a wildcard."""
    names = [str(name) for name in (vhost.get("host") or {}).get("names") or ()]
    return [name for name in names if "*" not in name and "?" not in name and checks.host_name(name) is None]


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


VIRTUAL_HOSTS = Kind("virtual host", VIRTUAL_HOST, check=_check, option="vhosts", place="vhost")


# Find the virtual host that a publisher or viewer reaches by a host name.
#
# The server uses the first virtual host, in the order of creation, with a host name that matches. In a host name ``*``
# matches any text and ``?`` at most one character, both including dots; case is significant. The rule is the same in
# 0.15.10 to 0.21.0 (server-facts: Which virtual host a publisher or viewer reaches). Certificates are selected in
# another order.

# Places in the order of creation. The API does not report the order of virtual hosts with the same place.
CONFIGURED = 0  # from the server's configuration file
EXISTING = 1  # created through the API before
NEW = 2  # the first one that a task creates; the next ones have the places after it

OF_SAMPLE = "default"  # the only virtual host of the sample configuration
_LONGEST_NAME = 255  # characters; DNS has no longer names
_MANY_WILDCARDS = re.compile(r"[*?]*\*[*?]*")


def place_of(vhost: str, *, read_only: bool) -> int:
    """Return the place of an existing virtual host.

    ``read_only`` says that it is recognized as one of the configuration file. Not all of them can be recognized, and
    none on 0.15.10. That of the sample configuration is recognized by its name.
    """
    return CONFIGURED if read_only or vhost == OF_SAMPLE else EXISTING


class Claim(t.NamedTuple):
    """The host names of one virtual host, and its place in the order of creation."""

    vhost: str
    names: t.Sequence[str]
    place: int


class Owner(t.NamedTuple):
    """The result for a host name that several virtual hosts claim.

    If ``lost``, another virtual host receives its publishers and viewers; otherwise whichever was created first.
    """

    lost: bool
    rivals: tuple[tuple[str, str], ...]
    """The other virtual hosts that can receive them, each with its host name that matches; several if their order is
    unknown."""

    @property
    def vhosts(self) -> str:
        """Return the names of the other virtual hosts, such as "aa" or "aa or bb"."""
        return " or ".join(vhost for vhost, _pattern in self.rivals)


class HostNames:
    """The host names of all virtual hosts of a server."""

    def __init__(self, claims: t.Iterable[Claim]) -> None:
        self._exact: dict[str, list[Claim]] = {}
        self._patterns: list[tuple[str, str, str, Claim]] = []
        for claim in claims:
            for name in claim.names:
                if _has_wildcard(name):
                    if len(name) <= _LONGEST_NAME:
                        self._patterns.append((name, *_ends(name), claim))
                else:
                    self._exact.setdefault(name, []).append(claim)

    def owner(self, name: str, vhost: str, place: int) -> Owner | None:
        """Return who receives publishers and viewers of a virtual host's name; None if the virtual host itself does.

        A name with a wildcard is lost if another virtual host receives every host that it matches.
        """
        rivals: dict[str, tuple[int, str]] = {}
        for pattern, claim in self._matching(name):
            if claim.vhost != vhost and claim.place <= place:
                rivals.setdefault(claim.vhost, (claim.place, pattern))
        if not rivals:
            return None
        first = min(other for other, _pattern in rivals.values())
        return Owner(
            first < place,
            tuple(sorted((other, pattern) for other, (where, pattern) in rivals.items() if where == first)),
        )

    def _matching(self, name: str) -> t.Iterator[tuple[str, Claim]]:
        for claim in self._exact.get(name, ()):
            yield name, claim
        if len(name) <= _LONGEST_NAME:
            for pattern, start, end, claim in self._patterns:
                if name.startswith(start) and name.endswith(end) and covers(pattern, name):
                    yield pattern, claim


def covers(pattern: str, name: str) -> bool:
    """Return whether the host name ``pattern`` matches every host that the host name ``name`` matches."""
    if not _has_wildcard(pattern):
        return pattern == name
    pattern = _MANY_WILDCARDS.sub("*", pattern)
    if pattern == "*":
        return True
    # Only wildcards of the pattern match the characters for a wildcard of the name. "*" counts as one character more
    # than all "?" of the pattern can match.
    many = pattern.count("?") + 1
    characters: list[str | None] = []
    for one in _MANY_WILDCARDS.sub("*", name):
        characters += [None] * many if one == "*" else [None if one == "?" else one]
    # For each prefix of the pattern, by length: whether it matches the characters so far.
    matched = [True]
    for expected in pattern:
        matched.append(matched[-1] and expected in "*?")
    for character in characters:
        before, matched = matched, [False]
        for index, expected in enumerate(pattern):
            if expected == "*":
                matched.append(matched[index] or before[index + 1])
            elif expected == "?":
                matched.append(matched[index] or before[index])
            else:
                matched.append(expected == character and before[index])
    return matched[-1]


def _has_wildcard(name: str) -> bool:
    return "*" in name or "?" in name


def _ends(pattern: str) -> tuple[str, str]:
    """Return the text before the first wildcard and the text after the last one."""
    parts = re.split(r"[*?]", pattern)
    return parts[0], parts[-1]
