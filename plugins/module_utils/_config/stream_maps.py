# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stream maps: the push tasks and recordings that the server starts with each stream of an application."""

from __future__ import annotations

import posixpath
import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.server_version import UNKNOWN
from .._resources import application
from .._resources.jobs import PUSH_TASKS, RECORDS, RULES, JobKind, id_of, is_of_configuration
from .._resources.kind import Key, Raw, Scope
from .._schema.fields import Difference, Field, String
from .._schema.objects import Object, ObjectList
from . import document, editor, option_xml
from .document import Element
from .editor import Edited, Editor

# Jobs that the server starts by a stream map: which specified job each of them is.
#
# They have random ids (server-facts: What survives a restart). A push task is recognized by its stream and its
# destination, a recording by its stream and the path of its file.

Value = t.Mapping[str, t.Any]

_SOURCE = "${SourceStream}"


class Mapped(t.NamedTuple):
    """A job that the server's configuration has started, in wire form and in option form."""

    raw: Raw
    job: dict[str, t.Any]

    @property
    def server_id(self) -> str:
        """The id that the server has given it."""
        return id_of(self.raw)


def map_path(kind: JobKind, raw: t.Mapping[str, t.Any], scope: Scope) -> str | None:
    """Return the path of the stream map that a running application (wire form) reads; None if it reads none."""
    app = application.from_wire(raw, scope[0])
    named = ((app.get("publishers") or {}).get(kind.map_publisher) or {}).get("stream_map") or {}
    return str(named["path"]) if str(named.get("enable")).lower() == "true" and named.get("path") else None


def durable_path(kind: JobKind, vhost: str, app: str) -> str:
    """Return the path of the map that this collection writes, relative to the configuration directory."""
    return posixpath.join("maps", vhost, app, kind.map_file)


def is_durable_path(kind: JobKind, path: str, scope: Scope) -> bool:
    """Return whether a stream map is where this collection writes it."""
    usual = durable_path(kind, *scope)
    return path == usual or path.endswith(f"/{usual}")


def is_same_job(kind: JobKind, specified: Value, running: Value) -> bool:
    """Return whether a job (option form, as it runs) is what the server makes of a specified one, or of an entry."""
    is_recognized = takes_stream(_stream_of(specified), _stream_of(running)) and all(
        _is_value(kind.declaration.fields[option], specified.get(option, ""), running, option)
        for option in kind.identity
    )
    # Recordings without a path have a file each, so that several of one stream can run: their settings tell them apart.
    return is_recognized and bool(specified.get(kind.destination) or not settings_differ(kind, specified, running))


def of_configuration(kind: JobKind, jobs: t.Iterable[Raw], scope: Scope) -> list[Mapped]:
    """Return the jobs of an application that the server's configuration has started."""
    return [Mapped(raw, kind.from_wire(raw, Key(*scope))) for raw in jobs if is_of_configuration(raw)]


def started_by(kind: JobKind, specified: Value, configured: t.Iterable[Mapped]) -> list[Mapped]:
    """Return the jobs of the configuration of an application that its stream map has started from what is specified."""
    return [one for one in configured if is_same_job(kind, specified, one.job)]


def settings_differ(kind: JobKind, specified: Value, running: Value) -> list[Difference]:
    """Return the differences in what a job is not recognized by, such as the tracks of a push task."""
    ignored = ("id", *kind.identity)
    compared = {option: value for option, value in specified.items() if option not in ignored}
    stream = {option: value for option, value in compared.get("stream", {}).items() if option != "name"}
    return list(kind.declaration.difference({**compared, "stream": stream}, running))


def same_destination(kind: JobKind, specified: Value, running: Value) -> bool:
    """Return whether a job of another stream goes where a specified one goes."""
    if is_same_job(kind, specified, running) or not specified.get(kind.destination):
        return False
    texts = [str(specified.get(option, "")) for option in kind.identity]
    if any("${" in text for text in texts):
        return False
    return is_same_job(kind, {**specified, "stream": running.get("stream", {})}, running)


def entries_of(kind: JobKind, entries: t.Sequence[Value], jobs: t.Sequence[Raw], scope: Scope) -> dict[str, Value]:
    """Return the entries of a stream map by the ids of the jobs (wire form) that the server has started from them.

    An entry for the streams of a pattern is no job, and an id that would name several jobs names none.
    """
    found: dict[str, Value] = {}
    names = [id_of(raw) for raw in jobs]
    for one in of_configuration(kind, jobs, scope):
        entry = next((entry for entry in entries if is_same_job(kind, entry, one.job)), None)
        if entry is not None and not set("*?$") & set(_stream_of(entry)):
            found[one.server_id] = entry
            names.append(entry["id"])
    return {server_id: entry for server_id, entry in found.items() if names.count(entry["id"]) == 1}


