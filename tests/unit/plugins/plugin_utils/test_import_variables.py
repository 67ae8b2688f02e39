# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The import of configuration files: files to variables, what no option can hold, and files that are refused."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST

from .configuration_directory import find, import_config, load, options, read, slurp

HOST = "<VirtualHost><Name>{}</Name><Host><Names><Name>{}.example.com</Name></Names></Host>{}</VirtualHost>"
APPLICATION = (
    "<Applications><Application><Name>live</Name><Type>live</Type><Providers><RTMP/></Providers>"
    "<Publishers><LLHLS/>{}</Publishers></Application></Applications>"
)
API = (
    "<Bind><Managers><API><Port>8081</Port></API></Managers></Bind>"
    "<Managers><API><AccessToken>canary-token</AccessToken></API></Managers>"
)
PUSH = (
    "<Push><Enable>{}</Enable><StreamName>s*</StreamName><Protocol>rtmp</Protocol>"
    "<Url>rtmp://a.example.com/app</Url><StreamKey>canary-key</StreamKey></Push>"
)


def host(name: str, inside: str = "") -> str:
    return HOST.format(name, name, inside)


def push_host(path: str, *, enable: str = "true") -> str:
    """Return a virtual host with an application that has a stream map."""
    stream_map = f"<StreamMap><Enable>{enable}</Enable><Path>{path}</Path></StreamMap>"
    return host("a", APPLICATION.format(f"<Push>{stream_map}</Push>"))


def write(folder: Path, inside: str = "", hosts: str = "", **files: str) -> Path:
    """Write Server.xml and other files, named without their suffix."""
    server = f'<Server version="8">{API}{inside}<VirtualHosts>{hosts}</VirtualHosts></Server>'
    for name, text in {"Server": server, **files}.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    return folder


def left_out(result: dict[str, Any]) -> list[str]:
    return [f"{one['what']}: {one['reason']}" for one in result["left_out"]]


def problem(folder: Path, **given: Any) -> str:
    result = read(folder, **given)
    assert set(result) == {"problems", "needed"}
    (text,) = result["problems"]
    assert "canary" not in text
    return str(text)


def test_files_are_read_in_rounds(tmp_path: Path) -> None:
    write(
        tmp_path,
        hosts='<VirtualHost include="VHost*.xml"/>' + host("own"),
        VHost_a=push_host("push.xml"),
        push=f"<PushInfo>{PUSH.format('true')}</PushInfo>",
        Logger='<Logger version="2"><Tag name=".*" level="info"/></Logger>',
        other="<not read",
    )
    files, links = find(tmp_path)
    contents: list[dict[str, Any]] = []
    rounds = []
    while True:
        result = import_config(contents, str(tmp_path), files, links)
        if not result["needed"]:
            break
        assert result["problems"] == [] and set(result) == {"problems", "needed"}
        rounds.append(sorted(result["needed"]))
        contents += [slurp(tmp_path, name) for name in result["needed"]]
    assert rounds == [["Logger.xml", "Server.xml"], ["VHost_a.xml"], ["push.xml"]]
    assert result["counts"] == {"vhosts": 2, "applications": 1, "push_tasks": 1, "records": 0}
    assert [vhost["name"] for vhost in load(result)["ovenmediaengine_vhosts"]] == ["a", "own"]
    assert load(result)["server_logger"] == {"tags": [{"name": ".*", "level": "info"}]}
    # The order of the results and of the listing makes no difference.
    assert import_config(contents[::-1], str(tmp_path), files[::-1], links) == result


