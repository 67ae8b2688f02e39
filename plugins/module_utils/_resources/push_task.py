# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The push task: fields, rules by protocol, states (server-facts: Push tasks; api-contract: Push task)."""

from __future__ import annotations

import typing as t
from urllib.parse import parse_qsl

from .._core.errors import BadInput
from .._core.secret_urls import mask_url
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import String, Url
from .._schema.string_lists import StringSet

PROTOCOLS = ("srt", "rtmp", "mpegts")
# Publishers for push tasks; `push` since server version 0.16.6 (server-facts: Applications).
PUSH_PUBLISHERS = ("push", "rtmpPush", "srtPush", "mPEGTSPush", "mpegtsPush")


def normalize_protocol(value: str) -> str:
    """Return the protocol as the server stores it: trimmed, in lower case (server-facts: Push tasks)."""
    return value.strip().lower()


def normalize_url(value: str) -> str:
    """Return the URL as the server stores it: trimmed, without trailing slashes (server-facts: Push tasks)."""
    return value.strip().rstrip("/")


def _protocol(value: str) -> str | None:
    return None if normalize_protocol(value) in PROTOCOLS else f"expected one of {', '.join(PROTOCOLS)}"


PUSH_TASK = Object(
    "push_task",
    fields=[
        String("vhost", required=True, check=checks.addressable),
        String("app", required=True, check=checks.addressable),
        String("id", required=True, check=checks.addressable),
        Object(
            "stream",
            fields=[
                String("name", check=checks.one_line),
                StringSet("variant_names", "variantNames", check=checks.one_line),
            ],
        ),
        String("protocol", normalizer=normalize_protocol, check=_protocol),
        Url("url", destination=True, normalizer=normalize_url, check=checks.one_line),
        String("stream_key", "streamKey", secret=True, normalizer=str.strip, check=checks.one_line_or_empty),
    ],
)

# Status fields of a task: option name to JSON name. Times are ISO 8601.
STATUS_FIELDS = {
    "sent_bytes": "sentBytes",
    "sent_time": "sentTime",
    "sequence": "sequence",
    "total_sent_bytes": "totalsentBytes",
    "total_sent_time": "totalsentTime",
    "created_time": "createdTime",
    "start_time": "startTime",
    "finish_time": "finishTime",
}

# The server writes a time that has not come yet as the epoch, in its host's time zone.
_NOT_YET = ("1970-01-01T", "1969-12-31T")

# All spellings of the state in which media flow, of all versions and the documentation, in lower case (server-facts:
# Push tasks).
_DELIVERING = ("pushing", "started")
# The states of a task that is being stopped or whose stream ends. Within about a second the task disappears in the
# first case, and is `ready` in the second [read].
_ENDING = ("stopping", "stopped")


class Key(t.NamedTuple):
    """The identity of a push task: IDs are scoped to one application (server-facts: Push tasks)."""

    vhost: str
    app: str
    id: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.app}/{self.id}"


def key_of(task: t.Mapping[str, t.Any]) -> Key:
    """Return the key of a push task (option form)."""
    return Key(task["vhost"], task["app"], task["id"])


