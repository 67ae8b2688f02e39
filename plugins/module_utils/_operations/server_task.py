# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The run of a task of the module `server`: from what is installed to what is desired.

The states of a server that is to be present, in order. What a killed run has left, the next one completes:

1. *read*: nothing has changed.
2. *prepared*: directories and rules of the host are there.
3. *pending* (``pending.json`` of :mod:`server_memory` is there): copies of what runs are kept, and files may differ
   from it. The server still runs with what it was started with.
4. *started*, or *put back* if it did not come up: then files and copies are equal again, and nothing is pending.
5. *provisioned*: the API has made what needs no restart.

If a run is killed in state 3, the next one writes the rest and starts the server. If it is killed while systemd or
docker start the server, the next one finds a server that is newer than its files, or starts it again.
"""

from __future__ import annotations

import datetime
import os
import posixpath
import re
import typing as t

from .._core.context import Context
from .._core.errors import OmeError, Refusal
from .._core.server_version import NEWEST, show
from .._core.texts import listed, named, with_names
from .._host import server_service
from .._host.server_memory import MAPS, File, ServerMemory
from .._host.server_place import ServerPlace
from .._host.server_service import ACTIVE, STARTING, UNTOUCHED, ServerService
from .audit import AuditInfo
from .base import Params, Result
from .provision import Provision
from .server_config import ServerConfig
from .server_files import ServerFiles, StepFailed
from .server_options import missing_variables, options_of, provision_options, removal_options
from .server_start import (
    ABSENT,
    FAILED,
    RAN,
    RESTARTED,
    ROLLED_BACK,
    STARTED,
    UNINSTALLED,
    Address,
    Connect,
    NotStarted,
    Old,
    ServerApi,
    ServerStart,
    summary,
)

# The server that is there before a task of the module `server` changes anything.


class Installed(t.NamedTuple):
    """The server as the task finds it."""

    address: Address
    """Where its API is, with the token that it accepts, as far as that is known."""
    running: bool = False
    answered: bool = False
    """Whether its API has answered, be it with an error."""
    refuses_token: bool = False
    has_other_token: bool = False
    """Whether it accepts the previous token only."""
    version: str = ""
    start_time: str = ""

    @property
    def usable(self) -> bool:
        """Whether its API can be used with the token that is desired."""
        return self.running and not self.has_other_token and not self.refuses_token


def read(params: Params, memory: ServerMemory, service: ServerService, api: ServerApi, new: Address) -> Installed:
    """Return the server that is there; ``new`` is the address of the API as it is to be.

    Raises Refusal if it accepts no token that is known, and may not be restarted in any case.
    """
    url = memory.started.get("url") or new.url
    state = service.state()
    installed = Installed(new._replace(url=url), version=memory.started.get("version", ""))
    if state not in (*ACTIVE, STARTING):
        return installed
    error: OmeError | None = None
    for token in filter(None, (new.token, params["previous_api_token"])):
        address = Address(url, token)
        try:
            version, start_time = api.identity(address)
        except OmeError as failed:
            error = failed
            if failed.kind != "unauthorized":
                break
        else:
            return Installed(
                address,
                running=True,
                answered=True,
                has_other_token=token != new.token,
                version=version or installed.version,
                start_time=start_time,
            )
    # A server that cannot start is active for a moment in each attempt. A proxy of published ports accepts connections
    # for it.
    if state != STARTING and error is not None and error.kind in ("refused", "connection_lost"):
        state = state if service.stays_up() else "ended"
    answered = error is not None and error.status is not None
    refuses = error is not None and error.kind == "unauthorized"
    running = state in ACTIVE or (state == STARTING and answered)
    if running and refuses and params["restart"] != "always":
        option = "previous_api_token" if params["previous_api_token"] else "api_token"
        text = (
            f"The running server does not accept {named(option)}. Set {named('previous_api_token')} to the token that "
            f"the server was started with, or set {named('restart')}: always, which disconnects everybody."
        )
        raise Refusal("ask the running server", text, UNTOUCHED)
    return installed._replace(running=running, answered=answered, refuses_token=refuses)


# Whether a server has to be restarted, and why: what differs between what it was started with and what is there.

_VHOST = re.compile(r"VHost_.+\.xml")
_STATES = {"created": "is new", "changed": "has changed", "removed": "was removed"}


class Plan(t.NamedTuple):
    """What is due."""

    start: bool = False
    """Whether the server does not run, and has to be started."""
    restart: bool = False
    """Whether the running server differs from its files until a restart."""
    reasons: t.Sequence[str] = ()

    @property
    def because(self) -> str:
        """Return the reasons as a text."""
        return ", ".join(self.reasons)


def started_with(started: t.Mapping[str, t.Any], before: t.Iterable[File], start_time: str) -> dict[str, str]:
    """Return the checksums of the files that the running process was started with, by path.

    :param started: what is remembered of the last start. :param before: the files before anything is written. Those
        older than the process are what it was started with, if it has started by itself since.
    :param start_time: of the process, in ISO 8601; empty if it is unknown.
    """
    since = seconds_of(start_time)
    older = {one.path: one.checksum for one in before if since is not None and one.mtime < since}
    return {**(started.get("files") or {}), **older}


def plan(
    started: t.Mapping[str, t.Any],
    current: t.Iterable[File],
    *,
    running: bool,
    start_time: str,
    version: str,
    image: str,
    predicted: t.Mapping[str, str],
) -> Plan:
    """Return what is due.

    A virtual host that is new since the start needs no restart, because the API makes it, and stream maps need none
    either. Files that are older than the process need none, because it was started with them.

    :param started: what the server was started with: ``version``, ``image``, and ``files`` (checksums by path); empty
        if this collection has never started it.
    :param current: the files as they are. :param start_time: of the process, in ISO 8601; empty if it is unknown.
    :param predicted: states of files that check mode would change, by path.
    """
    if not running:
        return Plan(start=True, reasons=["the server does not run"])
    since = seconds_of(start_time)
    files: dict[str, str] = dict(started.get("files") or {})
    now = {one.path: one for one in current}
    states: dict[str, str] = {}
    for path, one in now.items():
        is_older = path.endswith(".xml") and since is not None and one.mtime < since
        if files.get(path) != one.checksum and not is_older:
            states[path] = "changed" if path in files else "created"
    states.update({path: "removed" for path in files if path not in now})
    for path, state in predicted.items():
        # A unit is "changed" also if the running server has none.
        states[path] = "created" if state == "changed" and path not in files else state
    states = {path: state for path, state in states.items() if _needs_restart(path, files)}
    reasons = sorted(f"{posixpath.basename(path)} {_STATES[state]}" for path, state in states.items())
    for key, value in (("version", version), ("image", image)):
        if started.get(key, value) != value:
            reasons.append(f"the {key} is {value} instead of {started[key]}")
    if not started:
        reasons = ["the role has not started the running server"]
    return Plan(restart=bool(reasons), reasons=reasons)


def _needs_restart(path: str, files: t.Mapping[str, str]) -> bool:
    """Return whether a change of this file has an effect only after a restart."""
    name = posixpath.basename(path)
    return name not in MAPS and (path in files or _VHOST.fullmatch(name) is None)


def seconds_of(text: str) -> float | None:
    """Return a time in ISO 8601 as seconds since the epoch; None if it is empty or something else."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
    except ValueError:
        return None


