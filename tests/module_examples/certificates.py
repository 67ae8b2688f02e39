# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for certificates."""

from __future__ import annotations

from collections.abc import Iterator

from ._example import ALWAYS, ANY_END, EVERY, SUCCESS, Example
from ._scenario import Scenario, labels

_ENDPOINT = {"host": "127.0.0.1", "port": 1, "server_name": "h.example.com"}
_WITH_ENDPOINT = {"endpoint": [{"host": "127.0.0.1", "port": 1}]}
_WITH_CERTIFICATE = {"certificate": "/nonexistent/cert.pem"}
EXAMPLES = (
    Example(
        "cert_reload",
        {"wait_timeout": 0},
        ALWAYS,
        with_secrets=lambda _mine, vhost: {"vhost": vhost},
        ends={EVERY: ANY_END},  # a reload has kinds of errors of its own
        beside={
            "certificate": _WITH_ENDPOINT,
            "fingerprint": _WITH_ENDPOINT,
            "client_key": {"client_cert": "/nonexistent/cert.pem"},
        },
    ),
    Example(
        "certificates",
        {"certificates": []},
        with_secrets=lambda mine, vhost: {
            "certificates": [
                {"vhost": vhost, "certificate_content": "x", "private_key_content": mine.secret("content of a key")}
            ],
            "endpoints": [{"host": "127.0.0.1", "port": 9}],
        },
        ends={SUCCESS: "bad_input"},  # the virtual host has no TLS
        without_scenarios="Its tests let a rotation fail at each step.",
        inside={
            "endpoint": _ENDPOINT,
            "certificates": {
                "endpoint": [_ENDPOINT],
                "certbot_live": "/nonexistent",
                "endpoints": [{"host": "127.0.0.1", "port": 1}],
            },
            "endpoints": _ENDPOINT,
        },
    ),
    Example(
        "certificate_info",
        {"vhost": "default", "endpoint": [_ENDPOINT]},
        with_secrets=lambda _mine, vhost: {"vhost": vhost, "endpoint": [{"host": "127.0.0.1", "port": 9}]},
        beside=dict.fromkeys(("chain", "private_key", "names"), _WITH_CERTIFICATE),
    ),
)


def scenarios(_version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    tls = labels("t-v")
    yield Scenario(
        "cert_reload: one",
        "cert_reload",
        {"vhost": "t-v"},
        changed=tls,
        certificates=True,
        always_changed=True,
        typical=True,
    )
    yield Scenario("cert_reload: all", "cert_reload", {}, changed=tls, certificates=True, always_changed=True)
    yield Scenario(
        "cert_reload: proven",
        "cert_reload",
        {"vhost": "t-v", "wait_timeout": 1, "timeout": 2},
        changed=tls,
        certificates=True,
    )
