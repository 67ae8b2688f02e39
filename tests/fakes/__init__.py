# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fakes of what runs a media server on its host: systemd, podman, docker, and the server's binary.

A test of the role ``server`` installs them into a directory and puts it in front of ``PATH``::

    with FakeHost(tmp_path / "host") as host:
        environment = {**os.environ, **host.environment}
        # Run the role with server_unit_dir: host.quadlet_dir (or host.unit_dir), server_binary: host.binary, and
        # server_config_dir, server_data_dir, server_log_dir, server_sysctl_dir, server_tmpfiles_dir in tmp_path.
        assert ["systemctl", "restart", "ovenmediaengine.service"] in host.calls("systemctl")

=================  ====================================================================================================
executable         what it does
=================  ====================================================================================================
systemctl          show, start, stop, restart, try-restart, status, is-active, is-failed, is-enabled, enable, disable,
                   daemon-reload, list-unit-files, cat, kill, reset-failed. As with systemd, a changed unit file counts
                   after daemon-reload, and a quadlet (``*.container``) has a unit only after daemon-reload
podman             version, pull, image inspect, image exists, images, rmi, inspect, ps, logs, restart: of the images,
                   and of the containers of quadlets
docker             the same, and compose: up, down, stop, start, restart, ps, logs, pull, config, version
journalctl         the last lines of a unit, or those since a time: of the starts since then
date               the time, by a clock of its own that goes on with each call
OvenMediaEngine    the server: ``-v``, and ``-c DIR`` runs the simulator. :attr:`FakeHost.binary_version` says which
sysctl             --values and --load of :attr:`FakeHost.kernel`, so that a test leaves the real one alone
=================  ====================================================================================================

Every call is written down (:meth:`FakeHost.calls`), with its exit status. What a fake does not know fails with status
64, so that a test does not pass because a command did nothing. `tests/hosts/test_fakes.py` compares the answers with
those of the real programs.

- The server is the simulator as a process: :mod:`.supervisor` runs it and starts it again as the unit or compose file
  says, at most three times in a row. Then the unit has failed, or stays in auto-restart if it waits for a second or
  more between two starts. A start returns before the server listens, also if it does not start at all.
- A server that cannot start ends with status 1, or as :meth:`FakeHost.fail_starts` says.
- Its version is that of the binary, or that of the image: a tag such as ``v0.21.0``, ``latest``, or what
  :meth:`FakeHost.publish` has announced (for digests). A pull of anything else fails, and so does every pull while
  :attr:`FakeHost.registry_is_down`.
- Volumes are followed: the server finds the files of a path in its container. With published ports it listens on the
  host's port of its API port only. TLS ports of publishers stay closed; the environment variable
  ``SIMULATOR_ARGUMENTS`` has further arguments of the simulator.
- A timer is active or not, and starts nothing: :meth:`FakeHost.elapse` starts its service once.
- :meth:`FakeHost.kill` ends a server as a crash does, :meth:`FakeHost.reboot` starts the host again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .host import FakeHost

__all__ = ["FakeHost"]


def __getattr__(name: str) -> Any:
    # The executables import this package, too, and are to start fast: without the simulator.
    if name != "FakeHost":
        raise AttributeError(name)
    from .host import FakeHost

    return FakeHost
