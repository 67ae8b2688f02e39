# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that many tests start from."""

from __future__ import annotations

from typing import Any

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "t-p",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://push.example.com/app",
    "stream_key": "planted-key",
}
"""A push task whose key no output may show."""