def test_secrets_become_variables(tmp_path: Path) -> None:
    alert = "<Alert><Url>https://u:canary-user@a.example.com/</Url><SecretKey>canary-{{ x }}</SecretKey>"
    policy = (
        "<SignedPolicy><PolicyQueryKeyName>p</PolicyQueryKeyName><SignatureQueryKeyName>s</SignatureQueryKeyName>"
        "<SecretKey>canary-policy</SecretKey></SignedPolicy>"
    )
    write(
        tmp_path,
        f"{alert}<Timeout>3000</Timeout></Alert><New><Token>canary-extra</Token></New>",
        host("b", policy) + push_host("push.xml"),
        push=f"<PushInfo>{PUSH.format('true')}</PushInfo>",
    )
    result = read(tmp_path)
    assert "canary" not in str(result)
    assert {one["name"].removeprefix("ovenmediaengine_secret_"): one["where"] for one in result["secrets"]} == {
        "server_managers_api_access_token": "Server.xml: managers.api.access_token",
        "server_alert_url_user_info": "Server.xml: alert.url (in it: user info)",
        "server_alert_secret_key": "Server.xml: alert.secret_key",
        "server_extra_new_token": "Server.xml: extra.new.token",
        "b_signed_policy_secret_key": "virtual host b: signed_policy.secret_key",
        "a_live_map_1_stream_key": "push task a/live/map-1: stream_key",
    }
    variables = load(result)
    assert variables["ovenmediaengine_api_token"] == "{{ ovenmediaengine_secret_server_managers_api_access_token }}"
    assert variables["server_settings"]["managers"]["api"] == {}
    for value in (True, "true", "yes"):
        shown = read(tmp_path, show_secrets=value)
        assert shown["secrets"] == []
    variables = load(shown)
    assert variables["ovenmediaengine_api_token"] == "canary-token"
    assert variables["server_settings"]["alert"]["secret_key"] == "canary-{{ x }}"
    assert variables["ovenmediaengine_push_tasks"][0]["stream_key"] == "canary-key"
    assert options(variables)["server"]["managers"]["api"] == {"access_token": "canary-token"}


def test_unknown_elements_go_to_extra_or_are_reported(tmp_path: Path) -> None:
    write(
        tmp_path,
        "<Wobble><A>1</A></Wobble><Odd-Name/>",
        host(
            "a",
            "<Wobble>canary-x</Wobble><!-- <Not>there</Not> --><Off ignore='true'/>"
            + APPLICATION.format("<Wobble><B>x</B></Wobble>"),
        )
        + "<Wobble/>",
        Logger='<Logger version="2"><Path>/var/log/x</Path>\n<Wobble/><Tag name=".*" level="info"/></Logger>',
    )
    result = read(tmp_path)
    assert sorted(left_out(result)) == [
        "element Logger.Wobble (Logger.xml, line 2): the collection has no option for it",
        "element Server.Odd-Name (Server.xml, line 1): its name has other characters than letters, digits and '_'",
        "element Server.VirtualHosts.Wobble (Server.xml, line 1): it is no virtual host",
        "element VirtualHost(a).Wobble (Server.xml, line 1): the collection has no option for it; no release from "
        f"0.11.0 to {NEWEST} knows it, and none starts with it",
        'elements with ignore="true": the server ignores VirtualHost(a).Off (Server.xml, line 1)',
    ]
    assert "canary" not in str(result)
    variables = load(result)
    assert variables["server_settings"]["extra"] == {"wobble": {"a": "1"}}
    (app,) = variables["ovenmediaengine_vhosts"][0]["applications"]
    assert app["publishers"]["extra"] == {"wobble": {"b": "x"}}
    unknown = f"no release from 0.11.0 to {NEWEST} knows it, and none starts with it"
    assert [f"{one['what']}: {one['reason']}" for one in result["extra"]] == [
        f"element Server.Wobble (Server.xml, line 1): {unknown}",
        f"element VirtualHost(a).Applications.Application(live).Publishers.Wobble (Server.xml, line 1): {unknown}",
    ]
    (note,) = [one for one in result["notes"] if "extra" in one]
    assert note.startswith(
        f"OvenMediaEngine {NEWEST} does not start with these elements, which are in extra: Server.Wobble"
    )


def test_elements_in_wrong_places_are_reported(tmp_path: Path) -> None:
    names = "<Host><Names><Name>a.example.com</Name><Url>x</Url><Name><Deep/>b.example.com</Name></Names></Host>"
    write(tmp_path, hosts=f"<VirtualHost><Name>a</Name>{names}</VirtualHost>")
    result = read(tmp_path)
    assert left_out(result) == [
        "element VirtualHost(a).Host.Names.Url (Server.xml, line 1): only Name is expected there",
        "element VirtualHost(a).Host.Names.Name.Deep (Server.xml, line 1): only text is expected there",
    ]


