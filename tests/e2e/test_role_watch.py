# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role watch on a host whose systemd is a fake: install, change, watch, remove."""

from __future__ import annotations

import getpass
import json
import pathlib
import re
import stat
import subprocess
import sys
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import APPLICATIONS, HEADERS, LOCAL, PUSH_TASKS, TOKEN, TREE, VHOSTS, Project, Run
from .media_host import changed, with_fakes
from .test_documents import blocks, shown_in

PLAYBOOK = "streamops.ovenmediaengine.watch"
UNIT = "ovenmediaengine-watch-media-1"


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


class Watched:
    """Servers with their watchers on one host, as on a controller."""

    def __init__(self, project: Project, host: FakeHost, servers: t.Mapping[str, Simulator]) -> None:
        self.project, self.host = project, host
        self.root = project.directory / "var"
        self.root.mkdir()
        # A service of systemd has hardly any environment variables.
        environment = {name: project.environment[name] for name in ("HOME", "ANSIBLE_HOME", "ANSIBLE_COLLECTIONS_PATH")}
        self.variables: dict[str, t.Any] = {
            **LOCAL,
            "watch_unit_dir": str(host.unit_dir),
            "watch_dir": f"{self.root}/{{{{ watch_unit }}}}",
            "watch_user": getpass.getuser(),
            "watch_environment": environment,
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_http_headers": HEADERS,
            "ovenmediaengine_vhosts": VHOSTS,
            "ovenmediaengine_applications": APPLICATIONS,
            "ovenmediaengine_push_tasks": PUSH_TASKS,
        }
        self.hosts = {name: {"ovenmediaengine_api_url": server.url} for name, server in servers.items()}

    def play(self, *arguments: str, **variables: t.Any) -> Run:
        """Run the playbook; no run may print a secret."""
        inventory = {"all": {"hosts": self.hosts, "vars": {**self.variables, **variables}}}
        path = self.project.directory / "inventory.json"
        path.write_text(json.dumps(inventory), encoding="utf-8")
        run = self.project.play(PLAYBOOK, "-i", "inventory.json", *arguments, **with_fakes(self.project, self.host))
        assert "canary" not in run.output, re.findall(r".*canary.*", run.output)[:5]
        return run

    def directory(self, name: str = "media-1") -> pathlib.Path:
        """Return the directory of a watcher."""
        return self.root / f"ovenmediaengine-watch-{name}"

    def files(self) -> dict[str, bytes]:
        """Return all files that the role can write."""
        return {
            str(path): path.read_bytes()
            for folder in (self.root, self.host.unit_dir)
            for path in folder.rglob("*")
            if path.is_file()
        }


def verify(folder: pathlib.Path) -> None:
    """Check the units by systemd, if it is installed."""
    if programs.find("systemd-analyze") is None:
        return
    units = sorted(str(path) for path in folder.glob("ovenmediaengine-watch-*"))
    run = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert len(units) >= 2 and "ovenmediaengine-watch" not in run.stderr, run.stderr


