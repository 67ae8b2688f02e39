# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A web server with whatever files a test gives it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Union


@dataclass(frozen=True)
class Answer:
    """A response."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


File = Union[bytes, str, Answer, Callable[[], Any]]


class Site:
    """Serves files by their paths, and 404 for all others; a context manager.

    :param files: a text, bytes, an answer, or what is called for one of them at each request.
    """

    def __init__(self, **files: File) -> None:
        self.files: dict[str, File] = {f"/{path}": content for path, content in files.items()}
        self.asked: list[str] = []
        """The paths with their queries."""
        self.headers: list[dict[str, str]] = []
        """Of each request, with names in lower case."""
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # noqa: N802 - the library calls it
                site.asked.append(self.path)
                site.headers.append({name.lower(): value for name, value in self.headers.items()})
                answer = site.answer(self.path.partition("?")[0])
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_arguments: Any) -> None:
                """Write nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        """Return the port."""
        return int(self._server.server_address[1])

    def answer(self, path: str) -> Answer:
        """Return what is answered for a path."""
        found: Any = self.files.get(path, Answer(status=404))
        found = found() if callable(found) else found
        found = found.encode() if isinstance(found, str) else found
        return Answer(found) if isinstance(found, bytes) else found

    def __enter__(self) -> Site:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
