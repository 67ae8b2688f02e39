# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every option of every module, found by walking the argument specs, and how a value is put into one on top of valid
options.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import connection_options
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    MULTIPLEX,
    PLACE,
    SCHEDULED,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import RECORD, TASK

_CONFIGURATION = tempfile.TemporaryDirectory(prefix="t-conf-")
"""A directory for configuration files, which the process removes at its end."""
VHOST: dict[str, Any] = {"name": "t-h", "host": {"names": ["h.example.com"]}}
APPLICATION: dict[str, Any] = {"vhost": "t-v", "name": "live"}
OURS = {"name": "t-s", "host": {"names": ["s.example.com"]}}
"""A virtual host that is there, and what is in it."""
OUR_APP = {"vhost": "t-s", "name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}
OUR_TASK = {**TASK, "vhost": "t-s", "app": "live"}
HOLDER: dict[str, Any] = {"applications": [{"name": "rec", "type": "live", "publishers": {"file": {}}}]}
"""What virtual host `t-v` has in it for recordings, in wire form."""
_RECORD = {**RECORD, "vhost": "t-v", "app": "rec"}
_IMPORTED = Path(_CONFIGURATION.name) / "imported"
_IMPORTED.mkdir()
(_IMPORTED / "Server.xml").write_text(
    '<Server version="8"><Name>t-s</Name><Type>origin</Type><VirtualHosts></VirtualHosts></Server>', encoding="utf-8"
)
_PART = Path(_CONFIGURATION.name) / "parts" / "one"
_PART.mkdir(parents=True)
(_PART / "audit.json").write_text(
    json.dumps({"schema_version": 1, "generated_at": "2026-01-31T03:00:00Z", "servers": []}), encoding="utf-8"
)
_PLATFORM = {"name": "t-p", "url": "rtmp://one.example.com/live", "stream_key": ""}
# Renditions without tracks, because a track that no source has is refused there.
_MULTIPLEX = {**MULTIPLEX, "playlists": [{**MULTIPLEX["playlists"][0], "renditions": [{"name": "r"}]}]}
_STREAM = {"vhost": "default", "app": "app", "name": "t-none"}

LIVE = {"vhost": "default", "app": "app", "stream": "t-live"}
"""A stream that a test has to bring to life."""

VALID: dict[str, dict[str, Any]] = {
    "vhost": VHOST,
    "vhosts": {"vhosts": [VHOST]},
    "vhost_info": {},
    "application": APPLICATION,
    "applications": {"applications": [APPLICATION]},
    "application_info": {"vhost": "default"},
    "push_task": TASK,
    "push_tasks": {"tasks": [TASK]},
    "push_task_info": {"vhost": "default", "app": "app"},
    "provision": {"wait_timeout": 0, "stream_wait_timeout": 0},
    "record": _RECORD,
    "records": {"records": [_RECORD]},
    "record_info": {"vhost": "t-v", "app": "rec"},
    "scheduled_channel": SCHEDULED,
    "scheduled_channels": {"scheduled_channels": [SCHEDULED]},
    "scheduled_channel_info": PLACE,
    "multiplex_channel": _MULTIPLEX,
    "multiplex_channels": {"multiplex_channels": [_MULTIPLEX]},
    "multiplex_channel_info": PLACE,
    "stream": {**_STREAM, "state": "absent"},
    "streams": {"streams": [_STREAM], "state": "absent"},
    "stream_conclude": LIVE,
    "stream_event": {**LIVE, "frames": [{"frame_type": "TIT2", "data": "x"}]},
    "stream_stt": {**LIVE, "state": "stopped"},
    "hls_dump": {**LIVE, "id": "t-d", "state": "stopped"},
    "hls_dump_info": {"vhost": "default", "app": "app"},
    "stream_info": {"vhost": "default", "app": "app"},
    "cert_reload": {"wait_timeout": 0},
    "certificates": {"certificates": []},
    "record_stream": {"vhost": "t-v", "app": "rec", "stream": "t-s", "state": "stopped"},
    "restream": {"stream": "t-s", "chosen": "all", "platforms": [_PLATFORM], "state": "stopped"},
    "export": {"dest": f"{_CONFIGURATION.name}/export.yml"},
    "certificate_info": {
        "vhost": "default",
        "endpoint": [{"host": "127.0.0.1", "port": 1, "server_name": "h.example.com"}],
    },
    "audit_info": {},
    "audit_report": {"parts_dir": str(_PART), "report_dir": f"{_CONFIGURATION.name}/audit"},
    "server_config": {"config_dir": _CONFIGURATION.name, "version": NEWEST, "vhosts": []},
    "server": {
        "state": "absent",
        "config_dir": f"{_CONFIGURATION.name}/server",
        "log_dir": f"{_CONFIGURATION.name}/log",
        "data_dir": f"{_CONFIGURATION.name}/data",
        "unit_dir": _CONFIGURATION.name,
        "sysctl_dir": _CONFIGURATION.name,
        "tmpfiles_dir": _CONFIGURATION.name,
    },
    "config_import": {"config_dir": str(_IMPORTED), "dest": f"{_CONFIGURATION.name}/imported.yml"},
    "watcher": {
        "name": "t-w",
        "unit": "t-w",
        "directory": f"{_CONFIGURATION.name}/watcher",
        "unit_dir": _CONFIGURATION.name,
        "state": "absent",
    },
    "server_info": {"version": True, "vhosts": ["*", "t-v"], "applications": ["*/*", "default/app"]},
}
"""Options with which each module succeeds on a simulator that holds a virtual host `t-v` with HOLDER, or
(certificate_info) looks at a port where nothing listens.
"""

# What an option needs beside it that the specs do not say: the names of the entries that hold them, and what is valid
# in these.
_COMPANIONS: dict[str, dict[str, Any]] = {
    "vhosts": VHOST,
    "applications": {"name": "live"},
    "push_tasks": TASK,
    "tasks": TASK,
    "records": _RECORD,
    "scheduled_channels": SCHEDULED,
    "multiplex_channels": _MULTIPLEX,
    "streams": _STREAM,
    "frames": {"frame_type": "TIT2"},
    "cue": {"cue_type": "out"},
    "scte35": {"id": 1, "splice_type": "out"},
    "subtitles": {"label": "x", "cues": [{"text": "x"}]},
    "cues": {"text": "x"},
    "videos": {"name": "v", "bypass": True},
    "audios": {"name": "a", "bypass": True},
    "alert": {"url": "https://h.example.com", "secret_key": "x", "timeout": 1},
    "ice_servers": {"urls": ["turn:h.example.com:3478"]},
    "stream_map": {"port": 1, "stream_path": "t-v/app/s"},
    "output_profile": {"name": "p", "output_stream_name": "s"},
    "event": {"trigger": "live"},
    "rendition": {"label": "x", "language": "x", "engine": "whisper", "model": "x", "output_subtitle_label": "x"},
    "tracksets": {"name": "x", "videos": [{"name": "v"}]},
    "endpoint": {"host": "127.0.0.1", "port": 1, "server_name": "h.example.com"},
    "certificates": {
        "endpoint": [{"host": "127.0.0.1", "port": 1, "server_name": "h.example.com"}],
        "certbot_live": "/nonexistent",
        "endpoints": [{"host": "127.0.0.1", "port": 1}],
    },
    "endpoints": {"host": "127.0.0.1", "port": 1, "server_name": "h.example.com"},
    "options": {"key": "SRTO_STREAMID", "value": "x"},
}
# The applications of jobs in configuration files.
_CONFIGURED = [
    {
        "name": vhost,
        "host": {"names": ["h.example.com"]},
        "applications": [{"name": name, "publishers": {"push": {}, "file": {}}} for name in ("app", "rec", "live")],
    }
    for vhost in ("default", "t-v")
]
_BESIDE: dict[tuple[str, str], dict[str, Any]] = {
    ("cert_reload", "certificate"): {"endpoint": [{"host": "127.0.0.1", "port": 1}]},
    ("cert_reload", "fingerprint"): {"endpoint": [{"host": "127.0.0.1", "port": 1}]},
    ("certificate_info", "chain"): {"certificate": "/nonexistent/cert.pem"},
    ("certificate_info", "private_key"): {"certificate": "/nonexistent/cert.pem"},
    ("certificate_info", "names"): {"certificate": "/nonexistent/cert.pem"},
    ("server_config", "push_tasks"): {"vhosts": _CONFIGURED},
    ("server_config", "records"): {"vhosts": _CONFIGURED},
    ("cert_reload", "client_key"): {"client_cert": "/nonexistent/cert.pem"},
}
# A valid value of each option that is required somewhere.
_REQUIRED: dict[str, Any] = {
    "name": "x",
    "vhost": "t-v",
    "app": "app",
    "id": "t-p",
    "location": "/app",
    "pass": {"scheme": "ovt", "urls": {"url": ["o.example.com:9000/app"]}},
    "scheme": "ovt",
    "urls": {"url": ["o.example.com:9000/app"]},
    "url": ["o.example.com:9000/app"],
    "file_name": "master",
    "key": "X-Header",
    "value": "x",
    "level": "info",
    "access_token": "an-access-token",
    "cert_path": "cert.pem",
    "key_path": "key.pem",
    "path": "/model",
}


class Place(NamedTuple):
    """A place that takes a value: an option, an entry of a list, or the name of a key that no option declares."""

    path: tuple[Any, ...]  # names of options, 0 for the first entry of a list
    spec: Mapping[str, Any] | None  # of the option or the entry; None for a key
    as_key: bool = False

    def __str__(self) -> str:
        return f"{spelled(self.path)}{'.<key>' if self.as_key else ''}"


def spelled(path: tuple[Any, ...]) -> str:
    """Return the full name of an option, as messages give it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def places(module: str) -> list[Place]:
    """Return every place of a module: options at every level, entries of each list, a key of each dictionary."""
    return [*_places(argument_spec(module), ()), Place((), None, as_key=True)]


def _places(specs: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[Place]:
    for name, spec in specs.items():
        here = (*path, name)
        yield Place(here, spec)
        inner = here
        if spec["type"] == "list":
            inner = (*here, 0)
            yield Place(inner, {**spec, "type": spec.get("elements", "raw")})
        if "options" in spec:
            yield from _places(spec["options"], inner)
        if spec["type"] == "dict" or spec.get("elements") == "dict":
            yield Place(inner, None, as_key=True)
        if spec["type"] == "dict" and "options" not in spec:  # passed through: what is in it can be nested
            yield Place((*inner, "item"), {"type": "raw"})
            if name not in connection_options():
                yield Place((*inner, "item", "item"), {"type": "raw"})
                yield Place((*inner, "item"), None, as_key=True)
                yield Place((*inner, "items", 0, "item"), {"type": "raw"})
                yield Place((*inner, "items", 0), None, as_key=True)


def declared(specs: Mapping[str, Any], path: str = "") -> set[str]:
    """Return the names of all options at every level, found independently of :func:`places`, for comparison."""
    found = set()
    for name, spec in specs.items():
        found |= {f"{path}{name}"} | declared(spec.get("options") or {}, f"{path}{name}.")
    return found


def with_value(module: str, place: Place, value: Any) -> dict[str, Any]:
    """Return valid options of a module with a value at one place, and beside it what is required there."""
    name = str(place.path[0]) if place.path else ""
    options = {**copy.deepcopy(VALID[module]), **_BESIDE.get((module, name), {})}
    specs: Mapping[str, Any] = argument_spec(module)
    here: Any = options
    steps = [*place.path, value] if place.as_key else list(place.path)
    for position, step in enumerate(steps[:-1]):
        if isinstance(step, str):
            specs = specs.get(step, {})
        if isinstance(step, int) and step == len(here):
            here.append(None)
        following = steps[position + 1]
        there = here[step] if isinstance(step, int) else here.get(step)
        if there is None:
            there = here[step] = [] if isinstance(following, int) else {}
        here = there
        inside = specs.get("options") or {}
        if isinstance(following, str):
            holder = str(step if isinstance(step, str) else steps[position - 1])
            for option, sound in _COMPANIONS.get(holder, {}).items() if inside else ():
                if option in inside:
                    here.setdefault(option, copy.deepcopy(sound))
            for option, spec in inside.items():
                if spec.get("required") and option not in here:
                    here[option] = copy.deepcopy(_REQUIRED[option])
        if isinstance(following, str) and inside:
            specs = inside
    last = steps[-1]
    if isinstance(last, int):
        here[last:] = [value]
    else:
        here[last] = "canary-value" if place.as_key else value
    return options
