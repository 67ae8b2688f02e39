# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pulled streams: what is special about them in the strategy of named objects.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._api.streams import Streams
from .._core.errors import OmeError
from .._core.secret_urls import mask_url
from .._resources import stream
from .._resources.stream import PROVIDERS, STREAM
from .named_objects_plan import NamedKind


def _details(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    source = stream.source_of(raw)
    return {"source_type": source["source_type"], "source_url": mask_url(source["source_url"])}


def _protected(raw: t.Mapping[str, t.Any]) -> OmeError | None:
    """Return the error for a stream that is not pulled, which says what sends it."""
    if stream.is_pulled(raw):
        return None
    source = _details(raw)
    sender = f"{source['source_type'] or 'a source of unknown type'} {source['source_url']}".strip()
    return OmeError("not_pulled", "", detail=f"The stream is not pulled: it comes from {sender}.")


def _providers(value: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    provider = PROVIDERS.get(stream.scheme_of(value.get("urls") or []))
    return (provider,) if provider else ()


def pulled_streams(*, force: bool) -> NamedKind:
    """Return the kind of pulled streams; ``force`` allows to end streams that are not pulled."""
    return NamedKind(
        "stream",
        STREAM,
        "0.15.10",
        "A recreate ends the stream for its viewers before it is pulled again.",
        from_wire=lambda raw, key: stream.from_wire(raw, key._asdict()),
        to_wire=stream.pull_request,
        settles=3.0,
        providers=_providers,
        transient=("origin_unreachable",),
        lists_all=True,
        details=_details,
        protected=(lambda _raw: None) if force else _protected,
    )


class PullEndpoints(Streams):
    """The endpoints of streams, with the reason of a failed pull, which the server does not report."""

    def __init__(self, api: Api) -> None:
        super().__init__(api)
        self._api = api

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        try:
            super().create(vhost, app, body)
        except OmeError as error:
            if error.kind == "origin_unreachable" and self._lacks_provider(vhost, app, body):
                raise error.as_kind("provider_missing") from error
            raise

    def _lacks_provider(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> bool:
        """Read whether the application has no provider for the URLs of a pull."""
        try:
            providers = (self._api.read_application(vhost, app) or {}).get("providers")
        except OmeError:  # The failed pull is the error to report.
            return False
        return isinstance(providers, dict) and not set(_providers(body)) & set(providers)
