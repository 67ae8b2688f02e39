# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HLS dumps: fields and rules (server-facts: HLS dumps)."""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import String
from .._schema.string_lists import StringSet


def _directory(value: str) -> str:
    """Return a path without trailing slashes, which do not matter."""
    return value.rstrip("/") or value


HLS_DUMP = Object(
    "hls_dump",
    fields=[
        *(String(option, required=True, check=checks.addressable) for option in ("vhost", "app", "stream", "id")),
        String("output_stream_name", "outputStreamName", check=checks.one_line),
        String("output_path", "outputPath", normalizer=_directory, check=checks.absolute_path),
        StringSet("playlist", check=checks.one_line),
        String("info_file", "infoFile", check=checks.absolute_path),
        String("user_data", "userData", secret=True, check=checks.one_line),
    ],
)
_IN_PATH = ("vhost", "app", "stream")


class Key(t.NamedTuple):
    """The identity of a dump: IDs are unique within an output stream."""

    vhost: str
    app: str
    stream: str
    output: str
    id: str

    def __str__(self) -> str:
        return "/".join((self.vhost, self.app, self.stream, self.id))

    @property
    def label(self) -> dict[str, str]:
        """The key in results."""
        return {"vhost": self.vhost, "app": self.app, "stream": self.stream, "id": self.id}


def key_of(dump: t.Mapping[str, t.Any]) -> Key:
    """Return the key of a dump (specified form); by default the output has the name of the stream."""
    output = dump.get("output_stream_name") or dump["stream"]
    return Key(dump["vhost"], dump["app"], dump["stream"], output, dump["id"])


def validate(dump: t.Mapping[str, t.Any], *, started: bool) -> None:
    """Raise BadInput for an invalid dump (specified form); ``started`` requires what a start needs."""
    HLS_DUMP.validate(dump, "")
    if started and "output_path" not in dump:
        raise BadInput("output_path", "is required if state is started")
    if "user_data" in dump and "info_file" not in dump and started:
        raise BadInput("info_file", "is required if user_data is set, because the server writes user_data into it")


def from_wire(raw: t.Mapping[str, t.Any], key: Key) -> dict[str, t.Any]:
    """Return a dump of wire form in option form."""
    return {**HLS_DUMP.from_wire(raw), **key.label}


def start_request(dump: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the body that starts a dump; the path has virtual host, application and stream."""
    body: dict[str, t.Any] = HLS_DUMP.to_wire({key: value for key, value in dump.items() if key not in _IN_PATH})
    return {**body, "outputStreamName": key_of(dump).output}


def is_running(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether a dump runs; a stopped one stays listed as disabled."""
    return str(raw.get("enabled", False)).lower() == "true"
