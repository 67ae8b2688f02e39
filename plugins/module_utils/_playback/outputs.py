# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What viewers can play of a live stream: its outputs, by a host name and each protocol."""

from __future__ import annotations

import dataclasses
import shutil
import typing as t

from .._resources.stream import input_tracks, readable
from .addresses import PLAY_PORTS, PLAY_TLS_PORTS, older_url, play_url
from .ffprobe import PROGRAM
from .playback import Address, Settings, Target
from .signed_policies import encode, make_policy
from .signed_urls import POLICY_NAME, SIGNATURE_NAME, Key, make_key, sign

PUBLISHERS = {
    "llhls": "llhls",
    "hls": "hls",
    "webrtc": "webrtc",
    "webrtc_tcp": "webrtc",
    "thumbnail": "thumbnail",
    "srt": "srt",
}
"""The publisher of an application by the protocol of viewers."""
USUAL = ("llhls", "hls", "webrtc", "thumbnail", "srt")
"""The protocols of viewers that every server with the publisher has; the TCP relay needs a setting of the server."""
_OF_PUBLISHERS = ("llhls_default", "hls_default", "webrtc_default", "srt_default")
"""The playlists that publishers make for themselves. The server lists them with those of the output profile, and only
the publisher has them (server-facts: What viewers get)."""
_CODECS = {
    "llhls": ("H264", "H265", "AV1", "AAC"),
    "hls": ("H264", "H265", "AAC"),
    "webrtc": ("H264", "H265", "VP8", "AV1", "OPUS"),
}
"""What publishers can send. They leave out a rendition with anything else."""
_BY_PROGRAM = ("srt",)
_VALID = {"expires_in": "10m"}


@dataclasses.dataclass(frozen=True)
class Policy:
    """The signed policy of a virtual host.

    :param providers: of the publishers who need a signature. :param publishers: of the viewers who need one.
    """

    key: Key
    providers: frozenset[str] = frozenset()
    publishers: frozenset[str] = frozenset()

    def sign(self, url: str) -> str:
        """Return a URL that is valid for some minutes. Raises Invalid."""
        return sign(url, encode(make_policy(_VALID)), self.key).url


def policy_of(vhost: t.Mapping[str, t.Any]) -> Policy | None:
    """Return the signed policy of a virtual host (option form); None if it protects nothing.

    Raises Invalid if nothing can be signed by it.
    """
    found = vhost.get("signed_policy") or {}
    enables = found.get("enables") or {}
    providers, publishers = (
        frozenset(str(name).strip().lower() for name in enables.get(part) or ()) for part in ("providers", "publishers")
    )
    if not providers and not publishers:
        return None
    names = found.get("policy_query_key_name") or POLICY_NAME, found.get("signature_query_key_name") or SIGNATURE_NAME
    return Policy(make_key(found.get("secret_key"), *names), providers, publishers)


@dataclasses.dataclass(frozen=True)
class Viewers:
    """How viewers reach a server.

    :param connect_to: where they connect in place of the host names.
    :param origin: of the web page of the player; empty for none. :param tls: whether they use TLS.
    :param ports: by protocol, in place of those of the sample configuration.
    :param protocols: by which they play; None for all that an application has and that can be tried.
    """

    settings: Settings
    connect_to: Address | None = None
    origin: str = ""
    tls: bool = False
    ports: t.Mapping[str, int] = dataclasses.field(default_factory=dict)
    protocols: t.Sequence[str] | None = None

    def target(self, protocol: str, place: Place, output: str, file: str) -> Target:
        """Return what is played of an output; an empty ``file`` is the default one of the protocol."""
        port = self.ports.get(protocol) or (PLAY_TLS_PORTS if self.tls else PLAY_PORTS)[protocol]
        url = play_url(protocol, place.host_name, port, place.app, output, file, tls=self.tls)
        return Target(url, protocol, self.connect_to, self.origin, older_url=older_url(url))


