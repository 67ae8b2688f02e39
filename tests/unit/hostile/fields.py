# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declared field behind each option, what kind of option a place is, and what must hold for a hostile value in a
field.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator
from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK, RECORD
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.multiplex_channel import (
    MULTIPLEX_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import connection_options
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field, StringSet
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import (
    ACCEPTED,
    KEY,
    NAME,
    REFUSED,
    demand,
    folded,
    keys_in,
    texts_in,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import Place

_CHANNELS = {"scheduled_channel": SCHEDULED_CHANNEL, "multiplex_channel": MULTIPLEX_CHANNEL}
GROUPS = {
    "virtual host": VIRTUAL_HOST,
    "application": APPLICATION,
    "push task": PUSH_TASK,
    "recording": RECORD,
    **_CHANNELS,
}
# Names and ids that go into paths, or into a stopPush or stopRecord.
IDENTITIES = ("name", "vhost", "app", "id")
# Where the groups are among the options of the modules.
_HOLDERS: dict[tuple[Any, ...], Object] = {
    ("vhosts", 0): VIRTUAL_HOST,
    ("applications", 0): APPLICATION,
    ("push_tasks", 0): PUSH_TASK,
    ("tasks", 0): PUSH_TASK,
    ("records", 0): RECORD,
}
_OBJECTS = {"server": SERVER, "logger": LOGGER}
"""The same of options that are one object."""
_SINGLE = {"vhost": VIRTUAL_HOST, "application": APPLICATION, "push_task": PUSH_TASK, "record": RECORD, **_CHANNELS}


def fields(group: Object, path: str = "") -> Iterator[tuple[str, Field]]:
    """Yield every field of a group, at every level, with its path."""
    for option, field in group.fields.items():
        here = f"{path}.{option}" if path else option
        yield here, field
        if isinstance(field, (Object, ObjectList)):
            inner = field if isinstance(field, Object) else field.element
            yield from fields(inner, here if isinstance(field, Object) else f"{here}[0]")


def field_of(module: str, place: Place) -> Field | None:
    """Return the field that an option of a module is declared by; None for an option of the module alone."""
    path = list(place.path)
    holder: Object | None = _SINGLE.get(module)
    for start, group in _HOLDERS.items():
        if tuple(path[:2]) == start:
            holder, path = group, path[2:]
    if path and path[0] in _OBJECTS:
        holder, path = _OBJECTS[path[0]], path[1:]
    # Virtual hosts hold applications, which are no field of theirs.
    if path[:2] == ["applications", 0]:
        holder, path = APPLICATION, path[2:]
    found: Field | None = holder
    for step in path:
        if isinstance(step, int):
            continue
        inner = found.element if isinstance(found, ObjectList) else found
        found = inner.fields.get(step) if isinstance(inner, Object) else inner if isinstance(inner, Extra) else None
    return found if path else None


def kind_of(module: str, place: Place) -> Hashable:
    """Return what decides about a value at a place: two places of one kind treat all values alike, but for the words of
    messages.
    """
    spec = place.spec or {}
    what = (spec.get("type"), spec.get("elements"), bool(spec.get("choices")), place.as_key)
    if not place.path or (len(place.path) == 1 and place.path[0] not in connection_options()):
        return place.path, what
    if place.path[0] in connection_options():
        return "connection", what
    field = field_of(module, place)
    check = getattr(field, "check", None)
    identity = place.path[-1] if place.path[-1] in IDENTITIES else ""
    return (
        what,
        type(field).__name__,
        getattr(check, "__qualname__", check),
        getattr(field, "secret", None),
        identity,
        isinstance(place.path[-1], int),
    )


def takes_text(field: Field) -> bool:
    """Return whether ansible-core lets a text of any kind through to the field, on its own or inside."""
    spec = field.spec()
    return isinstance(field, Extra) or (
        not spec.get("choices") and (spec["type"] in ("str", "raw") or spec.get("elements") in ("str", "raw"))
    )


def shapes(field: Field, text: str) -> Iterator[Any]:
    """Yield the forms in which a text can be in a field."""
    if isinstance(field, Extra):
        yield from (
            {text: "x"},
            {"a": {text: "x"}},
            {"a": [{text: "x"}]},
            {"a": text},
            {"a": {"b": text}},
            {"a": ["x", text]},
            {"secretKey": text},
        )
    elif isinstance(field, StringSet):
        yield from ([text], ["x.example.com", text])
    else:
        yield text


def check_field(path: str, field: Field, value: Any, text: str) -> str:
    """Put a hostile value into a field and check all that must hold; return what became of it."""
    about = f"{path} = {str(value)[:80]!r}"
    for shown in (field.mask(value), field.mask_changed(value, None)):
        demand(
            not field.secret or text in ("", MASK) or text not in texts_in([shown]),
            "a secret is masked",
            f"{about}: {shown!r}",
        )
    try:
        field.validate(value, path)
    except BadInput as error:
        demand(str(error).startswith(path), "the full name of the option", f"{about}: {error}")
        shown = not (len(text) < 2 or text == MASK) and (text in str(error) or repr(text)[1:-1] in str(error))
        demand(not (field.secret and shown), "a refusal shows no secret", f"{about}: {error}")
        return REFUSED
    wire = field.to_wire(value)
    demand(json.loads(json.dumps(wire)) == wire, "what is sent is JSON", about)
    demand(all(KEY.fullmatch(key) for key in keys_in(wire)), "keys are plain", about)
    if field.option in IDENTITIES and "." not in path:
        demand(NAME.fullmatch(str(wire)), "names and ids are plain", about)
    sent = {folded(part) for whole in [*texts_in([wire]), *keys_in(wire)] for part in whole.split(",")}
    demand(
        sent >= {folded(part) for part in text.split(",") if folded(part)},
        "what is sent is what was given",
        f"{about}: {wire!r}",
    )
    back = field.from_wire(wire)
    demand(
        field.equal(value, back) and not list(field.difference(value, back, path)),
        "what the server returns is no difference",
        f"{about}: {back!r}",
    )
    demand(
        field.equal(value, field.from_wire(field.to_wire(field.merge(value, back)))),
        "what is merged is what was given",
        about,
    )
    return ACCEPTED
