# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Past bugs: names inside of messages, broken addresses, damaged responses, strange secrets."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.jobs import PUSHES, JobEndpoints
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import kind_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import (
    SecretStore,
    mask_url,
    url_secrets,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import options
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._http.test_client import (
    OK,
    create,
    failure_of,
    read,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._runtime.test_options import GIVEN
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    answer,
    raw,
    refusal,
    success,
)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (404, "[HTTP] Could not find the virtual host: [read-only] (404)", "vhost_not_found"),
        (404, "[HTTP] Could not find id 'read-only': [v/a] (404)", "task_not_found"),
        (409, "The virtual host already exists: [read-only]", "conflict"),
        (400, "[HTTP] Could not find protocol 'srt': [v/conflict] (400)", "bad_request"),
        (404, "[HTTP] Could not find application: [v/read-only] (404)", "push_publisher_missing"),
    ],
)
def test_names_inside_of_messages_do_not_decide_the_kind(status, message, kind):
    assert kind_of(status, message) == kind


@pytest.mark.parametrize("body", [b"", b"garbage"])
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_4xx_is_never_retried(serve, connect, status, body):
    server = serve(answer(body, status), OK)
    with pytest.raises(OmeError) as caught:
        Api(connect(server.url)).list_virtual_hosts()
    assert len(server.requests) == 1
    assert (caught.value.status, caught.value.kind) == (status, "unauthorized" if status == 401 else "not_json")


@pytest.mark.parametrize("url", ["http://[::1", "http://[x]"])
def test_a_broken_address_is_bad_input(url):
    with pytest.raises(BadInput):
        options.settings_of({**GIVEN, "api_url": url})


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".example"])
def test_an_impossible_host_is_an_error(connect, host):
    failure_of(read, connect(f"http://{host}:8081"))


def test_a_leading_blank_hides_no_key_in_a_url():
    assert "SECRET" not in mask_url(" rtmp://h/app/SECRET")
    assert "SECRET" in url_secrets(" rtmp://h/app/SECRET")


@pytest.mark.parametrize(
    "url",
    [
        "srt://h:1?U0VDUkVU=",
        "srt://h:1?latency=1;passphrase=SECRET",
        "https://u:pa/SECRET@h/",
        "https://u:SECRET/x@h/",
        "https://u:SECRET#x@h/",
        "rtmp:/h/app/SECRET",
        "https://u:SECRET?x@h/",
    ],
)
def test_secrets_at_unusual_places_of_a_url(url):
    assert "SECRET" not in mask_url(url) and "U0VDUkVU" not in mask_url(url)


def test_a_password_that_is_not_encoded_is_not_shown():
    with pytest.raises(BadInput) as caught:
        options.settings_of({**GIVEN, "api_url": "http://user:pa/ss@host"})
    assert "pa/ss" not in str(caught.value)


@pytest.mark.parametrize("key", ["abc@SECRET", "SECRET@abc", "a/b@SECRET", "a?b=c@SECRET", "a#b@SECRET"])
def test_an_at_sign_inside_of_a_key_shows_no_part_of_it(key):
    assert "SECRET" not in mask_url(f"rtmp://h.example/app/{key}")
    assert any("SECRET" in secret for secret in url_secrets(f"rtmp://h.example/app/{key}"))


def test_masking_a_key_keeps_the_application():
    assert mask_url("rtmp://h/live/live") == "rtmp://h/live/********"


def test_a_response_with_two_lengths_leaves_the_outcome_unknown(serve, connect):
    server = serve(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]"), OK)
    error = failure_of(create, connect(server.url))
    assert (error.kind, error.outcome_unknown) == ("connection_lost", True)


@pytest.mark.parametrize(
    "act",
    [
        answer({}, 429, {"Retry-After": "\u00b2"}),
        answer([], headers={"Content-Length": "\u00b2"}, close=True),
        answer([], headers={"Content-Length": "9" * 5000}, close=True),
    ],
)
def test_invalid_numbers_in_headers_cause_no_traceback(serve, connect, act):
    server = serve(act, OK)
    assert read(connect(server.url)).status == 200


@pytest.mark.parametrize("secret", ["\ud800abcdef", "abcdef\udcff"])
def test_a_secret_with_a_lone_surrogate_is_scrubbed(secret):
    store = SecretStore()
    store.add(secret)
    assert secret not in store.scrub(f"a {secret}")


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "http://"])
def test_an_unusable_proxy_leaves_no_doubt_about_the_outcome(connect, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    error = failure_of(create, connect("http://ome.invalid:8081"))
    assert (error.kind, error.outcome_unknown) == ("proxy", False)


@pytest.mark.parametrize("body", [[], [{"statusCode": 200}], {"statusCode": 200}, None])
def test_a_create_with_a_strange_response_has_an_unknown_outcome(serve, connect, body):
    api = Api(connect(serve(answer(body)).url))
    with pytest.raises(OmeError) as caught:
        api.create_virtual_hosts([{"name": "a"}, {"name": "b"}])
    assert caught.value.outcome_unknown is True


def test_a_start_with_a_strange_response_has_an_unknown_outcome(serve, connect):
    api = Api(connect(serve(success(None)).url))
    with pytest.raises(OmeError) as caught:
        JobEndpoints(api, PUSHES).start("v", "a", {"id": "x"})
    assert caught.value.outcome_unknown is True


@pytest.mark.parametrize("tracks", [5, True, 1.5])
def test_the_status_copes_with_any_tracks(tracks):
    PUSH_TASKS.status_of({"id": "x", "stream": {"trackIds": tracks}}, "v", "a")


def test_a_header_without_value_is_refused():
    with pytest.raises(BadInput):
        options.settings_of({**GIVEN, "http_headers": {"X-A": None}})


def test_a_409_of_a_start_is_a_duplicate_id(serve, connect):
    api = Api(connect(serve(refusal(409, "Conflict")).url))
    with pytest.raises(OmeError) as caught:
        JobEndpoints(api, PUSHES).start("v", "a", {"id": "x"})
    assert caught.value.kind == "duplicate_id"
