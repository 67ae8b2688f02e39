# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source `alert`: what servers signed makes events, and nothing else does."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import pathlib
import random
import ssl
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils import alerts
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, ports
from ansible_collections.streamops.ovenmediaengine.tests.unit.eda.sources import ROOT, main_of, next_event, running

SECRET = "the-secret-of-the-test"
RECORDINGS = sorted((ROOT / "tests" / "wire" / "alerts").glob("*.json"))
CALLBACKS = [
    pytest.param(recording["secret_key"], callback, id=f"{path.stem}-{index}")
    for path in RECORDINGS
    for recording in [json.loads(path.read_text(encoding="utf-8"))]
    for index, callback in enumerate(recording["callbacks"])
]
ALERT = {"messages": [{"code": "INGRESS_STREAM_CREATED", "description": "It is there."}], "type": "INGRESS"}


def body_of(number: int = 0, **changes: Any) -> bytes:
    """Return an alert; each number gives another one."""
    return json.dumps({**ALERT, "sourceInfo": {"createdTime": f"{number}"}, **changes}).encode()


def signed(body: bytes, key: str = SECRET) -> str:
    """Return a signature, computed without the code of the source."""
    block = key.encode().ljust(64, b"\0")
    inner = hashlib.sha1(bytes(byte ^ 0x36 for byte in block) + body).digest()
    outer = hashlib.sha1(bytes(byte ^ 0x5C for byte in block) + inner).digest()
    return base64.b64encode(outer).decode().translate(str.maketrans("+/", "-_", "="))


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the options of a source on any free port."""
    monkeypatch.setenv("TEST_ALERT_SECRET", SECRET)
    return {"secret_key_env": "TEST_ALERT_SECRET", "port": 0, "server": "media1", "max_per_minute": 60_000}


class Source:
    """A source that runs, and a client."""

    def __init__(self, receiver: alerts.Receiver, url: str, queue: asyncio.Queue[Any], client: Any) -> None:
        self.receiver = receiver
        self.url = url
        self.queue = queue
        self.client = client

    async def post(self, body: Any, signature: Any = None, **keywords: Any) -> int:
        """Send a body, by default with its signature; return the status."""
        headers = {"X-OME-Signature": signed(body) if signature is None else signature}
        status, _text = await self.request("POST", data=body, headers=headers, **keywords)
        return status

    async def request(self, method: str, path: str = "", **keywords: Any) -> tuple[int, str]:
        """Send any request; return status and text."""
        async with self.client.request(method, self.url + path, **keywords) as answer:
            return answer.status, await answer.text()


@contextlib.asynccontextmanager
async def source(options: dict[str, Any], scheme: str = "http", **keywords: Any) -> AsyncIterator[Source]:
    """Run a source."""
    queue: asyncio.Queue[Any] = asyncio.Queue()
    started: asyncio.Future[tuple[alerts.Receiver, int]] = asyncio.get_running_loop().create_future()
    settings = alerts.settings_of(options)
    run = alerts.receive(queue, settings, lambda receiver, port: started.set_result((receiver, port)))
    async with running(run), aiohttp.ClientSession(**keywords) as client:
        receiver, port = await started
        yield Source(receiver, f"{scheme}://localhost:{port}{settings.path}", queue, client)


@pytest.mark.parametrize(("key", "callback"), CALLBACKS)
def test_recorded_alert(
    key: str, callback: dict[str, Any], monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """What real servers sent makes events with their codes and words."""
    monkeypatch.setenv("TEST_ALERT_SECRET", key)
    body = callback["body"].encode()
    assert alerts.signature_of(body, key.encode()) == callback["headers"]["X-OME-Signature"] == signed(body, key)

    async def run() -> None:
        async with source(options) as running_source:
            headers = {name: value for name, value in callback["headers"].items() if name != "Content-Length"}
            assert (await running_source.request("POST", data=body, headers=headers))[0] == 204
            whole = running_source.queue.get_nowait()
            assert whole["meta"] == {"hosts": "media1"}
            event = whole["ovenmediaengine"]
            sent = json.loads(body)
            assert event["kind"] == "alert"
            assert event["server"] == "media1"
            assert event["messages"] == sent["messages"]
            assert event["codes"] == [message["code"] for message in sent["messages"]]
            assert event["type"] in ("ingress", "egress")
            assert (event["vhost"], event["app"], event["stream"]) == ("default", "media", "live1")
            assert event["source"]["created_time"] == sent["sourceInfo"]["createdTime"]
            assert event["source"]["source_type"] == sent["sourceInfo"]["sourceType"]
            assert event["sender"].get("server_name") == sent.get("serverInfo", {}).get("serverName")

    asyncio.run(run())


def test_each_version_that_sends_alerts_has_a_recording() -> None:
    assert {path.stem for path in RECORDINGS} == set(RECORDED_MEDIA)


def forgeries(count: int) -> Iterator[tuple[str, bytes, Any]]:
    """Yield the kind, body and signature of alerts that no server signed."""
    rng = random.Random(21)
    for number in range(count):
        body = body_of(number)
        right = signed(body)
        kinds: list[tuple[str, bytes, Any]] = [
            ("another key", body, signed(body, "another")),
            ("another body", body, signed(body_of(number + 1000))),
            ("one byte more", body + b" ", right),
            ("one byte less", body[:-1], right),
            ("one byte changed", body.replace(b"There", b"There").replace(b"is", b"iz", 1), right),
            ("empty", body, ""),
            ("padded", body, f"{right}="),
            ("standard alphabet", body, base64.b64encode(hmac.new(b"", body, "sha1").digest()).decode()),
            ("hexadecimal", body, hmac.new(SECRET.encode(), body, "sha1").hexdigest()),
            ("SHA-256", body, base64.urlsafe_b64encode(hmac.new(SECRET.encode(), body, "sha256").digest()).decode()),
            ("another case", body, right.swapcase()),
            ("cut", body, right[: rng.randrange(1, len(right))]),
            ("longer", body, right + "A"),
            ("beyond ASCII", body, "\u00e9" * len(right)),
            ("random", body, base64.urlsafe_b64encode(rng.randbytes(20)).decode().rstrip("=")),
            ("of nothing", b"", right),
        ]
        yield kinds[number % len(kinds)]


def test_two_hundred_bad_alerts_and_one_good_one(options: dict[str, Any]) -> None:
    """Of forged, repeated, oversized and badly encoded alerts none makes an event; a real one among them does."""

    async def run() -> None:
        async with source(options) as running_source:
            sent = 0
            for kind, body, signature in forgeries(100):
                assert await running_source.post(body, signature) == 401, kind
                sent += 1
            real = body_of(5000)
            assert await running_source.post(real) == 204
            for _time in range(40):
                assert await running_source.post(real) == 409
                sent += 1
            for number in range(20):
                large = body_of(number, padding="x" * (65536 + number))
                assert await running_source.post(large) == 413
                sent += 1
            for number in range(10):
                large = body_of(number, padding="x" * 70_000)
                assert await running_source.post(chunks_of(large), signed(large)) == 413
                sent += 1
            encoded = [text.encode(encoding) for encoding in ("utf-16", "utf-32") for text in [body_of().decode()]]
            badly = [
                *encoded,
                b"\xff\xfe",
                b"\xed\xa0\x80",
                b'{"messages": [{"code": "\xe9"}]}',
                b"\xef\xbb\xbf" + body_of(),
                b'{"messages": [{"code": "\\ud800"}]}',
                b"not json",
                b"",
                b"null",
                b"[]",
                b'"messages"',
                b"{}",
                b'{"messages": []}',
                b'{"messages": {}}',
                b'{"messages": [1]}',
                b'{"messages": [{}]}',
                b'{"messages": [{"code": 1}]}',
                b'{"messages": [{"code": ""}]}',
                b'{"messages": [{"code": "A"}], "n": NaN}',
                b'{"messages": [{"code": "A"}], "n": ' + b"9" * 5000 + b"}",
                b"[" * 60_000,
                b'{"messages": [' + b'{"code": "A"},' * 101 + b'{"code": "A"}]}',
                body_of()[:-1],
                body_of() + body_of(),
                b"\x1f\x8b\x08\x00",
                b"messages=1",
                b"{'messages': [{'code': 'A'}]}",
                b'{"messages": [{"code": "A"}]',
                b'{"messages": "A"}',
            ]
            for body in badly:
                assert await running_source.post(body) == 400, body[:80]
                sent += 1
            assert sent == 200
            event = await next_event(running_source.queue)
            assert event["codes"] == ["INGRESS_STREAM_CREATED"]
            assert event["source"] == {"created_time": "5000"}
            assert running_source.queue.empty()
            assert len(running_source.receiver.seen) == 1

    asyncio.run(run())


async def chunks_of(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body in parts, so that it is sent without its length."""
    for start in range(0, len(body), 1000):
        yield body[start : start + 1000]