def test_invalid_options_are_reported_without_secrets(tmp_path: Path) -> None:
    write(
        tmp_path,
        "<Type>canary</Type><StunServer>nowhere</StunServer>"
        "<Alert><Url>canary-{{</Url><SecretKey>canary-key</SecretKey><Timeout>1</Timeout></Alert>",
        host("a") + host("b c"),
        Logger='<Logger version="2"><Path>relative</Path><Tag name=".*" level="loud"/></Logger>',
    )
    result = read(tmp_path)
    assert left_out(result) == [
        "option tags[0] of Logger.xml (Logger.xml, line 1): level expected one of: trace, debug, info, warn, error, "
        "critical",
        "option path of Logger.xml (Logger.xml, line 1): expected an absolute path on the media server such as "
        "'/etc/ovenmediaengine/certs/cert.pem'",
        "option type of Server.xml (Server.xml, line 1): expected one of: origin, edge",
        "option stun_server of Server.xml (Server.xml, line 1): expected 'host:port' such as 'stun.example.com:3478'",
        "option alert of Server.xml (Server.xml, line 1): url expected a URL such as "
        "'https://hooks.example.com/admission'",
        "virtual host b c (Server.xml, line 1): name expected letters, digits, '.', '_' and '-' only (the server "
        "cannot address anything else)",
    ]
    variables = load(result)
    assert "alert" not in variables["server_settings"] and variables["server_logger"] == {}
    assert [vhost["name"] for vhost in variables["ovenmediaengine_vhosts"]] == ["a"]


def test_a_virtual_host_is_not_opened_to_everybody(tmp_path: Path) -> None:
    """Without its invalid webhook, everybody could publish and watch."""
    inside = "<ControlServerUrl>canary</ControlServerUrl><SecretKey>canary</SecretKey>"
    hooks = f"<AdmissionWebhooks>{inside}<Enables><Providers>rtmp</Providers></Enables></AdmissionWebhooks>"
    result = read(write(tmp_path, hosts=host("a", hooks) + host("b")))
    assert left_out(result) == [
        "virtual host a (Server.xml, line 1): admission_webhooks.control_server_url expected a URL such as "
        "'https://hooks.example.com/admission'"
    ]
    assert [vhost["name"] for vhost in load(result)["ovenmediaengine_vhosts"]] == ["b"]


@pytest.mark.parametrize(
    "enables", ["", "<Enables/>", "<Enables><Providers></Providers><Publishers></Publishers></Enables>"]
)
def test_webhooks_that_are_off_do_not_cost_the_virtual_host(tmp_path: Path, enables: str) -> None:
    """They are copied from the sample and not filled in. The server never uses them."""
    empty = f"<ControlServerUrl></ControlServerUrl><SecretKey></SecretKey><Timeout>3000</Timeout>{enables}"
    result = read(write(tmp_path, hosts=host("a", f"<AdmissionWebhooks>{empty}</AdmissionWebhooks>")))
    assert left_out(result) == [
        "option admission_webhooks of virtual host a (Server.xml, line 1): the server does not use it, because its "
        "enables names no provider and no publisher; control_server_url expected a URL such as 'https://hooks.example.com/admission'"
    ]
    (vhost,) = load(result)["ovenmediaengine_vhosts"]
    assert vhost["name"] == "a" and "admission_webhooks" not in vhost


def test_a_policy_that_protects_nothing_is_kept_with_a_note(tmp_path: Path) -> None:
    policy = (
        "<SignedPolicy><PolicyQueryKeyName>policy</PolicyQueryKeyName>"
        "<SignatureQueryKeyName>signature</SignatureQueryKeyName><SecretKey>canary</SecretKey></SignedPolicy>"
    )
    result = read(write(tmp_path, hosts=host("a", policy)))
    assert result["left_out"] == []
    assert (
        "signed_policy of virtual host a protects nothing, because its enables names no provider and no publisher."
        in (result["notes"])
    )
    assert "signed_policy" in load(result)["ovenmediaengine_vhosts"][0]


