# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role watch on a real host: a timer of systemd, and a server that is killed."""

from __future__ import annotations

import json
import shutil
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import LOCAL, Project
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import VHOSTS, changed, vhost

from .guest import Guest
from .images import REPOSITORY
from .media import Media

PLAYBOOK = "streamops.ovenmediaengine.watch"
COLLECTION = "usr/share/ansible/collections/ansible_collections/streamops/ovenmediaengine"
PARTS = ("galaxy.yml", "meta", "playbooks", "plugins", "roles")
"""Of the repository, what a playbook on the host needs."""
RESTORED = "is as defined again."
SETTINGS = {"watch_interval": 1, "watch_retry_seconds": 600}
chosen = pytest.mark.chosen("quadlet")


class Watcher:
    """The watcher of a server: its unit, its directory and its journal."""

    def __init__(self, media: Media) -> None:
        self.guest, self.name = media.guest, f"ovenmediaengine-watch-{media.name}"
        self.directory = f"/var/lib/{self.name}"

    def wait_for(self, text: str, times: int = 1) -> None:
        """Wait until the journal has had a text so often."""
        follow = f"journalctl --follow --lines=all --output=cat --unit={self.name}.service"
        self.guest.run("bash", "-c", f"grep --max-count={times} --fixed-strings '{text}' < <({follow})")

    def journal(self) -> str:
        """Return all lines. No secret may be there."""
        found = self.guest.run("journalctl", "--output=cat", f"--unit={self.name}.service")
        assert "canary" not in found
        return found

    def look(self) -> None:
        """Let it look at the server now, and wait for the end of that."""
        self.guest.run("systemctl", "start", f"{self.name}.service", check=False)

    def is_active(self) -> bool:
        """Return whether the timer is active."""
        return self.guest.run("systemctl", "is-active", f"{self.name}.timer", check=False) == "active"

    def failed(self) -> str:
        """Return the lines of its units that systemd lists as failed."""
        return self.guest.run("systemctl", "list-units", "--failed", "--plain", "--no-legend", f"{self.name}.*")

    def left(self) -> str:
        """Return the units and directories that are there."""
        return self.guest.run("find", "/etc/systemd/system", "/var/lib", "-maxdepth", "1", "-name", f"{self.name}*")


@pytest.fixture(scope="module")
def controller(guest: Guest) -> Guest:
    """Provide the host with the collection on it."""
    directory = guest.root / COLLECTION
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for part in PARTS:
        copy: t.Callable[..., t.Any] = shutil.copytree if (REPOSITORY / part).is_dir() else shutil.copy
        copy(REPOSITORY / part, directory / part)
    return guest


