# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role watch on a real host: a timer of systemd, and a server that is killed."""

from __future__ import annotations

import shutil

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import VHOSTS, changed, vhost

from .images import REPOSITORY
from .media import PORT, Media

PLAYBOOK = "streamops.ovenmediaengine.watch"
WATCHER = "ovenmediaengine-watch-media-1"
DIRECTORY = f"/var/lib/{WATCHER}"
PARTS = ("galaxy.yml", "meta", "playbooks", "plugins", "roles")
"""Of the repository, what a playbook on the host needs."""
VARIABLES = {"ovenmediaengine_api_url": f"http://127.0.0.1:{PORT}", "watch_interval": 1}


def wait_for(media: Media, text: str, times: int = 1) -> None:
    """Wait until the journal of the watcher has had a text so often."""
    follow = f"journalctl --follow --lines=all --output=cat --unit={WATCHER}.service"
    media.guest.run("bash", "-c", f"grep --max-count={times} --fixed-strings '{text}' < <({follow})")


@pytest.mark.parametrize("media", ["quadlet"], indirect=True, scope="class")
class TestWatch:
    """Each test goes on with what the one before has left."""

    def test_the_watcher_restores_what_is_missing(self, media: Media) -> None:
        collection = media.guest.root / "usr/share/ansible/collections/ansible_collections/streamops/ovenmediaengine"
        for part in PARTS:
            copy = shutil.copytree if (REPOSITORY / part).is_dir() else shutil.copy
            collection.mkdir(parents=True, exist_ok=True)
            copy(REPOSITORY / part, collection / part)
        assert media.play().status == 0
        # The server starts without it.
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-made")]
        for arguments, exists in ((("--check", "--diff"), False), (("--diff",), True)):
            run = media.playbook(PLAYBOOK, *arguments, **VARIABLES)
            assert run.status == 0, run.output
            timer = media.guest.run("systemctl", "is-active", f"{WATCHER}.timer", check=False)
            assert timer == ("active" if exists else "inactive")
        wait_for(media, "media-1 is as defined again.")
        assert media.has_its_vhosts()
        assert media.mode(DIRECTORY) == "700" and media.mode(f"{DIRECTORY}/inventory.yml") == "600"
        again = media.playbook(PLAYBOOK, **VARIABLES)
        assert again.status == 0 and changed(again) == [], again.output

    def test_a_killed_server_is_restored(self, media: Media) -> None:
        media.kill()
        wait_for(media, "media-1 is as defined again.", times=2)
        assert media.has_its_vhosts()
        journal = media.guest.run("journalctl", "--output=cat", f"--unit={WATCHER}.service")
        assert "media-1 has restarted: up since " in journal and "canary" not in journal

    def test_a_removed_watcher_leaves_nothing(self, media: Media) -> None:
        for summary in ("removed", "absent"):
            removed = media.playbook(PLAYBOOK, **VARIABLES, watch_state="absent")
            assert removed.summary("media-1") == f"watcher {WATCHER} {summary}", removed.output
        left = media.guest.run("find", "/etc/systemd/system", "/var/lib", "-maxdepth", "1", "-name", f"{WATCHER}*")
        assert left == ""
        assert media.has_its_vhosts()
