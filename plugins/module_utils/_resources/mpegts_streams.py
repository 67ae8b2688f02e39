# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Streams of the MPEG-TS provider of an application, which a server returns in another form than it takes."""

from __future__ import annotations

import re
import typing as t

from .._schema.extra import Extra
from .ports import numbers

_STREAMS = "streams"
_PORT_MACRO = "${Port}"
_RESERVED_PORT = re.compile(r"[0-9]+/[a-z]+")


def without_ports(extra: t.Any) -> str | None:
    """Judge the option `extra` of an application that a server returned, as the rules of `concerns` do.

    A server returns streams in another form once it has reserved their ports, so that some cannot be told from those
    that it was sent.
    """
    streams = extra.get(_STREAMS) if isinstance(extra, dict) else None
    for stream in streams if isinstance(streams, list) else ():
        if isinstance(stream, dict) and (
            _PORT_MACRO in str(stream.get("name")) or not _RESERVED_PORT.fullmatch(str(stream.get("port")))
        ):
            return (
                "takes nothing, because a port of its streams is not under <Bind> in Server.xml, or another "
                "application has it. Correct the port, or Server.xml, and create the application again."
            )
    return None


class _Stream(t.NamedTuple):
    name: str
    port: int | None  # None if the server chooses one


class MpegtsExtra(Extra):
    """The option `extra` of the MPEG-TS provider.

    A server that listens on the ports of `streams` returns one stream for each port, in the order of the ports, with
    the port in the place of ``${Port}`` and with the type of the socket that it has: ``stream_${Port}`` with the ports
    ``4000-4001`` is returned as ``stream_4000`` with ``4000/udp`` and ``stream_4001`` with ``4001/udp``. Other servers
    return what they were sent (server-facts: Applications).
    """

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        listed, found = self._streams(desired), self._streams(current)
        if listed is None or found is None:
            return super().equal(desired, current)
        return _are_same(listed, found) and super().equal(_without_streams(desired), _without_streams(current))

    def _streams(self, value: t.Any) -> list[_Stream] | None:
        """Return a stream for each port; None if the value has none, or some whose ports are not known."""
        entries = self.normalize(value.get(_STREAMS)) if isinstance(value, dict) else None
        if not isinstance(entries, list):
            return None
        found = []
        for entry in entries:
            if not isinstance(entry, dict) or entry.keys() - {"name", "port"}:
                return None
            name, port = str(entry.get("name")), entry.get("port")
            ports = [None] if port is None else sorted(numbers(str(port).partition("/")[0].strip()) or ())
            if not ports:
                return None
            found += [_Stream(self._named(name, number), number) for number in ports]
        return found

    def _named(self, name: str, port: int | None) -> str:
        return name if port is None else str(self.normalize(name.replace(_PORT_MACRO, str(port))))


def _without_streams(value: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    return {key: item for key, item in value.items() if key != _STREAMS}


def _are_same(listed: t.Iterable[_Stream], found: t.Iterable[_Stream]) -> bool:
    """Return whether each listed stream is found, and no other; those that take any port come last."""
    left = list(found)
    for stream in sorted(listed, key=lambda one: one.port is None):
        match = next((one for one in left if _fits(stream, one)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _fits(listed: _Stream, found: _Stream) -> bool:
    if listed.port is not None:
        return listed == found
    name = re.escape(listed.name).replace(re.escape(_PORT_MACRO), rf"(?:[0-9]+|{re.escape(_PORT_MACRO)})")
    return re.fullmatch(name, found.name) is not None
