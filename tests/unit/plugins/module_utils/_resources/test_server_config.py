# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declarations of Server.xml and Logger.xml, compared with the keys that each release takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments import server_config as server_config_docs
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK, SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import Version, parse, show
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import logger_config, server_config
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.schema import SERVER_KEYS

WIRE = Path(__file__).resolve().parents[4] / "wire/server_keys"
TABLES = {
    path.stem: {row["xml"]: row for row in json.loads(path.read_text(encoding="utf-8"))["server"]}
    for path in sorted(WIRE.glob("*.json"))
}
TYPES = {"str": "text", "int": "integer", "float": "decimal", "bool": "boolean", "dict": "object", "list": "list"}
NOT_IN_THE_FILE = {"bind.providers.srt.passphrase", "bind.publishers.srt.passphrase"}
"""Options that are entries of a list there."""
OF_VIRTUAL_HOSTS = {"VirtualHosts"}
"""Keys that other options hold."""

SECRETS = {
    "alert.secret_key",
    "analytics.user_key",
    "bind.providers.srt.passphrase",
    "bind.providers.webrtc.ice_servers[].credential",
    "bind.publishers.srt.passphrase",
    "bind.publishers.webrtc.ice_servers[].credential",
    "managers.api.access_token",
}


class Known(NamedTuple):
    """One declared field, and whether a release knows it and everything around it."""

    option: str
    xml: str
    field: Field
    known: bool


def declared(
    declaration: Object, version: Version, option: str = "", xml: str = "", known: bool = True
) -> Iterator[Known]:
    """Yield all declared fields of an object at every level."""
    for field in declaration.fields.values():
        if field.option == EXTRA:
            continue
        here = Known(option + field.option, xml + field.xml.replace("/", "."), field, known and field.known_to(version))
        yield here
        inner = field.element if isinstance(field, ObjectList) else field
        if isinstance(inner, Object):
            members = "[]" if isinstance(field, ObjectList) else ""
            yield from declared(inner, version, f"{here.option}{members}.", f"{here.xml}.", here.known)


@pytest.mark.parametrize("version", TABLES)
def test_every_declared_field_is_taken_since_its_release(version: str) -> None:
    rows = TABLES[version]
    for one in declared(SERVER.at(parse(version)), parse(version)):
        if one.option in NOT_IN_THE_FILE:
            continue
        assert (one.xml in rows) is one.known, one
        if not one.known:
            continue
        row = rows[one.xml]
        if one.field.type != "list":
            assert row["type"] == TYPES[one.field.type], (one, row)
            if "default" in row and one.field.default is not None:
                assert str(row["default"]).lower() == str(one.field.default).lower(), one


@pytest.mark.parametrize("version", TABLES)
def test_every_key_of_a_release_is_an_option(version: str) -> None:
    known = {one.xml for one in declared(SERVER.at(parse(version)), parse(version)) if one.known}
    around = {path.rpartition(".")[0] for path in known}  # of a list, whose element around it has no option
    assert not TABLES[version].keys() - known - around - OF_VIRTUAL_HOSTS


