# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `restream`: push one stream to chosen platforms, or stop that."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, Refusal
from .._core.secret_store import SecretStore
from .._core.texts import shortened
from .._resources.push_task import PUSH_TASK
from .base import TEXT, Params, Result, list_of
from .job_info import PushTaskInfo
from .one_stream import STOPPED, OneStream
from .push_tasks import PushTaskList
from .restream_plan import Plan, plan

_DESTINATION = {option: PUSH_TASK.fields[option].spec() for option in ("url", "protocol", "stream_key")}
_PLATFORM: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    **_DESTINATION,
    "variant_names": {"type": "list", "elements": "str"},
    "id": TEXT,
}
_PLATFORMS = "platforms"


class Restream(OneStream):
    """The operation of the module `restream`."""

    manager = PushTaskList
    reader = PushTaskInfo

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        return {
            _PLATFORMS: list_of(_PLATFORM),
            "chosen": {"type": "list", "elements": "str", "required": True},
            "stream_keys": {"type": "dict", "no_log": True},
            "stream_keys_file": {"type": "path", "no_log": False},
        }

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(*map(str, (self.params["stream_keys"] or {}).values()))
        for platform in self.params[_PLATFORMS]:
            specified = {option: platform[option] for option in _DESTINATION if platform[option] is not None}
            PUSH_TASK.collect_secrets(specified, secrets)

    def check(self) -> None:
        super().check()
        for name, key in (self.params["stream_keys"] or {}).items():
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                raise BadInput("stream_keys", f"expected a text for the platform {name}")
        self.managing({PushTaskList.entries: self._plan(()).tasks}).check()

    def run(self, api: Api, context: Context) -> Result:
        planned = self._plan(self.current(api, context)[PushTaskInfo.result_key])
        result = self.managing({PushTaskList.entries: planned.tasks}).run(api, context)
        result[_PLATFORMS] = planned.platforms
        return self.summed_up(self.params, result, check_mode=context.check_mode)

    def _plan(self, current: t.Iterable[Params]) -> Plan:
        """Return the plan. Raises Refusal with all problems that it has."""
        found = plan(self.params, current)
        if found.problems:
            raise Refusal(f"push the stream {self.params['stream']}", shortened(" ".join(found.problems)))
        return found

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        entries = dict(zip(result.get(_PLATFORMS, ()), result.get("results", ())))
        actions = {name: entry["action"] for name, entry in entries.items()}
        states = {name: entry.get("state", "") for name, entry in entries.items()}
        texts = [
            f"{name} {action}" + (f" ({states[name]})" if states[name] and action != STOPPED else "")
            for name, action in actions.items()
        ]
        return {_PLATFORMS: actions, "states": states, "line": ", ".join(texts) or ended}
