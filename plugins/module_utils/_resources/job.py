# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs: what an application runs under an ID until it is stopped; a push task or a recording."""

from __future__ import annotations

import typing as t

from .._api.jobs import JobCalls
from .._core.errors import BadInput
from .._schema import validators as checks
from .._schema.fields import Field
from .._schema.objects import Object
from .._schema.scalars import String
from .._schema.string_lists import StringSet

COMMON_FIELDS: tuple[Field, ...] = (
    String("vhost", required=True, check=checks.addressable),
    String("app", required=True, check=checks.addressable),
    String("id", required=True, check=checks.addressable),
    Object(
        "stream",
        short="name",
        fields=[
            String("name", check=checks.one_line),
            StringSet("variant_names", "variantNames", check=checks.one_line),
        ],
    ),
)
"""The fields that every kind of job has."""

NO_APPLICATION = ("vhost_not_found", "application_not_found")
"""The errors that say that there is no application."""

WAITING_STATES = ("ready", "stopped", "waiting")
"""The states of a job that waits for its stream; the server has no `waiting`."""
NO_STREAM = "The server has no live stream of this name: check $stream.name, and that its source sends."
NO_OUTPUT = (
    "Its stream is live: check that output_profiles of the application make an output of it, and its destination."
)

# The server writes a time that has not come yet as the epoch, in its host's time zone.
_NOT_YET = ("1970-01-01T", "1969-12-31T")


class Key(t.NamedTuple):
    """The identity of a job: IDs are scoped to one application (server-facts: Push tasks)."""

    vhost: str
    app: str
    id: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.app}/{self.id}"


def key_of(job: t.Mapping[str, t.Any]) -> Key:
    """Return the key of a job (option form)."""
    return Key(job["vhost"], job["app"], job["id"])


def id_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the ID of a job (wire form); empty if the server sent none."""
    return str(raw.get("id", ""))


def is_of_configuration(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the job comes from the server's own configuration (server-facts: Push tasks)."""
    return str(raw.get("isConfig", False)).lower() == "true"


class JobKind:
    """One kind of job: its declaration, calls, rules, and words for messages."""

    declaration: Object
    calls: JobCalls
    noun: str  # the short word for one of them
    verb: str  # what it does if media flows
    running_state: str  # the state in which media flows
    running_spellings: tuple[str, ...]  # all spellings of that state, in lower case
    ending_states: tuple[str, ...]  # the states of one that is being stopped, or that ends for a moment
    configured: str  # the error kind of one that comes from the server's configuration
    publishers: tuple[str, ...] = ()  # one of them must exist; empty if the list of jobs fails without it
    not_running: t.Mapping[str, str]  # why no media flows, by state, except those that wait
    retries_errors: str  # what the server does about the state `error`
    map_publisher: str  # the publisher that can name a stream map
    map_file: str  # the name of the map that this collection writes
    identity: tuple[str, ...]  # what, besides the stream, identifies one that a stream map has started
    destination: str  # the first of these, which says where its media goes
    status_fields: t.Mapping[str, str]  # option name to JSON name; times are ISO 8601
    empty: t.Mapping[str, t.Any] = {}  # options for fields that the server omits if they are empty

    @property
    def what(self) -> str:
        """The kind of job in messages."""
        return self.calls.what

    @property
    def title(self) -> str:
        """The kind of job at the beginning of a message."""
        return self.what.capitalize()

    @property
    def nothing_runs(self) -> tuple[str, ...]:
        """The errors of a list that say that nothing exists that could run such jobs."""
        return (*NO_APPLICATION, *(() if self.publishers else (self.calls.publisher_missing,)))

    def validate(self, job: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
        """Raise BadInput for an invalid job (specified form).

        ``path`` is the full path of its option. ``started`` requires everything that is necessary to start it.
        """
        self.declaration.validate(job, path)
        if started and not job.get("stream", {}).get("name"):
            raise BadInput(
                f"{path}.stream.name" if path else "stream.name",
                f"expected the name of the stream to {self.verb}; it is required if state is started",
            )

    def warnings_for(self, job: t.Mapping[str, t.Any]) -> list[str]:
        """Return warnings for settings that the server accepts although they cannot work."""
        return []

    def own_file(self, job: t.Mapping[str, t.Any]) -> str | None:
        """Return the file that a job (specified form) of an application writes, if no other may write it."""
        return None

    def unaddressable(self, key: Key) -> str:
        """Return the warning about a job on a server that no request may name (server-facts: Virtual hosts)."""
        return (
            f"A {self.what} of {key.vhost}/{key.app} is left unchanged, because a request with its id {key.id!r} "
            "can crash the server."
        )

    def from_wire(self, raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
        """Return a job of wire form in option form.

        Empty fields are included, so that the result is complete input for the module.
        """
        job = self.declaration.from_wire(raw)
        job.update(vhost=vhost, app=app)
        job.setdefault("stream", {}).setdefault("variant_names", [])
        for option, value in self.empty.items():
            job.setdefault(option, value)
        return job

    def start_request(self, job: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the body of a start: the path has virtual host and application."""
        inside = {option: value for option, value in job.items() if option not in ("vhost", "app")}
        return dict(self.declaration.to_wire(inside))

    def merge(self, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the current job with the desired one applied, as the server stores it."""
        return self.declaration.as_stored(self.declaration.merge(desired, current))

    def state_of(self, raw: t.Mapping[str, t.Any]) -> str:
        """Return the state in lower case, with one name for all spellings of the state in which media flows."""
        state = str(raw.get("state", "unknown")).lower()
        return self.running_state if state in self.running_spellings else state

    def is_ending(self, raw: t.Mapping[str, t.Any]) -> bool:
        """Return whether the job ends; its state does not say whether it disappears or waits for its stream again."""
        return self.state_of(raw) in self.ending_states

    def status_of(self, raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
        """Return the status of a job (wire form), without its settings; None for a time that has not come yet."""
        stream = raw.get("stream")
        track_ids = stream.get("trackIds") if isinstance(stream, dict) else None
        return {
            "vhost": vhost,
            "app": app,
            "id": id_of(raw),
            "state": self.state_of(raw),
            "is_config": is_of_configuration(raw),
            "track_ids": track_ids if isinstance(track_ids, list) else [],
            **{
                option: None if str(raw[wire]).startswith(_NOT_YET) else raw[wire]
                for option, wire in self.status_fields.items()
                if wire in raw
            },
        }
