# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid values of options, and invalid ones that are refused before any request."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators as checks
from hypothesis import given
from hypothesis import strategies as st

CHECKS: dict[str, tuple[list[Any], list[Any]]] = {
    "addressable": (
        ["a", "tenant-a", "A.b_c-9", "...", "-", "0"],
        ["", ".", "..", "a b", "a/b", "a?b", "a#b", "a:b", "%s", "a%20", "ä", "a\n", "\n", "a\x00", "a*", "[a]", "'a'"],
    ),
    "one_line": (["a", " a ", "a b", "ä", "%s"], ["", " ", "\t", "a\nb", "a\r", "a\x00b", "a\x7f"]),
    "one_line_or_empty": (["", "a", "a b"], [" ", "a\nb", "\x1b[0m"]),
    "host_name": (
        ["a.example.com", "*", "*.example.com", "127.0.0.1", "::1", "[::1]", "_srv.a"],
        ["", "a b", "a/b", "http://a", "ä.example", "a,b", "a\n"],
    ),
    "module_name": (["rtmp", "llhls", " webrtc ", "*", "mpeg-ts", "RTMP"], ["", " ", "rtmp,srt", "a b", "ä"]),
    "absolute_path": (["/a", "/", "/etc/a b.pem"], ["", "a", "./a", "~/a", "a/b", "/a\nb", "C:\\a"]),
    "http_url": (
        ["http://h", "https://h:8081/path?q=1", "HTTP://h", "http://127.0.0.1:1", "http://[::1]:8081"],
        [
            "",
            "h",
            "h:8081",
            "ftp://h",
            "http://",
            "http:///p",
            "http://:80",
            "http://h:0",
            "http://h:65536",
            "http://h:x",
            "http://h p",
            "http://h\n",
            "http://[::1",
        ],
    ),
    "count": ([0, 1, 2**31 - 1], [-1, 2**31]),
    "location": (["/", "/app", "/app/stream", "/app/ä"], ["", "app", "app/stream", "/a b", "/a\n"]),
    "url_scheme": (["ovt", "rtsp", "webrtc+http", "a.b-c", "H264"], ["", "ovt://", "1a", "o v", "ovt:", "ovt\n"]),
    "origin_url": (
        ["h", "h:9000/app/stream", "h/", "[::1]:9000/a", "h:9000/a?b=c"],
        ["", "/app", "ovt://h/app", "h a", "h\n/a"],
    ),
    "host_and_port": (
        ["h:1", "127.0.0.1:6379", "redis.example.com:65535"],
        ["", "h", "h:", ":1", "h:0", "h:65536", "h:x", "h:-1", "h:1:2", "h h:1", "[::1]:6379", "h:123456", "h:\u0661"],
    ),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (fine, _wrong) in CHECKS.items() for value in fine]
)
def test_a_valid_value_passes(name: str, value: Any) -> None:
    assert getattr(checks, name)(value) is None


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, (_fine, wrong) in CHECKS.items() for value in wrong]
)
def test_a_check_says_what_was_expected(name: str, value: Any) -> None:
    expected = getattr(checks, name)(value)
    assert isinstance(expected, str)
    assert expected.startswith("expected ")


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "count"])
@given(value=st.text())
def test_a_check_never_fails_on_any_text(name: str, value: str) -> None:
    expected = getattr(checks, name)(value)
    assert expected is None or expected.startswith("expected ")


@given(st.text())
def test_only_letters_digits_and_three_characters_are_addressable(name: str) -> None:
    assert checks.is_addressable(name) is (
        re.fullmatch(r"[A-Za-z0-9._-]+", name, re.ASCII) is not None and name not in (".", "..")
    )


@pytest.mark.parametrize("name", [None, 1, True, [], {}, b"a"])
def test_a_value_that_is_no_text_is_not_addressable(name: Any) -> None:
    assert checks.is_addressable(name) is False


@pytest.mark.parametrize(
    ("url", "port"), [("srt://h", None), ("srt://h:9000?mode=caller", 9000), ("SRT://h:1", 1), ("tcp://h:65535", 65535)]
)
def test_a_network_url_is_split(url: str, port: int | None) -> None:
    parts = checks.network_url(url, ["srt", "tcp"])
    assert parts is not None
    assert (parts.hostname, parts.port) == ("h", port)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "srt",
        "srt:",
        "srt://",
        "srt://:9000",
        "srt://h:0",
        "srt://h:99999",
        "srt://h:x",
        "udp://h:1",
        "srt://h p",
        "srt://[h",
    ],
)
def test_other_texts_are_no_network_url(url: str) -> None:
    assert checks.network_url(url, ["srt", "tcp"]) is None
