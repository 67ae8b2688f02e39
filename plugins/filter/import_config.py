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
    is omitted, and returned with its place and the reason.
  - Reads no document types and entities, no file outside of the directory, and no file of more than 4 MiB.
  - The role P(streamops.ovenmediaengine.import_config#role) writes the text to a file.
positional: _input
options:
  _input:
    description:
      - Results of M(ansible.builtin.slurp) in loops, each with the path of the file relative to O(directory) in
        C(item). A result without C(content) counts as a file that cannot be read, for the reason in C(msg).
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
      description: Further files to read, relative to O(directory). If there are any, the keys below are missing.
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
from ansible_collections.streamops.ovenmediaengine.plugins.filter.export_variables import (
    Entry,
    names_of,
    one_line,
    plain,
    to_yaml,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.file_texts import FileTexts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.importer import Imported, Importer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.record import RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object

_LISTS = {
    "vhosts": "ovenmediaengine_vhosts",
    "push_tasks": "ovenmediaengine_push_tasks",
    "records": "ovenmediaengine_records",
}
_FIX = "Correct the file. The server may not start with it, either."
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


def _entries(imported: Imported, *, show_secrets: bool) -> dict[str, list[Entry]]:
    """Return all entries of the variables; the names of their secrets begin with the names of the objects."""

    def shown(declaration: Object, value: dict[str, t.Any]) -> dict[str, t.Any]:
        return value if show_secrets else declaration.mask(value)

    return {
        "server": [_Settings(SERVER, "Server.xml", shown(SERVER, imported.server), "server")],
        "logger": [_Settings(LOGGER, "Logger.xml", imported.logger, "logger")] if imported.logger is not None else [],
        "vhosts": [
            Entry(VIRTUAL_HOST_FILE, "virtual host", shown(VIRTUAL_HOST_FILE, vhost)) for vhost in imported.vhosts
        ],
        **{
            name: [Entry(kind.declaration, kind.what, shown(kind.declaration, job)) for job in imported.jobs[publisher]]
            for name, (publisher, kind) in _JOBS.items()
        },
    }


def _variables(imported: Imported, *, show_secrets: bool) -> dict[str, t.Any]:
    """Return the variables as text, with what belongs to them."""
    kinds = _entries(imported, show_secrets=show_secrets)
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
        "notes": [one_line(note) for note in imported.notes],
    }


def import_config(
    contents: t.Any,
    directory: str,
    files: t.Any,
    links: t.Any = None,
    server_directory: str | None = None,
    show_secrets: t.Any = False,
) -> dict[str, t.Any]:
    """Return the configuration files as variables of the roles provision and server."""
    try:
        texts = _files(plain(contents), str(directory), plain(files), plain(links or {}))
    except (TypeError, KeyError, AttributeError, ValueError, binascii.Error):
        raise AnsibleFilterError(
            "import_config expects results of ansible.builtin.slurp in a loop, and files of ansible.builtin.find"
        ) from None
    try:
        imported = Importer(texts, str(server_directory or directory)).read()
    except OmeError as error:
        remedy = _FIX if isinstance(error, BadInput) else _CHECK
        reason = str(error) if isinstance(error, BadInput) else error.detail
        return {"problems": [shortened(f"Could not {error.attempt}. {reason} {remedy}")], "needed": []}
    if texts.needed:
        return {"problems": [], "needed": texts.needed}
    shown = _variables(imported, show_secrets=boolean(show_secrets, strict=False))
    return {"problems": [], "needed": [], **shown}


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"import_config": import_config}
