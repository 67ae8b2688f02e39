# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reverse proxy in front of a simulator."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Proxy, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until

KEY = {"X-Gateway-Key": "canary-gateway-key"}
NEW = [{"name": "t1", "host": {"names": ["t1.example.com"]}}]


@pytest.fixture
def front(sim: Simulator) -> Iterator[Callable[..., Proxy]]:
    """Put proxies in front of ``sim``."""
    running: list[Proxy] = []

    def put(backend: Any = None, **options: Any) -> Proxy:
        running.append(Proxy(backend or sim, **options).start())
        return running[-1]

    yield put
    for proxy in running:
        proxy.stop()


def ask(
    proxy: Proxy, path: str = "/v1/version", method: str = "GET", headers: Any = None, **options: Any
) -> requests.Response:
    """Send one request over a connection of its own."""
    with requests.Session() as session:
        session.trust_env = False
        options.setdefault("verify", proxy.ca_path or True)
        return session.request(
            method,
            proxy.url + path,
            headers={**KEY, **(headers or {})},
            auth=("ome-access", "token"),
            allow_redirects=False,
            timeout=PATIENCE,
            **options,
        )


def is_page(answer: requests.Response, status: int) -> bool:
    """Return whether it is one of the proxy's own pages."""
    return (
        answer.status_code == status
        and answer.headers["Content-Type"] == "text/html"
        and answer.text.startswith("<html>")
    )


def test_it_sends_on_and_back(sim: Simulator, front: Any) -> None:
    proxy = front()
    hop = {
        "Connection": "keep-alive, X-Own",
        "X-Own": "1",
        "TE": "trailers",
        "Proxy-Authorization": "canary",
        "X-Far": "2",
    }
    answer = ask(proxy, "/v1/vhosts?a=%20b", "POST", hop, json=NEW)
    assert answer.status_code == 401 and answer.json()["statusCode"] == 401 and answer.headers["Via"] == "1.1 gateway"
    assert answer.headers["WWW-Authenticate"].startswith("Basic ") and answer.headers["Server"] == "OvenMediaEngine"
    record = sim.log[-1]
    got = {name.lower(): value for name, value in record.headers.items()}
    assert (record.method, record.path, record.body) == ("POST", "/v1/vhosts?a=%20b", NEW)
    assert got["x-far"] == "2" and got["via"] == "1.1 gateway" and got["host"] == f"127.0.0.1:{sim.port}"
    assert not {"x-own", "te", "proxy-authorization", "x-gateway-key"} & set(got)


def test_credentials_go_on_and_are_counted(sim: Simulator, front: Any) -> None:
    proxy = front()
    with requests.Session() as session:
        for credential in ("Basic b21lLWFjY2Vzcy10b2tlbg==", "Basic eA==", None, None):
            session.get(
                f"{proxy.url}/v1/vhosts",
                headers={**KEY, **({"Authorization": credential} if credential else {})},
                timeout=PATIENCE,
            )
    assert [record.status for record in sim.log] == [200, 401, 401, 401]
    assert proxy.requests == 4 and proxy.authorizations == {
        "Basic b21lLWFjY2Vzcy10b2tlbg==": 1,
        "Basic eA==": 1,
        None: 2,
    }
    assert {seen.target for seen in proxy.seen} == {"/gateway/ome/v1/vhosts"} and all(
        seen.headers["X-Gateway-Key"] for seen in proxy.seen
    )


def test_chunks_become_a_whole(sim: Simulator, front: Any) -> None:
    assert ask(front(), "/v1/vhosts", "POST", data=iter([b"[", b"]"])).status_code == 401
    assert sim.log[-1].body == [] and "Transfer-Encoding" not in sim.log[-1].headers


def test_its_connections_are_its_own(sim: Simulator, front: Any) -> None:
    peers: set[Any] = set()

    async def note(exchange: Any, work: Any) -> Any:
        peers.add(exchange.request.transport.get_extra_info("peername"))
        return await work()

    sim.middlewares.append(note)
    proxy = front()
    for _number in range(3):
        ask(proxy)
    assert len(peers) == 1, "one kept-alive connection for three of the clients'"
    with requests.Session() as session:
        sim.inject("close")
        assert session.get(f"{proxy.url}/v1/version", headers=KEY, timeout=PATIENCE).status_code == 401
        proxy.wait_for_close()
        assert [
            session.get(f"{proxy.url}/v1/version", headers=KEY, timeout=PATIENCE).status_code for _number in range(2)
        ] == [401, 401]
    assert len(peers) == 2


