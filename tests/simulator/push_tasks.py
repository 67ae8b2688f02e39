# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of push tasks (server-facts: Push tasks)."""

from __future__ import annotations

from typing import Any

from .answers import Answer, success
from .bodies import read_list, read_object, read_string
from .clock import EPOCH
from .errors import ApiError, ServerDies, has_conversion
from .push_rules import check_required, check_url
from .state import Application, PushTask, State, VirtualHost


def read_task(state: State, body: Any) -> PushTask:
    """Return a task from a request, with what the server changes in it: trimmed, and the protocol in lower case.

    :raises ApiError: 500 for a body that is no object.
    """
    values = read_object(body)
    stream = values.get("stream")
    return PushTask(
        id=read_string(values, "id"),
        stream_name=read_string(stream, "name"),
        protocol=read_string(values, "protocol").strip().lower(),
        url=read_string(values, "url").strip(),
        stream_key=read_string(values, "streamKey").strip(),
        track_ids=read_list(stream, "trackIds", int) or read_list(stream, "tracks", int),
        variant_names=read_list(stream, "variantNames", str),
        created=state.clock.now(),
    )


def representation(state: State, vhost: str, app: str, task: PushTask) -> dict[str, Any]:
    """Return a task as the API returns it; empty strings are left out."""
    sent, milliseconds = state.sent(task)
    result = {
        "id": task.id,
        "vhost": vhost,
        "app": app,
        "stream": {"name": task.stream_name, "trackIds": task.track_ids, "variantNames": task.variant_names},
        "state": state.task_state(task),
        "protocol": task.protocol,
        "url": task.url,
        "sentBytes": sent,
        "sentTime": milliseconds,
        "totalsentBytes": task.earlier_bytes + sent,
        "totalsentTime": task.earlier_milliseconds + milliseconds,
        "sequence": task.sequence,
        "createdTime": state.clock.timestamp(task.created),
        "startTime": EPOCH if task.last_session is None else state.clock.timestamp(task.last_session),
        "finishTime": EPOCH,
    }
    if task.stream_key:
        result["streamKey"] = task.stream_key
    if task.is_config or state.version.reports_is_config:
        result["isConfig"] = task.is_config
    return result


def pushes(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:pushes. An id that is no string, or is empty, filters nothing."""
    wanted = read_string(read_object(body), "id")
    push = state.push_application(vhost.name, app.name)
    tasks = push.tasks if push is not None else {}
    return success(
        [representation(state, vhost.name, app.name, tasks[key]) for key in sorted(tasks) if wanted in ("", key)]
    )


def start(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:startPush."""
    task = read_task(state, body)
    place = f"[{vhost.name}/{app.name}]"
    if task.protocol not in state.version.protocols:
        raise ApiError(400, f"Could not find protocol '{task.protocol}': {place}")
    push = state.push_application(vhost.name, app.name)
    if push is None:
        raise ApiError(404, f"Could not find application: {place}")
    check_required(task)
    if state.version.duplicate_before_url:
        _check_duplicate(state, task, push.tasks)
        check_url(task)
    else:
        check_url(task)
        _check_duplicate(state, task, push.tasks)
    state.start_task(vhost.name, app.name, push, task)
    result = representation(state, vhost.name, app.name, task)
    return success([result] if state.version.start_answers_array else result)


def stop(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:stopPush.

    :raises ServerDies: the id holds a printf conversion.
    """
    wanted = read_string(read_object(body), "id")
    push = state.push_application(vhost.name, app.name)
    if has_conversion(wanted):
        raise ServerDies()
    if push is not None and not wanted:
        raise ApiError(400, "There is no required parameter [ id]")
    task = push.tasks.get(wanted) if push is not None else None
    if push is None or task is None:
        raise ApiError(404, f"Could not find id '{wanted}': [{vhost.name}/{app.name}]")
    state.stop_task(push, task)
    return success(message=state.version.stop_message)


def _check_duplicate(state: State, task: PushTask, tasks: dict[str, PushTask]) -> None:
    if task.id in tasks:
        raise ApiError(state.version.duplicate_status, state.version.duplicate_text)