def test_another_file_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "ome-Server.xml").write_text("<Server/>", encoding="utf-8")
    assert (
        f"There is no file Server.xml in {tmp_path}, which has ome-Server.xml. If the server sees one of them as "
        "Server.xml, copy it to that name."
    ) in problem(tmp_path)
    for number in range(6):
        (tmp_path / f"{number}.xml").write_text("<Server/>", encoding="utf-8")
    assert "which has 0.xml, 1.xml, 2.xml, 3.xml, 4.xml and 2 more." in problem(tmp_path)


def test_a_map_becomes_jobs(tmp_path: Path) -> None:
    entries = [
        PUSH.format("true"),
        PUSH.format("false"),
        PUSH.format("true").replace("<Push>", "<Push><Id>one</Id><Unknown/>"),
        PUSH.format("true").replace("<Push>", "<Push><Id>one</Id>"),
        PUSH.format("true").replace("<Push>", "<Push><Id>a b</Id><VariantNames>x, y</VariantNames>"),
    ]
    (tmp_path / "maps").mkdir()
    write(tmp_path, hosts=push_host("maps/p.xml"))
    (tmp_path / "maps/p.xml").write_text(f"<PushInfo>{''.join(entries)}</PushInfo>", encoding="utf-8")
    result = read(tmp_path)
    variables = load(result)
    assert [task["id"] for task in variables["ovenmediaengine_push_tasks"]] == ["map-1", "map-4", "one", "one_"]
    assert variables["ovenmediaengine_push_tasks"][0] == {
        "vhost": "a",
        "app": "live",
        "id": "map-1",
        "stream": {"name": "s*", "variant_names": []},
        "protocol": "rtmp",
        "url": "rtmp://a.example.com/app",
        "stream_key": "{{ ovenmediaengine_secret_a_live_map_1_stream_key }}",
    }
    assert variables["ovenmediaengine_push_tasks"][1]["stream"]["variant_names"] == ["x", "y"]
    assert left_out(result) == [
        "entry 2 of push_map.xml of application a/live (maps/p.xml, line 1): it is off",
        "element PushInfo.Push.Unknown (maps/p.xml, line 1): the collection has no option for it",
    ]
    # The server reads its jobs, so that the option of the application is not needed.
    assert variables["ovenmediaengine_vhosts"][0]["applications"][0]["publishers"]["push"] == {}


def test_a_path_of_the_server_is_one_of_the_directory(tmp_path: Path) -> None:
    tls = "<TLS><CertPath>c.crt</CertPath><KeyPath>k</KeyPath></TLS>"
    names = f"<Host><Names><Name>b.example.com</Name></Names>{tls}</Host>"
    write(
        tmp_path,
        hosts=push_host("/opt/conf/push.xml") + f"<VirtualHost><Name>b</Name>{names}</VirtualHost>",
        push=f"<PushInfo>{PUSH.format('true')}</PushInfo>",
    )
    result = read(tmp_path, server_directory="/opt/conf")
    assert result["counts"]["push_tasks"] == 1 and result["left_out"] == []
    assert load(result)["ovenmediaengine_vhosts"][1]["host"]["tls"] == {
        "cert_path": "/opt/conf/c.crt",
        "key_path": "/opt/conf/k",
    }
    result = read(tmp_path)
    assert left_out(result) == [
        "push_map.xml of application a/live: /opt/conf/push.xml is outside of the configuration directory; "
        "the option stream_map names it"
    ]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("${env:MAP}/p.xml", "its path has a macro: ${env:MAP}/p.xml"),
        ("none.xml", "there is no file none.xml"),
        ("../p.xml", "../p.xml is outside of the configuration directory"),
        ("/etc/passwd", "/etc/passwd is outside of the configuration directory"),
    ],
)
def test_a_map_that_cannot_be_read_stays_an_option(tmp_path: Path, path: str, reason: str) -> None:
    result = read(write(tmp_path, hosts=push_host(path)))
    assert left_out(result) == [f"push_map.xml of application a/live: {reason}; the option stream_map names it"]
    push = load(result)["ovenmediaengine_vhosts"][0]["applications"][0]["publishers"]["push"]
    assert push == {"stream_map": {"enable": True, "path": path}}


