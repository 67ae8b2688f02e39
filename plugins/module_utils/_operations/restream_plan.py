# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The push tasks of one stream to chosen platforms, and their IDs."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.texts import shortened
from .._resources.push_task import PUSH_TASKS, normalize_protocol
from .._schema.validators import addressable, is_addressable
from .one_stream import STARTED, STOPPED

ALL = "all"
"""Stands for all known platforms. No platform can have this name."""
_DOT = re.compile(r"\.(?![A-Za-z0-9]|$)")
"""Dots that could be read as the begin of a code."""
Params = t.Mapping[str, t.Any]
Task = dict[str, t.Any]


class Plan(t.NamedTuple):
    """What is to be done for a stream."""

    tasks: list[Task]
    """The push tasks, as the module `push_tasks` takes them; empty if there are problems. With ``stopped``, a platform
    can have two, one of them with an ID of a release before 2.1.0.
    """
    platforms: list[str]
    """The name of the platform of each push task."""
    problems: list[str]
    """Of the options, all of them, as sentences without secrets."""


def plan(params: Params, current: t.Iterable[Params]) -> Plan:
    """Return the push tasks of the chosen platforms.

    :param params: the options of the module `restream`.
    :param current: the push tasks of the application, as the module `push_task_info` returns them. A push task of this
        stream keeps the ID that releases before 2.1.0 gave it, and one of another stream is a problem.
    """
    stream, state = params["stream"], params["state"]
    known, problems = _known(params["platforms"])
    names, unknown = _chosen(params["chosen"], known)
    problems += unknown
    tasks: list[Task] = []
    if not problems:
        streams = {str(task["id"]): str((task.get("stream") or {}).get("name")) for task in current if "id" in task}
        planned = [(name, one) for name in names for one in _ids(known[name], stream, state, streams)]
        names = [name for name, _id in planned]
        scope = {"vhost": params["vhost"], "app": params["app"]}
        keys = {str(name): str(key) for name, key in (params["stream_keys"] or {}).items()}
        tasks = [_task(known[name], {**scope, "id": one}, stream, state, keys) for name, one in planned]
        index = {platform["name"]: number for number, platform in enumerate(params["platforms"])}
        for name, task in zip(names, tasks):
            place = f"platforms[{index[name]}]"
            problems += _problems_of(known[name], place, task, stream, state) or _foreign(name, task, stream, streams)
        ids = [task["id"] for task in tasks]
        problems += [
            f"Several of the chosen platforms have the id {one}." for one in dict.fromkeys(ids) if ids.count(one) > 1
        ]
    return Plan([] if problems else tasks, names, [shortened(problem) for problem in problems])


def _known(platforms: t.Sequence[Params]) -> tuple[dict[str, Params], list[str]]:
    """Return the platforms by name, and the problems of their names."""
    known: dict[str, Params] = {}
    problems = []
    for number, platform in enumerate(platforms):
        name = platform["name"]
        expected = ""
        if not name.strip() or name == ALL or re.search(r"[,\n]", name):
            expected = f"expected a name without commas and line breaks, other than {ALL}, got {name!r}"
        elif name in known:
            expected = f"expected each platform once, got {name!r} again"
        if expected:
            problems.append(str(BadInput(f"platforms[{number}].name", expected)))
        known[name] = platform
    return known, problems


def _chosen(chosen: t.Sequence[str], known: t.Mapping[str, Params]) -> tuple[list[str], list[str]]:
    """Return the chosen names, each once, and the problems with them. A survey has names in lines of one text."""
    names = [name.strip() for text in chosen for name in re.split(r"[,\n]", text) if name.strip()]
    names = list(dict.fromkeys(name for one in names for name in (known if one == ALL else [one])))
    unknown = [name for name in names if name not in known]
    if names and not unknown:
        return names, []
    expected = f"expected names of platforms ({', '.join(known) or 'none is known'})"
    return names, [str(BadInput("chosen", f"{expected}, got {', '.join(map(repr, unknown)) or 'none'}"))]


def push_task_id(stream: str, platform: str) -> str:
    """Return the ID of the push task of a stream to a platform. No other stream and platform has it.

    A coded name has no two hyphens in a row and none at an end, so that the place of the hyphens between the names is
    unambiguous. Without hyphens in the names, it is the ID of releases before 2.1.0.
    """
    between = "--" if "-" in stream + platform else "-"
    return between.join(re.sub("^-|-$|(?<=-)-", "._", _DOT.sub("..", name)) for name in (stream, platform))


def _ids(platform: Params, stream: str, state: str, streams: t.Mapping[str, str]) -> list[str]:
    """Return the ID of the push task of a stream to a platform; with ``stopped``, of all that the server has."""
    if platform["id"]:
        return [platform["id"]]
    name = platform["name"]
    ids = list(dict.fromkeys((push_task_id(stream, name), f"{stream}-{name}")))
    running = [one for one in ids if streams.get(one) == stream]
    return (running if state == STOPPED else running[:1]) or ids[:1]


def _foreign(name: str, task: Task, stream: str, streams: t.Mapping[str, str]) -> list[str]:
    """Return the problem of an ID that a push task of another stream has."""
    other = streams.get(task["id"], stream)
    if other == stream:
        return []
    return [
        f"The push task {task['id']} belongs to the stream {other}, not to {stream}. "
        f"Specify that stream, or give the platform {name} another id."
    ]


def _task(platform: Params, scope: Task, stream: str, state: str, keys: t.Mapping[str, str]) -> Task:
    """Return the push task of a stream to a platform."""
    if state == STOPPED:
        return scope
    task: Task = {**scope, "stream": {"name": stream}, "protocol": platform["protocol"] or "rtmp"}
    if platform["variant_names"] is not None:
        task["stream"]["variant_names"] = platform["variant_names"]
    key = platform["stream_key"]
    found = {"url": platform["url"], "stream_key": keys.get(platform["name"]) if key is None else key}
    return {**task, **{option: value for option, value in found.items() if value is not None}}


def _problems_of(platform: Params, place: str, task: Task, stream: str, state: str) -> list[str]:
    """Return what is wrong with a push task, in terms of the options; ``place`` is that of the platform."""
    name, own_id = platform["name"], platform["id"]
    if state == STARTED and "stream_key" not in task and normalize_protocol(task["protocol"]) == "rtmp":
        return [f"There is no stream key for the platform {name}. Specify an empty text if it needs none."]
    try:
        PUSH_TASKS.validate(task, "", started=state == STARTED)
    except BadInput as error:
        option, expected = f"{place}.{error.option.rpartition('.')[2]}", error.expected
        if error.option == "id" and not own_id:  # made from the names of stream and platform
            option = f"{place}.name" if is_addressable(stream) else "stream"
            got = name if is_addressable(stream) else stream
            expected = f"{addressable(got)}, got {got!r}; or give the platform an id"
        return [str(BadInput(option, expected).within(f"{place} ({name})"))]
    return []
