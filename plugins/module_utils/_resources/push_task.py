# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The push task: fields, rules by protocol, states (server-facts: Push tasks; api-contract: Push task)."""

from __future__ import annotations

import typing as t
from urllib.parse import parse_qsl

from .._api.jobs import PUSHES
from .._core.errors import BadInput
from .._core.secret_urls import mask_url
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import String, Url
from .job import COMMON_FIELDS, JobKind, key_of

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
        *COMMON_FIELDS,
        String("protocol", normalizer=normalize_protocol, check=_protocol),
        Url("url", destination=True, normalizer=normalize_url, check=checks.one_line),
        String("stream_key", "streamKey", secret=True, normalizer=str.strip, check=checks.one_line_or_empty),
    ],
)


class PushTaskKind(JobKind):
    """Push tasks."""

    declaration = PUSH_TASK
    calls = PUSHES
    noun = "task"
    verb = "push"
    running_state = "pushing"
    # All spellings, of all versions and the documentation (server-facts: Push tasks).
    running_spellings = ("pushing", "started")
    # Of a task that is being stopped or whose stream ends. Within about a second the task disappears in the first case,
    # and is `ready` in the second [read].
    ending_states = ("stopping", "stopped")
    configured = "configured_task"
    publishers = PUSH_PUBLISHERS
    not_running: t.Mapping[str, str] = {
        "error": "Its destination refuses it: check url and stream_key.",
        "connecting": "Its destination does not answer: check url, and that the server can reach it.",
    }
    retries_errors = "the server keeps trying to reach its destination"
    map_publisher = "push"
    map_file = "push_map.xml"
    identity = ("protocol", "url", "stream_key")
    destination = "url"
    empty: t.Mapping[str, t.Any] = {"stream_key": ""}
    status_fields: t.Mapping[str, str] = {
        "sent_bytes": "sentBytes",
        "sent_time": "sentTime",
        "sequence": "sequence",
        "total_sent_bytes": "totalsentBytes",
        "total_sent_time": "totalsentTime",
        "created_time": "createdTime",
        "start_time": "startTime",
        "finish_time": "finishTime",
    }

    def validate(self, job: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
        super().validate(job, path, started=started)
        prefix = f"{path}." if path else ""
        if started:
            for option in ("protocol", "url"):
                if option not in job:
                    raise BadInput(f"{prefix}{option}", "is required if state is started")
        if "protocol" in job and "url" in job:
            _validate_destination(job, prefix)

    def warnings_for(self, job: t.Mapping[str, t.Any]) -> list[str]:
        if normalize_protocol(job.get("protocol", "")) == "srt" and job.get("stream_key", "").strip():
            return [
                f"Push task {key_of(job)}: the server appends stream_key to the SRT URL, which breaks most "
                "destinations; put it into streamid of the URL."
            ]
        return []

    def start_request(self, job: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the body of startPush; an empty stream key is omitted."""
        body = super().start_request(job)
        if not body.get("streamKey"):
            body.pop("streamKey", None)
        return body

    def merge(self, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the current task with the desired one applied.

        An omitted stream key keeps its current value only for the same destination.
        """
        merged = super().merge(desired, current)
        if "stream_key" not in desired and not same_destination(merged, current):
            merged["stream_key"] = ""
        return merged


PUSH_TASKS = PushTaskKind()


def same_destination(one: t.Mapping[str, t.Any], other: t.Mapping[str, t.Any]) -> bool:
    """Return whether two tasks push to the same destination."""
    return all(PUSH_TASK.fields[option].equal(one.get(option), other.get(option)) for option in ("protocol", "url"))


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
