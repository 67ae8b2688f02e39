# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator inside a test process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .clock import Clock
from .control import set_failing_reload, set_origin, set_speech, set_viewers
from .faults import MEANWHILE, Fault
from .publishing import Published, publish
from .recorder import Record
from .request_log import LogRecord
from .server import Middleware, Server
from .starting import Start
from .state import ACCEPT, PLAIN, PushTask, State
from .threads import LoopThread
from .tls import ApiCertificate, made_certificate
from .tls_listeners import Handshake
from .versions import NEWEST, VERSIONS
from .viewer_faults import ViewerFault

if TYPE_CHECKING:
    from .rtc_peer import Peer

A_DAY = 86400.0
"""Seconds."""


class Simulator:
    """A server on a free port of 127.0.0.1, in a thread of its own; a context manager.

    :param version: a key of :data:`VERSIONS`, such as ``0.18.0``, ``documented`` or ``later``.
    :param token: the access token.
    :param stop_delay: seconds for which a stopped push task stays listed (none on 0.15.10).
    :param tls: serve by https, with a certificate made on the spot.
    :param clock: gives seconds, such as :class:`ManualClock`; the machine's clock if None. With that, a pulled stream
    without viewers ends after a day, and not after a minute, so that no test depends on how fast the machine is.
    :param tls_cert: PEM file of a certificate to serve instead; with ``tls_key``.
    :param tls_key: PEM file of its key.
    :param tls_ports: TLS ports that serve the certificates of virtual hosts; 0 for any that is free. :attr:`tls_ports`
    has them.
    :param viewer_ports: ports that serve viewers by HTTP; 0 for any that is free. :attr:`viewer_ports` has them.
    :param signalling_ports: ports of WebRTC signalling and of WHIP, with a TCP relay; 0 for any that is free.
    :attr:`signalling_ports` has them.
    :param rtmp_ports: ports that take publishers by RTMP; 0 for any that is free. :attr:`rtmp_ports` has them.
    :param viewer_tls_ports: the same over TLS, with the certificates of virtual hosts; :attr:`viewer_tls_ports` has
    them.
    :param thumbnail_ports: ports that serve thumbnails by HTTP. :attr:`thumbnail_ports` has them.
    :param default_host_names: of the virtual host ``default`` of the configuration file; with ``*``, as in the sample
    configuration, it takes
        all publishers and viewers.
    :param latency: seconds of the clock that each request takes beside its work, see :attr:`latency`.
    :param scene: what the configuration file holds, see :data:`.state.SCENES`.
    :param config: a configuration directory to start from, in place of a scene; ``token`` and ports are those of its
    Server.xml, ``default_host_names`` and ``tls`` mean nothing.
    :param port: API port in place of the one of Server.xml, with ``config``; 0 for any that is free.
    :param mounts: see :class:`.state.State`.
    :param mpegts_ports: see :class:`.state.State`; nothing listens on them.
    :raises NotStarted: a server would not start from the directory.
    """

    def __init__(
        self,
        version: str = NEWEST,
        token: str = "ome-access-token",
        stop_delay: float = 1.0,
        tls: bool = False,
        clock: Callable[[], float] | None = None,
        tls_cert: str | None = None,
        tls_key: str | None = None,
        tls_ports: Sequence[int] = (),
        viewer_ports: Sequence[int] = (),
        signalling_ports: Sequence[int] = (),
        rtmp_ports: Sequence[int] = (),
        viewer_tls_ports: Sequence[int] = (),
        thumbnail_ports: Sequence[int] = (),
        latency: float = 0.0,
        scene: str = PLAIN,
        default_host_names: Sequence[str] = ("*",),
        config: str | Path | None = None,
        port: int | None = None,
        mounts: Mapping[str, str] | None = None,
        mpegts_ports: Sequence[int] = (),
    ) -> None:
        directory = None if config is None else Path(config)
        self.state = State(
            VERSIONS[version], Clock(clock), stop_delay, scene, default_host_names, directory, mounts, mpegts_ports
        )
        if clock is None:
            self.state.world.unused_seconds = A_DAY
        self.token = token
        self.port = 0
        self.ca_path: str | None = None
        """The authority to trust, if the certificate was made here."""
        self._server = Server(self.state, token)
        self._server.latency = latency
        self._start = Start(self._server, "127.0.0.1", port)
        if directory is not None:
            self._server.on_start = self._start
        self._tls = directory is None and (tls or tls_cert is not None)
        self._tls_files = (tls_cert, tls_key)
        self._tls_ports = tls_ports
        self._viewer_ports = viewer_ports
        self._signalling_ports = signalling_ports
        self._rtmp_ports = rtmp_ports
        self._viewer_tls_ports = viewer_tls_ports
        self._thumbnail_ports = thumbnail_ports
        self._directory: str | None = None
        self._thread: LoopThread | None = None

    def __enter__(self) -> Simulator:
        return self.start()

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def start(self) -> Simulator:
        """Open the port; returns when requests are served."""
        if self._tls:
            self.state.api_certificate = self._api_certificate()
        self._thread = LoopThread("simulator")
        try:
            if self.state.directory is not None:
                self._run(self._start())
                self._after_start()
            else:
                self.port = self._run(self._server.listen("127.0.0.1", 0, self._context))
            for port in self._tls_ports:
                self._run(self._server.listen_tls("127.0.0.1", port))
            if self._viewer_ports:
                self._run(self._server.listen_viewers("127.0.0.1", list(self._viewer_ports)))
            if self._signalling_ports:
                self._run(self._server.media.listen_signalling("127.0.0.1", list(self._signalling_ports)))
            if self._rtmp_ports:
                self._run(self._server.media.listen_rtmp("127.0.0.1", list(self._rtmp_ports)))
            if self._thumbnail_ports:
                self._run(self._server.listen_thumbnails("127.0.0.1", list(self._thumbnail_ports)))
            for port in self._viewer_tls_ports:
                self._run(self._server.listen_tls("127.0.0.1", port, for_viewers=True))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Close the port and end the thread; harmless when done already."""
        if self._thread is not None:
            self._run(self._server.close())
            self._thread.stop()
            self._thread = None
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def _api_certificate(self) -> ApiCertificate:
        certificate, key = self._tls_files
        if certificate is not None:
            return ApiCertificate(certificate, key or certificate)
        self._directory = tempfile.mkdtemp(prefix="ome-simulator-")
        made, self.ca_path = made_certificate(self._directory)
        return made

    @property
    def _context(self) -> Any:
        return self.state.api_certificate.context if self.state.api_certificate is not None else None

    def _run(self, coroutine: Any) -> Any:
        assert self._thread is not None
        return self._thread.run(coroutine)

    @property
    def url(self) -> str:
        """Return base URL, without a slash at its end."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def died(self) -> bool:
        """Return whether a request has ended the server; :meth:`restart` brings it back."""
        return self._server.died

    @property
    def log(self) -> list[LogRecord]:
        """Return the API requests so far, in the order of their arrival."""
        return list(self._server.log)

    @property
    def writes(self) -> list[LogRecord]:
        """Return the requests that change the server, whatever was answered."""
        return [record for record in self._server.log if record.write]

    @property
    def middlewares(self) -> list[Middleware]:
        """Wrappers around the work of every API request, see :data:`.server.Middleware`; change the list to add one.
        For what no fault does:
        answers that are rewritten by a function, requests that wait for each other."""
        return self._server.middlewares

    def inject(self, kind: str, **options: Any) -> Fault:
        """Let a fault spoil requests from now on, see :class:`.faults.Fault`, which has the options too.

        :returns: the fault.
        """
        return self.add_fault(Fault(kind, **options))

    def add_fault(self, fault: Fault) -> Fault:
        """Let a fault that is made already spoil requests from now on. :returns: the fault."""
        self._server.inject(fault)
        if fault.at_once:
            self._run(self._server.interrupt(fault.seconds))
        return fault

    def spoil(self, kind: str, **options: Any) -> ViewerFault:
        """Let a fault spoil requests of viewers from now on, see :class:`.viewer_faults.ViewerFault`, which has the
        options too.

        :returns: the fault.
        """
        fault = ViewerFault(kind, **options)
        self._server.inject(fault)
        return fault

    def meanwhile(self, method: str, path: str, deed: Callable[[], object], **options: Any) -> Fault:
        """Let another client do something just before a request is worked on: the first of a method whose path ends in
        ``path``.

        :param options: further ones of :class:`.faults.Fault`, such as ``skip`` and ``when``.
        """
        return self.inject(MEANWHILE, method=method, path=path, deed=deed, **options)

    @property
    def latency(self) -> float:
        """Return the latency of each request in seconds of the clock; requests on other connections go on meanwhile."""
        return self._server.latency

    @latency.setter
    def latency(self, seconds: float) -> None:
        self._server.latency = seconds

    @property
    def faults(self) -> list[Fault | ViewerFault]:
        """Return the faults that can still meet requests, in the order in which they were injected."""
        return [fault for fault in self._server.faults.all if fault.active]

    def clear_faults(self) -> None:
        """End all faults; a port that is closed by one is open again."""
        self._server.faults.clear()

    @property
    def tls_ports(self) -> list[int]:
        """Return the TLS ports, in the order in which they were asked for."""
        return [listener.port for listener in self._server.tls_listeners if listener.serve is None]

    @property
    def viewer_ports(self) -> list[int]:
        """Return the ports that serve viewers by HTTP, in the order in which they were asked for."""
        return self._server.viewer_ports

    @property
    def signalling_ports(self) -> list[int]:
        """Return the ports of WebRTC signalling and of WHIP, in the order in which they were asked for."""
        return self._server.media.signalling_ports

    @property
    def webrtc_peers(self) -> list[Peer]:
        """Return the server's ends of connections by WebRTC that are open, of viewers and publishers."""
        return self._server.media.peers

    @property
    def rtmp_ports(self) -> list[int]:
        """Return the ports that take publishers by RTMP, in the order in which they were asked for."""
        return self._server.media.rtmp_ports

    @property
    def viewer_tls_ports(self) -> list[int]:
        """Return the ports that serve viewers by HTTPS, in the order in which they were asked for."""
        return [listener.port for listener in self._server.tls_listeners if listener.serve is not None]

    @property
    def thumbnail_ports(self) -> list[int]:
        """Return the ports that serve thumbnails, in the order in which they were asked for."""
        return self._server.thumbnail_ports

    @property
    def handshakes(self) -> list[Handshake]:
        """Return the handshakes with the TLS ports so far."""
        return list(self._server.handshakes)

    def delay_reloads(self, seconds: float) -> None:
        """Let each reload of a virtual host's certificate show only after some seconds of the clock; its files are
        read at once.
        """
        self.state.reload_delay = seconds

    def lag(self, port: int, seconds: float | None = None) -> None:
        """Let one TLS port show each reload some seconds of the clock later than the others; 0 for no longer, None for
        until it is set again.
        """
        self._server.tls_listener(port).lag(seconds)

    def listener(self, port: int, behaviour: str) -> None:
        """Let a TLS port ``serve``, ``hang`` (accept connections and never answer) or be ``down``."""
        self._run(self._server.tls_listener(port).behave(behaviour))

    def clear_log(self) -> None:
        """Forget the requests so far."""
        self._server.clear_log()

    def _after_start(self) -> None:
        """Take over token and port of the configuration."""
        self.token = self._server.token
        ports = self._server.api_ports
        self.port = ports[0] if ports else 0
        found = self.state.configuration
        self._tls = found is not None and found.port is None and self._start.port is None

    @property
    def lines(self) -> list[str]:
        """Return the errors in the server's own log."""
        return list(self.state.lines)

    def restart(self) -> None:
        """End the process and start it again: all objects of the API and all streams are lost; a dead server runs.

        :raises NotStarted: it does not start from its configuration directory any more, and stays down.
        """
        if self.state.directory is not None:
            self._run(self._server.restart())
            self._after_start()
            return
        self.state.restart()
        if self.died:
            self._run(self._server.listen("127.0.0.1", self.port, self._context))
            for listener in self._server.tls_listeners:
                self._run(listener.behave(listener.behaviour))

    def stream_appears(self, vhost: str, app: str, stream: str, **source: Any) -> None:
        """Let a stream go live.

        :param source: fields of :class:`.media.LiveStream`: ``reconnects`` lets its encoder connect again after a
        DELETE; ``source_type`` and ``source_url`` are those of an encoder by RTMP by default.
        """
        self.state.stream_appears(vhost, app, stream, **source)

    def stream_disappears(self, vhost: str, app: str, stream: str) -> None:
        """Let a stream end; the server may die of it (server-facts: Virtual hosts, concludeHlsLive)."""
        self.state.stream_disappears(vhost, app, stream)
        self._run(self._server.end_due())

    def origin(self, url: str, behaviour: str = ACCEPT) -> None:
        """Say whether a pull from ``url``, or from under it, is served (``accept``) or not (``refuse``); an origin that
        was not named does not exist.
        """
        set_origin(self.state, url, behaviour)

    def speech(self, vhost: str, app: str, stream: str, renditions: Sequence[Mapping[str, str]]) -> None:
        """Give a live stream encoders of speech to text: ``label``, ``model``, ``language`` and ``translation``."""
        set_speech(self.state, vhost, app, stream, [dict(rendition) for rendition in renditions])

    def viewers(self, number: int, vhost: str, app: str | None = None, stream: str | None = None) -> None:
        """Let so many viewers be connected to a virtual host, an application or a stream, until the server is
        restarted; its statistics count them.
        """
        set_viewers(self.state, number, vhost, app, stream)

    def publish(self, host: str, app: str, stream: str, provider: str = "rtmp") -> Published:
        """Let a publisher send a stream to a host name. :returns: where it went live.

        :param provider: by which it comes, as the API writes it.

        :raises NotPublished: no application is found by that host name; the error has the virtual host in which it was
        looked for.
        """
        return publish(self.state, host, app, stream, provider)

    def add_config_task(self, vhost: str, app: str, **fields: Any) -> PushTask:
        """Add a push task of the server's configuration.

        :param fields: any of ``id`` (random otherwise), ``stream_name``, ``protocol``, ``url``, ``stream_key``,
        ``variant_names``.
        """
        return self.state.add_config_task(vhost, app, **fields)

    def add_config_record(self, vhost: str, app: str, **fields: Any) -> Record:
        """Add a recording of the server's configuration.

        :param fields: see :meth:`.recorder.Records.add_config_record`.
        """
        return self.state.records.add_config_record(vhost, app, **fields)[1]

    def destination(self, url: str, behaviour: str) -> None:
        """Say what the far end of pushes to ``url``, or under it, does: ``accept``, ``refuse`` or ``hang``."""
        self.state.set_destination(url, behaviour)

    def fail_reload(self, vhost: str | None = None, fails: bool = True) -> None:
        """Let a certificate reload fail, of one virtual host or (None) the reload of all; seen only if the version
        answers 500.
        """
        set_failing_reload(self.state, vhost, fails)

    def add_static_virtual_host(self, config: Mapping[str, Any], applications: Iterable[Any] = ()) -> None:
        """Put a virtual host into the configuration file; it takes the place of one of that name in the file.

        :param config: as the API writes it; reads return numbers as strings if the version does that.
        :param applications: applications as the API writes them, or mere names (with a push publisher).
        """
        self.state.add_static_virtual_host(config, applications)
