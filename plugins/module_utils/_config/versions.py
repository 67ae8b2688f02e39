# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each release takes in its configuration files, and what an upgrade changes."""

from __future__ import annotations

import difflib
import re
import typing as t

from .._core.errors import OmeError
from .._core.server_version import BEFORE_VERSION_CALL, NEWEST, Version, parse, show
from .._core.texts import listed, named
from .._schema.extra import EXTRA
from .._schema.fields import Field, unsupported
from .._schema.objects import Object, ObjectList
from . import option_xml
from .document import Element

# The versions of Server.xml and Logger.xml that the servers take (server-facts: Configuration files).

TAKEN = {"Server": (8, 9, 10), "Logger": (2,)}
"""The values of the attribute `version` by root element, in all releases from 0.13.0 to 0.21.0 [read]."""
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")


def check_file_version(root: Element) -> None:
    """Raise OmeError if no supported server starts with the version of a file, whose root element is ``root``.

    Other files have no version. A macro can stand for any.
    """
    text = root.get("version", "")
    if root.tag not in TAKEN or "${" in text:
        return
    taken = TAKEN[root.tag]
    number = _NUMBER.match(text)
    if number and int(number[1]) in taken:
        return
    *others, last = map(str, taken)
    got = f"version {text}" if text else "no version"
    raise OmeError(
        "config_version",
        f"use the configuration file {root.file}",
        detail=f"{root.file} has {got} (line {root.line}). The servers that this collection supports refuse it: they "
        f"take {f'{listed(others)} and {last}' if others else last} only. Nothing was written.",
    )


# Which releases know the elements that no option stands for.
#
# The declarations know the releases of options. This table has all other elements that a release from 0.11.0 to 0.21.0
# takes: those of the `Register` calls in the source of each release (`src/projects/config/items`, in 0.21.0
# `src/config/items`). A test compares it with the keys in `tests/wire`.

OLDEST: Version = (0, 11, 0)
"""The first release of the table; the last one is NEWEST."""
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


# Elements of `extra` that a release does not know: the server would not start with them (server-facts:
# Configuration files).

_LIKENESS = 0.7  # of two names, from 0 to 1


class InExtra(t.NamedTuple):
    """An element for a key of `extra`."""

    option: str  # its full path
    path: str  # of the element, from a root of the table on
    declaration: Object | None  # of the object around it; None inside of another element of `extra`

    @property
    def releases(self) -> Releases | None:
        """The releases that know it."""
        return releases_of(self.path)

    def is_known_to(self, version: Version) -> bool:
        """Return whether a release that the table covers knows it."""
        return self.releases is not None and self.releases.has(version)

    def unknown_to(self, version: Version) -> str:
        """Return why the release does not take it, as the end of a sentence whose subject is the release."""
        known = f"; {self.releases} know it" if self.releases else ""
        return f"does not know the element {self.tag} and would not start{known}{self.question(version)}"

    def history(self) -> str:
        """Return which releases know it, as a part of a sentence."""
        if self.releases is None:
            oldest, newest = show(OLDEST), show(NEWEST)
            return f"no release from {oldest} to {newest} knows it, and none starts with it{self.question(NEWEST)}"
        is_in_all = self.releases == (OLDEST, NEWEST)
        return f"{self.releases} know it{'' if is_in_all else ', and no other starts with it'}"

    def question(self, version: Version) -> str:
        """Return a question for the element that was probably meant; empty without a similar one."""
        names = inside(self.path.rpartition(".")[0], version)
        if self.declaration is not None:
            fields = [one for option, one in self.declaration.fields.items() if option != EXTRA]
            names += [
                one.xml.partition("/")[0] for one in fields if one.known_to(version) and not one.xml.startswith("@")
            ]
        by_name = {name.lower(): name for name in names}
        best = difflib.get_close_matches(self.tag.lower(), by_name, n=1, cutoff=_LIKENESS)
        return f"; did you mean {by_name[best[0]]}?" if best else ""

    @property
    def tag(self) -> str:
        """Its name."""
        return self.path.rpartition(".")[2]


