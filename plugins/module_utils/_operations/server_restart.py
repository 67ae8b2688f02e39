# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `server_restart`: restart a server that this collection has not installed, if it is due.

Nothing of the host changes but the process. So nothing can be put back: what could keep the server from starting is
looked for before.
"""

from __future__ import annotations

import typing as t

from .._audit.restart_due import Due, read_defined, read_due
from .._core.context import Context
from .._core.errors import BadInput, OmeError, Refusal
from .._core.texts import listed, named, with_names
from .._host.own_files import text_problem
from .._host.server_service import ACTIVE, UNTOUCHED, ContainerService, ServerService
from .._schema.windows import InvalidWindow, Window, daily_window
from .base import FLAG, LONGEST_WAIT, TEXT, Operation, Params, Result, state_option
from .durable_options import check_config_dir
from .server_start import (
    FAILED,
    NONE,
    RAN,
    RESTARTED,
    STARTED,
    Address,
    Connect,
    NotStarted,
    ServerApi,
    first_of,
    log_since_start,
    told,
    why_not_started,
)
from .server_task import seconds_of

IF_IDLE, IDLE_OR_WINDOW, ALWAYS = "if_idle", "idle_or_window", "always"
_UNIT = ".service"
_LOG = "/var/log/ovenmediaengine/ovenmediaengine.log"
_WAITS = ("window_wait", "idle_wait", "start_wait", "stream_wait")
_POLL = 1.0  # seconds between two looks at virtual hosts
_LONGEST_SLEEP = 60.0  # seconds; clocks are corrected, and summer time begins and ends
_ATTEMPT = "restart the server"

_WHEN_IDLE = (
    "Keep new viewers and publishers away from the server, run the task again when it is idle, raise $idle_wait or "
    "$max_viewers, or set $restart: always, which disconnects everybody."
)
_WHEN_OPEN = "Run the task again in the window, raise $window_wait, or change $window."
_KEEP = (
    "Make them durable, so that they are in files of the server. Or set $allow_loss; then provision has to restore "
    "them after the restart."
)


class _Runs(t.NamedTuple):
    """What runs the server, as :class:`ServerService` takes it."""

    backend: str
    unit: str
    unit_file: str = ""
    log_file: str = _LOG


class ServerRestart(Operation):
    """The operation of the module `server_restart`."""

    connects_itself = True
    # Between the stop and the start of a server, nobody may end the module.
    outlives_connection = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "backend": state_option("systemd", "docker", "podman"),
            "unit": {"type": "str", "default": "ovenmediaengine"},
            "config_dir": {"type": "path", "default": "/etc/ovenmediaengine"},
            "force": FLAG,
            "allow_loss": FLAG,
            "restart": state_option(IF_IDLE, IDLE_OR_WINDOW, ALWAYS),
            "window": TEXT,
            "time_zone": TEXT,
            "window_wait": {"type": "int", "default": 0},
            "max_viewers": {"type": "int", "default": 1},
            "idle_wait": {"type": "int", "default": 300},
            "start_wait": {"type": "int", "default": 60},
            "stream_wait": {"type": "int", "default": 60},
        }

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return summary({"failed": True}, check_mode=check_mode)

    def check(self) -> None:
        expected = text_problem("unit", self.params["unit"])
        if expected:
            raise BadInput("unit", f"expected {expected}, got {self.params['unit']!r}")
        for option in _WAITS:
            if not 0 <= self.params[option] <= LONGEST_WAIT:
                raise BadInput(option, f"expected seconds, from 0 to {LONGEST_WAIT}, got {self.params[option]}")
        if self.params["max_viewers"] < 0:
            raise BadInput("max_viewers", f"expected a whole number, 0 or more, got {self.params['max_viewers']}")
        check_config_dir(self.params)
        self._window()
        if self.params["restart"] == IDLE_OR_WINDOW and not self.params["window"]:
            raise BadInput("window", f"is required if {named('restart')} is {IDLE_OR_WINDOW}")

    def _window(self) -> Window | None:
        """Return the window; None if the server may be restarted at any time. Raises BadInput."""
        if not self.params["window"]:
            return None
        try:
            return daily_window(self.params["window"], self.params["time_zone"] or None)
        except InvalidWindow as error:
            option = "time_zone" if error.option == "time_zone" else "window"
            raise BadInput(option, f"{error.expected}, got {self.params[option]!r}") from None

    def run(self, api: t.Any, context: Context) -> Result:
        """Do the work. ``api`` is what makes clients, because a server that starts refuses connections."""
        connect: Connect = api
        return _Restart(self.params, connect, self._window(), context).run()


class _Restart:
    """One restart, and what was found before and after it."""

    def __init__(self, params: Params, connect: Connect, window: Window | None, context: Context) -> None:
        self._params, self._window, self._context = params, window, context
        self._address = Address(params["api_url"], params["api_token"])
        self._api = ServerApi(params, connect, context)
        backend, unit = params["backend"], params["unit"]
        unit = unit[: -len(_UNIT)] if backend == "systemd" and unit.endswith(_UNIT) else unit
        service = ServerService if backend == "systemd" else ContainerService
        self._service: ServerService = service(_Runs(backend, unit), context)
        self._unit = unit
        self._due = Due()
        self._found: Result = {}

    def run(self) -> Result:
        """Return the result of the task, also if it has failed."""
        failure: Result = {}
        try:
            self._run()
        except OmeError as error:
            failure = error.as_failure()
        result = summary({**self._found, "failed": bool(failure)}, check_mode=self._context.check_mode)
        result["changed"] = result["action"] != NONE
        result.update({key: value for key, value in failure.items() if key != "changed"})
        if not failure:
            result.pop("failed")
        return result

    def _run(self) -> None:
        running = self._read()
        reasons = list(self._due.reasons)
        if not reasons and self._params["force"]:
            reasons = [f"{named('force')} is true"]
        self._found.update(
            reasons=reasons, lost=[_place(*one.split("/", 1)) for one in self._due.lost], restart_required=bool(reasons)
        )
        if not reasons:
            return
        if not self._service.exists():
            what = {"systemd": "unit"}.get(self._params["backend"], "container")
            text = (
                f"{named('unit')}: {self._params['backend']} has no {what} {self._unit}. Name the one that runs the "
                f"server, or correct {named('backend')}."
            )
            raise Refusal(_ATTEMPT, text, UNTOUCHED)
        if self._due.lost and not self._params["allow_loss"]:
            text = f"A restart would lose what is in no file: {listed(self._due.lost)}. {with_names(_KEEP)}"
            raise Refusal(_ATTEMPT, text, UNTOUCHED)
        refusal = self._refused(reasons) if running else ""
        if refusal:
            self._found["refusal"] = refusal
            if not self._context.check_mode:
                raise Refusal(_ATTEMPT, refusal, UNTOUCHED)
            return
        self._found["action"] = RESTARTED if running else STARTED
        if not self._context.check_mode:
            self._restart(running)

    # Before

    def _read(self) -> bool:
        """Read what is due, and return whether the server runs. Raises OmeError if that is not known."""
        try:
            version, start_time = self._api.identity(self._address)
        except OmeError as error:
            # A server that does not run is started. One that hangs is restarted only if the options allow it.
            if not error.unanswered or not self._may_be_restarted(error):
                raise
            running = self._service.state() in ACTIVE
            reason = "its API does not respond" if running else "the server does not run"
            self._due = Due([reason], vhosts=read_defined(self._params["config_dir"], self._context))
            return running
        self._found.update(previous_version=version, previous_start_time=start_time)
        with self._api.client(self._address) as api:
            self._due = read_due(api, self._context, self._params["config_dir"], seconds_of(start_time))
        return True

    def _may_be_restarted(self, error: OmeError) -> bool:
        """Return whether a server whose API does not respond may be restarted. Raises ``error`` if nobody knows."""
        try:
            return self._params["restart"] == ALWAYS or self._service.state() not in ACTIVE
        except OmeError:
            raise error from None

    def _refused(self, reasons: t.Sequence[str]) -> str:
        """Wait until the server may be restarted; return why it may not, or an empty text."""
        due = f"It is due because {first_of(reasons)}."
        policy, window = self._params["restart"], self._window
        if window is not None and policy != IDLE_OR_WINDOW:
            self._await(window)
            if not window.includes(self._context.now()):
                return f"The server was not restarted, because {self._closed(window)}. {due} {with_names(_WHEN_OPEN)}"
        if policy == ALWAYS or (policy == IDLE_OR_WINDOW and window and window.includes(self._context.now())):
            return ""
        busy = self._api.why_busy(self._address)
        if busy:
            self._found["busy"] = busy
            return f"The server was not restarted, because {busy}. {due} {with_names(_WHEN_IDLE)}"
        if window is not None and policy == IF_IDLE and not window.includes(self._context.now()):
            late = f"it was idle too late: {self._closed(window)}"
            return f"The server was not restarted, because {late}. {due} {with_names(_WHEN_OPEN)}"
        return ""

    def _await(self, window: Window) -> None:
        """Wait until the window opens, if it does so in time. Check mode looks once."""
        end = self._context.clock() + (0 if self._context.check_mode else self._params["window_wait"])
        while (opens_in := window.opens_in(self._context.now())) and self._context.clock() + opens_in <= end:
            self._context.sleep(min(opens_in, _LONGEST_SLEEP))

    def _closed(self, window: Window) -> str:
        return f"it is {window.clock(self._context.now())}, and {named('window')} is {self._params['window']}"

    # The restart, and the proof

    def _restart(self, running: bool) -> None:
        live = self._live() if running else []
        self._found["action"] = FAILED
        self._start()
        self._found["action"] = RESTARTED if running else STARTED
        self._found["restart_required"] = False
        missing = self._missing_vhosts()
        if missing:
            detail = f"The server has restarted without virtual hosts of its files: {listed(missing)}."
            remedy = f"Read the server's log, and check that it starts from {self._params['config_dir']}."
            raise OmeError("lost", _ATTEMPT, detail=detail, remedy=remedy)
        if live and self._params["stream_wait"]:
            gone = self._api.missing_streams(live, self._address)
            self._found["missing_streams"] = gone
            if gone:
                detail = f"The server has restarted, and streams are not live again: {listed(gone)}."
                remedy = with_names("Check their encoders and origins. To expect none, set $stream_wait to 0.")
                raise OmeError("lost", _ATTEMPT, detail=detail, remedy=remedy)

    def _live(self) -> list[str]:
        """Return the live streams. A server that hangs is restarted nevertheless, if the options allow it."""
        try:
            return self._api.live_streams(self._address)
        except OmeError:
            return []

    def _start(self) -> None:
        """Restart the process, and wait for its API. Raises NotStarted."""
        mark = self._service.mark()
        try:
            self._service.restart()
            self._api.prove(self._address, "")
            version, start_time = self._api.identity(self._address)
        except OmeError as error:
            logs = self._service.logs(mark)
            reason = why_not_started(error, self._service, logs[0], self._params["start_wait"])
            log = log_since_start(told(logs, self._context.secrets.scrub))
            text = f"The server did not come up. {reason} Manual intervention is required. {log}"
            raise NotStarted(text, rolled_back=False) from None
        self._found.update(version=version, start_time=start_time)
        if start_time and start_time == self._found.get("previous_start_time"):
            text = (
                f"{self._unit} was restarted, and the server at {self._address.url} was not: it is up since "
                f"{start_time}. Correct {named('unit')}, {named('backend')} or {named('api_url')}."
            )
            raise NotStarted(text, rolled_back=False)

    def _missing_vhosts(self) -> list[str]:
        """Wait for the virtual hosts of the files; return those that are missing."""
        end = self._context.clock() + self._params["start_wait"]
        while True:
            with self._api.client(self._address) as api:
                names = set(api.list_virtual_hosts())
            missing = [name for name in self._due.vhosts if name not in names]
            if not missing or self._context.clock() >= end:
                return missing
            self._context.sleep(_POLL)


def _place(vhost: str, app: str | None = None) -> Result:
    return {"vhost": vhost, "app": app}


def summary(found: Params, *, check_mode: bool = False) -> Result:
    """Return the result with all of its keys, and ``line``. :param found: those that are known, each by its name."""
    result: Result = {
        "action": NONE,
        "restart_required": False,
        "reasons": [],
        "lost": [],
        "busy": "",
        "refusal": "",
        "previous_version": "",
        "previous_start_time": "",
        "version": "",
        "start_time": "",
        "missing_streams": [],
        "failed": False,
        **found,
    }
    begin = "Check mode, this would be done: " if check_mode else ""
    return {**result, "line": f"{begin}{_text(result)}"}


def _text(found: Params) -> str:
    reasons = first_of(found["reasons"])
    if found["action"] in RAN:
        parts = [f"{found['action']} ({reasons})"]
        if found["start_time"]:
            since = f"up since {found['start_time']}"
            before = found["previous_start_time"]
            parts.append(f"{since} (previously {before})" if before else since)
        if found["previous_version"] not in ("", found["version"]) and found["version"]:
            parts.append(f"version {found['version']} (previously {found['previous_version']})")
        if found["missing_streams"]:
            parts.append(f"streams that are missing: {first_of(found['missing_streams'])}")
    elif found["action"] == FAILED:
        parts = ["restart"]
    elif found["refusal"]:
        parts = [found["refusal"].rstrip(".")]
    elif found["restart_required"]:
        parts = [f"a restart is due ({reasons})"]
    else:
        parts = [] if found["failed"] else ["no restart needed"]
    text = "; ".join([*parts, *(["failed"] if found["failed"] else [])])
    return f"server: {text}"
