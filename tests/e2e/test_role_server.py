# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role server: install, change with and without a restart, uninstall."""

from __future__ import annotations

import base64
import json
import os
import typing as t
import urllib.request

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import LOCAL, TOKEN, Project
from .media_host import PLAYBOOK, PUSHES, UNIT, VHOSTS, Media, changed, verify_compose, verify_unit, vhost, with_fakes

ENDED = "Check mode, this would be done: "


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


def _destinations(media: Media) -> list[str]:
    """Return where the server pushes to."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{media.port}/v1/vhosts/t-a/apps/live:pushes",
        data=b"{}",
        headers={"Authorization": "Basic " + base64.b64encode(TOKEN.encode()).decode()},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return sorted(push["url"] for push in json.loads(response.read())["response"])


@pytest.mark.exhaustive
def test_install_and_change_with_podman(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    before = media.files()
    checked = media.play("--check", "--diff")
    assert checked.status == 0, checked.output
    assert media.files() == before and host.images == [] and host.state(UNIT).pid == 0
    assert checked.summary("media-1").startswith(ENDED + f"server {NEWEST}: ")
    assert "started (the server does not run)" in checked.summary("media-1")

    installed = media.play("--diff")
    assert installed.status == 0, installed.output
    assert installed.summary("media-1") == f"server {NEWEST}: files changed: 4; started (the server does not run)"
    assert host.images == [f"docker.io/airensoft/ovenmediaengine:v{NEWEST}"]
    assert media.vhosts == {"t-a"}
    assert ["sysctl", "--load", str(media.root / "sysctl/90-ovenmediaengine.conf")] in host.calls("sysctl")
    for path in media.config.rglob("*.xml"):
        assert path.stat().st_mode & 0o777 == 0o600, path
    assert TOKEN in (media.config / "Server.xml").read_text(encoding="utf-8")
    assert "canary-stream-key" in (media.config / "maps/t-a/live/push_map.xml").read_text(encoding="utf-8")
    assert f"e {media.root}/log - - - 14d" in (media.root / "tmpfiles/ovenmediaengine.conf").read_text(encoding="utf-8")
    verify_unit(media.unit_file)
    assert not any(line.startswith("x ") for line in (media.root / "tmpfiles/ovenmediaengine.conf").open())
    identity = (media.config / "Server.id").read_text(encoding="utf-8")

    # Nothing has to be done again.
    pid = media.pid()
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output
    assert again.summary("media-1") == f"server {NEWEST}: files changed: 0; no restart needed"

    # A new virtual host and another push need no restart.
    more = [*PUSHES, {**PUSHES[0], "id": "t-2", "url": "rtmp://two.example.com/live"}]
    media.variables.update(ovenmediaengine_vhosts=[*VHOSTS, vhost("t-b")], ovenmediaengine_push_tasks=more)
    grown = media.play()
    assert grown.status == 0, grown.output
    assert grown.summary("media-1") == f"server {NEWEST}: files changed: 2; no restart needed"
    assert media.pid() == pid and media.vhosts == {"t-a", "t-b"}
    assert "virtual hosts: 1 created" in grown.output

    # Another setting of the server needs one. The virtual host that the API made then comes from its file.
    media.variables["server_settings"] = media.settings(privacy_protection=True)
    restarted = media.play()
    assert restarted.status == 0, restarted.output
    assert restarted.summary("media-1") == f"server {NEWEST}: files changed: 1; restarted (Server.xml has changed)"
    assert media.pid() != pid and media.vhosts == {"t-a", "t-b"}
    assert "virtual hosts: 0 created, 0 recreated, 0 deleted, 2 unchanged" in restarted.output
    assert (media.config / "Server.id").read_text(encoding="utf-8") == identity


@pytest.mark.long
def test_check_and_uninstall_with_podman(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    assert media.play().status == 0
    checked = media.play("--check")
    assert checked.status == 0 and changed(checked) == [], checked.output
    assert checked.summary("media-1") == ENDED + f"server {NEWEST}: files changed: 0; no restart needed"

    for arguments, pid in ((("--check",), media.pid()), ((), 0)):
        removed = media.play(*arguments, server_state="absent")
        assert removed.status == 0, removed.output
        assert removed.summary("media-1").endswith("server uninstalled")
        assert media.pid() == pid
    assert not media.unit_file.exists() and not list(media.config.rglob("*.xml"))
    assert sorted(path.name for path in media.root.rglob("*") if path.is_file()) == ["Server.id"]
    gone = media.play(server_state="absent")
    assert gone.status == 0 and changed(gone) == [], gone.output


@pytest.mark.long
def test_pushes_of_live_streams_start_now_and_once(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    media.variables["server_restart"] = "never"
    assert media.play().status == 0
    media.control("streams", vhost="t-a", app="live", stream="main")
    assert _destinations(media) == ["rtmp://one.example.com/live"]
    pid = media.pid()

    # The map starts it with the next stream. This stream is live already, so that the API starts it.
    two = {**PUSHES[0], "id": "t-2", "url": "rtmp://two.example.com/live"}
    media.variables["ovenmediaengine_push_tasks"] = [PUSHES[0], two]
    grown = media.play()
    assert grown.status == 0, grown.output
    assert grown.summary("media-1") == f"server {NEWEST}: files changed: 1; no restart needed"
    assert _destinations(media) == ["rtmp://one.example.com/live", "rtmp://two.example.com/live"]
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output

    # What the map has started is stopped if it gets another destination.
    media.variables["ovenmediaengine_push_tasks"] = [{**PUSHES[0], "url": "rtmp://three.example.com/live"}, two]
    moved = media.play()
    assert moved.status == 0, moved.output
    assert _destinations(media) == ["rtmp://three.example.com/live", "rtmp://two.example.com/live"]
    again = media.play()
    assert again.status == 0 and changed(again) == [] and media.pid() == pid, again.output


@pytest.mark.long
def test_install_change_and_uninstall_with_docker(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "compose")
    digest = "sha256:" + "0" * 64
    host.publish(f"registry.example.com/ome@{digest}", NEWEST)
    media.variables.update(
        server_image="registry.example.com/ome",
        server_image_digest=digest,
        server_network="bridge",
        server_ports=[f"{media.port}/tcp", "1935/tcp", "10000-10003/udp", "127.0.0.1:3333:3333/tcp"],
        server_volumes=["/etc/ssl/certs:/etc/ssl/certs:ro"],
        server_user=f"{os.getuid()}:{os.getgid()}",
        server_rmem_max=0,
        server_wmem_max=0,
        server_log_days=0,
    )
    installed = media.play("--diff")
    assert installed.status == 0, installed.output
    assert host.images == [f"registry.example.com/ome@{digest}"] and media.vhosts == {"t-a"}
    assert host.calls("sysctl") == [] and not list((media.root / "tmpfiles").iterdir())
    verify_compose(media.unit_file)
    service = yaml.safe_load(media.unit_file.read_text(encoding="utf-8"))["services"]["server"]
    assert service["ports"] == [
        f"{media.port}:{media.port}/tcp",
        "1935:1935/tcp",
        "10000-10003:10000-10003/udp",
        "127.0.0.1:3333:3333/tcp",
    ]
    assert (
        service["user"] == f"{os.getuid()}:{os.getgid()}"
        and service["volumes"][-1] == "/etc/ssl/certs:/etc/ssl/certs:ro"
    )
    assert service["ulimits"] == {"nofile": {"soft": 65535, "hard": 65535}}
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output

    pid = media.pid()
    media.variables.update(server_file_limit=100000, server_network="host", server_ports=[], server_user="")
    restarted = media.play()
    assert restarted.status == 0, restarted.output
    verify_compose(media.unit_file)
    assert restarted.summary("media-1") == f"server {NEWEST}: files changed: 0; restarted (compose.yml has changed)"
    assert pid != media.pid() != 0

    removed = media.play(server_state="absent")
    assert removed.status == 0, removed.output
    assert media.pid() == 0 and not media.unit_file.exists()


@pytest.mark.exhaustive
def test_wrong_variables_are_refused_before_anything_changes(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    before = media.files()
    cases: dict[str, tuple[dict[str, t.Any], str]] = {
        "typo": ({"server_restarts": "always"}, "server_restarts (did you mean server_restart?)"),
        "no-version": ({"server_version": None}, f"server_version: expected a complete version such as {NEWEST}"),
        "version": ({"server_version": "0.21"}, f"server_version: expected a complete version such as {NEWEST}"),
        "token": (
            {"server_settings": media.settings(managers={"api": {"access_token": "other"}})},
            "differs from server_settings.managers.api.access_token",
        ),
        "empty-token": ({"ovenmediaengine_api_token": None}, "ovenmediaengine_api_token is missing, or differs from"),
        "path": ({"server_config_dir": "ome"}, "server_config_dir has to be an absolute path"),
        "shared": ({"server_log_dir": "/var/log"}, "server_log_dir is /var/log, which others use, too"),
        "equal": (
            {"server_data_dir": str(media.config)},
            "server_config_dir and server_data_dir are the same directory",
        ),
        "blank": ({"server_binary": "/opt/my server"}, "server_binary: has to be a path of letters, digits and"),
        "user": ({"server_user": "1000\nExec=x"}, "server_user: expected USER or USER:GROUP"),
        "unit": ({"server_unit": "../x"}, "server_unit: expected ASCII letters"),
        "volume": ({"server_volumes": ["/a:/b\nUser=x"]}, "server_volumes[0]: expected SOURCE:DESTINATION"),
        "image": ({"server_image": "x\nExec=y"}, "server_image: expected an image"),
        "application": (
            {"ovenmediaengine_applications": [{"vhost": "default", "name": "app"}]},
            "expected applications of listed virtual hosts only, and default is in no file.",
        ),
        "durable": ({"ovenmediaengine_durable": False}, "Remove both variables for this server."),
        "ports": (
            {"server_ports": ["1935/tcp"]},
            "server_ports: expected together with a bridge. Set server_network: bridge and",
        ),
        "port": (
            {"server_network": "bridge", "server_ports": ["rtmp"]},
            "server_ports[0]: expected a port or a range of ports",
        ),
        "setting": (
            {"server_settings": media.settings(stun_srver="canary")},
            "server_settings.stun_srver. Supported parameters include: ",
        ),
        "value": (
            {"server_settings": {"bind": {"managers": {"api": {"port": "eighty"}}}}},
            "server_settings.bind.managers.api.port: expected a port from 1 to 65535, such as '1935' or '1935/tcp', "
            "got 'eighty'. Nothing was changed.",
        ),
        "logger": ({"server_logger": {"pat": "/var/log"}}, "server_logger.pat. Supported parameters include: "),
        "vhost": (
            {"ovenmediaengine_vhosts": [vhost("t-a", signed_policy={"secret_kay": "canary"})]},
            "ovenmediaengine_vhosts.signed_policy.secret_kay. Supported parameters include: ",
        ),
        "push": (
            {"ovenmediaengine_push_tasks": [{**PUSHES[0], "stream_key": None}]},
            "ovenmediaengine_push_tasks[0].stream_key: is required if protocol is rtmp",
        ),
        "unknown-option": (
            {"server_version": "0.18.0", "server_settings": media.settings(modules={"task_pool": {"thread_count": 8}})},
            "server_settings.modules.task_pool",
        ),
        "tls-port": (
            {"server_settings": {"bind": {"managers": {"api": {"tls_port": "8082"}}}}},
            "server_settings.bind.managers: expected api.port, because the address",
        ),
    }
    inventory = {name: {**media.variables, **variables} for name, (variables, _words) in cases.items()}
    path = project.directory / "inventory.json"
    path.write_text(json.dumps({"all": {"hosts": inventory, "vars": LOCAL}}), encoding="utf-8")
    run = project.play(PLAYBOOK, "-i", "inventory.json", "--forks", "2", "--diff", **with_fakes(project, host))
    assert run.status == 2 and "canary" not in run.output, run.output
    for name, (_variables, words) in cases.items():
        assert words in run.failure(name), run.output
        # What Ansible itself checks says nothing of it, and has changed nothing.
        refused = "Supported parameters" in words or name == "typo"
        assert refused or "Nothing was changed." in run.failure(name)
        assert run.summary(name).endswith("not run" if name == "durable" else "failed")
    assert media.files() == before and host.calls() == []


def _replace(host: FakeHost, name: str, script: str) -> None:
    path = host.binary.parent / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")


def test_a_host_without_what_runs_containers_stays_as_it_is(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    before = media.files()
    _replace(host, "podman", "echo podman version 4.3.1")
    _replace(host, "docker", "echo \"docker: 'compose' is not a docker command.\" >&2; exit 1")
    path = project.directory / "inventory.json"
    hosts = {name: {**media.variables, "server_backend": name} for name in ("quadlet", "compose")}
    path.write_text(json.dumps({"all": {"hosts": hosts, "vars": LOCAL}}), encoding="utf-8")
    run = project.play(PLAYBOOK, "-i", "inventory.json", "--check", **with_fakes(project, host))
    words = "The backend quadlet needs podman 4.4 or later, and this host has version 4.3.1. Install it, "
    assert words in run.failure("quadlet"), run.output
    words = "The backend compose needs docker with its plugin compose, and this host has none. Install it, "
    assert words in run.failure("compose"), run.output
    assert media.files() == before


@pytest.mark.long
def test_an_image_that_cannot_be_pulled_changes_nothing(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    before = media.files()
    host.registry_is_down = True
    failed = media.play()
    text = failed.failure("media-1")
    assert failed.status == 2 and media.files() == before, failed.output
    assert f"The image docker.io/airensoft/ovenmediaengine:v{NEWEST} could not be pulled: Error: " in text
    assert "connection refused Correct server_image_tag or server_image_digest, " in text and text.endswith(
        "Nothing was changed."
    )
