# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter record_plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: record_plan
short_description: Plan the recording of one stream, with a safe file name
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns the recording of a stream, as M(streamops.ovenmediaengine.record) takes it.
  - The name of its files consists of the name of the stream, the title and the start time, with underscores between
    them, for example C(main_Evening-show_${StartTime:YYYYMMDDhhmmss}.mp4).
  - Stream and title lose accents. Dots in a row become one dot. Other characters in a row that are not ASCII letters,
    digits, V(.), V(_) or V(-) become one hyphen. Each part loses punctuation at both ends, and has at most 80
    characters. It can contain neither a directory nor a macro of the server.
  - Returns all problems of the input at once.
options:
  _input:
    description: Name of the stream.
    type: str
    required: true
  vhost:
    description: Name of the virtual host.
    type: str
    required: true
  app:
    description: Name of the application.
    type: str
    required: true
  state:
    description: With V(stopped), the recording has only its identifiers, and options of its files are not used.
    type: str
    choices: [started, stopped]
    default: started
  record_id:
    description: ID of the recording. If empty, it is the name of the stream and C(-recording).
    type: str
    default: ''
  title:
    description: Text for the name of the files.
    type: str
    default: ''
  file_format:
    description: Format of the files.
    type: str
    choices: [mp4, ts, webm]
    default: mp4
  directory:
    description: Absolute path of the directory for the files on the media server. It can contain macros of the server.
    type: str
    default: /${VirtualHost}/${Application}
  interval_minutes:
    description: Minutes of media after which a new file begins. V(0) means one file.
    type: int
    default: 0
  schedule:
    description:
      - Times at which a new file begins, as C(SECOND MINUTE HOUR).
      - Cannot be used together with O(interval_minutes).
    type: str
    default: ''
seealso:
  - plugin: streamops.ovenmediaengine.record
    plugin_type: role
  - module: streamops.ovenmediaengine.record
"""

EXAMPLES = r"""
- name: Record a stream with the title of a survey
  streamops.ovenmediaengine.record:
    vhost: "{{ my_plan.record.vhost }}"
    app: "{{ my_plan.record.app }}"
    id: "{{ my_plan.record.id }}"
    stream: "{{ my_plan.record.stream }}"
    file_path: "{{ my_plan.record.file_path }}"
  vars:
    my_plan: "{{ 'main' | streamops.ovenmediaengine.record_plan(vhost='default', app='app', title='Evening show') }}"
"""

RETURN = r"""
_value:
  description: The plan.
  type: dict
  contains:
    record:
      description: The recording, with options of M(streamops.ovenmediaengine.record). Empty if there are problems.
      type: dict
    problems:
      description: Problems of the input, as sentences.
      type: list
      elements: str
"""

import re
import typing as t
import unicodedata

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.record import RECORDS

STARTED = "started"
STOPPED = "stopped"
FORMATS = ("mp4", "ts", "webm")
DIRECTORY = "/${VirtualHost}/${Application}"
_TIME = "${StartTime:YYYYMMDDhhmmss}"
# Two of them, a time and an ending fit into the 255 bytes that file systems allow.
_LONGEST_PART = 80
# The server has the interval as milliseconds in 32 bits.
_MOST_MINUTES = (2**31 - 1) // 60_000
# Letters that are not an ASCII letter and an accent.
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
# What a problem of an option of the module is about, in terms of the filter.
_SUBJECTS = {
    "vhost": "The virtual host",
    "app": "The application",
    "id": "The id of the recording",
    "stream.name": "The name of the stream",
    "file_path": "The directory",
    "schedule": "The schedule",
}


def record_plan(
    stream: t.Any,
    vhost: t.Any,
    app: t.Any,
    state: t.Any = STARTED,
    record_id: t.Any = "",
    title: t.Any = "",
    file_format: t.Any = FORMATS[0],
    directory: t.Any = DIRECTORY,
    interval_minutes: t.Any = 0,
    schedule: t.Any = "",
) -> dict[str, t.Any]:
    """Return the recording of a stream and the problems of the input."""
    texts = {"stream": stream, "vhost": vhost, "app": app, "directory": directory}
    problems = [f"{name} expects a text that is not empty." for name, value in texts.items() if not _is_text(value)]
    texts = {"record_id": record_id, "title": title, "schedule": schedule}
    problems += [f"{name} expects a text." for name, value in texts.items() if not isinstance(value, str)]
    if state not in (STARTED, STOPPED):
        problems.append(f"state expects {STARTED} or {STOPPED}.")
    if file_format not in FORMATS:
        problems.append(f"file_format expects one of {', '.join(FORMATS)}.")
    minutes = _number(interval_minutes)
    if minutes is None or not 0 <= minutes <= _MOST_MINUTES:
        problems.append(f"interval_minutes expects a whole number from 0 to {_MOST_MINUTES}.")
    record: dict[str, t.Any] = {}
    if not problems:
        record = {"vhost": str(vhost), "app": str(app), "id": str(record_id) or f"{stream}-recording"}
        if state == STARTED:
            name = "_".join(part for part in (safe_part(stream), safe_part(title), _TIME) if part)
            record["stream"] = {"name": str(stream)}
            record["file_path"] = f"{directory.rstrip('/')}/{name}.{file_format}"
            record["interval"] = (minutes or 0) * 60_000
            record["schedule"] = str(schedule)
            problems += _title_problems(title)
        problems += _record_problems(record, state)
    return {"record": {} if problems else record, "problems": [shortened(problem) for problem in problems]}


def safe_part(text: str) -> str:
    """Return a text as a part of a file name: without directories, macros of the server, and special characters."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_LETTERS))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", plain))
    return plain.strip("._-")[:_LONGEST_PART].rstrip("._-")


def _is_text(value: t.Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _number(value: t.Any) -> int | None:
    """Return a whole number, which is a text if it comes from the command line; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", value):
        return int(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _title_problems(title: str) -> list[str]:
    """Refuse a title that the file name would not show."""
    if not title.strip() or safe_part(title):
        return []
    return [
        f"The title {title.strip()} has no letter from a to z and no digit for the name of the file. Use another title."
    ]


def _record_problems(record: t.Mapping[str, t.Any], state: str) -> list[str]:
    """Return what the module would refuse, in terms of the filter."""
    try:
        RECORDS.validate(record, "", started=state == STARTED)
    except BadInput as error:
        expected = error.expected.replace("together with interval", "together with an interval")
        return [f"{_SUBJECTS.get(error.option, error.option)} cannot work: {expected}."]
    return []


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"record_plan": record_plan}
