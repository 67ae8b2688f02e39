# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations on objects that have a name in an application: streams and channels."""

from __future__ import annotations

import functools
import itertools
import typing as t

from .._api.client import Api
from .._api.streams import MultiplexChannels, ScheduledChannels, Streams
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.base import CREATED, RECREATED, Outcome, Predicted
from .._reconcile.named_objects import MULTIPLEX, SCHEDULED, NamedObjects, PullEndpoints, pulled_streams
from .._reconcile.named_objects_writer import Endpoints, Key, NamedKind
from .._resources import application, multiplex_channel, scheduled_channel, stream
from .._resources.concerns import concerns, warnings
from .._resources.output_profiles import track_names
from .._resources.stream import readable
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

# The base of operations on objects that have a name in an application: those that manage one or
# many, and those that read.


class ManagedObjects(ManagingOperation):
    """Brings objects of one kind into the desired state."""

    kind: NamedKind
    endpoints: t.Callable[[Api], Endpoints]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "kind"):
            cls.declaration = cls.kind.declaration

    @classmethod
    def _change_options(cls) -> dict[str, t.Any]:
        return {"state": state_option("present", "absent"), "recreate": FLAG, "wait_timeout": WAIT_TIMEOUT}

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        """Raise BadInput for an invalid object (specified form); ``path`` is the full path of its option."""
        self.declaration.validate(value, path)

    def kind_of_task(self) -> NamedKind:
        """Return the kind as the options of the task modify it."""
        return self.kind

    def check(self) -> None:
        for path, value in self.desired:
            self.validate(value, path)
        refuse_repeated(self.desired, lambda value: str(Key.of(value)), "name")
        check_wait_timeout(self.params)

    def reconcile(self, api: Api, context: Context, *, list_first: bool = False, purge: bool = False) -> list[Outcome]:
        """Plan, apply the plan unless in check mode, and return its items."""
        reconciler = NamedObjects(
            api,
            context,
            self.kind_of_task(),
            type(self).endpoints(api),
            recreate=self.params["recreate"],
            wait_timeout=self.params["wait_timeout"],
            list_first=list_first,
        )
        desired = [value for _path, value in self.desired]
        if self.params["state"] == "absent":
            items = reconciler.ensure_absent(desired)
        else:
            found = (
                concerns(self.kind.declaration, one, f"{self.kind.what.capitalize()} {Key.of(one)}") for one in desired
            )
            context.warn(*warnings(itertools.chain.from_iterable(found)))
            predicted = Predicted(self.params.get("predicted"))
            items = reconciler.ensure_present(desired, purge=purge, predicted=predicted)
            # Before the verification, because its reads can meet a broken connection, too.
            self.warn_about(items, api, context)
        return reconciler.verify_after_disconnect(items)

    def warn_about(self, items: t.Sequence[Outcome], api: Api, context: Context) -> None:
        """Warn about objects that were created; by default about none."""


class NamedObject(ManagedObjects):
    """The operation of a module for one object."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**cls.kind.declaration.options(), **cls._change_options()}

    def run(self, api: Api, context: Context) -> Result:
        return single_result(self.reconcile(api, context)[0], self.result_key)


class NamedObjectList(ManagedObjects):
    """The operation of a module for many objects; of those that can be purged, with `purge`."""

    entries: str
    can_purge = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        purge = {"purge": FLAG, "purge_everything": FLAG} if cls.can_purge else {}
        entries = {cls.entries: list_of(cls.kind.declaration.options())}
        return {**entries, **purge, "predicted": PREDICTED, **cls._change_options()}

    def check(self) -> None:
        super().check()
        if self.can_purge:
            check_purge(self.params, self.entries, "absent")

    def run(self, api: Api, context: Context) -> Result:
        items = self.reconcile(api, context, list_first=True, purge=self.can_purge and self.params["purge"])
        return bulk_result(items, f"{self.kind.what}s")


class NamedObjectInfo(Operation):
    """Reads the objects of a kind: of the server, a virtual host, or an application."""

    kind: NamedKind
    endpoints: t.Callable[[Api], Endpoints]
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

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        """Return the status of an object in wire form, without its settings."""
        raise NotImplementedError

    def run(self, api: Api, context: Context) -> Result:
        endpoints = type(self).endpoints(api)
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
            status.append({**key._asdict(), **self.status_of(raw)})
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


# The operations that manage and read scheduled and multiplex channels.


class _Scheduled(ManagedObjects):
    """Brings scheduled channels into the desired state."""

    kind, endpoints = SCHEDULED, ScheduledChannels

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        scheduled_channel.validate(value, path)


class ScheduledChannel(_Scheduled, NamedObject):
    """The operation of the module `scheduled_channel`."""

    result_key = "scheduled_channel"


class ScheduledChannelList(_Scheduled, NamedObjectList):
    """The operation of the module `scheduled_channels`."""

    entries = "scheduled_channels"


class ScheduledChannelInfo(NamedObjectInfo):
    """The operation of the module `scheduled_channel_info`."""

    kind, endpoints = SCHEDULED, ScheduledChannels
    result_key = "scheduled_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return scheduled_channel.status_of(raw)


class _Multiplex(ManagedObjects):
    """Brings multiplex channels into the desired state."""

    kind, endpoints = MULTIPLEX, MultiplexChannels

    def validate(self, value: t.Mapping[str, t.Any], path: str) -> None:
        multiplex_channel.validate(value, path)

    def warn_about(self, items: t.Sequence[Outcome], api: Api, context: Context) -> None:
        """Warn of tracks that no source of a created channel has; the server plays the channel without them."""
        channels = [item.after for item in items if item.action in (CREATED, RECREATED) and item.after is not None]
        places = sorted({place[:2] for value in channels for place in multiplex_channel.sources_of(value) if place})
        reads = [functools.partial(_tracks_of, api, *place) for place in places]
        tracks = dict(zip(places, api.map_concurrently(reads)))
        for value in channels:
            context.warn(*multiplex_channel.warnings_for(value, tracks))


def _tracks_of(api: Api, vhost: str, app: str) -> t.Collection[str] | None:
    """Return the tracks of the output profiles of an application; None if they cannot be read."""
    try:
        raw = api.read_application(vhost, app)
    except OmeError:  # the channel is made, and a warning is no reason to fail
        return None
    return track_names(application.from_wire(raw, vhost)) if raw is not None else None


class MultiplexChannel(_Multiplex, NamedObject):
    """The operation of the module `multiplex_channel`."""

    result_key = "multiplex_channel"


class MultiplexChannelList(_Multiplex, NamedObjectList):
    """The operation of the module `multiplex_channels`."""

    entries = "multiplex_channels"


class MultiplexChannelInfo(NamedObjectInfo):
    """The operation of the module `multiplex_channel_info`."""

    kind, endpoints = MULTIPLEX, MultiplexChannels
    result_key = "multiplex_channels"

    def status_of(self, raw: t.Mapping[str, t.Any]) -> t.Mapping[str, t.Any]:
        return multiplex_channel.status_of(raw)


# The operations that read and manage streams.


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
