# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a server holds, by labels: (virtual host,), (virtual host, application) or (virtual host, application, job).

The IDs of recordings begin with `record`, those of push tasks do not. Scheduled channels have names that begin with
`scheduled`, multiplex channels such that begin with `multiplex`, and pulled streams such that begin with `pull`. IDs of
HLS dumps begin with `dump`; `sent-STREAM` is what requests have sent into a stream, and `speech-STREAM` its speech to
text if that is on.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, channel_files
from ansible_collections.streamops.ovenmediaengine.tests.simulator.channel_files import ChannelFile
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import Pull
from ansible_collections.streamops.ovenmediaengine.tests.simulator.recorder import Record, RecordApplication
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import State
from ansible_collections.streamops.ovenmediaengine.tests.simulator.stream_events import ACTIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import post

_SENDING = [name for name, action in ACTIONS.items() if action.sends]

Label = tuple[str, ...]
Form = Any
View = dict[Label, Form]

KINDS = {1: "virtual host", 2: "application", 3: "push task"}
LONGER_THAN_ANY_STOP = 10  # seconds
DUMPED = "main"
"""The stream of all HLS dumps."""


def is_recording(label: Label) -> bool:
    """Return whether the label is that of a recording."""
    return len(label) == 3 and label[2].startswith("record")


def channel_of(label: Label) -> channel_files.Kind | None:
    """Return the kind of channel that the label is about; None if it is about none."""
    kinds = {"scheduled": channel_files.SCHEDULED, "multiplex": channel_files.MULTIPLEX}
    return next((kind for word, kind in kinds.items() if len(label) == 3 and label[2].startswith(word)), None)


def is_pull(label: Label) -> bool:
    """Return whether the label is that of a pulled stream."""
    return len(label) == 3 and label[2].startswith("pull")


def is_on_stream(label: Label) -> bool:
    """Return whether the label is that of something on a live stream: a dump, what was sent, speech to text."""
    return len(label) == 3 and label[2].startswith(("dump", "sent-", "speech-"))


def kind_of(label: Label) -> str:
    """Return the kind of object in words."""
    channel = channel_of(label)
    if channel is not None:
        return f"{channel.source_type.lower()} channel"
    if is_pull(label):
        return "pulled stream"
    if is_on_stream(label):
        return "HLS dump" if label[2].startswith("dump") else "action on a stream"
    return "recording" if is_recording(label) else KINDS[len(label)]


def describe(label: Label) -> str:
    """Return the label in words, for what is said of a failed test."""
    return f"{kind_of(label)} {'/'.join(label)}"


class Given(NamedTuple):
    """An object that another client has made before the module runs."""

    label: Label
    body: Mapping[str, Any]

    def post(self, simulator: Simulator) -> None:
        """Make it, past the modules."""
        vhost, *inside = self.label
        if not inside:
            post(simulator, "/v1/vhosts", [self.body])
        elif len(inside) == 1:
            post(simulator, f"/v1/vhosts/{vhost}/apps", [self.body])
        elif channel_of(self.label) is not None:
            with simulator.state.lock:
                # Written some time ago, so that the server has noticed it.
                path = _channel_path(simulator.state, self.label)
                simulator.state.channels.files[path] = ChannelFile(dict(self.body), simulator.state.clock.now() - 10)
        elif is_pull(self.label):
            source, pull = self.body["urls"][0], Pull(list(self.body["urls"]), persistent=True)
            simulator.state.stream_appears(*self.label, source_type="RtspPull", source_url=source, pull=pull)
        elif is_on_stream(self.label):
            simulator.stream_appears(vhost, inside[0], DUMPED)
            post(simulator, f"/v1/vhosts/{vhost}/apps/{inside[0]}/streams/{DUMPED}:startHlsDump", self.body)
        else:
            call = "startRecord" if is_recording(self.label) else "startPush"
            post(simulator, f"/v1/vhosts/{vhost}/apps/{inside[0]}:{call}", self.body)


def view(simulator: Simulator) -> View:
    """Return what there is and stays: jobs that were asked to stop are let go before."""
    state, clock = simulator.state, simulator.state.clock
    found: View = {}
    with state.lock:
        for vhost in state.virtual_hosts.values():
            loaded = vhost.certificate_at(clock.now())
            # The server replaces what it holds, and never changes it in place.
            found[(vhost.name,)] = vhost.config if loaded is None else {**vhost.config, "served": loaded.fingerprint}
            found.update({(vhost.name, app.name): app.config for app in vhost.applications.values()})
        for vhost_app in list(state.push_applications):
            state.push_application(*vhost_app)
        for (vhost_name, app_name), holders in state.push_applications.items():
            for task in (task for push in holders for task in push.tasks.values()):
                found[(vhost_name, app_name, task.id)] = (
                    task.protocol,
                    task.url,
                    task.stream_key,
                    task.stream_name,
                    tuple(task.variant_names),
                    task.is_config,
                )
        for vhost_app in list(state.records.applications):
            state.records.application(*vhost_app)
        for (vhost_name, app_name, _holder), record in _records(state):
            found[(vhost_name, app_name, record.id)] = (
                record.stream_name,
                tuple(record.variant_names),
                record.file_path,
                record.info_path,
                record.interval,
                record.schedule,
                record.segmentation_rule,
                record.metadata,
            )
        found.update(_channels(state))
        found.update(_on_streams(state))
        found.update({label: stream.source_url for label, stream in state.streams.items() if _stays(state, label)})
    return found


