# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that proves by playing what `provision` defines."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._playback.byte_flows import check_jobs
from .._playback.outputs import PUBLISHERS, Viewers
from .._playback.places import Place, Reach, read_places
from .._playback.playback import Address, Settings
from .._playback.publisher import PROTOCOLS as PROTOCOLS_IN
from .._playback.rows import FAILS, NOT_TRIED, Row, line_of
from .._playback.table import table_of
from .._playback.verification import Verification
from .._resources.jobs import PUSH_TASKS, RECORDS
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.objects import Object
from .._schema.validators import duration, host_name
from .base import TEXT, WAIT_TIMEOUT, Operation, Params, Referenced, Result, check_wait_timeout
from .playback_info import check_authorities, check_origin, check_port
from .provision_parts import PARTS, Part, applications_inside
from .results import ManagingOperation

_LISTS = ("vhosts", "applications", "push_tasks", "records")
_PARTS = tuple(part for part in PARTS if part.name in _LISTS)
_JOBS = (PUSH_TASKS, RECORDS)
PROTOCOLS_OUT = tuple(PUBLISHERS)


def _ports(protocols: t.Iterable[str]) -> dict[str, t.Any]:
    return {"type": "dict", "options": {protocol: {"type": "int"} for protocol in protocols}}


def _protocols(choices: t.Sequence[str]) -> dict[str, t.Any]:
    return {"type": "list", "elements": "str", "choices": list(choices)}


class Verify(Operation):
    """The operation of the module `verify`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        lists = {part.name: Referenced({**part.specs[part.entries], "required": False}) for part in _PARTS}
        address = {"host": {"type": "str", "required": True}}
        return {
            **lists,
            "connect_to": {"type": "dict", "options": address},
            "origin": TEXT,
            "tls": {"type": "bool", "default": False},
            "ports": {
                "type": "dict",
                "options": {"input": _ports(PROTOCOLS_IN), "output": _ports(PROTOCOLS_OUT)},
            },
            "protocols_in": _protocols(PROTOCOLS_IN),
            "protocols_out": _protocols(PROTOCOLS_OUT),
            "sink": {"type": "dict", "options": {**address, "port": {"type": "int"}}},
            "verify_chain": {"type": "bool", "default": True},
            "chain_ca_path": {"type": "path"},
            "play_timeout": {"type": "float", "default": 30.0},
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
        check_wait_timeout(self.params)
        problem = duration(self.params["play_timeout"])
        if problem:
            raise BadInput("play_timeout", f"{problem}, got {self.params['play_timeout']:g}")
        check_authorities(self.params["chain_ca_path"])
        check_origin(self.params["origin"], "origin")
        for option in ("connect_to", "sink"):
            address = self.params[option]
            if address and (host_name(address["host"]) or "*" in address["host"]):
                raise BadInput(f"{option}.host", f"expected a host name or an address, got {address['host']!r}")
        check_port((self.params["sink"] or {}).get("port"), "sink.port")
        for way, ports in (self.params["ports"] or {}).items():
            for protocol, port in (ports or {}).items():
                check_port(port, f"ports.{way}.{protocol}")

    def run(self, api: Api, context: Context) -> Result:
        places, rows = self._places(api, context)
        rows += Verification(api, context, self._reach()).run(places)
        for kind in _JOBS:
            jobs = [kind.declaration.specified(job) for job in self.params[kind.option] or ()]
            rows += check_jobs(kind, jobs, api, context)
        return _result(rows, check_mode=context.check_mode)

    def _reach(self) -> Reach:
        params = self.params
        connect_to, sink = params["connect_to"], params["sink"]
        ports = params["ports"] or {}

        def own(way: str) -> dict[str, int]:
            return {protocol: port for protocol, port in (ports.get(way) or {}).items() if port is not None}

        viewers = Viewers(
            Settings(params["play_timeout"], params["verify_chain"], params["chain_ca_path"]),
            Address(connect_to["host"]) if connect_to else None,
            params["origin"] or "",
            params["tls"],
            own("output"),
            params["protocols_out"],
        )
        address = Address(sink["host"], sink["port"]) if sink else None
        return Reach(viewers, params["protocols_in"], own("input"), address, params["wait_timeout"])

    # From the lists to places

    def _places(self, api: Api, context: Context) -> tuple[list[Place], list[Row]]:
        """Return the places of the lists, and the rows of those that cannot be read."""
        vhosts = {vhost["name"]: VIRTUAL_HOST.specified(vhost) for vhost in self.params["vhosts"] or ()}
        apps = [*applications_inside(self.params), *(self.params["applications"] or ())]
        keys = list(dict.fromkeys((app["vhost"], app["name"]) for app in apps))
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