def test_other_requests(options: dict[str, Any]) -> None:
    """Other paths and methods, no signature and two signatures are refused."""

    async def run() -> None:
        async with source(options) as running_source:
            body = body_of()
            right = {"X-OME-Signature": signed(body)}
            assert (await running_source.request("GET"))[0] == 405
            assert (await running_source.request("PUT", data=body, headers=right))[0] == 405
            assert (await running_source.request("POST", "/other", data=body, headers=right))[0] == 404
            assert (await running_source.request("POST", data=body))[0] == 401
            twice = [("X-OME-Signature", signed(body)), ("X-OME-Signature", signed(body))]
            assert (await running_source.request("POST", data=body, headers=twice))[0] == 401
            assert running_source.queue.empty()
            # None of them was remembered as received.
            assert await running_source.post(body) == 204

    asyncio.run(run())


def test_compressed_body_is_not_expanded(options: dict[str, Any]) -> None:
    """The bytes that were sent are signed and limited, not what they expand to."""

    async def run() -> None:
        async with source(options) as running_source:
            body = body_of(padding="x" * 30_000)
            status, _text = await running_source.request(
                "POST", data=body, headers={"X-OME-Signature": signed(body)}, compress="deflate"
            )
            assert status == 401
            assert running_source.queue.empty()

    asyncio.run(run())


