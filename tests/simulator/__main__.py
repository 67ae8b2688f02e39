# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a process: ``python -m tests.simulator --port 8081``."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import media_faults
from .clock import Clock
from .configuration import NotStarted
from .faults import KINDS
from .media import UNUSED_SECONDS
from .server import EXIT_NOT_STARTED, Server
from .starting import Start, log_to
from .state import PLAIN, SCENES, State
from .tls import ApiCertificate, made_certificate
from .versions import NEWEST, VERSIONS
from .viewer_faults import KINDS as VIEWER_KINDS

CONTROL = f"""\
While it runs, calls under /_simulator/ control it; tests/simulator/control.py has a table of them. For example, to
lose the response to the next start of a push:

  curl -d '{{"kind": "reset", "method": "POST", "path": ":startPush", "when": "after"}}' http://127.0.0.1:8081/_simulator/faults

Kinds of faults: {", ".join(KINDS[:9])},
{", ".join(KINDS[9:])}. Their options are in tests/simulator/faults.py.
Kinds for viewers by HTTP, in tests/simulator/viewer_faults.py: {", ".join(VIEWER_KINDS[:5])},
{", ".join(VIEWER_KINDS[5:])}.
Kinds for viewers by WebRTC and publishers, in tests/simulator/media_faults.py:
{", ".join(media_faults.KINDS[:4])},
{", ".join(media_faults.KINDS[4:])}.
GET on the same URL returns the requests that they met, DELETE ends them.
"""


