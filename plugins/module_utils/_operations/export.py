# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `export`: read everything that the role provision can make, without secrets.

The action plugin of the module turns it into variables and writes the file, because that is on the controller.
"""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .base import NAMES, Operation, Result
from .durable_options import CONFIG_DIR, check_config_dir
from .info import ApplicationInfo, VhostInfo
from .job_info import PushTaskInfo, RecordInfo
from .streams_and_channels import MultiplexChannelInfo, ScheduledChannelInfo, StreamInfo

OBJECTS = "objects"
_EVERYTHING: dict[str, t.Any] = {
    "vhost": None,
    "app": None,
    "id": None,
    "name": None,
    "names": None,
    "show_secrets": False,
    "statistics": False,
    "wait_timeout": 0.0,
}
_READERS: dict[str, tuple[type[Operation], str, frozenset[str]]] = {
    "push_tasks": (PushTaskInfo, "publishers", frozenset()),
    "streams": (StreamInfo, "providers", frozenset(("rtsp_pull", "ovt"))),
    "scheduled_channels": (ScheduledChannelInfo, "providers", frozenset(("schedule",))),
    "multiplex_channels": (MultiplexChannelInfo, "providers", frozenset(("multiplex",))),
    "records": (RecordInfo, "publishers", frozenset(("file",))),
}
"""What reads the objects inside of applications, and which of these providers or publishers an application needs to
have any. Servers that do not know the provider have no call for its objects.
"""


class Export(Operation):
    """The operation of the module `export`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "dest": {"type": "str", "required": True},
            "mode": {"type": "raw"},
            "read_only_vhosts": NAMES,
            **CONFIG_DIR,
        }

    def check(self) -> None:
        check_config_dir(self.params)

    def run(self, api: Api, context: Context) -> Result:
        params = {**self.params, **_EVERYTHING}
        objects = {
            "vhosts": VhostInfo(params).run(api, context),
            "applications": ApplicationInfo(params).run(api, context),
        }
        apps = objects["applications"]["applications"]
        for kind, (reader, option, needed) in _READERS.items():
            found = {name for app in apps for name in app.get(option) or ()}
            if not needed or needed & found:
                objects[kind] = reader(params).run(api, context)
        return {"changed": False, OBJECTS: objects}
