# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Streams: the fields of a pull, how the server describes what is live, and statistics."""

from __future__ import annotations

import email.utils
import re
import typing as t
from datetime import datetime, timezone
from urllib.parse import unquote

from .._api.streams import Streams
from .._core.errors import BadInput, OmeError
from .._core.secret_store import mask_url
from .._schema import validators as checks
from .._schema.fields import Bool, Int, String, StringList
from .._schema.objects import Object
from .kind import Key, Kind, Raw, Value

# How results show what the server describes, such as tracks and statistics (server-facts: Streams).

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
# Bit rates of tracks are text on 0.18.0 and numbers later
# (server-facts: Streams, recordings, channels, output profiles).
_NUMBERS = ("bitrate",)


def to_snake_case(key: str) -> str:
    """Return a key of the API such as `videoVariantName` as `video_variant_name`."""
    return _CAPITAL.sub(r"_\1", key).lower()


def readable(value: t.Any, key: str = "") -> t.Any:
    """Return a description by the server with keys in snake_case, and with the numbers of tracks as numbers."""
    if isinstance(value, dict):
        return {to_snake_case(name): readable(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [readable(item, key) for item in value]
    if isinstance(value, str) and key.startswith(_NUMBERS) and _WHOLE.fullmatch(value):
        return int(value)
    return value


# Streams: the fields of a pull, and how the server describes what is live.
#
# Source: server-facts: Streams, recordings, channels, output profiles.

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


def _check(stream: t.Mapping[str, t.Any], path: str, pulled: bool) -> None:
    """Raise BadInput for URLs that no provider pulls; ``pulled`` requires what a pull needs."""
    prefix = f"{path}." if path else ""
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


def from_wire(raw: Raw, key: Key) -> Value:
    """Return a stream of wire form in option form; the URL is that of its source, which need not be a pull."""
    url = source_of(raw)["source_url"]
    return {**key._asdict(), "urls": [url] if url else []}


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


def input_tracks(raw: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Return the tracks of the input of a stream (wire form) in readable form."""
    source = raw.get("input")
    tracks = readable(source).get("tracks") if isinstance(source, dict) else None
    return [track for track in tracks if isinstance(track, dict)] if isinstance(tracks, list) else []


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


def _details(raw: Raw) -> dict[str, t.Any]:
    source = source_of(raw)
    return {"source_type": source["source_type"], "source_url": mask_url(source["source_url"])}


def _protected(raw: Raw) -> OmeError | None:
    """Return the error for a stream that is not pulled, which says what sends it."""
    if is_pulled(raw):
        return None
    source = _details(raw)
    sender = f"{source['source_type'] or 'a source of unknown type'} {source['source_url']}".strip()
    return OmeError("not_pulled", "", detail=f"The stream is not pulled: it comes from {sender}.")


def providers_of(value: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    """Return the provider that pulls a stream (specified form, or the body of a pull)."""
    provider = PROVIDERS.get(scheme_of(value.get("urls") or []))
    return (provider,) if provider else ()


PULLED_STREAMS = Kind(
    "stream",
    STREAM,
    reads=from_wire,
    sends=pull_request,
    check=_check,
    protected=_protected,
    endpoints=Streams,
    since="0.15.10",
    providers=providers_of,
    settles=3.0,
    transient=("origin_unreachable",),
    lists_all=True,
    interruption="A recreate ends the stream for its viewers before it is pulled again.",
    details=_details,
    option="streams",
    place="stream",
    described=lambda raw: {"live": raw is not None, **_details(raw or {})},
    finds_unlisted=False,
)


# Statistics of servers, virtual hosts and applications: from wire form into results.
#
# Sources: server-facts: Streams, recordings, channels, output profiles (statistics and their times), server-facts:
# HTTP.

_CONNECTIONS = ("totalConnections", "maxTotalConnections")
_BYTES = ("totalBytesIn", "totalBytesOut", "lastThroughputIn", "lastThroughputOut")
_BITS_PER_SECOND = ("avgThroughputIn", "avgThroughputOut", "maxThroughputIn", "maxThroughputOut")
_TIMES = ("maxTotalConnectionTime", "lastRecvTime", "lastSentTime", "lastUpdatedTime")
# Every result has these protocols, so that the connections of servers of different versions can be added up.
_PROTOCOLS = ("file", "hlsv3", "llhls", "ovt", "push", "srt", "thumbnail", "webrtc")
# The names that older servers have for them, up to 0.16.5.
_FORMER_PROTOCOLS = {"hls": "hlsv3", "rtmppush": "push", "mpegtspush": "push"}
_NUMBER = re.compile(r"-?[0-9]{1,20}")


def of_server(raw: t.Mapping[str, t.Any], date: str | None) -> dict[str, t.Any]:
    """Return the statistics of a server: start time, uptime, and the counters.

    ``date`` is the header `Date` of the response: the server's own time, which is comparable with its start time on
    whatever machine the module runs. Without it, the uptime ends at the last change of a counter.
    """
    start, uptime = _time(raw.get("createdTime")), age(raw.get("createdTime"), raw, date)
    return {
        "start_time": _text(start),
        "uptime": None if uptime is None else int(uptime),
        "uptime_is_exact": start is not None and _date(date) is not None,
        **_counters(raw),
    }


def age(created: t.Any, raw: t.Mapping[str, t.Any], date: str | None) -> float | None:
    """Return the age in seconds of what was created at a time of the server; None if it cannot be known.

    ``raw`` and ``date`` are the statistics of the server and the header `Date`, read at the end of that age.
    """
    begin, end = _time(created), _date(date) or _time(raw.get("lastUpdatedTime"))
    return max(0.0, (end - begin).total_seconds()) if begin and end else None


def of_place(raw: t.Mapping[str, t.Any], vhost: str, app: str | None = None) -> dict[str, t.Any]:
    """Return the statistics of a virtual host, or of an application."""
    names = {"name": vhost} if app is None else {"vhost": vhost, "name": app}
    return {**names, "created_time": _text(_time(raw.get("createdTime"))), **_counters(raw)}


def _counters(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return what the statistics of all objects have; None for what a server does not report."""
    return {
        "connections": _connections(raw.get("connections")),
        **{_option(wire): _number(raw.get(wire)) for wire in (*_CONNECTIONS, *_BYTES, *_BITS_PER_SECOND)},
        **{_option(wire): _text(_time(raw.get(wire))) for wire in _TIMES},
    }


def _connections(raw: t.Any) -> dict[str, int] | None:
    """Return the connections by protocol, under the names of the newest version."""
    if not isinstance(raw, dict):
        return None
    found = dict.fromkeys(_PROTOCOLS, 0)
    for protocol, value in raw.items():
        number = _number(value)
        if number is not None:
            name = _FORMER_PROTOCOLS.get(str(protocol), str(protocol))
            found[name] = found.get(name, 0) + number
    return found


def _option(wire: str) -> str:
    """Return the name in results of a key of the API."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", wire)


def _number(value: t.Any) -> int | None:
    """Return a number, which can be text; None for anything else."""
    return int(value) if not isinstance(value, bool) and _NUMBER.fullmatch(str(value)) else None


def _time(value: t.Any, parse: t.Callable[[str], datetime] = datetime.fromisoformat) -> datetime | None:
    """Return a time in UTC; None if it cannot be parsed or has no offset."""
    try:
        found = parse(str(value))
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _date(header: str | None) -> datetime | None:
    """Return the time of a header `Date`."""
    return _time(header, email.utils.parsedate_to_datetime)


def _text(time: datetime | None) -> str | None:
    """Return a time as text.

    It is in UTC, because the server writes its local time: the offset of the same moment changes with daylight saving
    time, and a start time that changes would look like a restart.
    """
    return time.isoformat(timespec="milliseconds") if time else None
