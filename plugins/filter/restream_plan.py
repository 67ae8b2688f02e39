# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter restream_plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: restream_plan
short_description: The push tasks of one stream to several platforms
version_added: 0.4.0
author:
  - StreamOps (@streamops)
description:
  - Takes the platforms that are known and the names of those that are chosen, and returns push tasks as M(streamops.ovenmediaengine.push_tasks)
    takes them.
  - What is wrong with the input is returned as text and shows no secret, so that all of it can be told at once.
options:
  _input:
    description:
      - The platforms that are known, each with V(name), V(url) and, as needed, V(protocol) (V(rtmp) if left out), V(stream_key), V(variant_names) and V(id).
      - If V(id) is left out, the name of the stream and the name of the platform with a hyphen between them are the id of the push task.
    type: list
    elements: dict
    required: true
  chosen:
    description: Names of platforms, as a list or as a text with commas or line breaks between them. The name V(all) stands for every platform that is known.
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
    description: With V(stopped) the push tasks name only what identifies them, and no stream key is needed.
    type: str
    choices: [started, stopped]
    default: started
  stream_keys:
    description: Stream keys by the names of platforms, for platforms without V(stream_key).
    type: dict
    default: {}
  stream_keys_text:
    description: More of them, as a text in YAML, such as the content of a file. Those of O(stream_keys) win.
    type: str
    default: ''
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
      {{ my_platforms | streamops.ovenmediaengine.restream_plan(chosen=['one', 'two'], vhost='default', app='app', stream='main', stream_keys=my_keys) }}
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
      description: The push tasks of the chosen platforms, in the order in which these were chosen. Empty where there are problems.
      type: list
      elements: dict
    platforms:
      description: The names of the chosen platforms, in the same order.
      type: list
      elements: str
    problems:
      description: What is wrong, as sentences.
      type: list
      elements: str
"""

import re
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import (
    normalize_protocol,
    validate,
)

STARTED = "started"
STOPPED = "stopped"
# The word for every platform that is known; none can have it as its name.
ALL = "all"
_FIELDS = ("name", "url", "protocol", "stream_key", "variant_names", "id")
_TEXTS = ("url", "protocol", "stream_key", "id")
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
) -> dict[str, t.Any]:
    """The push tasks of the chosen platforms, and what is wrong with the input; no text of it holds a secret."""
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
        tasks = [_task(known[name], {"vhost": str(vhost), "app": str(app)}, str(stream), state, keys) for name in names]
        for name, task in zip(names, tasks):
            problems += _problems_of(name, task, state)
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
    """Whether a value is a text, or can be read as one: keys of digits come as numbers."""
    return value is None or (isinstance(value, (str, int)) and not isinstance(value, bool))


def _known(platforms: t.Any, problems: list[str]) -> dict[str, t.Mapping[str, t.Any]]:
    """The platforms by their names."""
    if not isinstance(platforms, (list, tuple)) or not all(isinstance(platform, t.Mapping) for platform in platforms):
        problems.append("The platforms are expected to be a list of dictionaries.")
        return {}
    known: dict[str, t.Mapping[str, t.Any]] = {}
    for number, platform in enumerate(platforms):
        name = platform.get("name")
        if not _is_text(name) or name == ALL or re.search(r"[,\n]", name):
            problems.append(
                f"The platform at place {number} expects a name, without commas and line breaks, and other than {ALL}."
            )
            continue
        if name in known:
            problems.append(f"The platform {name} is listed twice.")
        strange = [str(field) for field in platform if field not in _FIELDS]
        problems += [
            f"The platform {name} has a field that there is not: {field}. There are {', '.join(_FIELDS)}."
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
    """The names that were chosen, each once."""
    specified = re.split(r"[,\n]", chosen) if isinstance(chosen, str) else chosen
    if not isinstance(specified, (list, tuple)) or not all(isinstance(name, str) for name in specified):
        problems.append("The chosen platforms are expected to be a list of names.")
        return []
    names = [str(name).strip() for name in specified if name.strip()]
    names = list(dict.fromkeys(name for one in names for name in (known if one == ALL else [one])))
    unknown = [name for name in names if name not in known]
    if not names:
        problems.append(f"No platform was chosen. There are: {', '.join(known) or 'none'}.")
    if unknown:
        problems.append(f"There is no platform {', '.join(unknown)}. There are: {', '.join(known) or 'none'}.")
    return names


def _stream_keys(specified: t.Any, text: t.Any, problems: list[str]) -> dict[str, str]:
    """The stream keys by the names of platforms. What is wrong is told without a word of the text, as a parser would quote it."""
    try:
        # All values are texts to this loader: a key of digits must stay as it is.
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


def _task(platform: t.Mapping[str, t.Any], scope: Task, stream: str, state: str, keys: t.Mapping[str, str]) -> Task:
    """The push task of a stream to a platform."""
    name = str(platform["name"])
    task = {**scope, "id": str(platform.get("id") or f"{stream}-{name}")}
    if state == STOPPED:
        return task
    task["stream"] = {"name": stream}
    if platform.get("variant_names") is not None:
        task["stream"]["variant_names"] = list(platform["variant_names"])
    task["protocol"] = str(platform.get("protocol") or "rtmp")
    if platform.get("url") is not None:
        task["url"] = str(platform["url"])
    key = platform.get("stream_key")
    key = keys.get(name) if key is None else key
    return task if key is None else {**task, "stream_key": str(key)}


def _problems_of(name: str, task: Task, state: str) -> list[str]:
    """What the module would refuse, in the words of whoever knows platforms only."""
    if state == STARTED and "stream_key" not in task and normalize_protocol(task["protocol"]) == "rtmp":
        return [f"There is no stream key for the platform {name}. Give the empty text if it takes none."]
    try:
        validate(task, "", started=state == STARTED)
    except BadInput as error:
        return [f"The push task for the platform {name} cannot work. {error}"]
    return []


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filters by their names."""
        return {"restream_plan": restream_plan}
