# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of streams: reads, deletes and pulls (server-facts: Streams)."""

from __future__ import annotations

import re
from typing import Any

from . import tracks
from .answers import Answer, envelope, success
from .errors import NO_OBJECT, ApiError
from .media import NO_INPUT_SECONDS, LiveStream, Pull
from .outputs import is_relayed
from .state import ACCEPT, Application, State, VirtualHost, lies_under

_URL = re.compile(r"(?P<scheme>.*)://((?P<id>.+):(?P<password>.+)@)?(?P<host>[^:/?#]*)(:\d+)?(/[^?]*)?(\?.*)?")
_PROVIDERS = {"rtsp": ("rtspPull", "RtspPull"), "rtspc": ("rtspPull", "RtspPull"), "ovt": ("ovt", "Ovt")}
"""The provider in the application and the source type in the answers, by scheme."""


def find(state: State, vhost: VirtualHost, app: Application, name: str) -> LiveStream:
    """Return the stream of a path. :raises ApiError: 404."""
    found = state.streams.get((vhost.name, app.name, name))
    if found is None:
        raise ApiError(404, f"Could not find the stream: [{vhost.name}/#{vhost.name}#{app.name}/{name}]")
    return found


def list_names(state: State, vhost: VirtualHost, app: Application) -> Answer:
    """GET .../streams."""
    wanted = (vhost.name, app.name)
    return success(state.shuffled(name for *place, name in state.streams if tuple(place) == wanted))


def read(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """GET .../streams/{stream}."""
    stream = find(state, vhost, app, name)
    described = {
        "sourceType": stream.source_type,
        "sourceUrl": _source_url(state, stream),
        "createdTime": state.clock.timestamp(stream.since),
        "tracks": tracks.input_tracks(state.version, stream.input),
    }
    return success({"name": name, "input": described, "outputs": outputs(state, app, name, stream)})


def outputs(state: State, app: Application, name: str, stream: LiveStream) -> list[dict[str, Any]]:
    """Return the output streams of a stream."""
    made = tracks.relay if is_relayed(state.version, stream) else tracks.outputs
    return made(state.version, app, name, stream.input)


def _source_url(state: State, stream: LiveStream) -> str:
    names_transport = stream.source_url.startswith("TCP://") and state.version.tracks == "0.21.0"
    return stream.source_url + "/tcp" if names_transport else stream.source_url


def delete(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """DELETE .../streams/{stream}: the stream is listed for a moment longer."""
    stream = find(state, vhost, app, name)
    if stream.ends_at is None:
        stream.ends_at = state.clock.now() + state.stop_delay
    end_due(state)
    return success()


def end_due(state: State) -> None:
    """End what has to end by now: deleted streams, and pulls that nobody watches or that get no media."""
    now = state.clock.now()
    for key, stream in list(state.streams.items()):
        moment = stream.ends_at if stream.pull is None else _end_of_pull(state, key, stream, stream.pull)
        if moment is None or moment > now:
            continue
        state.stream_disappears(*key)
        if stream.reconnects:
            state.stream_appears(
                *key, source_type=stream.source_type, source_url=stream.source_url, reconnects=stream.reconnects
            )


def _end_of_pull(state: State, key: tuple[str, str, str], stream: LiveStream, pull: Pull) -> float | None:
    now = state.clock.now()
    if state.viewers.get(key):
        pull.used = now
    if is_reachable(state, stream.source_url):
        pull.input_until = now
    moments = [] if stream.ends_at is None else [stream.ends_at]
    if not pull.persistent:
        moments += [pull.used + pull.unused_seconds, pull.input_until + pull.no_input_seconds]
    return min(moments, default=None)


def is_reachable(state: State, url: str) -> bool:
    """Return whether the origin of a url was announced; the longest url that was named decides."""
    known = [origin for origin in state.world.origins if lies_under(url, origin)]
    return bool(known) and state.world.origins[max(known, key=len)] == ACCEPT


def pull(state: State, vhost: VirtualHost, app: Application, body: Any, address: str) -> Answer:
    """POST .../streams.

    :param address: the url of the request, which the text of a failure repeats.
    """
    if not isinstance(body, dict):
        raise ApiError(400, "Request body must be an object")
    name, urls = body.get("name"), body.get("urls")
    if not isinstance(name, str) or not isinstance(urls, list):
        raise ApiError(400, "Stream name or urls is required")
    if not urls:
        raise ApiError(400, "Urls must be at least one")
    if not all(isinstance(url, str) for url in urls):
        raise ApiError(400, "Url must be a string")
    if (vhost.name, app.name, name) in state.streams:
        raise ApiError(409, "Stream already exists")
    if state.version.pull_checks_urls:
        _check_urls(urls)
    properties = body.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    source = _connect(state, app, urls, properties)
    if source is None:
        raise ApiError(502, f"Could not pull the stream : {address}")
    source_type, url = source
    asked = _asked(state, properties, urls)
    asked.used = asked.input_until = state.clock.now()
    state.stream_appears(vhost.name, app.name, name, source_type=source_type, source_url=url, pull=asked)
    return Answer(201, envelope(201, "Created"))


def _check_urls(urls: list[str]) -> None:
    schemes = set()
    for url in urls:
        parsed = _URL.fullmatch(url)
        if parsed is None:
            raise ApiError(400, f"Invalid URL: {url}")
        schemes.add(parsed["scheme"].lower())
        if len(schemes) > 1:
            raise ApiError(400, "Only urls with the same scheme can be sent as a group.")


def _connect(state: State, app: Application, urls: list[str], properties: dict[str, Any]) -> tuple[str, str] | None:
    """Return source type and url of the first origin that answers, or None."""
    parsed = _URL.fullmatch(urls[0])
    provider, source_type = _PROVIDERS.get(parsed["scheme"].lower() if parsed else "", ("", ""))
    if provider not in (app.config.get("providers") or {}):
        return None
    rounds = state.version.pull_retries
    if state.version.pull_takes_retry_count:
        rounds = _positive(properties, "retryCount") or rounds
    tried = (urls * (rounds + 1))[: len(urls) * rounds + 1]
    return next(((source_type, url) for url in tried if is_reachable(state, url)), None)


def _asked(state: State, properties: dict[str, Any], urls: list[str]) -> Pull:
    result = Pull(list(urls), persistent=properties.get("persistent") is True, relay=properties.get("relay") is True)
    result.unused_seconds = _positive(properties, "unusedStreamDeletionTimeoutMs") / 1000 or state.world.unused_seconds
    result.no_input_seconds = _positive(properties, "noInputFailoverTimeoutMs") / 1000 or NO_INPUT_SECONDS
    return result


def _positive(values: dict[str, Any], key: str) -> int:
    """Return a positive whole number; 0 for anything else, which counts as not given."""
    value = values.get(key)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def as_object(body: Any) -> dict[str, Any]:
    """Return the body of an action; null is an empty one. :raises ApiError: 500 for a body that is no object."""
    if body is not None and not isinstance(body, dict):
        raise ApiError(500, NO_OBJECT, framed=False)
    return body or {}
