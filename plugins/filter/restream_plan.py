# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter restream_plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: restream_plan
short_description: Plan the push tasks of one stream to several platforms
version_added: 0.4.0
author:
  - StreamOps (@streamops)
description:
  - Returns the push tasks of a stream to the chosen platforms, as M(streamops.ovenmediaengine.push_tasks) takes them.
  - Returns all problems of the input at once, as texts without secrets.
options:
  _input:
    description:
      - The known platforms, each with C(name), C(url) and optionally C(protocol) (default V(rtmp)), C(stream_key),
        C(variant_names) and C(id).
      - The default of C(id) is the name of the stream, a hyphen and the name of the platform. If one of the names has a
        hyphen, there are two hyphens between them. Then no two streams and platforms have the same ID.
      - In a name, a hyphen at an end or after another one becomes C(._), and a dot that is followed by neither a letter
        nor a digit becomes two.
    type: list
    elements: dict
    required: true
  chosen:
    description:
      - Names of platforms, as a list or as a text with commas or line breaks between them.
      - The name V(all) stands for all known platforms.
    type: raw
    required: true
  vhost:
    description: Name of the virtual host.
    type: str
    required: true
  app:
    description: Name of the application.
    type: str
    required: true
  stream:
    description: Name of the stream.
    type: str
    required: true
  state:
    description: With V(stopped), the push tasks have only their identifiers, and no stream key is needed.
    type: str
    choices: [started, stopped]
    default: started
  stream_keys:
    description: Stream keys by platform, for platforms without C(stream_key).
    type: dict
    default: {}
  stream_keys_text:
    description:
      - More stream keys as YAML text, such as the content of a file.
      - If both have a key for a platform, O(stream_keys) takes precedence.
    type: str
    default: ''
  current:
    description:
      - The push tasks of the application, as M(streamops.ovenmediaengine.push_task_info) returns them.
      - A push task of this stream keeps the ID that releases before 2.1.0 gave it, which always has one hyphen between
        the names. An ID that another stream has is a problem.
    type: list
    elements: dict
    default: []
    version_added: 2.1.0
seealso:
  - plugin: streamops.ovenmediaengine.restream
    plugin_type: role
  - module: streamops.ovenmediaengine.push_tasks
