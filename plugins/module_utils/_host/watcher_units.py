# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The units of a watcher: a service that looks at the server once, and a timer that starts it."""

from __future__ import annotations

import typing as t

from .watcher_place import PROGRAM

_NOTICE = "# Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten.\n"
_GUIDES = "https://github.com/streamops/ansible-ovenmediaengine/blob/main/docs/docsite/rst"
_GUIDE = f"Documentation={_GUIDES}/guide_after_restart.rst\n"
_SERVICE = """\
[Unit]
Description=Restore OvenMediaEngine on {name} after a restart
{guide}After=network.target

[Service]
Type=oneshot
# systemd sets HOME, which Ansible needs, if a user is named.
User={user}
WorkingDirectory={directory}
ExecStart={python} -I {directory}/{program} {directory}
TimeoutStartSec={longest}
UMask=0077
# The playbook leaves the processor to the media server.
Nice=10
SyslogIdentifier={unit}
# From systemd 250 on, the journal has the messages of the watcher without three lines of systemd for each run.
SyslogLevel=notice
LogLevelMax=notice
"""
_TIMER = """\
[Unit]
Description=Watch OvenMediaEngine on {name}
{guide}
[Timer]
OnActiveSec=1
OnUnitInactiveSec={interval}
AccuracySec=1

[Install]
WantedBy=timers.target
"""


def service(options: t.Mapping[str, t.Any]) -> str:
    """Return the service for the options of the module `watcher`."""
    longest = options["run_timeout"] + 4 * int(options["timeout"]) + 60
    return _NOTICE + _SERVICE.format(guide=_GUIDE, program=PROGRAM, longest=longest, **options)


def timer(options: t.Mapping[str, t.Any]) -> str:
    """Return the timer for the options of the module `watcher`."""
    return _NOTICE + _TIMER.format(guide=_GUIDE, **options)
