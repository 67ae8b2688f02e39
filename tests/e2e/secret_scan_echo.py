# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Spoilt responses of a simulator that repeat all that it knows, in every spelling.

The path prefix of a request says what happens to it: `/all-KIND/v1/...` spoils every request, `/write-KIND/v1/...`
those that change the server, `/create-KIND/v1/...` those that make something and `/delete-KIND/v1/...` those that take
something away; the others are answered well. `/version-KIND/v1/...` reports a version that brings it about. With
`/lost-NAME/v1/...` a virtual host is made and the connection breaks, and the second look finds it gone. So
cases need no order, and none disturbs another.
"""

from __future__ import annotations

import base64
import html
import json
import re
import typing as t
from urllib.parse import quote, quote_plus

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import JSON_HEADERS, Answer, envelope
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import until_gone
from ansible_collections.streamops.ovenmediaengine.tests.simulator.raw import KEEP, Raw, message
from ansible_collections.streamops.ovenmediaengine.tests.simulator.request_log import is_write

# Statuses and words of envelopes, by the kind of error that they mean.
ENVELOPES = {
    "unauthorized": (401, "[HTTP] Invalid credential (401)"),
    "read_only": (403, "[HTTP] The VirtualHost is read-only: [default] (403)"),
    "vhost_not_found": (404, "[HTTP] Could not find the virtual host: [x] (404)"),
    "application_not_found": (404, "[HTTP] Could not find the application: [x/y] (404)"),
    "push_publisher_missing": (404, "[HTTP] Could not find application: [x/y] (404)"),
    "task_not_found": (404, "[HTTP] There is no push information related to the ID [z] (404)"),
    "stream_not_found": (404, "[HTTP] Could not find the stream: [x/y/z] (404)"),
    "file_publisher_missing": (404, "[HTTP] Could not find application: [x/y] (404)"),
    "record_not_found": (404, "[HTTP] There is no record information related to the ID [z] (404)"),
    "duplicate_record": (400, "[HTTP] Duplicate ID already exists (400)"),
    "controller_not_found": (404, "[HTTP] Controller not found (404)"),
    "duplicate_id": (400, "[HTTP] Duplicate ID (400)"),
    "conflict": (409, "[HTTP] The object already exists: [x] (409)"),
    "bad_request": (400, "[HTTP] Bad request (400)"),
    "server_error": (500, "[HTTP] Internal error (500)"),
    "output_stream_not_found": (404, "[HTTP] Could not find output stream: [x/y/z] (404)"),
    "llhls_publisher_missing": (404, "[HTTP] Could not find LLHLS stream: [x/y/z] (404)"),
    "origin_unreachable": (502, "[HTTP] Could not pull the stream : http://127.0.0.1/v1 (502)"),
}
# Versions that a server reports, by the kind of error that follows.
VERSIONS = {"unsupported_call": "0.16.5", "unsafe_version": "0.18.0"}
# Statuses of pages, by the kind of error that they mean.
PAGES = {"rate_limited": 429, "gateway": 502, "not_json": 200}
# Answers that are no envelopes.
OTHERS = (
    "rate_limited",
    "gateway",
    "not_json",
    "redirect",
    "unexpected_answer",
    "too_large",
    "connection_lost",
    "timeout",
)


def leaves(value: t.Any) -> t.Iterator[str]:
    """Yield all texts and long numbers in a structure."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str) or (isinstance(value, int) and value > 10**9):
        yield str(value)


def spelt(value: str) -> str:
    """Return a text in every spelling that a server can repeat it in."""
    escaped = "".join(
        f"\\u{ord(letter):04x}" if ord(letter) > 126 or letter in "<>&'\"" else letter for letter in value
    )
    spellings = [
        value,
        base64.b64encode(value.encode()).decode(),
        quote(value, safe=""),
        quote_plus(value),
        re.sub(r"%[0-9A-F]{2}", lambda found: found.group().lower(), quote(value, safe="")),
        json.dumps(value),
        repr(value),
        html.escape(value),
        escaped,
    ]
    return " ".join(dict.fromkeys(spellings))


def _scopes(method: str, path: str, raw: bytes) -> t.Collection[str]:
    """Return what a request is: a write, and one that makes something or takes it away."""
    if not is_write(method, path):
        return ()
    if method == "DELETE":
        return ("write", "delete")
    if path.endswith((":stopPush", ":stopRecord")):
        return ("write", "stop")
    return ("write",) if raw.strip() == b"[]" else ("write", "create")


