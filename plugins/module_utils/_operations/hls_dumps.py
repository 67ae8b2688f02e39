# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage and read HLS dumps."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.hls_dumps import HlsDumps
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.hls_dumps import HlsDumpReconciler
from .._reconcile.plan import Request
from .._resources import hls_dump
from .._resources.hls_dump import HLS_DUMP
from .._resources.stream import outputs_of
from .base import TEXT, Operation, Result, addressable_names, check_names, state_option
from .info import SHOW_SECRETS
from .results import ManagingOperation, single_result

_REQUIRED = {"type": "str", "required": True}


class HlsDump(ManagingOperation):
    """The operation of the module `hls_dump`."""

    declaration = HLS_DUMP
    result_key = "hls_dump"

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**HLS_DUMP.options(), "state": state_option("started", "stopped")}

    def check(self) -> None:
        hls_dump.validate(self.desired[0][1], started=self.params["state"] == "started")

    def run(self, api: Api, context: Context) -> Result:
        reconciler = HlsDumpReconciler(api, context)
        request = Request([self.desired[0][1]], absent=self.params["state"] == "stopped")
        return single_result(reconciler.verify_after_disconnect(reconciler.reconcile(request))[0], self.result_key)


class HlsDumpInfo(Operation):
    """The operation of the module `hls_dump_info`."""

    masked_results = ("hls_dumps",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": _REQUIRED, "app": _REQUIRED, "stream": TEXT, "id": TEXT, "show_secrets": SHOW_SECRETS}

    def check(self) -> None:
        check_names(self.params, "vhost", "app", "stream", "id")
        if self.params["id"] is not None and self.params["stream"] is None:
            raise BadInput("stream", "is required if id is set, because ids are unique only within a stream")

    def run(self, api: Api, context: Context) -> Result:
        dumps, status = [], []
        outputs = self._outputs(api, context)
        reads = [functools.partial(self._list, HlsDumps(api), *output) for output in outputs]
        for (vhost, app, stream, output), found in zip(outputs, api.map_concurrently(reads)):
            for raw in sorted(found, key=lambda one: str(one.get("id"))):
                key = hls_dump.Key(vhost, app, stream, output, str(raw.get("id", "")))
                if self.params["id"] not in (None, key.id):
                    continue
                dump = hls_dump.from_wire(raw, key)
                HLS_DUMP.collect_secrets(dump, context.secrets)
                dumps.append(dump if self.params["show_secrets"] else HLS_DUMP.mask(dump))
                status.append({**key.label, "output_stream_name": output, "enabled": hls_dump.is_running(raw)})
        return {"changed": False, "hls_dumps": dumps, "status": status}

    @staticmethod
    def _list(calls: HlsDumps, vhost: str, app: str, stream: str, output: str) -> t.Sequence[dict[str, t.Any]]:
        """Read the dumps of an output stream; there are none if it has ended, or has no LL-HLS."""
        try:
            return calls.list(vhost, app, stream, output)
        except OmeError as error:
            if error.kind in ("stream_not_found", "output_stream_not_found", "llhls_publisher_missing"):
                return []
            raise

    def _outputs(self, api: Api, context: Context) -> list[tuple[str, str, str, str]]:
        """Return virtual host, application, stream and name of each output stream to read."""
        vhost, app, stream = self.params["vhost"], self.params["app"], self.params["stream"]
        calls = Streams(api)
        names = [stream]
        if stream is None:
            names = addressable_names(calls.list(vhost, app), f"streams of application {vhost}/{app}", context)
        found = api.map_concurrently([functools.partial(calls.read, vhost, app, name) for name in names])
        if stream is not None and found[0] is None:
            raise OmeError("stream_not_found", f"list the HLS dumps of stream {vhost}/{app}/{stream}")
        outputs = []
        for name, raw in zip(names, found):
            outputs += [(vhost, app, name, output) for output in outputs_of(raw or {})]
        return outputs
