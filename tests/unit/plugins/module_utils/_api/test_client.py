# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API client: requests, responses of all server versions, and responses of gateways."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.jobs import PUSHES, RECORDS, JobEndpoints
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import ItemAnswer, kind_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE, OmeError
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.conftest import Client
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    CLOSE,
    Act,
    ScriptedServer,
    answer,
    refusal,
    success,
)
from hypothesis import given
from hypothesis import strategies as st

WIRE = Path(__file__).resolve().parents[4] / "wire"

Talk = Callable[..., tuple[Api, ScriptedServer]]

# The expected error kind of each recorded message; the first match counts.
MEANINGS = (
    (401, r".*", "unauthorized"),
    (403, r"The VirtualHost is read-only", "read_only"),
    (404, r"Controller not found", "controller_not_found"),
    (404, r"Could not find the virtual host: ", "vhost_not_found"),
    (404, r"Could not find the application: ", "application_not_found"),
    (404, r"Could not find application: ", "push_publisher_missing"),
    (404, r"Could not find id ", "task_not_found"),
    (409, r"already exists", "conflict"),
    (400, r"Duplicate ID", "duplicate_id"),
    (400, r"Could not find protocol ", "bad_request"),
    (400, r"There is no required parameter ", "bad_request"),
    (400, r"Unsupported (protocol|connection mode)", "bad_request"),
    (400, r"Request body must be an array|\[JSON\]|is not optional|Unknown item found", "bad_request"),
    (500, r"Unknown item found|Failed to reload certificate", "server_error"),
)


def recorded_errors() -> list[Any]:
    """Return status and message of every recorded error, each once per version."""
    found: dict[tuple[str, int, str], None] = {}
    for path in sorted(WIRE.glob("*.json")):
        for scenario in json.loads(path.read_text(encoding="utf-8"))["scenarios"]:
            for step in scenario["steps"]:
                body = step["response"].get("body")
                for envelope in body if isinstance(body, list) else [body]:
                    if isinstance(envelope, dict) and envelope.get("statusCode", 0) >= 400:
                        found[path.stem, envelope["statusCode"], envelope["message"]] = None
    return [
        pytest.param(status, message, id=f"{version}-{status}-{' '.join(message.split())}")
        for version, status, message in found
    ]


@pytest.fixture
def talk(serve: Callable[..., ScriptedServer], connect: Callable[..., Client]) -> Talk:
    """Return an API client of a scripted server."""

    def start(*script: Act, retries: int = 1) -> tuple[Api, ScriptedServer]:
        server = serve(*script)
        return Api(connect(server.url, retries=retries)), server

    return start


def failure_of(call: Callable[[], Any]) -> OmeError:
    """Return the error that a call raises."""
    with pytest.raises(OmeError) as caught:
        call()
    return caught.value


# Kinds of errors


def test_errors_of_every_version_are_recorded() -> None:
    assert len(recorded_errors()) > 80


@pytest.mark.parametrize(("status", "message"), recorded_errors())
def test_every_recorded_error_is_mapped(status: int, message: str) -> None:
    expected = next(kind for code, pattern, kind in MEANINGS if code == status and re.search(pattern, message))
    assert kind_of(status, message) == expected


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (409, "Conflict", "conflict"),
        (409, "", "conflict"),
        (409, "[HTTP] Duplicate ID (409)", "duplicate_id"),
        (401, "", "unauthorized"),
        (401, "The VirtualHost is read-only", "unauthorized"),
        (500, "[HTTP] Internal Server Error (500)", "server_error"),
        (500, "", "server_error"),
        (599, "", "server_error"),
        (400, "", "bad_request"),
        (418, "I am a teapot", "bad_request"),
        (404, "", "bad_request"),
        (404, "[HTTP] There is no push information related to the ID [x] (404)", "task_not_found"),
        (404, "[HTTP] Could not find publisher: [v/a] (404)", "push_publisher_missing"),
        (404, "[HTTP] Could not find the stream: [v/#v#a/s] (404)", "stream_not_found"),
        (404, "[HTTP] Could not get the multiplex stream <read-only> (404)", "stream_not_found"),
        (404, "[HTTP] Could not get the multiplex application (404)", "provider_missing"),
    ],
)
def test_unrecorded_errors_are_mapped(status: int, message: str, kind: str) -> None:
    assert kind_of(status, message) == kind


