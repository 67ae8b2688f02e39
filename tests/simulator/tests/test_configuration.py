# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts from a configuration directory (server-facts: What survives a restart)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, NotStarted, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.schema import KEYS, SERVER_KEYS
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.config_files import (
    TOKEN,
    application,
    server,
    virtual_host,
    write,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import Client, Start, refused

INCLUDE = '<VirtualHost include="VHost*.xml"/>'


@pytest.fixture(params=RECORDED_MEDIA)
def version(request: pytest.FixtureRequest) -> str:
    """Provide each version in turn."""
    return str(request.param)


def reason(directory: Path, version: str) -> str:
    """Return the line with which a server refuses to start, with DIR for the directory."""
    with pytest.raises(NotStarted) as error:
        Simulator(version, config=directory, port=0)
    return str(error.value).replace(str(directory), "DIR")


def names(client: Client) -> list[str]:
    """Return the virtual hosts."""
    found: list[str] = sorted(client.get("/v1/vhosts")[1]["response"])
    return found


def test_virtual_hosts_of_files_are_read_with_all_scalars_as_text(start: Start, tmp_path: Path, version: str) -> None:
    webhooks = (
        "<AdmissionWebhooks><ControlServerUrl>http://hooks.example.com</ControlServerUrl><SecretKey>1234</SecretKey>"
        "<Timeout>3000</Timeout><Enables><Providers>rtmp</Providers></Enables></AdmissionWebhooks>"
    )
    write(
        tmp_path,
        Server=server(virtual_host("default", webhooks, applications=application(output="")) + INCLUDE),
        VHost_a=virtual_host("a", host_name="a.example.com"),
    )
    simulator, client = start(version=version, config=tmp_path, port=0)
    assert simulator.token == TOKEN
    assert names(client) == ["a", "default"]
    assert client.get("/v1/vhosts/default")[1]["response"] == {
        "name": "default",
        "host": {"names": ["*"]},
        "admissionWebhooks": {
            "controlServerUrl": "http://hooks.example.com",
            "secretKey": "1234",
            "timeout": "3000",
            "enables": {"providers": "rtmp"},
        },
    }
    assert client.get("/v1/vhosts/default/apps/live")[1]["response"] == {
        "name": "live",
        "type": "live",
        "dynamic": False,
        "providers": {"rtmp": {}},
        "publishers": {"push": {}},
    }


def test_json_keys_are_those_of_the_version_and_xml_keeps_its_capitals(
    start: Start, tmp_path: Path, version: str
) -> None:
    publishers = "<LLHLS><DVR><Enable>true</Enable><MaxDuration>600</MaxDuration></DVR></LLHLS><MPEGTSPush/>"
    profile = (
        "<OutputProfiles><OutputProfile><Name>p</Name><OutputStreamName>${OriginStreamName}</OutputStreamName><Encodes>"
        "<Video><Name>v</Name><Bypass>true</Bypass></Video><Video><Name>w</Name><Codec>h264</Codec><Bitrate>2M</Bitrate></Video>"
        "</Encodes></OutputProfile></OutputProfiles>"
    )
    app = application(publishers=publishers, output=profile)
    write(tmp_path, Server=server(virtual_host("default", applications=app)))
    _simulator, client = start(version=version, config=tmp_path, port=0)
    found = client.get("/v1/vhosts/default/apps/live")[1]["response"]
    dvr = {"enable": "true", "maxDuration": "600"}
    assert found["publishers"] == (
        {"llhls": {"dvr": dvr}, "mpegtsPush": {}} if version == "0.21.0" else {"llhls": {"dVR": dvr}, "mPEGTSPush": {}}
    )
    (output,) = found["outputProfiles"]["outputProfile"]
    assert output["encodes"] == {
        "videos": [{"name": "v", "bypass": "true"}, {"name": "w", "codec": "h264", "bitrate": "2M"}],
    }


def test_virtual_hosts_of_files_are_read_only_and_those_of_the_api_are_not(
    start: Start, tmp_path: Path, version: str
) -> None:
    write(tmp_path, Server=server(INCLUDE), VHost_a=virtual_host("a", applications=application()))
    _simulator, client = start(version=version, config=tmp_path, port=0)
    assert refused(client.delete("/v1/vhosts/a")) == (403, "[HTTP] The VirtualHost is read-only: [a] (403)")
    assert client.post("/v1/vhosts/a/apps", [{"name": "b"}])[0] == 403
    assert client.delete("/v1/vhosts/a/apps/live")[0] == 403
    push = {"id": "p", "stream": {"name": "s"}, "protocol": "rtmp", "url": "rtmp://127.0.0.1/live", "streamKey": "k"}
    assert client.post("/v1/vhosts/a/apps/live:startPush", push)[0] == 200
    assert client.post("/v1/vhosts", [{"name": "b", "host": {"names": ["b"]}}])[0] == 200
    assert client.delete("/v1/vhosts/b")[0] == 200


def test_a_restart_reads_the_files_again_and_forgets_what_the_api_made(
    start: Start, tmp_path: Path, version: str
) -> None:
    write(tmp_path, Server=server(INCLUDE + virtual_host("default")))
    simulator, client = start(version=version, config=tmp_path, port=0)
    assert names(client) == ["default"]
    assert client.post("/v1/vhosts", [{"name": "b", "host": {"names": ["b"]}}])[0] == 200
    write(tmp_path, VHost_a=virtual_host("a"))
    assert names(client) == ["b", "default"]
    assert client.post("/_simulator/restart")[0] == 200
    assert names(client) == ["a", "default"]
    (tmp_path / "VHost_a.xml").unlink()
    simulator.restart()
    assert names(client) == ["default"]


@pytest.mark.parametrize("first", [True, False])
def test_the_place_of_an_include_decides_which_virtual_host_is_reached(
    start: Start, tmp_path: Path, version: str, first: bool
) -> None:
    default = virtual_host("default", applications=application())
    write(
        tmp_path,
        Server=server(INCLUDE + default if first else default + INCLUDE),
        VHost_a=virtual_host("a", host_name="a.example.com", applications=application()),
    )
    simulator, _client = start(version=version, config=tmp_path, port=0)
    assert simulator.publish("a.example.com", "live", "s").vhost == ("a" if first else "default")


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (server("<Bogus/>"), "Server.virtualHosts.Bogus in DIR/Server.xml"),
        (server("", more="<Bogus/>"), "Server.Bogus in DIR/Server.xml"),
        (
            server("", bind="<Publishers><LLHLS><port>1</port></LLHLS></Publishers>"),
            "Server.bind.publishers.llhls.port",
        ),
        (server("", managers="<Host><TLS><Cert/></TLS></Host>"), "Server.managers.host.tls.Cert in DIR/Server.xml"),
        (server(virtual_host("default", "<name/>")), "VirtualHost.name in DIR/Server.xml"),
        (server(virtual_host("default", applications="<App/>")), "VirtualHost.applications.App in DIR/Server.xml"),
        (
            server(virtual_host("default", applications=application(publishers="<LLHLS><dvr/></LLHLS>"))),
            "Application.publishers.llhls.dvr in DIR/Server.xml",
        ),
        (server("", more="text"), "Server. in DIR/Server.xml"),
    ],
)
def test_an_unknown_element_keeps_the_server_from_starting(
    tmp_path: Path, version: str, content: str, path: str
) -> None:
    write(tmp_path, Server=content)
    line = reason(tmp_path, version)
    assert line.startswith(f"An error occurred while load config: [Config] Unknown item found: {path}")


