# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels of a server and the files that they are made from, by the clock; the calls are in :mod:`.channels`.

A write changes a file. The server looks at its files once a second, and a file must be missing three times before its
channel ends (ScheduledApplication::OnScheduleWatcherTick [read]).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import schedules

if TYPE_CHECKING:
    from .state import Application, State

SECONDS_TO_NOTICE = 1.0
SECONDS_TO_FORGET = 3.0


@dataclass(frozen=True)
class Kind:
    """One of the two kinds of channels."""

    provider: str
    """Key of the provider in the configuration of an application."""
    directory: str
    """Key of the provider that has the directory of the files."""
    extension: str
    word: str
    source_type: str
    """What the stream of a channel has as its source type."""


SCHEDULED = Kind("schedule", "scheduleFilesDir", "sch", "schedule", "Scheduled")
MULTIPLEX = Kind("multiplex", "muxFilesDir", "mux", "multiplex", "Multiplex")
KINDS = (SCHEDULED, MULTIPLEX)


@dataclass(frozen=True)
class ChannelFile:
    """A file of a channel, as it was written at a moment of the clock."""

    content: dict[str, Any]
    written: float


@dataclass
class Channel:
    """A channel that the server has noticed; it lives for some seconds longer than its file."""

    file: ChannelFile
    path: str
    since: float
    playing: bool = False
    """Whether a stream has appeared for it."""
    program: schedules.Program | None = None
    """What a scheduled channel has on air."""


@dataclass
class Watcher:
    """What an application has noticed of the files in its directories."""

    since: float
    channels: dict[Kind, dict[str, Channel]] = field(default_factory=lambda: {kind: {} for kind in KINDS})


@dataclass
class Held:
    """All that there is of channels; the files outlive the process."""

    files: dict[str, ChannelFile] = field(default_factory=dict)
    deleted: dict[str, float] = field(default_factory=dict)
    """When a file was deleted."""
    watchers: dict[tuple[str, str], Watcher] = field(default_factory=dict)


class Channels:
    """The files of channels and the channels of each application."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.held = Held()

    @property
    def files(self) -> dict[str, ChannelFile]:
        """Return the files by their paths."""
        return self.held.files

    def add_application(self, vhost: str, app: str) -> None:
        """Look for the files of a new application from now on."""
        self.held.watchers[vhost, app] = Watcher(self._state.clock.now())

    def drop_application(self, vhost: str, app: str) -> None:
        """End the channels of an application that is deleted; their files stay."""
        self.held.watchers.pop((vhost, app), None)

    def clear(self) -> None:
        """Lose the channels, as the end of the process does; their files stay."""
        self.held.watchers.clear()

    def restart(self) -> None:
        """Have all channels at once that have files, as a process that has been running for some seconds."""
        before = self._state.clock.now() - SECONDS_TO_NOTICE
        for watcher in self.held.watchers.values():
            watcher.since = before
        for path, file in self.files.items():
            self.files[path] = ChannelFile(file.content, min(file.written, before))

    def write(self, path: str, content: dict[str, Any]) -> None:
        """Write a file."""
        self.files[path] = ChannelFile(content, self._state.clock.now())
        self.held.deleted.pop(path, None)

    def delete(self, path: str) -> bool:
        """Delete a file. :returns: whether there was one."""
        if self.files.pop(path, None) is None:
            return False
        self.held.deleted[path] = self._state.clock.now()
        return True

    def of(self, kind: Kind, vhost: str, app: str) -> dict[str, Channel]:
        """Return the channels of one kind that an application has."""
        watcher = self.held.watchers.get((vhost, app))
        return watcher.channels[kind] if watcher is not None else {}

    def look(self) -> None:
        """Notice what has changed in the files, and let the streams of channels appear and disappear."""
        # Most servers have no channels, and this is called for each request.
        if not self.files and not self.held.deleted:
            return
        for kind in KINDS:
            for vhost in self._state.virtual_hosts.values():
                for app in vhost.applications.values():
                    channels = self.of(kind, vhost.name, app.name)
                    self._notice(kind, app, channels, self.held.watchers[vhost.name, app.name].since)
                    for name, channel in channels.items():
                        self._play(kind, (vhost.name, app.name, name), channel)
                    for name in [name for name, channel in channels.items() if self._is_over(channel)]:
                        if channels.pop(name).playing:
                            self._state.stream_disappears(vhost.name, app.name, name)

    def _notice(self, kind: Kind, app: Application, channels: dict[str, Channel], since: float) -> None:
        beginning, ending = f"{directory(app, kind)}/", f".{kind.extension}"
        if directory(app, kind) is None:
            return
        for path, file in self.files.items():
            noticed = max(file.written, since) + SECONDS_TO_NOTICE
            name = path[len(beginning) : -len(ending)]
            known = channels.get(name)
            if not path.startswith(beginning) or not path.endswith(ending) or noticed > self._state.clock.now():
                continue
            if known is None:
                channels[name] = Channel(file, path, noticed)
            elif known.file is not file:
                known.file, known.since = file, noticed

    def _is_over(self, channel: Channel) -> bool:
        return (
            channel.path not in self.files
            and self.held.deleted[channel.path] + SECONDS_TO_FORGET <= self._state.clock.now()
        )

    def _play(self, kind: Kind, place: tuple[str, str, str], channel: Channel) -> None:
        plays = self.missing_source(channel) is None if kind is MULTIPLEX else self._is_on_air(channel)
        if plays and place not in self._state.streams:
            channel.playing = True
            self._state.stream_appears(*place, source_type=kind.source_type, source_url="")
        elif not plays and channel.playing:
            channel.playing = False
            self._state.stream_disappears(*place)

    def _is_on_air(self, channel: Channel) -> bool:
        clock = self._state.clock
        program = schedules.program_at(channel.file.content, clock.time_of_day(channel.since), clock.time_of_day())
        if program is None or not program.goes_on_as(channel.program):
            channel.program = program
        item = self.current_program(channel).get("currentItem")
        return item is not None and self._is_available(item["url"])

    def _is_available(self, url: str) -> bool:
        source = schedules.source(url)
        return source is None or source in self._state.streams

    def missing_source(self, channel: Channel) -> str | None:
        """Return the name of the first stream that a multiplex channel waits for; None if it plays."""
        for source in channel.file.content["sourceStreams"] or ():
            names = schedules.source(source["url"])
            if names is not None and names not in self._state.streams:
                return names[2]
        return None

    def current_program(self, channel: Channel) -> dict[str, Any]:
        """Return what a scheduled channel has on air."""
        return schedules.current_program(channel.program, self._state.clock.time_of_day(), self._is_available)

    def snapshot(self) -> dict[str, Any]:
        """Return the files and the channels, as JSON can carry them."""
        return {
            "channel_files": {path: file.content for path, file in self.files.items()},
            "channels": [
                {"vhost": vhost, "app": app, "kind": kind.provider, "name": name, "playing": channel.playing}
                for (vhost, app), watcher in self.held.watchers.items()
                for kind in KINDS
                for name, channel in watcher.channels[kind].items()
            ],
        }


def directory(app: Application, kind: Kind) -> str | None:
    """Return where the files of the channels of an application are, with a slash; None without the provider."""
    providers = app.config.get("providers")
    provider = providers.get(kind.provider) if isinstance(providers, dict) else None
    if provider is None:
        return None
    path = str(provider.get(kind.directory, "")) if isinstance(provider, dict) else ""
    path = path if path.startswith("/") else f"/opt/ovenmediaengine/bin/origin_conf/{path}"
    return path if path.endswith("/") else f"{path}/"
