# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of `restream` and `record_stream`: start or stop jobs of one stream."""

from __future__ import annotations

import re
import typing as t
import unicodedata

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError, Refusal
from .._core.secret_store import SecretStore
from .._core.texts import renaming, shortened
from .._resources.jobs import PUSH_TASK, PUSH_TASKS, normalize_protocol
from .._schema.validators import addressable, is_addressable
from .base import TEXT, Operation, Params, Result, check_names, list_of
from .job_info import JobInfo, PushTaskInfo, RecordInfo
from .jobs import ManagedJobs, PushTaskList, Record

# The base of operations that start or stop jobs of one stream, and sum up in one line what was done.

STARTED = "started"
STOPPED = "stopped"
_STREAM: dict[str, dict[str, t.Any]] = {
    "vhost": {"type": "str", "default": "default"},
    "app": {"type": "str", "default": "app"},
    "stream": {"type": "str", "required": True},
}
_SHARED = ("state", "config_dir", "wait_for", "wait_timeout")
"""Options that have the same name and meaning in the operation that manages the jobs."""


class OneStream(Operation):
    """Starts or stops jobs of one stream."""

    manager: type[ManagedJobs]
    """The operation that starts and stops them."""
    reader: type[JobInfo]
    """The operation that reads them."""
    masked_results: tuple[str, ...] = ("diff",)

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        """Return the argument spec of the options that no other of these operations has."""
        raise NotImplementedError

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        specs = cls.manager.options()
        return {**_STREAM, **cls.own_options(), **{option: specs[option] for option in _SHARED}}

    def check(self) -> None:
        check_names(self.params, "vhost", "app")
        if not self.params["stream"].strip():
            raise BadInput("stream", "expected the name of a stream, got an empty text")

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        """Return the keys of a result that say what was done, and the same in words as ``line``.

        :param params: the options; of a task that has failed before their check, as they were specified.
        :param result: of the task so far, with what ``run`` has added for this.
        :param ended: the text of a task that has done nothing.
        """
        raise NotImplementedError

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return cls.summed_up(options, result, check_mode=check_mode)

    @classmethod
    def summed_up(cls, params: Params, result: Params, *, check_mode: bool) -> Result:
        """Return the result with its summary, also if nothing was sent."""
        params = {**{option: spec.get("default", "") for option, spec in _STREAM.items()}, **params}
        reached = result.get("error", {}).get("kind", "bad_input") != "bad_input"
        summary = cls.summary(params, result, "failed" if reached else "not reached")
        stream = "/".join(str(params[option]) for option in _STREAM)
        begin = "Check mode, this would be done: " if check_mode else ""
        line = f"{begin}stream {stream}: {summary['line']}"
        return {**result, **summary, "stream": stream, "line": line}

    def managing(self, options: Params) -> ManagedJobs:
        """Return the operation that manages the jobs, with these options beside the shared ones."""
        return self.manager(
            {**self.manager.defaults(), **{option: self.params[option] for option in _SHARED}, **options}
        )

    def current(self, api: Api, context: Context, job_id: str | None = None) -> Result:
        """Return what the reader does of the application, or of one job; nothing where there can be no job.

        The request that starts a job says why.
        """
        asked = {option: self.params[option] for option in ("vhost", "app", "config_dir")}
        try:
            return self.reader({**asked, "id": job_id, "show_secrets": False}).run(api, context)
        except OmeError as error:
            publisher_missing = self.reader.kind.calls.publisher_missing
            if error.kind in ("vhost_not_found", "application_not_found", publisher_missing):
                return {self.reader.result_key: [], "status": []}
            raise


# Names of recorded files that people recognise, made from any text.

_LONGEST_PART = 80
"""Two of them, a time and an ending fit into the 255 bytes that file systems allow."""
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
"""Letters that are not an ASCII letter and an accent."""