def _stream_of(job: Value) -> str:
    stream = job.get("stream")
    return str(stream.get("name", "")) if isinstance(stream, dict) else ""


def takes_stream(pattern: str, name: str) -> bool:
    """Return whether the server starts an entry for a stream; `*` and `?` are wildcards [read]."""
    if pattern == name or not set("*?$") & set(pattern):
        return pattern == name
    expression = re.escape(pattern).replace(re.escape(_SOURCE), ".*").replace(r"\*", ".*").replace(r"\?", ".?")
    return re.fullmatch(expression, name, re.DOTALL) is not None


def _is_value(field: Field, value: t.Any, running: Value, option: str) -> bool:
    """Return whether an option of a job that runs is the specified value, with or without macros replaced.

    The server replaces macros in the destination of a push task, and keeps them in the path of a recording.
    """
    current = running.get(option, "")
    if field.equal(value, current) or not isinstance(value, str) or "${" not in value:
        return bool(field.equal(value, current))
    macros = {"${Application}": re.escape(str(running["app"])), "${Stream}": re.escape(_stream_of(running))}
    expression = re.escape(str(field.normalize(value)))
    for macro, text in {**macros, _SOURCE: ".*"}.items():  # No job says which input its stream comes from.
        expression = expression.replace(re.escape(macro), text)
    return re.fullmatch(expression, str(field.normalize(current)), re.DOTALL) is not None


# Stream maps: the push tasks and recordings that the server starts with each stream of an application.
#
# The server reads a map whenever a stream starts (server-facts: What survives a restart). It takes an entry only with
# `<Enable>true</Enable>`, the name of a stream can have `*` and `?`, and elements that it does not know are ignored
# [read]. This file does the same.

_ENABLED = "true"


