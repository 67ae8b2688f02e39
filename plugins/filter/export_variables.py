# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter export_variables."""

from __future__ import annotations

DOCUMENTATION = r"""
name: export_variables
short_description: Convert the objects of a server to YAML for the role provision
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Converts the results of M(streamops.ovenmediaengine.vhost_info), M(streamops.ovenmediaengine.application_info),
    M(streamops.ovenmediaengine.push_task_info) and further info modules for a whole server to the variables of the role
    P(streamops.ovenmediaengine.provision#role), as text. The role can create the same objects from them.
  - Replaces each masked secret with a reference to a variable, so that no secret is in the text.
  - Omits virtual hosts of the server's configuration file with their applications, and objects that the modules would
    refuse, and returns them with the reason. Also omits applications that the server creates itself, push tasks and
    recordings of its configuration, and streams that are not pulled or that C(origins) of their virtual host pull,
    without a reason, because they come and go.
  - The role P(streamops.ovenmediaengine.export#role) writes the text to a file.
positional: _input
options:
  _input:
    description:
      - Result of M(streamops.ovenmediaengine.vhost_info), without
        O(streamops.ovenmediaengine.vhost_info#module:show_secrets).
    type: dict
    required: true
  applications:
    description: Result of M(streamops.ovenmediaengine.application_info).
    type: dict
    required: true
  push_tasks:
    description: Result of M(streamops.ovenmediaengine.push_task_info).
    type: dict
    required: true
  read_only_vhosts:
    description:
      - Names of further virtual hosts that come from the server's configuration file, if the response of the server
        does not show it.
    type: list
    elements: str
    default: []
  streams:
    description:
      - Result of M(streamops.ovenmediaengine.stream_info), without
        O(streamops.ovenmediaengine.stream_info#module:show_secrets). A skipped task counts as no objects, also for the
        options below.
    type: dict
    version_added: 2.0.0
  scheduled_channels:
    description: Result of M(streamops.ovenmediaengine.scheduled_channel_info).
    type: dict
    version_added: 2.0.0
  multiplex_channels:
    description: Result of M(streamops.ovenmediaengine.multiplex_channel_info).
    type: dict
    version_added: 2.0.0
  records:
    description: Result of M(streamops.ovenmediaengine.record_info).
    type: dict
    version_added: 2.0.0
seealso:
  - plugin: streamops.ovenmediaengine.export
    plugin_type: role
"""

EXAMPLES = r"""
- name: Read the virtual hosts
  streamops.ovenmediaengine.vhost_info:
  register: my_vhosts

- name: Read the applications
  streamops.ovenmediaengine.application_info:
  register: my_applications

- name: Read the push tasks
  streamops.ovenmediaengine.push_task_info:
  register: my_push_tasks

- name: Show the secrets to fill in
  ansible.builtin.debug:
    msg: "{{ (my_vhosts | streamops.ovenmediaengine.export_variables(my_applications, my_push_tasks)).secrets }}"
"""

RETURN = r"""
_value:
  description:
    - A dictionary. The texts depend only on the state of the server, and not on the order of its responses.
  type: dict
  contains:
    vhosts:
      description: The variable C(ovenmediaengine_vhosts) in YAML.
      type: str
    applications:
      description: The variable C(ovenmediaengine_applications) in YAML.
      type: str
    push_tasks:
      description: The variable C(ovenmediaengine_push_tasks) in YAML.
      type: str
    streams:
      description:
        - The variable C(ovenmediaengine_streams) in YAML. The server reports neither the other URLs of a pull nor its
          options, so that each entry has one URL.
      type: str
      version_added: 2.0.0
    scheduled_channels:
      description: The variable C(ovenmediaengine_scheduled_channels) in YAML.
      type: str
      version_added: 2.0.0
    multiplex_channels:
      description: The variable C(ovenmediaengine_multiplex_channels) in YAML.
      type: str
      version_added: 2.0.0
    records:
      description: The variable C(ovenmediaengine_records) in YAML.
      type: str
      version_added: 2.0.0
    counts:
      description:
        - Number of entries of each variable, with the keys above. Kinds of objects whose result was not passed are
          missing here and above.
      type: dict
    secrets:
      description: Variables that stand for secrets, each with C(name) and C(where) (the place of the secret).
      type: list
      elements: dict
    left_out:
      description:
        - Objects that are not in the variables, each with C(what), C(reason) and C(text) (the object in YAML, with
          masked secrets).
      type: list
      elements: dict
    unmanaged_fields:
      description: Names of fields on the server that the collection does not know, by virtual host.
      type: dict
"""