@given(st.integers(100, 599), st.text(max_size=40))
def test_every_status_and_message_has_a_kind_with_advice(status: int, message: str) -> None:
    assert kind_of(status, message) in ADVICE


# Reading

READS: dict[str, tuple[Callable[[Api], Any], str, str, str]] = {
    "virtual hosts": (lambda api: api.list_virtual_hosts(), "GET", "/v1/vhosts", "names"),
    "virtual host": (lambda api: api.read_virtual_host("v"), "GET", "/v1/vhosts/v", "object"),
    "applications": (lambda api: api.list_applications("v"), "GET", "/v1/vhosts/v/apps", "names"),
    "application": (lambda api: api.read_application("v", "a"), "GET", "/v1/vhosts/v/apps/a", "object"),
    "push tasks": (
        lambda api: JobEndpoints(api, PUSHES).list_all("v", "a"),
        "POST",
        "/v1/vhosts/v/apps/a:pushes",
        "objects",
    ),
    "recordings": (
        lambda api: JobEndpoints(api, RECORDS).list_all("v", "a"),
        "POST",
        "/v1/vhosts/v/apps/a:records",
        "objects",
    ),
}
GOOD: dict[str, list[Any]] = {
    "names": [[], ["b", "a"]],
    "object": [{}, {"name": "v"}],
    "objects": [[], [{"id": "x"}, {}]],
}
BAD: dict[str, list[Any]] = {
    "names": [None, {}, "a", 5, [1], [None], [["a"]], {"a": 1}],
    "object": [None, [], "a", 5, [{"name": "v"}]],
    "objects": [None, {}, "a", [1], [[]], [{"id": "x"}, None]],
}
GOOD_CASES = [(read, payload) for read, (_call, _method, _path, shape) in READS.items() for payload in GOOD[shape]]
BAD_CASES = [(read, payload) for read, (_call, _method, _path, shape) in READS.items() for payload in BAD[shape]]


def named(read: str, payload: Any) -> Any:
    """Objects have the requested name, because further requests use it."""
    return (
        {**payload, "name": {"virtual host": "v", "application": "a"}[read]}
        if read in ("virtual host", "application")
        else payload
    )


@pytest.mark.parametrize(("read", "payload"), GOOD_CASES)
def test_a_read_requests_one_path_and_returns_the_content_of_the_envelope(talk: Talk, read: str, payload: Any) -> None:
    call, method, path, _shape = READS[read]
    api, server = talk(success(payload))
    assert call(api) == named(read, payload)
    (request,) = server.requests
    assert (request.method, request.target) == (method, path)
    assert request.body == (b"{}" if method == "POST" else b"")


@pytest.mark.parametrize(("read", "payload"), BAD_CASES)
def test_a_payload_of_another_type_is_an_error(talk: Talk, read: str, payload: Any) -> None:
    call, method, path, _shape = READS[read]
    api, server = talk(success(payload))
    error = failure_of(lambda: call(api))
    assert (error.kind, error.status, error.method, error.path, error.host) == (
        "unexpected_answer",
        200,
        method,
        path,
        api.host,
    )
    assert len(server.requests) == 1


@pytest.mark.parametrize("read", READS)
def test_a_read_is_retried_after_a_lost_response(talk: Talk, read: str) -> None:
    call, _method, _path, shape = READS[read]
    api, server = talk(CLOSE, success(GOOD[shape][0]))
    assert call(api) == named(read, GOOD[shape][0])
    assert len(server.requests) == 2