def arguments(values: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line, after the arguments in the environment variable SIMULATOR_ARGUMENTS."""
    parser = argparse.ArgumentParser(
        prog="tests.simulator",
        description="A server that behaves like OvenMediaEngine's management API.",
        epilog=CONTROL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, help="port to listen on; 0 picks a free one; without it that of --config")
    parser.add_argument(
        "--config",
        metavar="DIR",
        type=os.path.abspath,
        help="configuration directory to start from: Server.xml with the files that it includes. Its ports, token,"
        " certificates and virtual hosts take the place of --token, --scene and --tls",
    )
    parser.add_argument(
        "--mount",
        type=_mount,
        action="append",
        default=[],
        metavar="SEEN=HERE",
        help="directory that the configuration calls SEEN, as in a container, and that is HERE; can be repeated",
    )
    parser.add_argument(
        "--api-only", action="store_true", help="open no TLS ports of the providers and publishers of --config"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--token", default="ome-access-token", help="access token (%(default)s)")
    parser.add_argument(
        "--server-version", default=NEWEST, choices=list(VERSIONS), help="which server to be (%(default)s)"
    )
    parser.add_argument(
        "--scene",
        default=PLAIN,
        choices=SCENES,
        help="configuration file: media adds an application for channels and recordings (%(default)s)",
    )
    parser.add_argument("--tls", action="store_true", help="serve the API by https")
    parser.add_argument("--tls-cert", metavar="FILE", help="certificate (PEM); without it one is made")
    parser.add_argument("--tls-key", metavar="FILE", help="its key (PEM)")
    parser.add_argument(
        "--tls-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="TLS port that serves the virtual hosts' certificates; can be repeated",
    )
    parser.add_argument(
        "--viewer-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="port that serves LL-HLS and HLS to viewers; can be repeated",
    )
    parser.add_argument(
        "--viewer-tls-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="the same over TLS, with the virtual hosts' certificates; can be repeated",
    )
    parser.add_argument(
        "--thumbnail-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="port that serves thumbnails to viewers; can be repeated",
    )
    parser.add_argument(
        "--signalling-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="port of WebRTC signalling and of WHIP, for which aiortc is needed; can be repeated",
    )
    parser.add_argument(
        "--rtmp-port",
        type=int,
        action="append",
        default=[],
        metavar="PORT",
        help="port that takes publishers by RTMP; can be repeated",
    )
    parser.add_argument("--log", metavar="FILE", help="append every API request to this file, one line of JSON each")
    parser.add_argument(
        "--stop-delay",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="how long a stopped push stays listed (%(default)s)",
    )
    parser.add_argument(
        "--unused-stream",
        type=float,
        default=UNUSED_SECONDS,
        metavar="SECONDS",
        help="how long a pulled stream without viewers stays (%(default)s)",
    )
    parser.add_argument(
        "--latency",
        type=float,
        default=0.0,
        metavar="MS",
        help="milliseconds that each request takes beside its work (%(default)s)",
    )
    parser.add_argument(
        "--default-host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="host name of the virtual host default, in place of *; can be repeated",
    )
    parser.add_argument(
        "--work-dir", metavar="DIR", help="where files that are made go: ca.pem, cert.pem and key.pem, with --tls"
    )
    before = shlex.split(os.environ.get("SIMULATOR_ARGUMENTS", ""))
    parsed = parser.parse_args([*before, *(sys.argv[1:] if values is None else values)])
    if parsed.tls_key and not parsed.tls_cert:
        parser.error("--tls-key needs --tls-cert")
    if parsed.port is None and parsed.config is None:
        parser.error("--port or --config is needed")
    return parsed


def _mount(text: str) -> tuple[str, str]:
    seen, _equals, here = text.partition("=")
    if not (os.path.isabs(seen) and os.path.isabs(here)):
        raise argparse.ArgumentTypeError("two absolute paths with = between them are needed")
    return seen, here


def _api_certificate(options: argparse.Namespace, stack: contextlib.ExitStack) -> ApiCertificate | None:
    if options.tls_cert:
        return ApiCertificate(options.tls_cert, options.tls_key or options.tls_cert)
    if not options.tls:
        return None
    directory = options.work_dir
    if directory is None:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="ome-simulator-"))
    os.makedirs(directory, exist_ok=True)
    return made_certificate(directory)[0]


def _state(options: argparse.Namespace) -> State:
    """Return the state to start with. :raises NotStarted: a server would not start from the directory."""
    version = VERSIONS[options.server_version]
    if options.config is None:
        return State(version, Clock(), options.stop_delay, options.scene, options.default_host_name or ["*"])
    directory = Path(options.config)
    write = log_to(directory)
    try:
        state = State(version, Clock(), options.stop_delay, directory=directory, mounts=dict(options.mount))
    except NotStarted as error:
        write(str(error))
        raise
    state.on_line = write
    return state


async def serve(options: argparse.Namespace) -> int:
    """Serve until a signal or a deadly request. :returns: the exit status."""
    with contextlib.ExitStack() as stack:
        log_file = stack.enter_context(open(options.log, "a", encoding="utf-8")) if options.log else None
        try:
            state = _state(options)
        except NotStarted:
            return EXIT_NOT_STARTED
        state.world.unused_seconds = options.unused_stream
        server = Server(state, options.token, log_file)
        server.latency = options.latency / 1000
        ended = asyncio.Event()
        server.on_death = ended.set
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        loop.add_signal_handler(signal.SIGHUP, lambda: None)  # Nothing is reloaded.
        try:
            await _listen(server, options, stack)
            await ended.wait()
        except NotStarted:
            server.die(EXIT_NOT_STARTED)
        await server.close()
        return server.exit_status if server.died else 0


async def _listen(server: Server, options: argparse.Namespace, stack: contextlib.ExitStack) -> None:
    state = server.state
    certificate = None
    if options.config is not None:
        server.on_start = Start(server, options.host, options.port, options.api_only)
        await server.on_start()
    else:
        certificate = state.api_certificate = _api_certificate(options, stack)
        await server.listen(options.host, options.port, certificate.context if certificate else None)
    for number in options.tls_port:
        await server.listen_tls(options.host, number)
    if options.viewer_port:
        await server.listen_viewers(options.host, options.viewer_port)
    if options.signalling_port:
        await server.media.listen_signalling(options.host, options.signalling_port)
    if options.rtmp_port:
        await server.media.listen_rtmp(options.host, options.rtmp_port)
    for number in options.viewer_tls_port:
        await server.listen_tls(options.host, number, for_viewers=True)
    if options.thumbnail_port:
        await server.listen_thumbnails(options.host, options.thumbnail_port)
    host = f"[{options.host}]" if ":" in options.host else options.host
    found = state.configuration
    for number in server.api_ports:
        secure = certificate if found is None else number == found.tls_port
        print(
            f"OvenMediaEngine simulator {state.version.name} listens on"
            f" {'https' if secure else 'http'}://{host}:{number}",
            flush=True,
        )
    for listener in server.tls_listeners:
        what = "TLS for virtual hosts" if listener.serve is None else "LL-HLS and HLS over TLS"
        print(f"{what} on {host}:{listener.port}", flush=True)
    for number in server.viewer_ports:
        print(f"LL-HLS and HLS for viewers on http://{host}:{number}", flush=True)
    for number in server.media.signalling_ports:
        print(f"WebRTC signalling and WHIP on ws://{host}:{number}", flush=True)
    for number in server.media.rtmp_ports:
        print(f"Publishers by RTMP on rtmp://{host}:{number}", flush=True)
    for number in server.thumbnail_ports:
        print(f"Thumbnails for viewers on http://{host}:{number}", flush=True)


def main(values: Sequence[str] | None = None) -> int:
    """Run the command. :returns: the exit status."""
    return asyncio.run(serve(arguments(values)))


if __name__ == "__main__":
    sys.exit(main())
