# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that publishes a test signal."""

from __future__ import annotations

import functools
import select
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import named
from .._playback.addresses import PUBLISH_PORTS, PUBLISH_TLS_PORTS, publish_url
from .._playback.arrivals import Arrivals
from .._playback.background import Publisher, failure_in
from .._playback.playback import Address, NotPlayed, Settings
from .._playback.player import check_libraries
from .._playback.publisher import PROTOCOLS, Publication, publish
from .._resources.virtual_host import VIRTUAL_HOST, playable_names
from .._schema.validators import host_name
from .base import WAIT_TIMEOUT, Operation, Result, check_names, check_wait_timeout, state_option
from .playback_info import CONNECT_TO, check_authorities, check_connect_to, check_port

NAME = "streamops-test"
"""The stream, if no other name is given."""
_LONGEST = 3600  # seconds
_POLL = 0.2  # seconds


class TestStream(Operation):
    """The operation of the module `test_stream`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "vhost": {"type": "str", "required": True},
            "app": {"type": "str", "required": True},
            "stream": {"type": "str", "default": NAME},
            "state": state_option("present", "absent"),
            "protocol": {"type": "str", "choices": list(PROTOCOLS), "default": PROTOCOLS[0]},
            "host_name": {"type": "str", "no_log": False},
            "port": {"type": "int"},
            "tls": {"type": "bool", "default": False},
            "connect_to": CONNECT_TO,
            "verify_chain": {"type": "bool", "default": True},
            "chain_ca_path": {"type": "path"},
            "seconds": {"type": "int", "default": 300},
            "wait_timeout": WAIT_TIMEOUT,
        }

    def check(self) -> None:
        check_names(self.params, "vhost", "app", "stream")
        check_wait_timeout(self.params)
        name = self.params["host_name"]
        if name is not None and (host_name(name) or "*" in name):
            raise BadInput("host_name", f"expected a host name without wildcard, got {name!r}")
        if not 1 <= self.params["seconds"] <= _LONGEST:
            raise BadInput("seconds", f"expected seconds, from 1 to {_LONGEST}, got {self.params['seconds']}")
        check_port(self.params["port"], "port")
        check_connect_to(self.params["connect_to"], "connect_to")
        check_authorities(self.params["chain_ca_path"])

    def run(self, api: Api, context: Context) -> Result:
        vhost, app, stream = (self.params[option] for option in ("vhost", "app", "stream"))
        attempt = f"publish the test stream {vhost}/{app}/{stream}"
        try:
            publisher = Publisher(f"{self.params['api_url']} {vhost} {app} {stream}")
        except NotPlayed as failure:
            raise OmeError("test_stream", attempt, detail=failure.detail) from None
        is_running = publisher.running() is not None
        result: Result = {"changed": False, "url": None}
        if self.params["state"] == "absent":
            result["changed"] = is_running
            if is_running and not context.check_mode:
                publisher.stop()
                self._wait_until_gone(api, context)
            return result
        publication = self._publication(api)
        result["url"] = publication.url
        if is_running:
            return result
        arrivals = Arrivals(api, vhost, app)
        taken = arrivals.place_of(stream)
        if taken is not None:
            raise OmeError("stream_name_used", attempt, detail=f"The stream {stream} is live in {taken}/{app}.")
        result["changed"] = True
        if not context.check_mode:
            self._publish(publisher, publication, arrivals, context, attempt)
        return result

    def _publication(self, api: Api) -> Publication:
        vhost, app, stream = (self.params[option] for option in ("vhost", "app", "stream"))
        protocol, tls = self.params["protocol"], self.params["tls"]
        check_libraries({"rtmp": ("hls",), "whip": ("webrtc",)}.get(protocol, ()))
        host = self.params["host_name"] or self._first_name(api)
        port = self.params["port"] or (PUBLISH_TLS_PORTS if tls else PUBLISH_PORTS)[protocol]
        url = publish_url(protocol, host, port, app, stream, tls=tls)
        to = self.params["connect_to"]
        settings = Settings(verify_chain=self.params["verify_chain"], ca_path=self.params["chain_ca_path"])
        return Publication(url, protocol, Address(to["host"], to["port"]) if to else None, settings)

    def _first_name(self, api: Api) -> str:
        """Return the first host name of the virtual host that a publisher can use."""
        vhost = self.params["vhost"]
        raw = api.read_virtual_host(vhost)
        if raw is None:
            raise OmeError("vhost_not_found", f"read virtual host {vhost}")
        names = playable_names(VIRTUAL_HOST.from_wire(raw))
        if not names:
            problem = f"Virtual host {vhost} has no host name without a wildcard. Set {named('host_name')}."
            raise OmeError("bad_input", f"publish to virtual host {vhost}", detail=problem)
        return names[0]

    def _publish(
        self, publisher: Publisher, publication: Publication, arrivals: Arrivals, context: Context, attempt: str
    ) -> None:
        """Start to publish, and wait until the server lists the stream where it should be."""
        vhost, stream = self.params["vhost"], self.params["stream"]
        end = context.clock() + self.params["wait_timeout"]
        with publisher.start(functools.partial(publish, publication), self.params["seconds"]) as output:
            ended = select.poll()
            ended.register(output, select.POLLIN)
            while True:
                place = arrivals.place_of(stream)
                if place == vhost:
                    return
                if place is not None:
                    publisher.stop()
                    detail = f"{publication.url} arrived in virtual host {place}, not in {vhost}."
                    raise OmeError("test_stream_elsewhere", attempt, detail=detail)
                if ended.poll(0):
                    failure = failure_in(output.read())
                    detail = f"{publication.url}: {failure.detail}" if failure else "The publisher has ended."
                    raise OmeError("test_stream", attempt, detail=detail)
                if context.clock() >= end:
                    publisher.stop()
                    detail = f"The server does not list the stream that {publication.url} sends."
                    raise OmeError("test_stream", attempt, detail=detail)
                context.sleep(_POLL)

    def _wait_until_gone(self, api: Api, context: Context) -> None:
        """Wait until the server no longer lists the stream; it may take as long as it likes to notice."""
        end = context.clock() + self.params["wait_timeout"]
        vhost, app, stream = (self.params[option] for option in ("vhost", "app", "stream"))
        while context.clock() < end and stream in (api.list_streams(vhost, app) or ()):
            context.sleep(_POLL)
