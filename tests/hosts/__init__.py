# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles on a real host: a Debian 13 with systemd, podman and docker, reached by SSH.

`make hosts` runs these tests, as root. :mod:`.guest` boots the host, :mod:`.images` lays the simulator out as the
official image of the server is, and :mod:`.media` plays the role and asks the host what has become of it: by
systemctl, podman, docker, modes of files, sockets and the API, never by what the role says.
"""
