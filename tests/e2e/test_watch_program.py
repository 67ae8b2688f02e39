# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The program of the role watch as a process, with servers that restart, are slow, dead, or answer badly.

Only the test with two servers runs the playbook. In the others a small program stands for it, which counts its runs.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import pathlib
import re
import shutil
import socket
import socketserver
import stat
import subprocess
import sys
import threading
import types
import typing as t
import urllib.request
from urllib.parse import urlsplit

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._watcher_files import watcher_files
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.ports import held, port_of

from .conftest import REPOSITORY, TOKEN, VHOSTS, Project
from .test_documents import blocks

PROGRAM = REPOSITORY / "roles/watch/files/watch.py"
NAME = "media-1"
# Stands for the playbook: counts its runs, and ends with the status that a file says.
PLAYBOOK = """\
import pathlib, sys
place = pathlib.Path(sys.argv[1])
with open(place / "runs", "a") as runs:
    print("run", file=runs)
print("the output of the playbook", flush=True)
sys.exit(int((place / "status").read_text()))
"""


class Watcher:
    """A watcher with a directory of its own, as the role makes it."""

    def __init__(self, directory: pathlib.Path, url: str, environment: t.Mapping[str, str], **variables: t.Any) -> None:
        self.directory = directory
        directory.mkdir()
        known = {"ovenmediaengine_api_url": url, "ovenmediaengine_api_token": TOKEN, **variables}
        texts = watcher_files(
            NAME,
            known,
            directory=str(directory),
            python=sys.executable,
            environment=environment,
            timeout=5,
            run_timeout=int(PATIENCE),
            retry_seconds=30,
            retry_max_seconds=600,
        )
        for name, text in (("watch.json", texts["settings"]), ("inventory.yml", texts["inventory"])):
            (directory / name).write_text(text, encoding="utf-8")
        self.settings = json.loads(texts["settings"])

    def change(self, **settings: t.Any) -> None:
        """Change settings."""
        self.settings.update(settings)
        (self.directory / "watch.json").write_text(json.dumps(self.settings), encoding="utf-8")

    def run(self, status: int = 0) -> str:
        """Run the program as systemd does; return what it prints."""
        done = subprocess.run(
            [sys.executable, "-I", str(PROGRAM), str(self.directory)],
            cwd=self.directory,
            env={"PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == status, done.stdout
        assert "canary" not in done.stdout
        return done.stdout

    def read(self, name: str) -> dict[str, t.Any]:
        """Return what the program has written."""
        found: dict[str, t.Any] = json.loads((self.directory / name).read_text(encoding="utf-8"))
        return found


class Stub(Watcher):
    """A watcher whose playbook is a small program."""

    def __init__(self, directory: pathlib.Path, url: str, **settings: t.Any) -> None:
        super().__init__(directory, url, {})
        script = directory / "playbook.py"
        script.write_text(PLAYBOOK, encoding="utf-8")
        self.succeed()
        self.change(command=[sys.executable, str(script), str(directory)], **settings)

    def succeed(self, status: int = 0) -> None:
        """Let the playbook end with a status from now on."""
        (self.directory / "status").write_text(str(status), encoding="utf-8")

    @property
    def runs(self) -> int:
        """Return how often the playbook was run."""
        path = self.directory / "runs"
        return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


def as_shown(said: str, number: int) -> None:
    """Check that the program has printed the lines of a block of the guide, apart from the name and the times."""
    guide = blocks("guide_after_restart.rst", "Restore with a watcher")
    shown = [block.text for block in guide if block.language == "text"][number]
    moment = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
    lines = moment.sub("TIME", said).splitlines()
    wanted = moment.sub("TIME", shown.replace("media-1.example.com", NAME)).splitlines()
    assert [line for line in lines if line in wanted] == wanted, said


def restart(server: Simulator) -> None:
    """Restart a server by the control interface."""
    request = urllib.request.Request(f"{server.url}/_simulator/restart", data=b"{}", method="POST")
    with urllib.request.urlopen(request, timeout=PATIENCE):
        pass


@pytest.fixture
def stub(tmp_path: pathlib.Path, sim: Simulator) -> Stub:
    """Provide a watcher that has seen its server once."""
    made = Stub(tmp_path / "watch", sim.url)
    assert "no earlier run has restored it" in made.run() and made.runs == 1
    return made


@pytest.mark.exhaustive
def test_the_server_that_restarts_is_restored_and_no_other(project: Project, sim: Simulator) -> None:
    environment = {name: project.environment[name] for name in ("HOME", "ANSIBLE_HOME", "ANSIBLE_COLLECTIONS_PATH")}
    with Simulator(token=TOKEN, stop_delay=0.2) as other:
        watchers = [
            Watcher(project.directory / name, server.url, environment, ovenmediaengine_vhosts=VHOSTS)
            for name, server in (("one", sim), ("two", other))
        ]
        for watcher in watchers:
            assert "media-1 is as defined again." in watcher.run()
        restart(sim)
        sim.clear_log()
        other.clear_log()
        restored, untouched = (watcher.run() for watcher in watchers)
        assert "media-1 has restarted" in restored and "as after a restart" in restored
        assert untouched == "" and [record.path for record in other.log] == ["/v1/stats/current"]
        assert set(sim.state.virtual_hosts) == {"default", "t-a", "t-b"}
        assert [watcher.run() for watcher in watchers] == ["", ""]


def test_each_start_is_restored_once(stub: Stub, sim: Simulator) -> None:
    before = stub.read("state.json")
    assert stub.run() == "" and stub.runs == 1
    restart(sim)
    said = stub.run()
    as_shown(said, 1)
    assert before["start_time"] in said and "the output of the playbook" in said and stub.runs == 2
    assert stub.read("state.json") != before and stub.run() == "" and stub.runs == 2
    assert stat.S_IMODE((stub.directory / "state.json").stat().st_mode) == 0o600
    # A file that is damaged counts as none.
    (stub.directory / "state.json").write_text('{"start_', encoding="utf-8")
    assert "no earlier run has restored it" in stub.run() and stub.runs == 3


def test_nothing_counts_as_restored_if_the_playbook_fails(stub: Stub, sim: Simulator) -> None:
    before = stub.read("state.json")
    restart(sim)
    stub.succeed(2)
    said = stub.run(status=1)
    as_shown(said, 3)
    assert stub.read("state.json") == before
    stub.succeed()
    assert stub.run() == "" and stub.runs == 2
    # Another restart does not end the wait: the playbook could be what ends the server.
    restart(sim)
    assert stub.run() == "" and stub.runs == 2
    # The role deletes this file if it changes the settings.
    (stub.directory / "backoff.json").unlink()
    assert "as defined again" in stub.run() and stub.runs == 3


def test_the_wait_doubles_up_to_its_limit(
    stub: Stub, sim: Simulator, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("watch_program", PROGRAM)
    assert spec is not None and spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    clock = types.SimpleNamespace(moment=1_000_000.0)
    restart(sim)
    stub.succeed(2)
    for delay in (30, 60, 120, 240, 480, 600, 600):
        assert program.watch(stub.directory, lambda: clock.moment) == 1
        assert f"The next attempt is in {delay} seconds." in capfd.readouterr().out
        clock.moment += delay - 1
        assert program.watch(stub.directory, lambda: clock.moment) == 0 and capfd.readouterr().out == ""
        clock.moment += 1
    # A clock that was set back by more than the wait does not stop the watcher.
    clock.moment -= 100_000
    stub.succeed()
    monkeypatch.setenv("JOURNAL_STREAM", "1:1")
    assert program.watch(stub.directory, lambda: clock.moment) == 0
    assert "<5>media-1 is as defined again." in capfd.readouterr().out
    assert not (stub.directory / "backoff.json").exists()


def test_two_runs_never_work_on_one_server(stub: Stub, sim: Simulator) -> None:
    restart(sim)
    with open(stub.directory / "lock", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sim.clear_log()
        assert stub.run() == "Another run for media-1 has not ended yet. This run does nothing.\n"
        assert stub.runs == 1 and not sim.log
    stub.run()
    assert stub.runs == 2


def test_a_playbook_that_takes_too_long_is_ended(stub: Stub, sim: Simulator) -> None:
    restart(sim)
    hangs = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
    quick = PROGRAM.read_text(encoding="utf-8").replace("_SECONDS_TO_END = 10", "_SECONDS_TO_END = 0.1")
    program = stub.directory / "watch.py"
    program.write_text(quick, encoding="utf-8")
    stub.change(command=[sys.executable, "-c", hangs], run_timeout=0.1)
    done = subprocess.run(
        [sys.executable, "-I", str(program), str(stub.directory)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1 and "(ended after 0.1 seconds)" in done.stdout


def test_a_dead_server_is_reported_once(stub: Stub, sim: Simulator) -> None:
    with held("127.0.0.1") as holder:
        port = port_of(holder)
    stub.change(api_url=f"http://127.0.0.1:{port}")
    before = stub.read("state.json")["start_time"]
    said = stub.run()
    assert stub.run() == "" and stub.read("state.json")["start_time"] == before
    stub.change(api_url=sim.url)
    as_shown(said + stub.run(), 2)
    assert stub.run() == "" and stub.runs == 1


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("unauthorized", {}, "rejects the access token (HTTP 401)"),
        *(
            pytest.param(*case, marks=pytest.mark.exhaustive)
            for case in (
                ("status", {"status": 502}, "sends no start time (HTTP 502)"),
                ("redirect", {"location": "http://127.0.0.1:1/"}, "sends no start time (HTTP 302)"),
                ("html", {}, "sends no start time (HTTP 200)"),
                ("huge", {"size": 2_000_000}, "sends no start time (HTTP 200)"),
                ("garbage", {"variant": "http"}, "does not answer as OvenMediaEngine does (BadStatusLine)"),
                ("garbage", {"variant": "deep"}, "sends no start time (HTTP 200)"),
                ("reset", {}, "does not answer (Connection reset by peer)"),
                ("delay", {"seconds": PATIENCE}, "does not answer (timed out)"),
                ("trickle", {"seconds": 0.05}, "does not answer (timed out)"),
            )
        ),
    ],
)
def test_a_server_that_answers_badly_is_left_alone(
    kind: str, options: dict[str, t.Any], words: str, stub: Stub, sim: Simulator
) -> None:
    restart(sim)
    sim.inject(kind, times=2, **options)
    stub.change(timeout=0.2)
    assert words in stub.run() and stub.runs == 1
    assert stub.run() == ""
    sim.clear_faults()
    stub.change(timeout=5)
    assert "has restarted" in stub.run() and stub.runs == 2


def test_a_wrong_token_is_reported(stub: Stub) -> None:
    stub.change(api_token="canary-other-token")
    assert stub.run() == (
        "media-1 rejects the access token (HTTP 401). Correct ovenmediaengine_api_token, and run the playbook watch.\n"
    )


def test_a_value_of_a_header_is_not_printed(stub: Stub) -> None:
    stub.change(http_headers={"X-Key": "canary\nvalue"})
    assert "does not answer as OvenMediaEngine does (ValueError)" in stub.run()


class Proxy:
    """An HTTP proxy that passes each connection on to one server, and keeps the heads of what it was asked."""

    def __init__(self, to: Simulator) -> None:
        self.heads: list[str] = []
        self._to = ("127.0.0.1", urlsplit(to.url).port or 0)

    def __enter__(self) -> Proxy:
        proxy = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                head = b"".join(iter(self.rfile.readline, b"\r\n"))
                proxy.heads.append(head.decode())
                with socket.create_connection(proxy._to) as server:
                    if head.startswith(b"CONNECT"):
                        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                        threading.Thread(target=self.pass_on, args=(server,), daemon=True).start()
                    else:
                        server.sendall(re.sub(rb"^GET http://[^/]+", b"GET ", head) + b"\r\n")
                    shutil.copyfileobj(server.makefile("rb", 0), self.wfile)

            def pass_on(self, server: socket.socket) -> None:
                # Either side can have ended the connection.
                with contextlib.suppress(OSError, ValueError):
                    shutil.copyfileobj(self.rfile, server.makefile("wb", 0), 1)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Return the address of the proxy, with a user."""
        return f"http://somebody:canary%2Fproxy@127.0.0.1:{self._server.server_address[1]}"


@pytest.mark.parametrize(
    "variable",
    ["http_proxy", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("HTTP_PROXY", "all_proxy"))],
)
def test_a_proxy_of_the_environment_is_used(stub: Stub, sim: Simulator, variable: str) -> None:
    """The modules of the playbook use it, too."""
    restart(sim)
    with Proxy(sim) as proxy:
        stub.change(api_url="http://ome.invalid:8081", environment={variable: proxy.url})
        assert "as defined again" in stub.run() and stub.runs == 2
        (head,) = proxy.heads
    assert head.startswith("GET http://ome.invalid:8081/v1/stats/current HTTP/1.1\r\n")
    assert "\r\nProxy-Authorization: Basic c29tZWJvZHk6Y2FuYXJ5L3Byb3h5\r\n" in head


@pytest.mark.parametrize(
    "ignored",
    [
        "127.0.0.1",
        *(pytest.param(names, marks=pytest.mark.exhaustive) for names in ("other.example.com, 127.0.0.0/8", "*")),
    ],
)
def test_a_proxy_is_bypassed_if_the_environment_says_so(stub: Stub, sim: Simulator, ignored: str) -> None:
    with Proxy(sim) as proxy:
        stub.change(environment={"http_proxy": proxy.url, "no_proxy": ignored})
        assert stub.run() == "" and proxy.heads == []
        stub.change(environment={"http_proxy": proxy.url, "no_proxy": "127.0.0.2, 192.0.2.0/24"})
        assert stub.run() == "" and len(proxy.heads) == 1


def test_a_proxy_cannot_read_what_tls_protects(tmp_path: pathlib.Path) -> None:
    with Simulator(token=TOKEN, tls=True) as secure, Proxy(secure) as proxy:
        stub = Stub(tmp_path / "watch", secure.url, ca_path=secure.ca_path, environment={"https_proxy": proxy.url})
        assert "as defined again" in stub.run() and stub.runs == 1
        (head,) = proxy.heads
        assert head.startswith(f"CONNECT {urlsplit(secure.url).netloc} ") and "\r\nAuthorization" not in head
        stub.change(environment={"https_proxy": "socks5://canary@127.0.0.1:1"})
        assert "was not asked, because the watcher can use only proxies with http://." in stub.run()


def test_the_certificate_of_the_server_is_verified(tmp_path: pathlib.Path) -> None:
    with Simulator(token=TOKEN, tls=True) as secure:
        stub = Stub(tmp_path / "watch", secure.url)
        said = stub.run()
        assert said.startswith("media-1 does not answer (") and "certificate" in said and stub.runs == 0
        stub.change(ca_path=str(tmp_path / "missing.pem"))
        assert "was not asked, because a file of ovenmediaengine_ca_path" in stub.run()
        stub.change(ca_path=secure.ca_path)
        assert "as defined again" in stub.run() and stub.runs == 1
        stub.change(ca_path=None, validate_certs=False)
        assert stub.run() == "" and stub.runs == 1