@dataclasses.dataclass(frozen=True)
class Place:
    """An application, as viewers reach it by one host name.

    :param publishers: the API's names of its publishers.
    :param images: the codecs of pictures by output; ``{}`` in a name stands for that of the stream.
    """

    vhost: str
    app: str
    host_name: str
    publishers: frozenset[str]
    images: t.Mapping[str, t.Sequence[str]] = dataclasses.field(default_factory=dict)
    policy: Policy | None = None

    def protocols(self, viewers: Viewers) -> list[str]:
        """Return the protocols that are asked for, or those that it has and that can be tried."""
        if viewers.protocols is not None:
            return list(viewers.protocols)
        return [protocol for protocol in USUAL if PUBLISHERS[protocol] in self.publishers]

    def why_not(self, protocol: str) -> str:
        """Return why nothing can be played by a protocol; empty if it can."""
        if PUBLISHERS[protocol] not in self.publishers:
            return f"The application has no publisher for {protocol}."
        if protocol in _BY_PROGRAM and shutil.which(PROGRAM) is None:
            return f"The program {PROGRAM} is not installed where the module runs."
        return ""

    def is_protected(self, protocol: str) -> bool:
        """Return whether viewers by a protocol need a signature."""
        return self.policy is not None and PUBLISHERS[protocol] in self.policy.publishers

    def targets(
        self, viewers: Viewers, stream: str, output: t.Mapping[str, t.Any], protocol: str, *, signed: bool
    ) -> list[Target]:
        """Return what viewers play of an output (readable form) of a stream. Raises Invalid."""
        found = []
        for file in self._files(stream, output, protocol):
            target = viewers.target(protocol, self, output["name"], file)
            if signed and self.policy is not None:
                older = self.policy.sign(target.older_url) if target.older_url else ""
                target = dataclasses.replace(target, url=self.policy.sign(target.url), older_url=older)
            found.append(target)
        return found

    def _files(self, stream: str, output: t.Mapping[str, t.Any], protocol: str) -> list[str]:
        """Return the files by which viewers play an output; an empty one for the default of the protocol."""
        if protocol == "thumbnail":
            codecs = self.images.get(str(output["name"]).replace(stream, "{}"), ())
            return [f"thumb.{'jpg' if codec == 'jpeg' else codec}" for codec in codecs] or [""]
        listed = [one for one in output.get("playlists") or () if isinstance(one, dict) and one.get("file_name")]
        publisher = PUBLISHERS[protocol]
        own = [one for one in listed if one.get("name") not in _OF_PUBLISHERS and _can_send(publisher, one, output)]
        if protocol == "llhls":
            default = [one for one in listed if one.get("name") == _OF_PUBLISHERS[0]]
            return [f"{one['file_name']}.m3u8" for one in default + own] or [""]
        if protocol == "hls":
            return ["", *(f"ts:{one['file_name']}.m3u8" for one in own if _has(one, "enable_ts_packaging"))]
        if publisher == "webrtc":
            return ["", *(str(one["file_name"]) for one in own if _has(one, "webrtc_auto_abr"))]
        return [""]


def _has(playlist: t.Mapping[str, t.Any], option: str) -> bool:
    return (playlist.get("options") or {}).get(option) is True


def _can_send(publisher: str, playlist: t.Mapping[str, t.Any], output: t.Mapping[str, t.Any]) -> bool:
    """Return whether a publisher can send a rendition of a playlist, by the codecs of its tracks.

    What is not described can be sent.
    """
    codecs = {
        (kind, track.get("name")): str((track.get(kind) or {}).get("codec", "")).upper()
        for track in output.get("tracks") or ()
        if isinstance(track, dict)
        for kind in [str(track.get("type", "")).lower()]
    }
    known = ("", *_CODECS.get(publisher, ()))
    renditions = [one for one in playlist.get("renditions") or () if isinstance(one, dict)]
    return not renditions or any(
        all(codecs.get((kind, one.get(f"{kind}_variant_name")), "") in known for kind in ("video", "audio"))
        for one in renditions
    )


def images_of(profiles: t.Iterable[t.Mapping[str, t.Any]]) -> dict[str, list[str]]:
    """Return the codecs of pictures of each output by its name, with ``{}`` for that of the stream.

    :param profiles: output profiles in option form.
    """
    found: dict[str, list[str]] = {}
    for profile in profiles:
        name = str(profile.get("output_stream_name", "{}")).replace("${OriginStreamName}", "{}")
        encodes = (profile.get("encodes") or {}).get("images") or ()
        found.setdefault(name, []).extend(str(one.get("codec", "jpeg")).lower() for one in encodes)
    return {name: list(dict.fromkeys(codecs)) for name, codecs in found.items()}


def readable_outputs(raw: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """Return the outputs of a stream (wire form) that have a name, as they are shown to users.

    What is passed on has the codec of the input, which releases before 0.20.0 do not say.
    """
    incoming = {
        kind: track[kind].get("codec")
        for track in reversed(input_tracks(raw))
        for kind in ("video", "audio")
        if isinstance(track.get(kind), dict)
    }
    outputs = [one for one in readable(raw).get("outputs") or () if isinstance(one, dict) and one.get("name")]
    for track in [track for output in outputs for track in output.get("tracks") or () if isinstance(track, dict)]:
        for kind, codec in incoming.items():
            described = track.get(kind)
            if isinstance(described, dict) and described.get("bypass") is True and codec:
                described.setdefault("codec", codec)
    return outputs
