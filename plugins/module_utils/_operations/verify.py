# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that proves by playing what `provision` defines."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.client import Api
from .._audit.findings import Audited, audited_by
from .._core.context import Context
from .._core.errors import OmeError
from .._core.secret_store import SecretStore
from .._core.texts import named
from .._playback.byte_flows import check_jobs
from .._playback.places import Place, read_places
from .._playback.rows import FAILS, NOT_TRIED, Row, line_of
from .._playback.table import table_of
from .._playback.verification import Verification
from .._resources.jobs import PUSH_TASKS, RECORDS
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object
from .base import (
    ONLY_VHOSTS,
    WAIT_TIMEOUT,
    Operation,
    Params,
    Referenced,
    Result,
    check_only_vhosts,
    check_wait_timeout,
)
from .playback_info import check_connect_to
from .provision_parts import PARTS, Part, applications_inside
from .results import ManagingOperation
from .viewers import ENCODERS, VIEWERS, check_address, check_viewers, reach_of

_LISTS = ("vhosts", "applications", "push_tasks", "records")
_PARTS = tuple(part for part in PARTS if part.name in _LISTS)
_JOBS = (PUSH_TASKS, RECORDS)


class Verify(Operation):
    """The operation of the module `verify`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        lists = {part.name: Referenced({**part.specs[part.entries], "required": False}) for part in _PARTS}
        return {
            **lists,
            "only_vhosts": ONLY_VHOSTS,
            "viewers": VIEWERS,
            "encoders": ENCODERS,
            "sink": {"type": "dict", "options": {"host": {"type": "str", "required": True}, "port": {"type": "int"}}},
            "wait_timeout": WAIT_TIMEOUT,
        }

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        return {part.name: part.operation.declaration for part in _PARTS}, None

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return {"line": "not reached"}

    @functools.cached_property
    def _lists(self) -> list[tuple[Part, ManagingOperation]]:
        """The lists, each with the operation that would manage its objects."""
        found = []
        for part in _PARTS:
            defaults = {option: spec.get("default") for option, spec in part.specs.items()}
            found.append((part, part.operation({**defaults, part.entries: self.params[part.name] or []})))
        return found

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _part, operation in self._lists:
            operation.collect_secrets(secrets)

    def check(self) -> None:
        for part, operation in self._lists:
            if self.params[part.name]:
                with part.naming(operation):
                    operation.check()
        check_only_vhosts(self.params)
        check_wait_timeout(self.params)
        check_viewers(self.params["viewers"])
        check_address(self.params["encoders"], "encoders")
        check_connect_to(self.params["sink"], "sink")

    def run(self, api: Api, context: Context) -> Result:
        places, rows = self._places(api, context)
        options = [self.params[option] for option in ("viewers", "encoders", "sink", "wait_timeout")]
        rows += Verification(api, context, reach_of(*options)).run(places)
        for kind in _JOBS:
            listed = self.params[kind.option] or ()
            jobs = [kind.declaration.specified(job) for job in listed if self._is_asked(job["vhost"])]
            rows += check_jobs(kind, jobs, api, context)
        for name in self._unlisted():
            context.warn(f"No list has {name} of {named('only_vhosts')}.")
            rows.append(Row(name, "").not_tried("No list has it."))
        return _result(rows, check_mode=context.check_mode)

    # From the lists to places

    @functools.cached_property
    def _is_asked(self) -> Audited:
        """Whether a virtual host is played."""
        return audited_by(self.params["only_vhosts"])

    def _unlisted(self) -> list[str]:
        """Return the names and patterns of `only_vhosts` that no entry of a list has."""
        names = {vhost["name"] for vhost in self.params["vhosts"] or ()}
        names |= {entry["vhost"] for option in _LISTS[1:] for entry in self.params[option] or ()}
        asked = dict.fromkeys(self.params["only_vhosts"])
        return [name for name in asked if name != "*" and not any(map(audited_by([name]), names))]

    def _places(self, api: Api, context: Context) -> tuple[list[Place], list[Row]]:
        """Return the places of the lists, and the rows of those that cannot be read."""
        entries = [vhost for vhost in self.params["vhosts"] or () if self._is_asked(vhost["name"])]
        vhosts = {vhost["name"]: VIRTUAL_HOST.specified(vhost) for vhost in entries}
        apps = [*applications_inside(self.params), *(self.params["applications"] or ())]
        keys = list(dict.fromkeys((app["vhost"], app["name"]) for app in apps if self._is_asked(app["vhost"])))
        places: list[Place] = []
        rows: list[Row] = []
        for vhost, app in keys:
            try:
                places += read_places(api, context, vhost, app, vhosts.get(vhost, {}))
            except OmeError as error:
                rows.append(Row(vhost, app).failed(error, error.kind))
        listed = {vhost for vhost, _app in keys}
        rows += [Row(vhost, "").not_tried("It lists no application.") for vhost in vhosts if vhost not in listed]
        return places, rows


def _result(rows: t.Sequence[Row], *, check_mode: bool) -> Result:
    failed = [row for row in rows if row.verdict == FAILS]
    line = line_of(rows, check_mode=check_mode)
    if check_mode:
        would = "Check mode: it would be tried."
        rows = [
            dataclasses.replace(row, msg=would) if row.verdict == NOT_TRIED and not row.msg else row for row in rows
        ]
    result: Result = {
        "changed": False,
        "rows": [row.as_result() for row in rows],
        "table": table_of(rows),
        "line": line,
    }
    if failed:
        error = t.cast(OmeError, failed[0].error)
        if len(rows) > 1:
            detail = f"{len(failed)} of {len(rows)} rows fail. The first: {error}"
            error = OmeError("verify_failed", "verify that streams play", detail=detail)
        result.update(failed=True, msg=str(error), error=error.as_result())
    return result
