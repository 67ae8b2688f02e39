# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server holds in memory: virtual hosts, applications, push tasks and streams."""

from __future__ import annotations

import copy
import os
import random
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import outputs, stream_maps
from .channel_files import Channels
from .clock import Clock
from .config_xml import resolved
from .configuration import Configuration, NotStarted
from .configuration import load as read_directory
from .media import BYTES_PER_SECOND, LiveStream, World
from .mpegts_ports import MpegtsPorts
from .objects import (
    Application,
    ConfigTask,
    PushApplication,
    PushTask,
    StaticVirtualHost,
    VirtualHost,
)
from .recorder import Records
from .schema import application, as_text
from .tls import OWN_ROOT, ApiCertificate, readable
from .versions import ServerVersion

ACCEPT, REFUSE, HANG = "accept", "refuse", "hang"
BEHAVIOURS = (ACCEPT, REFUSE, HANG)
"""What the far end of a push does: takes the media, refuses the connection, or never answers."""

PLAIN, MEDIA = "plain", "media"
SCENES = (PLAIN, MEDIA)
"""What the configuration file holds: the applications that tests/wire/README.md describes, or also ``media`` of
tests/wire/media.
"""

SECONDS_TO_CONNECT = 1.0
SECONDS_TO_REFUSE = 0.5
SECONDS_TO_STOP_HANGING = 2.0


