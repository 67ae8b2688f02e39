# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What no configuration file may have, and what no file is written with."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import (
    document,
    editor,
    versions,
    virtual_host_file,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import PUSH_MAP, RECORD_MAP
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST

REFUSED: dict[str, tuple[Any, int, str]] = {
    "nothing": ("", 1, "expected an element, got none"),
    "no end": ("<a>\n<b>", 2, r"expected the end tag </b> for <b> in line 2, got the end of the file"),
    "another end": ("<a>\n</b>", 2, r"expected the end tag </a> for <a> in line 1, got </b>"),
    "a half of a surrogate pair": ("<a>\ud800</a>", 0, "UTF-8"),
    "too many levels": ("<a>" * 65 + "</a>" * 65, 1, "at most 64 levels"),
    "too many levels, never closed": ("<a>" * 1_000_000, 1, "at most 64 levels"),
    "too many bytes": ("<a>" + "x" * document.LARGEST + "</a>", 0, "at most 4194304 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_with_its_name_and_line(name: str) -> None:
    text, line, expected = REFUSED[name]
    with pytest.raises(BadFile, match=expected) as caught:
        document.parse(text, "VHost_a.xml")
    assert caught.value.kind == "bad_input"
    assert caught.value.option == (f"VHost_a.xml:{line}" if line else "VHost_a.xml")
    assert len(str(caught.value)) < 400


def test_what_is_just_small_enough_is_read() -> None:
    assert document.parse("<a>" * 64 + "</a>" * 64, "a.xml").root.tag == "a"
    assert len(document.parse("<a>" + "x" * (document.LARGEST - 7) + "</a>", "a.xml").root.text or "") > 4_000_000


IMPOSSIBLE = {
    b"<Name>\n\xe9</Name>": "Name",
    b"<Name>\na&#1;</Name>": "Name",
    b"<Applications><Application>\n<New><Size>\x02</Size></New></Application></Applications>": "Size",
}


@pytest.mark.parametrize("inside", IMPOSSIBLE)
def test_text_that_no_option_can_hold_is_refused(inside: bytes) -> None:
    """The server reads control characters, and bytes that are no UTF-8."""
    with pytest.raises(BadFile, match=f"expected text in UTF-8 without control characters in {IMPOSSIBLE[inside]}"):
        virtual_host_file.read(b"<VirtualHost>" + inside + b"</VirtualHost>", "VHost_a.xml")


def test_a_message_about_bytes_that_are_no_text_is_text() -> None:
    with pytest.raises(BadFile, match=r"expected no element VirtualHost\.\\udce9") as caught:
        virtual_host_file.read(b"<VirtualHost><\xe9/></VirtualHost>", "VHost_a.xml")
    assert str(caught.value).isascii()


UNKNOWN = {
    "<VirtualHost>\n<Bogus/></VirtualHost>": "VirtualHost.Bogus",
    "<VirtualHost>\n<name>a</name></VirtualHost>": "VirtualHost.name",
    "<VirtualHost><Host>\n<TLS2/></Host></VirtualHost>": "VirtualHost.Host.TLS2",
    "<VirtualHost><Host><Names>\n<Names/></Names></Host></VirtualHost>": "VirtualHost.Host.Names.Names",
    "<VirtualHost><Origins><Origin/><Origin>\n<X/></Origin></Origins></VirtualHost>": "VirtualHost.Origins.Origin.X",
    "<VirtualHost><Applications>\n<App/></Applications></VirtualHost>": "VirtualHost.Applications.App",
    "<VirtualHost><Name>\n<b/></Name></VirtualHost>": "text in VirtualHost.Name, got the element b",
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_an_unknown_element_is_refused_with_its_path(text: str) -> None:
    with pytest.raises(BadFile) as caught:
        virtual_host_file.read(text, "VHost_a.xml")
    assert UNKNOWN[text] in str(caught.value)
    assert caught.value.option == "VHost_a.xml:2"


def test_another_root_is_refused() -> None:
    with pytest.raises(BadFile, match=r"VHost_a\.xml:1: expected the element VirtualHost, got Server"):
        virtual_host_file.read("<Server/>", "VHost_a.xml")
    with pytest.raises(BadFile, match="expected the element PushInfo, got RecordInfo"):
        PUSH_MAP.read("<RecordInfo/>", "push_map.xml", "v", "a")


def test_undeclared_elements_of_an_application_are_extra() -> None:
    text = "<Application><Name>a</Name><NewThing><Size>3</Size><Part>x</Part><Part>y</Part></NewThing></Application>"
    vhost = virtual_host_file.read(f"<VirtualHost><Applications>{text}</Applications></VirtualHost>", "VHost_a.xml")
    app = vhost["applications"][0]
    assert app == {"name": "a", "extra": {"newThing": {"size": "3", "part": ["x", "y"]}}}


READ: dict[str, Any] = {
    "<Name>a<!-- b -->c</Name>": {"name": "a"},
    "<Name><!-- b -->c</Name>": {"name": "c"},
    "<Name><![CDATA[<c>]]></Name>": {"name": "<c>"},
    "<Name> \n </Name>": {"name": ""},
    "<Name> a </Name>": {"name": " a "},
    "<Name>&lt;&#x61;&amp;</Name>": {"name": "<a&"},
    '<Name ignore="true">a</Name><Name>b</Name>': {"name": "b"},
    '<Name ignore="TRUE">a</Name>': {"name": "a"},
    "<Name>a</Name><Name>b</Name>": {"name": "a"},
    '<Bogus ignore="true"/><Name>b</Name>': {"name": "b"},
    "<?keep a?><Name>b</Name>": {"name": "b"},
    "<Host/>": {"host": {}},
    "<Host><Names/></Host>": {"host": {"names": []}},
    "<Origins><Origin><Relay>TRUE</Relay></Origin></Origins>": {"origins": {"origin": [{"relay": True}]}},
    "<Origins><Origin><Relay>2</Relay></Origin></Origins>": {"origins": {"origin": [{"relay": True}]}},
    "<Origins><Origin><Relay>yes</Relay></Origin></Origins>": {"origins": {"origin": [{"relay": False}]}},
    "<Origins><Origin><Relay/></Origin></Origins>": {"origins": {"origin": [{"relay": False}]}},
    "<AdmissionWebhooks><Timeout/></AdmissionWebhooks>": {"admission_webhooks": {"timeout": 0}},
    "<AdmissionWebhooks><Timeout>${env:T:5}</Timeout></AdmissionWebhooks>": {
        "admission_webhooks": {"timeout": "${env:T:5}"}
    },
}


@pytest.mark.parametrize("text", READ)
def test_a_file_means_what_it_means_to_the_server(text: str) -> None:
    assert virtual_host_file.read(f"<VirtualHost>{text}</VirtualHost>", "VHost_a.xml") == READ[text]


UNWRITABLE: list[tuple[dict[str, Any], str]] = [
    ({"name": "a\x00"}, "vhosts[0].name"),
    ({"name": "a", "distribution": "\ufffe"}, "vhosts[0].distribution"),
    ({"name": "a", "distribution": "  "}, "vhosts[0].distribution"),
    ({"name": "a", "host": {"names": ["a", "\x1b"]}}, "vhosts[0].host.names[0]"),
    ({"name": "a", "applications": [{"name": "b", "extra": {"c": {"d": ["x", "\x01"]}}}]}, "extra.c.d[1]"),
    ({"name": "a", "applications": [{"name": "b", "extra": {"c": [["x"]]}}]}, "applications[0].extra.c[0]"),
    ({"name": "a", "applications": [{"name": "b", "extra": {"1c": "x"}}]}, "applications[0].extra.1c"),
]


@pytest.mark.parametrize(("vhost", "path"), UNWRITABLE)
def test_text_that_no_file_can_hold_is_refused(vhost: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput) as caught:
        virtual_host_file.render(vhost, "vhosts[0]")
    assert caught.value.option.endswith(path)


@pytest.mark.parametrize("name", ["a,b", " a"])
def test_a_variant_name_that_a_map_would_change_is_refused(name: str) -> None:
    job = {"id": "1", "stream": {"name": "s", "variant_names": ["x", name]}}
    with pytest.raises(BadInput, match=r"push_tasks\[0\]\.stream\.variant_names\[1\]: expected a name without commas"):
        PUSH_MAP.render([job], "push_tasks")
    with pytest.raises(BadInput, match=r"records\[1\]\.stream\.name: is required"):
        RECORD_MAP.render([{"id": "0", "stream": {"name": "s"}}, {"id": "1"}], "records")


@pytest.mark.parametrize("name", ["a(b)", "(", "a)"])
def test_a_stream_name_that_a_map_would_not_match_is_refused(name: str) -> None:
    for stream_map in (PUSH_MAP, RECORD_MAP):
        with pytest.raises(BadInput, match=r"jobs\[0\]\.stream\.name: expected a name without parentheses"):
            stream_map.render([{"id": "1", "stream": {"name": name}}], "jobs")


def test_an_option_that_the_version_does_not_know_is_refused_with_its_path() -> None:
    vhost = {
        "name": "a",
        "origins": {"origin": [{"location": "/", "relay": True}], "properties": {"retry_count": 3}},
        "applications": [
            {"name": "b", "providers": {"rtmp": {}}},
            {"name": "c", "providers": {"srt": {"first_media_wait_timeout_ms": 5}, "file": {}}},
        ],
    }
    versions.check(VIRTUAL_HOST_FILE, {**vhost, "applications": []}, parse("0.19.0"), "vhosts[2]")
    with pytest.raises(OmeError) as caught:
        versions.check(VIRTUAL_HOST_FILE, vhost, parse("0.18.0"), "vhosts[2]")
    assert caught.value.kind == "unsupported_option"
    assert str(caught.value) == (
        "Could not write the configuration of OvenMediaEngine 0.18.0. vhosts[2].origins.properties.retry_count needs "
        "OvenMediaEngine 0.19.0 or later; vhosts[2].applications[1].providers.srt.first_media_wait_timeout_ms needs "
        "OvenMediaEngine 0.21.0 or later. The version of this server is 0.18.0. Upgrade the server, or omit the option."
    )
    with pytest.raises(OmeError, match=r"applications\[1\]\.providers\.file needs OvenMediaEngine 0\.20\.5 or earlier"):
        versions.check(VIRTUAL_HOST_FILE, vhost, parse("0.21.0"), "vhosts[2]")


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"name": "a b", "host": {"names": ["x"]}}, "vhosts[0].name"),
    ({"name": "a" * 246, "host": {"names": ["x"]}}, "name"),
    ({"name": "a"}, "vhosts[0].host.names"),
    ({"name": "a", "host": {"names": ["x"]}, "applications": [{}]}, "vhosts[0].applications[0].name"),
    (
        {"name": "a", "host": {"names": ["x"]}, "applications": [{"name": "*"}, {"name": "*"}]},
        "vhosts[0].applications[1].name",
    ),
    (
        {"name": "a", "host": {"names": ["x"]}, "applications": [{"name": "b", "providers": {}}]},
        "vhosts[0].applications[0].providers",
    ),
    (
        {
            "name": "a",
            "host": {"names": ["x"]},
            "applications": [{"name": "b", "output_profiles": {"output_profile": [{"name": "c"}]}}],
        },
        "vhosts[0].applications[0].output_profiles.output_profile[0].output_stream_name",
    ),
]