@pytest.mark.parametrize("read", READS)
def test_a_refused_read_raises_an_error_with_the_server_message(talk: Talk, read: str) -> None:
    api, _server = talk(refusal(401, "[HTTP]  Invalid\n credential (401)"))
    error = failure_of(lambda: READS[read][0](api))
    assert (error.kind, error.status, error.server_message) == ("unauthorized", 401, "[HTTP] Invalid credential (401)")


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("body", [None, [], "no", {}, {"message": 5}, {"message": ""}, [5], [{"x": 1}]])
def test_a_refusal_without_a_message_has_none(talk: Talk, read: str, body: Any) -> None:
    api, _server = talk(answer(body, 500))
    error = failure_of(lambda: READS[read][0](api))
    assert (error.kind, error.server_message) == ("server_error", None)


def test_a_payload_without_an_envelope_is_accepted(talk: Talk) -> None:
    api, _server = talk(answer(["a"]), answer({"name": "v"}), answer([{"id": "x"}]))
    assert api.list_virtual_hosts() == ["a"]
    assert api.read_virtual_host("v") == {"name": "v"}
    assert JobEndpoints(api, PUSHES).list_all("v", "a") == [{"id": "x"}]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        ("virtual host", "[HTTP] Could not find the virtual host: [v] (404)"),
        ("application", "[HTTP] Could not find the application: [v/a] (404)"),
    ],
)
def test_an_absent_object_reads_as_none(talk: Talk, read: str, message: str) -> None:
    api, _server = talk(refusal(404, message))
    assert READS[read][0](api) is None


@pytest.mark.parametrize(
    ("read", "message", "kind"),
    [
        ("virtual host", "[HTTP] Controller not found (404)", "controller_not_found"),
        ("virtual hosts", "[HTTP] Controller not found (404)", "controller_not_found"),
        ("application", "[HTTP] Could not find the virtual host: [v] (404)", "vhost_not_found"),
        ("applications", "[HTTP] Could not find the virtual host: [v] (404)", "vhost_not_found"),
        ("push tasks", "[HTTP] Could not find the application: [v/a] (404)", "application_not_found"),
        ("recordings", "[HTTP] Could not find the application: [v/a] (404)", "application_not_found"),
        ("recordings", "[HTTP] Could not find application: [v/a] (404)", "file_publisher_missing"),
    ],
)
def test_any_other_404_is_an_error(talk: Talk, read: str, message: str, kind: str) -> None:
    api, _server = talk(refusal(404, message))
    assert failure_of(lambda: READS[read][0](api)).kind == kind


def test_a_204_of_an_old_server_means_no_push_tasks(talk: Talk) -> None:
    api, server = talk(answer({"statusCode": 204, "message": "No Content"}, 204), success([{"id": "x"}]))
    assert JobEndpoints(api, PUSHES).list_all("v", "a") == []
    assert JobEndpoints(api, PUSHES).list_all("v", "a") == [{"id": "x"}]
    assert [request.connection for request in server.requests] == [0, 1]


def test_a_204_to_a_list_of_names_is_an_error(talk: Talk) -> None:
    api, _server = talk(answer(b"", 204))
    assert failure_of(api.list_virtual_hosts).kind == "unexpected_answer"


# Creating

CREATES: dict[str, tuple[Callable[[Api, list[dict[str, Any]]], list[ItemAnswer]], str]] = {
    "virtual hosts": (lambda api, items: api.create_virtual_hosts(items), "/v1/vhosts"),
    "applications": (lambda api, items: api.create_applications("v", items), "/v1/vhosts/v/apps"),
}
TWO = [{"name": "a"}, {"name": "b"}]
MADE = {"statusCode": 200, "message": "OK"}
TAKEN: dict[str, Any] = {"statusCode": 409, "message": "The virtual host already exists: [b]"}
WRONG: dict[str, Any] = {"statusCode": 400, "message": "[Config] virtualHost.name is not optional"}
MADE_ITEM = ItemAnswer(True, 200, "OK", "")
TAKEN_ITEM = ItemAnswer(False, 409, TAKEN["message"], "conflict")
WRONG_ITEM = ItemAnswer(False, 400, WRONG["message"], "bad_request")


