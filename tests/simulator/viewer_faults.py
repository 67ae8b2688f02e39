# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of what viewers get, for requests that are chosen by virtual host, application, stream, protocol and path.

They are injected as those of the API are, see :mod:`.faults`, and last until they are ended, unless ``times`` says how
many requests they spoil. ``status`` is one of viewers if it has a ``protocol``.

===================  ===================================================================================================
kind                 what happens
===================  ===================================================================================================
frozen_playlist      media playlists stay as they are at the moment of the injection; parts and segments go on
empty_playlist       media playlists have neither segments nor parts
missing_init         404 for initialization sections of LL-HLS
unauthorized_later   401 for all but the multivariant playlist
no_key_frame         parts and segments of video have other frames in place of key frames
not_decodable        parts and segments have bytes without meaning in place of media
slow_part            parts and segments take ``seconds`` of the clock
wrong_virtual_host   the host name reaches another virtual host: ``target``, or the first other one that has an
                     application of the same name
no_cors              no ``Access-Control-`` headers
status               any ``status`` (500), without a body
===================  ===================================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .wildcards import matches

MULTIVARIANT, MEDIA, INIT, PART, SEGMENT, IMAGE, UNKNOWN = (
    "multivariant playlist",
    "media playlist",
    "init",
    "part",
    "segment",
    "image",
    "unknown",
)
"""What a viewer can ask for."""
LLHLS, HLS, THUMBNAIL = "llhls", "hls", "thumbnail"
PROTOCOLS = (LLHLS, HLS, THUMBNAIL)
ANY = "any"
FOR_EVER = -1
STATUS = "status"
_ALL = (MULTIVARIANT, MEDIA, INIT, PART, SEGMENT, IMAGE, UNKNOWN)

_KINDS: dict[str, tuple[str, ...]] = {
    "frozen_playlist": (MEDIA,),
    "empty_playlist": (MEDIA,),
    "missing_init": (INIT,),
    "unauthorized_later": (MEDIA, INIT, PART, SEGMENT),
    "no_key_frame": (PART, SEGMENT),
    "not_decodable": (PART, SEGMENT),
    "slow_part": (PART, SEGMENT),
    "wrong_virtual_host": _ALL,
    "no_cors": _ALL,
    STATUS: _ALL,
}
"""The kinds, and what each of them spoils."""
KINDS = tuple(kind for kind in _KINDS if kind != STATUS)
"""Those that only viewers meet."""


@dataclass(frozen=True)
class Asked:
    """A request of a viewer, as faults choose it.

    :param vhost: the virtual host that the host name reaches.
    :param what: one of the things that a viewer can ask for.
    :param path: as it was sent, without its query.
    """

    protocol: str
    vhost: str
    app: str
    stream: str
    what: str
    method: str
    path: str


class ViewerFault:
    """Spoils the requests of viewers that it chooses.

    :param kind: one of the table above.
    :param protocol: ``llhls``, ``hls``, ``thumbnail`` or ``any``.
    :param vhost: only requests that reach this virtual host by their host name.
    :param app: only requests for this application.
    :param stream: only requests for this output stream.
    :param path: only requests whose path has this in it; ``*`` is any text, ``?`` any character or none.
    :param skip: lets so many of the requests through that it would spoil otherwise.
    :param times: how many it spoils, -1 for all until it is over.
    :param seconds: of the clock, how long ``slow_part`` takes.
    :param status: of ``status``.
    :param target: the virtual host that ``wrong_virtual_host`` leads to.
    """

    at_once = False
    """It waits for requests."""

    def __init__(
        self,
        kind: str,
        *,
        protocol: str = ANY,
        vhost: str | None = None,
        app: str | None = None,
        stream: str | None = None,
        path: str | None = None,
        skip: int = 0,
        times: int = FOR_EVER,
        seconds: float = 0.0,
        status: int = 500,
        target: str | None = None,
    ) -> None:
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join(_KINDS)}")
        if protocol not in (ANY, *PROTOCOLS):
            raise ValueError(f"protocol must be one of {', '.join((ANY, *PROTOCOLS))}")
        if times < FOR_EVER or times == 0 or skip < 0 or not (seconds >= 0 and math.isfinite(seconds)):
            raise ValueError("times must be -1 or more than 0; skip and seconds must not be negative")
        self.id = 0
        """A number that no other fault of the server has; set when it is injected."""
        self.kind = kind
        self.protocol = protocol
        self.vhost = vhost
        self.app = app
        self.stream = stream
        self.path = path
        self.skip = skip
        self.times = times
        self.seconds = seconds
        self.status = status
        self.target = target
        self.since = 0.0
        """The moment of the injection; set by the server."""
        self.met: list[str] = []
        """The requests that it has spoilt: method and path as sent."""
        self._left = times

    @property
    def active(self) -> bool:
        """Return whether it can still meet requests."""
        return self._left != 0

    def over(self) -> None:
        """End it."""
        self._left = 0

    def takes(self, asked: Asked) -> bool:
        """Return whether it spoils a request, which then counts."""
        if not self.active or not self._chooses(asked):
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self._left > 0:
            self._left -= 1
        self.met.append(f"{asked.method} {asked.path}")
        return True

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as JSON can carry it, without what was not given."""
        names = ("id", *OPTIONS, "met", "active")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def _chooses(self, asked: Asked) -> bool:
        return (
            asked.what in _KINDS[self.kind]
            and self.protocol in (ANY, asked.protocol)
            and self.vhost in (None, asked.vhost)
            and self.app in (None, asked.app)
            and self.stream in (None, asked.stream)
            and (self.path is None or matches(asked.path, f"*{self.path}*"))
        )


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "kind": str,
    "protocol": str,
    "vhost": str,
    "app": str,
    "stream": str,
    "path": str,
    "skip": int,
    "times": int,
    "seconds": float,
    "status": int,
    "target": str,
}
"""The options of a fault, and what each is for a control call."""


def is_for_viewers(options: Mapping[str, Any]) -> bool:
    """Return whether options describe a fault of what viewers get."""
    return options.get("kind") in KINDS or options.get("protocol") is not None


def from_json(given: Mapping[str, Any]) -> ViewerFault:
    """Return a fault as a control call describes it; null counts as not specified.

    :raises ValueError: it cannot be.
    """
    unknown = sorted(set(given) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)}")
    options = {name: OPTIONS[name](value) for name, value in given.items() if value is not None}
    return ViewerFault(options.pop("kind", ""), **options)


Chosen = dict[str, ViewerFault]
"""The faults that spoil a request, by kind."""