@pytest.mark.parametrize(
    ("element", "since"),
    [
        (
            "<Alert><Url>http://a</Url><SecretKey>s</SecretKey><Timeout>1</Timeout><Rules><Egress/></Rules></Alert>",
            "0.20.0",
        ),
        ("<Defaults><CrossDomains><Url>*</Url></CrossDomains></Defaults>", "0.20.0"),
        ("<Modules><TaskPool><MaxTasks>64</MaxTasks></TaskPool></Modules>", "0.21.0"),
        ("<Modules><LLHLS><Enable>true</Enable></LLHLS></Modules>", "0.18.0"),
    ],
)
def test_what_a_version_does_not_know_yet_keeps_it_from_starting(
    start: Start, tmp_path: Path, version: str, element: str, since: str
) -> None:
    write(tmp_path, Server=server(virtual_host("default"), more=element))
    if version >= since:
        assert names(start(version=version, config=tmp_path, port=0)[1]) == ["default"]
    else:
        assert "Unknown item found: Server." in reason(tmp_path, version)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            "<VirtualHost><Name>a</VirtualHost>",
            "Could not read the file: DIR/VHost_a.xml (reason: Start-end tags mismatch",
        ),
        ("", "Could not read the file: DIR/VHost_a.xml (reason: No document element found, offset: 0)"),
        (
            "<VirtualHost><!-- a -- b ></VirtualHost>",
            "Could not read the file: DIR/VHost_a.xml (reason: Error parsing comment, offset: 39)",
        ),
        ("<VirtualHosts/>", "Could not find the root element: <VirtualHost> in DIR/VHost_a.xml"),
        ("<VirtualHost><Bogus/></VirtualHost>", "Unknown item found: VirtualHost.Bogus in DIR/VHost_a.xml"),
        ("<VirtualHost/>", "VirtualHost.name is not optional"),
    ],
)
def test_a_broken_included_file_keeps_the_server_from_starting(
    tmp_path: Path, version: str, content: str, text: str
) -> None:
    write(tmp_path, Server=server(INCLUDE), VHost_a=content)
    assert reason(tmp_path, version).startswith(f"An error occurred while load config: [Config] {text}")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (server("", version="7"), "The version of Server.xml is outdated (Your XML version: 7)."),
        (server("", version=""), "Could not obtain version in your XML."),
        (server("", port=0), "Invalid port: 0"),
        (server("").replace("origin</Type>", "other</Type>"), "Unknown type: other"),
        (server("").replace("<Type>origin</Type>", ""), "Server.type is not optional"),
        (server('<VirtualHost include="hosts/*.xml"/>'), "Could not obtain file list: current path: DIR/, include"),
    ],
)
def test_other_reasons_not_to_start(tmp_path: Path, version: str, content: str, text: str) -> None:
    write(tmp_path, Server=content)
    assert reason(tmp_path, version).startswith(f"An error occurred while load config: [Config] {text}")


