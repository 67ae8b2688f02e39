# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which releases know the elements that no option stands for.

The declarations know the releases of options. This table has all other elements that a release from 0.11.0 to 0.21.0
takes: those of the `Register` calls in the source of each release (`src/projects/config/items`, in 0.21.0
`src/config/items`). A test compares it with the keys in `tests/wire`.
"""

from __future__ import annotations

import typing as t

from .._core.server_version import BEFORE_VERSION_CALL, Version, parse, show

OLDEST: Version = (0, 11, 0)
NEWEST: Version = (0, 21, 0)
"""The releases of the table."""
ROOTS = {"server": "Server", "vhost": "VirtualHost", "application": "Application", "applications": "Application"}
"""How paths of elements begin, by the option of a declaration."""
_APPLICATION = "VirtualHost.Applications.Application"

# Each line: the element around them, the first and the last release that know them (without one: the oldest and the
# newest of the table), and the elements.
_TABLE = """
Application -0.12.5 Decode
Application 0.12.6- Decodes
Application 0.14.11- PersistentStreams
Application.Decode -0.12.5 Video
Application.Decode.Video -0.12.5 HWAcceleration
Application.Decodes 0.12.6- H264hasBframes Video
Application.Decodes.Video 0.12.6- HardwareAcceleration
Application.OutputProfiles.OutputProfile 0.14.0-0.14.2 Renditions
Application.OutputProfiles.OutputProfile.Encodes.Audio 0.13.0-0.13.2 Variant
Application.OutputProfiles.OutputProfile.Encodes.Audio.Variant 0.13.0-0.13.2 Active Bitrate Bypass Channel Codec Name
Application.OutputProfiles.OutputProfile.Encodes.Audio.Variant 0.13.0-0.13.2 Samplerate
Application.OutputProfiles.OutputProfile.Encodes.Image -0.15.1 Scale
Application.OutputProfiles.OutputProfile.Encodes.Video -0.15.1 Scale
Application.OutputProfiles.OutputProfile.Encodes.Video 0.13.0-0.13.2 Variant
Application.OutputProfiles.OutputProfile.Encodes.Video.Variant 0.13.0-0.13.2 Active Bitrate Bypass Codec Framerate
Application.OutputProfiles.OutputProfile.Encodes.Video.Variant 0.13.0-0.13.2 Height Name Preset Scale ThreadCount
Application.OutputProfiles.OutputProfile.Encodes.Video.Variant 0.13.0-0.13.2 Width
Application.OutputProfiles.OutputProfile.Renditions 0.14.0-0.14.2 Rendition
Application.OutputProfiles.OutputProfile.Renditions.Rendition 0.14.0-0.14.2 Audio Name Video
Application.PersistentStreams 0.14.11- Stream
Application.PersistentStreams.Stream 0.14.11- FallbackStreamName Name OriginStreamName
Application.Providers 0.14.0-0.14.2 File
Application.Providers.FILE 0.14.11-0.20.5 StreamMap
Application.Providers.FILE.StreamMap 0.14.11-0.20.5 Stream
Application.Providers.FILE.StreamMap.Stream 0.14.11-0.20.5 Name Path
Application.Providers.File 0.14.0-0.14.2 MaxConnection RootPath
Application.Providers.MPEGTS - StreamMap
Application.Providers.MPEGTS 0.15.1- AudioMap
Application.Providers.MPEGTS.AudioMap 0.15.1- Item
Application.Providers.MPEGTS.AudioMap.Item 0.15.1- Language Name
Application.Providers.MPEGTS.AudioMap.Item 0.18.0- Characteristics
Application.Providers.MPEGTS.StreamMap - Stream
Application.Providers.MPEGTS.StreamMap.Stream - Name Port
Application.Providers.RTMP.EventGenerator.Event.HLSID3v2 0.14.11-0.14.16 InjectTo
Application.Providers.SRT 0.15.1- AudioMap
Application.Providers.SRT.AudioMap 0.15.1- Item
Application.Providers.SRT.AudioMap.Item 0.15.1- Language Name
Application.Providers.SRT.AudioMap.Item 0.18.0- Characteristics
Application.Publishers -0.12.2 SessionLoadBalancingThreadCount StreamLoadBalancingThreadCount
Application.Publishers -0.16.5 DASH LLDASH
Application.Publishers.DASH -0.16.5 CrossDomains MaxConnection SegmentCount SegmentDuration
Application.Publishers.DASH 0.12.0-0.16.5 UTCTiming
Application.Publishers.DASH.CrossDomains -0.16.5 Url
Application.Publishers.DASH.UTCTiming 0.12.0-0.16.5 Scheme Value
Application.Publishers.FILE -0.16.4 FileInfoPath
Application.Publishers.FILE 0.16.5- Record
Application.Publishers.FILE.Record 0.16.5- Enable RecordInfo
Application.Publishers.FILE.Record 0.16.6- Path
Application.Publishers.FILE.StreamMap 0.16.6- RecordInfo
Application.Publishers.HLS 0.16.6- DefaultQueryString
Application.Publishers.HLS 0.17.1- CacheControl Dumps
Application.Publishers.HLS.CacheControl 0.17.1- ChunklistMaxAge ChunklistWithDirectivesMaxAge MasterPlaylistMaxAge
Application.Publishers.HLS.CacheControl 0.17.1- PartialSegmentMaxAge SegmentMaxAge
Application.Publishers.HLS.DefaultQueryString 0.16.6- Query
Application.Publishers.HLS.DefaultQueryString.Query 0.16.6- Key Value
Application.Publishers.HLS.Dumps 0.17.1- Dump
Application.Publishers.HLS.Dumps.Dump 0.17.1- Enable Id OutputPath Playlists TargetStreamName
Application.Publishers.HLS.Dumps.Dump.Playlists 0.17.1- Playlist
Application.Publishers.LLDASH -0.16.5 CrossDomains MaxConnection SegmentDuration
Application.Publishers.LLDASH 0.12.0-0.16.5 UTCTiming
Application.Publishers.LLDASH.CrossDomains -0.16.5 Url
Application.Publishers.LLDASH.UTCTiming 0.12.0-0.16.5 Scheme Value
Application.Publishers.LLHLS 0.14.11- Dumps
Application.Publishers.LLHLS 0.14.15- CacheControl
Application.Publishers.LLHLS 0.16.4- DefaultQueryString
Application.Publishers.LLHLS.CacheControl 0.14.15- ChunklistMaxAge ChunklistWithDirectivesMaxAge MasterPlaylistMaxAge
Application.Publishers.LLHLS.CacheControl 0.14.15- PartialSegmentMaxAge SegmentMaxAge
Application.Publishers.LLHLS.DefaultQueryString 0.16.4- Query
Application.Publishers.LLHLS.DefaultQueryString.Query 0.16.4- Key Value
Application.Publishers.LLHLS.Dumps 0.14.11- Dump
Application.Publishers.LLHLS.Dumps.Dump 0.14.11- Enable Id OutputPath Playlists TargetStreamName
Application.Publishers.LLHLS.Dumps.Dump.Playlists 0.14.11- Playlist
Application.Publishers.MPEGTSPush 0.13.0-0.14.18 CrossDomains
Application.Publishers.MPEGTSPush.CrossDomains 0.13.0-0.14.18 Url
Application.Publishers.Push.StreamMap 0.16.6- RecordInfo
Application.Publishers.RTMPPush -0.14.18 CrossDomains
Application.Publishers.RTMPPush.CrossDomains -0.14.18 Url
Application.Publishers.WebRTC 0.12.9- PlayoutDelay
Application.Publishers.WebRTC.PlayoutDelay 0.12.9- Max Min
Server -0.13.2 P2P
Server.Bind.Providers.SRT.StreamMap.Stream 0.15.16-0.17.3 ListenURL
Server.Bind.Publishers -0.16.5 DASH RTMP
Server.Bind.Publishers 0.14.0-0.16.5 LLDASH
Server.Bind.Publishers.DASH -0.16.5 Port TLSPort
Server.Bind.Publishers.DASH 0.11.1-0.16.5 WorkerCount
Server.Bind.Publishers.LLDASH 0.14.0-0.16.5 Port TLSPort WorkerCount
Server.Bind.Publishers.RTMP -0.16.5 Port TLSPort
Server.Bind.Publishers.RTMP 0.11.1-0.16.5 WorkerCount
Server.P2P -0.13.2 MaxClientPeersPerHostPeer
VirtualHost -0.16.6 SignedToken
VirtualHost.Origins.Origin 0.14.0-0.14.2 Persist
VirtualHost.Origins.Origin 0.14.3-0.14.3 Persistence
VirtualHost.SignedToken -0.16.6 CryptoKey QueryStringKey
"""


class Releases(t.NamedTuple):
    """The first and the last release of the table that know an element."""

    since: Version
    until: Version

    def has(self, version: Version) -> bool:
        """Return whether a release is one of them."""
        return self.since <= version <= self.until

    def __str__(self) -> str:
        if self.until == NEWEST:
            return "all releases" if self.since == OLDEST else f"{show(self.since)} and later"
        return (
            f"{show(self.until)} and earlier" if self.since == OLDEST else f"{show(self.since)} to {show(self.until)}"
        )


def _read() -> dict[str, Releases]:
    found = {}
    for line in _TABLE.strip().split("\n"):
        around, releases, *names = line.split(" ")
        since, _dash, until = releases.partition("-")
        known = Releases(parse(since) if since else OLDEST, parse(until) if until else NEWEST)
        found.update({f"{around}.{name}": known for name in names})
    return found


_ELEMENTS = _read()


def covers(version: Version) -> bool:
    """Return whether the table has a release, so that the release does not know what the table lacks."""
    return OLDEST <= version <= NEWEST and version != BEFORE_VERSION_CALL


def has_root(path: str) -> bool:
    """Return whether the table has elements of a file whose root element is that of ``path``."""
    return path.partition(".")[0] in ROOTS.values()


def releases_of(path: str) -> Releases | None:
    """Return the releases that know an element without an option; None if no release of the table does."""
    return _ELEMENTS.get(path.replace(_APPLICATION, "Application"))


def inside(path: str, version: Version) -> list[str]:
    """Return the names of the elements without an option that a release knows inside of the element ``path``."""
    around = path.replace(_APPLICATION, "Application")
    pairs = [(one.rpartition("."), known) for one, known in _ELEMENTS.items()]
    return [name for (parent, _dot, name), known in pairs if parent == around and known.has(version)]