def id_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the ID of a push task (wire form); empty if the server sent none."""
    return str(raw.get("id", ""))


def validate(task: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
    """Raise BadInput for an invalid push task (specified form).

    ``path`` is the full path of its option. ``started`` requires everything that is necessary to start it.
    """
    prefix = f"{path}." if path else ""
    PUSH_TASK.validate(task, path)
    if started:
        if not task.get("stream", {}).get("name"):
            raise BadInput(
                f"{prefix}stream.name", "expected the name of the stream to push; it is required if state is started"
            )
        for option in ("protocol", "url"):
            if option not in task:
                raise BadInput(f"{prefix}{option}", "is required if state is started")
    if "protocol" in task and "url" in task:
        _validate_destination(task, prefix)


def _validate_destination(task: t.Mapping[str, t.Any], prefix: str) -> None:
    protocol, url = normalize_protocol(task["protocol"]), normalize_url(task["url"])
    expected = {"srt": _srt_url, "rtmp": _rtmp_url, "mpegts": _mpegts_url}[protocol](url)
    if expected:
        raise BadInput(f"{prefix}url", f"{expected}, got {mask_url(task['url'], destination=True)!r}")
    if protocol == "rtmp" and "stream_key" not in task:
        raise BadInput(
            f"{prefix}stream_key",
            "is required if protocol is rtmp; set it to an empty string if the destination needs none",
        )
    if protocol == "mpegts" and task.get("stream_key", "").strip():
        raise BadInput(
            f"{prefix}stream_key", "expected none if protocol is mpegts; the server would append it to the URL"
        )


def _srt_url(url: str) -> str | None:
    parts = checks.network_url(url, ["srt"])
    if not parts:
        return "expected 'srt://host:port' with options in the query string if protocol is srt"
    modes = [value for name, value in parse_qsl(parts.query, keep_blank_values=True) if name == "mode"]
    if any(mode not in ("", "caller") for mode in modes):
        return "expected mode=caller or no mode, because the server pushes as an SRT caller only"
    return None


def _rtmp_url(url: str) -> str | None:
    parts = checks.network_url(url, ["rtmp", "rtmps"])
    if parts and parts.path.strip("/"):
        return None
    return "expected 'rtmp://host:port/app' (or rtmps) if protocol is rtmp"


def _mpegts_url(url: str) -> str | None:
    parts = checks.network_url(url, ["udp", "tcp"])
    if not parts:
        return "expected 'udp://host:port' if protocol is mpegts"
    # The server rejects every TCP URL with this suffix [read].
    return (
        "expected a destination to connect to; the server does not listen"
        if parts.scheme == "tcp" and url.endswith("listen")
        else None
    )


def warnings_for(task: t.Mapping[str, t.Any]) -> list[str]:
    """Return warnings for settings that the server accepts although they cannot work."""
    if normalize_protocol(task.get("protocol", "")) == "srt" and task.get("stream_key", "").strip():
        return [
            f"Push task {key_of(task)}: the server appends stream_key to the SRT URL, which breaks most destinations; "
            "put it into streamid of the URL."
        ]
    return []


def unaddressable(key: Key) -> str:
    """Return the warning about a push task on a server that no request may name (server-facts: Virtual hosts)."""
    return (
        f"A push task of {key.vhost}/{key.app} is left unchanged, because a request with its id {key.id!r} "
        "can crash the server."
    )


def from_wire(raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
    """Return a push task of wire form in option form.

    Empty fields are included, so that the result is complete input for the module.
    """
    task = PUSH_TASK.from_wire(raw)
    task.update(vhost=vhost, app=app)
    task.setdefault("stream", {}).setdefault("variant_names", [])
    task.setdefault("stream_key", "")
    return task


def start_request(task: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the body of startPush: the path has virtual host and application, and an empty stream key is omitted."""
    body = PUSH_TASK.to_wire({option: value for option, value in task.items() if option not in ("vhost", "app")})
    if not body.get("streamKey"):
        body.pop("streamKey", None)
    return dict(body)


def same_destination(one: t.Mapping[str, t.Any], other: t.Mapping[str, t.Any]) -> bool:
    """Return whether two tasks push to the same destination.

    An omitted stream key keeps its current value only for the same destination.
    """
    return all(PUSH_TASK.fields[option].equal(one.get(option), other.get(option)) for option in ("protocol", "url"))


def state_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the state in lower case; `pushing` for all spellings of the state in which media flow."""
    state = str(raw.get("state", "unknown")).lower()
    return "pushing" if state in _DELIVERING else state


def is_ending(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the task ends; its state does not say whether it disappears or waits for its stream again."""
    return state_of(raw) in _ENDING


def is_of_configuration(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the task comes from the server's own configuration (server-facts: Push tasks)."""
    return str(raw.get("isConfig", False)).lower() == "true"


def status_of(raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
    """Return the status of a push task (wire form), without its settings; None for a time that has not come yet."""
    stream = raw.get("stream")
    track_ids = stream.get("trackIds") if isinstance(stream, dict) else None
    return {
        "vhost": vhost,
        "app": app,
        "id": id_of(raw),
        "state": state_of(raw),
        "is_config": is_of_configuration(raw),
        "track_ids": track_ids if isinstance(track_ids, list) else [],
        **{
            option: None if str(raw[wire]).startswith(_NOT_YET) else raw[wire]
            for option, wire in STATUS_FIELDS.items()
            if wire in raw
        },
    }