def _stays(state: State, label: Label) -> bool:
    """Return whether a label is that of a pulled stream that nobody has asked to end."""
    stream = state.streams.get(label) if len(label) == 3 else None
    return stream is not None and is_pull(label) and stream.ends_at is None


def _channels(state: State) -> Iterable[tuple[Label, Form]]:
    """Yield the channels of all applications: those that have a file."""
    for vhost in state.virtual_hosts.values():
        for app in vhost.applications.values():
            for kind in channel_files.KINDS:
                beginning, ending = f"{channel_files.directory(app, kind)}/", f".{kind.extension}"
                for path, file in state.channels.files.items():
                    if path.startswith(beginning) and path.endswith(ending):
                        yield (vhost.name, app.name, path[len(beginning) : -len(ending)]), file.content


def _on_streams(state: State) -> Iterator[tuple[Label, Form]]:
    """Yield what requests have done to live streams: dumps that run, what was sent, speech to text that is on."""
    sent: dict[Label, set[str]] = {}
    for event in state.world.events:
        text = json.dumps([event.action, event.body], sort_keys=True)
        sent.setdefault((event.vhost, event.app, f"sent-{event.stream}"), set()).add(text)
    yield from sent.items()
    for (vhost, app, name), stream in state.streams.items():
        for dump in (dump for dumps in stream.dumps.values() for dump in dumps.values()):
            if dump.enabled:
                form = (name, dump.output, dump.path, tuple(dump.playlists), dump.info_file, dump.user_data)
                yield (vhost, app, dump.id), form
        if stream.renditions and not stream.stt_paused:
            yield (vhost, app, f"speech-{name}"), "on"


def _channel_path(state: State, label: Label) -> str:
    """Return the path of the file of a channel."""
    vhost, app, name = label
    kind = channel_of(label)
    assert kind is not None
    return f"{channel_files.directory(state.virtual_hosts[vhost].applications[app], kind)}/{name}.{kind.extension}"


def _records(state: State) -> list[tuple[tuple[str, str, RecordApplication], Record]]:
    """Return all recordings, with virtual host, application and what holds them."""
    return [
        ((*where, holder), record)
        for where, holders in state.records.applications.items()
        for holder in holders
        for record in holder.records.values()
    ]


def is_there(state: State, label: Label) -> bool:
    """Return whether an object is there to stay; a job that was asked to stop is not."""
    vhost = state.virtual_hosts.get(label[0])
    if len(label) == 1:
        return vhost is not None
    if len(label) == 2:
        return vhost is not None and label[1] in vhost.applications
    if channel_of(label) is not None:
        return any(label == found for found, _content in _channels(state))
    if is_pull(label):
        return _stays(state, label)
    if is_on_stream(label):
        return any(label == found for found, _form in _on_streams(state))
    if is_recording(label):
        return any(
            (vhost_name, app, record.id) == label and record.gone_at is None
            for (vhost_name, app, _holder), record in _records(state)
        )
    holders = state.push_applications.get((label[0], label[1]), ())
    return any(label[2] in push.tasks and push.tasks[label[2]].gone_at is None for push in holders)


def doubles(state: State) -> list[str]:
    """Return jobs that run twice."""
    with state.lock:
        tasks = Counter(
            (*where, task)
            for where, holders in state.push_applications.items()
            for push in holders
            for task in push.tasks
        )
        tasks.update((*where[:2], record.id) for where, record in _records(state))
    return [f"{describe(label)} runs {count} times" for label, count in tasks.items() if count > 1]


def strays(state: State) -> list[str]:
    """Return jobs that outlive their application."""
    wrong = []
    with state.lock:
        for (vhost, app), holders in state.push_applications.items():
            host = state.virtual_hosts.get(vhost)
            owner = host.applications.get(app) if host is not None else None
            left = [push for push in holders if owner is None or push is not owner.push]
            wrong += [
                f"{describe((vhost, app, task))} outlives its application" for push in left for task in push.tasks
            ]
        for (vhost, app, holder), record in _records(state):
            host = state.virtual_hosts.get(vhost)
            owner = host.applications.get(app) if host is not None else None
            if owner is None or holder is not owner.records:
                wrong.append(f"{describe((vhost, app, record.id))} outlives its application")
    return wrong


def asked_to_make(method: str, path: str, body: Any) -> Iterable[Label]:
    """Return what a request is to make."""
    parts = path.split("/")
    if method != "POST" or parts[:3] != ["", "v1", "vhosts"]:
        return
    if parts[3:] == [] and isinstance(body, list):
        yield from ((str(item["name"]),) for item in body)
    elif len(parts) == 5 and parts[4] == "apps" and isinstance(body, list):
        yield from ((parts[3], str(item["name"])) for item in body)
    elif len(parts) == 7 and parts[6] in ("scheduledChannels", "multiplexChannels"):
        stream = body["stream" if parts[6] == "scheduledChannels" else "outputStream"]
        yield (parts[3], parts[5], str(stream["name"]))
    elif len(parts) == 7 and parts[6] == "streams":
        yield (parts[3], parts[5], str(body["name"]))
    elif len(parts) == 8 and parts[7].endswith(":startHlsDump"):
        yield (parts[3], parts[5], str(body["id"]))
    elif len(parts) == 8 and parts[7].endswith(tuple(f":{action}" for action in _SENDING)):
        yield (parts[3], parts[5], f"sent-{parts[7].partition(':')[0]}")
    elif len(parts) == 6 and parts[5].endswith((":startPush", ":startRecord")):
        yield (parts[3], parts[5].partition(":")[0], str(body["id"]))
