# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of a server as variables of the role provision, in YAML and without secrets.

Each masked secret is replaced by a reference to a variable. What the role must not create is left out with the reason:
virtual hosts of the server's configuration file with their applications, and objects that the modules would refuse.
Applications that the server creates itself, push tasks and recordings of its configuration, and streams that are not
pulled or that ``origins`` of their virtual host pull, are left out without one, because they come and go.
"""

from __future__ import annotations

import hashlib
import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import stream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import (
    APPLICATIONS,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS, RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Kind
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.multiplex_channel import (
    MULTIPLEX_CHANNELS,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNELS,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.stream import (
    PULLED,
    PULLED_STREAMS,
    STREAM,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import (
    VIRTUAL_HOSTS,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field, String
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._variables import SECRETS as PREFIX
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._yaml_texts import (
    Literal,
    Reference,
    one_line,
    plain,
    to_yaml,
)

# The text with which Ansible replaces values that equal a secret option of a module, such as the access token.
_NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
_MASKS = re.compile(f"{re.escape(MASK)}|{_NO_LOG}")
# The delimiters of Jinja.
_DELIMITERS = ("{{", "{%", "{#")
_DYNAMIC = "the server creates it itself when it pulls a stream"
_KEY_OPTIONS = ("vhost", "app", "name", "id")


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

    def check(self, kind: Kind) -> None:
        """Set the reason if the modules would refuse the object with a secret in the place of each mask."""
        if any(_MASKS.search(part) for part in self.key):
            self.reason = "its name contains what is a secret of the connection"
            return
        try:
            value = _as_given(self.group, self.value)
            kind.validate(value, "", complete=True)
            self.reason = kind.incomplete(value)
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
            return Literal(text) if any(delimiter in text for delimiter in _DELIMITERS) else text
        labels = _unique([_part_of_url(text[: mask.start()], text[mask.end() :]) for mask in masks])
        done, end = "", 0
        for mask, label in zip(masks, labels):
            words = f"{path} (in it: {label})" if label else path
            secret = Secret((*self.key, *parts, *([label] if label else [])), f"{self.title}: {words}")
            done += _escaped(text[end : mask.start()]) + "{{ " + name_of(secret) + " }}"
            end = mask.end()
        return Reference(done + _escaped(text[end:]))


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


def _entries(kind: Kind, values: t.Iterable[dict[str, t.Any]]) -> list[Entry]:
    entries = sorted((Entry(kind.declaration, kind.what, value) for value in values), key=lambda entry: entry.key)
    for entry in entries:
        entry.check(kind)
    return entries


def _job_entries(kind: Kind, result: dict[str, t.Any], key: str) -> list[Entry]:
    """Return the jobs of a result, without those of the server's configuration that have no id of their own."""
    own = [
        job
        for job, status in zip(result[key], result["status"])
        if not status.get("is_config") or status.get("server_id")
    ]
    return _entries(kind, own)


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


def export_variables(objects: t.Mapping[str, t.Any], read_only_vhosts: t.Iterable[str] = ()) -> dict[str, t.Any]:
    """Return what the module ``export`` has read as variables of the role provision.

    :param objects: the results of the info modules without secrets, by their kind: ``vhosts``, ``applications``,
        ``push_tasks`` and the other variables of the role. Kinds that no application can have are missing.
    :param read_only_vhosts: names of further virtual hosts that come from the server's configuration file.
    :returns: for each kind its variable in YAML; ``counts`` of entries by kind; ``secrets`` (``name`` of a variable,
        and ``where`` it stands); ``left_out`` (``what``, ``reason`` and the object as ``text``); ``unmanaged_fields``:
        names of fields that the collection does not know, by virtual host. The texts depend only on the state of the
        server, and not on the order of its responses.
    """
    read = plain(objects)
    read_vhosts, read_apps = read["vhosts"], read["applications"]
    read_only = {*read_vhosts["read_only"], *map(str, plain(list(read_only_vhosts)))}
    dynamic: set[tuple[str, ...]] = {
        (app["vhost"], app["name"])
        for app, status in zip(read_apps["applications"], read_apps["status"])
        if status.get("dynamic")
    }
    pulls = _pulls(_listed(read, "streams"), read_vhosts["vhosts"])
    of_vhosts = _entries(VIRTUAL_HOSTS, read_vhosts["vhosts"])
    of_apps = _entries(APPLICATIONS, read_apps["applications"])
    inside: dict[str, list[Entry]] = {
        "push_tasks": _job_entries(PUSH_TASKS, read["push_tasks"], "tasks"),
        "streams": _entries(PULLED_STREAMS, pulls),
        "scheduled_channels": _entries(SCHEDULED_CHANNELS, _listed(read, "scheduled_channels")),
        "multiplex_channels": _entries(MULTIPLEX_CHANNELS, _listed(read, "multiplex_channels")),
        "records": _job_entries(RECORDS, read["records"], "records") if "records" in read else [],
    }
    _leave_out(of_vhosts, of_apps, [entry for entries in inside.values() for entry in entries], read_only, dynamic)
    kinds: dict[str, list[Entry]] = {
        "vhosts": of_vhosts,
        "applications": of_apps,
        **{kind: entries for kind, entries in inside.items() if kind in read},
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
    unmanaged = read_vhosts["unmanaged_fields"]
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


def _listed(read: t.Mapping[str, t.Any], kind: str) -> list[dict[str, t.Any]]:
    """Return the objects of a kind that the result of its info module has under the same name."""
    return list(read[kind][kind]) if kind in read else []
