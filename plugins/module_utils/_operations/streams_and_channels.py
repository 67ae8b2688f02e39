# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations on streams and channels."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import typing as t

from .._api.client import Api
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.base import CREATED, RECREATED, Outcome, Predicted
from .._reconcile.stream_writer import Endpoints, endpoints_of
from .._reconcile.streams_and_channels import PullEndpoints, StreamsAndChannels
from .._resources import application, stream
from .._resources.concerns import concerns, warnings
from .._resources.kind import Key, Kind, key_of
from .._resources.multiplex_channel import MULTIPLEX_CHANNELS
from .._resources.output_profiles import track_names
from .._resources.scheduled_channel import SCHEDULED_CHANNELS
from .._resources.stream import PULLED_STREAMS, readable
from .base import (
    FLAG,
    NAMES,
    PREDICTED,
    TEXT,
    WAIT_TIMEOUT,
    Operation,
    Result,
    addressable_names,
    check_name,
    check_names,
    check_wait_timeout,
    list_of,
    state_option,
)
from .info import SHOW_SECRETS, applications_of, scopes_of, virtual_hosts_of
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result


class ManagedStreams(ManagingOperation):
    """Brings a pulled stream or channel, or a list of them, into the desired state."""

    endpoints: t.Callable[[Api], Endpoints] | None = None
    """The calls, if they are others than those of the kind."""
    can_purge = True
    can_force = False
    """Whether the option `force` allows to end what a kind protects."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        value, common = cls.kind.declaration.options(), {"state": state_option("present", "absent"), "recreate": FLAG}
        common = {**common, "wait_timeout": WAIT_TIMEOUT, **({"force": FLAG} if cls.can_force else {})}
        if cls.entries is None:
            return {**value, **common}
        purge = {"purge": FLAG, "purge_everything": FLAG} if cls.can_purge else {}
        return {cls.entries: list_of(value), **purge, "predicted": PREDICTED, **common}

    def check(self) -> None:
        for path, value in self.desired:
            self.kind.validate(value, path, complete=self.params["state"] == "present")
        refuse_repeated(self.desired, lambda value: str(key_of(value)), "name")
        check_wait_timeout(self.params)
        if self.entries is not None and self.can_purge:
            check_purge(self.params, self.entries, "absent")

    def run(self, api: Api, context: Context) -> Result:
        if self.entries is None:
            return single_result(self.reconcile(api, context)[0], self.result_key)
        purge = self.can_purge and self.params["purge"]
        return bulk_result(self.reconcile(api, context, purge=purge), f"{self.kind.what}s")

    def reconcile(self, api: Api, context: Context, *, purge: bool = False) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        kind = self.kind
        if self.can_force and self.params["force"]:
            kind = dataclasses.replace(kind, protected=lambda _raw: None)
        reconciler = StreamsAndChannels(
            api,
            context,
            kind,
            type(self).endpoints,
            recreate=self.params["recreate"],
            wait_timeout=self.params["wait_timeout"],
            list_first=self.entries is not None,
        )
        desired = [value for _path, value in self.desired]
        if self.params["state"] == "absent":
            items = reconciler.ensure_absent(desired)
        else:
            found = (concerns(kind.declaration, one, f"{kind.title} {key_of(one)}") for one in desired)
            context.warn(*warnings(itertools.chain.from_iterable(found)))
            predicted = Predicted(self.params.get("predicted"))
            items = reconciler.ensure_present(desired, purge=purge, predicted=predicted)
            # Before the verification, because its reads can meet a broken connection, too.
            self._warn_about_tracks(items, api, context)
        return reconciler.verify_after_disconnect(items)

    def _warn_about_tracks(self, items: t.Sequence[Outcome], api: Api, context: Context) -> None:
        """Warn of tracks that no source of what was created has; the server plays it without them."""
        created = [item.after for item in items if item.action in (CREATED, RECREATED) and item.after is not None]
        places = sorted({source.scope for value in created for source in self.kind.sources(value)})
        reads = [functools.partial(_tracks_of, api, *place) for place in places]
        tracks: dict[tuple[str, ...], t.Any] = dict(zip(places, api.map_concurrently(reads)))
        for value in created:
            context.warn(*self.kind.track_warnings(value, tracks))


def _tracks_of(api: Api, vhost: str, app: str) -> t.Collection[str] | None:
    """Return the tracks of the output profiles of an application; None if they cannot be read."""
    try:
        raw = api.read_application(vhost, app)
    except OmeError:  # the object is made, and a warning is no reason to fail
        return None
    return track_names(application.from_wire(raw, vhost)) if raw is not None else None


class ChannelInfo(Operation):
    """Reads the channels of a kind: of the server, a virtual host, or an application."""

    kind: Kind
    # The key of the result that lists the objects.
    result_key = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.masked_results = (cls.result_key,)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": TEXT, "app": TEXT, "names": NAMES}

    def check(self) -> None:
        for option in ("vhost", "app"):
            if self.params[option] is not None:
                check_name(self.params[option], option)
        for index, name in enumerate(self.params["names"] or []):
            check_name(name, f"names[{index}]")
        if self.params["app"] is not None and self.params["vhost"] is None:
            raise BadInput("vhost", "is required if app is set")

    def run(self, api: Api, context: Context) -> Result:
        endpoints = endpoints_of(self.kind, api)
        names, keys, missing = self.params["names"], [], []
        scopes = self._applications(api, context)
        lists = api.map_concurrently([functools.partial(self._names, endpoints, *scope) for scope in scopes])
        for scope, found in zip(scopes, lists):
            current = addressable_names(found, f"{self.kind.what}s of application {'/'.join(scope)}", context)
            keys += [Key(*scope, name) for name in current if names is None or name in names]
            missing += [str(Key(*scope, name)) for name in dict.fromkeys(names or ()) if name not in current]
        objects, status = [], []
        for key, raw in zip(keys, api.map_concurrently([functools.partial(endpoints.read, *key) for key in keys])):
            if raw is None:  # deleted meanwhile
                missing.append(str(key))
                continue
            value = self.kind.from_wire(raw, key)
            self.kind.declaration.collect_secrets(value, context.secrets)
            objects.append(self.kind.declaration.mask(value))
            status.append({**key._asdict(), **self.kind.status(raw)})
        return {"changed": False, self.result_key: objects, "missing": missing, "status": status}

    def _names(self, endpoints: Endpoints, vhost: str, app: str) -> t.Collection[str]:
        """Read the names of the objects of an application; an application without the provider has none."""
        try:
            return endpoints.list(vhost, app)
        except OmeError as error:
            if error.kind == "controller_not_found":
                raise error.with_detail(self.kind.needed_release) from error
            if error.kind == "provider_missing":
                return []
            raise

    def _applications(self, api: Api, context: Context) -> list[tuple[str, str]]:
        """Return the applications to read, with their virtual hosts."""
        if self.params["app"] is not None:
            return [(self.params["vhost"], self.params["app"])]
        current = applications_of(virtual_hosts_of(self.params["vhost"], api, context), api, context)
        return [(vhost, app) for vhost, apps in current for app in apps]


ScheduledChannel = ManagedStreams.of(kind=SCHEDULED_CHANNELS, result_key="scheduled_channel")
ScheduledChannelList = ManagedStreams.of(kind=SCHEDULED_CHANNELS, entries="scheduled_channels")
ScheduledChannelInfo = ChannelInfo.of(kind=SCHEDULED_CHANNELS, result_key="scheduled_channels")
MultiplexChannel = ManagedStreams.of(kind=MULTIPLEX_CHANNELS, result_key="multiplex_channel")
MultiplexChannelList = ManagedStreams.of(kind=MULTIPLEX_CHANNELS, entries="multiplex_channels")
MultiplexChannelInfo = ChannelInfo.of(kind=MULTIPLEX_CHANNELS, result_key="multiplex_channels")
Stream = ManagedStreams.of(kind=PULLED_STREAMS, endpoints=PullEndpoints, result_key="stream", can_force=True)
# The streams that the server pulls for viewers, as `origins` of a virtual host say, look the same: no purge.
StreamList = ManagedStreams.of(
    kind=PULLED_STREAMS, endpoints=PullEndpoints, entries="streams", can_force=True, can_purge=False
)


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
