# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter signed_policy."""

from __future__ import annotations

import base64
import datetime
import json
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import signed_policy as plugin
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import signed_policies
from hypothesis import given
from hypothesis import strategies as st

signed_policy = plugin.FilterModule().filters()["signed_policy"]

NOW = 1_769_889_600_000  # 2026-01-31T20:00:00Z
HOUR = 3_600_000


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the filter."""
    monkeypatch.setattr(signed_policies, "time", SimpleNamespace(time_ns=lambda: NOW * 1_000_000 + 999_999))


def decoded(text: str) -> dict[str, Any]:
    """Return the policy of an encoded text."""
    policy: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return policy


def test_the_policy_of_the_servers_documentation() -> None:
    assert signed_policies.encode({"url_expire": 1399721581}) == "eyJ1cmxfZXhwaXJlIjoxMzk5NzIxNTgxfQ"
    assert signed_policies.decode("eyJ1cmxfZXhwaXJlIjoxMzk5NzIxNTgxfQ") == {"url_expire": 1399721581}


def test_all_keys_in_the_order_of_the_documentation() -> None:
    text = signed_policy(
        {
            "real_ip": "111.111.111.111/32",
            "allow_ip": "192.168.100.5/32",
            "stream_expire": "3h",
            "url_expire": NOW + 2 * HOUR,
            "url_activate": "2026-01-31T21:00:00+00:00",
        }
    )
    assert base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode() == (
        f'{{"url_activate":{NOW + HOUR},"url_expire":{NOW + 2 * HOUR},"stream_expire":{NOW + 3 * HOUR},'
        '"allow_ip":"192.168.100.5/32","real_ip":"111.111.111.111/32"}'
    )


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [
        (7200, 7_200_000),
        ("7200", 7_200_000),
        (" 7200 ", 7_200_000),
        (0.5, 500),
        ("1.5", 1500),
        ("2h", 2 * HOUR),
        ("1h30m", HOUR + HOUR // 2),
        ("1h 30m", HOUR + HOUR // 2),
        ("1w2d3h4m5s", 604_800_000 + 2 * 86_400_000 + 3 * HOUR + 4 * 60_000 + 5_000),
        ("90s", 90_000),
    ],
)
def test_expires_in(value: Any, milliseconds: int) -> None:
    assert decoded(signed_policy({"expires_in": value})) == {"url_expire": NOW + milliseconds}


@pytest.mark.parametrize(
    "value",
    [
        NOW + HOUR,
        float(NOW + HOUR),
        str(NOW + HOUR),
        "1h",
        "2026-01-31T21:00:00Z",
        "2026-01-31T21:00:00z",
        "2026-01-31 22:00:00+01:00",
        "2026-01-31T21:00:00.000+00:00",
        datetime.datetime(2026, 1, 31, 21, tzinfo=datetime.timezone.utc),
        datetime.datetime(2026, 1, 31, 22, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        yaml.safe_load("2026-01-31T21:00:00Z"),
    ],
)
def test_a_time_in_every_form(value: Any) -> None:
    assert decoded(signed_policy({"url_expire": value})) == {"url_expire": NOW + HOUR}


def test_a_key_with_the_value_none_is_not_specified() -> None:
    assert decoded(signed_policy({"expires_in": None, "url_expire": "1h", "allow_ip": None})) == {
        "url_expire": NOW + HOUR
    }


@pytest.mark.parametrize(
    "value",
    [0, -1, "", "2x", "h", "2H", "1m2h", "-2h", True, [], "9" * 5000 + "h", "9" * 400, float("nan")],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_duration_is_refused(value: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"^Could not encode the policy: expires_in is .*Expected a number of"):
        signed_policy({"expires_in": value})


@pytest.mark.parametrize("option", ["url_expire", "url_activate", "stream_expire"])
@pytest.mark.parametrize(
    "value",
    [
        "",
        "tomorrow",
        True,
        [],
        {},
        NOW // 1000,
        str(NOW // 1000),
        -1,
        10**20,
        "9" * 5000,
        float("inf"),
        "2026-01-31",
        "2026-01-31T21:00:00",
        datetime.datetime(2026, 1, 31, 21),
        datetime.date(2026, 1, 31),
        "9999999w",
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_wrong_time_is_refused(option: str, value: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=f"^Could not encode the policy: {option} is .*time zone") as caught:
        signed_policy({"url_expire": "2h", option: value})
    assert len(str(caught.value)) < 400


def test_seconds_in_place_of_milliseconds_are_shown_as_what_they_mean() -> None:
    with pytest.raises(AnsibleFilterError, match=r"url_expire is 1769889600, which is 1970-01-21T11:38:09.600Z"):
        signed_policy({"url_expire": NOW // 1000})


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"url_expire": NOW}, r"url_expire is 2026-01-31T20:00:00Z. Expected a time after now, which is 2026-01-31T20"),
        ({"url_expire": "1h", "url_activate": "1h"}, "url_expire is .*Expected a time after url_activate, which is"),
        ({"url_expire": "1h", "stream_expire": NOW - 1}, "stream_expire is .*Expected a time after now"),
        (
            {"url_expire": "3h", "url_activate": "2h", "stream_expire": "1h"},
            "stream_expire is .*Expected a time after url_activate",
        ),
    ],
)
def test_times_with_which_no_client_gets_in_are_refused(policy: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        signed_policy(policy)


@pytest.mark.parametrize("option", ["allow_ip", "real_ip"])
@pytest.mark.parametrize(
    "value",
    [
        "",
        "203.0.113.7",
        "203.0.113.7/0",
        "203.0.113.7/33",
        "203.0.113.7/255.255.255.0",
        "a/8",
        "300.0.0.1/8",
        "::1/8",
        7,
    ],
)
def test_what_the_server_cannot_read_as_a_network_is_refused(option: str, value: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=f"{option} is .*Expected an IPv4 network with a prefix length"):
        signed_policy({"expires_in": 60, option: value})


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({}, "url_expire is not specified. Expected exactly one of expires_in and url_expire"),
        ({"expires_in": 60, "url_expire": NOW + 1}, "url_expire is specified together with expires_in"),
        ({"expire": 60}, "the policy has the unknown key 'expire'. Expected only expires_in, url_activate"),
        ("text", "it is of type str. Expected a mapping with expires_in"),
        (None, "it is of type NoneType"),
    ],
)
def test_a_wrong_policy_is_refused(policy: Any, message: str) -> None:
    with pytest.raises(AnsibleFilterError, match=message):
        signed_policy(policy)


@given(st.integers(1, 10**9), st.integers(1, 2**31))
def test_an_encoded_policy_decodes_to_the_same(seconds: int, address: int) -> None:
    network = f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}/32"
    policy = signed_policies.make_policy({"expires_in": seconds, "allow_ip": network})
    text = signed_policies.encode(policy)
    assert "=" not in text and signed_policies.decode(text) == decoded(text) == policy
