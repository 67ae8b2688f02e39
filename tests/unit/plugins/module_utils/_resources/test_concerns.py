# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings that servers accept although they cannot work, and the number of warnings about them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import concerns
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.concerns import Concern


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("live.example.com", None),
        ("*", None),
        ("*.example.com", None),
        ("2001:db8::1", None),
        ("[2001:db8::1]", None),
        ("::1", None),
        ("live.example.com:1935", "Remove ':1935'."),
        ("203.0.113.7:3333", "Remove ':3333'."),
        ("[2001:db8::1]:1935", "Remove ':1935'."),
        ("*:80", "Remove ':80'."),
        ("Live.example.com", "capital letters"),
        ("${env:OME_HOST:a.example.com:80}", None),
    ],
)
def test_host_names(value: str, said: str | None) -> None:
    problem = concerns.host_name(value)
    assert said in problem if said and problem else problem is said


@pytest.mark.parametrize(
    ("value", "never_matches"),
    [
        ("*", False),
        ("https://www.example.com", False),
        ("https://www.example.com:8443", False),
        ("http://[2001:db8::1]:8080", False),
        ("*.example.com", False),
        ("https://*.example.com", False),
        ("${env:OME_ORIGIN:https://www.example.com/}", False),
        ("https://www.example.com/", True),
        ("https://www.example.com/player", True),
        ("www.example.com/", True),
        ("https://a.example.com,https://b.example.com", True),
        ("https://a.example.com https://b.example.com", True),
        (" https://www.example.com", True),
    ],
)
def test_cross_domains(value: str, never_matches: bool) -> None:
    assert (concerns.origin_of_browser(value) is not None) is never_matches


@pytest.mark.parametrize(
    ("value", "word"),
    [("master", None), ("abr", None), ("default", "default"), ("my_playlist", "playlist"), ("chunklist1", "chunklist")],
)
def test_file_names_of_playlists(value: str, word: str | None) -> None:
    problem = concerns.playlist_file(value)
    assert f"'{word}'" in problem if word and problem else problem is word


@pytest.mark.parametrize(
    ("value", "is_off"),
    [
        ({"secret_key": "x"}, True),
        ({"secret_key": "x", "enables": {}}, True),
        ({"secret_key": "x", "enables": {"providers": [], "publishers": []}}, False),
        ({"secret_key": "x", "enables": {"publishers": ["llhls"]}}, False),
        ({"secret_key": "x", "enables": {"providers": ["rtmp"]}}, False),
        ({}, False),
        ({"timeout": 5000}, False),
        ({"control_server_url": "https://hooks.example.com/"}, True),
        ({"secret_key": "x", "enables": {"publishers": ["llhls", "hls"]}}, True),
        ({"enables": {"publishers": [" HLSv3"]}}, True),
    ],
)
def test_policies(value: dict[str, Any], is_off: bool) -> None:
    assert (concerns.access_policy(value) is not None) is is_off


def test_up_to_five_of_a_kind_are_warned_of_one_by_one_and_more_in_one_warning() -> None:
    few = [Concern(f"Virtual host t{number}: host.names[0]", " 'x'", "never matches.") for number in range(5)]
    assert concerns.warnings(few) == [str(one) for one in few]
    many = [Concern(f"Virtual host t{number:02}: host.names[0]", " 'x'", "never matches.") for number in range(40)]
    other = Concern("Virtual host t00: signed_policy", "", "protects nothing.")
    first, second = concerns.warnings([*many, other])
    assert first.startswith("Each of 40 settings never matches. They are: Virtual host t00: host.names[0], ")
    assert first.endswith("t04: host.names[0] and 35 more.") and len(first) < 400
    assert second == "Virtual host t00: signed_policy protects nothing."
