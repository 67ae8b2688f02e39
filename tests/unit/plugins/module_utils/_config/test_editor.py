# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An edit gives an element the meaning of a value, and leaves everything else byte for byte as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import (
    document,
    editor,
    option_xml,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.editor import Editor
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import PUSH_MAP, RECORD_MAP
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field, PresenceBool
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA
from hypothesis import HealthCheck, given, settings

from .meaning import meaning, virtual_hosts_with_applications
from .rough_documents import around_root, objects, options, other_values, others, roughened, with_option
from .test_round_trips import OPTIONS

FAST = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


class Kind(NamedTuple):
    """A kind of file: its declaration, its root element and values of it."""

    declaration: Object
    tag: str
    values: Callable[[str], st.SearchStrategy[dict[str, Any]]]

    def new(self, value: dict[str, Any]) -> str:
        return editor.new(self.declaration, value, self.tag).after.decode("utf-8")

    def read(self, data: bytes) -> dict[str, Any]:
        return option_xml.value(self.declaration, document.parse(data, "file.xml").root)

    def edited(self, data: bytes, value: dict[str, Any]) -> bytes:
        """Return a file after an edit."""
        root = document.parse(data, "file.xml").root
        one = Editor()
        one.show(self.declaration, root)
        one.set(self.declaration, root, value)
        files = one.files()
        return files[0].after if files else data

    def meaning(self, value: dict[str, Any]) -> Any:
        return meaning(self.declaration, value)


def kind_of(declaration: Object, tag: str) -> Kind:
    return Kind(declaration, tag, lambda _version: objects(declaration))


KINDS = [
    Kind(VIRTUAL_HOST_FILE, "VirtualHost", virtual_hosts_with_applications),
    kind_of(VIRTUAL_HOST_FILE, "VirtualHost"),
    kind_of(SERVER, "Server"),
    kind_of(LOGGER, "Logger"),
    kind_of(PUSH_MAP.declaration, PUSH_MAP.root),
    kind_of(RECORD_MAP.declaration, RECORD_MAP.root),
]


def field_at(declaration: Object, path: tuple[Any, ...]) -> Field:
    field: Field = declaration
    for name in path:
        if not isinstance(name, int):
            inner = getattr(field, "element", field)
            field = inner.fields[name] if isinstance(inner, Object) else inner
    return field


def check_same_meaning(kind: Kind, data: st.DataObject, version: str) -> None:
    value = data.draw(kind.values(version))
    file = data.draw(roughened(kind.new(value)))
    back = kind.read(file)
    assert kind.meaning(back) == kind.meaning(value)
    assert kind.edited(file, back) == file
    assert kind.edited(file, value) == file


def check_other_value(kind: Kind, data: st.DataObject, version: str) -> None:
    values = kind.values(version)
    file = data.draw(roughened(kind.new(data.draw(values))))
    value = data.draw(values)
    after = kind.edited(file, value)
    assert kind.meaning(kind.read(after)) == kind.meaning(value)
    assert kind.edited(after, value) == after


def check_one_option(kind: Kind, data: st.DataObject, version: str) -> None:
    file = data.draw(roughened(kind.new(data.draw(kind.values(version)))))
    value = kind.read(file)
    paths = sorted(options(kind.declaration, value), key=str)
    path = data.draw(st.sampled_from(paths)) if paths else None
    if path is None or (len(path) > 2 and getattr(field_at(kind.declaration, path[:-2]), "identity", None) == path[-1]):
        return  # An entry with another identity is another entry.
    field = field_at(kind.declaration, path)
    new = data.draw(st.none() | (st.just(True) if isinstance(field, PresenceBool) else other_values(field)))
    if new == "" and EXTRA in path:
        return  # An empty element can stand for an object.
    wanted = with_option(value, path, new)
    after = kind.edited(file, wanted)
    assert kind.meaning(kind.read(after)) == kind.meaning(wanted)
    one, other = document.parse(file, "file.xml"), document.parse(after, "file.xml")
    assert around_root(one) == around_root(other)
    assert list(others(kind.declaration, one.root, path)) == list(others(kind.declaration, other.root, path))


CHECKS = pytest.mark.parametrize("check", [check_same_meaning, check_other_value, check_one_option])


@FAST
@given(st.data())
@CHECKS
def test_files(check: Any, data: st.DataObject) -> None:
    check(data.draw(st.sampled_from(KINDS)), data, NEWEST)


@pytest.mark.exhaustive
@LONG
@given(st.data())
@pytest.mark.parametrize("kind", KINDS)
@CHECKS
def test_many_files(check: Any, kind: Kind, data: st.DataObject) -> None:
    check(kind, data, data.draw(st.sampled_from(RECORDED_MEDIA)))


def test_each_option_of_a_virtual_host_is_written_back_as_it_was_and_into_a_file_of_people() -> None:
    kind, hand = KINDS[0], b"<VirtualHost>\n\t<!-- mine -->\n\t<Name>t</Name>\n</VirtualHost>\n"
    for path, value, _tags in OPTIONS:
        file = kind.new(value).encode()
        assert kind.edited(file, kind.read(file)) == file, path
        after = kind.edited(hand, {"name": "t", **value})
        assert kind.read(after) == {"name": "t", **value}, path
        assert after.startswith(b"<VirtualHost>\n\t<!-- mine -->\n\t<Name>") and b"\n  <" not in after, path
        assert value.get("name") or kind.edited(after, {"name": "t"}) == hand, path
