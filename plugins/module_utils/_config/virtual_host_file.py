# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of one virtual host with its applications: `VHost_<name>.xml`.

Server.xml takes such files with `<VirtualHost include="VHost*.xml"/>` (server-facts: What survives a restart).
"""

from __future__ import annotations

import posixpath
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._resources import application, virtual_host
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from . import xml_reader, xml_writer

TAG = "VirtualHost"
PREFIX, SUFFIX = "VHost_", ".xml"
_COPIED = "x" * 255
_LONGEST_NAME = 255 - len(PREFIX) - len(SUFFIX)  # characters; file systems take names of 255

VIRTUAL_HOST_FILE = Object(
    "vhost",
    fields=[
        *virtual_host.VIRTUAL_HOST.fields.values(),
        ObjectList(
            "applications",
            xml="Applications/Application",
            identity="name",
            extra=True,
            fields=[
                field for option, field in application.APPLICATION.fields.items() if option not in ("vhost", EXTRA)
            ],
        ),
    ],
)
"""A virtual host with its applications; the option form is that of an entry of `vhosts`."""


def file_name(name: str) -> str:
    """Return the name of the file of a virtual host."""
    if len(name) > _LONGEST_NAME:
        raise BadInput("name", f"expected at most {_LONGEST_NAME} characters for a virtual host with a file of its own")
    return f"{PREFIX}{name}{SUFFIX}"


def validate(vhost: t.Mapping[str, t.Any], path: str) -> None:
    """Raise BadInput for a virtual host (specified form) with which the server would not start.

    ``path`` is the full path of its option.
    """
    prefix = f"{path}." if path else ""
    inside = {option: value for option, value in vhost.items() if option != "applications"}
    virtual_host.validate(inside, path, present=True)
    file_name(vhost["name"])
    # The API cannot address an application `*`: the server copies it for streams that it pulls [read].
    apps = [{**app, "name": _COPIED} if app.get("name") == "*" else app for app in vhost.get("applications", [])]
    VIRTUAL_HOST_FILE.fields["applications"].validate(apps, f"{prefix}applications")
    for index, app in enumerate(apps):
        inner = f"{prefix}applications[{index}]"
        if "name" not in app:
            raise BadInput(f"{inner}.name", "is required")
        application.validate({**app, "vhost": vhost["name"]}, inner)
        missing = application.incomplete(app)
        if missing:
            option, _colon, expected = missing.partition(": ")
            raise BadInput(f"{inner}.{option}", expected)


def with_absolute_paths(vhost: t.Mapping[str, t.Any], directory: str) -> dict[str, t.Any]:
    """Return a virtual host (option form) with absolute paths of its certificates.

    In a configuration file they are relative to its ``directory``, as the server sees it [read]; in a request of the
    API they are relative to `/`.
    """
    host = dict(vhost.get("host", {}))
    if "tls" not in host:
        return dict(vhost)
    paths = {
        option: posixpath.join(directory, path) if path and not path.startswith(("/", "${")) else path
        for option, path in host["tls"].items()
    }
    paths = {option: path if "${" in path else posixpath.normpath(path) for option, path in paths.items() if path}
    return {**vhost, "host": {**host, "tls": paths}}


def element(vhost: t.Mapping[str, t.Any], path: str = "") -> ElementTree.Element:
    """Return the element of a virtual host (option form, with `applications`)."""
    complete = dict(vhost)
    if vhost.get("applications") is not None:
        # The server requires a type.
        complete["applications"] = [{"type": application.TYPES[0], **app} for app in vhost["applications"]]
    return xml_writer.element(VIRTUAL_HOST_FILE, complete, TAG, path)


def render(vhost: t.Mapping[str, t.Any], path: str = "") -> str:
    """Return the text of the file of a virtual host (option form, with `applications`)."""
    return xml_writer.text(element(vhost, path))


def equal(one: t.Mapping[str, t.Any], other: t.Mapping[str, t.Any]) -> bool:
    """Return whether the files of two virtual hosts (option form) have the same text.

    That is to say, the same meaning apart from specified defaults: what a file cannot tell apart, such as an empty list
    of `extra` and none, is no difference.
    """
    return render(one) == render(other)


def value(root: ElementTree.Element) -> dict[str, t.Any]:
    """Return the virtual host of an element in option form, with `applications`."""
    if root.tag != TAG:
        raise xml_reader.at(root, f"expected the element {TAG}, got {root.tag}")
    vhost = xml_reader.value(VIRTUAL_HOST_FILE, root)
    for app in vhost.get("applications", []):
        for option in ("providers", "publishers"):
            if app.get(option) == {}:  # Equal to an absent one, and invalid as an option.
                del app[option]
    return vhost


def read(text: str | bytes, name: str) -> dict[str, t.Any]:
    """Return the virtual host of the file ``name`` in option form, with `applications`."""
    return value(xml_reader.parse(text, name))
