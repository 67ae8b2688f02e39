# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Option form to XML and back loses nothing, and XML has only elements that the version knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import (
    document,
    option_xml,
    versions,
    virtual_host_file,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import (
    PUSH_MAP,
    RECORD_MAP,
    StreamMap,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import NEWEST, parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bool,
    Field,
    Float,
    Int,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from hypothesis import HealthCheck, given, settings

from .meaning import PUSHES, RECORDINGS, meaning, virtual_hosts_with_applications

KEYS = Path(__file__).resolve().parents[4] / "wire" / "keys"
FAST = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


def elements_of(version: str) -> set[str]:
    """Return the paths of all elements that a version knows in the file of a virtual host."""
    table = json.loads((KEYS / f"{version}.json").read_text(encoding="utf-8"))
    rows = {f"VirtualHost.{row['xml']}" for row in table["virtual_host"]}
    around = "VirtualHost.Applications.Application"
    return {"VirtualHost", around} | rows | {f"{around}.{row['xml']}" for row in table["application"]}


def paths(element: ElementTree.Element, around: str = "") -> Iterator[str]:
    """Yield the path of an element and of all elements inside of it."""
    yield around + element.tag
    for child in element:
        yield from paths(child, f"{around}{element.tag}.")


def check_virtual_host(vhost: dict[str, Any], version: str) -> None:
    versions.check(VIRTUAL_HOST_FILE, vhost, parse(version))
    text = virtual_host_file.render(vhost)
    back = virtual_host_file.read(text, "VHost_t.xml")
    assert meaning(VIRTUAL_HOST_FILE, back) == meaning(VIRTUAL_HOST_FILE, vhost)
    assert virtual_host_file.render(back) == text
    assert VIRTUAL_HOST_FILE.equal(back, vhost)
    assert set(paths(ElementTree.fromstring(text))) <= elements_of(version)


@FAST
@given(st.data())
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_a_virtual_host_comes_back(version: str, data: st.DataObject) -> None:
    check_virtual_host(data.draw(virtual_hosts_with_applications(version)), version)


@pytest.mark.exhaustive
@LONG
@given(st.data())
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_many_virtual_hosts_come_back(version: str, data: st.DataObject) -> None:
    check_virtual_host(data.draw(virtual_hosts_with_applications(version)), version)


def check_map(stream_map: StreamMap, jobs: list[dict[str, Any]]) -> None:
    text = stream_map.render(jobs, "jobs")
    back = stream_map.read(text, stream_map.file, "v", "a")
    form = stream_map.kind.declaration
    assert [meaning(form, job) for job in back] == [meaning(form, job) for job in jobs]
    assert stream_map.render(back, "jobs") == text


@FAST
@given(PUSHES)
def test_push_tasks_come_back(jobs: list[dict[str, Any]]) -> None:
    check_map(PUSH_MAP, jobs)


@FAST
@given(RECORDINGS)
def test_recordings_come_back(jobs: list[dict[str, Any]]) -> None:
    check_map(RECORD_MAP, jobs)


@pytest.mark.exhaustive
@LONG
@given(PUSHES, RECORDINGS)
def test_many_jobs_come_back(pushes: list[dict[str, Any]], recordings: list[dict[str, Any]]) -> None:
    check_map(PUSH_MAP, pushes)
    check_map(RECORD_MAP, recordings)


def sample(field: Field) -> Any:
    """Return a value that differs from the default of the field."""
    if isinstance(field, Bool):
        return not field.default
    if isinstance(field, (Int, Float)):
        return 7
    return ["one"] if isinstance(field, StringSet) else field.normalize("one")


def alone(declaration: Object, path: str = "") -> Iterator[tuple[str, dict[str, Any], list[str]]]:
    """Yield (option path, object with this option alone, names of its elements) for each option at any level."""
    for option, field in declaration.fields.items():
        if isinstance(field, Extra):
            yield path + option, {option: {"fooBar": "one"}}, ["FooBar"]
            continue
        names = field.xml.split("/")
        inner = field.element if isinstance(field, ObjectList) else field
        if not isinstance(inner, Object):
            yield path + option, {option: sample(field)}, names
            continue
        is_list = inner is not field
        yield path + option, {option: [{}] if is_list else {}}, names
        for deeper, value, tags in alone(inner, f"{path}{option}{'[]' if is_list else ''}."):
            yield deeper, {option: [value] if is_list else value}, [*names, *tags]


OPTIONS = list(alone(VIRTUAL_HOST_FILE))


def test_every_declared_option_reaches_xml_and_comes_back(record_property: Callable[[str, Any], None]) -> None:
    for path, value, tags in OPTIONS:
        element = option_xml.element(VIRTUAL_HOST_FILE, value, "VirtualHost")
        assert element.find("/".join(tags)) is not None, path
        read = document.parse(ElementTree.tostring(element), "VHost_t.xml").root
        assert option_xml.value(VIRTUAL_HOST_FILE, read) == value, path
    record_property("options", len(OPTIONS))
    # Each option of the modules `vhost` and `application`, without the virtual host of an application, and without
    # options that stand for values of others.
    shorthands = count({option: one.spec() for option, one in APPLICATION.shorthands.items()})
    assert len(OPTIONS) == count(VIRTUAL_HOST.options()) + count(APPLICATION.options()) - shorthands - 1 + 1
    assert len(OPTIONS) == 479


def count(options: dict[str, Any]) -> int:
    """Return the number of options in an argument spec, at all levels."""
    return sum(1 + count(spec.get("options", {})) for spec in options.values())


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_every_known_option_has_a_known_element(version: str) -> None:
    elements = elements_of(version)
    known = set(versions.known(VIRTUAL_HOST_FILE, parse(version)))
    for path, _value, tags in OPTIONS:
        if not path.endswith(EXTRA):
            ignored = path.startswith("applications[].providers.file")  # see tests/wire/README.md
            assert (".".join(["VirtualHost", *tags]) in elements) is (path in known) or ignored, path
    everything = {path for path, _value, _tags in OPTIONS if not path.endswith(EXTRA)}
    assert set(versions.known(VIRTUAL_HOST_FILE, NEWEST)) < everything


VALUES = {"text": "one", "integer": 7, "decimal": 7.5, "boolean": True}


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_keys_of_extra_have_the_elements_of_the_server(version: str) -> None:
    """Each key without an option, alone in `extra`, is written to its element and read as the same key."""
    table = json.loads((KEYS / f"{version}.json").read_text(encoding="utf-8"))
    rows = {row["json"]: row for row in table["application"]}
    compared = 0
    for path, row in rows.items():
        if row["type"] in ("list", "object") or path.startswith("providers.file."):
            continue
        value: Any = VALUES[row["type"]]
        parts = path.split(".")
        for end in range(len(parts) - 1, -1, -1):
            name, is_member = parts[end].removesuffix("[]"), parts[end].endswith("[]")
            value = {name: [value] if is_member else value}
        app = APPLICATION.from_wire(value)
        element = option_xml.element(APPLICATION, app, "Application")
        assert element.find(row["xml"].replace(".", "/")) is not None, path
        assert meaning(APPLICATION, option_xml.value(APPLICATION, element)) == meaning(APPLICATION, app), path
        compared += 1
    assert compared > 200
