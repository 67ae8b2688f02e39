# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values of applications with which a server does not start (server-facts: Values that keep a server from starting).

In a request the server refuses them, which harms nobody. In a file they keep it from starting. Therefore they are
checked before a file is written. Text with a macro is not checked, because the server replaces it.
"""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.server_version import Version

Value = t.Mapping[str, t.Any]
Expected = t.Optional[str]
"""What was expected, without a value that is refused; None if the value is valid."""
_Check = t.Callable[[t.Any], Expected]

_TRANSPORT_CC_SINCE: Version = (0, 20, 5)
_VIDEOS_SKIP_SINCE: Version = (0, 20, 5)
_IMAGES_SKIP_SINCE: Version = (0, 21, 0)
_SILENCE_PROVIDERS = ("rtmp", "mpegts", "webrtc", "srt", "multiplex")
_MOST_FRAMES, _MOST_MILLISECONDS, _MOST_B_FRAMES, _MOST_SKIPPED = 600, 10_000, 16, 120
_LARGEST = 2**31 - 1
_UNITS = {"K": 1024, "M": 1024**2}
_NUMBER = re.compile(r"\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)")
_LIMITS = ("eq", "lte", "gte")
_REQUIRED = "is required in a configuration file"


def check(app: Value, version: Version, path: str) -> None:
    """Raise BadInput for an application (complete, option form) with which a server of the version does not start.

    ``path`` is the full path of its option.
    """
    for option, expected in _refused(app, version):
        raise BadInput(f"{path}.{option}" if path else option, expected)


def _refused(app: Value, version: Version) -> t.Iterator[tuple[str, str]]:
    """Yield the option and what was expected for each value that the server refuses."""
    for name, provider in app.get("providers", {}).items():
        if name != "extra":
            yield from _inside(f"providers.{name}", _provider(name, provider))
    webrtc = app.get("publishers", {}).get("webrtc", {})
    estimation = _one_of("REMB", *(("TransportCC", "ALL", "") if version >= _TRANSPORT_CC_SINCE else ()))
    yield from _inside("publishers.webrtc", _values(webrtc, {"bandwidth_estimation": estimation}))
    yield from _inside("subtitles", _subtitles(app.get("subtitles", {})))
    profiles = app.get("output_profiles", {})
    media = profiles.get("media_options", {})
    yield from _inside("output_profiles.media_options.subtitles", _subtitles(media.get("subtitles", {})))
    speech = ("engine", "output_subtitle_label", "model")
    for here, rendition in _entries(media.get("stt", {}), "rendition"):
        yield from _inside(f"output_profiles.media_options.stt.{here}", _lacking(rendition, *speech))
    for here, profile in _entries(profiles, "output_profile"):
        yield from _inside(f"output_profiles.{here}", _profile(profile, version))


def _provider(name: str, provider: Value) -> t.Iterator[tuple[str, str]]:
    silence = None if name in _SILENCE_PROVIDERS else f"cannot be used with the provider {name}"
    wait = "expected more than 0" if name == "rtmp" else f"cannot be used with the provider {name}"
    yield from _values(
        provider,
        {
            "timestamp_mode": _one_of("ZeroBased", "Original"),
            "packet_silence_timeout_ms": lambda _value: silence,
            "first_media_wait_timeout_ms": lambda value: None if name == "rtmp" and value else wait,
        },
    )
    for here, event in _entries(provider.get("event_generator", {}), "event"):
        yield from _inside(f"event_generator.{here}", _lacking(event, "trigger"))


def _subtitles(subtitles: Value) -> t.Iterator[tuple[str, str]]:
    renditions = subtitles.get("rendition", [])
    for here, rendition in _entries(subtitles, "rendition"):
        yield from _inside(here, _lacking(rendition, "label", "language"))
    if subtitles.get("enable") and not renditions:
        yield "rendition", "expected at least one, because enable is true"
    label = subtitles.get("default_label", "")
    if label and not _has_macro(label) and label not in [rendition.get("label") for rendition in renditions]:
        yield "default_label", f"expected the label of a rendition, got {label!r}"


def _profile(profile: Value, version: Version) -> t.Iterator[tuple[str, str]]:
    encodes = profile.get("encodes", {})
    for here, video in _entries(encodes, "videos"):
        yield from _inside(f"encodes.{here}", _video(video, version))
    for here, audio in _entries(encodes, "audios"):
        yield from _inside(f"encodes.{here}", _values(audio, {"bitrate": _bitrate}))
    least = -1 if version >= _IMAGES_SKIP_SINCE else 0
    for here, image in _entries(encodes, "images"):
        yield from _inside(f"encodes.{here}", _values(image, {"skip_frames": _between(least, _MOST_SKIPPED)}))
    for kind in ("videos", "audios", "images"):
        for here, encode in _entries(encodes, kind):
            yield from _inside(f"encodes.{here}.bypass_if_match", _match(encode.get("bypass_if_match", {})))
    for here, playlist in _entries(profile, "playlists"):
        yield from _inside(here, _playlist(playlist, encodes))
    for here, tracks in _entries(profile, "tracksets"):
        yield from _inside(here, _lacking(tracks, "name"))
        if not tracks.get("videos") and not tracks.get("audios"):
            yield f"{here}.videos", "expected at least one track, or one of audios"
        for kind in ("videos", "audios"):
            for inner, track in _entries(tracks, kind):
                yield from _inside(f"{here}.{inner}", _lacking(track, "name"))


def _video(video: Value, version: Version) -> t.Iterator[tuple[str, str]]:
    # The server compares the type with its case here, and without it otherwise.
    in_time = video.get("key_frame_interval_type") == "time"
    yield from _values(
        video,
        {
            "bitrate": _bitrate,
            "skip_frames": _between(-1 if version >= _VIDEOS_SKIP_SINCE else 0, _MOST_SKIPPED),
            "preset": _one_of("slower", "slow", "medium", "fast", "faster"),
            "key_frame_interval_type": _one_of("frame", "time"),
            "key_frame_interval": _between(1, _MOST_MILLISECONDS) if in_time else _between(0, _MOST_FRAMES),
            "b_frames": _between(0, _MOST_B_FRAMES),
            "profile": _one_of("baseline", "main", "high"),
        },
    )


def _match(match: Value) -> t.Iterator[tuple[str, str]]:
    """Check the conditions under which a track is passed through; no release supports one on bit rates."""
    limits = dict.fromkeys(("framerate", "width", "height", "samplerate", "channel"), _one_of(*_LIMITS))
    exact = dict.fromkeys(("codec", "sar"), _one_of("eq"))
    yield from _values(match, {**limits, **exact, "bitrate": lambda _value: "is supported by no release"})


def _playlist(playlist: Value, encodes: Value) -> t.Iterator[tuple[str, str]]:
    names = {kind: _names(encodes.get(f"{kind}s", []), kind) for kind in ("video", "audio")}
    for here, rendition in _entries(playlist, "renditions"):
        for kind, known in names.items():
            name = rendition.get(kind)
            if name is not None and not _has_macro(name) and known is not None and name not in known:
                yield f"{here}.{kind}", f"expected the name of an entry of encodes.{kind}s, got {name!r}"
    for here, template in _entries(playlist, "rendition_templates"):
        for kind in ("video_template", "audio_template"):
            encoding = {"encoding_type": _one_of("all", "encoded", "bypassed")}
            yield from _inside(f"{here}.{kind}", _values(template.get(kind, {}), encoding))


def _names(encodes: t.Sequence[Value], kind: str) -> set[str] | None:
    """Return the names of encodes, None if a macro is one; those without a name are `video_0`, `video_1` and so on."""
    given = [encode["name"] for encode in encodes if encode.get("name")]
    if any(map(_has_macro, given)):
        return None
    return {*given, *(f"{kind}_{number}" for number in range(len(encodes) - len(given)))}


def _bitrate(value: t.Any) -> Expected:
    """Check bits per second as the server reads them: a number, and perhaps a unit at the end."""
    text = str(value)
    number = _NUMBER.match(text)
    bits = float(number[1]) * _UNITS.get(text[-1:].upper(), 1) if number else 0
    return None if 1 <= bits <= _LARGEST else "expected bits per second, more than 0, such as 2000000 or '2M'"


def _one_of(*choices: str) -> _Check:
    *first, last = [repr(choice) for choice in choices if choice]
    shown = f"{', '.join(first)} or {last}" if first else last
    known = [choice.lower() for choice in choices]
    return lambda value: None if str(value).lower() in known else f"expected {shown}"


def _between(least: int, most: int) -> _Check:
    expected = f"expected a number from {least} to {most}"
    return lambda value: expected if isinstance(value, int) and not least <= value <= most else None


def _has_macro(value: t.Any) -> bool:
    return isinstance(value, str) and "${" in value


def _values(value: Value, checks: t.Mapping[str, _Check]) -> t.Iterator[tuple[str, str]]:
    for option, one in checks.items():
        item = value.get(option)
        expected = None if item is None or _has_macro(item) else one(item)
        if expected:
            yield option, f"{expected}, got {item!r}"


def _lacking(value: Value, *options: str) -> t.Iterator[tuple[str, str]]:
    yield from ((option, _REQUIRED) for option in options if value.get(option) is None)


def _entries(value: Value, option: str) -> t.Iterator[tuple[str, Value]]:
    """Yield the path and the value of each entry of a list."""
    for index, entry in enumerate(value.get(option, [])):
        yield f"{option}[{index}]", entry


def _inside(path: str, found: t.Iterable[tuple[str, str]]) -> t.Iterator[tuple[str, str]]:
    yield from ((f"{path}.{option}", expected) for option, expected in found)
