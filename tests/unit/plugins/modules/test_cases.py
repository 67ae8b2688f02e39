# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user sees for inputs of real users, in `tests/cases`, and for others of the same kinds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.configuration_directory import (
    load,
    options,
    read,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

CASES = Path(__file__).resolve().parents[3] / "cases"
HOST = "<Host><Names><Name>live.example.com</Name></Names></Host>"
APPLICATION = "<Application><Name>{}</Name><Type>live</Type>{}</Application>"
TWICE = "\n".join([APPLICATION.format("a", "")] * 2)
SERVER = """<Server version="8">
<Bind><Managers><API><Port>8081</Port></API></Managers>
{bind}
</Bind>
<Managers><API><AccessToken>not-a-real-token</AccessToken></API></Managers>
{server}
<VirtualHosts><VirtualHost>
<Name>default</Name>
{vhost}
</VirtualHost>
{vhosts}
</VirtualHosts>
</Server>
"""


def not_written(result: dict[str, Any]) -> list[str]:
    assert result["problems"] == [], result["problems"]
    return [f"{one['what']}: {one['reason']}" for one in result["left_out"]]


def imported(folder: Path, *, vhost: str = HOST, vhosts: str = "", **parts: str) -> dict[str, Any]:
    """Import a Server.xml with these parts. ``vhost`` begins in line 9."""
    bind, server = parts.pop("bind", ""), parts.pop("server", "")
    text = SERVER.format(bind=bind, server=server, vhost=vhost, vhosts=vhosts)
    (folder / "Server.xml").write_text(text, encoding="utf-8", newline="")
    for name, content in parts.items():
        (folder / f"{name}.xml").write_text(content, encoding="utf-8")
    return read(folder)


# Elements that appear twice


@pytest.mark.parametrize(
    ("case", "element"),
    [
        ("duplicate_applications", "VirtualHost(default).Applications with Application second"),
        (
            "duplicate_encodes",
            "VirtualHost(default).Applications.Application(app).OutputProfiles.OutputProfile(p).Encodes",
        ),
        ("duplicate_provider", "VirtualHost(default).Applications.Application(app).Providers.WebRTC"),
    ],
)
def test_the_second_of_two_elements_is_named_with_its_line(case: str, element: str) -> None:
    tag = element.partition(" with ")[0].rpartition(".")[2]
    assert not_written(read(CASES / case)) == [
        f"element {element} (Server.xml, line 14): the server takes the first {tag} (in the same line)"
    ]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (
            {"vhost": f"<Name>other</Name>{HOST}"},
            "element VirtualHost(default).Name (Server.xml, line 9): the server takes the first Name (Server.xml, line "
            "8)",
        ),
        (
            {"vhost": f"{HOST}\n<Host><Names><Name>other.example.com</Name></Names></Host>"},
            "element VirtualHost(default).Host (Server.xml, line 10): the server takes the first Host (Server.xml, "
            "line 9)",
        ),
        (
            {"vhost": HOST.replace("</Names>", "</Names>\n<Names><Name>x.example.com</Name></Names>")},
            "element VirtualHost(default).Host.Names (Server.xml, line 10): the server takes the first Names "
            "(Server.xml, "
            "line 9)",
        ),
        (
            {"bind": "<Publishers><LLHLS/></Publishers>\n<Publishers><HLS/></Publishers>"},
            "element Server.Bind.Publishers (Server.xml, line 4): the server takes the first Publishers (Server.xml, "
            "line 3)",
        ),
        (
            {"vhost": f"{HOST}<Applications>{TWICE}</Applications>"},
            "element VirtualHost(default).Applications.Application(a) (Server.xml, line 10): another Application has "
            "this name, and the first one counts (Server.xml, line 9)",
        ),
        (
            {"server": "<VirtualHosts>\n</VirtualHosts>"},
            "element Server.VirtualHosts (Server.xml, line 8): the server takes the first VirtualHosts (Server.xml, "
            "line 6)",
        ),
        (
            {"vhosts": "</VirtualHosts>\n</Server>\n<Server version='8'><VirtualHosts>"},
            "element Server (Server.xml, line 13): the server takes the first Server (Server.xml, line 1)",
        ),
        (
            {"Logger": "<Logger version='2'><Path>/a</Path>\n<Path>/b</Path><Tag name='.*' level='info'/></Logger>"},
            "element Logger.Path (Logger.xml, line 2): the server takes the first Path (Logger.xml, line 1)",
        ),
    ],
)
def test_any_duplicate_is_named_with_the_one_that_counts(tmp_path: Path, parts: dict[str, str], expected: str) -> None:
    assert not_written(imported(tmp_path, **parts)) == [expected]