def test_a_directory_without_server_xml_keeps_the_server_from_starting(tmp_path: Path, version: str) -> None:
    assert "Could not read the file: DIR/Server.xml (reason: File was not found, offset: 0)" in reason(
        tmp_path, version
    )


def test_a_file_that_is_not_quite_xml_is_read(start: Start, tmp_path: Path, version: str) -> None:
    lenient = "<!-- a -- <VirtualHost> --->" + virtual_host("a").replace("<VirtualHost", "<VirtualHost x='1' x='2'", 1)
    write(tmp_path, Server=server(INCLUDE), VHost_a=f"\n<?xml version='1.0'?>\n<!DOCTYPE x>{lenient}<Other/> & text")
    assert names(start(version=version, config=tmp_path, port=0)[1]) == ["a"]


def test_two_virtual_hosts_with_one_name_keep_the_server_from_starting(tmp_path: Path, version: str) -> None:
    write(tmp_path, Server=server(virtual_host("dup") + INCLUDE), VHost_dup=virtual_host("dup"))
    assert reason(tmp_path, version) == "Could not create VirtualHost(dup)"


def test_an_empty_access_token_keeps_the_server_from_starting(tmp_path: Path, version: str) -> None:
    write(tmp_path, Server=server("").replace(TOKEN, ""))
    assert reason(tmp_path, version) == "Empty <AccessToken> is not allowed"