@pytest.mark.long
def test_install_restore_change_and_remove(project: Project, host: FakeHost, sim: Simulator) -> None:
    watched = Watched(project, host, {"media-1": sim})
    before = watched.files()
    preview = watched.play("--check", "--diff")
    assert preview.status == 0, preview.output
    assert preview.summary("media-1") == f"watcher {UNIT} would be installed"
    assert watched.files() == before and host.calls("systemctl") == []

    installed = watched.play("--diff")
    assert installed.status == 0, installed.output
    assert installed.summary("media-1") == f"watcher {UNIT} installed"
    assert host.state(f"{UNIT}.timer").active == "active" and not sim.log
    verify(host.unit_dir)
    directory = watched.directory()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    secret = [path for path in directory.iterdir() if b"canary" in path.read_bytes()]
    assert {path.name for path in secret} == {"inventory.yml", "watch.json"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret} == {0o600}
    assert not any(b"canary" in path.read_bytes() for path in host.unit_dir.iterdir())

    for arguments in (("--check", "--diff"), ()):
        again = watched.play(*arguments)
        assert again.status == 0 and changed(again) == [], again.output
        assert again.summary("media-1") == f"watcher {UNIT} unchanged"

    # The first run restores the server, the second one finds that it has not restarted.
    assert host.elapse(UNIT) == 0, host.log(f"{UNIT}.service")
    assert len(sim.state.virtual_hosts) == 1 + len(VHOSTS)
    requests = len(sim.log)
    assert host.elapse(UNIT) == 0 and len(sim.log) == requests + 1
    sim.restart()
    assert host.elapse(UNIT) == 0, host.log(f"{UNIT}.service")
    assert len(sim.state.virtual_hosts) == 1 + len(VHOSTS)
    journal = "\n".join(host.log(f"{UNIT}.service"))
    assert "as after a restart" in journal and "media-1 has restarted" in journal and "canary" not in journal

    host.forget_calls()
    intact = watched.files()
    faster = watched.play(watch_interval=5, ovenmediaengine_push_tasks=PUSH_TASKS[:1])
    assert faster.status == 0 and faster.summary("media-1") == f"watcher {UNIT} updated", faster.output
    assert changed(faster) == ["Watcher"]
    now = watched.files()
    assert {path for path, data in now.items() if intact[path] != data} == {
        f"{directory}/inventory.yml",
        f"{host.unit_dir}/{UNIT}.timer",
    }
    assert "OnUnitInactiveSec=5\n" in (host.unit_dir / f"{UNIT}.timer").read_text(encoding="utf-8")
    assert ["systemctl", "restart", f"{UNIT}.timer"] in host.calls("systemctl")
    # What the watcher knows is kept.
    assert (directory / "state.json").exists()
    host.reboot()
    assert host.state(f"{UNIT}.timer").active == "active"

    # systemd keeps a failed service in its list, also without its file.
    (directory / "watch.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    assert host.elapse(UNIT) == 3 and host.state(f"{UNIT}.service").active == "failed"
    present = watched.files()
    for mode, expected in (("--check", "would be removed"), ("--diff", "removed"), ("--diff", "absent")):
        removed = watched.play(mode, watch_state="absent")
        assert removed.status == 0, removed.output
        assert removed.summary("media-1") == f"watcher {UNIT} {expected}"
        assert (watched.files() == present) == (mode == "--check")
        assert expected != "absent" or changed(removed) == []
    assert host.state(f"{UNIT}.timer").active == host.state(f"{UNIT}.service").active == "inactive"
    assert not directory.exists()
    assert not list(host.unit_dir.iterdir()) and len(sim.state.virtual_hosts) == 1 + len(VHOSTS)


@pytest.mark.long
def test_a_controller_watches_several_servers(project: Project, host: FakeHost, sim: Simulator) -> None:
    with Simulator(token=TOKEN, stop_delay=0.2) as other:
        watched = Watched(project, host, {"media-1": sim, "media-2": other})
        assert watched.play().status == 0
        verify(host.unit_dir)
        for name in ("media-1", "media-2"):
            assert host.elapse(f"ovenmediaengine-watch-{name}") == 0
        sim.restart()
        sim.clear_log()
        other.clear_log()
        for name in ("media-1", "media-2"):
            assert host.elapse(f"ovenmediaengine-watch-{name}") == 0
        assert sim.writes and not other.writes and len(other.log) == 1
        # One watcher is removed, the other one stays.
        del watched.hosts["media-2"]
        assert watched.play(watch_state="absent").status == 0
        assert not watched.directory("media-1").exists() and watched.directory("media-2").exists()
        assert host.state("ovenmediaengine-watch-media-2.timer").active == "active"
        assert host.elapse("ovenmediaengine-watch-media-2") == 0


@pytest.mark.long
def test_an_inventory_of_the_user_is_read_each_time(project: Project, host: FakeHost, sim: Simulator) -> None:
    """It has a vault, a purge, and the virtual hosts, which can change after the watcher was installed."""
    watched = Watched(project, host, {"media-1": sim})
    password = project.directory / "vault-password"
    password.write_text("not-a-real-password\n", encoding="utf-8")
    fleet = project.directory / "fleet"
    (fleet / "group_vars").mkdir(parents=True)
    (fleet / "hosts.json").write_text(
        json.dumps({"all": {"hosts": {"media-1": {**LOCAL, **watched.hosts["media-1"]}, "media-2": {}}}}),
        encoding="utf-8",
    )
    variables = {
        "ovenmediaengine_api_token": TOKEN,
        "ovenmediaengine_http_headers": HEADERS,
        "ovenmediaengine_vhosts": VHOSTS[:1],
        "ovenmediaengine_purge_vhosts": True,
    }
    secrets = fleet / "group_vars" / "all.yml"
    secrets.write_text(json.dumps(variables), encoding="utf-8")
    subprocess.run(
        [f"{pathlib.Path(sys.executable).parent}/ansible-vault", "encrypt", "--vault-password-file", password, secrets],
        check=True,
        capture_output=True,
        env=project.environment,
    )
    sim.add_static_virtual_host({"name": "t-static"})
    sim.state.virtual_hosts["t-other"] = sim.state.virtual_hosts.pop("t-static")
    watched.variables["watch_arguments"] = [f"--vault-password-file={password}"]
    installed = watched.play(watch_inventory=str(fleet))
    assert installed.status == 0, installed.output
    assert not (watched.directory() / "inventory.yml").exists()
    assert host.elapse(UNIT) == 0, host.log(f"{UNIT}.service")
    assert set(sim.state.virtual_hosts) == {"default", "t-a", "t-other"}


@pytest.mark.long
def test_a_watcher_stays_as_it_is_if_the_playbook_cannot_run(project: Project, host: FakeHost, sim: Simulator) -> None:
    watched = Watched(project, host, {"media-1": sim})
    assert watched.play().status == 0
    before = watched.files()
    environment = {**watched.variables["watch_environment"], "ANSIBLE_COLLECTIONS_PATH": str(project.directory)}
    for variables in (
        {"watch_environment": environment},
        {"watch_python": str(project.directory / "python3")},
        {"watch_inventory": str(project.directory / "missing.yml")},
    ):
        run = watched.play(**variables)
        assert run.status == 2 and run.summary("media-1") == f"watcher {UNIT} failed", run.output
        assert "cannot run the playbook streamops.ovenmediaengine.provision" in run.failure("media-1")
        assert watched.files() == before


def test_wrong_variables_are_refused_before_anything_changes(project: Project, host: FakeHost, sim: Simulator) -> None:
    watched = Watched(project, host, {"media-1": sim})
    before = watched.files()
    cases: dict[str, tuple[dict[str, t.Any], str]] = {
        "typo": ({"watch_intervall": 5}, "watch_intervall (did you mean watch_interval?)"),
        "fe80::1": ({}, "name: expected ASCII letters, digits"),
        "path": ({"watch_dir": "/var/lib/a watcher"}, "watch_dir: expected an absolute path without blanks"),
        "system": (
            {"watch_dir": "/opt"},
            "watch_dir: expected one for the watcher alone, such as /var/lib/ovenmediaengine-watch-system",
        ),
        "line": ({"watch_dir": "/var/lib/watcher\n"}, "watch_dir: expected an absolute path without blanks"),
        "user": ({"watch_user": "root\nExecStartPre=/bin/x"}, "watch_user: expected the name or number of a user"),
        "url": ({"ovenmediaengine_api_url": "media-1:8081"}, "ovenmediaengine_api_url or ovenmediaengine_api_token"),
        "token": ({"ovenmediaengine_api_token": ""}, "ovenmediaengine_api_url or ovenmediaengine_api_token"),
        "ca": ({"ovenmediaengine_ca_path": "ca.pem"}, "ovenmediaengine_ca_path has to be an absolute path"),
        "times": ({"watch_retry_max_seconds": 10}, "watch_retry_max_seconds: expected at least watch_retry_seconds"),
        "undefined": ({"ovenmediaengine_vhosts": "{{ no_such_variable }}"}, "no_such_variable"),
    }
    watched.hosts = {name: {"ovenmediaengine_api_url": sim.url, **own} for name, (own, _words) in cases.items()}
    # A variable of a group has a lower priority than one of a host, so that each host has a mistake of its own.
    run = watched.play("--check", "--forks", "2")
    assert run.status == 2
    for name, (_own, words) in cases.items():
        assert words in run.failure(name), run.output
    assert watched.files() == before and host.calls() == []


@pytest.mark.long
def test_what_does_not_belong_to_the_watcher_stays(project: Project, host: FakeHost, sim: Simulator) -> None:
    """A directory with a file of somebody else, and another server that wants it, too."""
    watched = Watched(project, host, {"media-1": sim})
    shared = watched.root / "shared"
    shared.mkdir(mode=0o755)
    (shared / "notes.txt").write_text("mine", encoding="utf-8")
    installed = watched.play(watch_dir=str(shared))
    assert installed.status == 0, installed.output
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    before = watched.files()
    watched.hosts = {"media-2": {"ovenmediaengine_api_url": sim.url}}
    other = watched.play(watch_dir=str(shared))
    assert f"watch_dir: expected another one, because {shared} belongs to the watcher of media-1." in other.failure(
        "media-2"
    ), other.output
    other = watched.play(watch_dir=str(shared), watch_state="absent")
    assert other.summary("media-2") == f"watcher {UNIT[:-1]}2 absent", other.output
    assert watched.files() == before
    watched.hosts = {"media-1": {"ovenmediaengine_api_url": sim.url}}
    removed = watched.play(watch_dir=str(shared), watch_state="absent")
    assert removed.summary("media-1") == f"watcher {UNIT} removed", removed.output
    assert [path.name for path in shared.iterdir()] == ["notes.txt"] and not list(host.unit_dir.iterdir())


@pytest.mark.parametrize("name", ["watch_dir", pytest.param("watch_unit", marks=pytest.mark.exhaustive)])
@pytest.mark.exhaustive
def test_two_servers_cannot_have_one_watcher(project: Project, host: FakeHost, sim: Simulator, name: str) -> None:
    watched = Watched(project, host, {"media-1": sim, "media-2": sim})
    value = {"watch_dir": f"{watched.root}/one", "watch_unit": "one"}[name]
    if name == "watch_unit":
        watched.variables["watch_dir"] = f"{watched.root}/ovenmediaengine-watch-{{{{ inventory_hostname }}}}"
    run = watched.play(**{name: value})
    assert run.status == 2
    (first,) = (server for server in watched.hosts if run.summary(server).endswith(" installed"))
    (second,) = (server for server in watched.hosts if run.summary(server).endswith(" failed"))
    assert f"{name}: expected another one, because " in run.failure(second)
    assert f" belongs to the watcher of {first}." in run.failure(second)
    settings = (watched.root / "one" / "watch.json") if name == "watch_dir" else watched.directory(first) / "watch.json"
    again = watched.play("--limit", first, **{name: value})
    assert again.recap[first]["changed"] == 0 and f'"name": "{first}"' in settings.read_text(encoding="utf-8")


TEMPLATES = {"stream_key": "canary-{{ key }}-{% raw %}-{# x #}", "url": "rtmp://one.example.com/live"}


@pytest.mark.long
def test_texts_that_look_like_templates_arrive_unchanged(project: Project, host: FakeHost, sim: Simulator) -> None:
    watched = Watched(project, host, {"media-1": sim})
    path = project.directory / "extra.yml"
    push = {**PUSH_TASKS[0], **TEMPLATES}
    text = json.dumps({"ovenmediaengine_push_tasks": [push]}).replace('"canary-{{', '!unsafe "canary-{{')
    path.write_text(text, encoding="utf-8")
    assert watched.play("-e", f"@{path}").status == 0
    assert host.elapse(UNIT) == 0, host.log(f"{UNIT}.service")
    app = sim.state.virtual_hosts["default"].applications["app"]
    assert app.push is not None and app.push.tasks["t-1"].stream_key == TEMPLATES["stream_key"]
    again = watched.play("-e", f"@{path}")
    assert again.status == 0 and changed(again) == [], again.output
    assert str(TREE) in (watched.directory() / "watch.json").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_inventories_of_the_documents_install_watchers(project: Project, host: FakeHost, sim: Simulator) -> None:
    """Those of guide_after_restart.rst and of the README of the role, with directories of the test."""
    watched = Watched(project, host, {})
    own = {name: value for name, value in watched.variables.items() if name.startswith("watch_")}
    guide = ("guide_after_restart.rst", "Restore with a watcher")
    documents = [*blocks(*guide), *blocks("roles/watch/README.md")]
    texts = [block.text for block in documents if block.language.startswith("yaml")]
    installed, controller, readme = (next(iter(yaml.safe_load(text).values())) for text in texts)
    fleet = project.directory / "fleet.yml"
    fleet.write_text(yaml.safe_dump({"all": {"hosts": installed["hosts"]}}), encoding="utf-8")
    password = project.directory / "vault-password"
    password.write_text("not-a-real-password", encoding="utf-8")
    replaced = {"watch_inventory": str(fleet), "watch_arguments": [f"--vault-password-file={password}"]}
    assert set(replaced) <= set(controller["vars"])
    connection = {"ovenmediaengine_api_url": sim.url, "vault_api_token": TOKEN, "ovenmediaengine_api_token": TOKEN}
    for shown, changes in ((installed, {}), (controller, replaced), (readme, {})):
        shown["vars"].pop("ansible_become", None)
        watched.hosts = {name: {} for name in shown["hosts"]}
        watched.variables = {**LOCAL, **shown["vars"], **own, **connection, **changes}
        run = watched.play()
        assert run.status == 0, run.output
        name = next(iter(watched.hosts))
        if shown is installed:
            assert run.summary(name) == shown_in(guide[0], 0, guide[1])
        if shown is not controller:
            assert host.elapse(f"ovenmediaengine-watch-{name}") == 0
            assert "tenant-a" in sim.state.virtual_hosts
        assert watched.play(watch_state="absent").status == 0
        sim.restart()