def test_the_last_level_of_a_log_tag_counts(tmp_path: Path) -> None:
    """The server keeps the place of the first one."""
    tags = "<Tag name='a' level='info'/>\n<Tag name='b' level='info'/>\n<Tag name='a' level='warn'/>"
    result = imported(tmp_path, Logger=f"<Logger version='2'>{tags}</Logger>")
    assert load(result)["server_logger"]["tags"] == [{"name": "a", "level": "warn"}, {"name": "b", "level": "info"}]
    assert not_written(result) == [
        "element Logger.Tag(a) (Logger.xml, line 1): a later Tag has this name, and its level counts (Logger.xml, "
        "line 3)"
    ]


def test_two_output_profiles_with_one_name_are_named(tmp_path: Path) -> None:
    encodes = "<Encodes><Video><Bypass>true</Bypass></Video></Encodes>"
    profile = f"<OutputProfile><Name>p</Name><OutputStreamName>s</OutputStreamName>{encodes}</OutputProfile>"
    app = APPLICATION.format("a", f"<OutputProfiles>{profile}\n{profile}</OutputProfiles>")
    assert not_written(imported(tmp_path, vhost=f"{HOST}<Applications>{app}</Applications>")) == [
        "element VirtualHost(default).Applications.Application(a).OutputProfiles.OutputProfile(p) (Server.xml, line "
        "10): another OutputProfile has this name, and the first one counts (Server.xml, line 9)"
    ]


# What the server does not read


def test_ignored_elements_unknown_attributes_and_stray_text_are_named(tmp_path: Path) -> None:
    vhost = (
        f'{HOST}<Distribution since="2020">x<!-- y -->z</Distribution>\n'
        '<Applications ignore="true"/>\n<SignedPolicy ignore="true"/>stray'
    )
    assert not_written(imported(tmp_path, vhost=vhost)) == [
        "text in element VirtualHost(default) (Server.xml, line 7): the server reads no text there",
        "attribute since of element VirtualHost(default).Distribution (Server.xml, line 9): the server does not read "
        "it",
        "text in element VirtualHost(default).Distribution (Server.xml, line 9): the server reads the text before it "
        "only",
        'elements with ignore="true": the server ignores VirtualHost(default).Applications (Server.xml, line 10), '
        "VirtualHost(default).SignedPolicy (Server.xml, line 11)",
    ]


def test_a_virtual_host_without_host_names_is_left_out_for_that_reason(tmp_path: Path) -> None:
    reason = "it has no host names, so nobody reaches it"
    assert not_written(read(CASES / "no_host_element")) == [f"virtual host default (Server.xml, line 14): {reason}"]
    for host in ("<Host/>", "<Host><Names/></Host>", '<Host><Names ignore="true"><Name>a</Name></Names></Host>'):
        found = not_written(imported(tmp_path, vhost=host))
        assert found[0] == f"virtual host default (Server.xml, line 7): {reason}"


def test_what_decides_is_the_reason_and_not_what_follows_from_it(tmp_path: Path) -> None:
    names = "<Host><Names>\n<Name>a b</Name></Names></Host>"
    workers = "<Publishers><StreamWorkerCount>many</StreamWorkerCount></Publishers>"
    vhost = f"{names}<Applications>{APPLICATION.format('x y', workers)}{APPLICATION.format('ok', '')}</Applications>"
    found = not_written(imported(tmp_path, vhost=vhost))
    assert found[0].startswith("virtual host default (Server.xml, line 10): host.names[0] expected a domain name")
    assert not any("required" in one for one in found)
    found = not_written(imported(tmp_path, vhost=vhost.replace("<Name>a b<", "<Name>a.example.com<")))
    assert [one for one in found if "name expected" in one] == [
        "application x y of virtual host default (Server.xml, line 10): name expected letters, digits, '.', '_' and "
        "'-' only (the server cannot address anything else)"
    ]


