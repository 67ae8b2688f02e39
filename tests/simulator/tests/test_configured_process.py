# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a process that starts from a configuration directory, and its ports."""

from __future__ import annotations

import base64
import http.client
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.config_files import (
    TOKEN,
    server,
    virtual_host,
    write,
)

ROOT = Path(__file__).resolve().parents[3]
AUTHORIZATION = {"Authorization": "Basic " + base64.b64encode(TOKEN.encode()).decode()}
INCLUDE = '<VirtualHost include="VHost*.xml"/>'
Begin = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(params=RECORDED_MEDIA, name="begin")
def _begin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Begin]:
    """Start each version in turn as a process, from the directory of the test."""
    processes = []

    def start(*options: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "tests.simulator",
            "--server-version",
            request.param,
            "--config",
            str(tmp_path),
        ]
        process = subprocess.Popen(
            [*command, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def free_port() -> int:
    """Return a port that nothing uses at present."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def listens(process: subprocess.Popen[str]) -> str:
    """Wait until a process listens. :returns: the URL."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("OvenMediaEngine simulator "), line
    return line.split()[-1]


def call(port: int, path: str = "/v1/vhosts", body: Any = None, context: ssl.SSLContext | None = None) -> Any:
    """Send a GET, or a POST with a body. :returns: what it answers with."""
    connection = (
        http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)
        if context is not None
        else http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    )
    try:
        connection.request(
            "GET" if body is None else "POST", path, None if body is None else json.dumps(body), AUTHORIZATION
        )
        found = json.loads(connection.getresponse().read())
        return found["response"] if isinstance(found, dict) else found
    finally:
        connection.close()


def test_after_a_kill_the_virtual_host_of_the_file_is_there_and_that_of_the_api_is_not(
    begin: Begin, tmp_path: Path
) -> None:
    port = free_port()
    write(tmp_path, Server=server(INCLUDE, port=port), VHost_a=virtual_host("a"))
    process = begin()
    assert listens(process) == f"http://127.0.0.1:{port}"
    call(port, body=[{"name": "b", "host": {"names": ["b"]}}])
    assert sorted(call(port)) == ["a", "b"]
    server_id = (tmp_path / "Server.id").read_text(encoding="utf-8")
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL
    again = begin()
    listens(again)
    assert call(port) == ["a"]
    assert (tmp_path / "Server.id").read_text(encoding="utf-8") == server_id
    again.terminate()
    assert again.wait(PATIENCE) == 0


def test_a_hangup_reloads_nothing(begin: Begin, tmp_path: Path) -> None:
    write(tmp_path, Server=server(INCLUDE), VHost_a=virtual_host("a"))
    process = begin("--port", "0")
    port = int(listens(process).rpartition(":")[2])
    write(tmp_path, VHost_b=virtual_host("b"))
    process.send_signal(signal.SIGHUP)
    assert call(port) == ["a"]
    process.terminate()
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("restarted", [False, True])
def test_a_refused_configuration_ends_the_process_with_one_line_and_status_1(
    begin: Begin, tmp_path: Path, restarted: bool
) -> None:
    logs = tmp_path / "logs"
    logger = f'<Logger version="2"><Path>{logs}</Path><Tag name=".*" level="info"/></Logger>'
    write(tmp_path, Server=server("" if restarted else "<Bogus/>"), Logger=logger)
    process = begin("--port", "0")
    if restarted:
        port = int(listens(process).rpartition(":")[2])
        write(tmp_path, Server=server("<Bogus/>"))
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            call(port, "/_simulator/restart", {})
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (1, "")
    text = f"load config: [Config] Unknown item found: Server.virtualHosts.Bogus in {tmp_path}/Server.xml"
    assert re.fullmatch(rf"\[.+\] E \[OvenMediaEngine:\d+\] \S+ \| An error occurred while {re.escape(text)}\n", output)
    assert (logs / "ovenmediaengine.log").read_text(encoding="utf-8") == output


def test_a_port_that_is_taken_ends_the_process(begin: Begin, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        write(tmp_path, Server=server("", port=other.getsockname()[1]))
        process = begin()
        output, _errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "Could not open the ports of the server" in output


@pytest.fixture(name="certificates")
def _certificates(tmp_path: Path) -> ssl.SSLContext:
    """Write a.pem and a.key for 127.0.0.1. :returns: what trusts them."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1", "a.example.com")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "a.pem")
    issued.private_key_pem.write_to_path(tmp_path / "a.key")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_ports_with_tls_serve_the_certificates_that_the_files_name(
    tmp_path: Path, certificates: ssl.SSLContext
) -> None:
    port, tls_port, publisher_port = free_port(), free_port(), free_port()
    tls = "<TLS><CertPath>a.pem</CertPath><KeyPath>a.key</KeyPath></TLS>"
    vhost = virtual_host("a", host_name="a.example.com").replace("</Names></Host>", f"</Names>{tls}</Host>")
    content = server(
        vhost,
        port=port,
        bind=f"<Publishers><LLHLS><TLSPort>{publisher_port}</TLSPort></LLHLS></Publishers>",
        managers=f"<Host><Names><Name>*</Name></Names>{tls}</Host>",
    ).replace("</Port></API>", f"</Port><TLSPort>{tls_port}</TLSPort></API>")
    write(tmp_path, Server=content)
    with Simulator(config=tmp_path) as simulator:
        assert (simulator.port, simulator.tls_ports) == (port, [publisher_port])
        assert call(port) == call(tls_port, context=certificates) == ["a"]
        with (
            socket.create_connection(("127.0.0.1", publisher_port), PATIENCE) as plain,
            certificates.wrap_socket(plain, server_hostname="a.example.com"),
        ):
            pass
        assert [handshake.vhost for handshake in simulator.handshakes] == ["a"]
        other = free_port()
        write(tmp_path, Server=content.replace(f"<Port>{port}<", f"<Port>{other}<"))
        simulator.restart()
        assert call(other) == call(tls_port, context=certificates) == ["a"]
        with pytest.raises(ConnectionRefusedError):
            call(port)
