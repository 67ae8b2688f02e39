# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role server on a real host: from a new host to an uninstalled server, by each backend."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import TOKEN
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import BROKEN, VHOSTS, changed, vhost
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import NEWEST

from .images import OLDER
from .media import BINARY, PORT, UNIT, Media

OTHER_TOKEN = "canary-other-token"


class TestLife:
    """A server's life. Each test goes on with what the one before has left."""

    def test_first_install(self, media: Media) -> None:
        summary = media.apply()
        assert summary == f"server {NEWEST}: files changed: 4; started (the server does not run)"
        assert media.has_its_vhosts()
        assert media.mode("/etc/ovenmediaengine/Server.xml") == "600"
        assert media.mode("/var/log/ovenmediaengine") == "750"
        listening = media.guest.run("ss", "--tcp", "--listening", "--numeric", "--no-header")
        assert f":{PORT} " in listening, listening
        if media.backend != "compose":
            assert media.show("UnitFileState") in ("enabled", "generated")
        if media.backend != "systemd":
            assert media.inspect("{{.HostConfig.NetworkMode}}") == "host"

    def test_second_run(self, media: Media) -> None:
        media.unchanged()

    def test_a_new_virtual_host_needs_no_restart(self, media: Media) -> None:
        before = media.started()
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-b")]
        assert media.apply() == f"server {NEWEST}: files changed: 1; no restart needed"
        assert media.started() == before and media.has_its_vhosts()

    def test_a_live_stream_is_not_cut(self, media: Media) -> None:
        before = media.started()
        media.stream("main")
        media.variables["server_settings"] = media.settings(privacy_protection=True)
        refused = media.play()
        assert refused.status == 2 and "(live streams: 1)" in refused.failure("media-1"), refused.output
        assert media.started() == before
        assert "restarted (Server.xml has changed)" in media.apply(server_restart="always")
        assert media.started() not in (before, "") and media.has_its_vhosts()

    def test_another_token(self, media: Media) -> None:
        media.variables["ovenmediaengine_api_token"] = OTHER_TOKEN
        refused = media.play()
        assert refused.status == 2 and "does not accept ovenmediaengine_api_token" in refused.failure("media-1")
        summary = media.apply(server_previous_api_token=TOKEN)
        assert "restarted (Server.xml has changed)" in summary
        assert media.has_its_vhosts()
        media.unchanged()

    def test_an_environment_variable(self, media: Media) -> None:
        media.variables["server_environment"] = {"STREAM_NAME": "canary $ ' \" # %"}
        assert "restarted" in media.apply()
        if media.backend == "systemd":
            environment = media.guest.run("cat", f"/proc/{media.show('MainPID')}/environ").split("\0")
        else:
            environment = media.inspect("{{range .Config.Env}}{{println .}}{{end}}").splitlines()
        assert "STREAM_NAME=canary $ ' \" # %" in environment
        media.unchanged()

    def test_a_killed_server_comes_back(self, media: Media) -> None:
        before = media.started()
        media.kill()
        assert media.has_its_vhosts()
        assert media.started() not in (before, "")

    def test_a_server_starts_with_the_host(self, media: Media) -> None:
        media.guest.reboot()
        assert media.has_its_vhosts()
        media.unchanged()

    def test_a_start_that_fails_is_rolled_back(self, media: Media) -> None:
        before = media.files()
        failed = media.play(server_settings=media.settings(**BROKEN), server_start_wait=4)
        text = failed.failure("media-1")
        assert failed.status == 2 and "Unknown type: bogus" in text, failed.output
        assert f"The old files (version {NEWEST}) were put back, and the server runs with them." in text
        assert not media.files() ^ before, media.files() ^ before
        assert media.has_its_vhosts()
        media.unchanged()

    def test_another_version_and_back(self, media: Media) -> None:
        for version in (OLDER, NEWEST):
            if media.backend == "systemd":
                media.guest.run("sh", "-c", f"echo {version} >{BINARY}.version")
            media.variables["server_version"] = version
            summary = media.apply()
            assert summary.startswith(f"server {version}: ") and "restarted" in summary
            assert media.call("/_simulator/state")["version"] == version
            media.unchanged()

    def test_a_version_that_does_not_start_is_rolled_back(self, media: Media) -> None:
        if media.backend == "systemd":
            pytest.skip("the binary of a host is not the role's")
        failed = media.play(server_image_tag="exit-11", server_start_wait=4, server_restart="always")
        assert failed.status == 2 and "It ended with exit status 11." in failed.failure("media-1"), failed.output
        assert media.has_its_vhosts()
        media.unchanged()

    def test_a_unit_that_was_edited_is_as_before(self, media: Media) -> None:
        path, running = media.unit_file, media.started()
        before = media.guest.run("cat", path)
        media.guest.run("sh", "-c", f"echo '# by hand' >>{path}")
        run = media.play()
        # What runs is what the role would write, so that nobody is disconnected.
        assert run.summary("media-1") == f"server {NEWEST}: files changed: 0; no restart needed", run.output
        assert media.guest.run("cat", path) == before and media.started() == running

    def test_uninstalled(self, media: Media) -> None:
        assert "server uninstalled" in media.apply(server_state="absent")
        assert media.started() == ""
        left = {line.split()[0] for line in media.files()}
        assert not {path for path in left if path.endswith((".xml", ".container", f"{UNIT}.service", "compose.yml"))}
        assert media.inspect("{{.Id}}") == ""
        again = media.play(server_state="absent")
        assert again.status == 0 and changed(again) == [], again.output