def test_each_application_is_left_out_for_its_own_reason(tmp_path: Path) -> None:
    apps = "\n".join(APPLICATION.format(name, "") for name in ("a b", "ok", "c d"))
    typed = apps.replace("<Name>c d</Name><Type>live</Type>", "<Name>last</Name><Type>dead</Type>")
    result = imported(tmp_path, vhost=f"{HOST}<Applications>\n{typed}</Applications>")
    assert [one.partition(" expected")[0] for one in not_written(result)] == [
        "option applications[2].type of virtual host default (Server.xml, line 12):",
        "application a b of virtual host default (Server.xml, line 10): name",
    ]
    (vhost,) = load(result)["ovenmediaengine_vhosts"]
    assert [app["name"] for app in vhost["applications"]] == ["ok", "last"]


def test_webhooks_that_are_not_filled_in_do_not_cost_the_virtual_host() -> None:
    result = read(CASES / "empty_webhooks")
    (text,) = not_written(result)
    assert text.startswith(
        "option admission_webhooks of virtual host default (Server.xml, line 14): the server does not"
    )
    (vhost,) = load(result)["ovenmediaengine_vhosts"]
    assert vhost["name"] == "default" and "admission_webhooks" not in vhost


def test_a_line_break_in_a_value_is_named_with_what_the_server_makes_of_it() -> None:
    result = read(CASES / "newline_in_candidate")
    assert not_written(result) == [
        "option bind.publishers.webrtc.ice_candidates.ice_candidate[0] of Server.xml (Server.xml, line 9): its value "
        "has a line break, which the server takes as a part of it; write it in one line"
    ]
    publishers = load(result)["server_settings"]["bind"]["publishers"]
    assert "ice_candidate" not in publishers["webrtc"]["ice_candidates"]


# Versions and elements of old releases


def test_a_file_of_an_old_version_is_refused_in_one_sentence(tmp_path: Path) -> None:
    result = read(CASES / "server_version_7")
    assert result["problems"] == [
        "Could not use the configuration file Server.xml. Server.xml has version 7 (line 2). The servers that this "
        "collection supports refuse it: they take 8, 9 and 10 only. Nothing was written. Convert the file. The samples "
        "in misc/conf_examples of the server's source show the present form."
    ]
    assert set(result) == {"problems", "needed"}
    shutil.copytree(CASES / "server_version_7", tmp_path, dirs_exist_ok=True)
    before = (tmp_path / "Server.xml").read_bytes()
    run = run_module("server_config", {"config_dir": str(tmp_path), "version": NEWEST, "server": {"name": "x"}})
    assert run.failed and run["error"]["kind"] == "config_version" and "they take 8, 9 and 10 only" in run["msg"]
    assert [path.name for path in tmp_path.iterdir()] == ["Server.xml"]
    assert (tmp_path / "Server.xml").read_bytes() == before


def test_a_durable_virtual_host_beside_a_file_of_an_old_version_is_refused(tmp_path: Path, current: Simulator) -> None:
    shutil.copytree(CASES / "server_version_7", tmp_path, dirs_exist_ok=True)
    given = {"name": "t", "host": {"names": ["t.example.com"]}, "durable": True, "config_dir": str(tmp_path)}
    run = run_module("vhost", {**connection(current), **given})
    assert run.failed and run["error"]["kind"] == "config_version"
    assert "t" not in current.state.virtual_hosts


@pytest.mark.parametrize("version", ["8", " 9", "10", "${env:FORM:8}"])
def test_all_versions_of_the_servers_are_taken(tmp_path: Path, version: str) -> None:
    text = SERVER.format(bind="", server="", vhost=HOST, vhosts="").replace('version="8"', f'version="{version}"')
    (tmp_path / "Server.xml").write_text(text, encoding="utf-8")
    assert not_written(read(tmp_path)) == []


