# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role server on a real host: from a new host to an uninstalled server, by each backend."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import TOKEN
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import BROKEN, VHOSTS, changed, vhost

from .images import HOST_BINARY, NEWEST, OLDER, is_simulated
from .media import Media

OTHER_TOKEN = "canary-other-token"
RECORDINGS = "/srv/recordings"
RESTART = "streamops.ovenmediaengine.restart"
RESTARTED = "Restart"
chosen = pytest.mark.chosen("compose", "systemd")


class TestLife:
    """A server's life. Each test goes on with what the one before has left."""

    @chosen
    def test_first_install(self, media: Media) -> None:
        summary = media.apply()
        assert summary == f"server {media.version}: files changed: 4; started (the server does not run)"
        assert media.has_its_vhosts()
        assert media.mode("/etc/ovenmediaengine/Server.xml") == "600"
        assert media.mode("/var/log/ovenmediaengine") == "750"
        listening = media.guest.run("ss", "--tcp", "--listening", "--numeric", "--no-header")
        assert f":{media.port} " in listening, listening
        if media.backend != "compose":
            assert media.show("UnitFileState") in ("enabled", "generated")
        if media.backend != "systemd":
            assert media.inspect("{{.HostConfig.NetworkMode}}") == "host"
            seen = media.guest.run(media.engine, "exec", media.unit, "ls", "-d", media.config, media.log, media.data)
            assert set(seen.splitlines()) == {media.config, media.log, media.data}

    @chosen
    def test_second_run(self, media: Media) -> None:
        media.unchanged()

    @chosen
    def test_a_restart_that_is_due(self, media: Media) -> None:
        before = media.started()
        media.guest.run("touch", f"{media.config}/Server.xml")
        for arguments in (("--check",), ()):
            assert media.started() == before
            done = media.playbook(
                RESTART, *arguments, ovenmediaengine_api_url=media.url, ovenmediaengine_config_dir=media.config
            )
            assert done.status == 0 and changed(done) == [RESTARTED], done.output
        started = media.started()
        assert started not in (before, "") and media.has_its_vhosts()
        again = media.playbook(RESTART, ovenmediaengine_api_url=media.url, ovenmediaengine_config_dir=media.config)
        assert again.status == 0 and changed(again) == [] and media.started() == started, again.output

    def test_kernel_settings_that_the_host_refuses(self, media: Media) -> None:
        # A network namespace has no such setting.
        run = media.play(server_rmem_max=33554432)
        assert run.status == 0 and "the host refuses net.core.rmem_max = 33554432 (now " in run.summary(media.name)
        assert "no restart needed" in media.apply()

    def test_a_new_virtual_host_needs_no_restart(self, media: Media) -> None:
        before = media.started()
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-b")]
        assert media.apply() == f"server {media.version}: files changed: 1; no restart needed"
        assert media.started() == before and media.has_its_vhosts()

    def test_a_live_stream_is_not_cut(self, media: Media) -> None:
        media.stream("main")
        before = media.started()
        media.variables["server_settings"] = media.settings(privacy_protection=True)
        refused = media.play()
        text = refused.failure(media.name)
        assert refused.status == 2 and "(live streams: 1)" in text, refused.output
        assert media.started() == before
        assert "restarted (Server.xml has changed)" in media.apply(server_restart="always")
        assert media.started() not in (before, "") and media.has_its_vhosts()

    def test_another_token(self, media: Media) -> None:
        media.variables["ovenmediaengine_api_token"] = OTHER_TOKEN
        refused = media.play()
        assert refused.status == 2 and "does not accept ovenmediaengine_api_token" in refused.failure(media.name)
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

    def test_another_user(self, media: Media) -> None:
        user = "media" if media.backend == "systemd" else "1000:1000"
        media.guest.write(f"{media.log}/ovenmediaengine.log", "of root")
        media.variables["server_user"] = user
        assert "restarted" in media.apply()
        pid = media.show("MainPID") if media.backend == "systemd" else media.inspect("{{.State.Pid}}")
        uid = media.guest.run("stat", "--format=%u", f"/proc/{pid}")
        assert uid == (media.guest.run("id", "--user", user) if media.backend == "systemd" else "1000")
        assert media.guest.run("stat", "--format=%u %a", f"{media.config}/Server.xml") == f"{uid} 600"
        assert media.guest.run("find", media.log, "!", "-user", uid) == ""
        assert media.has_its_vhosts()
        media.unchanged()

    def test_another_port_of_the_api(self, media: Media) -> None:
        media.port += 10
        media.variables["server_settings"] = media.settings(privacy_protection=True)
        assert "restarted (Server.xml has changed)" in media.apply(server_restart="always")
        assert media.has_its_vhosts()
        media.unchanged()

    def test_another_volume(self, media: Media) -> None:
        if media.backend == "systemd":
            pytest.skip("a server that is no container sees all of the host")
        media.guest.run("mkdir", "--parents", RECORDINGS)
        media.variables["server_volumes"] = [f"{RECORDINGS}:/recordings:ro"]
        assert "restarted" in media.apply()
        template = "{{range .Mounts}}{{.Source}}:{{.Destination}} {{.RW}}{{println}}{{end}}"
        assert f"{RECORDINGS}:/recordings false" in media.inspect(template)
        media.unchanged()

    def test_published_ports(self, media: Media) -> None:
        if media.backend == "systemd":
            pytest.skip("a server that is no container has the network of the host")
        media.variables.update(server_network="bridge", server_ports=[f"{media.port}/tcp"])
        assert "restarted" in media.apply()
        assert media.inspect("{{.HostConfig.NetworkMode}}") != "host"
        assert media.has_its_vhosts()
        media.unchanged()

    @chosen
    def test_a_killed_server_comes_back(self, media: Media) -> None:
        before = media.started()
        media.kill()
        assert media.has_its_vhosts()
        assert media.started() not in (before, "")

    def test_a_container_that_was_removed(self, media: Media) -> None:
        if media.backend == "systemd":
            pytest.skip("there is no container")
        before = media.inspect("{{.Id}}")
        media.guest.run(media.engine, "rm", "--force", media.unit)
        if media.backend == "compose":
            assert "started (the server does not run)" in media.apply()
        assert media.has_its_vhosts() and media.inspect("{{.Id}}") not in (before, "")
        media.unchanged()

    @chosen
    def test_a_server_starts_with_the_host(self, media: Media) -> None:
        media.guest.reboot()
        assert media.has_its_vhosts()
        media.unchanged()

    def test_a_start_that_fails_is_rolled_back(self, media: Media) -> None:
        before = media.files()
        failed = media.play(server_settings=media.settings(**BROKEN), server_start_wait=20)
        text = failed.failure(media.name)
        assert failed.status == 2 and "Unknown type: bogus" in text, failed.output
        assert f"The old files (version {media.version}) were put back, and the server runs with them." in text
        assert not media.files() ^ before, media.files() ^ before
        assert media.has_its_vhosts()
        media.unchanged()

    def test_another_version_and_back(self, media: Media) -> None:
        if media.backend == "systemd" and not is_simulated(media.backend):
            pytest.skip("there is one program of a real server")
        other = OLDER if media.version != OLDER else NEWEST
        for version in (other, media.version):
            if media.backend == "systemd":
                media.guest.run("sh", "-c", f"echo {version} >{HOST_BINARY}.version")
            media.variables["server_version"] = version
            summary = media.apply()
            assert summary.startswith(f"server {version}: ") and "restarted" in summary
            assert version in media.call("/v1/version")["response"]["version"]
            media.unchanged()

    def test_a_version_that_does_not_start_is_rolled_back(self, media: Media) -> None:
        if media.backend == "systemd":
            pytest.skip("the binary of a host is not the role's")
        failed = media.play(server_image_tag="exit-11", server_start_wait=20, server_restart="always")
        assert failed.status == 2 and "It ended with exit status 11." in failed.failure(media.name), failed.output
        assert media.has_its_vhosts()
        media.unchanged()

    def test_a_unit_that_was_edited_is_as_before(self, media: Media) -> None:
        path, running = media.unit_file, media.started()
        before = media.guest.run("cat", path)
        media.guest.run("sh", "-c", f"echo '# by hand' >>{path}")
        run = media.play()
        # What runs is what the role would write, so that nobody is disconnected.
        assert run.summary(media.name) == f"server {media.version}: files changed: 0; no restart needed", run.output
        assert media.guest.run("cat", path) == before and media.started() == running

    def test_uninstalled(self, media: Media) -> None:
        assert "server uninstalled" in media.apply(server_state="absent")
        assert media.started() == ""
        left = {line.split()[0] for line in media.files()}
        assert not {
            path for path in left if path.endswith((".xml", ".container", f"{media.unit}.service", "compose.yml"))
        }
        assert media.inspect("{{.Id}}") == ""
        again = media.play(server_state="absent")
        assert again.status == 0 and changed(again) == [], again.output


class TestFullDisk:
    """Each test goes on with what the one before has left."""

    def test_a_full_disk_changes_nothing(self, media: Media) -> None:
        media.guest.run("mkdir", "--parents", media.config)
        media.guest.run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", media.config)
        assert media.play().status == 0
        before = media.state()
        media.guest.run("sh", "-c", f"head -c 1M /dev/zero >{media.config}/filler", check=False)
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-b")]
        failed = media.play()
        assert failed.status == 2 and "No space left on device" in failed.failure(media.name), failed.output
        media.guest.run("rm", f"{media.config}/filler")
        assert not media.state() ^ before, media.state() ^ before
        assert media.vhosts() == {"t-a"}

    def test_the_next_run_completes_it(self, media: Media) -> None:
        assert "files changed: 1" in media.apply()
        assert media.has_its_vhosts()
        media.unchanged()

    def test_the_directory_of_somebody_else_stays(self, media: Media) -> None:
        assert "server uninstalled" in media.apply(server_state="absent", server_restart="always")
        assert media.guest.run("find", media.config, "-name", "*.xml") == ""
        media.guest.run("umount", media.config)
