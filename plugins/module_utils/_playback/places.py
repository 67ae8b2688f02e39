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
from . import outputs
from .addresses import PUBLISH_PORTS, PUBLISH_TLS_PORTS, publish_url
from .outputs import Viewers, images_of, policy_of
from .playback import Address
from .signed_policies import Invalid

TEST_STREAM = "streamops-test-"
"""How the names of the streams begin that are published; eight hexadecimal digits follow."""
PROVIDERS = {"rtmp": "rtmp", "srt": "srt", "whip": "webrtc"}
"""The provider of an application by the protocol of the signal."""
_FOR_PROOF = ("llhls", "webrtc", "hls")
_ANY_PUSH = ("push", "mPEGTSPush", "mpegtsPush")
"""Publishers that push by MPEG-TS."""


@dataclasses.dataclass(frozen=True)
class Place(outputs.Place):
    """An application, as publishers and viewers reach it by one host name.

    :param providers: the API's names of its providers. :param makes_output: whether it has output profiles.
    """

    providers: frozenset[str] = frozenset()
    makes_output: bool = True
    can_push: bool = False


@dataclasses.dataclass(frozen=True)
class Reach:
    """How encoders and viewers reach a server.

    :param connect_to: where encoders connect in place of the host names. :param tls: whether they use TLS.
    :param ports: of the providers by protocol, in place of those of the sample configuration.
    :param protocols: of test signals; None for all that an application has and that can be tried.
    :param sink: the address of this host as the server reaches it; None to receive no push.
    :param wait: seconds for a stream to be listed.
    """

    viewers: Viewers
    connect_to: Address | None = None
    tls: bool = False
    ports: t.Mapping[str, int] = dataclasses.field(default_factory=dict)
    protocols: t.Sequence[str] | None = None
    sink: Address | None = None
    wait: float = 30.0

    def publish_url(self, protocol: str, host: str, app: str, stream: str) -> str:
        """Return where a signal is published."""
        port = self.ports.get(protocol) or (PUBLISH_TLS_PORTS if self.tls else PUBLISH_PORTS)[protocol]
        return publish_url(protocol, host, port, app, stream, tls=self.tls)


def read_places(api: Api, context: Context, vhost: str, app: str, listed: t.Mapping[str, t.Any]) -> list[Place]:
    """Return an application by each host name of its virtual host.

    :param listed: the virtual host in specified form; what it lacks is that of the server.
    :raises OmeError: it is not on the server, or its policy signs nothing.
    """
    attempt = f"verify application {vhost}/{app}"
    raw_vhost, raw_app = api.read_virtual_host(vhost), api.find_application(vhost, app)
    if raw_vhost is None or raw_app is None:
        raise OmeError("vhost_not_found" if raw_vhost is None else "application_not_found", attempt)
    current = VIRTUAL_HOST.from_wire(raw_vhost)
    context.keep_secrets(VIRTUAL_HOST, current)
    application = from_wire(raw_app, vhost)
    context.keep_secrets(APPLICATION, application)
    try:
        policy = policy_of({**current, **listed})
    except Invalid as error:
        detail = f"Nothing can be signed by its signed_policy: {error}"
        raise OmeError("bad_input", attempt, detail=detail) from None
    providers, publishers = (
        frozenset(APPLICATION.fields[part].to_wire(application.get(part, {}))) for part in ("providers", "publishers")
    )
    profiles = (application.get("output_profiles") or {}).get("output_profile") or ()
    names = (listed.get("host") or {}).get("names") or (current.get("host") or {}).get("names") or ()
    can_push = has_any(application, "publishers", _ANY_PUSH)
    images = images_of(profiles)
    return [Place(vhost, app, name, publishers, images, policy, providers, bool(profiles), can_push) for name in names]


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