@pytest.mark.parametrize("create", CREATES)
@pytest.mark.parametrize(
    ("status", "body", "items"),
    [
        (200, [MADE, MADE], [MADE_ITEM, MADE_ITEM]),
        (207, [MADE, TAKEN], [MADE_ITEM, TAKEN_ITEM]),
        (207, [WRONG, TAKEN], [WRONG_ITEM, TAKEN_ITEM]),
        (409, [TAKEN, TAKEN], [TAKEN_ITEM, TAKEN_ITEM]),
        (400, [WRONG, WRONG], [WRONG_ITEM, WRONG_ITEM]),
        (
            207,
            [{"statusCode": 409, "message": "Conflict"}, {"statusCode": 201}],
            [ItemAnswer(False, 409, "Conflict", "conflict"), ItemAnswer(True, 201, "", "")],
        ),
        (200, [TAKEN, MADE], [TAKEN_ITEM, MADE_ITEM]),
    ],
)
def test_every_item_of_a_bulk_answer_has_its_own_outcome(
    talk: Talk, create: str, status: int, body: Any, items: list[ItemAnswer]
) -> None:
    call, path = CREATES[create]
    api, server = talk(answer(body, status))
    assert call(api, TWO) == items
    (request,) = server.requests
    assert (request.method, request.target, request.json) == ("POST", path, TWO)


@pytest.mark.parametrize("create", CREATES)
@pytest.mark.parametrize(
    "item", [None, 5, "OK", [], [MADE], {}, {"message": "OK"}, {"statusCode": "200"}, {"statusCode": None}]
)
@pytest.mark.parametrize("status", [200, 207])
def test_an_item_that_is_no_envelope_is_no_success(talk: Talk, create: str, item: Any, status: int) -> None:
    api, _server = talk(answer([MADE, item], status))
    assert CREATES[create][0](api, TWO) == [MADE_ITEM, ItemAnswer(False, status, "", "unexpected_answer")]


@pytest.mark.parametrize("create", CREATES)
@pytest.mark.parametrize("body", [[], [MADE], [MADE, MADE, MADE]])
@pytest.mark.parametrize("status", [200, 207, 409])
def test_more_or_fewer_items_than_sent_are_an_error(talk: Talk, create: str, body: Any, status: int) -> None:
    api, server = talk(answer(body, status))
    assert failure_of(lambda: CREATES[create][0](api, TWO)).kind == "unexpected_answer"
    assert len(server.requests) == 1


@pytest.mark.parametrize("create", CREATES)
@pytest.mark.parametrize("body", [MADE, {"statusCode": 200, "message": "OK", "response": [MADE, MADE]}, {}, None, "OK"])
def test_an_envelope_instead_of_the_array_is_an_error(talk: Talk, create: str, body: Any) -> None:
    api, _server = talk(answer(body))
    assert failure_of(lambda: CREATES[create][0](api, TWO)).kind == "unexpected_answer"


@pytest.mark.parametrize("create", CREATES)
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "[HTTP] Request body must be an array (400)", "bad_request"),
        (401, "[HTTP] Invalid credential (401)", "unauthorized"),
        (403, "[HTTP] The VirtualHost is read-only: [v] (403)", "read_only"),
        (404, "[HTTP] Could not find the virtual host: [v] (404)", "vhost_not_found"),
        (500, "[Config] Unknown item found: application.bogus", "server_error"),
    ],
)
def test_an_envelope_with_an_error_refuses_the_whole_request(
    talk: Talk, create: str, status: int, message: str, kind: str
) -> None:
    api, _server = talk(refusal(status, message))
    error = failure_of(lambda: CREATES[create][0](api, TWO))
    assert (error.kind, error.status, error.server_message, error.path) == (kind, status, message, CREATES[create][1])


@pytest.mark.parametrize("create", CREATES)
def test_a_create_is_not_retried_after_a_lost_response(talk: Talk, create: str) -> None:
    api, server = talk(CLOSE, answer([MADE, MADE]))
    assert failure_of(lambda: CREATES[create][0](api, TWO)).outcome_unknown is True
    assert len(server.requests) == 1


