# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stream maps: the push tasks and recordings that the server starts with each stream of an application.

The server reads a map whenever a stream starts (server-facts: What survives a restart). It takes an entry only with
`<Enable>true</Enable>`, the name of a stream can have `*` and `?`, and elements that it does not know are ignored
[read]. This file does the same.
"""

from __future__ import annotations

import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._resources.job import JobKind
from .._resources.mapped_jobs import durable_path
from .._resources.push_task import PUSH_TASKS
from .._resources.record import RECORDS, RULES
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import String
from . import document, editor, extra_elements, xml_reader, xml_writer
from .editor import Edited, Editor
from .elements import Element

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
        entries = t.cast("list[Element]", extra_elements.kept(root, self.entry))
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
        xml_writer.element(self._entries.element, self._entry(job, path), self._entries.xml, path)

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
        found = extra_elements.kept(entry, "Enable")
        return bool(found) and found[0].text == _ENABLED

    def read(self, text: str | bytes, name: str, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return the jobs of the map ``name`` of an application in option form; entries that are off are omitted."""
        return [job for _element, job in self.jobs_of(document.parse(text, name).root_of(self.root), vhost, app)]

    def jobs_of(self, root: Element, vhost: str, app: str) -> list[tuple[Element, dict[str, t.Any]]]:
        """Return the entries of a map that are on, each with its job in option form.

        The server gives each job an ID of its own, so that maps need none; an entry without one gets one here.
        """
        entries = [(entry, self._values(entry)) for entry in extra_elements.kept(root, self.entry)]
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
        return xml_reader.value(self._entries.element, known)


def _renamed(field: Field, xml: str) -> Field:
    """Return a field with another element."""
    copied = field.at((9999, 0, 0))
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