def test_too_many_requests(options: dict[str, Any]) -> None:
    """Requests beyond the limit are refused, whatever they hold."""

    async def run() -> None:
        async with source({**options, "max_per_minute": 3}) as running_source:
            clock = Clock()
            running_source.receiver.rate = alerts.RateLimit(3, clock)
            statuses = [await running_source.post(body_of(number)) for number in range(4)]
            assert statuses == [204, 204, 204, 429]
            clock.seconds = 20.0
            assert [await running_source.post(body_of(number)) for number in range(4, 6)] == [204, 429]
            assert running_source.queue.qsize() == 4

    asyncio.run(run())


class Clock:
    """Seconds that a test turns."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_rate_limit_by_sender() -> None:
    """Each sender has its own limit, and its requests return with time."""
    clock = Clock()
    rate = alerts.RateLimit(2, clock)
    assert [rate.allows("a") for _time in range(3)] == [True, True, False]
    assert rate.allows("b")
    clock.seconds = 30.0
    assert [rate.allows("a") for _time in range(2)] == [True, False]
    for number in range(5000):
        rate.allows(str(number))
    assert len(rate) == alerts.MOST_SENDERS


def test_window_of_repetitions() -> None:
    """A body is new again after the window, and the memory for bodies has a limit."""
    clock = Clock()
    seen = alerts.Seen(10.0, clock)
    assert seen.add(b"a")
    assert not seen.add(b"a")
    clock.seconds = 9.9
    assert not seen.add(b"a")
    clock.seconds = 10.0
    assert seen.add(b"a")
    for number in range(alerts.MOST_BODIES + 500):
        seen.add(b"%d" % number)
    assert len(seen) == alerts.MOST_BODIES
    everything = alerts.Seen(0.0, clock)
    assert everything.add(b"a") and everything.add(b"a")
    assert len(everything) == 0


def test_comparison_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures are compared by hmac.compare_digest, also if there is none."""
    compared: list[tuple[bytes, bytes]] = []
    original = hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return original(one, other)

    monkeypatch.setattr(alerts.hmac, "compare_digest", compare)
    body = body_of()
    assert alerts.is_signed(body, [signed(body)], SECRET.encode())
    assert not alerts.is_signed(body, [], SECRET.encode())
    assert not alerts.is_signed(body, ["x"], SECRET.encode())
    assert [other for _one, other in compared] == [signed(body).encode(), b"", b"x"]