@pytest.mark.parametrize("version", [version for version in TABLES if version != "0.20.5"])
def test_the_simulator_takes_the_same_keys(version: str) -> None:
    """Its table was made on its own, from the source of the same releases."""
    simulated = json.loads(SERVER_KEYS.read_text(encoding="utf-8"))["server"]
    mine = json.loads((WIRE / f"{version}.json").read_text(encoding="utf-8"))["server"]

    def keys(rows: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
        # A list and its members have the same path in XML.
        return {
            (row["xml"], row["json"].endswith("[]"), row["type"]) for row in rows if row["xml"] not in OF_VIRTUAL_HOSTS
        }

    assert keys([row for row in simulated if version in row.get("versions", [version])]) == keys(mine)


def documented(suboptions: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The path and the description of each documented option."""
    for option, content in suboptions.items():
        text = content["description"]
        yield prefix + option, " ".join([text] if isinstance(text, str) else text)
        members = "[]" if content.get("elements") == "dict" else ""
        yield from documented(content.get("suboptions", {}), f"{prefix}{option}{members}.")


@pytest.mark.parametrize("declaration", [SERVER, LOGGER], ids=["server", "logger"])
def test_the_documentation_names_the_first_release_and_the_default_of_an_option(declaration: Object) -> None:
    options = yaml.safe_load(server_config_docs.ModuleDocFragment.DOCUMENTATION)["options"]
    texts = dict(documented(options[declaration.option]["suboptions"]))
    for one in declared(declaration, (9999, 0, 0)):
        text = texts[one.option]
        if one.field.since is not None:
            assert f"from {show(one.field.since)} on" in text, one.option
        # A default that is written is said to be; that of a module is the object's.
        if one.field.default is not None and one.option not in ("type", "path") and not one.option.endswith(".enable"):
            default = str(one.field.default)
            shown = default.lower() if isinstance(one.field.default, bool) else default
            assert f"V({shown})" in text or "The same" in text, one.option


def test_fields_that_the_server_requires_are_required_or_completed() -> None:
    full = server_config.complete({"managers": {"api": {"access_token": "x"}}}, (0, 21, 0))
    assert full == {
        "type": "origin",
        "ip": ["*"],
        "bind": {},
        "managers": {"api": {"access_token": "x"}, "host": {"names": ["*"]}},
    }
    completed = {"type", "ip", "bind", "managers.host", "managers.host.names"}
    for one in declared(SERVER, (0, 21, 0)):
        row = TABLES[NEWEST].get(one.xml)
        if row is not None and one.option not in completed and one.field.type != "list":
            assert one.field.required is not row["optional"], one.option


def test_secrets_of_the_server_are_known_by_name() -> None:
    assert {one.option for one in declared(SERVER, (0, 21, 0)) if one.field.secret} == SECRETS


COMPLETE: dict[str, Any] = {
    "name": "media-1",
    "bind": {
        "managers": {"api": {"port": "8081", "tls_port": "8082", "worker_count": 1}},
        "providers": {
            "rtmp": {"port": "1935", "thread_per_socket": True},
            "srt": {
                "port": "9999-10001/srt",
                "passphrase": "canary-passphrase",
                "options": [{"key": "SRTO_LATENCY", "value": "120"}],
            },
            "mpegts": {"port": "4000-4004,4005/udp"},
            "webrtc": {
                "signalling": {"port": "3333"},
                "ice_candidates": {"ice_candidate": ["*:10006-10010/udp", "[::]:10006/tcp", "${PublicIP}:1/udp"]},
                "ice_servers": [
                    {"urls": ["turn:t.example.com:3478"], "user_name": "u", "credential": "canary-credential"}
                ],
            },
        },
    },
    "managers": {"api": {"access_token": "canary-token"}},
    "alert": {
        "url": "https://hooks.example.com/alert?token=canary-url",
        "secret_key": "canary-alert",
        "timeout": 3000,
        "rules": {"ingress": {"min_bitrate": "2M", "has_b_frames": True, "long_key_frame_interval": False}},
    },
    "analytics": {"user_key": "canary-user-key"},
    "extra": {"newThing": {"secretKey": "canary-extra"}},
}


def test_a_complete_configuration_is_valid_and_its_secrets_are_found() -> None:
    server_config.validate(COMPLETE)
    secrets = SecretStore()
    SERVER.collect_secrets(COMPLETE, secrets)
    found = {value for value in secrets.values if value.startswith("canary-")}
    assert found == {
        f"canary-{name}" for name in ("passphrase", "credential", "token", "url", "alert", "user-key", "extra")
    }
    assert "canary" not in json.dumps(SERVER.mask(COMPLETE))
    assert SERVER.mask(COMPLETE)["managers"]["api"]["access_token"] == MASK
    assert SERVER.mask(COMPLETE)["bind"]["providers"]["srt"]["options"] == [{"key": "SRTO_LATENCY", "value": "120"}]


def test_the_form_of_the_file_has_the_passphrase_among_the_options_and_no_false_rules() -> None:
    full = server_config.complete(COMPLETE, (0, 21, 0))
    assert full["bind"]["providers"]["srt"] == {
        "port": "9999-10001/srt",
        "options": [
            {"key": "SRTO_LATENCY", "value": "120"},
            {"key": "SRTO_PASSPHRASE", "value": "canary-passphrase"},
        ],
    }
    assert full["alert"]["rules"]["ingress"] == {"min_bitrate": "2M", "has_b_frames": True}
    assert COMPLETE["alert"]["rules"]["ingress"]["long_key_frame_interval"] is False  # the options are unchanged
    back = server_config.from_file(full)
    assert back["bind"] == COMPLETE["bind"]


def test_the_only_option_of_srt_can_be_the_passphrase() -> None:
    server: dict[str, Any] = {"bind": {"publishers": {"srt": {"passphrase": "canary-passphrase"}}}}
    full = server_config.complete(server, (0, 21, 0))
    assert "passphrase" not in full["bind"]["publishers"]["srt"]
    assert server_config.from_file(full)["bind"] == server["bind"]


def test_alert_rules_are_written_where_the_release_requires_them() -> None:
    alert = {"url": "http://a.example.com", "secret_key": "", "timeout": 1}
    assert server_config.complete({"alert": alert}, (0, 18, 0))["alert"]["rules"] == {}
    assert "rules" not in server_config.complete({"alert": alert}, (0, 19, 0))["alert"]


@pytest.mark.parametrize(
    ("server", "option"),
    [
        ({"ip": ["a b"]}, "server.ip[0]"),
        ({"stun_server": "stun.example.com"}, "server.stun_server"),
        ({"bind": {"providers": {"rtmp": {"port": "0"}}}}, "server.bind.providers.rtmp.port"),
        ({"bind": {"providers": {"rtmp": {"port": "1935-1936"}}}}, "server.bind.providers.rtmp.port"),
        ({"bind": {"providers": {"rtmp": {"port": "1935/sctp"}}}}, "server.bind.providers.rtmp.port"),
        ({"bind": {"providers": {"mpegts": {"port": "4004-4000"}}}}, "server.bind.providers.mpegts.port"),
        ({"bind": {"providers": {"srt": {"passphrase": "short"}}}}, "server.bind.providers.srt.passphrase"),
        (
            {"bind": {"providers": {"srt": {"options": [{"key": "SRTO_PASSPHRASE", "value": "canary-value"}]}}}},
            "server.bind.providers.srt.options[0].key",
        ),
        (
            {"bind": {"publishers": {"webrtc": {"ice_candidates": {"ice_candidate": ["10000"]}}}}},
            "server.bind.publishers.webrtc.ice_candidates.ice_candidate[0]",
        ),
        (
            {"bind": {"publishers": {"webrtc": {"ice_servers": [{"urls": ["t.example.com"]}]}}}},
            "server.bind.publishers.webrtc.ice_servers[0].urls[0]",
        ),
        (
            {"bind": {"providers": {"webrtc": {"ice_candidates": {"tcp_force": True, "tcp_relay_force": True}}}}},
            "server.bind.providers.webrtc.ice_candidates.tcp_force",
        ),
        ({"alert": {"rules": {"ingress": {"min_bitrate": "0"}}}}, "server.alert.rules.ingress.min_bitrate"),
        ({"alert": {"rules": {"ingress": {"max_width": -1}}}}, "server.alert.rules.ingress.max_width"),
        ({"analytics": {"forwarding": {"collector": "x"}}}, "server.analytics.forwarding.collector"),
        ({"extra": {"virtualHosts": {}}}, "server.extra.virtualHosts"),
        ({"extra": {"bind": {}}}, "server.extra.bind"),
        ({"managers": {"api": {"access_token": MASK}}}, "server.managers.api.access_token"),
    ],
)
def test_invalid_values_are_refused_with_their_path(server: dict[str, Any], option: str) -> None:
    with pytest.raises(BadInput) as refused:
        server_config.validate(server)
    assert refused.value.option == option
    assert "canary" not in str(refused.value)


def test_text_can_be_a_macro_that_the_server_replaces() -> None:
    server_config.validate(
        {
            "ip": ["${env:OME_IP:*}"],
            "stun_server": "${env:OME_STUN}",
            "bind": {
                "providers": {
                    "rtmp": {"port": "${env:OME_RTMP_PORT:1935}"},
                    "webrtc": {"ice_candidates": {"ice_candidate": ["${env:OME_ICE_CANDIDATES:*:10006-10010/udp}"]}},
                }
            },
        }
    )
    with pytest.raises(BadInput, match="without control characters"):
        server_config.validate({"stun_server": "${env:OME_STUN}\n"})


def test_settings_without_effect_cause_warnings() -> None:
    managers, api = {"api": {"access_token": "x"}}, {"managers": {"api": {"port": "8081"}}}
    assert server_config.warnings_for({"managers": managers, "bind": api}) == []
    assert len(server_config.warnings_for({"managers": managers})) == 1
    assert len(server_config.warnings_for({"bind": api})) == 1
    tls = {"managers": {"api": {"port": "8081", "tls_port": "8082"}}}
    assert len(server_config.warnings_for({"managers": managers, "bind": tls})) == 1


def test_bare_names_and_nulls_are_providers_without_settings() -> None:
    given = {"bind": {"providers": ["rtmp", "srt"], "publishers": {"llhls": None, "extra": None}, "managers": None}}
    assert server_config.expand_names(given) == {
        "bind": {"providers": {"rtmp": {}, "srt": {}}, "publishers": {"llhls": {}, "extra": None}, "managers": None}
    }
    assert server_config.expand_names({"bind": {"providers": "rtmp"}}) == {"bind": {"providers": {"rtmp": {}}}}
    for other in ("text", None, {"bind": "text"}, {"bind": {"providers": "rtmp and srt"}}):
        assert server_config.expand_names(other) == other


@pytest.mark.parametrize(
    ("logger", "option"),
    [
        ({"path": "logs"}, "logger.path"),
        ({"tags": []}, "logger.tags"),
        ({"tags": [{"name": "(", "level": "info"}]}, "logger.tags[0].name"),
        ({"tags": [{"name": " ", "level": "info"}]}, "logger.tags[0].name"),
        # Python takes these, and the server does not start with them.
        *(
            ({"tags": [{"name": name, "level": "info"}]}, "logger.tags[0].name")
            for name in ("a{", "{", "a{,3}", "(?i)a", "(?P<n>a)", "(?<=a)b", "(?#c)", "${env:TAG:a}", "a{x}[b]")
        ),
        ({"tags": [{"name": "a", "level": "info"}, {"name": "a", "level": "warn"}]}, "logger.tags[1].name"),
    ],
)
def test_invalid_logs_are_refused_with_their_path(logger: dict[str, Any], option: str) -> None:
    with pytest.raises(BadInput) as refused:
        logger_config.validate(logger)
    assert refused.value.option == option


@pytest.mark.parametrize(
    "name",
    [
        ".*",
        "SRT",
        r".*\.Stat",
        "a{2}",
        "a{2,}?",
        "A|B",
        "(?:a|b)c",
        "(?!a)b",
        "(a)\\1",
        r"[{(\]]+",
        "[[:alpha:]]",
        "}]",
    ],
)
def test_expressions_of_the_server_are_taken(name: str) -> None:
    logger_config.validate({"tags": [{"name": name, "level": "info"}]})


def test_a_level_is_refused_for_a_release_that_does_not_know_it() -> None:
    logger = {"tags": [{"name": ".*", "level": "trace"}]}
    logger_config.check_values(logger, (0, 20, 0))
    with pytest.raises(BadInput, match=r"logger\.tags\[0\]\.level: expected another level than trace"):
        logger_config.check_values(logger, (0, 18, 0))


def test_a_log_has_a_directory_and_tags() -> None:
    full = logger_config.complete({"file": {"enabled": False}})
    logger_config.validate(full)
    assert full["path"] == "/var/log/ovenmediaengine" and full["tags"][-1] == {"name": ".*", "level": "info"}
    assert logger_config.complete({"tags": [{"name": "x", "level": "warn"}]})["tags"] == [
        {"name": "x", "level": "warn"}
    ]
    assert list(LOGGER.fields)[-1] == "tags"
