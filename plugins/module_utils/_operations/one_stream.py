# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of operations that start or stop jobs of one stream, and sum up in one line what was done."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .base import Operation, Params, Result, check_names
from .job_info import JobInfo
from .jobs import JobList, SingleJob

STARTED = "started"
STOPPED = "stopped"
_STREAM: dict[str, dict[str, t.Any]] = {
    "vhost": {"type": "str", "default": "default"},
    "app": {"type": "str", "default": "app"},
    "stream": {"type": "str", "required": True},
}
_SHARED = ("state", "config_dir", "wait_for", "wait_timeout")
"""Options that have the same name and meaning in the operation that manages the jobs."""


class OneStream(Operation):
    """Starts or stops jobs of one stream."""

    manager: type[SingleJob | JobList]
    """The operation that starts and stops them."""
    reader: type[JobInfo]
    """The operation that reads them."""
    masked_results: tuple[str, ...] = ("diff",)

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        """Return the argument spec of the options that no other of these operations has."""
        raise NotImplementedError

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        specs = cls.manager.options()
        return {**_STREAM, **cls.own_options(), **{option: specs[option] for option in _SHARED}}

    def check(self) -> None:
        check_names(self.params, "vhost", "app")
        if not self.params["stream"].strip():
            raise BadInput("stream", "expected the name of a stream, got an empty text")

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        """Return the keys of a result that say what was done, and the same in words as ``line``.

        :param params: the options; of a task that has failed before their check, as they were specified.
        :param result: of the task so far, with what ``run`` has added for this.
        :param ended: the text of a task that has done nothing.
        """
        raise NotImplementedError

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return cls.summed_up(options, result, check_mode=check_mode)

    @classmethod
    def summed_up(cls, params: Params, result: Params, *, check_mode: bool) -> Result:
        """Return the result with its summary, also if nothing was sent."""
        params = {**{option: spec.get("default", "") for option, spec in _STREAM.items()}, **params}
        reached = result.get("error", {}).get("kind", "bad_input") != "bad_input"
        summary = cls.summary(params, result, "failed" if reached else "not reached")
        stream = "/".join(str(params[option]) for option in _STREAM)
        begin = "Check mode, this would be done: " if check_mode else ""
        line = f"{begin}stream {stream}: {summary['line']}"
        return {**result, **summary, "stream": stream, "line": line}

    def managing(self, options: Params) -> SingleJob | JobList:
        """Return the operation that manages the jobs, with these options beside the shared ones."""
        return self.manager(
            {**self.manager.defaults(), **{option: self.params[option] for option in _SHARED}, **options}
        )

    def current(self, api: Api, context: Context, job_id: str | None = None) -> Result:
        """Return what the reader does of the application, or of one job; nothing where there can be no job.

        The request that starts a job says why.
        """
        asked = {option: self.params[option] for option in ("vhost", "app", "config_dir")}
        try:
            return self.reader({**asked, "id": job_id, "show_secrets": False}).run(api, context)
        except OmeError as error:
            publisher_missing = self.reader.kind.calls.publisher_missing
            if error.kind in ("vhost_not_found", "application_not_found", publisher_missing):
                return {self.reader.result_key: [], "status": []}
            raise