def test_elements_of_old_releases_are_listed_and_refused_for_new_ones(tmp_path: Path) -> None:
    result = read(CASES / "dash_in_extra")
    history = "0.16.5 and earlier know it, and no other starts with it"
    assert not_written(result) == []
    assert [f"{one['what']}: {one['reason']}" for one in result["extra"]] == [
        f"element Server.Bind.Publishers.DASH (Server.xml, line 9): {history}",
        "element VirtualHost(default).Applications.Application(app).Publishers.DASH (Server.xml, line 14): " + history,
    ]
    assert any(
        one.startswith(f"OvenMediaEngine {NEWEST} does not start with these elements") for one in result["notes"]
    )
    variables = options(load(read(CASES / "dash_in_extra", show_secrets=True)))
    for version in RECORDED_MEDIA:
        run = run_module("server_config", {"config_dir": str(tmp_path), "version": version, **variables})
        assert run.failed and run["error"]["kind"] == "unsupported_option"
        assert (
            f"server.bind.publishers.extra.dash: OvenMediaEngine {version} does not know the element DASH" in run["msg"]
        )
        assert "vhosts[0].applications[0].publishers.extra.dash: OvenMediaEngine" in run["msg"]
        assert list(tmp_path.iterdir()) == []
    old = run_module("server_config", {"config_dir": str(tmp_path), "version": "0.15.10", **variables})
    assert not old.failed and old["changed"]


def test_elements_that_the_version_lacks_are_not_written_if_it_is_known(tmp_path: Path) -> None:
    result = read(CASES / "dash_in_extra", version=NEWEST)
    assert result["extra"] == []
    assert not_written(result)[0] == (
        f"element Server.Bind.Publishers.DASH (Server.xml, line 9): OvenMediaEngine {NEWEST} does not know the element "
        "DASH and would not start; 0.16.5 and earlier know it"
    )
    variables = options(load(read(CASES / "dash_in_extra", version=NEWEST, show_secrets=True)))
    run = run_module("server_config", {"config_dir": str(tmp_path), "version": NEWEST, **variables})
    assert not run.failed and run["changed"]


@pytest.mark.parametrize(
    ("parts", "element", "history"),
    [
        ({"bind": "<Publishers><LLDASH/></Publishers>"}, "LLDASH", "0.14.0 to 0.16.5"),
        ({"bind": "<Publishers><RTMP/></Publishers>"}, "RTMP", "0.16.5 and earlier"),
        ({"server": "<P2P/>"}, "P2P", "0.13.2 and earlier"),
        (
            {
                "vhost": f"{HOST}<Applications>"
                f"{APPLICATION.format('a', '<Publishers><LLHLS><CacheControl/></LLHLS></Publishers>')}</Applications>"
            },
            "CacheControl",
            "0.14.15 and later",
        ),
    ],
)
def test_the_releases_of_an_element_without_an_option_are_named(
    tmp_path: Path, parts: dict[str, str], element: str, history: str
) -> None:
    (one,) = imported(tmp_path, **parts)["extra"]
    assert element in one["what"] and one["reason"].startswith(f"{history} know it")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"bind": "<Publishers><LLHsl/></Publishers>"}, "did you mean LLHLS?"),
        ({"bind": "<Publishers><llhls/></Publishers>"}, "did you mean LLHLS?"),
        ({"vhost": f"{HOST}<SignedPolcy/>"}, "did you mean SignedPolicy?"),
        ({"vhost": f"{HOST}<Domain/>"}, f"no release from 0.11.0 to {NEWEST} knows it"),
        ({"vhost": f"{HOST}<SignedToken/>"}, "0.16.6 and earlier know it"),
    ],
)
def test_unknown_and_misspelt_elements_are_named(tmp_path: Path, parts: dict[str, str], text: str) -> None:
    result = imported(tmp_path, **parts)
    (reason,) = [one["reason"] for one in result["left_out"] + result["extra"]]
    assert text in reason