class Echo:
    """Spoils the requests of a simulator whose paths have a prefix; one of its middlewares. ``url(prefix)`` is the
    base address for a way of spoiling.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self._looks: dict[str, int] = {}
        simulator.middlewares.append(self)

    def url(self, prefix: str) -> str:
        """Return the base address whose requests are spoilt so, such as `all-gateway`."""
        return f"{self.simulator.url}/{prefix}"

    async def __call__(self, exchange: t.Any, work: t.Any) -> t.Any:
        """Answer one request."""
        prefix, slash, rest = exchange.target[1:].partition("/")
        if not slash or not rest.startswith("v1/"):
            return await work()
        exchange.target = exchange.record.path = f"/{rest}"
        scope, _dash, kind = prefix.partition("-")
        if scope == "version":
            if exchange.target == "/v1/version":
                return Answer(200, envelope(response={"version": VERSIONS[kind]}))
            return await work()
        if scope == "lost":
            return await self._lose(exchange, work, prefix)
        if scope == "all" or scope in _scopes(exchange.method, exchange.target, exchange.raw):
            return await self._spoil(exchange, kind, held=scope != "all")
        return await work()

    async def _lose(self, exchange: t.Any, work: t.Any, prefix: str) -> t.Any:
        """Break the connection when something has been made, and let it be gone when it is looked at for the second
        time.
        """
        if exchange.target == "/v1/vhosts":
            if exchange.method != "POST":
                return await work()
            self._looks[prefix] = 0
            await work()
            return Raw(None)
        if self._looks.get(prefix, 0) > 0:
            return await self._spoil(exchange, "vhost_not_found", held=True)
        if prefix in self._looks:
            self._looks[prefix] += 1
        return await work()

    def known(self, exchange: t.Any, held: bool) -> str:
        """Return the texts of the request, and with `held` those of its object on the server.

        A module has read the object before it writes.
        """
        raw, headers = exchange.raw, exchange.request.headers
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw.decode("utf-8", "replace")
        credential = headers.get("Authorization", "")
        token = base64.b64decode(credential.partition(" ")[2]).decode("utf-8", "replace")
        received = [token, *headers.values(), *leaves(body), *(leaves(self._held(exchange.target)) if held else ())]
        secret = [text for text in dict.fromkeys(received) if "canary" in text or text.isdigit()]
        whole = [json.dumps(dict(headers)), json.dumps(body), raw.decode("utf-8", "replace")]
        return " ".join([*map(spelt, secret), *whole])

    def _held(self, path: str) -> t.Any:
        """Return what the server holds of the virtual host, the application or the jobs that a path is about."""
        names = path.partition("?")[0].split("/")[3:]
        if not names:
            return None
        state = snapshot(self.simulator.state)
        held = state["virtual_hosts"].get(names[0].partition(":")[0], {})
        tasks = [
            task
            for task in state["tasks"]
            if task["vhost"] == names[0] and (len(names) == 1 or names[2:3] == [task["app"]])
        ]
        if len(names) == 1:
            return [held, tasks] if ":" not in names[0] else None  # a reload reads no more than names
        if len(names) == 2:
            return None  # this asks whether the virtual host can be changed, before anything in it has been read
        if names[3:4] == [
            "streams"
        ]:  # a stream has been read if there is one, and its dumps; nothing of the application
            live = (
                self.simulator.state.streams.get((names[0], names[2], names[4].partition(":")[0]))
                if names[4:]
                else None
            )
            dumps = [dump for of_output in live.dumps.values() for dump in of_output.values()] if live else []
            return [live.source_url, *(dump.user_data for dump in dumps)] if live else None
        app, dummy, action = names[2].partition(":")
        if action:
            jobs = state["records" if "record" in action.lower() else "tasks"]
            return [job for job in jobs if job["vhost"] == names[0] and job["app"] == app]
        return [held.get("applications", {}).get(app), tasks]

    async def _spoil(self, exchange: t.Any, kind: str, held: bool) -> Raw:
        known = self.known(exchange, held)
        page = f"<html><head><title>{html.escape(known)}</title></head><body>{known}</body></html>".encode()
        if kind in ENVELOPES:
            status, words = ENVELOPES[kind]
            return _json(status, {"statusCode": status, "message": f"{words} {known}"})
        if kind in PAGES:
            return _page(PAGES[kind], page)
        if kind == "redirect":
            secret = quote(known, safe="")[:2000]
            return _page(302, page, Location=f"http://user:{secret}@127.0.0.1:9/login?back={secret}")
        if kind == "unexpected_answer":
            return _json(200, {"statusCode": 200, "message": known, "response": known})
        if kind == "too_large":
            return _json(
                200, {"statusCode": 200, "message": "OK", "response": [known] * (20 * 2**20 // max(len(known), 1))}
            )
        if kind == "timeout":
            await until_gone(exchange)
            return Raw(None)
        if kind == "connection_lost":
            start = b"HTTP/1.1 200 " + known.encode("ascii", "replace")[:400]
            return Raw(200, [start + b"\r\nContent-Length: 9999\r\n\r\n" + known.encode()[:400]])
        raise ValueError(kind)


def _json(status: int, body: t.Any) -> Raw:
    return Raw(status, [message(status, JSON_HEADERS, json.dumps(body).encode())], end=KEEP)


def _page(status: int, content: bytes, **headers: str) -> Raw:
    return Raw(status, [message(status, {"Content-Type": "text/html", **headers}, content)], end=KEEP)
