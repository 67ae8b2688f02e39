# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A gateway in front of a simulator that spoils answers and repeats in them all that it knows, as loudly as anything can.

The path prefix of a request says what happens to it: `/all-KIND/v1/...` spoils every request, `/write-KIND/v1/...` those that change the server,
`/create-KIND/v1/...` those that make something and `/delete-KIND/v1/...` those that take something away; the others go through. With `/lost-NAME/v1/...`
a virtual host is made and the connection breaks, and the second look at it finds that it is gone. So cases need no order, and none disturbs another.
"""

from __future__ import annotations

import base64
import html
import http.client
import http.server
import json
import re
import threading
import typing as t
from urllib.parse import quote, quote_plus

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.request_log import is_write

# Statuses and words of envelopes, by the kind of error that they mean.
ENVELOPES = {
    "unauthorized": (401, "[HTTP] Invalid credential (401)"),
    "read_only": (403, "[HTTP] The VirtualHost is read-only: [default] (403)"),
    "vhost_not_found": (404, "[HTTP] Could not find the virtual host: [x] (404)"),
    "application_not_found": (404, "[HTTP] Could not find the application: [x/y] (404)"),
    "push_publisher_missing": (404, "[HTTP] Could not find application: [x/y] (404)"),
    "task_not_found": (404, "[HTTP] There is no push information related to the ID [z] (404)"),
    "controller_not_found": (404, "[HTTP] Controller not found (404)"),
    "duplicate_id": (400, "[HTTP] Duplicate ID (400)"),
    "conflict": (409, "[HTTP] The object already exists: [x] (409)"),
    "bad_request": (400, "[HTTP] Bad request (400)"),
    "server_error": (500, "[HTTP] Internal error (500)"),
}
# Answers that are no envelopes.
OTHERS = ("rate_limited", "gateway", "not_json", "redirect", "unexpected_answer", "too_large", "connection_lost", "timeout")


def leaves(value: t.Any) -> t.Iterator[str]:
    """All texts and long numbers in a structure."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str) or (isinstance(value, int) and value > 10**9):
        yield str(value)


def spelt(value: str) -> str:
    """A text in every spelling that a server can repeat it in."""
    escaped = "".join(f"\\u{ord(letter):04x}" if ord(letter) > 126 or letter in "<>&'\"" else letter for letter in value)
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
    """What a request is: a write, and one that makes something or takes it away."""
    if not is_write(method, path):
        return ()
    if method == "DELETE":
        return ("write", "delete")
    if path.endswith(":stopPush"):
        return ("write", "stop")
    return ("write",) if raw.strip() == b"[]" else ("write", "create")