@pytest.mark.parametrize("path", ("", "/gateway", "/gateway/omen/v1/version", "/v1/version"))
def test_other_paths_are_not_found(sim: Simulator, front: Any, path: str) -> None:
    proxy = front()
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=PATIENCE)
    connection.request("GET", path or "/", headers=KEY)
    response = connection.getresponse()
    assert response.status == 404 and response.read().startswith(b"<html>") and sim.log == []
    connection.close()


def test_the_header_is_demanded(sim: Simulator, front: Any) -> None:
    proxy = front(prefix="/p/", header=("X-Key", "canary-value"))
    assert proxy.url.endswith("/p")
    for headers in ({}, {"X-Key": "other"}):
        assert is_page(ask(proxy, headers=headers), 403)
    assert sim.log == [] and proxy.requests == 2
    assert ask(proxy, headers={"x-key": "canary-value"}).status_code == 401
    assert is_page(ask(front(header=("X-Other", "1"))), 403) and ask(front(prefix="", header=None)).status_code == 401


@pytest.mark.parametrize(
    "fault", ({"kind": "reset"}, {"kind": "truncate"}, {"kind": "garbage"}, {"kind": "restart"}, {"kind": "headers"})
)
def test_a_backend_that_breaks(sim: Simulator, front: Any, fault: Any) -> None:
    proxy = front()
    ask(proxy)  # The next request finds a connection that is open, and is still sent once only.
    sim.inject(**fault)
    assert is_page(ask(proxy), 502) and [record.fault for record in sim.log] == [None, fault["kind"]]
    assert ask(proxy).status_code == 401


def test_a_backend_that_is_down(sim: Simulator, front: Any) -> None:
    proxy = front()
    sim.inject("refuse", variant="now", seconds=1)
    assert is_page(ask(proxy), 502) and sim.log == []
    sim.stop()
    assert is_page(ask(proxy), 502)


@pytest.mark.parametrize(
    "fault",
    (
        {"kind": "delay", "when": "after", "seconds": 60},
        {"kind": "trickle", "seconds": 1},
        {"kind": "headers", "variant": "continue"},
    ),
)
def test_a_backend_that_is_late(sim: Simulator, front: Any, fault: Any) -> None:
    proxy = front(timeout=PATIENCE)
    sim.inject(**fault)
    with ThreadPoolExecutor() as threads:
        late = threads.submit(ask, proxy)
        wait_until(lambda: [record.fault for record in sim.log] == [fault["kind"]])
        proxy.time_out()
        assert is_page(late.result(PATIENCE), 504)
    assert ask(proxy).status_code == 401


def test_its_own_time_for_a_backend(sim: Simulator, front: Any) -> None:
    sim.inject("delay", when="after", seconds=60)
    assert is_page(ask(front(timeout=0.2)), 504)


def test_clients_are_served_concurrently(sim: Simulator, front: Any, clock: Any) -> None:
    proxy = front(timeout=PATIENCE)
    sim.inject("delay", seconds=1)
    waiting = threading.Thread(target=ask, args=(proxy,))
    waiting.start()
    while clock.waiting == 0:
        assert waiting.is_alive()
    assert ask(proxy).status_code == 401 and waiting.is_alive()
    clock.advance(1)
    waiting.join(PATIENCE)
    assert not waiting.is_alive() and len(sim.log) == 2


@pytest.mark.parametrize("status", (301, 302, 303, 307, 308))
def test_it_redirects_everything(sim: Simulator, front: Any, status: int) -> None:
    other = front(prefix="/elsewhere", header=None)
    proxy = front()
    proxy.redirect(other.url + "/", status)
    answer = ask(proxy, "/v1/vhosts?x", headers={"X-Gateway-Key": "wrong"})
    assert is_page(answer, status) and answer.headers["Location"] == f"{other.url}/v1/vhosts?x" and sim.log == []
    with requests.Session() as session:
        followed = session.get(f"{proxy.url}/v1/version", headers=KEY, auth=("a", "b"), timeout=PATIENCE)
    assert followed.status_code == 401 and other.requests == 1 and proxy.requests == 2
    proxy.redirect(None)
    assert ask(proxy).status_code == 401
    with pytest.raises(ValueError):
        proxy.redirect("http://x", 200)


