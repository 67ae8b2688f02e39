# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of jobs: what an application runs under an ID until it is stopped (server-facts: Push tasks)."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .paths import job_path
from .server import STARTS, STOPS, Server


class JobCalls(t.NamedTuple):
    """The names of the calls for one kind of job, and the error kinds of their failures."""

    what: str  # the kind of job in messages
    list_call: str
    start_call: str
    stop_call: str
    publisher_missing: str
    not_found: str
    duplicate: str


PUSHES = JobCalls(
    "push task", "pushes", "startPush", "stopPush", "push_publisher_missing", "task_not_found", "duplicate_id"
)
RECORDS = JobCalls(
    "recording",
    "records",
    "startRecord",
    "stopRecord",
    "file_publisher_missing",
    "record_not_found",
    "duplicate_record",
)


class JobEndpoints:
    """The endpoints of one kind of job. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server, calls: JobCalls) -> None:
        self._server = server
        self._calls = calls

    def list_all(self, vhost: str, app: str) -> list[dict[str, t.Any]]:
        """Return all jobs of an application in wire form (POST …:pushes, …:records)."""
        try:
            return self._server.list_objects(
                job_path(vhost, app, self._calls.list_call), f"list the {self._calls.what}s of {vhost}/{app}", {}
            )
        except OmeError as error:
            raise self._of_kind(error) from error

    def start(self, vhost: str, app: str, request: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Start a job and return it in wire form (POST …:startPush, …:startRecord).

        The response is a list of one job up to 0.15.10, and the job itself later.
        """
        path = job_path(vhost, app, self._calls.start_call)
        attempt = f"start {self._calls.what} {vhost}/{app}/{request['id']}"
        try:
            answer = self._server.call("POST", path, request, attempt=attempt, idempotence=STARTS)
        except OmeError as error:
            if error.kind == "conflict":  # as documented; real servers return 400 with a message of its own
                raise error.as_kind(self._calls.duplicate) from error
            raise self._of_kind(error) from error
        job = self._server.payload(answer)
        if isinstance(job, list) and len(job) == 1:
            job = job[0]
        if not isinstance(job, dict):
            raise self._server.unexpected_success(answer, attempt, path)
        return job

    def stop(self, vhost: str, app: str, job_id: str) -> bool:
        """Request that a job stops; a push task disappears about a second later (POST …:stopPush, …:stopRecord).

        Return false if the job, its application or its virtual host did not exist.
        """
        attempt = f"stop {self._calls.what} {vhost}/{app}/{job_id}"
        try:
            self._server.call(
                "POST", job_path(vhost, app, self._calls.stop_call), {"id": job_id}, attempt=attempt, idempotence=STOPS
            )
        except OmeError as error:
            named = self._of_kind(error)
            if named.kind in (self._calls.not_found, "application_not_found", "vhost_not_found"):
                return False
            raise named from error
        return True

    def _of_kind(self, error: OmeError) -> OmeError:
        """Return the error with the error kind of this kind of job."""
        kinds = {
            "duplicate_id": self._calls.duplicate,
            "task_not_found": self._calls.not_found,
            "push_publisher_missing": self._calls.publisher_missing,
        }
        return error.as_kind(kinds.get(error.kind, error.kind))