"""

EXAMPLES = r"""
- name: Push a stream to two platforms
  streamops.ovenmediaengine.push_tasks:
    tasks: "{{ my_plan.tasks }}"
  vars:
    my_plan: >-
      {{ my_platforms | streamops.ovenmediaengine.restream_plan(chosen=['one', 'two'], vhost='default', app='app',
      stream='main', stream_keys=my_keys) }}
    my_platforms:
      - {name: one, url: rtmp://one.example.com/live}
      - {name: two, url: rtmp://two.example.com/live}
      - {name: three, url: rtmp://three.example.com/live}
    my_keys:
      one: "{{ platform_stream_key }}"
      two: "{{ platform_stream_key }}"
"""

RETURN = r"""
_value:
  description: The plan.
  type: dict
  contains:
    tasks:
      description:
        - The push tasks of the chosen platforms, in the order of the choice. Empty if there are problems.
        - With O(state=stopped), a platform can have two, one of them with an ID of a release before 2.1.0.
      type: list
      elements: dict
    platforms:
      description: The name of the platform of each push task, or of each chosen platform if there are problems.
      type: list
      elements: str
    problems:
      description: Problems of the input, as sentences.
      type: list
      elements: str
"""

import re
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import (
    PUSH_TASKS,
    normalize_protocol,
)

STARTED = "started"
STOPPED = "stopped"
# Stands for all known platforms. No platform can have this name.
ALL = "all"
_FIELDS = ("name", "url", "protocol", "stream_key", "variant_names", "id")
_TEXTS = ("url", "protocol", "stream_key", "id")
# Dots that could be read as the begin of a code.
_DOT = re.compile(r"\.(?![A-Za-z0-9]|$)")
Task = dict[str, t.Any]


def restream_plan(
    platforms: t.Any,
    chosen: t.Any,
    vhost: t.Any,
    app: t.Any,
    stream: t.Any,
    state: t.Any = STARTED,
    stream_keys: t.Any = None,
    stream_keys_text: t.Any = "",
    current: t.Any = (),
) -> dict[str, t.Any]:
    """Return the push tasks of the chosen platforms and the problems of the input. No problem contains a secret."""
    problems = [
        f"{name} expects a text that is not empty."
        for name, value in (("vhost", vhost), ("app", app), ("stream", stream))
        if not _is_text(value)
    ]
    if state not in (STARTED, STOPPED):
        problems.append(f"state expects {STARTED} or {STOPPED}.")
    known = _known(platforms, problems)
    names = _chosen(chosen, known, problems)
    keys = _stream_keys(stream_keys, stream_keys_text, problems) if state == STARTED else {}
    tasks: list[Task] = []
    if not problems:
        streams = _streams(current, str(vhost), str(app))
        planned = [(name, one) for name in names for one in _ids(known[name], str(stream), state, streams)]
        names = [name for name, _id in planned]
        scope = {"vhost": str(vhost), "app": str(app)}
        tasks = [_task(known[name], {**scope, "id": one}, str(stream), state, keys) for name, one in planned]
        for name, task in zip(names, tasks):
            problems += _problems_of(name, task, state) or _foreign(name, task["id"], str(stream), streams)
        ids = [task["id"] for task in tasks]
        problems += [
            f"Several of the chosen platforms have the id {one}." for one in dict.fromkeys(ids) if ids.count(one) > 1
        ]
    return {
        "tasks": [] if problems else tasks,
        "platforms": names,
        "problems": [shortened(problem) for problem in problems],
    }


def _is_text(value: t.Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_scalar(value: t.Any) -> bool:
    """Return whether a value is a text or can be one. YAML reads stream keys of digits as numbers."""
    return value is None or (isinstance(value, (str, int)) and not isinstance(value, bool))


def _known(platforms: t.Any, problems: list[str]) -> dict[str, t.Mapping[str, t.Any]]:
    """Return the platforms by name."""
    if not isinstance(platforms, (list, tuple)) or not all(isinstance(platform, t.Mapping) for platform in platforms):
        problems.append("The platforms are expected to be a list of dictionaries.")
        return {}
    known: dict[str, t.Mapping[str, t.Any]] = {}
    for number, platform in enumerate(platforms):
        name = platform.get("name")
        if not _is_text(name) or name == ALL or re.search(r"[,\n]", name):
            problems.append(
                f"The platform with index {number} needs a name without commas and line breaks, other than {ALL}."
            )
            continue
        if name in known:
            problems.append(f"The platform {name} is listed twice.")
        strange = [str(field) for field in platform if field not in _FIELDS]
        problems += [
            f"The platform {name} has an unknown field {field}. Known fields are {', '.join(_FIELDS)}."
            for field in strange
        ]
        problems += [
            f"The platform {name} expects a text for {field}."
            for field in _TEXTS
            if not _is_scalar(platform.get(field, ""))
        ]
        variants = platform.get("variant_names") or []
        if not isinstance(variants, (list, tuple)) or not all(isinstance(one, str) for one in variants):
            problems.append(f"The platform {name} expects a list of names for variant_names.")
        known[str(name)] = platform
    return known


def _chosen(chosen: t.Any, known: t.Mapping[str, t.Any], problems: list[str]) -> list[str]:
    """Return the chosen names, each once."""
    specified = re.split(r"[,\n]", chosen) if isinstance(chosen, str) else chosen
    if not isinstance(specified, (list, tuple)) or not all(isinstance(name, str) for name in specified):
        problems.append("The chosen platforms are expected to be a list of names.")
        return []
    names = [str(name).strip() for name in specified if name.strip()]
    names = list(dict.fromkeys(name for one in names for name in (known if one == ALL else [one])))
    unknown = [name for name in names if name not in known]
    if not names:
        problems.append(f"No platform is chosen. Known platforms: {', '.join(known) or 'none'}.")
    if unknown:
        problems.append(f"There is no platform {', '.join(unknown)}. Known platforms: {', '.join(known) or 'none'}.")
    return names


def _stream_keys(specified: t.Any, text: t.Any, problems: list[str]) -> dict[str, str]:
    """Return the stream keys by platform. No problem contains the message of a parser, because it quotes the text."""
    try:
        # This loader reads all values as texts, so that a stream key of digits is not changed.
        read = yaml.load("".join(str(text or "")), Loader=yaml.BaseLoader) or {}
    except yaml.YAMLError:
        read = None
    keys: dict[str, str] = {}
    for what, source in (("The file with stream keys", read), ("The variable with stream keys", specified or {})):
        if not isinstance(source, t.Mapping) or not all(key is not None and _is_scalar(key) for key in source.values()):
            problems.append(
                f"{what} is expected to hold YAML with the name of a platform, a colon and its stream key in each line."
            )
            continue
        keys.update({str(name): str(key) for name, key in source.items()})
    return keys


def push_task_id(stream: str, platform: str) -> str:
    """Return the ID of the push task of a stream to a platform. No other stream and platform has it.

    A coded name has no two hyphens in a row and none at an end, so that the place of the hyphens between the names is
    unambiguous. Without hyphens in the names, it is the ID of releases before 2.1.0.
    """
    between = "--" if "-" in stream + platform else "-"
    return between.join(re.sub("^-|-$|(?<=-)-", "._", _DOT.sub("..", name)) for name in (stream, platform))


def _streams(current: t.Any, vhost: str, app: str) -> dict[str, str]:
    """Return the names of streams by the IDs of the push tasks of an application."""
    return {
        str(task.get("id")): str((task.get("stream") or {}).get("name"))
        for task in current or ()
        if (task.get("vhost"), task.get("app")) == (vhost, app)
    }


def _ids(platform: t.Mapping[str, t.Any], stream: str, state: str, streams: t.Mapping[str, str]) -> list[str]:
    """Return the ID of the push task of a stream to a platform; with ``stopped``, of all that the server has."""
    if platform.get("id"):
        return [str(platform["id"])]
    name = str(platform["name"])
    ids = list(dict.fromkeys((push_task_id(stream, name), f"{stream}-{name}")))
    running = [one for one in ids if streams.get(one) == stream]
    return (running if state == STOPPED else running[:1]) or ids[:1]


def _foreign(name: str, task_id: str, stream: str, streams: t.Mapping[str, str]) -> list[str]:
    """Return the problem of an ID that a push task of another stream has."""
    other = streams.get(task_id, stream)
    if other == stream:
        return []
    return [
        f"The push task {task_id} belongs to the stream {other}, not to {stream}. "
        f"Specify that stream, or give the platform {name} another id."
    ]


def _task(platform: t.Mapping[str, t.Any], scope: Task, stream: str, state: str, keys: t.Mapping[str, str]) -> Task:
    """Return the push task of a stream to a platform."""
    name = str(platform["name"])
    if state == STOPPED:
        return scope
    task: Task = {**scope, "stream": {"name": stream}}
    if platform.get("variant_names") is not None:
        task["stream"]["variant_names"] = list(platform["variant_names"])
    task["protocol"] = str(platform.get("protocol") or "rtmp")
    if platform.get("url") is not None:
        task["url"] = str(platform["url"])
    key = platform.get("stream_key")
    key = keys.get(name) if key is None else key
    return task if key is None else {**task, "stream_key": str(key)}


def _problems_of(name: str, task: Task, state: str) -> list[str]:
    """Return what the module would refuse, in terms of platforms."""
    if state == STARTED and "stream_key" not in task and normalize_protocol(task["protocol"]) == "rtmp":
        return [f"There is no stream key for the platform {name}. Specify an empty text if it needs none."]
    try:
        PUSH_TASKS.validate(task, "", started=state == STARTED)
    except BadInput as error:
        return [f"The push task for the platform {name} cannot work. {error}"]
    return []


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"restream_plan": restream_plan}
