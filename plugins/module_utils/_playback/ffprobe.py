# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play SRT and RTMP by the program ffprobe, if it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import typing as t
from urllib.parse import urlsplit

from .playback import NotPlayed, Playback, Target, Track
from .sockets import address_of, resolve
from .waiting import Clock, Interrupt

PROGRAM = "ffprobe"
_SHOWN = "stream=index,codec_type,codec_name,width,height,avg_frame_rate,bit_rate:frame=stream_index"
_FRAMES = "%+#90"
"""Which packets are read: the first ones, among which a key frame has to be."""


def play_by_program(playback: Playback, clock: Clock, interrupt: Interrupt) -> None:
    """Let ffprobe decode the first frames of a URL. Raises NotPlayed."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise NotPlayed("program", f"The program {PROGRAM} is not installed where the module runs.")
    resolve(*address_of(playback.target.url, playback.target.connect_to))
    options = ["-v", "error", "-read_intervals", _FRAMES, "-show_entries", _SHOWN, "-of", "json"]
    command = [program, *options, *_input(playback.target)]
    # There is no AnsibleModule here, and an interrupted task has to end the program.
    with subprocess.Popen(  # pylint: disable=ansible-bad-function
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        interrupt.add(process.kill)
        try:
            output, errors = process.communicate(timeout=clock.left)
        except subprocess.TimeoutExpired:
            process.kill()
            raise NotPlayed("timeout", f"{PROGRAM} got no frame in time.") from None
        finally:
            interrupt.discard(process.kill)
    playback.tracks += _tracks(playback.target.protocol, output, process.returncode, errors)
    playback.seconds_to_first_frame = clock.elapsed


def _input(target: Target) -> list[str]:
    """Return the arguments that name the input. The host name stays in the stream ID, and in ``tcUrl``."""
    if target.connect_to is None:
        return [target.url]
    host, port = address_of(target.url, target.connect_to)
    parts = urlsplit(target.url)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    url = parts._replace(netloc=address).geturl()
    if target.protocol != "rtmp":
        return [url]
    return ["-rtmp_tcurl", parts._replace(path=parts.path.rpartition("/")[0], query="").geturl(), url]


def _tracks(protocol: str, output: str, status: int, errors: str) -> list[Track]:
    """Return the tracks of which a frame was decoded."""
    try:
        found: dict[str, t.Any] = json.loads(output or "{}")
    except ValueError:
        found = {}
    streams = [one for one in found.get("streams", ()) if one.get("codec_type") in ("video", "audio")]
    if status or not streams:
        # What it writes can have the URL in it, so that only its kind is shown.
        words = errors.lower()
        if protocol == "srt" and "input/output error" in words and "connection to" not in words:
            # server-facts: What viewers get
            raise NotPlayed("not_found", "The server accepted the connection and closed it without media.")
        refused = "connection refused" in words or "input/output error" in words
        raise NotPlayed("connection" if refused else "media", f"{PROGRAM} got no media (status {status}).")
    decoded = {frame.get("stream_index") for frame in found.get("frames", ())}
    for one in streams:
        if one["index"] not in decoded:
            raise NotPlayed("key_frame", f"{PROGRAM} decoded no frame of the {one['codec_type']} track.")
    return [
        Track(
            one["codec_type"],
            one.get("codec_name", ""),
            one.get("width"),
            one.get("height"),
            int(one["bit_rate"]) if str(one.get("bit_rate", "")).isdigit() else None,
            _rate(one.get("avg_frame_rate", "")) if one["codec_type"] == "video" else None,
        )
        for one in streams
    ]


def _rate(text: str) -> float | None:
    """Return a rate such as ``30000/1001``."""
    above, _slash, below = text.partition("/")
    return round(int(above) / int(below or 1), 2) if above.isdigit() and int(above) and int(below or 1) else None