class SpoilingGateway:
    """The gateway; a context manager. ``url(prefix)`` is the base address for a way of spoiling."""

    def __init__(self, simulator: Simulator) -> None:
        gateway = self
        self.simulator = simulator
        self._looks: dict[str, int] = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                gateway.answer(self)

            do_GET = do_POST = do_DELETE = do_PUT = _answer

            def log_message(self, *_arguments: t.Any) -> None:
                """Says nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> SpoilingGateway:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(PATIENCE)

    def url(self, prefix: str) -> str:
        """The base address whose requests are spoilt so, such as `all-gateway`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/{prefix}"

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        raw = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        dummy, prefix, rest = handler.path.split("/", 2)
        path = f"/{rest}"
        scope, dummy, kind = prefix.partition("-")
        if scope == "lost":
            self._lose(handler, prefix, path, raw)
        elif scope == "all" or scope in _scopes(handler.command, path, raw):
            self._spoil(handler, kind, path, raw, held=scope != "all")
        else:
            self._forward(handler, path, raw)

    def _lose(self, handler: http.server.BaseHTTPRequestHandler, prefix: str, path: str, raw: bytes) -> None:
        """Breaks the connection when something has been made, and lets it be gone when it is looked at for the second time."""
        if handler.command == "POST" and path == "/v1/vhosts":
            self._looks[prefix] = 0
            self._forward(handler, path, raw, answered=False)
        elif path == "/v1/vhosts":
            self._forward(handler, path, raw)
        elif self._looks.get(prefix, 0) > 0:
            self._spoil(handler, "vhost_not_found", path, raw, held=True)
        else:
            if prefix in self._looks:
                self._looks[prefix] += 1
            self._forward(handler, path, raw)

    def _forward(self, handler: http.server.BaseHTTPRequestHandler, path: str, raw: bytes, answered: bool = True) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.simulator.port, timeout=PATIENCE)
        try:
            connection.request(handler.command, path, raw, {name: value for name, value in handler.headers.items() if name.lower() != "host"})
            response = connection.getresponse()
            content = response.read()
            if answered:
                self._send(handler, response.status, content, "application/json")
            else:
                handler.close_connection = True
        finally:
            connection.close()

    def known(self, handler: http.server.BaseHTTPRequestHandler, path: str, raw: bytes, held: bool) -> str:
        """All that the request says, and with `held` all that the server holds of what it is about: a module has read that before it writes."""
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw.decode("utf-8", "replace")
        credential = handler.headers.get("Authorization", "")
        token = base64.b64decode(credential.partition(" ")[2]).decode("utf-8", "replace")
        told = [token, *handler.headers.values(), *leaves(body), *(leaves(self._held(path)) if held else ())]
        secret = [text for text in dict.fromkeys(told) if "planted" in text or text.isdigit()]
        whole = [json.dumps(dict(handler.headers)), json.dumps(body), raw.decode("utf-8", "replace")]
        return " ".join([*map(spelt, secret), *whole])

    def _held(self, path: str) -> t.Any:
        """What the server holds of the virtual host, the application or the push tasks that a path is about."""
        names = path.partition("?")[0].split("/")[3:]
        if not names:
            return None
        state = snapshot(self.simulator.state)
        held = state["virtual_hosts"].get(names[0].partition(":")[0], {})
        tasks = [task for task in state["tasks"] if task["vhost"] == names[0] and (len(names) == 1 or names[2:3] == [task["app"]])]
        if len(names) == 1:
            return [held, tasks] if ":" not in names[0] else None  # a reload reads no more than names
        if len(names) == 2:
            return None  # this asks whether the virtual host can be changed, before anything in it has been read
        app, dummy, action = names[2].partition(":")
        if action:
            return [task for task in state["tasks"] if task["vhost"] == names[0] and task["app"] == app]
        return [held.get("applications", {}).get(app), tasks]

    def _spoil(self, handler: http.server.BaseHTTPRequestHandler, kind: str, path: str, raw: bytes, held: bool) -> None:
        known = self.known(handler, path, raw, held)
        page = f"<html><head><title>{html.escape(known)}</title></head><body>{known}</body></html>".encode()
        if kind in ENVELOPES:
            status, words = ENVELOPES[kind]
            self._send(handler, status, json.dumps({"statusCode": status, "message": f"{words} {known}"}).encode(), "application/json")
        elif kind == "rate_limited":
            self._send(handler, 429, page, "text/html")
        elif kind == "gateway":
            self._send(handler, 502, page, "text/html")
        elif kind == "not_json":
            self._send(handler, 200, page, "text/html")
        elif kind == "redirect":
            self._send(handler, 302, page, "text/html", Location=f"http://127.0.0.1:9/login?back={quote(known, safe='')[:2000]}")
        elif kind == "unexpected_answer":
            self._send(handler, 200, json.dumps({"statusCode": 200, "message": known, "response": known}).encode(), "application/json")
        elif kind == "too_large":
            self._send(
                handler,
                200,
                json.dumps({"statusCode": 200, "message": "OK", "response": [known] * (20 * 2**20 // max(len(known), 1))}).encode(),
                "application/json",
            )
        elif kind == "timeout":
            handler.rfile.read(1)  # until the client gives up
            handler.close_connection = True
        elif kind == "connection_lost":
            handler.wfile.write(b"HTTP/1.1 200 " + known.encode("ascii", "replace")[:400] + b"\r\nContent-Length: 9999\r\n\r\n" + known.encode()[:400])
            handler.close_connection = True
        else:
            raise ValueError(kind)

    @staticmethod
    def _send(handler: http.server.BaseHTTPRequestHandler, status: int, content: bytes, kind: str, **headers: str) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            handler.wfile.write(content)
        except OSError:  # the client has read enough
            handler.close_connection = True
