# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `restream`: push one stream to chosen platforms, or stop that."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError, Refusal
from .._core.secret_store import SecretStore
from .._core.texts import shortened
from .._resources.push_task import PUSH_TASK
from .base import TEXT, Operation, Params, Result, check_names, list_of
from .job_info import PushTaskInfo
from .push_tasks import PushTaskList
from .restream_plan import STOPPED, Plan, plan

_PUSH_OPTIONS = PushTaskList.options()
_WAITS = {option: _PUSH_OPTIONS[option] for option in ("state", "config_dir", "wait_for", "wait_timeout")}
_DESTINATION = {option: PUSH_TASK.fields[option].spec() for option in ("url", "protocol", "stream_key")}
_PLATFORM: dict[str, dict[str, t.Any]] = {
    "name": {"type": "str", "required": True},
    **_DESTINATION,
    "variant_names": {"type": "list", "elements": "str"},
    "id": TEXT,
}
_NO_TASKS = ("vhost_not_found", "application_not_found", "push_publisher_missing")
"""Errors after which there is no push task. The request that starts one says them again."""


class Restream(Operation):
    """The operation of the module `restream`."""

    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "vhost": {"type": "str", "default": "default"},
            "app": {"type": "str", "default": "app"},
            "stream": {"type": "str", "required": True},
            "platforms": list_of(_PLATFORM),
            "chosen": {"type": "list", "elements": "str", "required": True},
            "stream_keys": {"type": "dict", "no_log": True},
            "stream_keys_file": {"type": "path", "no_log": False},
            **_WAITS,
        }

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(*map(str, (self.params["stream_keys"] or {}).values()))
        for platform in self.params["platforms"]:
            specified = {option: platform[option] for option in _DESTINATION if platform[option] is not None}
            PUSH_TASK.collect_secrets(specified, secrets)

    def check(self) -> None:
        check_names(self.params, "vhost", "app")
        if not self.params["stream"].strip():
            raise BadInput("stream", "expected the name of a stream, got an empty text")
        for name, key in (self.params["stream_keys"] or {}).items():
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                raise BadInput("stream_keys", f"expected a text for the platform {name}")
        self._pushes(self._plan(()).tasks).check()

    def run(self, api: Api, context: Context) -> Result:
        planned = self._plan(self._current(api, context))
        result = self._pushes(planned.tasks).run(api, context)
        entries = dict(zip(planned.platforms, result["results"]))
        return {**result, **summary(self.params, entries, check_mode=context.check_mode)}

    def _plan(self, current: t.Iterable[Params]) -> Plan:
        """Return the plan. Raises Refusal with all problems that it has."""
        found = plan(self.params, current)
        if found.problems:
            raise Refusal(f"push the stream {self.params['stream']}", shortened(" ".join(found.problems)))
        return found

    def _current(self, api: Api, context: Context) -> list[dict[str, t.Any]]:
        """Return the push tasks of the application."""
        asked = {option: self.params[option] for option in ("vhost", "app", "config_dir")}
        try:
            found = PushTaskInfo({**asked, "id": None, "show_secrets": False}).run(api, context)
        except OmeError as error:
            if error.kind in _NO_TASKS:
                return []
            raise
        tasks: list[dict[str, t.Any]] = found[PushTaskInfo.result_key]
        return tasks

    def _pushes(self, tasks: t.Sequence[Params]) -> PushTaskList:
        """Return the operation that manages push tasks."""
        options = {option: spec.get("default") for option, spec in _PUSH_OPTIONS.items()}
        own = {option: self.params[option] for option in _WAITS}
        return PushTaskList({**options, **own, PushTaskList.entries: tasks})


def summary(params: Params, entries: t.Mapping[str, Params], *, check_mode: bool, ended: str = "") -> Result:
    """Return the part of a result that says what was done, by platform.

    :param params: options, of which only the names of the stream are read.
    :param entries: entries of ``results`` by the names of platforms.
    :param ended: what stands in place of them if there are none.
    """
    actions = {name: entry["action"] for name, entry in entries.items()}
    states = {name: entry.get("state", "") for name, entry in entries.items()}
    texts = [
        f"{name} {action}" + (f" ({states[name]})" if states[name] and action != STOPPED else "")
        for name, action in actions.items()
    ]
    stream = "/".join(str(params[option]) for option in ("vhost", "app", "stream"))
    begin = "Check mode, this would be done: " if check_mode else ""
    return {
        "stream": stream,
        "platforms": actions,
        "states": states,
        "line": f"{begin}stream {stream}: {', '.join(texts) or ended}",
    }
