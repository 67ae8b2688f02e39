# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Convert the configuration files of a server to variables of the roles `provision` and `server`, as text.

Only the contents of files tell which further files they include. So it is called again, with more contents, until it
needs no more files.
"""

from __future__ import annotations

import base64
import binascii
import posixpath
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.configuration import Used
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import FileTexts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadSyntax
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.importer import Imported, Importer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.macros import has_macro
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import (
    encodable,
    listed,
    shortened,
    with_names,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS, RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import names_a_secret
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import String, Url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._environment_sources import LARGEST, Sources
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._export_variables import Entry, names_of
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._yaml_texts import one_line, plain, to_yaml

_LISTS = {
    "vhosts": "ovenmediaengine_vhosts",
    "push_tasks": "ovenmediaengine_push_tasks",
    "records": "ovenmediaengine_records",
}
READ_BY_SERVER = ("OME_LICENSE_KEY", "OME_DUMP_RTMP")
"""Variables that the server reads without a macro [read]."""
_FIX = "Correct the file."
_FIX_SYNTAX = f"{_FIX} The server cannot read it, either."
_CHECK = (
    "Check that $config_dir is the server's configuration directory on the media server, and that the user of "
    "the task may read its files; become is usually necessary."
)
_JOBS = {"push_tasks": ("push", PUSH_TASKS), "records": ("file", RECORDS)}


class _Settings(Entry):
    """An object that is the value of a variable. It has no name of its own."""

    def __init__(self, group: Object, file: str, value: dict[str, t.Any], key: str) -> None:
        """Create the entry for a file. The names of its secrets begin with ``key``."""
        super().__init__(group, file, value)
        self.key = (key,)
        self.title = file


def _files(contents: t.Any, directory: str, found: t.Any, links: t.Any) -> FileTexts:
    """Return the directory from the results of modules."""
    sizes = {}
    for entry in found:
        if entry.get("isreg"):
            sizes[posixpath.relpath(entry["path"], directory)] = int(entry.get("size", 0))
    texts: dict[str, bytes] = {}
    unreadable: dict[str, str] = {}
    for entry in contents:
        name = entry["item"]
        if entry.get("content") is None:
            unreadable[name] = one_line(entry.get("msg") or "the file could not be read")
        else:
            texts[name] = base64.b64decode(entry["content"], validate=True)
    inside = {posixpath.relpath(link, directory): str(target) for link, target in links.items()}
    return FileTexts(directory, sizes, inside, texts, unreadable)


def _sources(contents: t.Any, path: str) -> Sources:
    """Return what is known of the environment of the server, from the results of modules."""
    texts: dict[str, str | None] = {}
    for entry in contents:
        data = None if entry.get("content") is None else base64.b64decode(entry["content"], validate=True)
        # What a text cannot hold, such as a binary file by mistake, is no name and no value.
        texts[entry["item"]] = None if data is None or len(data) > LARGEST else data.decode("utf-8", "replace")
    sources = Sources(texts)
    if path:
        file, _separator, service = path.partition("#")
        sources.read(file, service)
    return sources


def _environment(used: t.Sequence[Used], values: t.Mapping[str, str], *, show_secrets: bool) -> list[Entry]:
    """Return the values of variables that the server reads, as the value of a variable."""
    secret = {one.name for one in used if one.secret}
    known = [name for name in sorted({one.name for one in used} | set(READ_BY_SERVER)) if name in values]
    if not known:
        return []
    # A field that is a secret has a mask in place of its value, as any other secret has.
    fields = [
        Url(name) if "://" in values[name] else String(name, secret=name in secret or names_a_secret(name))
        for name in known
    ]
    group = Object("environment", fields=fields)
    value = {name: encodable(values[name]) for name in known}
    return [_Settings(group, "server_environment", value if show_secrets else group.mask(value), "environment")]


def _listed(used: t.Sequence[Used], values: t.Mapping[str, str]) -> list[dict[str, t.Any]]:
    """Return the variables of the files with what applies to each, without values."""
    found = []
    for one in used:
        default = f"default {one.default!r}" if one.default is not None else "the host name" if not one.required else ""
        text = "the value is in server_environment" if one.name in values else default or "NO DEFAULT AND NO VALUE"
        if one.name not in values and one.required and default:
            text += ", and no default in another place"
        found.append({"name": one.name, "text": one_line(text), "missing": one.required and one.name not in values})
    return found


def _of_secrets(used: t.Sequence[Used]) -> list[str]:
    """Return a note for secrets that are macros with a default, which is a secret itself."""
    names = [one.name for one in used if one.secret and one.default]
    if not names:
        return []
    text = f"Secrets of the files are macros with a default ({listed(names)})."
    return [f"{text} A variable stands for the whole text of each. Define it as the macro, or as the secret itself."]


def _entries(imported: Imported, *, show_secrets: bool) -> dict[str, list[Entry]]:
    """Return all entries of the variables; the names of their secrets begin with the names of the objects."""

    def shown(declaration: Object, value: dict[str, t.Any]) -> dict[str, t.Any]:
        return value if show_secrets else declaration.mask(value)

    server = shown(SERVER, imported.server)
    api = server.get("managers", {}).get("api", {})
    if has_macro(api.get("access_token")):  # the role server uses it for requests, too, which nobody replaces
        api["access_token"] = MASK
    return {
        "server": [_Settings(SERVER, "Server.xml", server, "server")],
        "logger": [_Settings(LOGGER, "Logger.xml", imported.logger, "logger")] if imported.logger is not None else [],
        "vhosts": [
            Entry(VIRTUAL_HOST_FILE, "virtual host", shown(VIRTUAL_HOST_FILE, vhost)) for vhost in imported.vhosts
        ],
        **{
            name: [Entry(kind.declaration, kind.what, shown(kind.declaration, job)) for job in imported.jobs[publisher]]
            for name, (publisher, kind) in _JOBS.items()
        },
    }


def _variables(imported: Imported, sources: Sources, *, show_secrets: bool) -> dict[str, t.Any]:
    """Return the variables as text, with what belongs to them."""
    kinds = _entries(imported, show_secrets=show_secrets)
    kinds["environment"] = _environment(imported.environment, sources.values, show_secrets=show_secrets)
    everything = [entry for entries in kinds.values() for entry in entries]
    for entry in everything:
        entry.collect()
    names = names_of(secret for entry in everything for secret in entry.secrets)

    def rendered(kind: str) -> list[t.Any]:
        return [entry.rendered(names.__getitem__) for entry in kinds[kind]]

    (server,) = rendered("server")
    token = server.get("managers", {}).get("api", {}).pop("access_token", None)
    return {
        "api_token": "" if token is None else to_yaml({"ovenmediaengine_api_token": token}),
        "server": to_yaml({"server_settings": server}),
        "logger": "".join(to_yaml({"server_logger": value}) for value in rendered("logger")),
        "environment": "".join(to_yaml({"server_environment": value}) for value in rendered("environment")),
        "variables": _listed(imported.environment, sources.values),
        **{kind: to_yaml({variable: rendered(kind)}) for kind, variable in _LISTS.items()},
        "counts": {
            "vhosts": len(imported.vhosts),
            "applications": sum(len(vhost.get("applications", [])) for vhost in imported.vhosts),
            "push_tasks": len(kinds["push_tasks"]),
            "records": len(kinds["records"]),
        },
        "secrets": [
            {"name": names[secret], "where": one_line(secret.where)} for entry in everything for secret in entry.secrets
        ],
        "left_out": [{"what": one_line(one.what), "reason": one_line(one.reason)} for one in imported.unread],
        "extra": [{"what": one_line(one.what), "reason": one_line(one.reason)} for one in imported.extra],
        "notes": [one_line(note) for note in [*imported.notes, *_of_secrets(imported.environment), *sources.notes]],
    }


def import_config(
    contents: t.Any,
    directory: str,
    files: t.Any,
    links: t.Any = None,
    server_directory: str | None = None,
    show_secrets: t.Any = False,
    environment_from: str = "",
    version: str | None = None,
) -> dict[str, t.Any]:
    """Return the configuration files as variables of the roles provision and server.

    :param contents: what was read: ``item``, the path relative to ``directory`` or an absolute one of a file with
        environment variables; and ``content`` in Base64, or ``msg`` about why it could not be read.
    :param directory: the real path of the directory with Server.xml.
    :param files: what is in it: ``path``, ``isreg`` and ``size``. :param links: the real paths behind links, by path.
    :param server_directory: the directory as the server sees it. Relative paths of certificates become absolute with
        it, and paths of stream maps inside of it are read.
    :param environment_from: the absolute path of the file from which the server gets its environment, of a compose
        file also ``#`` and the name of the service.
    :param version: of the server that the variables are for; elements of ``extra`` that it does not know are left out.
    :returns: ``problems`` as sentences, and ``needed``, further files to read. If there are neither: the variables in
        YAML by kind (``api_token``, ``server``, ``environment``, ``logger``, ``vhosts``, ``push_tasks``, ``records``),
        ``counts``, ``secrets`` (``name`` and ``where``), ``left_out`` and ``extra`` (``what`` and ``reason``),
        ``variables`` (``name``, ``text``, ``missing``) and ``notes``.
    """
    try:
        read = plain(contents)
        of_environment = [entry for entry in read if entry["item"].startswith(("/", "~"))]
        texts = _files(
            [entry for entry in read if entry not in of_environment], str(directory), plain(files), plain(links or {})
        )
        sources = _sources(of_environment, str(environment_from or ""))
    except (TypeError, KeyError, AttributeError, ValueError, binascii.Error):
        raise ValueError("unexpected contents or files") from None
    try:
        imported = Importer(texts, str(server_directory or directory), parse(version) if version else None).read()
    except OmeError as error:
        if isinstance(error, BadInput):
            remedy = _FIX_SYNTAX if isinstance(error, BadSyntax) else _FIX
        else:
            remedy = with_names(_CHECK) if error.kind == "config_file" else error.advice.remedy
        reason = str(error) if isinstance(error, BadInput) else error.detail
        return {"problems": [shortened(f"Could not {error.attempt}. {reason} {remedy}")], "needed": []}
    if texts.needed or sources.needed:
        return {"problems": [], "needed": [*texts.needed, *sources.needed]}
    shown = _variables(imported, sources, show_secrets=boolean(show_secrets, strict=False))
    return {"problems": [], "needed": [], **shown}