def test_the_error_of_a_create_names_the_objects(talk: Talk) -> None:
    api, _server = talk(*[refusal(400, "no")] * 4)
    attempts = [
        failure_of(call).attempt
        for call in (
            lambda: api.create_virtual_hosts(TWO[:1]),
            lambda: api.create_virtual_hosts(TWO),
            lambda: api.create_applications("v", TWO),
            lambda: api.create_applications("v", []),
        )
    ]
    assert attempts == [
        "create virtual host a",
        "create 2 virtual hosts",
        "create applications of virtual host v",
        "change virtual host v",
    ]


def test_a_create_without_applications_is_idempotent(talk: Talk) -> None:
    api, server = talk(CLOSE, answer([]), refusal(403, "[HTTP] The VirtualHost is read-only: [v] (403)"))
    assert api.create_applications("v", []) == []
    assert failure_of(lambda: api.create_applications("v", [])).kind == "read_only"
    assert [request.json for request in server.requests] == [[], [], []]


# Deleting and stopping

REMOVALS: dict[str, tuple[Callable[[Api], bool], str, str, list[str]]] = {
    "virtual host": (
        lambda api: api.delete_virtual_host("v"),
        "DELETE",
        "/v1/vhosts/v",
        ["Could not find the virtual host: [v]"],
    ),
    "application": (
        lambda api: api.delete_application("v", "a"),
        "DELETE",
        "/v1/vhosts/v/apps/a",
        ["Could not find the application: [v/a]", "Could not find the virtual host: [v]"],
    ),
    "push task": (
        lambda api: JobEndpoints(api, PUSHES).stop("v", "a", "x"),
        "POST",
        "/v1/vhosts/v/apps/a:stopPush",
        ["Could not find id 'x': [v/a]", "There is no push information related to the ID [v/a]"],
    ),
    "recording": (
        lambda api: JobEndpoints(api, RECORDS).stop("v", "a", "x"),
        "POST",
        "/v1/vhosts/v/apps/a:stopRecord",
        ["There is no record information related to the ID [x]"],
    ),
}


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("message", ["OK", "[HTTP] Success (200)"])
def test_a_removal_of_an_existing_object_returns_true(talk: Talk, removal: str, message: str) -> None:
    call, method, path, _absent = REMOVALS[removal]
    api, server = talk(refusal(200, message))
    assert call(api) is True
    (request,) = server.requests
    assert (request.method, request.target) == (method, path)
    assert request.body == (b'{"id":"x"}' if method == "POST" else b"")


@pytest.mark.parametrize(
    ("removal", "message"), [(removal, message) for removal, (*_rest, absent) in REMOVALS.items() for message in absent]
)
def test_a_removal_of_an_absent_object_returns_false(talk: Talk, removal: str, message: str) -> None:
    api, _server = talk(refusal(404, f"[HTTP] {message} (404)"))
    assert REMOVALS[removal][0](api) is False


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (401, "[HTTP] Invalid credential (401)", "unauthorized"),
        (403, "[HTTP] The VirtualHost is read-only: [v] (403)", "read_only"),
        (404, "[HTTP] Controller not found (404)", "controller_not_found"),
        (500, "[HTTP] Internal Server Error (500)", "server_error"),
    ],
)
def test_a_refused_removal_is_an_error(talk: Talk, removal: str, status: int, message: str, kind: str) -> None:
    api, _server = talk(refusal(status, message))
    assert failure_of(lambda: REMOVALS[removal][0](api)).kind == kind


@pytest.mark.parametrize("removal", REMOVALS)
def test_a_removal_is_retried_after_a_lost_response(talk: Talk, removal: str) -> None:
    call, _method, _path, absent = REMOVALS[removal]
    api, server = talk(CLOSE, refusal(404, absent[0]))
    assert call(api) is False
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "message",
    ("[HTTP] Could not find the application: [v/a] (404)", "[HTTP] Could not find the virtual host: [v] (404)"),
)
def test_a_task_without_its_application_or_virtual_host_is_stopped(talk: Talk, message: str) -> None:
    api, _server = talk(refusal(404, message))
    assert JobEndpoints(api, PUSHES).stop("v", "a", "x") is False


