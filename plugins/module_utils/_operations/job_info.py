# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that read push tasks and recordings."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.jobs import JobEndpoints
from .._config.stream_maps import entries_of
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.jobs import RunningMaps
from .._resources.jobs import PUSH_TASKS, RECORDS, JobKind, id_of, is_of_configuration
from .base import TEXT, Operation, Result, check_names
from .durable_options import CONFIG_DIR, check_config_dir
from .info import SHOW_SECRETS, scopes_of

# The operations that read jobs: push tasks, and the base of that of recordings.


class JobInfo(Operation):
    """The base of operations that read jobs: push tasks, recordings."""

    kind: JobKind
    result_key: str  # the key of the result that holds the jobs

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.masked_results = (cls.result_key,)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": TEXT, "app": TEXT, "id": TEXT, "show_secrets": SHOW_SECRETS, **CONFIG_DIR}

    def check(self) -> None:
        check_names(self.params, "vhost", "app", "id")
        check_config_dir(self.params)
        if self.params["app"] is not None and self.params["vhost"] is None:
            raise BadInput("vhost", "is required if app is set")
        if self.params["id"] is not None and self.params["app"] is None:
            raise BadInput("app", "is required if id is set, because ids are unique only within an application")

    def run(self, api: Api, context: Context) -> Result:
        jobs, status = [], []
        scopes = scopes_of(self.params, api, context)
        lists = api.map_concurrently([functools.partial(self._list, api, *scope) for scope in scopes])
        read = dict(zip(scopes, lists))
        mapped = self._entries(read, api, context)
        for (vhost, app), found in read.items():
            entries = mapped.get((vhost, app), {})
            names = {id_of(raw): entries.get(id_of(raw), {}).get("id", id_of(raw)) for raw in found}
            for raw in sorted(found, key=lambda one: names[id_of(one)]):
                server_id, name = id_of(raw), names[id_of(raw)]
                if self.params["id"] not in (None, name, server_id):
                    continue
                job = self.kind.from_wire(raw, vhost, app)
                # The map keeps the macros that the server has replaced.
                options = ("id", *self.kind.identity)
                job.update({option: value for option, value in entries.get(server_id, {}).items() if option in options})
                self.kind.declaration.collect_secrets(job, context.secrets)
                jobs.append(job if self.params["show_secrets"] else self.kind.declaration.mask(job))
                own = {"id": name, "server_id": server_id} if server_id in entries else {}
                status.append({**self.kind.status_of(raw, vhost, app), **own})
        return {"changed": False, self.result_key: jobs, "status": status}

    def _entries(
        self, read: t.Mapping[tuple[str, str], t.Sequence[dict[str, t.Any]]], api: Api, context: Context
    ) -> dict[tuple[str, str], dict[str, t.Mapping[str, t.Any]]]:
        """Return the entries of stream maps from which jobs have started, by the ids of the server."""
        scopes = [scope for scope, found in read.items() if any(map(is_of_configuration, found))]
        if not self.params["config_dir"] or not scopes:
            return {}
        maps = RunningMaps(api, context, self.kind, self.params["config_dir"]).read(scopes, with_live=False)
        return {scope: entries_of(self.kind, one.entries or (), read[scope], scope) for scope, one in maps.items()}

    def _list(self, api: Api, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return the jobs of an application; none if it was not asked for by name and cannot run any."""
        try:
            return JobEndpoints(api, self.kind.calls).list_all(vhost, app)
        except OmeError as error:
            lacks_publisher = error.kind == self.kind.calls.publisher_missing and not self.kind.lists_without_publisher
            if lacks_publisher and self.params["app"] is None:
                return []
            raise


class PushTaskInfo(JobInfo):
    """The operation of the module `push_task_info`."""

    kind = PUSH_TASKS
    result_key = "tasks"


# The operation that reads recordings.


class RecordInfo(JobInfo):
    """The operation of the module `record_info`."""

    kind = RECORDS
    result_key = "records"