_WHEN_IDLE = (
    "Run the task again when the server is idle, raise $idle_wait or $max_viewers, or set $restart: always, which "
    "disconnects everybody."
)


class ServerTask:
    """Brings one server into the desired state."""

    def __init__(self, params: Params, connect: Connect, new: Address, context: Context) -> None:
        """``new`` is the address of the API as it is to be."""
        self._params, self._new, self._context = params, new, context
        self._place = ServerPlace(params)
        self._memory = ServerMemory(self._place)
        self._service = ServerService(self._place, context)
        self._api = ServerApi(params, connect, context)
        self._files = ServerFiles(params, self._place, self._memory, context)
        self._installed = Installed(new)
        self._plan = Plan()
        self._refusal = ""
        self._found: Result = {}
        self._fetched = False
        self._provisioned: Result = {}

    def run(self) -> Result:
        """Return the result of the task, also if it has failed."""
        failure: Result = {}
        try:
            if self._params["state"] == "present":
                self._present()
            else:
                self._absent()
        except NotStarted as error:
            self._found["action"] = ROLLED_BACK if error.rolled_back else FAILED
            failure = error.as_failure()
        except OmeError as error:
            failure = error.as_failure()
        return self._result(failure)

    # Present

    def _present(self) -> None:
        replaced = self._place.replaced()
        if replaced:
            text = (
                f"{named('unit')}: expected another one, because {', '.join(replaced)} exists, and this collection has "
                "not written it. Choose another name, or move the file away."
            )
            raise Refusal("use the files of the host", text, UNTOUCHED)
        writes = not self._params["earlier"]
        fetch = self._checked() if writes else None
        self._installed = read(self._params, self._memory, self._service, self._api, self._new)
        if writes:
            self._write(fetch)
        self._found["host_warnings"] = [*self._earlier("host_warnings", []), *self._files.warnings, *self._unset()]
        self._make_plan()
        takes_turn = self._plan.start or (self._plan.restart and self._params["restart"] != "never")
        if takes_turn and self._params["start"]:
            self._take_turn()
        elif not takes_turn:
            self._provision()
        self._found["start_due"] = takes_turn and not self._params["start"]
        if self._refusal and not self._context.check_mode:
            raise Refusal("restart the server", self._refusal, with_names(_WHEN_IDLE))

    def _checked(self) -> t.Callable[[], None] | None:
        """Check the configuration, and what is to run; return what fetches that if it is not there."""
        checked = self._config().run(None, Context(check_mode=True, secrets=self._context.secrets))
        if checked.get("failed"):
            raise StepFailed(checked, UNTOUCHED)
        return server_service.prepare(self._place.backend, self._place.runs, self._params["version"], self._context)

    def _write(self, fetch: t.Callable[[], None] | None) -> None:
        """Put everything into place. What is to run comes first: if it cannot be had, nothing changes."""
        if fetch is not None:
            self._fetched = True
            if not self._context.check_mode:
                fetch()
        self._files.write(self._config(), self._service, keeps=self._keep)

    def _unset(self) -> list[str]:
        """Return a warning of environment variables without a value, if there are any."""
        names = missing_variables(self._params, self._files.config.get("environment") or ())
        text = "the configuration uses environment variables that have neither a default nor a value: "
        return [text + listed(names)] if names else []

    def _config(self) -> ServerConfig:
        """Return what writes the configuration."""
        other = self._installed.version if self._installed.version != self._params["version"] else None
        return ServerConfig({**options_of(self._params), "installed_version": other or None})

    def _keep(self) -> None:
        """Keep what runs. Only a server that has answered is known to run with its files."""
        if not self._installed.running:
            return
        if self._memory.started:
            self._note_own_start()
            self._memory.keep()
        elif self._installed.answered and not self._memory.has_copies and self._memory.files():
            self._memory.copy_all()

    def _started_with(self) -> dict[str, str]:
        start_time = self._installed.start_time
        return started_with(self._memory.started, self._memory.files(), start_time)

    def _note_own_start(self) -> None:
        """Remember with which files the server runs, if it has started by itself since. They change now."""
        files = self._started_with()
        if files != self._memory.started.get("files"):
            self._memory.note_running(files)

    def _make_plan(self) -> None:
        """Find out what is due."""
        started = self._memory.started
        predicted: t.Mapping[str, str] = {}
        if self._context.check_mode:
            if started and self._installed.running:
                started = {**started, "files": self._started_with()}
            predicted = self._own_changes({**self._earlier("changed_files", {}), **self._files.states})
        self._plan = plan(
            started,
            [*self._memory.files(), *self._memory.unit_files()],
            running=self._installed.running,
            start_time=self._installed.start_time,
            version=self._params["version"],
            image=self._place.runs,
            predicted=predicted,
        )
        if self._installed.running and not self._plan.restart and not self._context.check_mode:
            self._memory.forget_pending()

    def _own_changes(self, states: t.Mapping[str, str]) -> dict[str, str]:
        """Return those of the changes that are files of the server: configuration, unit and environment variables."""
        own = (self._place.unit_file, self._place.environment_file)
        return {path: state for path, state in states.items() if path in own or path.endswith(".xml")}

    # The turn

    def _take_turn(self) -> None:
        """Start the server, or restart it when it is idle, and complete it."""
        running = self._installed.running
        if running and self._params["restart"] == "if_idle":
            self._refusal = self._refused("restarted")
        if self._refusal:
            self._provision()
            return
        before = self._installed
        self._found["action"] = RESTARTED if running else STARTED
        if self._context.check_mode:
            # There are no files to compare with if a server is taken over, and another version has other options.
            if self._memory.started and before.version in ("", self._params["version"]):
                self._provision()
            return
        live = self._live() if running else []
        ServerStart(self._params, self._memory, self._service, self._api, self._context).run(self._new, self._old())
        self._installed = Installed(self._new, running=True, version=before.version)
        self._provision()
        if before.version not in ("", self._params["version"]):
            self._audit()
        if live:
            self._found["missing_streams"] = self._api.missing_streams(live, self._new)

    def _refused(self, what: str) -> str:
        """Wait until nobody uses the server; return why it may not be stopped, or an empty text."""
        busy = self._api.why_busy(self._installed.address)
        if not busy:
            return ""
        reason = self._plan.because or "state is absent"
        return f"The server was not {what}, because {busy}. It is due because {reason}."

    def _live(self) -> list[str]:
        """Return the live streams. A server that hangs is restarted nevertheless, if the options allow it."""
        try:
            return self._api.live_streams(self._installed.address)
        except OmeError:
            return []

    def _old(self) -> Old:
        """Return the server that runs now."""
        installed = self._installed
        return Old(
            installed.address,
            self._memory.started.get("version", ""),
            installed.refuses_token,
            self._provision_old if installed.usable or not installed.running else None,
        )

    def _provision_old(self) -> None:
        # A server that this collection has never started has other files, and after a rollback it has them again.
        self._run_provision(durable=bool(self._memory.started))

    def _provision(self) -> None:
        """Make what needs no restart: new virtual hosts, jobs of live streams, and what is in no file."""
        if self._installed.usable:
            self._run_provision(durable=True)

    def _run_provision(self, *, durable: bool) -> None:
        options = {**provision_options(self._params), "durable": durable}
        self._provisioned = self._api.perform(Provision(options), self._installed.address)
        if self._provisioned.get("failed"):
            raise StepFailed(self._provisioned)

    def _audit(self) -> None:
        """Compare the server with the options after an upgrade or a downgrade. Findings fail nothing."""
        options = AuditInfo.defaults()
        lists = {name: self._params[name] or [] for name in options if isinstance(self._params.get(name), list)}
        options.update(lists, durable=True, config_dir=self._place.config_dir)
        try:
            found = self._api.perform(AuditInfo({**self._params, **options}), self._new)
        except OmeError:
            return
        if "counts" in found:
            self._found["audit"] = {key: found[key] for key in ("counts", "findings")}

    # Absent

    def _absent(self) -> None:
        """Stop the server, and remove what was written."""
        exists = os.path.exists(self._place.unit_file) and self._place.unit_file not in self._place.of_others()
        if exists:
            self._installed = read(self._params, self._memory, self._service, self._api, self._new)
        if self._installed.running:
            if self._params["restart"] == "never":
                text = f"The server was not stopped, because the option {named('restart')} is never."
                raise Refusal("stop the server", text, f"Set {named('restart')}: if_idle or always.")
            if self._params["restart"] == "if_idle":
                self._refusal = self._refused("stopped")
                if self._refusal and not self._context.check_mode:
                    raise Refusal("stop the server", self._refusal, with_names(_WHEN_IDLE))
        if exists and not self._context.check_mode:
            self._service.stop()
            if self._place.backend == "systemd":
                self._service.start_with_host(enabled=False)
        known = self._params["version"] or self._installed.version or show(NEWEST)
        self._files.remove(ServerConfig(removal_options(self._params, known)))
        if exists and not self._context.check_mode:
            self._service.forget()
        self._found["action"] = UNINSTALLED if exists or self._files.config_changes else ABSENT

    # The result

    def _earlier(self, key: str, default: t.Any) -> t.Any:
        """Return what an earlier task of the same run has found."""
        return (self._params["earlier"] or {}).get(key) or default

    def _result(self, failure: Result) -> Result:
        earlier_files = self._earlier("changed_files", {})
        states = {**earlier_files, **self._files.states}
        config = [path for path in states if path.endswith(".xml")]
        action = self._found.get("action", "")
        due = (self._plan.start or self._plan.restart) and action not in (*RAN, UNINSTALLED, ABSENT)
        upgrade = [one["text"] for one in self._files.config.get("upgrade") or ()]
        found = {
            **self._found,
            "version": self._params["version"] or "",
            "installed_version": self._installed.version,
            "restart_required": due,
            "reasons": list(self._plan.reasons),
            "files": len(config),
            "upgrade": self._earlier("upgrade", []) or upgrade,
            "failed": bool(failure),
        }
        refusal = f"{self._refusal} {with_names(_WHEN_IDLE)}" if self._refusal else ""
        result: Result = {
            **summary(found, refusal=refusal, check_mode=self._context.check_mode),
            "changed": bool(self._files.states)
            or self._fetched
            or self._acted
            or self._provisioned.get("changed", False),
            "changed_files": states,
            "start_due": self._found.get("start_due", False),
        }
        if not self._params["earlier"]:
            result["diff"] = [self._files.diff]
        if self._provisioned:
            shown = {key: value for key, value in self._provisioned.items() if key != "diff"}
            result["provision"] = shown
            if self._provisioned.get("diff"):
                result.setdefault("diff", []).append(self._provisioned["diff"])
        result.update({key: value for key, value in failure.items() if key != "changed"})
        if not failure:
            result.pop("failed")
        return result

    @property
    def _acted(self) -> bool:
        """Whether the process was started or stopped."""
        return self._found.get("action") in (*RAN, ROLLED_BACK, FAILED, UNINSTALLED)