def test_busy_rules(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """An alert that the rules do not take is refused, and is no repetition when it is sent again."""
    monkeypatch.setattr(alerts, "QUEUE_SECONDS", 0.0)

    class Full:
        """A queue that takes nothing."""

        async def put(self, _event: Any) -> None:
            """Wait for ever."""
            await asyncio.Event().wait()

    async def run() -> None:
        async with source(options) as running_source:
            running_source.receiver._queue = Full()
            assert await running_source.post(body_of()) == 503
            running_source.receiver._queue = running_source.queue
            monkeypatch.setattr(alerts, "QUEUE_SECONDS", 10.0)
            assert await running_source.post(body_of()) == 204

    asyncio.run(run())


def test_slow_body(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not arrive ends in 408."""
    monkeypatch.setattr(alerts, "READ_SECONDS", 0.01)

    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async def run() -> None:
        async with source(options) as running_source:
            assert await running_source.post(never(), "x") == 408

    asyncio.run(run())


def test_connections_are_limited(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections beyond the limit are closed, and old ones that send nothing make room."""
    monkeypatch.setattr(alerts, "MOST_CONNECTIONS", 2)
    monkeypatch.setattr(alerts, "CONNECTION_SECONDS", 0.05)

    async def run() -> None:
        async with source(options) as running_source:
            port = int(running_source.url.rsplit(":", 1)[1].split("/")[0])
            idle = [await asyncio.open_connection("127.0.0.1", port) for _time in range(3)]
            for reader, _writer in idle:  # The third at once, the others when they are old.
                assert await reader.read() == b""
            for _reader, writer in idle:
                writer.close()
            assert await running_source.post(body_of()) == 204

    asyncio.run(run())


def test_https(options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    """With a certificate, alerts arrive over HTTPS and not over HTTP."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    trust = ssl.create_default_context()
    authority.configure_trust(trust)

    async def run() -> None:
        connector = aiohttp.TCPConnector(ssl=trust)
        chosen = {**options, "certfile": str(tmp_path / "both.pem")}
        async with source(chosen, "https", connector=connector) as running_source:
            assert await running_source.post(body_of()) == 204
            running_source.url = running_source.url.replace("https:", "http:")
            with pytest.raises(aiohttp.ClientError):
                await running_source.post(body_of(1))
            assert running_source.queue.qsize() == 1

    asyncio.run(run())


def test_secrets_of_urls_are_masked(options: dict[str, Any]) -> None:
    """The address of a pulled source can hold a password, which no event has."""

    async def run() -> None:
        async with source(options) as running_source:
            info = {"sourceUrl": "rtsp://user:hunter2@camera.example.com/1", "name": "cam"}
            assert await running_source.post(body_of(sourceInfo=info)) == 204
            event = await next_event(running_source.queue)
            assert "hunter2" not in json.dumps(event)
            assert "camera.example.com" in event["source"]["source_url"]

    asyncio.run(run())


def test_main(options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    """`main` of the file alone puts events into the queue; neither they nor the log have the secret."""

    async def run() -> None:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        holder = ports.held("127.0.0.1")
        port = ports.port_of(holder)
        holder.close()
        async with (
            running(main_of("alert")(queue, {**options, "port": port, "path": "/ome"})),
            aiohttp.ClientSession() as client,
        ):
            body = body_of()
            for _turn in range(1000):
                try:
                    answer = await client.post(
                        f"http://127.0.0.1:{port}/ome", data=body, headers={"X-OME-Signature": signed(body)}
                    )
                    break
                except aiohttp.ClientConnectorError:
                    await asyncio.to_thread(lambda: None)
            assert answer.status == 204
            assert (await next_event(queue))["kind"] == "alert"
            answer = await client.post(f"http://127.0.0.1:{port}/ome", data=body)
            assert answer.status == 401

    with caplog.at_level("DEBUG"):
        asyncio.run(run())
    assert "the signature is missing or wrong (401)" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"secret_key_env": None},
            "secret_key_env: expected either secret_key_env or secret_key_file, got none of them.",
        ),
        ({"secret_key_file": "x"}, "secret_key_env: expected either secret_key_env or secret_key_file, got both."),
        (
            {"secret_key_env": "TEST_NOT_SET"},
            "secret_key_env: expected a secret in the environment variable TEST_NOT_SET, which is empty or not set.",
        ),
        (
            {"secret_key": "hunter2"},
            "secret_key: expected secret_key_env or secret_key_file, because a rulebook is no place for a secret.",
        ),
        ({"prot": 1}, "prot: expected a known option (did you mean port?)."),
        ({"port": "many"}, "port: expected a number from 0 to 65535, got 'many'."),
        ({"port": 70000}, "port: expected a number from 0 to 65535, got 70000."),
        ({"port": 1.5}, "port: expected a whole number, got 1.5."),
        ({"port": True}, "port: expected a number from 0 to 65535, got a boolean."),
        (
            {"path": "alert"},
            "path: expected a path that begins with '/', of letters, digits and . _ ~ / -, got 'alert'.",
        ),
        ({"path": 1}, "path: expected text, got a number."),
        ({"max_body": 10}, "max_body: expected a number from 1024 to 1.04858e+06, got 10."),
        (
            {"server": "a,b"},
            "server: expected the inventory name of the server: letters, digits, '_', '.' and '-', got 'a,b'.",
        ),
        (
            {"certfile": "/none"},
            "certfile: expected a readable file, but /none cannot be read: No such file or directory.",
        ),
        ({"keyfile": str(ROOT / "README.md")}, "certfile: expected a file, because keyfile is set."),
        (
            {"certfile": str(ROOT / "README.md")},
            "certfile: expected a certificate in PEM form with its key, here or in keyfile; "
            f"{ROOT / 'README.md'} cannot be used.",
        ),
    ],
)
def test_invalid_options(options: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    """Invalid options end the source before it listens, with their full path."""
    with pytest.raises(Exception, match=r".") as caught:
        asyncio.run(main_of("alert")(asyncio.Queue(), {**options, **changes}))
    assert str(caught.value) == message
    assert type(caught.value).__name__ == "BadInput"
    assert "hunter2" not in str(caught.value)


def test_secret_from_a_file(tmp_path: pathlib.Path) -> None:
    """The secret can be in a file; the line end does not belong to it."""
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n", encoding="utf-8")
    assert alerts.settings_of({"secret_key_file": str(file)}).secret_key == SECRET.encode()
    file.write_text("two\nlines", encoding="utf-8")
    with pytest.raises(BadInput, match="expected one line"):
        alerts.settings_of({"secret_key_file": str(file)})


def test_port_in_use(options: dict[str, Any]) -> None:
    """A port that another process has is an invalid option."""

    async def run() -> None:
        async with source(options) as running_source:
            port = int(running_source.url.rsplit(":", 1)[1].split("/")[0])
            with pytest.raises(Exception, match=f"port: expected an address to listen at, but 127.0.0.1:{port}"):
                await main_of("alert")(asyncio.Queue(), {**options, "port": port})

    asyncio.run(run())
