# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter import_config."""

from __future__ import annotations

DOCUMENTATION = r"""
name: import_config
short_description: Convert the configuration files of a server to YAML for the roles provision and server
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Converts Server.xml with the files that it includes, Logger.xml and the stream maps of a server to the variables
    C(server_settings), C(server_logger), C(ovenmediaengine_vhosts) with their applications,
    C(ovenmediaengine_push_tasks) and C(ovenmediaengine_records), as text. The role
    P(streamops.ovenmediaengine.provision#role) and the role C(server) take them.
  - Says which files it needs, because only they tell which further files they include. Read those, and call the filter
    again with the contents of all files, until it needs none.
  - Replaces each secret with a reference to a variable, so that no secret is in the text, unless O(show_secrets=true).
  - Elements without an option become C(extra) of the object around them if it has that option. What no option can hold
    is omitted, and returned with its file, line and the reason. So are duplicates, and elements that the server
    ignores.
  - Reads what the server reads, also if XML does not allow it. Expands and fetches no entities, and reads no file
    outside of the directory and no file of more than 4 MiB.
  - The role P(streamops.ovenmediaengine.import_config#role) writes the text to a file.
positional: _input
options:
  _input:
    description:
      - Results of M(ansible.builtin.slurp) in loops, each with the path of the file relative to O(directory), or the
        absolute path of a file with environment variables, in C(item). A result without C(content) counts as a file
        that cannot be read, for the reason in C(msg).
    type: list
    elements: dict
    required: true
  directory:
    description: Real path of the directory with Server.xml on the media server, without links.
    type: str
    required: true
  files:
    description: The list C(files) of a result of M(ansible.builtin.find) for O(directory), with all types of files.
    type: list
    elements: dict
    required: true
  links:
    description: Real paths behind the links in O(files), by the path of the link.
    type: dict
    default: {}
  server_directory:
    description:
      - The directory as the server sees it, such as in a container. The default is O(directory). Relative paths of
        certificates become absolute with it, and paths of stream maps inside of it are read.
    type: str
  environment_from:
    description:
      - Absolute path of the compose file, the quadlet, the unit or the file of variables from which the server gets its
        environment; of a compose file with several services also C(#) and the name of the service. Without it, the
        variables that the files use are listed without values.
    type: str
    default: ""
    version_added: 2.1.0
  version:
    description:
      - Version of the server that the variables are for, such as V(0.21.0). Elements of C(extra) that it does not
        know are omitted, because it would not start with them.
      - Without it, or with one that this collection does not know, they are returned, with the releases that know them.
    type: str
    version_added: 2.1.0
  show_secrets:
    description:
      - Whether to return secrets in clear text. If you set it, set C(no_log=true) on the task as well.
    type: bool
    default: false
seealso:
  - plugin: streamops.ovenmediaengine.import_config
    plugin_type: role
"""

EXAMPLES = r"""
- name: Find the files
  ansible.builtin.find:
    paths: /etc/ovenmediaengine
    file_type: any
    recurse: true
  register: my_found

- name: Read a server without included files
  ansible.builtin.slurp:
    src: /etc/ovenmediaengine/{{ item }}
  loop: "{{ ['Server.xml', 'Logger.xml'] if my_found.files else [] }}"
  register: my_contents
  no_log: true

- name: Show the secrets to fill in
  ansible.builtin.debug:
    msg: "{{ my_imported.secrets | default([]) }}"
  vars:
    my_imported: >-
      {{ my_contents.results
      | streamops.ovenmediaengine.import_config(directory='/etc/ovenmediaengine', files=my_found.files) }}
"""

RETURN = r"""
_value:
  description:
    - A dictionary. The texts depend only on the contents of the files.
  type: dict
  contains:
    problems:
      description:
        - Messages about files that cannot be read or are refused. If there are any, the keys below are missing.
      type: list
      elements: str
    needed:
      description:
        - Further files to read, relative to O(directory), or absolute if they have environment variables. If there are
          any, the keys below are missing.
      type: list
      elements: str
    api_token:
      description: The variable C(ovenmediaengine_api_token) in YAML; empty if the server has no API.
      type: str
    server:
      description:
        - The variable C(server_settings) in YAML, without the access token of the API, which the role C(server) adds.
      type: str
    logger:
      description: The variable C(server_logger) in YAML; empty if there is no Logger.xml.
      type: str
    vhosts:
      description: The variable C(ovenmediaengine_vhosts) in YAML, in the order of the files, with applications.
      type: str
    environment:
      description: The variable C(server_environment) of the role C(server) in YAML; empty if no value is known.
      type: str
      version_added: 2.1.0
    variables:
      description:
        - The environment variables that the files use, each with C(name), C(text) (what applies without it) and
          C(missing) (whether it has neither a value nor a default).
      type: list
      elements: dict
      version_added: 2.1.0
    push_tasks:
      description: The variable C(ovenmediaengine_push_tasks) in YAML.
      type: str
    records:
      description: The variable C(ovenmediaengine_records) in YAML.
      type: str
    counts:
      description: Numbers of C(vhosts), C(applications), C(push_tasks) and C(records).
      type: dict
    secrets:
      description: Variables that stand for secrets, each with C(name) and C(where) (the place of the secret).
      type: list
      elements: dict
    left_out:
      description: What no option can hold, each with C(what) and C(reason).
      type: list
      elements: dict
    extra:
      description:
        - Elements without an option, which are in options C(extra), each with C(what) and C(reason) (the releases that
          know it).
      type: list
      elements: dict
      version_added: 2.1.0
    notes:
      description: What to do or to know before the variables are used.
      type: list
      elements: str
"""

import base64
import binascii
import posixpath
import typing as t

from ansible.errors import AnsibleFilterError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.elements import BadSyntax
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.environment import Used
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.file_texts import FileTexts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.importer import Imported, Importer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.macros import has_macro
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_urls import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import encodable, listed, shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.record import RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import names_a_secret
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.scalars import String, Url
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
    "Check that import_config_dir is the server's configuration directory on the media server, and that the user of "
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
    """Return the configuration files as variables of the roles provision and server."""
    try:
        read = plain(contents)
        of_environment = [entry for entry in read if entry["item"].startswith(("/", "~"))]
        texts = _files(
            [entry for entry in read if entry not in of_environment], str(directory), plain(files), plain(links or {})
        )
        sources = _sources(of_environment, str(environment_from or ""))
    except (TypeError, KeyError, AttributeError, ValueError, binascii.Error):
        raise AnsibleFilterError(
            "import_config expects results of ansible.builtin.slurp in a loop, and files of ansible.builtin.find"
        ) from None
    try:
        imported = Importer(texts, str(server_directory or directory), parse(version) if version else None).read()
    except OmeError as error:
        if isinstance(error, BadInput):
            remedy = _FIX_SYNTAX if isinstance(error, BadSyntax) else _FIX
        else:
            remedy = _CHECK if error.kind == "config_file" else error.advice.remedy
        reason = str(error) if isinstance(error, BadInput) else error.detail
        return {"problems": [shortened(f"Could not {error.attempt}. {reason} {remedy}")], "needed": []}
    if texts.needed or sources.needed:
        return {"problems": [], "needed": [*texts.needed, *sources.needed]}
    shown = _variables(imported, sources, show_secrets=boolean(show_secrets, strict=False))
    return {"problems": [], "needed": [], **shown}


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"import_config": import_config}
