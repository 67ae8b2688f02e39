# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Audits that play what is live, and rotations that are proved by playing, as a user runs them."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application

from .conftest import LOCAL, TOKEN, Project, Run
from .rotation import FILES, authority

HOST = "t-a.example.com"
AUDIT = "streamops.ovenmediaengine.audit"
ROTATE = "streamops.ovenmediaengine.rotate_certificates"


def play(project: Project, server: Simulator, playbook: str, **variables: t.Any) -> Run:
    """Run a playbook for one server."""
    common = {**LOCAL, "ovenmediaengine_api_url": server.url, "ovenmediaengine_api_token": TOKEN, **variables}
    inventory = {"all": {"hosts": {"media-1": {}}, "vars": common}}
    (project.directory / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
    return project.play(playbook, "-i", "inventory.json")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "in_process", [True, pytest.param(False, marks=pytest.mark.long)], ids=["in process", "module"]
)
def test_an_audit_plays_what_is_live(project: Project, in_process: bool) -> None:
    with Simulator(token=TOKEN, viewer_ports=[0], default_host_names=["default.example.com"]) as server:
        add(server, "t-a", application())
        server.publish(HOST, "live", "main")
        viewers = {"connect_to": "127.0.0.1", "ports": {"llhls": server.viewer_ports[0]}}
        variables: dict[str, t.Any] = {
            "audit_play": True,
            "audit_sampling_interval": 0,
            "audit_read_only_vhosts": ["default", "t-a"],
            "ovenmediaengine_viewers": viewers,
            "ovenmediaengine_in_process": in_process,
        }
        run = play(project, server, AUDIT, **variables)
        assert run.status == 0, run.output
        metrics = (project.directory / "ovenmediaengine-audit/audit.prom").read_text(encoding="utf-8")
        labels = 'server="media-1",vhost="t-a",protocol="llhls"'
        assert f'ovenmediaengine_audit_playbacks{{{labels},verdict="plays"}} 1\n' in metrics
        assert f"ovenmediaengine_audit_playback_first_frame_seconds{{{labels}}} 0." in metrics
        server.spoil("missing_init")
        run = play(project, server, AUDIT, **variables)
    assert run.status == 2, run.output
    (found,) = json.loads((project.directory / "ovenmediaengine-audit/audit.json").read_text("utf-8"))["servers"]
    (finding,) = [one for one in found["findings"] if one["severity"] == "error"]
    assert (finding["kind"], finding["stream"], finding["found"]) == ("does_not_play", "main", "media")
    page = (project.directory / "ovenmediaengine-audit/audit.html").read_text(encoding="utf-8")
    assert "Who can watch" in page and "fails: media" in page
    assert server.writes == []


@pytest.mark.exhaustive
def test_a_rotation_is_proved_by_playing_over_tls(project: Project, tmp_path: pathlib.Path) -> None:
    old, new = authority().issue(HOST), authority().issue(HOST)
    paths = dict.fromkeys(("live", "coming"), [""])
    for folder, pair in (("live", old), ("coming", new)):
        (tmp_path / folder).mkdir()
        paths[folder] = [str(tmp_path / folder / name) for name in FILES]
        for path, content in zip(paths[folder], (pair.certificate, authority().chain, pair.key)):
            pathlib.Path(path).write_bytes(content)
    (tmp_path / "ca.pem").write_bytes(authority().root.cert_pem.bytes())
    ports = {"viewer_tls_ports": [0], "rtmp_ports": [0]}
    with Simulator(token=TOKEN, default_host_names=["default.example.com"], **ports) as server:
        tls = dict(zip(("certPath", "chainCertPath", "keyPath"), paths["live"]))
        add(server, "t-a", application(), host={"names": [HOST], "tls": tls})
        add(server, "t-without-certificate", application())
        (port,) = server.viewer_tls_ports
        run = play(
            project,
            server,
            ROTATE,
            ovenmediaengine_vhosts=[
                {"name": name, "host": [f"{name}.example.com"], "applications": [{"name": "live"}]}
                for name in ("t-a", "t-without-certificate")
            ],
            ovenmediaengine_certificates=[{"vhost": "t-a", "certbot_live": str(tmp_path / "coming")}],
            ovenmediaengine_certificate_endpoints=[{"host": "127.0.0.1", "port": port, "server_name": HOST}],
            ovenmediaengine_verify=True,
            ovenmediaengine_viewers={
                "connect_to": "127.0.0.1",
                "ports": {"llhls": port},
                "chain_ca_path": str(tmp_path / "ca.pem"),
            },
            ovenmediaengine_encoders={"ports": {"rtmp": server.rtmp_ports[0]}},
        )
    assert run.status == 0, run.output
    assert "2 play, 0 fail, 0 not tried" in run.output
    served = [handshake for handshake in server.handshakes if handshake.server_name == HOST]
    assert served[0].fingerprint == old.fingerprint and served[-1].fingerprint == new.fingerprint
