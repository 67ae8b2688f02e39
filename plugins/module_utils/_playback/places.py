# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is verified: applications as host names reach them, read from the server, and how the server is reached."""

from __future__ import annotations

import dataclasses
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.application import APPLICATION, from_wire, has_any
from .._resources.virtual_host import VIRTUAL_HOST, covers
from .._schema.validators import is_addressable
from .addresses import PLAY_PORTS, PLAY_TLS_PORTS, PUBLISH_PORTS, PUBLISH_TLS_PORTS, play_url, publish_url
from .playback import Address, Settings
from .signed_policies import Invalid, encode, make_policy
from .signed_urls import POLICY_NAME, SIGNATURE_NAME, Key, make_key, sign

TEST_STREAM = "streamops-test-"
"""How the names of the streams begin that are published; eight hexadecimal digits follow."""
PROVIDERS = {"rtmp": "rtmp", "srt": "srt", "whip": "webrtc"}
"""The provider of an application by the protocol of the signal."""
PUBLISHERS = {
    "llhls": "llhls",
    "hls": "hls",
    "webrtc": "webrtc",
    "webrtc_tcp": "webrtc",
    "thumbnail": "thumbnail",
    "srt": "srt",
}
"""The publisher of an application by the protocol of viewers."""
_FOR_PROOF = ("llhls", "webrtc", "hls")
_ANY_PUSH = ("push", "mPEGTSPush", "mpegtsPush")
"""Publishers that push by MPEG-TS."""


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
        return sign(url, encode(make_policy({"expires_in": "10m"})), self.key).url


@dataclasses.dataclass(frozen=True)
class Place:
    """An application, as it is reached by one host name.

    :param providers: the API's names of its providers. :param publishers: those of its publishers.
    :param images: the codecs of pictures by output; ``{}`` in a name stands for that of the stream.
    :param makes_output: whether it has output profiles.
    """

    vhost: str
    app: str
    host_name: str
    providers: frozenset[str]
    publishers: frozenset[str]
    images: t.Mapping[str, t.Sequence[str]] = dataclasses.field(default_factory=dict)
    makes_output: bool = True
    can_push: bool = False
    policy: Policy | None = None


@dataclasses.dataclass(frozen=True)
class Reach:
    """How the server is reached.

    :param protocols_in: None for all that an application has and that can be tried. :param protocols_out: likewise.
    :param ports_in: ports by protocol, in place of those of the sample configuration.
    :param sink: the address of this host as the server reaches it; None to receive no push.
    :param wait: seconds for a stream to be listed.
    """

    settings: Settings
    connect_to: Address | None = None
    origin: str = ""
    tls: bool = False
    ports_in: t.Mapping[str, int] = dataclasses.field(default_factory=dict)
    ports_out: t.Mapping[str, int] = dataclasses.field(default_factory=dict)
    protocols_in: t.Sequence[str] | None = None
    protocols_out: t.Sequence[str] | None = None
    sink: Address | None = None
    wait: float = 30.0

    def publish_url(self, protocol: str, host: str, app: str, stream: str) -> str:
        """Return where a signal is published."""
        port = self.ports_in.get(protocol) or (PUBLISH_TLS_PORTS if self.tls else PUBLISH_PORTS)[protocol]
        return publish_url(protocol, host, port, app, stream, tls=self.tls)

    def play_url(self, protocol: str, host: str, app: str, stream: str, file: str) -> str:
        """Return where an output is played."""
        port = self.ports_out.get(protocol) or (PLAY_TLS_PORTS if self.tls else PLAY_PORTS)[protocol]
        return play_url(protocol, host, port, app, stream, file, tls=self.tls)


def read_places(api: Api, context: Context, vhost: str, app: str, listed: t.Mapping[str, t.Any]) -> list[Place]:
    """Return an application by each host name of its virtual host.

    :param listed: the virtual host in specified form; what it lacks is that of the server.
    :raises OmeError: it is not on the server.
    """
    attempt = f"verify application {vhost}/{app}"
    raw_vhost, raw_app = api.read_virtual_host(vhost), api.find_application(vhost, app)
    if raw_vhost is None or raw_app is None:
        raise OmeError("vhost_not_found" if raw_vhost is None else "application_not_found", attempt)
    current = VIRTUAL_HOST.from_wire(raw_vhost)
    context.keep_secrets(VIRTUAL_HOST, current)
    application = from_wire(raw_app, vhost)
    context.keep_secrets(APPLICATION, application)
    merged = {**current, **listed}
    policy = _policy(merged.get("signed_policy"), attempt)
    providers, publishers = (
        frozenset(APPLICATION.fields[part].to_wire(application.get(part, {}))) for part in ("providers", "publishers")
    )
    profiles = (application.get("output_profiles") or {}).get("output_profile") or ()
    names = (merged.get("host") or {}).get("names") or (current.get("host") or {}).get("names") or ()
    can_push = has_any(application, "publishers", _ANY_PUSH)
    return [
        Place(vhost, app, name, providers, publishers, _images(profiles), bool(profiles), can_push, policy)
        for name in names
    ]


def read_rivals(api: Api, context: Context, place: Place) -> t.Iterator[Place]:
    """Yield applications of the other virtual hosts that have the host name of a place, too.

    They have no policy and at most one publisher, because they only show who takes the host name.
    """
    for vhost in api.list_virtual_hosts():
        raw = api.read_virtual_host(vhost) if is_addressable(vhost) and vhost != place.vhost else None
        names = (VIRTUAL_HOST.from_wire(raw or {}).get("host") or {}).get("names") or ()
        if not any(covers(name, place.host_name) for name in names):
            continue
        for app in filter(is_addressable, api.list_applications(vhost)):
            found = read_places(api, context, vhost, app, {"host": {"names": [place.host_name]}, "signed_policy": None})
            for one in found:
                publishers = [name for name in _FOR_PROOF if name in one.publishers][:1]
                yield dataclasses.replace(one, publishers=frozenset(publishers), can_push=False)


def _policy(found: t.Any, attempt: str) -> Policy | None:
    """Return a signed policy of option form; None if it protects nothing."""
    enables = (found or {}).get("enables") or {}
    providers, publishers = (
        frozenset(str(name).strip().lower() for name in enables.get(part) or ()) for part in ("providers", "publishers")
    )
    if not providers and not publishers:
        return None
    names = found.get("policy_query_key_name") or POLICY_NAME, found.get("signature_query_key_name") or SIGNATURE_NAME
    try:
        return Policy(make_key(found.get("secret_key"), *names), providers, publishers)
    except Invalid as error:
        raise OmeError("bad_input", attempt, detail=f"Nothing can be signed by its signed_policy: {error}") from None


def _images(profiles: t.Iterable[t.Mapping[str, t.Any]]) -> dict[str, list[str]]:
    """Return the codecs of pictures of each output, by its name with ``{}`` for that of the stream."""
    found: dict[str, list[str]] = {}
    for profile in profiles:
        name = str(profile.get("output_stream_name", "{}")).replace("${OriginStreamName}", "{}")
        encodes = (profile.get("encodes") or {}).get("images") or ()
        found.setdefault(name, []).extend(str(one.get("codec", "jpeg")).lower() for one in encodes)
    return {name: list(dict.fromkeys(codecs)) for name, codecs in found.items()}