def safe_part(text: str) -> str:
    """Return a text as a part of a file name: without directories, macros of the server, and special characters."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_LETTERS))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", plain))
    return plain.strip("._-")[:_LONGEST_PART].rstrip("._-")


# The operation of the module `record_stream`: record one stream into files with a title, or stop that.

_FORMATS = ["mp4", "ts", "webm"]
_TIME = "${StartTime:YYYYMMDDhhmmss}"
_MOST_MINUTES = (2**31 - 1) // 60_000
"""The server has the interval as milliseconds in 32 bits."""
_OPTIONS = {"stream.name": "stream", "file_path": "directory"}
"""The options from which those of the recording are made."""
_RECORDING = "recording"
_STATUS = "status"


class RecordStream(OneStream):
    """The operation of the module `record_stream`."""

    manager = Record
    reader = RecordInfo
    masked_results = ("diff", "record")

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        return {
            "id": TEXT,
            "title": {"type": "str", "default": ""},
            "format": {"type": "str", "choices": _FORMATS, "default": _FORMATS[0]},
            "directory": {"type": "str", "default": "/${VirtualHost}/${Application}"},
            "interval_minutes": {"type": "int", "default": 0},
            "schedule": {"type": "str", "default": ""},
        }

    def check(self) -> None:
        super().check()
        self._check_own()
        try:
            with renaming({"interval": "interval_minutes"}):
                self.managing(self._recording()).check()
        except BadInput as error:
            raise self._named(error) from None

    def _check_own(self) -> None:
        if self.params["state"] == STOPPED:
            return
        if not 0 <= self.params["interval_minutes"] <= _MOST_MINUTES:
            expected = f"expected a whole number from 0 to {_MOST_MINUTES}, got {self.params['interval_minutes']}"
            raise BadInput("interval_minutes", expected)
        if not self.params["directory"]:
            raise BadInput("directory", "expected an absolute path on the media server, got an empty text")
        title = self.params["title"]
        if title.strip() and not safe_part(title):
            expected = f"expected a letter from a to z or a digit for the name of the file, got {title!r}"
            raise BadInput("title", expected)

    def _named(self, error: BadInput) -> BadInput:
        """Return an error about an option of the recording as one about the option from which it is made."""
        stream = self.params["stream"]
        if error.option == "id" and not self.params["id"]:
            return BadInput("stream", f"{addressable(stream)}, got {stream!r}; or specify id")
        return BadInput(_OPTIONS.get(error.option, error.option), error.expected)

    def _recording(self) -> dict[str, t.Any]:
        """Return the recording, as the module `record` takes it."""
        stream = self.params["stream"]
        found = {"vhost": self.params["vhost"], "app": self.params["app"], "id": _id_of(self.params)}
        if self.params["state"] == STOPPED:
            return found
        parts = (safe_part(stream), safe_part(self.params["title"]), _TIME)
        name = f"{'_'.join(filter(None, parts))}.{self.params['format']}"
        return {
            **found,
            "stream": {"name": stream},
            "file_path": f"{self.params['directory'].rstrip('/')}/{name}",
            "interval": self.params["interval_minutes"] * 60_000,
            "schedule": self.params["schedule"],
        }

    def run(self, api: Api, context: Context) -> Result:
        recording = self._recording()
        # One that has been stopped is no longer listed, so that its bytes and time are read before.
        before = self.current(api, context, recording["id"])
        self._refuse_foreign(before[RecordInfo.result_key], recording["id"])
        result = self.managing(recording).run(api, context)
        result[_STATUS] = before[_STATUS] if self.params["state"] == STOPPED else ()
        if self.params["state"] != STOPPED and not context.check_mode and not result.get("failed"):
            # If the name of its file cannot be read, the summary has the path with macros.
            try:
                result[_STATUS] = self.current(api, context, recording["id"])[_STATUS]
            except OmeError as error:
                context.warn(str(error))
        result = self.summed_up(self.params, result, check_mode=context.check_mode)
        del result[_STATUS]
        return result

    def _refuse_foreign(self, records: t.Iterable[Params], record_id: str) -> None:
        """Raise Refusal if another stream has the recording."""
        stream = self.params["stream"]
        others = [one["stream"]["name"] for one in records if one["stream"]["name"] != stream]
        if others:
            raise Refusal(
                f"record the stream {stream}",
                f"The recording {record_id} belongs to the stream {others[0]}, not to {stream}. "
                "Specify that stream, or another id.",
            )

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        read: Params = next(iter(result.get(_STATUS, ())), {})
        action = result.get("action", "")
        specified = (result.get("record") or {}).get("file_path") if action != STOPPED else ""
        found = {
            "id": _id_of(params),
            "action": action,
            "state": result.get("state", ""),
            "file_path": read.get("output_file_path") or specified or "",
            "files": (read.get("sequence") or 0) + (read.get("state") == _RECORDING),
            "bytes": read.get("total_record_bytes") or 0,
            "seconds": (read.get("total_record_time") or 0) / 1000,
        }
        return {**found, "line": _text(found) if action else ended}


def _id_of(params: Params) -> str:
    return str(params.get("id") or f"{params['stream']}-recording")


def _text(summary: Params) -> str:
    """Return what was done, as text."""
    action, path = summary["action"], summary["file_path"]
    if action == STOPPED:
        return f"{summary['id']} {action}, {_recorded(summary)}"
    state = f" ({summary['state']})" if summary["state"] else ""
    return f"{summary['id']} {action}{state}" + (f", file {path}" if path else "")


def _recorded(summary: Params) -> str:
    """Return what a recording has written, as text."""
    if not summary["bytes"]:
        return "nothing was recorded"
    count = summary["files"]
    where = f"file {summary['file_path']}" if count < 2 else f"{count} files, the last one {summary['file_path']}"
    minutes, seconds = divmod(int(summary["seconds"]), 60)
    return f"{where}, {summary['bytes']} bytes, {minutes // 60}:{minutes % 60:02}:{seconds:02}"


# The push tasks of one stream to chosen platforms, and their IDs.

ALL = "all"
"""Stands for all known platforms. No platform can have this name."""
_DOT = re.compile(r"\.(?![A-Za-z0-9]|$)")
"""Dots that could be read as the begin of a code."""
Task = dict[str, t.Any]


class Plan(t.NamedTuple):
    """What is to be done for a stream."""

    tasks: list[Task]
    """The push tasks, as the module `push_tasks` takes them; empty if there are problems. With ``stopped``, a platform
    can have two, one of them with an ID of a release before 3.0.0.
    """
    platforms: list[str]
    """The name of the platform of each push task."""
    problems: list[str]
    """Of the options, all of them, as sentences without secrets."""


def plan(params: Params, current: t.Iterable[Params]) -> Plan:
    """Return the push tasks of the chosen platforms.

    :param params: the options of the module `restream`.
    :param current: the push tasks of the application, as the module `push_task_info` returns them. A push task of this
        stream keeps the ID that releases before 3.0.0 gave it, and one of another stream is a problem.
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
    unambiguous. Without hyphens in the names, it is the ID of releases before 3.0.0.
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
        PUSH_TASKS.validate(task, "", complete=state == STARTED)
    except BadInput as error:
        option, expected = f"{place}.{error.option.rpartition('.')[2]}", error.expected
        if error.option == "id" and not own_id:  # made from the names of stream and platform
            option = f"{place}.name" if is_addressable(stream) else "stream"
            got = name if is_addressable(stream) else stream
            expected = f"{addressable(got)}, got {got!r}; or give the platform an id"
        return [str(BadInput(option, expected).within(f"{place} ({name})"))]
    return []