def test_a_newer_version_is_warned_of_because_its_elements_are_not_known(tmp_path: Path) -> None:
    given = {"config_dir": str(tmp_path), "version": "99.0.0", "server": {"extra": {"newThing": {"token": "canary"}}}}
    run = run_module("server_config", given)
    assert not run.failed and run["changed"] and "canary" not in run.printed
    (warning,) = [one for one in run.warnings if "extra" in one]
    assert f"up to {NEWEST}. It cannot check server.extra.newThing." in warning


# Files that the server reads


@pytest.mark.parametrize("case", ["blank_line_before_declaration", "double_hyphen_in_comment"])
def test_a_file_that_the_server_reads_is_read(case: str) -> None:
    result = read(CASES / case)
    assert not_written(result) == []
    assert [vhost["name"] for vhost in load(result)["ovenmediaengine_vhosts"]] == ["default"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"<Name>default", b"<Distribution>a & b</Distribution><Name>default"),
        lambda text: (
            b'<?xml version="1.0" encoding="ISO-8859-1"?>' + text.replace(b"<Bind>", b"<Name>caf\xe9</Name><Bind>")
        ),
        lambda text: text.replace(b'version="8"', b'version="8" version="7"'),
        lambda text: text.replace(b"\n", b"\r"),
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: b"<!DOCTYPE Server>" + text,
    ],
    ids=["ampersand", "Latin-1", "attribute twice", "CR", "CRLF", "byte order mark", "document type"],
)
def test_lenient_forms_are_read(tmp_path: Path, change: Any) -> None:
    text = SERVER.format(bind="", server="", vhost=HOST, vhosts="").encode()
    (tmp_path / "Server.xml").write_bytes(change(text))
    result = read(tmp_path)
    assert not_written(result) == []
    assert [vhost["name"] for vhost in load(result)["ovenmediaengine_vhosts"]] == ["default"]


def test_another_name_of_the_file_is_named() -> None:
    (text,) = read(CASES / "other_file_name")["problems"]
    assert "There is no file Server.xml in" in text and "which has ome-Server.xml." in text


# Options of modules


def vhost(current: Simulator, **given: Any) -> Any:
    return run_module("vhost", {**connection(current), "name": "t", **given})


def test_a_host_name_with_a_port_is_warned_of(current: Simulator) -> None:
    run = vhost(current, host={"names": ["a.example.com:1935"]})
    assert any("never matches, because host names have no port. Remove ':1935'." in one for one in run.warnings)


def test_a_policy_without_enables_is_warned_of(current: Simulator) -> None:
    policy = {"policy_query_key_name": "policy", "signature_query_key_name": "signature", "secret_key": "not-real"}
    hooks = {"control_server_url": "https://hooks.example.com/a", "secret_key": "not-real"}
    run = vhost(current, host={"names": ["a.example.com"]}, signed_policy=policy, admission_webhooks=hooks)
    for name in ("signed_policy", "admission_webhooks"):
        assert any(f"{name} protects nothing without enables" in one for one in run.warnings)


def test_providers_can_be_text(current: Simulator) -> None:
    app = {"name": "app", "providers": "rtmp,srt", "publishers": "llhls"}
    run = vhost(current, host={"names": "a.example.com,b.example.com"}, applications=[app])
    assert not run.failed, run
    made = current.state.virtual_hosts["t"].applications["app"].config
    assert set(made["providers"]) == {"rtmp", "srt"}


@pytest.mark.parametrize(
    ("decorated", "advice"),
    [("b21lLWFjY2Vzcy10b2tlbg==", "not encoded"), ("Basic b21lLWFjY2Vzcy10b2tlbg==", "It begins with 'Basic '")],
)
def test_an_encoded_token_is_recognized(current: Simulator, decorated: str, advice: str) -> None:
    run = run_module("vhost_info", {**connection(current), "api_token": decorated})
    assert run.failed and run["error"]["kind"] == "unauthorized" and advice in run["msg"]


def test_a_dead_proxy_is_blamed(current: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    run = run_module("vhost_info", connection(current))
    assert run.failed and "proxy" in run["msg"].lower() and "no_proxy" in run["msg"]
    assert "Bind" not in run["msg"]