def as_strings(value: Any) -> Any:
    """Return every scalar of ``value`` as a string, as reads of the configuration file give them."""
    if isinstance(value, dict):
        return {key: as_strings(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_strings(entry) for entry in value]
    return as_text(value)


class State:
    """Everything that requests read and change.

    :param version: which server this is.
    :param clock: the time.
    :param stop_delay: seconds for which a stopped task stays listed (versions that stop at once ignore it).
    :param scene: one of :data:`SCENES`; without meaning if there is a directory.
    :param directory: the configuration directory to start from.
    :param mounts: directories of this machine by the path under which the server sees them, as in a container.
    :param mpegts_ports: on which it takes MPEG-TS; without meaning if there is a directory.
    :raises NotStarted: a server would not start from the directory.
    """

    def __init__(
        self,
        version: ServerVersion,
        clock: Clock,
        stop_delay: float = 1.0,
        scene: str = PLAIN,
        default_host_names: Sequence[str] = ("*",),
        directory: Path | None = None,
        mounts: Mapping[str, str] | None = None,
        mpegts_ports: Iterable[int] = (),
    ) -> None:
        self.version = version
        self.clock = clock
        self.stop_delay = stop_delay
        self.lock = threading.RLock()
        self.random = random.Random(20)
        self.virtual_hosts: dict[str, VirtualHost] = {}
        self.push_applications: dict[tuple[str, str], list[PushApplication]] = {}
        self.streams: dict[tuple[str, str, str], LiveStream] = {}
        self.world = World(started=clock.now())
        self.dying = False
        """Whether the process ends before the next request (server-facts: Virtual hosts, concludeHlsLive)."""
        self.viewers: dict[tuple[str, ...], int] = {}
        """How many are connected, by the names of what they watch."""
        self.forces_relay = not version.offers_by_transport
        """Whether viewers by WebRTC get the TCP relay unasked, as ``TcpRelayForce`` does it, ``TcpForce`` before
        0.21.0; the value of the sample configuration.
        """
        self.destinations: dict[str, str] = {}
        self.failing_reloads: set[str | None] = set()
        self.reload_delay = 0.0
        """Seconds after which a reload of a virtual host's certificate shows."""
        self.api_certificate: ApiCertificate | None = None
        """The certificate of the API itself, if it has one."""
        self.config_tasks: list[ConfigTask] = []
        self.known_files: set[str] = set()
        """Certificate files that exist on the simulated machine alone; no TLS port serves them. See
        :data:`.tls.OWN_ROOT`.
        """
        self.records = Records(self)
        self.channels = Channels(self)
        self.mpegts_ports = MpegtsPorts(mpegts_ports)
        self.directory = directory
        self.configuration: Configuration | None = None
        """What the directory says, as of the last start."""
        self.lines: list[str] = []
        """The server's own log: errors only."""
        self.on_line: Callable[[str], None] = lambda line: None
        self._mounts = dict(mounts or {})
        self._static: list[StaticVirtualHost] = []
        if directory is None:
            self._add_initial(scene, default_host_names)
        else:
            self._start_from(directory)

    # -- the configuration file -------------------------------------------------------------------------------

    def say(self, line: str) -> None:
        """Write an error into the server's own log."""
        self.lines.append(line)
        self.on_line(line)

    def locate(self, path: str, base: Path | None = None) -> str:
        """Return the file of this machine for a path of the configuration.

        :param base: what a relative path is relative to; the root directory if None.
        :raises FileNotFoundError: the simulated machine does not share the path with this one.
        """
        found = os.path.normpath(os.path.join("/" if base is None else base, resolved(path)))
        for seen, there in self._mounts.items():
            if found == seen or found.startswith(seen.rstrip("/") + "/"):
                return os.path.normpath(there + found[len(seen.rstrip("/")) :])
        return found if base is not None and Path(found).is_relative_to(base) else readable(found)

    def _start_from(self, directory: Path) -> None:
        """Read the configuration directory. :raises NotStarted: with the line that is in the log."""
        self._static = []
        try:
            self.configuration = read_directory(directory, self.version)
        except NotStarted as error:
            self.say(str(error))
            raise
        self.mpegts_ports = MpegtsPorts(self.configuration.mpegts_ports)
        self._static = [StaticVirtualHost(config, apps) for config, apps in self.configuration.virtual_hosts]
        for static in self._static:
            self._create_static(static)

    def _add_initial(self, scene: str, host_names: Sequence[str]) -> None:
        """Add the configuration that tests/wire/README.md describes."""
        tls = {"certPath": f"{OWN_ROOT}/certs/vhost.crt", "keyPath": f"{OWN_ROOT}/certs/vhost.key"}
        webhooks = {
            "controlServerUrl": "http://127.0.0.1:9595/admission",
            "enables": {"providers": "", "publishers": ""},
            "secretKey": "1234",
            "timeout": 3000,
        }
        config = {
            "name": "default",
            "distribution": "example.com",
            "host": {"names": list(host_names), "tls": tls},
            "admissionWebhooks": webhooks,
        }
        self.known_files.update(tls.values())
        applications = [self._plain_application("app", True), self._plain_application("nopush", False)]
        if scene == MEDIA:
            applications.append(self._media_application())
        self.add_static_virtual_host(config, applications)

    def _plain_application(self, name: str, push: bool) -> dict[str, Any]:
        publishers: dict[str, Any] = {"llhls": {}}
        if push:
            publishers[self.version.push_publisher_keys[0]] = {}
        profile = {
            "name": "bypass",
            "outputStreamName": "${OriginStreamName}",
            "encodes": {
                "videos": [{"name": "bypass_video", "bypass": True}],
                "audios": [{"name": "bypass_audio", "bypass": True}],
            },
        }
        return {
            "name": name,
            "type": "live",
            "providers": {"rtmp": {}, "srt": {}},
            "publishers": publishers,
            "outputProfiles": {"outputProfile": [profile]},
        }

    def _media_application(self) -> dict[str, Any]:
        """Return the application of tests/wire/media, without the parts that the version does not know."""
        item = application(self.version.keys)
        dvr = {"enable": True, "tempStoragePath": "/srv/ome/dvr", "maxDuration": 600}
        providers: dict[str, Any] = {
            "rtmp": {},
            "rtspPull": {},
            "ovt": {},
            "schedule": {"mediaRootDir": "/srv/ome", "scheduleFilesDir": "/srv/ome/schedules"},
            "multiplex": {"muxFilesDir": "/srv/ome/mux"},
        }
        plain = self._plain_application("media", True)
        known = item.inside("providers").fields
        hls = item.inside("publishers").inside("llhls").fields
        return {
            **plain,
            "providers": {name: value for name, value in providers.items() if name in known},
            "publishers": {
                **plain["publishers"],
                "llhls": {"dvr" if "dvr" in hls else "dVR": dvr},
                "file": {
                    "rootPath": "/srv/ome/rec",
                    "filePath": "/${VirtualHost}/${Application}/${Stream}/"
                    "${StartTime:YYYYMMDDhhmmss}_${EndTime:YYYYMMDDhhmmss}.ts",
                    "infoPath": "/${VirtualHost}/${Application}/${Stream}.xml",
                },
            },
        }

    def add_static_virtual_host(self, config: Mapping[str, Any], applications: Iterable[Any] = ()) -> None:
        """Put a virtual host into the configuration file; it takes the place of one of that name in the file.

        :param config: as the API writes it; numbers are returned as strings if the version does that.
        :param applications: applications as the API writes them, or mere names (rtmp and srt in, llhls and push out).
        """
        apps = tuple(
            self._plain_application(entry, True) if isinstance(entry, str) else dict(entry) for entry in applications
        )
        with self.lock:
            static = StaticVirtualHost(copy.deepcopy(dict(config)), copy.deepcopy(apps))
            old = next(
                (number for number, entry in enumerate(self._static) if entry.config["name"] == config["name"]), None
            )
            if old is None:
                self._static.append(static)
            else:
                self._static[old] = static
                former = self.virtual_hosts.get(config["name"])
                for app in list(former.applications.values()) if former is not None else ():
                    self.delete_application(self.virtual_hosts[config["name"]], app)
            self._create_static(static)

    def _create_static(self, static: StaticVirtualHost) -> None:
        convert: Callable[[Any], Any] = as_strings if self.version.static_scalars_are_strings else copy.deepcopy
        vhost = VirtualHost(resolved(static.config["name"]), convert(static.config), True, self.clock.now())
        vhost.load_first_certificate(lambda path: self.locate(path, self.directory))
        self.virtual_hosts[vhost.name] = vhost
        for config in static.applications:
            self.create_application(vhost, convert(config))

    def restart(self) -> None:
        """End the process and start it again: only the configuration file is left (server-facts: Virtual hosts).

        Streams are gone too; what the world outside does (destinations, broken files) stays, and so do the files of
        channels. A configuration directory is read again.

        :raises NotStarted: the server does not start any more; nothing is left then.
        """
        with self.lock:
            self.virtual_hosts.clear()
            self.push_applications.clear()
            for stream in self.streams.values():
                stream.end()
            self.streams.clear()
            self.viewers.clear()
            self.records.clear()
            self.channels.clear()
            self.mpegts_ports.clear()
            self.world.restart(self.clock.now())
            self.dying = False
            if self.directory is not None:
                self._start_from(self.directory)
            else:
                for static in self._static:
                    self._create_static(static)
            self.channels.restart()
            self.records.restore()
            tasks, self.config_tasks = self.config_tasks, []
            for task in tasks:
                if self.push_application(task.vhost, task.app) is not None:
                    self.add_config_task(task.vhost, task.app, **task.fields)

    def in_order_of_creation(self) -> list[VirtualHost]:
        """Return the virtual hosts of the configuration file in its order, then those of the API, recreated last."""
        # The sort keeps the order of the dictionary, in which a name that is deleted and added again goes to the end.
        return sorted(self.virtual_hosts.values(), key=lambda vhost: not vhost.read_only)

    # -- virtual hosts and applications -----------------------------------------------------------------------

    def create_virtual_host(self, config: dict[str, Any]) -> VirtualHost:
        """Add a virtual host made through the API; the caller has checked that the name is free."""
        vhost = VirtualHost(as_text(config["name"]), config, False, self.clock.now())
        vhost.load_first_certificate(self.locate)
        self.virtual_hosts[vhost.name] = vhost
        return vhost

    def delete_virtual_host(self, vhost: VirtualHost) -> None:
        """Remove a virtual host; what becomes of its push tasks depends on the version."""
        del self.virtual_hosts[vhost.name]
        for app in list(vhost.applications.values()):
            self._end_streams(vhost.name, app.name)
            self.channels.drop_application(vhost.name, app.name)
            if not self.version.applications_outlive_virtual_host:
                self._drop_push(vhost.name, app)
                self.records.drop_application(app.records)

    def create_application(self, vhost: VirtualHost, config: dict[str, Any]) -> Application:
        """Add an application; push tasks that an earlier one of the same name left behind show up again."""
        app = Application(resolved(as_text(config["name"])), config, created=self.clock.now())
        vhost.applications[app.name] = app
        publishers = config.get("publishers")
        if isinstance(publishers, dict) and any(key in publishers for key in self.version.push_publisher_keys):
            app.push = PushApplication()
            self.push_applications.setdefault((vhost.name, app.name), []).append(app.push)
        app.records = self.records.add_application(vhost.name, config)
        app.mpegts_streams = self.mpegts_ports.reserve(vhost.name, app.name, config)
        self.channels.add_application(vhost.name, app.name)
        return app

    def delete_application(self, vhost: VirtualHost, app: Application) -> None:
        """Remove an application and the push tasks that are its own."""
        del vhost.applications[app.name]
        self._end_streams(vhost.name, app.name)
        self._drop_push(vhost.name, app)
        self.records.drop_application(app.records)
        self.mpegts_ports.release(vhost.name, app.name)
        self.channels.drop_application(vhost.name, app.name)

    def _drop_push(self, vhost_name: str, app: Application) -> None:
        key = (vhost_name, app.name)
        left = [push for push in self.push_applications.get(key, []) if push is not app.push]
        if left:
            self.push_applications[key] = left
        else:
            self.push_applications.pop(key, None)

    def push_application(self, vhost_name: str, app_name: str) -> PushApplication | None:
        """Return the tasks that requests for this application see: the oldest holder of the name, dead or alive."""
        found = self.push_applications.get((vhost_name, app_name))
        if not found:
            return None
        self._forget_stopped(found[0])
        return found[0]

    def shuffled(self, names: Iterable[str]) -> list[str]:
        """Return names in an order that means nothing (server-facts: Virtual hosts)."""
        result = list(names)
        self.random.shuffle(result)
        return result

    # -- push tasks -------------------------------------------------------------------------------------------

    def _forget_stopped(self, push: PushApplication) -> None:
        now = self.clock.now()
        for task in [task for task in push.tasks.values() if task.gone_at is not None and task.gone_at <= now]:
            del push.tasks[task.id]

    def start_task(self, vhost: str, app: str, push: PushApplication, task: PushTask) -> None:
        """Reserve a task; it delivers at once if its stream is live."""
        push.tasks[task.id] = task
        if self.has_output(vhost, app, task.stream_name):
            self._begin_session(task)

    def stop_task(self, push: PushApplication, task: PushTask) -> None:
        """Ask a task to stop. It stays listed for a while, except if the version stops at once."""
        if self.version.stop_is_immediate or self.stop_delay <= 0:
            del push.tasks[task.id]
        elif task.gone_at is None:
            hangs = task.session_since is not None and self.behaviour_of(task.url) == HANG
            task.gone_at = self.clock.now() + (
                max(self.stop_delay, SECONDS_TO_STOP_HANGING) if hangs else self.stop_delay
            )

    def add_config_task(self, vhost: str, app: str, **fields: Any) -> PushTask:
        """Add a task of the server's configuration; it has ``isConfig`` true and by default a random id.

        :param fields: ``id``, ``stream_name``, ``protocol``, ``url``, ``stream_key``, ``variant_names``.
        """
        with self.lock:
            push = self.push_application(vhost, app)
            if push is None:
                raise LookupError(f"no application with a push publisher: {vhost}/{app}")
            letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            task = PushTask(
                id=fields.get("id") or "".join(self.random.choices(letters, k=6)),
                stream_name=fields.get("stream_name", "stream"),
                protocol=fields.get("protocol", "rtmp"),
                url=fields.get("url", "rtmp://127.0.0.1:1936/config"),
                stream_key=fields.get("stream_key", "config"),
                variant_names=list(fields.get("variant_names", ())),
                created=self.clock.now(),
                is_config=True,
            )
            self.config_tasks.append(ConfigTask(vhost, app, dict(fields)))
            self.start_task(vhost, app, push, task)
            return task

    # -- streams and destinations -----------------------------------------------------------------------------

    def stream_appears(self, vhost: str, app: str, stream: str, **source: Any) -> None:
        """Let a stream go live; tasks that wait for one of its outputs start.

        :param source: fields of :class:`.media.LiveStream`, such as ``source_type``; an encoder by RTMP without them.
        """
        with self.lock:
            found = self.virtual_hosts.get(vhost)
            if found is None or app not in found.applications:
                raise LookupError(f"no application: {vhost}/{app}")
            if (vhost, app, stream) not in self.streams:
                live = self.streams[vhost, app, stream] = LiveStream(self.clock.now(), **source)
                live.outputs = outputs.names(self.version, found.applications[app], stream, live)
                if not live.outputs:
                    self.say(f"[#{vhost}#{app}/{stream}] Failed to create the stream")
                for output in live.outputs:
                    self._output_appears(found, found.applications[app], output)

    def _output_appears(self, vhost: VirtualHost, app: Application, output: str) -> None:
        for task in self._tasks_of(vhost.name, app.name, output):
            self._begin_session(task)
        push = self.push_application(vhost.name, app.name)
        if push is not None:
            for task in stream_maps.pushes(self, vhost, app, output):
                self.start_task(vhost.name, app.name, push, task)
        mapped = list(stream_maps.records(self, vhost, app, output))
        self.records.stream_appears(vhost.name, app.name, output, mapped)

    def has_output(self, vhost: str, app: str, output: str) -> bool:
        """Return whether an application makes an output of a name at present."""
        return any(output in live.outputs for key, live in self.streams.items() if key[:2] == (vhost, app))

    def stream_disappears(self, vhost: str, app: str, stream: str) -> None:
        """Let a stream end; its tasks wait for it again."""
        with self.lock:
            ended = self.streams.pop((vhost, app, stream), None)
            if ended is not None:
                ended.end()
                past = self.world.past_bytes
                past[vhost, app] = past.get((vhost, app), 0) + ended.bytes_until(self.clock.now())
                self.dying = self.dying or (ended.concluded and self.version.conclude_kills)
                for output in ended.outputs:
                    self._output_disappears(vhost, app, output)

    def _output_disappears(self, vhost: str, app: str, output: str) -> None:
        for push in self.push_applications.get((vhost, app), []):
            for task in [task for task in push.tasks.values() if task.stream_name == output]:
                self._end_session(task)
                if task.ends_with_stream:
                    self.stop_task(push, task)
        self.records.stream_disappears(vhost, app, output)

    def _end_streams(self, vhost: str, app: str) -> None:
        for key in [key for key in self.streams if key[:2] == (vhost, app)]:
            self.stream_disappears(*key)

    def _tasks_of(self, vhost: str, app: str, stream: str) -> list[PushTask]:
        holders = self.push_applications.get((vhost, app), [])
        return [task for push in holders for task in push.tasks.values() if task.stream_name == stream]

    def set_destination(self, url: str, behaviour: str) -> None:
        """Say what the far end does for tasks whose url is ``url`` or lies under it; it accepts otherwise."""
        if behaviour not in BEHAVIOURS:
            raise ValueError(f"behaviour must be one of {', '.join(BEHAVIOURS)}")
        with self.lock:
            self.destinations[url.rstrip("/")] = behaviour
            # The server tries again all the time, so a change at the far end shows.
            for holders in self.push_applications.values():
                for task in (task for push in holders for task in push.tasks.values()):
                    if task.session_since is not None and lies_under(task.url, url.rstrip("/")):
                        self._end_session(task)
                        self._begin_session(task)

    def behaviour_of(self, url: str) -> str:
        """Return what the far end of ``url`` does; the longest url that was named decides."""
        matching = [known for known in self.destinations if lies_under(url, known)]
        return self.destinations[max(matching, key=len)] if matching else ACCEPT

    def _begin_session(self, task: PushTask) -> None:
        task.session_since = task.last_session = self.clock.now()

    def _end_session(self, task: PushTask) -> None:
        sent, milliseconds = self.sent(task)
        if self.delivering_since(task) is not None:
            task.sequence += 1
        task.earlier_bytes += sent
        task.earlier_milliseconds += milliseconds
        task.session_since = None

    def delivering_since(self, task: PushTask) -> float | None:
        """Return the time since when media flows, or None (server-facts: Push tasks)."""
        if task.session_since is None or self.behaviour_of(task.url) != ACCEPT:
            return None
        since = task.session_since + (SECONDS_TO_CONNECT if self.version.connecting_state else 0.0)
        return since if self.clock.now() >= since else None

    def sent(self, task: PushTask) -> tuple[int, int]:
        """Return bytes and milliseconds of the running session; both grow once a second."""
        since = self.delivering_since(task)
        seconds = 0 if since is None else int(self.clock.now() - since)
        return seconds * BYTES_PER_SECOND, seconds * 1000

    def task_state(self, task: PushTask) -> str:
        """Return the state of a task in the spelling of the version (server-facts: Push tasks)."""
        version = self.version
        if task.gone_at is not None and version.stopping_state is not None:
            return version.stopping_state
        if task.session_since is None:
            return "ready"
        if self.delivering_since(task) is not None:
            return version.pushing_state
        refused = self.behaviour_of(task.url) == REFUSE and self.clock.now() - task.session_since >= SECONDS_TO_REFUSE
        return "error" if refused else version.connecting_state or "ready"


def lies_under(url: str, base: str) -> bool:
    """Return whether a url is another one, or a port, path or query under it."""
    return url == base or (url.startswith(base) and url[len(base)] in ":/?")