def test_redirections_of_the_backend_pass(sim: Simulator, front: Any) -> None:
    sim.inject("redirect", location="http://other.example.com/")
    answer = ask(front())
    assert answer.status_code == 302 and answer.headers["Location"] == "http://other.example.com/"


def test_compressed_answers_pass_as_they_are(sim: Simulator, front: Any) -> None:
    sim.inject("huge", variant="gzip", size=1_000_000)
    answer = ask(front())
    assert (
        answer.headers["Content-Encoding"] == "gzip"
        and int(answer.headers["Content-Length"]) < 10_000
        and len(answer.content) == 1_000_000
    )


class TestTls:
    """https of its own."""

    def test_its_own_certificate(self, start: Any, front: Any) -> None:
        proxy = front(tls=True)
        assert proxy.url.startswith("https://") and ask(proxy).status_code == 401
        with pytest.raises(requests.exceptions.SSLError):
            ask(proxy, verify=True)
        behind = start(tls=True)[0]
        outer = front(behind, tls=True)
        assert ask(outer).status_code == 401 and len(behind.log) == 1
        with pytest.raises(requests.exceptions.SSLError):
            ask(outer, verify=behind.ca_path)

    def test_the_certificate_of_the_backend_is_checked(self, start: Any, front: Any) -> None:
        behind = start(tls=True)[0]
        behind.ca_path = None
        assert is_page(ask(front(behind)), 502) and behind.log == []

    def test_two_in_a_row(self, sim: Simulator, front: Any) -> None:
        inner = front(tls=True, header=None)
        assert (
            ask(front(inner, prefix="/outer")).status_code == 401 and inner.seen[0].target == "/gateway/ome/v1/version"
        )
        assert sim.log[0].headers["Via"] == "1.1 gateway"

    def test_certificates_of_clients(self, sim: Simulator, front: Any) -> None:
        proxy = front(tls=True, client_ca=True)
        with pytest.raises((requests.exceptions.SSLError, requests.exceptions.ConnectionError)):
            ask(proxy)
        assert sim.log == [] and proxy.seen == []
        assert ask(proxy, cert=(proxy.client_cert, proxy.client_key)).status_code == 401
        other = front(tls=True, client_ca=True)
        with pytest.raises((requests.exceptions.SSLError, requests.exceptions.ConnectionError)):
            ask(proxy, cert=(other.client_cert, other.client_key))

    @pytest.mark.parametrize(
        ("options", "highest", "spoken"),
        [
            ({}, ssl.TLSVersion.TLSv1_2, "TLSv1.2"),
            ({}, ssl.TLSVersion.MAXIMUM_SUPPORTED, "TLSv1.3"),
            ({"min_tls": ssl.TLSVersion.TLSv1_3}, ssl.TLSVersion.TLSv1_2, None),
            ({"min_tls": ssl.TLSVersion.TLSv1_3}, ssl.TLSVersion.TLSv1_3, "TLSv1.3"),
            ({"max_tls": ssl.TLSVersion.TLSv1_2}, ssl.TLSVersion.TLSv1_3, "TLSv1.2"),
            ({"max_tls": ssl.TLSVersion.TLSv1_1}, ssl.TLSVersion.TLSv1_3, None),
        ],
    )
    def test_versions(self, front: Any, options: Any, highest: ssl.TLSVersion, spoken: str | None) -> None:
        proxy = front(tls=True, **options)
        context = ssl.create_default_context(cafile=proxy.ca_path)
        context.maximum_version = highest
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE) as plain:
            if spoken is None:
                with pytest.raises(ssl.SSLError):
                    context.wrap_socket(plain, server_hostname="127.0.0.1")
            else:
                with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                    assert secure.version() == spoken

    @pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
    def test_an_old_server_talks_to_old_clients(self, front: Any) -> None:
        proxy = front(tls=True, max_tls=ssl.TLSVersion.TLSv1_1)
        context = ssl.create_default_context(cafile=proxy.ca_path)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.set_ciphers("ALL:@SECLEVEL=0")
        plain = socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE)
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
            assert secure.version() == "TLSv1.1"

    def test_options_that_need_it(self, sim: Simulator) -> None:
        for options in ({"client_ca": True}, {"min_tls": ssl.TLSVersion.TLSv1_3}, {"max_tls": ssl.TLSVersion.TLSv1_2}):
            with pytest.raises(ValueError):
                Proxy(sim, **options)
