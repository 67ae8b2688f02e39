# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Streams: the fields of a pull, and how the server describes what is live.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

import typing as t
from urllib.parse import unquote

from .._core.errors import BadInput
from .._core.secret_urls import mask_url
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import Bool, Int, String
from .._schema.string_lists import StringList
from .descriptions import readable

KEY = ("vhost", "app", "name")
# The provider that pulls from URLs with a scheme, and the type of the streams that it pulls.
PROVIDERS = {"rtsp": "rtspPull", "ovt": "ovt"}
PULLED = ("RtspPull", "Ovt", "RtmpPull")


def _pull_url(url: str) -> str | None:
    if checks.network_url(url, list(PROVIDERS)):
        return None
    return "expected 'rtsp://host:port/path' or 'ovt://host:port/app/stream'"


def normalize_url(url: str) -> str:
    """Return a URL in the form in which URLs that mean the same are equal: scheme and host in lower case, decoded."""
    scheme, separator, rest = unquote(url.strip()).partition("://")
    authority, slash, path = rest.partition("/")
    user, at_sign, host = authority.rpartition("@")
    return f"{scheme.lower()}{separator}{user}{at_sign}{host.lower()}{slash}{path}".rstrip("/")


class _Sources(StringList):
    """The URLs of a pull. The server reports the one that it uses at present, which is enough to be equal."""

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        known = {normalize_url(str(url)) for url in self.items(desired)}
        used = [normalize_url(str(url)) for url in self.items(current)]
        return bool(used) and known.issuperset(used)


class _UnreportedBool(Bool):
    """A property of a pull. The server never reports it, so it is never a difference."""

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        return True


class _UnreportedInt(Int):
    """The same, for a number."""

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        return True


_PROPERTIES = (
    _UnreportedBool("persistent"),
    _UnreportedInt("no_input_failover_timeout", "noInputFailoverTimeoutMs", check=checks.count),
    _UnreportedInt("unused_stream_deletion_timeout", "unusedStreamDeletionTimeoutMs", check=checks.count),
    # Unlike in origins, 0.21.0 has not renamed this key (server-facts: Streams, recordings, channels, output profiles).
    _UnreportedBool("ignore_rtcp_sr_timestamp", "ignoreRtcpSRTimestamp", since="0.16.1"),
    _UnreportedInt("retry_count", "retryCount", check=checks.count, since="0.19.0"),
    _UnreportedBool("relay", since="0.21.0"),
)
STREAM = Object(
    "stream",
    fields=[
        *(String(option, required=True, check=checks.addressable) for option in KEY),
        _Sources("urls", check=_pull_url),
        *_PROPERTIES,
    ],
)


def scheme_of(urls: t.Sequence[str]) -> str:
    """Return the scheme of URLs in lower case; the server pulls all of them with the provider of the first."""
    return urls[0].strip().partition("://")[0].lower() if urls else ""


def validate(stream: t.Mapping[str, t.Any], path: str, *, pulled: bool) -> None:
    """Raise BadInput for an invalid stream (specified form); ``path`` is the full path of its option, and ``pulled``
    requires what a pull needs.
    """
    prefix = f"{path}." if path else ""
    STREAM.validate(stream, path)
    urls = stream.get("urls")
    if pulled and not urls:
        raise BadInput(f"{prefix}urls", "expected at least one URL; it is required if state is present")
    for index, url in enumerate(urls or []):
        if scheme_of([url]) != scheme_of(urls or []):
            raise BadInput(
                f"{prefix}urls[{index}]", "expected the scheme of the first URL, because one provider pulls all"
            )


def pull_request(stream: t.Mapping[str, t.Any], declaration: Object) -> dict[str, t.Any]:
    """Return the body that pulls a stream; the path has virtual host and application."""
    body: dict[str, t.Any] = declaration.to_wire(stream)
    wires = [field.wire for field in _PROPERTIES]
    properties = {wire: body[wire] for wire in wires if wire in body}
    return {"name": body["name"], "urls": body["urls"], **({"properties": properties} if properties else {})}


def from_wire(raw: t.Mapping[str, t.Any], key: t.Mapping[str, str]) -> dict[str, t.Any]:
    """Return a stream of wire form in option form; the URL is that of its source, which need not be a pull."""
    url = source_of(raw)["source_url"]
    return {**key, "urls": [url] if url else []}


def is_pulled(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the server pulls a stream (wire form)."""
    return source_of(raw)["source_type"] in PULLED


def source_of(raw: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return `source_type` and `source_url` of a stream (wire form), each empty if the server reports none."""
    source = raw.get("input")
    found = source if isinstance(source, dict) else {}
    texts = {option: found.get(wire) for option, wire in (("source_type", "sourceType"), ("source_url", "sourceUrl"))}
    return {option: text if isinstance(text, str) else "" for option, text in texts.items()}


def created_of(raw: t.Mapping[str, t.Any]) -> t.Any:
    """Return when the input of a stream (wire form) began, as the server reports it."""
    source = raw.get("input")
    return source.get("createdTime") if isinstance(source, dict) else None


def outputs_of(raw: t.Mapping[str, t.Any]) -> list[str]:
    """Return the names of the outputs of a stream (wire form)."""
    listed = raw.get("outputs")
    names = [output.get("name") for output in listed if isinstance(output, dict)] if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str)]


def describe(raw: t.Mapping[str, t.Any], vhost: str, app: str, name: str, *, show_secrets: bool) -> dict[str, t.Any]:
    """Return a live stream (wire form) for a result: input, outputs, tracks and playlists."""
    stream = {"vhost": vhost, "app": app, **readable(raw), "name": name}
    for part, empty in (("input", {}), ("outputs", [])):
        if not isinstance(stream.get(part), type(empty)):
            stream[part] = empty
    url = source_of(raw)["source_url"]
    if url:
        stream["input"]["source_url"] = url if show_secrets else mask_url(url)
    return stream
