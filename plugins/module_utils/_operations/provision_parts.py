# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a server that one task provisions: their order, their options, and which hold the objects of others."""

from __future__ import annotations

import contextlib
import typing as t

from .._core.errors import BadInput
from .._core.option_names import renaming
from .applications import Applications
from .base import Params
from .channels import MultiplexChannelList, ScheduledChannelList
from .push_tasks import PushTaskList
from .records import RecordList
from .results import ManagingOperation
from .streams import StreamList
from .virtual_hosts import Vhosts


class Part:
    """One kind of objects, with the operation of the module that manages many of them."""

    def __init__(
        self,
        name: str,
        operation: type[ManagingOperation],
        renamed: t.Mapping[str, str] | None = None,
        *,
        holds: str = "",
    ) -> None:
        """``name`` is the option that lists the objects, and the key of the part in results.

        ``renamed`` are the options of the operation that have another name in the task; None for its default.
        ``holds`` is the kind of object in words if it holds those of the parts after it.
        """
        self.name = name
        self.operation = operation
        self.holds = holds
        self.entries = str(operation.entries)
        self.specs = operation.options()
        self.renamed = renamed or {}
        self._names: dict[str, str | None] = {option: option for option in self.specs}
        self._names.update({"state": None, "force": None, "wait_timeout": None, "predicted": None})
        self._names.update({"purge": f"purge_{name}", self.entries: name, **self.renamed})

    def params(self, params: Params) -> dict[str, t.Any]:
        """Return the options of the operation from those of the task."""
        found = {}
        for option, spec in self.specs.items():
            name = self._names[option]
            found[option] = spec.get("default") if name is None else params[name]
        return {**found, self.entries: found[self.entries] or []}

    def renaming(self) -> t.ContextManager[None]:
        """Let messages about options of the operation name the options of the task."""
        return renaming({option: name for option, name in self._names.items() if name and name != option})

    @contextlib.contextmanager
    def naming(self, operation: ManagingOperation) -> t.Iterator[None]:
        """Let errors about options of the operation name the options of the task, and the entry that holds them."""
        with self.renaming():
            try:
                yield
            except BadInput as error:
                raise operation.in_entry(error) from None


PARTS = (
    Part("vhosts", Vhosts, holds="virtual host"),
    Part("applications", Applications, holds="application"),
    Part("streams", StreamList, {"wait_timeout": "stream_wait_timeout"}),
    Part("scheduled_channels", ScheduledChannelList),
    Part("multiplex_channels", MultiplexChannelList),
    Part("push_tasks", PushTaskList, {"wait_for": "push_wait_for", "wait_timeout": "push_wait_timeout"}),
    Part("records", RecordList, {"wait_for": "record_wait_for", "wait_timeout": "record_wait_timeout"}),
)
"""The parts in the order in which they are provisioned.

All of them run. What is inside of a virtual host or an application that could not be made is skipped.
"""

NAMES = tuple(part.name for part in PARTS)
PURGED = tuple(part.name for part in PARTS if "purge" in part.specs)
"""The names of the parts that can be purged."""


def applications_inside(params: Params) -> list[dict[str, t.Any]]:
    """Return the applications that are listed in virtual hosts, each with its virtual host."""
    return [
        {"vhost": vhost["name"], **app} for vhost in params["vhosts"] or () for app in vhost.get("applications") or ()
    ]
