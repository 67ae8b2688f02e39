# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter signed_url. Signatures are verified as the server does it."""

from __future__ import annotations

import string
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import signed_policy as policy_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.filter import signed_url as plugin
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import signed_policies, signed_urls
from ansible_collections.streamops.ovenmediaengine.tests.simulator.signed_urls import refusal
from hypothesis import assume, given
from hypothesis import strategies as st

signed_url = plugin.FilterModule().filters()["signed_url"]
signed_policy = policy_plugin.FilterModule().filters()["signed_policy"]

NOW = 1_769_889_600_000  # 2026-01-31T20:00:00Z
SECRET = "t-sign-secret+/%&"
VHOST: dict[str, Any] = {
    "name": "tenant-a",
    "signed_policy": {
        "policy_query_key_name": "p",
        "signature_query_key_name": "s",
        "secret_key": SECRET,
        "enables": {"providers": ["rtmp"], "publishers": ["webrtc", "llhls"]},
    },
}
URLS = [
    "ws://live.example.com:3333/app/stream",
    "wss://live.example.com:3334/app/stream?transport=tcp",
    "wss://live.example.com/app/stream",
    "https://live.example.com:3334/app/stream?direction=whip",
    "https://live.example.com/app/stream/llhls.m3u8",
    "http://live.example.com:80/app/stream/ts:playlist.m3u8",
    "http://live.example.com/app/stream/thumb.jpg",
    "https://live.example.com:443/app/stream/thumb.webp?size=1",
    "http://live.example.com:20080/app/stream/thumb.png",
    "rtmp://live.example.com/app/stream",
    "rtmp://Live.example.com:1936/app/stream?a=b",
    "rtmps://live.example.com:1937/app/stream",
    "http://[2001:db8::1]:3333/app/stream/llhls.m3u8",
    "srt://live.example.com:9999?streamid=default/app/stream",
    "srt://live.example.com:9999?mode=caller&streamid=default%2Fapp%2Fstream%3Fa%3Db&latency=200&x",
    "srt://live.example.com:9999?streamid=srt%3A%2F%2Flive.example.com%3A9999%2Fapp%2Fstream",
    "srt://live.example.com:9998/?streamid=default/app/stream/playlist",
]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the filter."""
    monkeypatch.setattr(signed_policies, "time", SimpleNamespace(time_ns=lambda: NOW * 1_000_000 + 999_999))


def test_the_url_of_the_servers_documentation() -> None:
    assert signed_url(
        "ws://192.168.0.100:3333/app/stream", secret_key="1kU^b6", policy="eyJ1cmxfZXhwaXJlIjoxMzk5NzIxNTgxfQ"
    ) == (
        "ws://192.168.0.100:3333/app/stream"
        "?policy=eyJ1cmxfZXhwaXJlIjoxMzk5NzIxNTgxfQ&signature=dvVdBpoxAeCPl94Kt5RoiqLI0YE"
    )


def test_the_signature_of_the_servers_script() -> None:
    """The policy of its example has backslashes that are not JSON, so the filter refuses it; the signature is valid."""
    assert (
        signed_urls.signature(
            "ome_is_the_best", "ws://host:3333/app/stream?policy=e1widXJsX2V4cGlyZVwiOjE2MDQzNzc1MjAxNzh9"
        )
        == "rXfU1z1ynBTfK-q6_HM_I9fPzRs"
    )


def test_the_srt_url_of_the_servers_documentation() -> None:
    signed = signed_url("srt://1.2.3.4:9998?streamid=default/app/stream", secret_key=SECRET, expires_in=600, parts=True)
    policy = signed_policy({"expires_in": 600})
    signature = signed_urls.signature(SECRET, f"srt://default/app/stream?policy={policy}")
    assert signed["url"] == (
        f"srt://1.2.3.4:9998?streamid=default%2Fapp%2Fstream%3Fpolicy%3D{policy}%26signature%3D{signature}"
    )
    assert signed["stream_id"] == f"default/app/stream?policy={policy}&signature={signature}"
    assert signed["server"] is signed["stream_key"] is None


@pytest.mark.parametrize("url", URLS)
def test_the_server_accepts_the_url_until_it_expires(url: str) -> None:
    signed = signed_url(url, VHOST["signed_policy"], expires_in="2h", allow_ip="203.0.113.7/32")
    names = {"policy_name": "p", "signature_name": "s"}
    assert refusal(signed, SECRET, NOW, **names) == ""
    assert refusal(signed, SECRET, NOW + 7_200_000, **names) == ""
    assert refusal(signed, SECRET, NOW + 7_200_001, **names) == "expired"
    assert refusal(signed, SECRET, NOW, "203.0.113.8", **names) == "address is not allowed"
    assert refusal(signed, SECRET + "x", NOW, **names) == "invalid signature"
    assert signed == signed_url(url, VHOST["signed_policy"], expires_in="2h", allow_ip="203.0.113.7/32")


def test_the_server_accepts_the_url_from_its_activation_on() -> None:
    signed = signed_url(URLS[0], secret_key=SECRET, expires_in="2h", url_activate="1h")
    assert refusal(signed, SECRET, NOW) == "not yet activated"
    assert refusal(signed, SECRET, NOW + 3_600_000) == ""


def test_a_network_also_admits_addresses_outside() -> None:
    """This is a defect of the server, which the documentation of the filters names."""
    signed = signed_url(URLS[0], secret_key=SECRET, expires_in="2h", allow_ip="203.0.113.0/24")
    assert refusal(signed, SECRET, NOW, "203.0.113.200") == ""
    assert refusal(signed, SECRET, NOW, "8.8.8.8") == ""
    exact = signed_url(URLS[0], secret_key=SECRET, expires_in="2h", allow_ip="203.0.113.7/32")
    assert refusal(exact, SECRET, NOW, "8.8.8.8") == "address is not allowed"


NAMES = st.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=12).filter(
    lambda name: name[0] != "."
)
QUERIES = st.dictionaries(
    NAMES.filter(lambda name: name.lower() not in ("policy", "sig")),
    st.text(string.ascii_letters + string.digits + "-._~!$()*,;:%", max_size=8),
    max_size=3,
)


@st.composite
def urls(draw: st.DrawFn) -> str:
    """Return URLs of all protocols."""
    scheme = draw(st.sampled_from(("ws", "wss", "http", "https", "rtmp", "rtmps", "srt")))
    path = f"{draw(NAMES)}/{draw(NAMES)}"
    query = "&".join(f"{name}={value.replace('%', '%25')}" for name, value in draw(QUERIES).items())
    if scheme == "srt":
        query = query.replace("%25", "")
        inner = f"{draw(NAMES)}/{path}{'?' if query else ''}{query}"
        inner = draw(st.sampled_from(("", "srt://"))) + inner
        return f"srt://live.example.com:9999?streamid={quote(inner, safe='')}"
    port = draw(st.sampled_from(("", ":80", ":443", ":1935", ":3333")))
    file = draw(st.sampled_from(("", "/llhls.m3u8", "/thumb.jpg"))) if scheme.startswith("http") else ""
    return f"{scheme}://live.example.com{port}/{path}{file}{'?' if query else ''}{query}"


@given(urls(), st.text(string.printable[:94], min_size=1, max_size=40), st.integers(1, 10**9), st.data())
def test_every_url_is_accepted_and_no_changed_one(url: str, secret: str, seconds: int, data: st.DataObject) -> None:
    assume(secret != "********")
    signed = signed_url(url, secret_key=secret, policy={"expires_in": seconds}, signature_query_key_name="sig")
    assert refusal(signed, secret, NOW, signature_name="sig") == ""
    srt = url.startswith("srt")
    # The server does not see the address of an SRT URL, and case does not matter in its percent-encoding.
    position = data.draw(st.integers(signed.index("streamid=") + len("streamid=") if srt else 0, len(signed) - 1))
    same = {signed[position]} | ({signed[position].swapcase()} if srt else set())
    changed = data.draw(st.sampled_from(sorted(set("aAZz5-_.") - same)))
    other = signed[:position] + changed + signed[position + 1 :]
    assert refusal(other, secret, NOW, signature_name="sig") != ""


@pytest.mark.parametrize("parts", [False, True])
def test_a_policy_is_used_in_every_form(parts: bool) -> None:
    keys = {"expires_in": "2h", "allow_ip": "203.0.113.7/32"}
    results = [
        signed_url(URLS[0], secret_key=SECRET, parts=parts, **keys),
        signed_url(URLS[0], secret_key=SECRET, parts=parts, policy=keys),
        signed_url(URLS[0], secret_key=SECRET, parts=parts, policy=signed_policy(keys)),
        signed_url(URLS[0], secret_key=SECRET, parts=parts, policy=signed_policy(keys), expires_in=None),
    ]
    assert all(result == results[0] for result in results)


def test_options_take_precedence_over_the_virtual_host() -> None:
    settings = {**VHOST["signed_policy"], "signature_query_key_name": None}
    signed = signed_url(URLS[0], settings, secret_key="other", policy_query_key_name="q", expires_in=60)
    assert "?q=" in signed and "&signature=" in signed
    assert refusal(signed, "other", NOW, policy_name="q") == ""


def test_the_parts_for_an_encoder_with_rtmp() -> None:
    signed = signed_url("rtmp://live.example.com/app/main?a=b", secret_key=SECRET, expires_in="2h", parts=True)
    assert signed["server"] == "rtmp://live.example.com:1935/app"
    assert signed["stream_key"].startswith("main?a=b&policy=")
    assert f"{signed['server']}/{signed['stream_key']}" == signed["url"]
    assert signed["stream_id"] is None
    assert signed["expires"] == "2026-01-31T22:00:00Z"


@pytest.mark.parametrize(
    ("url", "begin"),
    [
        ("WSS://Live.Example.com/app/Stream", "wss://live.example.com:443/app/Stream?policy="),
        ("http://live.example.com/app/stream/llhls.m3u8?", "http://live.example.com:80/app/stream/llhls.m3u8?policy="),
        ("https://live.example.com/app/stream/thumb.jpg", "https://live.example.com/app/stream/thumb.jpg?policy="),
        (
            "https://live.example.com:80/app/stream/thumb.jpg",
            "https://live.example.com:80/app/stream/thumb.jpg?policy=",
        ),
        ("rtmp://Live.example.com/app/stream", "rtmp://Live.example.com:1935/app/stream?policy="),
        ("srt://Host:9?streamid=srt://Host:9/a/b", "srt://Host:9?streamid=srt%3A%2F%2FHost%3A9%2Fa%2Fb%3Fpolicy%3D"),
    ],
)
def test_the_url_that_is_signed(url: str, begin: str) -> None:
    assert signed_url(url, secret_key=SECRET, expires_in=60).startswith(begin)


class VaultText:
    """A text that ansible-core up to 2.18 decrypts when it is converted."""

    yaml_tag = "!vault"

    def __str__(self) -> str:
        return SECRET


def test_a_secret_from_a_vault() -> None:
    expected = signed_url(URLS[0], secret_key=SECRET, expires_in=60)
    assert signed_url(URLS[0], {"secret_key": VaultText()}, expires_in=60) == expected


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (None, "the URL is of type NoneType. Expected a text"),
        ("", "the URL has no scheme. Expected one of ws, wss, http"),
        ("live.example.com/app/stream", "has no scheme"),
        ("ovt://live.example.com:9000/app/stream", "has the scheme 'ovt'"),
        ("wss:///app/stream", "has an invalid host name or port. Expected wss://HOST:PORT"),
        ("wss://live example/app/stream", "has an invalid host name or port"),
        ("wss://bücher.example/app/stream", "has an invalid host name or port"),
        ("wss://live.example.com:0/app/stream", "has an invalid host name or port"),
        ("wss://live.example.com:65536/app/stream", "has an invalid host name or port"),
        ("wss://live.example.com:x/app/stream", "has an invalid host name or port"),
        ("rtmp://user:t-password@live.example.com/app/stream", "has an @ before its query"),
        ("wss://live.example.com", "has the path ''. Expected /APP/STREAM, or a file in it"),
        ("wss://live.example.com/app", "has the path '/app'"),
        ("wss://live.example.com//stream", "has the path '//stream'"),
        ("rtmp://live.example.com/app/instance/stream", "has the path '/app/instance/stream'. Expected /APP/STREAM"),
        ("wss://live.example.com/app/a stream", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/strüm", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/stream#top", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/stream%", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/stream\n", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/x://y", "has a character in its path that must be encoded"),
        ("wss://live.example.com/app/stream?a=b?c", "has a character in its query that must be encoded"),
        ("wss://live.example.com/app/stream?a='b'", "has a character in its query that must be encoded"),
        ("wss://live.example.com/app/stream?a=b@c", "has a character in its query that must be encoded"),
        ("wss://live.example.com/app/stream?a=http://b", "has a character in its query that must be encoded"),
        ("wss://live.example.com/app/stream?a\n", "has a character in its query that must be encoded"),
        ("wss://live.example.com/app/stream?policy=x", "already has the parameter policy. Expected the URL without"),
        ("wss://live.example.com/app/stream?a=b&SIGNATURE=x", "already has the parameter SIGNATURE"),
        ("srt://live.example.com?streamid=default/app/stream", "is not an SRT URL with a port and a streamid"),
        ("srt://live.example.com:9999/app/stream", "is not an SRT URL with a port and a streamid"),
        ("srt://live.example.com:9999?streamid=default/app/stream?a=b", "is not an SRT URL with a port"),
        ("srt://live.example.com:9999", "does not have one streamid"),
        ("srt://live.example.com:9999?streamid=a/b/c&streamid=a/b/c", "does not have one streamid"),
        ("srt://live.example.com:9999?streamid=default%2Fapp%2Fa%252Fb", "encoded once at most"),
        ("srt://live.example.com:9999?streamid=default/app", "has the path '/app'"),
        ("srt://live.example.com:9999?streamid=default/app/stream/playlist/more", "too many slashes"),
        ("srt://live.example.com:9999?streamid=default/app/stream%3Fa%3Db/c", "too many slashes"),
        ("srt://live.example.com:9999?streamid=default/app/stream%3Fpolicy%3Dx", "already has the parameter policy"),
        ("srt://live.example.com:9999?streamid=%23!::u=default/app/stream", "has an invalid host name or port"),
        (f"srt://live.example.com:9999?streamid=default/app/{'s' * 500}", "a signed streamid of 5.. characters|6.."),
    ],
)
def test_a_wrong_url_is_refused(url: Any, message: str) -> None:
    with pytest.raises(AnsibleFilterError, match=message) as caught:
        signed_url(url, secret_key=SECRET, expires_in=60)
    assert str(caught.value).startswith("Could not sign the URL: ") and "t-password" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"secret_key": None}, "secret_key is not specified"),
        ({"secret_key": ""}, "secret_key is empty"),
        ({"secret_key": 7}, "secret_key is of type int"),
        ({"secret_key": "********"}, "secret_key is a masked value. Expected the secret itself"),
        ({"secret_key": SECRET + "\n"}, "secret_key has a character that is not printable"),
        ({"secret_key": SECRET + "\ud800"}, "secret_key has a character that is not printable"),
        ({"signed_policy": SECRET}, "signed_policy is of type str. Expected the signed_policy of a virtual host"),
        ({"signed_policy": VHOST}, "signed_policy has the unknown key 'name'. Expected only secret_key, policy_query"),
        ({"policy_query_key_name": ""}, "policy_query_key_name is ''. Expected letters, digits"),
        ({"signature_query_key_name": "a&b"}, "signature_query_key_name is 'a&b'"),
        ({"signature_query_key_name": 1}, "signature_query_key_name is 1"),
        ({"signature_query_key_name": "Policy"}, "signature_query_key_name is 'Policy'. Expected another name"),
        ({"parts": "yes"}, "parts is 'yes'. Expected true or false"),
        ({"expires_in": None}, "url_expire is not specified. Expected exactly one of expires_in and url_expire"),
        ({"expires_in": "2x"}, "expires_in is '2x'. Expected a number of seconds"),
        ({"url_expire": "2h"}, "url_expire is specified together with expires_in"),
        ({"allow_ip": "203.0.113.7"}, "allow_ip is '203.0.113.7'. Expected an IPv4 network"),
        ({"expire": 60}, "expire is not an option. Expected one of expires_in, url_activate"),
        ({"policy": {"expires_in": 60}}, "expires_in is specified together with policy"),
        ({"expires_in": None, "policy": {"expire": 60}}, "the policy has the unknown key 'expire'"),
        ({"expires_in": None, "policy": 60}, "policy is of type int"),
        ({"expires_in": None, "policy": ""}, "policy is not an encoded policy. Expected the result of the filter"),
        ({"expires_in": None, "policy": "eyJ1cmxfZXhwaXJlIjoxfQ=="}, "policy is not an encoded policy"),
        ({"expires_in": None, "policy": "abcde"}, "policy is not an encoded policy"),
        ({"expires_in": None, "policy": "bm8"}, "policy is not an encoded policy"),
        ({"expires_in": None, "policy": "WzFd"}, "policy is not an encoded policy"),
        ({"expires_in": None, "policy": "e30"}, "policy has no valid url_expire"),
        ({"expires_in": None, "policy": "eyJ1cmxfZXhwaXJlIjp0cnVlfQ"}, "policy has no valid url_expire"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError, match=message) as caught:
        signed_url(URLS[0], **{"secret_key": SECRET, "expires_in": 60, **options})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("option", ["policy_query_key_name", "expires_in", "allow_ip", "parts"])
@pytest.mark.parametrize("secret", [SECRET, 'it\'s \\ "quoted"', "long " * 50])
def test_a_secret_in_the_wrong_place_is_not_shown(option: str, secret: str) -> None:
    for settings in ({"secret_key": secret}, {"signed_policy": {"secret_key": secret}}):
        with pytest.raises(AnsibleFilterError) as caught:
            signed_url(URLS[0], **{"expires_in": 60, **settings, option: secret})
        message = str(caught.value)
        assert secret not in message and repr(secret)[1:-1] not in message and "long" not in message
        assert "********" in message or "is a text of 250 characters" in message