def test_ignored_elements_are_as_if_they_were_not_there(start: Start, tmp_path: Path, version: str) -> None:
    hidden = virtual_host("hidden").replace("<VirtualHost>", '<VirtualHost ignore="true">')
    write(tmp_path, Server=server(hidden + virtual_host("default"), more='<Bogus ignore="true"/>'))
    assert names(start(version=version, config=tmp_path, port=0)[1]) == ["default"]


def test_macros_of_the_environment_are_replaced(
    start: Start, tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMULATOR_TEST_TOKEN", "from-environment")
    content = server(virtual_host("${env:SIMULATOR_TEST_NAME:fallback}"))
    write(tmp_path, Server=content.replace(TOKEN, "${env:SIMULATOR_TEST_TOKEN}"))
    simulator, client = start(version=version, config=tmp_path, port=0)
    assert simulator.token == "from-environment"
    assert names(client) == ["fallback"]


def test_a_restart_that_fails_leaves_the_server_down_and_its_line_in_the_log(
    start: Start, tmp_path: Path, version: str
) -> None:
    write(tmp_path, Server=server(INCLUDE + virtual_host("default")))
    simulator, client = start(version=version, config=tmp_path, port=0)
    assert names(client) == ["default"]
    client.connection.close()
    write(tmp_path, VHost_a="<VirtualHost><Bogus/></VirtualHost>")
    for _try in range(2):
        with pytest.raises(NotStarted):
            simulator.restart()
        assert simulator.died
        with pytest.raises(ConnectionError):
            client.get("/v1/vhosts")
        client.connection.close()
    assert [line.rpartition(": ")[2] for line in simulator.lines] == [
        f"VirtualHost.Bogus in {tmp_path}/VHost_a.xml"
    ] * 2
    write(tmp_path, VHost_a=virtual_host("a"))
    simulator.restart()
    assert names(client) == ["a", "default"]
    assert client.get("/_simulator/lines")[1]["lines"] == simulator.lines


def test_server_id_is_written_once(start: Start, tmp_path: Path, version: str) -> None:
    write(tmp_path, Server=server(virtual_host("default")))
    simulator, _client = start(version=version, config=tmp_path, port=0)
    made = (tmp_path / "Server.id").read_text(encoding="utf-8")
    assert len(made) == 36
    simulator.restart()
    assert (tmp_path / "Server.id").read_text(encoding="utf-8") == made


def test_an_old_server_reads_types(start: Start, tmp_path: Path) -> None:
    profile = "<LLHLS><ChunkDuration>0.5</ChunkDuration><SegmentCount>10</SegmentCount></LLHLS>"
    write(tmp_path, Server=server(virtual_host("default", applications=application(publishers=profile))))
    _simulator, client = start(version="0.15.10", config=tmp_path, port=0)
    found = client.get("/v1/vhosts/default/apps/live")[1]["response"]
    assert found["publishers"] == {"llhls": {"chunkDuration": 0.5, "segmentCount": 10}}


def rows() -> list[dict[str, Any]]:
    """Return the table of Server.xml."""
    found: list[dict[str, Any]] = json.loads(SERVER_KEYS.read_text(encoding="utf-8"))["server"]
    return found


def test_the_table_of_server_xml_has_versions_that_have_other_tables() -> None:
    known = {path.stem for path in KEYS.glob("*.json")}
    assert all(known.issuperset(row.get("versions", ())) for row in rows())


@pytest.mark.parametrize("one", sorted(path.stem for path in KEYS.glob("*.json")))
def test_the_table_of_server_xml_has_each_key_once_in_each_version(one: str) -> None:
    keys = [row["json"] for row in rows() if one in row.get("versions", (one,))]
    assert len(keys) == len(set(keys))
    parents = {key.rpartition(".")[0].removesuffix("[]") for key in keys} - {""}
    assert parents.issubset(keys)