import hashlib
import re
import typing as t

import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_urls import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import encodable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import (
    application,
    multiplex_channel,
    scheduled_channel,
    stream,
    virtual_host,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.job import JobKind
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.multiplex_channel import (
    MULTIPLEX_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.record import RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.stream import PULLED, STREAM
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.scalars import String
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import SECRETS as PREFIX

# The text with which Ansible replaces values that equal a secret option of a module, such as the access token.
_NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
_MASKS = re.compile(f"{re.escape(MASK)}|{_NO_LOG}")
# The delimiters of Jinja.
_DELIMITERS = ("{{", "{%", "{#")
# Characters that YAML or an editor can interpret as the end of a line. A text with one is written with escapes.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_DYNAMIC = "the server creates it itself when it pulls a stream"
_KEY_OPTIONS = ("vhost", "app", "name", "id")


class _Reference(str):
    """A text with a template."""


class _Literal(str):
    """A text that looks like a template and is none."""


class _Dumper(yaml.SafeDumper):
    """Writes YAML in one form, independent of the release of PyYAML and Ansible."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> t.Any:
        """Indent lists in dictionaries."""
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: t.Any) -> bool:
        """Write equal parts in full each time."""
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Represent a text. Characters that look like the end of a line are escaped."""
        return self.represent_scalar(
            "tag:yaml.org,2002:str", str.__str__(data), style='"' if _BREAKS.search(data) else None
        )

    def reference(self, data: _Reference) -> yaml.ScalarNode:
        """Represent a template, in quotes."""
        return self.represent_scalar("tag:yaml.org,2002:str", str.__str__(data), style='"')

    def literal(self, data: _Literal) -> yaml.ScalarNode:
        """Represent a text that Ansible must not render."""
        return self.represent_scalar("!unsafe", str.__str__(data), style='"')


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(_Reference, _Dumper.reference)
_Dumper.add_representer(_Literal, _Dumper.literal)


def to_yaml(value: t.Any) -> str:
    """Return a value in YAML, without the newline at the end."""
    return yaml.dump(
        value, Dumper=_Dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=1 << 20
    ).rstrip("\n")


def plain(value: t.Any) -> t.Any:
    """Return a value without the types and tags of Ansible, in characters that a file can encode."""
    if isinstance(value, t.Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return encodable(str.__str__(value) if isinstance(value, str) else str(value))


class Secret(t.NamedTuple):
    """A place with a mask: the parts of the name of its variable, and its description."""

    parts: tuple[str, ...]
    where: str

    @property
    def plain_name(self) -> str:
        """Return the name of the variable, unless another place has the same."""
        words = (re.sub(r"[^a-z0-9]+", "_", part.lower()).strip("_") for part in self.parts)
        return PREFIX + "_".join(word for word in words if word)

    @property
    def long_name(self) -> str:
        """Return a name that no other place has."""
        parts = chr(0).join(self.parts).encode("utf-8", "surrogatepass")
        return f"{self.plain_name}_{hashlib.sha256(parts).hexdigest()[:8]}"


_Naming = t.Callable[[Secret], str]


class Entry:
    """An object of the server as an entry of a variable."""

    def __init__(self, group: Object, what: str, value: dict[str, t.Any]) -> None:
        """Create the entry. ``what`` is the kind of object in words."""
        self.group = group
        self.value = value
        self.key = tuple(str(value.get(option, "")) for option in _KEY_OPTIONS if option in value)
        self.title = f"{what} {'/'.join(self.key)}"
        self.secrets: list[Secret] = []
        self.reason: str | None = None

    @property
    def vhost(self) -> str:
        """Return the name of the virtual host of the object."""
        return self.key[0] if self.key else ""

    def check(self, validate: t.Callable[[dict[str, t.Any]], str | None]) -> None:
        """Set the reason if the modules would refuse the object with a secret in the place of each mask."""
        if any(_MASKS.search(part) for part in self.key):
            self.reason = "its name contains what is a secret of the connection"
            return
        try:
            self.reason = validate(_as_given(self.group, self.value))
        except BadInput as error:
            self.reason = str(error)

    def collect(self) -> None:
        """Find the places with secrets."""
        self.secrets = []

        def note(secret: Secret) -> str:
            self.secrets.append(secret)
            return secret.plain_name

        self.rendered(note)

    def rendered(self, name_of: _Naming) -> t.Any:
        """Return the entry with variables in place of masks, in the declared order."""
        return self._walk(self.group, self.value, (), "", name_of)

    def shown(self) -> str:
        """Return the object in YAML with its masks."""
        return to_yaml([self._walk(self.group, self.value, (), "", None)])

    def _walk(
        self, field: Field | None, value: t.Any, parts: tuple[str, ...], path: str, name_of: _Naming | None
    ) -> t.Any:
        if isinstance(value, dict):
            return {
                key: self._walk(inner, item, (*parts, key), f"{path}.{key}" if path else key, name_of)
                for key, inner, item in _ordered(field, value)
            }
        if isinstance(value, list):
            group = field.element if isinstance(field, ObjectList) else None
            inner = group if group is not None else field if isinstance(field, Extra) else None
            labels = _labels(value, field.identity if isinstance(field, ObjectList) else "name")
            return [
                self._walk(inner, item, (*parts, label), f"{path}[{index}]", name_of)
                for index, (item, label) in enumerate(zip(value, labels))
            ]
        return self._text(value, parts, path, name_of) if isinstance(value, str) and name_of is not None else value

    def _text(self, text: str, parts: tuple[str, ...], path: str, name_of: _Naming) -> str:
        masks = list(_MASKS.finditer(text))
        if not masks:
            return _Literal(text) if any(delimiter in text for delimiter in _DELIMITERS) else text
        labels = _unique([_part_of_url(text[: mask.start()], text[mask.end() :]) for mask in masks])
        done, end = "", 0
        for mask, label in zip(masks, labels):
            words = f"{path} (in it: {label})" if label else path
            secret = Secret((*self.key, *parts, *([label] if label else [])), f"{self.title}: {words}")
            done += _escaped(text[end : mask.start()]) + "{{ " + name_of(secret) + " }}"
            end = mask.end()
        return _Reference(done + _escaped(text[end:]))


def _ordered(field: Field | None, value: dict[str, t.Any]) -> t.Iterator[tuple[str, Field | None, t.Any]]:
    """Yield the items of a dictionary, declared ones in declared order and then the others by name."""
    declared = field.fields if isinstance(field, Object) else {}
    for option, inner in declared.items():
        if option in value and option != EXTRA:
            yield option, inner, value[option]
    for key in sorted((key for key in value if key not in declared or key == EXTRA), key=str):
        yield key, declared.get(key, field if isinstance(field, Extra) else None), value[key]


def _labels(values: list[t.Any], identity: str) -> list[str]:
    """Return a label for each item of a list.

    A label is the identity of the item if possible, because its index changes when another item is inserted before it.
    """
    labels = [str(item.get(identity, "")) if isinstance(item, dict) else _MASKS.sub("", str(item)) for item in values]
    usable = all(labels) and len(set(labels)) == len(labels)
    return labels if usable else [str(index) for index in range(len(values))]


def _unique(labels: list[str]) -> list[str]:
    """Return the labels with a number at each repetition."""
    return [
        label if label not in labels[:index] else f"{label} {labels[: index + 1].count(label)}"
        for index, label in enumerate(labels)
    ]


def _part_of_url(before: str, after: str) -> str:
    """Return which part of a URL is masked; empty if it is the whole text."""
    if not before and not after:
        return ""
    if "://" not in before + after:
        return "part"
    if "#" in before:
        return "fragment"
    if "?" in before:
        name = re.split(r"[?&]", before)[-1]
        return name[:-1] if name.endswith("=") and name != "=" else "query"
    if re.fullmatch(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:/+)?", before):
        return "user info" if after.startswith("@") else "rest"
    return "path"


def _escaped(text: str) -> str:
    """Return a text for a template that renders to it."""
    return text.replace("{", "{{ '{' }}")


def _as_given(field: Field | None, value: t.Any) -> t.Any:
    """Return a value as a module gets it from its argument spec, with a word in place of each mask."""
    if isinstance(value, dict):
        fields = field.fields if isinstance(field, Object) else {}
        return {key: _as_given(fields.get(key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_given(field.element if isinstance(field, ObjectList) else None, item) for item in value]
    if isinstance(field, String) and not isinstance(value, str):
        return str(value)
    if not isinstance(value, str):
        return value
    # If the host is masked, too, it cannot be checked.
    return _MASKS.sub(
        "secret:1/secret" if re.fullmatch(rf"[A-Za-z0-9+.-]*:/+{re.escape(MASK)}", value) else "secret", value
    )


def _check_virtual_host(value: dict[str, t.Any]) -> str | None:
    virtual_host.validate(value, "", present=True)
    return None


def _check_application(value: dict[str, t.Any]) -> str | None:
    application.validate(value, "")
    return application.incomplete(value)


def _check_stream(value: dict[str, t.Any]) -> str | None:
    stream.validate(value, "", pulled=True)
    return None


def _check_scheduled_channel(value: dict[str, t.Any]) -> str | None:
    scheduled_channel.validate(value, "")
    return None


def _check_multiplex_channel(value: dict[str, t.Any]) -> str | None:
    multiplex_channel.validate(value, "")
    return multiplex_channel.incomplete(value)


def _entries(
    group: Object, what: str, values: t.Iterable[dict[str, t.Any]], validate: t.Callable[[dict[str, t.Any]], str | None]
) -> list[Entry]:
    entries = sorted((Entry(group, what, value) for value in values), key=lambda entry: entry.key)
    for entry in entries:
        entry.check(validate)
    return entries


def _job_entries(kind: JobKind, what: str, result: dict[str, t.Any], key: str) -> list[Entry]:
    """Return the jobs of a result, without those of the server's configuration that have no id of their own."""

    def validate(value: dict[str, t.Any]) -> str | None:
        kind.validate(value, "", started=True)
        return None

    own = [
        job
        for job, status in zip(result[key], result["status"])
        if not status.get("is_config") or status.get("server_id")
    ]
    return _entries(kind.declaration, what, own, validate)


def _pulls(streams: t.Iterable[dict[str, t.Any]], vhosts: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """Return the streams that a request has pulled, as entries for the module stream.

    A virtual host with `origins` pulls streams itself while they are watched.
    """
    locations = {
        vhost["name"]: tuple(
            origin["location"]
            for origin in (vhost.get("origins") or {}).get("origin", ())
            if isinstance(origin.get("location"), str)
        )
        for vhost in vhosts
    }
    return [
        {**{option: one[option] for option in stream.KEY}, "urls": [one["input"]["source_url"]]}
        for one in streams
        if one["input"].get("source_type") in PULLED
        and one["input"].get("source_url")
        and not f"/{one['app']}/{one['name']}".startswith(locations.get(one["vhost"], ()))
    ]


def _leave_out(
    vhosts: list[Entry], apps: list[Entry], inside: list[Entry], read_only: set[str], dynamic: set[tuple[str, ...]]
) -> None:
    """Set the reason of objects that the server creates itself, and of objects whose parent is left out.

    ``inside`` are the objects in applications.
    """
    for entry in [*vhosts, *apps]:
        if entry.vhost in read_only:
            entry.reason = "comes from the server's configuration file"
    for entry in apps:
        if entry.reason is None and entry.key in dynamic:
            entry.reason = _DYNAMIC
    for entry in inside:
        # The server has created the application because it pulls this stream.
        if entry.group is STREAM and entry.key[:2] in dynamic:
            entry.reason = _DYNAMIC
    lost_vhosts = {entry.vhost: entry for entry in vhosts if entry.reason and entry.vhost not in read_only}
    for entry in [*apps, *inside]:
        if entry.reason is None and entry.vhost in lost_vhosts:
            entry.reason = f"lies in {lost_vhosts[entry.vhost].title}, which is left out"
    lost_apps = {entry.key: entry for entry in apps if entry.reason and entry.vhost not in read_only}
    for entry in inside:
        if entry.reason is None and entry.key[:2] in lost_apps:
            entry.reason = f"lies in {lost_apps[entry.key[:2]].title}, which is left out"


def _results(name: str, given: t.Any, *keys: str) -> dict[str, t.Any]:
    """Return the result of a module. Raises AnsibleFilterError if one of the lists ``keys`` is missing."""
    result = plain(given)
    if not isinstance(result, dict) or any(not isinstance(result.get(key), list) for key in keys):
        raise AnsibleFilterError(f"export_variables expects a result of {name} with {' and '.join(keys)}")
    return result


def _optional_results(name: str, given: t.Any, *keys: str) -> dict[str, t.Any]:
    """Return the same, or empty lists if the module was not run or skipped."""
    if given is None or (isinstance(given, t.Mapping) and given.get("skipped")):
        return {key: [] for key in keys}
    return _results(name, given, *keys)


def names_of(secrets: t.Iterable[Secret]) -> dict[Secret, str]:
    """Return a name for each secret.

    All places that would share a name get longer names, so that a new place cannot take the variable of another.
    """
    by_name: dict[str, set[Secret]] = {}
    for secret in secrets:
        by_name.setdefault(secret.plain_name, set()).add(secret)
    return {
        secret: name if len(places) == 1 else secret.long_name for name, places in by_name.items() for secret in places
    }


def export_variables(
    vhosts: t.Any,
    applications: t.Any,
    push_tasks: t.Any,
    read_only_vhosts: t.Any = (),
    *,
    streams: t.Any = None,
    scheduled_channels: t.Any = None,
    multiplex_channels: t.Any = None,
    records: t.Any = None,
) -> dict[str, t.Any]:
    """Return the results of the info modules as variables of the role provision."""
    read_vhosts = _results("vhost_info", vhosts, "vhosts")
    read_apps = _results("application_info", applications, "applications", "status")
    read_tasks = _results("push_task_info", push_tasks, "tasks", "status")
    read_streams = _optional_results("stream_info", streams, "streams")
    read_scheduled = _optional_results("scheduled_channel_info", scheduled_channels, "scheduled_channels")
    read_multiplex = _optional_results("multiplex_channel_info", multiplex_channels, "multiplex_channels")
    read_records = _optional_results("record_info", records, "records", "status")
    read_only = {*read_vhosts.get("read_only", []), *map(str, plain(list(read_only_vhosts)))}
    dynamic: set[tuple[str, ...]] = {
        (app["vhost"], app["name"])
        for app, status in zip(read_apps["applications"], read_apps["status"])
        if status.get("dynamic")
    }

    pulls = _pulls(read_streams["streams"], read_vhosts["vhosts"])
    of_vhosts = _entries(VIRTUAL_HOST, "virtual host", read_vhosts["vhosts"], _check_virtual_host)
    of_apps = _entries(APPLICATION, "application", read_apps["applications"], _check_application)
    inside: dict[str, list[Entry]] = {
        "push_tasks": _job_entries(PUSH_TASKS, "push task", read_tasks, "tasks"),
        "streams": _entries(STREAM, "stream", pulls, _check_stream),
        "scheduled_channels": _entries(
            SCHEDULED_CHANNEL, "scheduled channel", read_scheduled["scheduled_channels"], _check_scheduled_channel
        ),
        "multiplex_channels": _entries(
            MULTIPLEX_CHANNEL, "multiplex channel", read_multiplex["multiplex_channels"], _check_multiplex_channel
        ),
        "records": _job_entries(RECORDS, "recording", read_records, "records"),
    }
    _leave_out(of_vhosts, of_apps, [entry for entries in inside.values() for entry in entries], read_only, dynamic)
    given = {"push_tasks": push_tasks, "streams": streams, "records": records}
    given.update(scheduled_channels=scheduled_channels, multiplex_channels=multiplex_channels)
    kinds: dict[str, list[Entry]] = {
        "vhosts": of_vhosts,
        "applications": of_apps,
        **{kind: entries for kind, entries in inside.items() if given[kind] is not None},
    }
    everything = [entry for entries in kinds.values() for entry in entries]
    kept = {kind: [entry for entry in entries if entry.reason is None] for kind, entries in kinds.items()}
    for entries in kept.values():
        for entry in entries:
            entry.collect()
    names = names_of(secret for entry in everything for secret in entry.secrets)
    texts = {
        kind: to_yaml({f"ovenmediaengine_{kind}": [entry.rendered(names.__getitem__) for entry in entries]})
        for kind, entries in kept.items()
    }
    unmanaged = plain(read_vhosts.get("unmanaged_fields") or {})
    return {
        **texts,
        "counts": {kind: len(entries) for kind, entries in kept.items()},
        "secrets": [
            {"name": names[secret], "where": one_line(secret.where)} for entry in everything for secret in entry.secrets
        ],
        "left_out": [
            {"what": one_line(entry.title), "reason": one_line(entry.reason), "text": entry.shown()}
            for entry in everything
            if entry.reason not in (None, _DYNAMIC)
        ],
        "unmanaged_fields": {
            one_line(name): sorted(map(one_line, unmanaged[name])) for name in sorted(unmanaged, key=str)
        },
    }


def one_line(text: t.Any) -> str:
    """Return a text for a comment, without characters that end the line."""
    return _BREAKS.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), str(text))


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"export_variables": export_variables}