@pytest.mark.parametrize(
    ("status", "message", "maybe"),
    (
        (500, "[HTTP] Internal Server Error (500)", True),
        (404, "[HTTP] Could not find the virtual host: [v] (404)", False),
        (400, "[HTTP] Bad Request (400)", False),
    ),
)
def test_the_outcome_of_a_write_with_a_server_error_is_unknown(
    talk: Talk, status: int, message: str, maybe: bool
) -> None:
    for call in (
        lambda api: api.create_virtual_hosts([{"name": "v"}]),
        lambda api: JobEndpoints(api, PUSHES).start("v", "a", REQUEST),
        lambda api: api.reload_certificates("v"),
    ):
        api, server = talk(refusal(status, message))
        assert failure_of(lambda call=call, api=api: call(api)).outcome_unknown is maybe
        assert len(server.requests) == 1


@pytest.mark.parametrize(("vhost", "maybe"), (("v", False), (None, True)))
def test_the_outcome_of_a_failed_reload_of_all_is_unknown(talk: Talk, vhost: str | None, maybe: bool) -> None:
    api, _server = talk(
        refusal(500, "[HTTP] Failed to reload certificate. Check server log for more information. (500)")
    )
    error = failure_of(lambda: api.reload_certificates(vhost))
    assert (error.kind, error.outcome_unknown) == ("reload_failed", maybe)


# Starting

REQUEST = {"id": "x", "stream": {"name": "s"}, "protocol": "srt", "url": "srt://h:1"}
STARTED = {"id": "x", "state": "ready"}


@pytest.mark.parametrize("payload", [STARTED, [STARTED]], ids=["object", "array of old servers"])
def test_a_start_returns_the_task_of_both_response_forms(talk: Talk, payload: Any) -> None:
    api, server = talk(success(payload))
    assert JobEndpoints(api, PUSHES).start("v", "a", REQUEST) == STARTED
    (request,) = server.requests
    assert (request.method, request.target, request.json) == ("POST", "/v1/vhosts/v/apps/a:startPush", REQUEST)


@pytest.mark.parametrize(
    "act",
    [
        success(None),
        success([]),
        success([STARTED, STARTED]),
        success(["x"]),
        success("x"),
        answer(b"", 204),
        answer([]),
    ],
)
def test_a_start_without_a_task_in_the_response_is_an_error(talk: Talk, act: Act) -> None:
    api, server = talk(act)
    error = failure_of(lambda: JobEndpoints(api, PUSHES).start("v", "a", REQUEST))
    assert (error.kind, error.attempt) == ("unexpected_answer", "start push task v/a/x")
    assert len(server.requests) == 1


def test_a_start_is_not_retried_after_a_lost_response(talk: Talk) -> None:
    api, server = talk(CLOSE, success(STARTED))
    assert failure_of(lambda: JobEndpoints(api, PUSHES).start("v", "a", REQUEST)).outcome_unknown is True
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "[HTTP] Duplicate ID (400)", "duplicate_id"),
        (400, "[HTTP] Duplicate ID already exists (400)", "duplicate_id"),
        (409, "[HTTP] Duplicate ID (409)", "duplicate_id"),
        (404, "[HTTP] Could not find application: [v/a] (404)", "push_publisher_missing"),
        (404, "[HTTP] Could not find the application: [v/a] (404)", "application_not_found"),
        (400, "[HTTP] Unsupported protocol (400)", "bad_request"),
    ],
)
def test_a_refused_start_has_the_error_kind_of_the_message(talk: Talk, status: int, message: str, kind: str) -> None:
    api, _server = talk(refusal(status, message))
    error = failure_of(lambda: JobEndpoints(api, PUSHES).start("v", "a", REQUEST))
    assert (error.kind, error.server_message, error.outcome_unknown) == (kind, message, False)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "[HTTP] Duplicate ID already exists (400)", "duplicate_record"),
        (409, "[HTTP] Conflict (409)", "duplicate_record"),
        (404, "[HTTP] Could not find application: [v/a] (404)", "file_publisher_missing"),
        (404, "[HTTP] Could not find the application: [v/a] (404)", "application_not_found"),
        (400, "[HTTP] Invalid [schedule] parameter (400)", "bad_request"),
    ],
)
def test_a_refused_start_of_a_recording_has_kinds_of_its_own(talk: Talk, status: int, message: str, kind: str) -> None:
    api, server = talk(refusal(status, message))
    error = failure_of(lambda: JobEndpoints(api, RECORDS).start("v", "a", REQUEST))
    assert (error.kind, error.server_message, error.outcome_unknown) == (kind, message, False)
    assert (error.attempt, server.requests[0].target) == (
        "start recording v/a/x",
        "/v1/vhosts/v/apps/a:startRecord",
    )