def test_a_map_with_an_entry_that_is_no_option_stays_one(tmp_path: Path) -> None:
    bad = PUSH.format("true").replace("rtmp://a", "http://canary@a")
    write(tmp_path, hosts=push_host("push.xml"), push=f"<PushInfo>{PUSH.format('true')}{bad}</PushInfo>")
    result = read(tmp_path)
    (text,) = left_out(result)
    assert text.startswith("push_map.xml of application a/live: entry 2 that is on: url expected")
    assert "canary" not in str(result)
    assert result["counts"]["push_tasks"] == 0 and "push.xml" in result["vhosts"]


def test_a_map_that_is_off_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, hosts=push_host("push.xml", enable="false"), push="<broken")
    result = read(tmp_path)
    assert result["left_out"] == [] and "enable: false" in result["vhosts"]


def test_notes_say_what_to_do(tmp_path: Path) -> None:
    pulled = APPLICATION.format("").replace("<Name>live</Name>", "<Name>*</Name>")
    server = (
        '<Server version="8"><VirtualHosts>'
        f'<VirtualHost include="VHost*.xml"/>{host("b", pulled).replace("b.example.com", "*")}'
        "</VirtualHosts></Server>"
    )
    write(tmp_path, Server=server, VHosts=host("z"), VHost_y=host("y"))
    assert read(tmp_path)["notes"] == [
        "The server has no API. The role server adds it, with the token ovenmediaengine_api_token, and with port 8081 "
        "if bind.managers is not listed.",
        "Streams of these applications cannot be published or played, because the files lack what the API adds: "
        "b/* (output_profiles). The roles server and provision add it.",
        "Only files of the server can have the application * of virtual host b; the role provision refuses it.",
        "The first virtual host with a matching host name gets a stream. The order in the files is y, z, b. With the "
        "role server, it is undefined. Check host names with * and ?.",
    ]
    api = API.replace("canary-token", "${env:TOKEN}")
    write(tmp_path, Server=f'<Server version="8">{api}</Server>')
    assert read(tmp_path)["notes"] == [
        "The access token of the API is a macro of the server. Set ovenmediaengine_api_token to the token."
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"Server": "<!-- canary"}, "Server.xml:1: expected --> at the end of a comment that begins here"),
        ({"Server": "<Server><Name>canary</Server>"}, "Server.xml:1: expected the end tag </Name>"),
        ({"Server": "<Server/>"}, "Server.xml has no version (line 1)"),
        ({"Server": '<Server version="11"/>'}, "Server.xml has version 11 (line 1)"),
        ({"Logger": '<Logger version="1"/>'}, "Logger.xml has version 1 (line 1)"),
        ({"Server": "<Logger/>"}, "Server.xml:1: expected the element Server, got Logger"),
        ({"Logger": "<Server/>"}, "Logger.xml:1: expected the element Logger, got Server"),
        ({"hosts": '<VirtualHost include="../x.xml"/>'}, "Server.xml:1: expected an include inside of"),
        ({"hosts": '<VirtualHost include="/etc/x.xml"/>'}, "Server.xml:1: expected an include inside of"),
        ({"hosts": '<VirtualHost include="x.xml"/>', "x": "<Server/>"}, "x.xml:1: expected the element VirtualHost"),
        (
            {"hosts": '<VirtualHost include="x.xml"/>', "x": '<VirtualHost><Host include="x.xml"/></VirtualHost>'},
            "x.xml: expected no file that includes itself",
        ),
        ({"hosts": '<VirtualHost include="x.xml"/>', "x": " " * (4 << 20) + "<x/>"}, "x.xml: expected at most 4194304"),
        ({"hosts": host("a") * 2}, "Server.xml:1: expected one virtual host a, which Server.xml defines, too"),
        ({"hosts": push_host("x.xml"), "x": "<RecordInfo/>"}, "x.xml:1: expected the element PushInfo"),
        ({"hosts": push_host("x.xml"), "x": "<PushInfo>"}, "x.xml:1: expected the end tag </PushInfo>"),
    ],
)
def test_files_are_refused(tmp_path: Path, files: dict[str, str], words: str) -> None:
    text = problem(write(tmp_path, **files))
    assert text.startswith("Could not use the configuration file ") and words in text
    syntax = "Correct the file. The server cannot read it, either."
    version = "of the server's source show the present form."
    assert text.endswith(syntax if "end " in words else version if "version" in words else "Correct the file.")


ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'


