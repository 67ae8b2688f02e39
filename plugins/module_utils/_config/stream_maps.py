# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stream maps: the push tasks and recordings that the server starts with each stream of an application.

The server reads a map whenever a stream starts (server-facts: What survives a restart). It takes an entry only with
`<Enable>true</Enable>`, the name of a stream can have `*` and `?`, and elements that it does not know are ignored
[read]. This file does the same.
"""

from __future__ import annotations

import posixpath
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._resources.job import JobKind
from .._resources.push_task import PUSH_TASKS
from .._resources.record import RECORDS, RULES
from .._schema.fields import Field
from .._schema.objects import Object, ObjectList
from .._schema.scalars import String
from . import xml_reader, xml_writer

_ENABLED = "true"


class StreamMap:
    """One kind of stream map."""

    def __init__(
        self, root: str, entry: str, file: str, publisher: str, kind: JobKind, xml: t.Mapping[str, str]
    ) -> None:
        """Declare it: elements, name of the file, publisher with the map, jobs, and the elements of their options."""
        self.root = root
        self.entry = entry
        self.file = file
        self.publisher = publisher
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
        self.declaration = Object(file, fields=[self._entries])

    def path(self, vhost: str, app: str) -> str:
        """Return the path of the map of an application, relative to the configuration directory."""
        return posixpath.join("maps", vhost, app, self.file)

    def render(self, jobs: t.Sequence[t.Mapping[str, t.Any]], path: str) -> str:
        """Return the text of the map of one application; ``path`` is the full path of the option with the jobs."""
        return xml_writer.text(xml_writer.element(self.declaration, self.entries(jobs, path), self.root, path))

    def entries(self, jobs: t.Sequence[t.Mapping[str, t.Any]], path: str) -> dict[str, t.Any]:
        """Return the map of one application in the form of ``declaration``, as for a diff."""
        return {"entries": [self._entry(job, f"{path}[{index}]") for index, job in enumerate(jobs)]}

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
        return (entry.findtext("Enable") or "") == _ENABLED

    def read(self, text: str | bytes, name: str, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return the jobs of the map ``name`` of an application in option form; entries that are off are omitted.

        The server gives each job an ID of its own, so that maps need none; an entry without one gets one here.
        """
        root = xml_reader.parse(text, name)
        if root.tag != self.root:
            raise xml_reader.at(root, f"expected the element {self.root}, got {root.tag}")
        known = {field.xml for field in self._entries.element.fields.values()}
        for entry in root:
            entry[:] = [child for child in entry if child.tag in known]
        root[:] = [entry for entry in root if entry.tag == self._entries.xml]
        entries = xml_reader.value(self.declaration, root).get("entries", [])
        used = {entry.get("id") for entry in entries}
        jobs = []
        for index, entry in enumerate(entries):
            if entry.get("enable") == _ENABLED:
                names = [name.strip() for name in entry.get("variant_names", "").split(",") if name.strip()]
                job = {option: entry[option] for option in self.options if entry.get(option, "") != ""}
                jobs.append(
                    {
                        "vhost": vhost,
                        "app": app,
                        "id": entry.get("id") or _unused(f"map-{index + 1}", used),
                        "stream": {"name": entry.get("stream_name", ""), "variant_names": names},
                        **self.kind.empty,
                        **job,
                    }
                )
        return jobs


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
    "push_map.xml",
    "push",
    PUSH_TASKS,
    {"protocol": "Protocol", "url": "Url", "stream_key": "StreamKey"},
)
RECORD_MAP = StreamMap(
    "RecordInfo",
    "Record",
    "record_map.xml",
    "file",
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
