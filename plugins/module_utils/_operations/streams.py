# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that read and manage streams."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import BadInput
from .._reconcile.named_objects_plan import NamedKind
from .._reconcile.streams import PullEndpoints, pulled_streams
from .._resources import stream
from .._resources.descriptions import readable
from .base import FLAG, NAMES, TEXT, Operation, Result, check_names
from .info import SHOW_SECRETS, scopes_of
from .named_objects import ManagedObjects, NamedObject, NamedObjectList


class _PulledStreams(ManagedObjects):
    """Brings pulled streams into the desired state."""

    kind, endpoints = pulled_streams(force=False), PullEndpoints

    @classmethod
    def _change_options(cls) -> dict[str, t.Any]:
        return {**super()._change_options(), "force": FLAG}

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        stream.validate(value, path, pulled=self.params["state"] == "present")

    def kind_of_task(self) -> NamedKind:
        return pulled_streams(force=self.params["force"])


class Stream(_PulledStreams, NamedObject):
    """The operation of the module `stream`."""

    result_key = "stream"


class StreamList(_PulledStreams, NamedObjectList):
    """The operation of the module `streams`."""

    entries = "streams"
    # The streams that the server pulls for viewers, as `origins` of a virtual host say, look the same.
    can_purge = False


class StreamInfo(Operation):
    """The operation of the module `stream_info`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": TEXT, "app": TEXT, "names": NAMES, "statistics": FLAG, "show_secrets": SHOW_SECRETS}

    def check(self) -> None:
        check_names(self.params, "vhost", "app", "names")
        if self.params["app"] is not None and self.params["vhost"] is None:
            raise BadInput("vhost", "is required if app is set")
        if self.params["names"] is not None and self.params["app"] is None:
            raise BadInput("app", "is required if names is set, because names are unique only within an application")

    def run(self, api: Api, context: Context) -> Result:
        calls = Streams(api)
        live = self._live(calls, api, context)
        desired = self.params["names"]
        keys = live if desired is None else [key for key in live if key[2] in desired]
        found = dict(zip(keys, api.map_concurrently([functools.partial(calls.read, *key) for key in keys])))
        keys = [key for key in keys if found[key] is not None]  # A stream can end between the two requests.
        statistics: dict[tuple[str, str, str], t.Any] = {}
        if self.params["statistics"]:
            reads = [functools.partial(calls.read_statistics, *key) for key in keys]
            statistics = dict(zip(keys, api.map_concurrently(reads)))
        streams = []
        for key in keys:
            raw = found[key] or {}
            if not self.params["show_secrets"]:
                context.secrets.add_url(stream.source_of(raw)["source_url"])
            described = stream.describe(raw, *key, show_secrets=self.params["show_secrets"])
            more = {"statistics": readable(statistics[key])} if self.params["statistics"] else {}
            streams.append({**described, **more})
        read = {key[2] for key in keys}
        missing = [name for name in dict.fromkeys(desired or []) if name not in read]
        return {
            "changed": False,
            "streams": streams,
            "missing": [f"{self.params['vhost']}/{self.params['app']}/{name}" for name in missing],
        }

    def _live(self, calls: Streams, api: Api, context: Context) -> list[tuple[str, str, str]]:
        """Return virtual host, application and name of each live stream that a request can address."""
        scopes = scopes_of(self.params, api, context)
        listed = api.map_concurrently([functools.partial(calls.list, *scope) for scope in scopes])
        return [
            (*scope, name)
            for scope, names in zip(scopes, listed)
            for name in addressable_names(names, f"streams of application {'/'.join(scope)}", context)
        ]
