# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules that play and publish media. No viewer and no publisher reaches anything here."""

from __future__ import annotations

from urllib.parse import quote

from ._example import ANY_END, EVERY, SUCCESS, Example

_NOWHERE = {"host": "127.0.0.1", "port": 9}
_SIGN = {"secret_key": "s3cr3t-key"}
_PLACE = {"vhost": "default", "app": "app", "stream": "stream"}
_SOON = {"encoders": {"ports": {"rtmp": 9, "whip": 9}}, "viewers": {"timeout": 1}, "wait_timeout": 1}
EXAMPLES = (
    Example(
        "playback_info",
        {"urls": [{"url": "http://h.example.com/app/stream/llhls.m3u8", "connect_to": _NOWHERE}], "play_timeout": 5},
        with_secrets=lambda mine, vhost: {
            "urls": [
                {
                    "url": f"http://h.example.com/app/s/llhls.m3u8?policy={quote(mine.secret('policy'), safe='')}",
                    "viewer_headers": {"X-Token": mine.secret("header", "ascii")},
                    "connect_to": _NOWHERE,
                },
                {
                    "url": "http://h.example.com:80/app/s/llhls.m3u8",
                    "sign": {"secret_key": mine.secret("key")},
                    "connect_to": _NOWHERE,
                },
            ],
            "viewer_headers": {"X-Other": mine.secret("header of all", "ascii")},
        },
        ends={SUCCESS: ANY_END, EVERY: ANY_END},  # it sends no request to the API, and refuses some texts in headers
        beside={
            **dict.fromkeys(("vhost", "app", "stream", "host_names"), {**_PLACE, "connect_to": _NOWHERE}),
            "protocols": {**_PLACE, "host_names": ["h.example.com"], "connect_to": _NOWHERE},
            "ports": {**_PLACE, "host_names": ["h.example.com"], "connect_to": _NOWHERE},
        },
        inside={
            "urls": {"url": "http://h.example.com/app/stream/llhls.m3u8", "connect_to": _NOWHERE},
            "connect_to": _NOWHERE,
            "sign": _SIGN,
        },
    ),
    Example(
        "test_stream",
        {"vhost": "default", "app": "app", "state": "absent"},
        ends={EVERY: ANY_END},  # without a signal of its own it sends no request
        without_scenarios="It only reads from the API.",
        inside={"connect_to": _NOWHERE},
    ),
    Example(
        "verify",
        {"applications": [{"vhost": "default", "name": "app"}], **_SOON},
        with_secrets=lambda mine, vhost: {
            "vhosts": [mine.entry(vhost)],
            "applications": [mine.app(vhost, "flat")],
            "push_tasks": mine.tasks(vhost),
            "records": mine.records(vhost),
            **_SOON,
            "viewers": {"connect_to": "127.0.0.1", "timeout": 1},
        },
        ends={SUCCESS: ANY_END, EVERY: ANY_END},  # nothing can be published
        without_scenarios="What it publishes reaches nothing here, and it only writes to end that.",
        inside={
            "sink": {"host": "127.0.0.1", "port": 9},
            "viewers": {"ports": {"llhls": 9}},
            "encoders": {"ports": {"rtmp": 9}},
        },
    ),
)
