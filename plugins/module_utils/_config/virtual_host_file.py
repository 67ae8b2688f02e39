# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of one virtual host with its applications: `VHost_<name>.xml`.

Server.xml takes such files with `<VirtualHost include="VHost*.xml"/>` (server-facts: What survives a restart).
"""

from __future__ import annotations

import contextlib
import posixpath
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .._core.macros import has_macro
from .._core.server_version import Version
from .._resources import application, refusals, virtual_host
from .._resources.application import APPLICATIONS
from .._resources.virtual_host import VIRTUAL_HOSTS
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from .._schema.option_forms import with_macros
from . import document, editor, option_xml
from .document import Element
from .editor import Edited, Editor

TAG = "VirtualHost"
PREFIX, SUFFIX = "VHost_", ".xml"
_EMPTY = ("providers", "publishers")
"""Objects of applications that are equal to an absent one if they are empty, and invalid as options then."""
_LONGEST_NAME = 255 - len(PREFIX) - len(SUFFIX)  # characters; file systems take names of 255

VIRTUAL_HOST_FILE = with_macros(
    Object(
        "vhost",
        fields=[
            *virtual_host.VIRTUAL_HOST.fields.values(),
            ObjectList(
                "applications",
                xml="Applications/Application",
                identity="name",
                extra=True,
                shorthands=list(application.APPLICATION.shorthands.values()),
                fields=[
                    field for option, field in application.APPLICATION.fields.items() if option not in ("vhost", EXTRA)
                ],
            ),
        ],
    )
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
    VIRTUAL_HOSTS.validate(inside, path, complete=True)
    file_name(vhost["name"])
    # The API cannot address an application `*`, which the server copies for streams that it pulls, nor one whose name
    # is a macro [read]. Each has a stand-in here that is as long as any name.
    listed = vhost.get("applications", [])
    unaddressable = {name for name in (app.get("name") for app in listed) if name == "*" or has_macro(name)}
    stand_ins = {name: str(number).rjust(255, "x") for number, name in enumerate(sorted(unaddressable))}
    apps = [{**app, "name": stand_ins.get(app.get("name"), app["name"])} if "name" in app else app for app in listed]
    VIRTUAL_HOST_FILE.fields["applications"].validate(apps, f"{prefix}applications")
    for index, app in enumerate(apps):
        inner = f"{prefix}applications[{index}]"
        if "name" not in app:
            raise BadInput(f"{inner}.name", "is required")
        APPLICATIONS.validate({**app, "vhost": vhost["name"]}, inner, complete=True)
        application.check_values(app, inner)


def check_values(
    vhost: t.Mapping[str, t.Any], path: str, version: Version, paths: t.Mapping[str, str] | None = None
) -> None:
    """Raise BadInput for a value with which the version does not start (option form, with `applications`).

    ``paths`` are those of applications that are not below ``path``, by name.
    """
    virtual_host.check_values(vhost, path, version)
    for index, app in enumerate(vhost.get("applications", [])):
        inner = (paths or {}).get(app.get("name", ""), refusals.joined(path, f"applications[{index}]"))
        application.check_values(app, inner, version)


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


def new(vhost: t.Mapping[str, t.Any], path: str = "", name: str = "") -> Edited:
    """Return the new file of a virtual host (option form, with `applications`)."""
    return editor.new(VIRTUAL_HOST_FILE, _complete(vhost), TAG, path, name=name)


def render(vhost: t.Mapping[str, t.Any], path: str = "") -> str:
    """Return the text of the new file of a virtual host (option form, with `applications`)."""
    return new(vhost, path).after.decode("utf-8")


def edit(one: Editor, root: Element, vhost: t.Mapping[str, t.Any], path: str = "", *, directory: str = "") -> None:
    """Make the element of a virtual host mean ``vhost`` (option form, with `applications`).

    A path of a certificate that is relative to ``directory`` stays if it is the same file.
    """
    complete, current = _complete(vhost), {}
    with contextlib.suppress(BadInput):  # Then there is something to remove.
        current = option_xml.value(VIRTUAL_HOST_FILE, root)
    if directory:
        wanted, present = (_certificates(with_absolute_paths(one, directory)) for one in (complete, current))
        kept = {
            option: path for option, path in _certificates(current).items() if wanted.get(option) == present[option]
        }
        if kept:
            complete["host"] = {**complete["host"], "tls": {**_certificates(complete), **kept}}
    apps = {app.get("name"): app for app in reversed(current.get("applications", []))}
    for app in complete.get("applications", []):
        for option in _EMPTY:
            if apps.get(app["name"], {}).get(option) == {}:
                app.setdefault(option, {})
    one.set(VIRTUAL_HOST_FILE, root, complete, path)


def _certificates(vhost: t.Mapping[str, t.Any]) -> dict[str, str]:
    return {option: path for option, path in vhost.get("host", {}).get("tls", {}).items() if path}


def _complete(vhost: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return a virtual host with what its file has to have: the server requires a type of applications."""
    apps = vhost.get("applications")
    added = {} if apps is None else {"applications": [{"type": application.TYPES[0], **app} for app in apps]}
    return {**vhost, **added}


def name_of(root: ElementTree.Element) -> str:
    """Return the name of the virtual host of an element; empty without one."""
    names = option_xml.kept(root, "Name")
    return (names[0].text or "").strip() if names else ""


def value(root: ElementTree.Element) -> dict[str, t.Any]:
    """Return the virtual host of an element in option form, with `applications`."""
    vhost = option_xml.value(VIRTUAL_HOST_FILE, root)
    for app in vhost.get("applications", []):
        for option in _EMPTY:
            if app.get(option) == {}:
                del app[option]
    return vhost


def read(text: str | bytes, name: str) -> dict[str, t.Any]:
    """Return the virtual host of the file ``name`` in option form, with `applications`."""
    return value(document.parse(text, name).root_of(TAG))