# The operation of the module `restream`: push one stream to chosen platforms, or stop that.

_DESTINATION = {option: PUSH_TASK.fields[option].spec() for option in ("url", "protocol", "stream_key")}
_PLATFORM: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    **_DESTINATION,
    "variant_names": {"type": "list", "elements": "str"},
    "id": TEXT,
}
_PLATFORMS = "platforms"


class Restream(OneStream):
    """The operation of the module `restream`."""

    manager = PushTaskList
    reader = PushTaskInfo

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        return {
            _PLATFORMS: list_of(_PLATFORM),
            "chosen": {"type": "list", "elements": "str", "required": True},
            "stream_keys": {"type": "dict", "no_log": True},
            "stream_keys_file": {"type": "path", "no_log": False},
        }

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(*map(str, (self.params["stream_keys"] or {}).values()))
        for platform in self.params[_PLATFORMS]:
            specified = {option: platform[option] for option in _DESTINATION if platform[option] is not None}
            PUSH_TASK.collect_secrets(specified, secrets)

    def check(self) -> None:
        super().check()
        for name, key in (self.params["stream_keys"] or {}).items():
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                raise BadInput("stream_keys", f"expected a text for the platform {name}")
        self.managing({str(PushTaskList.entries): self._plan(()).tasks}).check()

    def run(self, api: Api, context: Context) -> Result:
        planned = self._plan(self.current(api, context)[PushTaskInfo.result_key])
        result = self.managing({str(PushTaskList.entries): planned.tasks}).run(api, context)
        result[_PLATFORMS] = planned.platforms
        return self.summed_up(self.params, result, check_mode=context.check_mode)

    def _plan(self, current: t.Iterable[Params]) -> Plan:
        """Return the plan. Raises Refusal with all problems that it has."""
        found = plan(self.params, current)
        if found.problems:
            raise Refusal(f"push the stream {self.params['stream']}", shortened(" ".join(found.problems)))
        return found

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        entries = dict(zip(result.get(_PLATFORMS, ()), result.get("results", ())))
        actions = {name: entry["action"] for name, entry in entries.items()}
        states = {name: entry.get("state", "") for name, entry in entries.items()}
        texts = [
            f"{name} {action}" + (f" ({states[name]})" if states[name] and action != STOPPED else "")
            for name, action in actions.items()
        ]
        return {_PLATFORMS: actions, "states": states, "line": ", ".join(texts) or ended}