# Streams and connections

LIVE: dict[str, tuple[Callable[[Api], Any], str, Any, Any]] = {
    "streams": (lambda api: api.list_streams("v", "a"), "/v1/vhosts/v/apps/a/streams", ["x"], ["x"]),
    "connections of a virtual host": (
        lambda api: api.count_connections("v"),
        "/v1/stats/current/vhosts/v",
        {"totalConnections": 3},
        3,
    ),
    "connections of an application": (
        lambda api: api.count_connections("v", "a"),
        "/v1/stats/current/vhosts/v/apps/a",
        {"totalConnections": 0},
        0,
    ),
}


@pytest.mark.parametrize("what", LIVE)
def test_streams_and_connections(talk: Talk, what: str) -> None:
    call, path, payload, value = LIVE[what]
    api, server = talk(success(payload))
    assert call(api) == value and [(request.method, request.target) for request in server.requests] == [("GET", path)]


@pytest.mark.parametrize("what", LIVE)
@pytest.mark.parametrize(
    "message", ("Controller not found", "Could not find the application: [v/a]", "Could not find the virtual host: [v]")
)
def test_unknown_streams_and_connections_are_none(talk: Talk, what: str, message: str) -> None:
    api, _server = talk(refusal(404, f"[HTTP] {message} (404)"))
    assert LIVE[what][0](api) is None


@pytest.mark.parametrize("what", LIVE)
def test_any_other_failure_to_read_streams_and_connections_is_an_error(talk: Talk, what: str) -> None:
    api, _server = talk(refusal(500, "no"))
    assert failure_of(lambda: LIVE[what][0](api)).kind == "server_error"


@pytest.mark.parametrize("payload", ({}, {"totalConnections": "many"}))
def test_statistics_without_a_number_are_unknown(talk: Talk, payload: Any) -> None:
    api, _server = talk(success(payload))
    assert api.count_connections("v") is None


# Certificates

RELOADS = [("v", "/v1/vhosts/v:reloadCertificate"), (None, "/v1/vhosts:reloadAllCertificates")]


@pytest.mark.parametrize(("vhost", "path"), RELOADS)
def test_a_reload_has_no_body_and_is_idempotent(talk: Talk, vhost: str | None, path: str) -> None:
    api, server = talk(CLOSE, refusal(200, "OK"))
    api.reload_certificates(vhost)
    assert [(request.method, request.target, request.body) for request in server.requests] == [("POST", path, b"")] * 2


@pytest.mark.parametrize(("vhost", "path"), RELOADS)
def test_a_failed_reload_says_that_the_certificate_stays(talk: Talk, vhost: str | None, path: str) -> None:
    api, server = talk(
        refusal(500, "[HTTP] Failed to reload certificate. Check server log for more information. (500)")
    )
    error = failure_of(lambda: api.reload_certificates(vhost))
    assert (error.kind, error.path, error.status) == ("reload_failed", path, 500)
    assert "stays in use" in str(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("vhost", "path"), RELOADS)
def test_any_other_refused_reload_keeps_its_error_kind(talk: Talk, vhost: str | None, path: str) -> None:
    api, _server = talk(refusal(404, "[HTTP] Could not find the virtual host: [v] (404)"), refusal(401, "no"))
    assert [failure_of(lambda: api.reload_certificates(vhost)).kind for _time in range(2)] == [
        "vhost_not_found",
        "unauthorized",
    ]
