# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stream maps: XML files with pushes (``PushInfo``) and recordings (``RecordInfo``) that start with their stream
(server-facts: What survives a restart).

The server reads a map whenever a stream starts. What it cannot read or does not accept, it only logs
(push_application.cpp and file_application.cpp of 0.18.0, 0.20.0 and 0.21.0 [read]).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config_xml import child_text, parse, resolved
from .errors import ApiError, ConfigError
from .objects import Application, PushTask, VirtualHost
from .pugixml import Node
from .push_rules import check_required, check_url
from .recorder import RULES, SCHEDULE
from .wildcards import matches

if TYPE_CHECKING:
    from .state import State

_SOURCE = "${SourceStream}"


def pushes(state: State, vhost: VirtualHost, app: Application, stream: str) -> Iterator[PushTask]:
    """Yield the pushes that begin with a stream, each with a random id."""
    publisher = _publisher(app, "push")
    for node in _entries(state, vhost, _path(publisher, "streamMap"), "PushInfo", "Push", stream):
        macros = {"${Application}": app.name, "${Stream}": stream, _SOURCE: stream}
        task = PushTask(
            id="".join(state.random.choices(string.ascii_letters + string.digits, k=6)),
            stream_name=stream,
            protocol=child_text(node, "Protocol").strip().lower(),
            url=_replaced(child_text(node, "Url"), macros).strip(),
            stream_key=_replaced(child_text(node, "StreamKey"), macros).strip(),
            variant_names=_list(child_text(node, "VariantNames")),
            created=state.clock.now(),
            is_config=True,
            ends_with_stream=True,
        )
        try:
            check_required(task)
            if task.protocol not in state.version.protocols:
                raise ApiError(400, "Unsupported protocol")
            check_url(task)
        except ApiError as error:
            state.say(f"Failed to validate push info. {error.text}")
            continue
        yield task


def records(state: State, vhost: VirtualHost, app: Application, stream: str) -> Iterator[dict[str, Any]]:
    """Yield the fields of the recordings that begin with a stream."""
    publisher = _publisher(app, "file")
    path = _path(publisher, "streamMap") or _path(publisher, "record")
    for node in _entries(state, vhost, path, "RecordInfo", "Record", stream):
        interval, schedule = _number(child_text(node, "SegmentInterval")), child_text(node, "SegmentSchedule")
        rule = child_text(node, "SegmentRule")
        if schedule and (interval > 0 or not SCHEDULE.match(schedule)):
            state.say(f"FileStream({vhost.name}/{stream}) - Failed to start record: interval or schedule is invalid")
            continue
        yield {
            "stream_name": stream,
            "file_path": child_text(node, "FilePath"),
            "info_path": child_text(node, "InfoPath"),
            "interval": interval,
            "schedule": schedule,
            "segmentation_rule": rule if rule in RULES else RULES[0],
            "metadata": child_text(node, "Metadata"),
            "variant_names": _list(child_text(node, "VariantNames")),
        }


def _publisher(app: Application, name: str) -> Mapping[str, Any]:
    publishers = app.config.get("publishers")
    publisher = publishers.get(name) if isinstance(publishers, dict) else None
    return publisher if isinstance(publisher, dict) else {}


def _path(publisher: Mapping[str, Any], key: str) -> str:
    """Return the path of a map that is enabled; the empty text without one."""
    settings = publisher.get(key)
    if not isinstance(settings, dict) or str(settings.get("enable", "")).lower() != "true":
        return ""
    return resolved(str(settings.get("path") or settings.get("recordInfo") or ""))


def _entries(state: State, vhost: VirtualHost, path: str, root: str, name: str, stream: str) -> Iterator[Node]:
    if not path:
        return
    place = f"{vhost.name}/{stream}"
    try:
        found = parse(Path(state.locate(path, state.directory)), root)
    except (ConfigError, OSError) as error:
        state.say(f"Stream({place}) - Failed to load stream map file({path}): {error}")
        return
    if found is None:
        state.say(f"Stream({place}) - Failed to load stream map file({path}) because root node is not found")
        return
    for node in found.nodes():
        pattern = child_text(node, "StreamName").replace(_SOURCE, stream)
        if node.tag == name and child_text(node, "Enable") == "true" and matches(stream, pattern):
            yield node


def _replaced(text: str, macros: Mapping[str, str]) -> str:
    for macro, value in macros.items():
        text = text.replace(macro, value)
    return text


def _list(text: str) -> list[str]:
    return text.strip().split(",") if text else []


def _number(text: str) -> int:
    match = re.match(r"\s*[-+]?\d+", text)
    return int(match.group()) if match else 0
