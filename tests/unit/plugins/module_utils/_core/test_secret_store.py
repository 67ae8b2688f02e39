# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets are masked in URLs and in free text."""

from __future__ import annotations

import base64
import string
from urllib.parse import quote

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import (
    MASK,
    SecretStore,
    has_user_info,
    mask_url,
    url_secrets,
)
from hypothesis import example, given
from hypothesis import strategies as st

# Long enough not to occur by chance in the rest of a URL.
SECRETS = st.text(string.ascii_letters + string.digits + "-_.~%+", min_size=8).map(lambda text: "SECRET" + text)

PLACES = {
    "password": "srt://user:{}@host.example:9000?mode=caller",
    "user": "https://{}@host.example/hook",
    "rtmp key": "rtmp://host.example/app/{}",
    "rtmp key with a slash at the end": "rtmp://host.example:1935/app/{}/",
    "rtmp key in several parts": "rtmps://host.example/app/one/{}/two",
    "rtmp in upper case": "RTMP://host.example/app/{}",
    "rtmp key before a query": "rtmp://host.example/app/{}?backup=1",
    "query value": "srt://host.example:9000?passphrase={}&mode=caller",
    "query value of unknown name": "https://host.example/hook?a=1&whatever={}",
    "query value with an equals sign": "https://host.example/hook?token=a={}",
    "query value of no name": "https://host.example/hook?={}",
    "bare word of the query": "https://host.example/hook?{}",
    "fragment": "https://host.example/hook#{}",
    "no scheme": "user:{}@host.example:9000/app",
}


@pytest.mark.parametrize("url", PLACES.values(), ids=list(PLACES))
@given(secret=SECRETS)
def test_a_masked_url_never_shows_a_secret(url: str, secret: str) -> None:
    masked = mask_url(url.format(secret))
    assert secret not in masked
    assert MASK in masked


# Free text is scrubbed of complete parts: of a value such as "a=SECRET", not of its halves.
WHOLE_PARTS = {
    place: url
    for place, url in PLACES.items()
    if place not in ("rtmp key in several parts", "query value with an equals sign")
}


@pytest.mark.parametrize("url", WHOLE_PARTS.values(), ids=list(WHOLE_PARTS))
@given(secret=SECRETS)
def test_every_masked_part_of_a_url_is_a_known_secret(url: str, secret: str) -> None:
    store = SecretStore()
    store.add_url(url.format(secret))
    assert secret not in store.scrub(f"The server says: no {secret} here")


@given(st.text())
def test_any_text_can_be_masked_as_a_url(text: str) -> None:
    assert isinstance(mask_url(text), str)
    assert "" not in url_secrets(text)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "rtmp://host.example/app",
        "rtmp://host.example/app/",
        "udp://239.0.0.1:5000",
        "srt://host.example:9000?mode=caller&latency=200000&MAXBW=0",
        "srt://host.example:9000?tlpktdrop&&latency=",
        "https://host.example/a/b/c?",
        "https://[2001:db8::1]:8081/path",
        "host.example:9000/app/stream",
    ],
)
def test_a_url_without_secrets_is_unchanged(url: str) -> None:
    assert mask_url(url) == url
    assert url_secrets(url) == set()


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("rtmp://user:pass@host.example/app/key?x=1#y", f"rtmp://{MASK}@host.example/app/{MASK}?x={MASK}#{MASK}"),
        ("srt://host.example:9000?streamid=a/b&latency=5", f"srt://host.example:9000?streamid={MASK}&latency=5"),
        ("srt://host.example:9000?listen&token", f"srt://host.example:9000?listen&{MASK}"),
        ("https://host.example/app/key", "https://host.example/app/key"),
        ("https://host.example#", f"https://host.example#{MASK}"),
    ],
)
def test_masking_keeps_the_destination_of_a_url(url: str, masked: str) -> None:
    assert mask_url(url) == masked


def test_secrets_of_a_url_include_decoded_forms_and_the_password() -> None:
    assert url_secrets("rtmp://me:p%40ss@host/app/k%2Fey?token=t#frag") == {
        "me:p%40ss",
        "me:p@ss",
        "p%40ss",
        "p@ss",
        "k%2Fey",
        "k/ey",
        "t",
        "frag",
    }


@pytest.mark.parametrize(
    ("url", "expected"),
    [("http://u@h", True), ("http://u:p@h/", True), ("http://h/@", True), ("http://h?a=@", True), ("", False)],
)
def test_anything_before_an_at_sign_is_user_info(url: str, expected: bool) -> None:
    assert has_user_info(url) is expected


FORMS = {
    "plain": str,
    "URL-encoded whole": lambda secret: quote(secret, safe=""),
    "URL-encoded as a path": quote,
    "base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "escaped": lambda secret: repr(secret)[1:-1],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
@example(secret="a/b c'd\\e+é")
@given(secret=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="*"), min_size=6))
def test_scrubbing_masks_every_form_of_a_secret(form, secret: str) -> None:  # type: ignore[no-untyped-def]
    store = SecretStore()
    store.add(secret)
    scrubbed = store.scrub(f"<{form(secret)}>")
    assert form(secret) not in scrubbed
    assert MASK in scrubbed


def test_text_without_secrets_is_unchanged() -> None:
    store = SecretStore()
    store.add("a-long-secret")
    assert store.scrub("nothing of it") == "nothing of it"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("abc", MASK),
        ("key abc.", f"key {MASK}."),
        ("'abc'", f"'{MASK}'"),
        ("abcdef", "abcdef"),
        ("xabc", "xabc"),
        ("abc1", "abc1"),
    ],
)
def test_a_short_secret_is_masked_as_a_whole_word_only(text: str, scrubbed: str) -> None:
    store = SecretStore()
    store.add("abc")
    assert store.scrub(text) == scrubbed


def test_a_secret_that_contains_another_is_masked_completely() -> None:
    store = SecretStore()
    store.add("secret", "secret-and-more")
    assert store.scrub("secret-and-more, secret") == f"{MASK}, {MASK}"


def test_empty_values_and_the_mask_are_no_secrets() -> None:
    store = SecretStore()
    store.add(None, "", MASK)
    store.add_url(None)
    store.add_url(5)
    assert store.values == frozenset()


def test_a_secret_that_is_no_text_is_stored_as_text() -> None:
    store = SecretStore()
    store.add(1234567)
    assert store.values == {"1234567"}
    assert store.scrub("is 1234567") == f"is {MASK}"


def test_scrubbing_keeps_keys_and_other_types_of_nested_values() -> None:
    store = SecretStore()
    store.add("secret-value")
    tree = {"secret-value": ["a secret-value", ("secret-value", 1)], "n": None, "f": 1.5, "b": True}
    assert store.scrub_tree(tree) == {"secret-value": [f"a {MASK}", [MASK, 1]], "n": None, "f": 1.5, "b": True}


@pytest.mark.parametrize("entry", ["kind", "remedy", "action", "state", "method"])
def test_words_of_the_collection_are_kept_even_if_a_secret_equals_one(entry: str) -> None:
    store = SecretStore()
    store.add("created")
    assert store.scrub_tree([{entry: "created", "msg": "created"}]) == [{entry: "created", "msg": MASK}]