class StreamMap:
    """One kind of stream map."""

    def __init__(self, root: str, entry: str, kind: JobKind, xml: t.Mapping[str, str]) -> None:
        """Declare it: elements, jobs, and the elements of their options."""
        self.root = root
        self.entry = entry
        self.file = kind.map_file
        self.publisher = kind.map_publisher
        self.kind = kind
        fields: list[Field] = [
            String("enable"),
            String("id"),
            String("stream_name"),
            String("variant_names"),
            *(_renamed(kind.declaration.fields[option], name) for option, name in xml.items()),
        ]
        self.options = tuple(xml)
        self._entries = ObjectList("entries", xml=entry, identity="id", fields=fields)
        self._known = {field.xml for field in fields}
        self.declaration = Object(kind.map_file, fields=[self._entries])

    @property
    def entry_declaration(self) -> Object:
        """Return the declaration of one entry."""
        return self._entries.element

    def path(self, vhost: str, app: str) -> str:
        """Return the path of the map of an application, relative to the configuration directory."""
        return durable_path(self.kind, vhost, app)

    def new(self, jobs: t.Sequence[t.Mapping[str, t.Any]], path: str, name: str = "") -> Edited:
        """Return the new map of one application; ``path`` is the full path of the option with the jobs."""
        entries = [self._entry(job, f"{path}[{index}]") for index, job in enumerate(jobs)]
        return editor.new(self.declaration, {"entries": entries}, self.root, path, name=name)

    def render(self, jobs: t.Sequence[t.Mapping[str, t.Any]], path: str) -> str:
        """Return the text of the new map of one application; ``path`` is the full path of the option with the jobs."""
        return self.new(jobs, path).after.decode("utf-8")

    def edit(
        self, one: Editor, root: Element, jobs: t.Sequence[t.Mapping[str, t.Any]], scope: tuple[str, str], path: str
    ) -> None:
        """Make a map start the jobs of the application ``scope``: virtual host and name.

        Entries that are off stay, and so does what the server does not know. Of two entries with one ID, the first
        counts and the other one stays, too.
        """
        wanted = {job["id"]: (job, f"{path}[{index}]") for index, job in enumerate(jobs)}
        left = dict(wanted)
        for element, current in self.jobs_of(root, *scope):
            if current["id"] in left:
                self._edit_entry(one, element, current, *left.pop(current["id"]))
            elif current["id"] not in wanted:
                one.remove(element)
        entries = t.cast("list[Element]", option_xml.kept(root, self.entry))
        behind = entries[-1] if entries else None
        for job, inner in left.values():
            one.add(self._entries.element, root, self.entry, self._entry(job, inner), behind, inner)

    def _edit_entry(
        self,
        one: Editor,
        element: Element,
        current: t.Mapping[str, t.Any],
        job: t.Mapping[str, t.Any],
        path: str,
    ) -> None:
        before, after, raw = self._entry(current, path), self._entry(job, path), self._values(element)
        same = {option for option in self._entries.element.fields if before.get(option) == after.get(option)}
        value = {option: item for option, item in after.items() if option not in same}
        value.update((option, item) for option, item in raw.items() if option in same)
        apart = {child.tag for child in element} - self._known
        one.set(self._entries.element, element, value, path, apart=apart)

    def check(self, job: t.Mapping[str, t.Any], path: str) -> None:
        """Raise BadInput for what a map cannot hold; ``path`` is the full path of the job."""
        option_xml.element(self._entries.element, self._entry(job, path), self._entries.xml, path)

    def _entry(self, job: t.Mapping[str, t.Any], path: str) -> dict[str, t.Any]:
        stream = job.get("stream") or {}
        if not stream.get("name"):
            raise BadInput(f"{path}.stream.name", "is required for a stream map")
        if set("()") & set(stream["name"]):
            # The server escapes what has a meaning in regular expressions, but not these.
            raise BadInput(
                f"{path}.stream.name",
                f"expected a name without parentheses, which match nothing in a stream map, got {stream['name']!r}",
            )
        names = stream.get("variant_names") or []
        for index, name in enumerate(names):
            if "," in name or name != name.strip():
                raise BadInput(
                    f"{path}.stream.variant_names[{index}]",
                    f"expected a name without commas and outer blanks, which a stream map cannot hold, got {name!r}",
                )
        empty = self.kind.empty
        given = {option: job[option] for option in self.options if job.get(option) not in (None, "", empty.get(option))}
        if "segmentation_rule" in self.options:  # Without a rule, the server has none.
            given["segmentation_rule"] = job.get("segmentation_rule") or RULES[0]
        return {
            "enable": _ENABLED,
            "id": job["id"],
            "stream_name": stream["name"],
            **({"variant_names": ",".join(sorted(set(names)))} if names else {}),
            **given,
        }

    @staticmethod
    def is_on(entry: ElementTree.Element) -> bool:
        """Return whether the server uses an entry."""
        found = option_xml.kept(entry, "Enable")
        return bool(found) and found[0].text == _ENABLED

    def read(self, text: str | bytes, name: str, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return the jobs of the map ``name`` of an application in option form; entries that are off are omitted."""
        return [job for _element, job in self.jobs_of(document.parse(text, name).root_of(self.root), vhost, app)]

    def jobs_of(self, root: Element, vhost: str, app: str) -> list[tuple[Element, dict[str, t.Any]]]:
        """Return the entries of a map that are on, each with its job in option form.

        The server gives each job an ID of its own, so that maps need none; an entry without one gets one here.
        """
        entries = [(entry, self._values(entry)) for entry in option_xml.kept(root, self.entry)]
        used = {value.get("id") for _entry, value in entries}
        jobs = []
        for index, (element, entry) in enumerate(entries):
            if entry.get("enable") == _ENABLED:
                names = [name.strip() for name in entry.get("variant_names", "").split(",") if name.strip()]
                job = {option: entry[option] for option in self.options if entry.get(option, "") != ""}
                made = {
                    "vhost": vhost,
                    "app": app,
                    "id": entry.get("id") or _unused(f"map-{index + 1}", used),
                    "stream": {"name": entry.get("stream_name", ""), "variant_names": names},
                    **self.kind.empty,
                    **job,
                }
                jobs.append((t.cast(Element, element), made))
        return jobs

    def _values(self, entry: ElementTree.Element) -> dict[str, t.Any]:
        """Return the options that an entry has, without what the server does not know."""
        known = ElementTree.Element(entry.tag)
        known.extend(child for child in entry if child.tag in self._known)
        return option_xml.value(self._entries.element, known)


def _renamed(field: Field, xml: str) -> Field:
    """Return a field with another element."""
    copied = field.at(UNKNOWN)
    copied.xml = xml
    return t.cast(Field, copied)


def _unused(name: str, used: set[t.Any]) -> str:
    """Return the name, with underscores appended until it is unused."""
    while name in used:
        name += "_"
    used.add(name)
    return name


PUSH_MAP = StreamMap(
    "PushInfo",
    "Push",
    PUSH_TASKS,
    {"protocol": "Protocol", "url": "Url", "stream_key": "StreamKey"},
)
RECORD_MAP = StreamMap(
    "RecordInfo",
    "Record",
    RECORDS,
    {
        "file_path": "FilePath",
        "info_path": "InfoPath",
        "interval": "SegmentInterval",
        "schedule": "SegmentSchedule",
        "segmentation_rule": "SegmentRule",
        "metadata": "Metadata",
    },
)
STREAM_MAPS = (PUSH_MAP, RECORD_MAP)


def map_of(kind: JobKind) -> StreamMap:
    """Return the stream map of a kind of job."""
    return next(one for one in STREAM_MAPS if one.kind is kind)