@pytest.mark.usefixtures("controller")
@pytest.mark.parametrize("media", ["quadlet"], indirect=True, scope="class")
class TestOnTheServer:
    """Each test goes on with what the one before has left."""

    @chosen
    def test_the_watcher_restores_what_is_missing(self, media: Media) -> None:
        assert media.play().status == 0
        watcher = Watcher(media)
        media.variables.update(SETTINGS, ovenmediaengine_api_url=media.url)
        # The server starts without it.
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-made")]
        for arguments in (("--check", "--diff"), ("--diff",)):
            assert not watcher.is_active()
            run = media.playbook(PLAYBOOK, *arguments)
            assert run.status == 0, run.output
        assert watcher.is_active()
        watcher.wait_for(RESTORED)
        assert media.has_its_vhosts()
        assert media.mode(watcher.directory) == "700" and media.mode(f"{watcher.directory}/inventory.yml") == "600"
        again = media.playbook(PLAYBOOK)
        assert again.status == 0 and changed(again) == [], again.output

    @chosen
    def test_a_killed_server_is_restored(self, media: Media) -> None:
        media.kill()
        watcher = Watcher(media)
        watcher.wait_for(RESTORED, times=2)
        assert media.has_its_vhosts()
        assert f"{media.name} has restarted: up since " in watcher.journal()

    def test_what_somebody_deletes_comes_back_with_the_next_start(self, media: Media) -> None:
        watcher = Watcher(media)
        media.call("/v1/vhosts/t-made", method="DELETE")
        watcher.look()
        assert not media.has_its_vhosts() and watcher.journal().count(RESTORED) == 2
        media.kill()
        watcher.wait_for(RESTORED, times=3)
        assert media.has_its_vhosts()

    def test_a_playbook_that_fails_waits_until_it_is_corrected(self, media: Media) -> None:
        watcher = Watcher(media)
        broken = ["--extra-vars=ovenmediaengine_api_token=wrong"]
        assert media.playbook(PLAYBOOK, watch_arguments=broken).status == 0
        media.kill()
        watcher.wait_for(f"{media.name} is not restored: the playbook failed 1 time (exit status 2).")
        watcher.look()
        assert not media.has_its_vhosts() and watcher.journal().count("is not restored") == 1
        assert media.playbook(PLAYBOOK).status == 0
        watcher.wait_for(RESTORED, times=4)
        assert media.has_its_vhosts()

    @chosen
    def test_a_removed_watcher_leaves_nothing(self, media: Media) -> None:
        watcher = Watcher(media)
        # systemd keeps a failed service in its list, also without its file.
        media.guest.write(f"{watcher.directory}/watch.py", "raise SystemExit(3)\n")
        watcher.look()
        assert watcher.failed()
        for arguments, summary in (("--check",), "would be removed"), ((), "removed"), ((), "absent"):
            removed = media.playbook(PLAYBOOK, *arguments, watch_state="absent")
            assert removed.summary(media.name) == f"watcher {watcher.name} {summary}", removed.output
        assert watcher.left() == "" and not watcher.failed()
        assert media.has_its_vhosts()


def watch(guest: Guest, servers: t.Sequence[Media], *arguments: str) -> str:
    """Run the playbook on the host itself, as a controller that watches servers. :returns: its output."""
    hosts = {one.name: {**one.variables, **SETTINGS, "ovenmediaengine_api_url": one.url} for one in servers}
    guest.write("/root/fleet.json", json.dumps({"all": {"hosts": hosts, "vars": LOCAL}}))
    output = guest.run("ansible-playbook", PLAYBOOK, "-i", "/root/fleet.json", *arguments)
    assert "canary" not in output
    return output


@pytest.fixture(scope="class")
def servers(controller: Guest, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[list[Media]]:
    """Provide two servers of one host, and uninstall them."""
    project = Project(tmp_path_factory.mktemp("servers"))
    found = [Media(controller, project, "quadlet", 2), Media(controller, project, "systemd", 3)]
    assert [one.play().status for one in found] == [0, 0]
    yield found
    assert [one.play(server_state="absent", server_restart="always").status for one in found] == [0, 0]


class TestOnTheController:
    """Each test goes on with what the one before has left."""

    def test_each_of_two_servers_has_a_watcher(self, servers: list[Media]) -> None:
        for one in servers:
            one.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost(f"t-{one.name}")]
        watch(servers[0].guest, servers, "--check", "--diff")
        assert not any(Watcher(one).left() for one in servers)
        watch(servers[0].guest, servers)
        for one in servers:
            Watcher(one).wait_for(f"{one.name} {RESTORED}")
            assert one.has_its_vhosts()

    def test_the_killed_one_is_restored(self, servers: list[Media]) -> None:
        intact, killed = servers
        killed.kill()
        Watcher(killed).wait_for(RESTORED, times=2)
        assert killed.has_its_vhosts() and intact.has_its_vhosts()
        assert Watcher(intact).journal().count(RESTORED) == 1

    def test_removed_watchers_leave_nothing(self, servers: list[Media]) -> None:
        watch(servers[0].guest, servers, "--extra-vars=watch_state=absent")
        assert not any(Watcher(one).left() for one in servers)
        assert all(one.has_its_vhosts() for one in servers)