def test_what_the_server_reads_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        Server=f"\n<?xml version='1.0'?>{ENTITY}<Server version='8'><!-- <Alert> <!-- - --><Name>a & b &e;</Name>"
        "</Server>",
        Logger=f"{ENTITY}<Logger version='2'><Tag name='x' name='y' level='info'/></Logger>",
    )
    found = read(tmp_path)
    assert load(found)["server_settings"] == {"name": "a & b &e;"}
    assert load(found)["server_logger"] == {"tags": [{"name": "x", "level": "info"}]}


def test_text_that_no_option_can_hold_is_left_out(tmp_path: Path) -> None:
    """The server reads bytes that are no UTF-8, as of an undeclared Latin-1."""
    write(tmp_path)
    server = f"<Server version='8'>\n<!-- é --><Name>é</Name><Type>origin</Type>{API}<StUNServeré/></Server>"
    (tmp_path / "Server.xml").write_bytes(server.encode("latin-1"))
    assert left_out(read(tmp_path)) == [
        f"element Server.{name} (Server.xml, line 2): it has control characters, or bytes that are no UTF-8"
        for name in ("Name", "StUNServer\\udce9")
    ]


def test_a_link_is_followed_inside_of_the_directory_only(tmp_path: Path) -> None:
    folder = tmp_path / "conf"
    (folder / "..data").mkdir(parents=True)
    write(folder / "..data", hosts='<VirtualHost include="hosts/VHost*.xml"/>')
    (folder / "Server.xml").symlink_to("..data/Server.xml")
    (folder / "real").mkdir()
    (folder / "real/VHost_a.xml").write_text(host("a"))
    (folder / "real/VHost_b.xml").symlink_to("../b")
    (folder / "b").write_text(host("b"))
    (folder / "hosts").symlink_to("real")
    assert [vhost["name"] for vhost in load(read(folder))["ovenmediaengine_vhosts"]] == ["a", "b"]

    (tmp_path / "outside").write_text(host("c"))
    (folder / "real/VHost_c.xml").symlink_to("../../outside")
    assert "VHost_c.xml: expected a file inside of" in problem(folder)
    (folder / "real/VHost_c.xml").unlink()
    (folder / "loop").symlink_to("loop")
    (folder / "Server.xml").unlink()
    (folder / "Server.xml").symlink_to("/etc/passwd")
    assert "Server.xml: expected a file inside of" in problem(folder)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert problem(tmp_path).startswith(f"Could not read Server.xml. There is no file Server.xml in {tmp_path}.")
    files, links = find(write(tmp_path))
    denied = [{"item": "Server.xml", "failed": False, "msg": "file is not readable: Server.xml"}]
    (text,) = import_config(denied, str(tmp_path), files, links)["problems"]
    assert text == (
        "Could not read Server.xml. file is not readable: Server.xml. Check that config_dir is the server's "
        "configuration directory on the media server, and that the user of the task may read its files; become is "
        "usually necessary."
    )
    # It has grown after it was listed.
    large = [{"item": "Server.xml", "content": base64.b64encode(b" " * (4 << 20) + b"<x/>").decode()}]
    (text,) = import_config(large, str(tmp_path), files, links)["problems"]
    assert "expected at most 4194304 bytes" in text


def test_too_many_files_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, hosts='<VirtualHost include="VHost*.xml"/>')
    files, links = find(tmp_path)
    files += [{"path": f"{tmp_path}/VHost_{number}.xml", "isreg": True, "size": 9} for number in range(1001)]
    (text,) = import_config([slurp(tmp_path, "Server.xml")], str(tmp_path), files, links)["problems"]
    assert "expected an include of at most 1000 files" in text


@pytest.mark.parametrize("contents", [None, "x", [1], [{}], [{"item": "Server.xml", "content": "%"}]])
def test_other_input_is_refused(contents: Any) -> None:
    with pytest.raises(ValueError, match="unexpected contents or files"):
        import_config(contents, "/x", [])
