# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All forms of names that a field can have in a configuration file, and files that are no configuration at all."""

from __future__ import annotations

import contextlib
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import (
    document,
    editor,
    option_xml,
    virtual_host_file,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import STREAM_MAPS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bitrate,
    Bool,
    CsvSet,
    Float,
    Int,
    String,
    StringList,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether the files of two virtual hosts have the same text."""
    return virtual_host_file.render(one) == virtual_host_file.render(other)


ANY = Object(
    "any",
    extra=True,
    fields=[
        String("version", xml="@version"),
        Bool("enabled", xml="@enabled"),
        Int("number"),
        Float("share_of_time"),
        Bitrate("rate", xml="BITRATE"),
        CsvSet("modules"),
        StringSet("sorted"),
        StringList("ordered", xml="Ordered/Url"),
        Object(
            "inner",
            xml="InnerOne",
            fields=[
                ObjectList(
                    "tags",
                    xml="Tag",
                    identity="name",
                    fields=[
                        String("name", xml="@name"),
                        String("level", xml="@level"),
                    ],
                )
            ],
        ),
        ObjectList("wrapped", xml="Wrapped/Item", identity="name", fields=[String("name")]),
        Object("around", xml="Around/Within", fields=[String("name")]),
    ],
)

VALUE = {
    "version": "8",
    "enabled": False,
    "number": -3,
    "share_of_time": 0.5,
    "rate": "2.5M",
    "modules": ["a", "b"],
    "sorted": ["a", "b"],
    "ordered": ["z", "a"],
    "inner": {"tags": [{"name": ".*", "level": "info"}, {"name": 'a"b'}]},
    "wrapped": [{"name": "z"}, {"name": "a"}],
    "around": {"name": "x"},
    "extra": {"fooBar": {"a": "1"}, "list": ["1", "2"]},
}

TEXT = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten. -->
<Any enabled="false" version="8">
  <Number>-3</Number>
  <ShareOfTime>0.5</ShareOfTime>
  <BITRATE>2.5M</BITRATE>
  <Modules>a,b</Modules>
  <Sorted>a</Sorted>
  <Sorted>b</Sorted>
  <Ordered>
    <Url>z</Url>
    <Url>a</Url>
  </Ordered>
  <InnerOne>
    <Tag level="info" name=".*" />
    <Tag name='a"b' />
  </InnerOne>
  <Wrapped>
    <Item>
      <Name>z</Name>
    </Item>
    <Item>
      <Name>a</Name>
    </Item>
  </Wrapped>
  <Around>
    <Within>
      <Name>x</Name>
    </Within>
  </Around>
  <FooBar>
    <A>1</A>
  </FooBar>
  <List>1</List>
  <List>2</List>
</Any>
"""


def test_each_form_of_a_name() -> None:
    assert editor.new(ANY, VALUE, "Any").after.decode() == TEXT
    assert option_xml.value(ANY, document.parse(TEXT, "any.xml").root) == VALUE
    assert option_xml.value(ANY, document.parse("\ufeff" + TEXT, "any.xml").root) == VALUE
    assert option_xml.value(ANY, ElementTree.fromstring(TEXT)) == VALUE


def test_the_order_of_options_and_of_sets_changes_no_file() -> None:
    other = {option: VALUE[option] for option in reversed(VALUE)}
    other["sorted"], other["modules"] = ["b", "a", "b"], ["b", "a"]
    other["extra"] = {"list": ["1", "2"], "fooBar": {"a": "1", "none": None}}
    other["number"], other["enabled"] = "-3", "no"
    assert editor.new(ANY, other, "Any").after.decode() == TEXT


def test_virtual_hosts_are_equal_if_their_files_are() -> None:
    app = {"name": "a", "type": "live", "extra": {"persistentStreams": {"stream": []}}}
    one = {"name": "v", "host": {"names": ["a", "b"]}, "applications": [app]}
    other = {
        "name": "v",
        "host": {"names": ["b", "a"]},
        "applications": [{"name": "a", "extra": {"persistentStreams": {}}}],
    }
    assert same(one, other)
    assert same(one, virtual_host_file.read(virtual_host_file.render(one), "VHost_v.xml"))
    assert not same(one, {**one, "name": "w"})


FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
TAGS = sorted({name for field in VIRTUAL_HOST_FILE.fields.values() for name in field.xml.split("/")})
TAGS += [
    "VirtualHost",
    "Names",
    "TLS",
    "Origin",
    "Pass",
    "Providers",
    "RTMP",
    "MPEGTS",
    "StreamMap",
    "Publishers",
    "DASH",
]
TAGS += ["CrossDomains", "Url", "Timeout", "OutputProfiles", "Bogus", "Dumps", "a_b", "Push", "Enable", "Record", "x:y"]
TEXTS = st.sampled_from(["", " ", "true", "9" * 5000, "1e999", "nan", "\U0001f600", "${env:A}", "-", "rtmp,,a"])


def _trees(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.sampled_from(TAGS), st.lists(children, max_size=4))


def _xml(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"<{tree[0]}>{''.join(map(_xml, tree[1]))}</{tree[0]}>"


@FUZZ
@given(st.recursive(TEXTS, _trees, max_leaves=25), st.sampled_from(["VirtualHost", "PushInfo", "RecordInfo", "Any"]))
def test_any_elements_are_read_or_refused(tree: Any, root: str) -> None:
    text = f"<{root}>{_xml(tree)}</{root}>"
    with contextlib.suppress(BadInput):
        vhost = virtual_host_file.read(text, "VHost_a.xml")
        assert same(virtual_host_file.read(virtual_host_file.render(vhost), "VHost_a.xml"), vhost)
    for stream_map in STREAM_MAPS:
        with contextlib.suppress(BadInput):
            stream_map.render(stream_map.read(text, "map.xml", "v", "a"), "jobs")


def _around(xml: str, inside: str) -> str:
    around, _slash, name = xml.rpartition("/")
    element = f"<{name}>{inside}</{name}>"
    return f"<{around}>{element}</{around}>" if around else element


def elements(declaration: Object) -> st.SearchStrategy[str]:
    """Return elements as they can be in a file: some declared ones, with any text in them, and unknown ones."""
    names = ["Bogus", "A_b", "DASH", "Dumps", "Query", "StreamMap", "CrossDomains", "Name"]
    found = [st.builds(_around, st.sampled_from(names), TEXTS | st.builds(_around, st.sampled_from(names), TEXTS))]
    for field in declaration.fields.values():
        inner = field.element if isinstance(field, ObjectList) else field
        inside = elements(inner) if isinstance(inner, Object) else TEXTS
        found.append(st.builds(_around, st.just(field.xml), inside))
    return st.lists(st.one_of(found), max_size=4).map("".join)


@FUZZ
@given(elements(VIRTUAL_HOST_FILE), elements(APPLICATION))
def test_any_text_in_known_elements_is_read_or_refused(vhost: str, app: str) -> None:
    applications = f"<Applications><Application>{app}</Application></Applications>"
    with contextlib.suppress(BadFile):
        value = virtual_host_file.read(f"<VirtualHost>{applications}{vhost}</VirtualHost>", "VHost_a.xml")
        back = virtual_host_file.read(virtual_host_file.render(value), "VHost_a.xml")
        assert same(back, value)


@FUZZ
@given(st.text() | st.binary() | st.text("<>/&;!-[]CDATA?a \"'=\n"))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        root = document.parse(text, "a.xml").root
    except BadFile as error:
        assert error.option.startswith("a.xml")
    else:
        assert option_xml.value(Object("o", fields=[], extra=True), root) is not None


@pytest.mark.parametrize("text", ["<a:b/>", "<a b='1' c='2'/>", "<a xmlns='x'><b/></a>"])
def test_names_are_taken_as_they_are(text: str) -> None:
    assert document.parse(text, "a.xml").root.tag in ("a", "a:b")
