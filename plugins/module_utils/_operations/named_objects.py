# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of operations on objects that have a name in an application: those that manage one or
many, and those that read.
"""

from __future__ import annotations

import functools
import itertools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.named_objects import NamedObjects
from .._reconcile.named_objects_plan import Key, NamedKind
from .._reconcile.named_objects_writer import Endpoints
from .._reconcile.plan import Outcome
from .._reconcile.predicted import Predicted
from .._resources.concerns import concerns, warnings
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
    check_wait_timeout,
    list_of,
    state_option,
)
from .info import applications_of, virtual_hosts_of
from .results import ManagingOperation, bulk_result, check_purge, refuse_repeated, single_result


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
                raise error.with_detail(
                    f"A {self.kind.what} needs OvenMediaEngine {self.kind.since} or later."
                ) from error
            if error.kind == "provider_missing":
                return []
            raise

    def _applications(self, api: Api, context: Context) -> list[tuple[str, str]]:
        """Return the applications to read, with their virtual hosts."""
        if self.params["app"] is not None:
            return [(self.params["vhost"], self.params["app"])]
        current = applications_of(virtual_hosts_of(self.params["vhost"], api, context), api, context)
        return [(vhost, app) for vhost, apps in current for app in apps]