def unknown_keys(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> list[str]:
    """Return messages about the elements of `extra` that a release is known not to have, with paths of options.

    ``path`` is the full path of the option that holds ``value`` (option form).
    """
    if not covers(version):
        return []
    return [
        f"{named(one.option)}: OvenMediaEngine {show(version)} {one.unknown_to(version)}"
        for one in _topmost(in_extra(declaration, value, path), version)
    ]


def _topmost(elements: t.Iterable[InExtra], version: Version) -> t.Iterator[InExtra]:
    """Yield the elements that a release does not know, without those inside of them."""
    around = ""
    for one in elements:
        if not one.is_known_to(version) and not (around and one.option.startswith(around)):
            around = f"{one.option}."
            yield one


def in_extra(declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> t.Iterator[InExtra]:
    """Yield the elements of `extra` at every level of ``value`` (option form), each before those inside of it."""
    yield from _of_object(declaration, value, path, ROOTS.get(declaration.option, declaration.option))


def _of_object(declaration: Object, value: t.Mapping[str, t.Any], option: str, around: str) -> t.Iterator[InExtra]:
    for name, item in value.items():
        field = declaration.fields[name]
        here = f"{option}.{name}" if option else name
        inner = f"{around}.{field.xml.replace('/', '.')}"
        if name == EXTRA:
            yield from _of_extra(item, here, around, declaration)
        elif isinstance(field, ObjectList):
            for index, one in enumerate(item):
                yield from _of_object(field.element, one, f"{here}[{index}]", inner)
        elif isinstance(field, Object):
            yield from _of_object(field, item, here, inner)


def _of_extra(value: t.Any, option: str, around: str, declaration: Object | None = None) -> t.Iterator[InExtra]:
    parent = around.rpartition(".")[2]
    for key, item in value.items():
        tag = option_xml.tag_of(parent, key)
        one = InExtra(f"{option}.{key}", f"{around}.{tag}", declaration)
        if item is not None:
            yield one
        member = option_xml.member_of(parent, tag)
        for index, inner in enumerate(item if isinstance(item, (list, tuple)) else [item]):
            if isinstance(inner, dict):
                where = f"{one.option}[{index}]" if inner is not item else one.option
                yield from _of_extra(inner, where, f"{one.path}.{member}" if member else one.path)


# Which options a version of the server knows in its configuration files.
#
# The server refuses to start with an element that it does not know, and it has no check without a start (server-facts:
# What survives a restart). Therefore everything is checked before a file is written. The elements have the same names
# in all versions; only JSON was renamed.


def check(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> None:
    """Raise OmeError ``unsupported_option`` if the version does not know an option of ``value`` (option form).

    ``path`` is the full path of the option that holds ``value``; the error has the full path of each unknown option.
    """
    found = unknown(declaration, value, version, path)
    if found:
        raise refusal(found, version)


def unknown(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> list[str]:
    """Return messages about what the version does not know of ``value`` (option form): options, and keys of `extra`."""
    return declaration.too_new(value, version, path) + unknown_keys(declaration, value, version, path)


def refusal(found: t.Sequence[str], version: Version) -> OmeError:
    """Return the error for what :func:`unknown` found."""
    attempt = f"write the configuration of OvenMediaEngine {show(version)}"
    return OmeError("unsupported_option", attempt, detail=unsupported(found, version))


def known(declaration: Object, version: Version, path: str = "") -> t.Iterator[str]:
    """Yield the full path of each option that the version knows; members of a list have `[]`."""
    for option, field in declaration.fields.items():
        if option != EXTRA and field.known_to(version):
            yield path + option
            inner = field.element if isinstance(field, ObjectList) else field
            if isinstance(inner, Object):
                yield from known(inner, version, f"{path}{option}{'[]' if inner is not field else ''}.")


# What another version of the server does with the same options: unknown and renamed ones, changed defaults.

UNKNOWN, RENAMED, DEFAULT_CHANGED = "unknown_option", "renamed", "default_changed"


class Notice(t.NamedTuple):
    """One thing that a change of version brings."""

    option: str  # its full path
    kind: str
    text: str


class Comparison:
    """Compares two versions of the server."""

    def __init__(self, old: Version, new: Version) -> None:
        """Compare the installed version ``old`` with the version ``new``."""
        self._old, self._new = old, new

    def notices(self, declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> t.Iterator[Notice]:
        """Yield everything that concerns an object (specified form); ``path`` is the full path of its option."""
        if self._old != self._new:
            yield from self._object(declaration, value, path, inside=False)

    def _object(
        self, declaration: Object, value: t.Mapping[str, t.Any], path: str, *, inside: bool
    ) -> t.Iterator[Notice]:
        for option, field in declaration.fields.items():
            here = f"{path}.{option}" if path else option
            if option == EXTRA:
                continue
            if option in value:
                yield from self._specified(declaration, field, value[option], here)
            elif isinstance(field, Object):
                # Its fields have their defaults, unless its presence switches something on.
                if inside and not declaration.presence_keyed:
                    yield from self._object(field, {}, here, inside=True)
            else:
                yield from self._omitted(field, here)

    def _specified(self, declaration: Object, field: Field, value: t.Any, path: str) -> t.Iterator[Notice]:
        if not field.known_to(self._new):
            yield self._unknown(declaration, field, path)
            return
        instead = declaration.fields.get(field.instead or "")
        if not field.known_to(self._old):
            text = f"Version {show(self._old)} does not know it. Remove it before you go back to that version."
            yield Notice(path, UNKNOWN, f"{path}: {text}")
            return
        if instead is not None and instead.known_to(self._new) and not instead.known_to(self._old):
            text = f"Version {show(self._new)} names it {instead.option} and still takes {field.option}."
            yield Notice(path, RENAMED, f"{path}: {text} Use {instead.option}.")
        old, new = field.at(self._old).wire, field.at(self._new).wire
        if old != new:
            text = f"The API of version {show(self._new)} names it {new} in place of {old}."
            yield Notice(path, RENAMED, f"{path}: {text} This collection does the same; change your other clients.")
        if isinstance(field, ObjectList):
            for index, item in enumerate(value):
                yield from self._object(field.element, item, f"{path}[{index}]", inside=True)
        elif isinstance(field, Object):
            yield from self._object(field, value, path, inside=True)

    def _unknown(self, declaration: Object, field: Field, path: str) -> Notice:
        instead = declaration.fields.get(field.instead or "")
        if instead is not None and instead.known_to(self._new):
            text = f"Version {show(self._new)} has {instead.option} in place of it."
            return Notice(path, RENAMED, f"{path}: {text} Use {instead.option}.")
        since = f" It exists since {show(field.since)}." if field.since and field.since > self._new else ""
        until = f" It exists up to {show(field.until)}." if field.until and field.until < self._new else ""
        text = f"Version {show(self._new)} does not know it and would not start.{since}{until} Remove it."
        return Notice(path, UNKNOWN, f"{path}: {text}")

    def _omitted(self, field: Field, path: str) -> t.Iterator[Notice]:
        if not field.default_changed or not field.known_to(self._old) or not field.known_to(self._new):
            return
        old, new = field.at(self._old), field.at(self._new)
        if old.default != new.default:
            text = f"Its default is {_text(new.default)} in version {show(self._new)}, and was {_text(old.default)}."
            yield Notice(path, DEFAULT_CHANGED, f"{path}: {text} Specify it to keep the old value.")


def _text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
