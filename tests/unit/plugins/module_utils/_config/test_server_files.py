# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Server.xml and Logger.xml: every declared option reaches the file and comes back; what comes with an upgrade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import (
    LoggerFile,
    ServerFile,
    own_virtual_hosts,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.versions import Comparison
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import (
    NEWEST,
    Changed,
    parse,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import logger_config, server_config
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bool,
    Field,
    Int,
    String,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList

SAMPLES = {
    "ip": "192.0.2.1",
    "port": "4000",
    "tls_port": "4001",
    "ice_candidate": "*:10000-10004/udp",
    "tcp_relay": "*:3478",
    "urls": "turn:t.example.com:3478",
    "passphrase": "a-passphrase",
    "stun_server": "s.example.com:3478",
    "url": "https://a.example.com/x",
    "collector": "tcp://c.example.com:1",
    "key": "SRTO_LATENCY",
    "value": "120",
    "min_bitrate": 1000,
    "max_bitrate": "2M",
}
"""Values that the checks of these options accept; other texts have none."""


def sample(field: Field) -> Any:
    """Return a value of a field that is not its default."""
    if isinstance(field, Object):
        return {
            name: sample(inner)
            for name, inner in field.fields.items()
            if name not in (EXTRA, "tcp_force")  # which is the same setting as another one
        }
    if isinstance(field, ObjectList):
        return [sample(field.element)]
    if isinstance(field, StringSet):
        return [SAMPLES.get(field.option, "a.example.com")]
    if isinstance(field, Int) or field.type == "float":
        return 3
    if field.type == "bool":
        return not field.default
    if isinstance(field, String) and field.choices:
        return field.choices[-1]
    return SAMPLES.get(field.option, f"/some {field.option} <&>")


def leaves(value: Any) -> Iterator[Any]:
    """Yield every value that is no list and no dictionary."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from leaves(item)
    if not isinstance(value, (dict, list)):
        yield value


def complete_server() -> dict[str, Any]:
    server: dict[str, Any] = sample(SERVER)
    server["defaults"]["cross_domains"]["urls"] = ["*"]
    for side in ("providers", "publishers"):
        server["bind"][side]["srt"]["port"] = "9999"  # no port of UDP
    return server


def test_every_option_of_the_server_reaches_the_file_and_comes_back(
    record_property: Callable[[str, Any], None],
) -> None:
    server = complete_server()
    server_config.validate(SERVER.specified(server))
    kind = ServerFile(NEWEST)
    text = kind.render(server)
    back = kind.read(text, "Server.xml")
    assert back == server
    assert kind.render(back) == text
    count = len(list(leaves(server)))
    record_property("options", count)
    assert count > 130


def test_every_option_of_the_log_reaches_the_file_and_comes_back() -> None:
    logger = sample(LOGGER)
    logger_config.validate(logger)
    kind = LoggerFile()
    text = kind.render(logger)
    assert kind.read(text, "Logger.xml") == logger
    assert text.index("<Path>") < text.index("<File ") < text.index("<Tag ")  # all after a tag is taken for tags


def test_unknown_elements_come_back_in_extra() -> None:
    text = '<Server version="8"><Type>edge</Type><IP>*</IP><Bind/><New><Thing>1</Thing></New><VirtualHosts/></Server>'
    kind = ServerFile(NEWEST)
    value = kind.read(text, "Server.xml")
    assert value == {"type": "edge", "ip": ["*"], "bind": {}, EXTRA: {"new": {"thing": "1"}}}
    assert kind.read(kind.render(value), "Server.xml") == value


def test_rules_are_on_if_their_element_is_there() -> None:
    rules_text = "<Rules><Ingress><HasBFrames>false</HasBFrames></Ingress><Egress/></Rules>"
    text = f"<Server version='8'><Alert>{rules_text}</Alert></Server>"
    rules = ServerFile(NEWEST).read(text, "Server.xml")["alert"]["rules"]
    assert rules == {"ingress": {"has_b_frames": True}, "egress": {}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<Logger version='2'><Tag name='x' level='info'><Level/></Tag></Logger>",
            "expected no element Logger.Tag.Level",
        ),
        ("<Server/>", "expected the element Logger, got Server"),
        ("<Logger>", "expected the end tag </Logger>"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(text: str, expected: str) -> None:
    with pytest.raises(BadFile, match=expected) as refused:
        LoggerFile().read(text, "Logger.xml")
    assert refused.value.option == "Logger.xml:1"


def test_virtual_hosts_in_the_file_itself_are_found() -> None:
    text = (
        '<Server><VirtualHosts><VirtualHost include="VHost*.xml"/><VirtualHost><Name> a </Name></VirtualHost>'
        '<VirtualHost ignore="true"><Name>b</Name></VirtualHost></VirtualHosts></Server>'
    )
    assert own_virtual_hosts(text, "Server.xml") == ["a"]
    assert own_virtual_hosts("<Server/>", "Server.xml") == []


def test_written_files_are_read_with_their_includes(tmp_path: Path) -> None:
    directory = Directory(str(tmp_path))
    directory.write("Server.xml", ServerFile(NEWEST).render({}).encode(), None)
    directory.write("VHost_a.xml", b"<VirtualHost><Name>a</Name></VirtualHost>", None)
    root = directory.load()
    assert [host.findtext("Name") for host in root.iter("VirtualHost")] == ["a"]


# Upgrades

INNER = Object(
    "inner",
    since="0.20.0",
    fields=[String("text", default=Changed("a", "b", (0, 21, 0)))],
)
OBJECT = Object(
    "object",
    extra=True,
    fields=[
        Bool("old", until="0.20.5", instead="new"),
        Bool("new", since="0.21.0", instead="old"),
        Bool("alias", instead="fresh"),
        Bool("fresh", since="0.21.0", instead="alias"),
        Bool("gone", until="0.20.5"),
        String("renamed", Changed("rEN", "ren", (0, 21, 0))),
        Int("number", default=Changed(1, 0, (0, 20, 5))),
        INNER,
        Object("nested", fields=[Bool("flag", default=Changed(False, True, (0, 21, 0)))]),
        Object("around", fields=[Object("deep", fields=[Int("x", default=Changed(1, 2, (0, 21, 0)))])]),
        Object(
            "present", presence_keyed=True, fields=[Object("on", fields=[Int("y", default=Changed(1, 2, (0, 21, 0)))])]
        ),
    ],
)


def found(old: str, new: str, value: dict[str, Any]) -> list[tuple[str, str]]:
    comparison = Comparison(parse(old), parse(new))
    return [(notice.option, notice.kind) for notice in comparison.notices(OBJECT, value, "o")]


def test_options_that_a_version_does_not_know() -> None:
    number = ("o.number", "default_changed")
    assert found("0.20.0", "0.21.0", {"gone": True}) == [("o.gone", "unknown_option"), number]
    assert found("0.21.0", "0.20.0", {"gone": True}) == [("o.gone", "unknown_option"), number]
    assert found("0.20.0", "0.21.0", {"old": True}) == [("o.old", "renamed"), number]
    assert found("0.21.0", "0.20.0", {"new": True}) == [("o.new", "renamed"), number]
    assert found("0.20.0", "0.21.0", {"alias": True, "number": 1}) == [("o.alias", "renamed")]
    assert found("0.20.5", "0.21.0", {"renamed": "x"}) == [("o.renamed", "renamed")]
    assert found("0.18.0", "0.21.0", {"inner": {"text": "x"}, "number": 1}) == [("o.inner", "unknown_option")]
    assert found("0.21.0", "0.21.0", {"gone": True}) == []


def test_changed_defaults_of_what_is_omitted() -> None:
    assert found("0.20.5", "0.21.0", {"inner": {}}) == [("o.inner.text", "default_changed")]
    assert found("0.20.5", "0.21.0", {"inner": {"text": "a"}}) == []
    assert found("0.20.5", "0.21.0", {}) == []
    assert found("0.20.5", "0.21.0", {"nested": {}}) == [("o.nested.flag", "default_changed")]
    # An object has its defaults although it is omitted; one that its presence switches on has none.
    assert found("0.20.5", "0.21.0", {"around": {}}) == [("o.around.deep.x", "default_changed")]
    assert found("0.20.5", "0.21.0", {"present": {}}) == []
    assert found("0.20.5", "0.21.0", {"present": {"on": {}}}) == [("o.present.on.y", "default_changed")]
    notice = next(Comparison(parse("0.20.5"), parse("0.21.0")).notices(OBJECT, {"nested": {}}, ""))
    assert notice.text == (
        "nested.flag: Its default is true in version 0.21.0, and was false. Specify it to keep the old value."
    )