@pytest.mark.parametrize(("vhost", "path"), INVALID)
def test_a_virtual_host_with_which_the_server_would_not_start_is_refused(vhost: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput) as caught:
        virtual_host_file.validate(vhost, "vhosts[0]")
    assert caught.value.option == path


def test_the_text_of_a_file() -> None:
    vhost = {
        "host": {"tls": {"cert_path": '/a"<&>\u00e9'}, "names": ["b.example.com", "a.example.com"]},
        "name": "t",
        "signed_policy": {"enables": {"publishers": ["webrtc", "llhls"]}, "secret_key": ""},
    }
    expected = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten. -->
<VirtualHost>
  <Name>t</Name>
  <Host>
    <Names>
      <Name>a.example.com</Name>
      <Name>b.example.com</Name>
    </Names>
    <TLS>
      <CertPath>/a"&lt;&amp;&gt;\u00e9</CertPath>
    </TLS>
  </Host>
  <SignedPolicy>
    <SecretKey />
    <Enables>
      <Publishers>llhls,webrtc</Publishers>
    </Enables>
  </SignedPolicy>
</VirtualHost>
"""
    assert editor.new(VIRTUAL_HOST, vhost, "VirtualHost").after.decode() == expected
    assert virtual_host_file.render(vhost) == expected


def test_maps_take_handwritten_entries() -> None:
    text = """<PushInfo>
      <Push><Enable>true</Enable><StreamName>s*</StreamName><VariantNames> a, b</VariantNames><Protocol>SRT</Protocol>
        <Url>srt://h:1</Url><Unknown>x</Unknown></Push>
      <Push><Enable>True</Enable><StreamName>off</StreamName></Push>
      <Push><Enable>true</Enable><Id>map-1</Id><StreamName>t</StreamName><StreamKey>k</StreamKey></Push>
      <Other/>
    </PushInfo>"""
    first, second = PUSH_MAP.read(text, "push_map.xml", "v", "a")
    assert first == {
        "vhost": "v",
        "app": "a",
        "id": "map-1_",
        "stream": {"name": "s*", "variant_names": ["a", "b"]},
        "protocol": "srt",
        "url": "srt://h:1",
        "stream_key": "",
    }
    assert (second["id"], second["stream_key"]) == ("map-1", "k")
    record = "<RecordInfo><Record><Enable>true</Enable><StreamName>s</StreamName><SegmentRule/></Record></RecordInfo>"
    assert RECORD_MAP.read(record, "record_map.xml", "v", "a")[0]["segmentation_rule"] == "discontinuity"
    assert RECORD_MAP.path("v", "a") == "maps/v/a/record_map.xml"
