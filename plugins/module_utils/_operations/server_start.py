# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The start of a server, and what it says of itself through its API: its version, who uses it, and whether it is up."""

from __future__ import annotations

import posixpath
import re
import typing as t

from .._api.client import Api
from .._api.server import Statistics
from .._core.context import Context
from .._core.errors import OmeError, Refusal
from .._core.texts import shortened
from .._host.server_memory import Copies, ServerMemory
from .._host.server_service import Mark, ServerService, StartFailed
from .._resources import stream
from .base import Operation, Params, Result
from .streams_and_channels import StreamInfo

# What a server says of itself through its API: its version, who uses it, and whether it is up.

VIEWERS = ("webrtc", "llhls", "hlsv3", "srt", "ovt")
"""The connections that count as viewers."""
_POLL = 0.5  # seconds between two requests while a server starts
_IDLE_POLL = 5.0  # seconds between two looks at who uses a server
_LONGEST_TRY = 5.0  # seconds for one request while a server starts
_LONGEST_SAID = 300  # characters


class Connect(t.Protocol):
    """Makes a client of the API at an address, with other values of connection options."""

    def __call__(self, **options: t.Any) -> t.ContextManager[Api]:
        """Return the client, which is closed at the end. Raises BadInput if an option cannot work."""


class Address(t.NamedTuple):
    """Where the API of a server is."""

    url: str
    token: str


class ServerApi:
    """The API of the server of a task."""

    def __init__(self, params: Params, connect: Connect, context: Context) -> None:
        self._params, self._connect, self._context = params, connect, context

    def client(self, address: Address, **options: t.Any) -> t.ContextManager[Api]:
        """Return a client; ``options`` are other values of connection options."""
        return self._connect(api_url=address.url, api_token=address.token, **options)

    def perform(self, operation: Operation, address: Address) -> Result:
        """Return the result of another operation on the server. Raises OmeError."""
        operation.check()
        with self.client(address) as api:
            return operation.run(api, self._context)

    def identity(self, address: Address) -> tuple[str, str]:
        """Return version and start time of a running server, each empty if it does not say it. Raises OmeError."""
        with self.client(address, retries=0) as api:
            raw, date = Statistics(api).read_server()
            server = stream.of_server(raw, date)
            return str(api.read_version() or ""), str(server.get("start_time") or "")

    def live_streams(self, address: Address) -> list[str]:
        """Return the live streams as ``VHOST/APP/STREAM``. Raises OmeError."""
        found = self.perform(StreamInfo(StreamInfo.defaults()), address)
        return ["/".join((one["vhost"], one["app"], one["name"])) for one in found["streams"]]

    def viewers(self, address: Address) -> int:
        """Return the number of connected viewers. Raises OmeError."""
        with self.client(address) as api:
            connections = stream.of_server(*Statistics(api).read_server())["connections"]
        return sum(connections.get(kind) or 0 for kind in VIEWERS)

    def why_busy(self, address: Address) -> str:
        """Wait until nobody uses the server; return why it may not be stopped, or an empty text.

        A server is idle if no stream is live and few viewers are connected. Check mode looks once.
        """
        begin = self._context.clock()
        wait = 0 if self._context.check_mode else self._params["idle_wait"]
        while True:
            again, busy = self._use(address, begin)
            left = begin + wait - self._context.clock()
            if not busy or not again or left <= 0:
                return busy
            self._context.sleep(min(_IDLE_POLL, left))

    def _use(self, address: Address, begin: float) -> tuple[bool, str]:
        """Return whether to look again, and why the server is in use since ``begin``; an empty text if it is not."""
        used = ""
        try:
            live = self.live_streams(address)
            if live:
                used = f"live streams: {len(live)}"
            elif (viewers := self.viewers(address)) >= self._params["max_viewers"]:
                used = f"viewers: {viewers}"
        except OmeError as error:
            said = shortened(str(error), _LONGEST_SAID).rstrip(".")
            # A token that is not accepted does not become valid by waiting.
            again = error.kind != "unauthorized"
            return again, f"its API did not say within {self._waited(begin)} seconds who is connected: {said}"
        return True, f"it was in use after {self._waited(begin)} seconds ({used})" if used else ""

    def _waited(self, begin: float) -> int:
        return int(self._context.clock() - begin)

    def prove(self, address: Address, version: str, *, may_refuse_token: bool = False) -> None:
        """Wait until the API of a server that was started responds, and check its version.

        :param version: the expected one; empty if it is unknown. :param may_refuse_token: whether a server that does
            not accept the token is up, too. Raises OmeError.
        """
        deadline = self._context.clock() + self._params["start_wait"]
        while True:
            try:
                with self.client(address, retries=0, timeout=min(self._params["timeout"], _LONGEST_TRY)) as api:
                    api.list_virtual_hosts()
                    found = str(api.read_version() or "")
                break
            except OmeError as error:
                if error.kind == "unauthorized" and may_refuse_token:
                    return
                # Another program can have the port, as long as the server does not say that it cannot open it.
                waits = error.unanswered or error.kind == "not_json"
                if not waits or self._context.clock() >= deadline:
                    raise
            self._context.sleep(_POLL)
        if found and version and found != version:
            text = f"The server that started is version {found} instead of {version}."
            raise Refusal("start the server", text, "Correct the option version, or the image or binary.")

    def missing_streams(self, before: t.Collection[str], address: Address) -> list[str]:
        """Wait for streams that were live before; return those that are not live again in time.

        Publishers and origins come back by themselves.
        """
        deadline = self._context.clock() + self._params["stream_wait"]
        while True:
            try:
                live = self.live_streams(address)
            except OmeError:
                live = []
            missing = [name for name in before if name not in live]
            left = deadline - self._context.clock()
            if not missing or left <= 0:
                return missing
            self._context.sleep(min(_IDLE_POLL, left))


# The start of a server: the proof that it is up, and what is put back if it is not.

# What a log says about a start that has failed: its errors, and its last lines.

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_HEAD = re.compile(r"\[[^\]]*\] ([A-Z]) \[[^\]]*\] ")
_ERROR_LEVELS = ("E", "C")
_SAYS_ERROR = re.compile(r"(?i)\berror\b|\bfailed\b|could not|cannot|denied|not found|no such|refus")
_MOST_LINES = 5  # errors, and last lines of each log
_LONGEST_LINE = 400  # characters


def told(logs: t.Iterable[str], scrubbed: t.Callable[[str], str]) -> list[str]:
    """Return the first errors of logs, and the last lines of each.

    Lines of a shutdown follow the reason of a failed start, which is therefore not among the last lines.

    :param scrubbed: returns a line without secrets.
    """
    contents = [
        [line for line in (_COLOURS.sub("", line).rstrip() for line in log.splitlines()) if line] for log in logs
    ]
    found = _errors([line for content in contents for line in content])[:_MOST_LINES]
    for content in contents:
        found += [line for line in content[-_MOST_LINES:] if line not in found]
    return [shortened(scrubbed(line), _LONGEST_LINE) for line in found]


def _errors(lines: t.Iterable[str]) -> list[str]:
    """Return the lines with errors; of those that differ in time and thread only, the first.

    Errors are lines of the levels E and C of the server. Without such lines, they are those that name an error.
    """
    leveled: dict[str, str] = {}
    others: dict[str, str] = {}
    for line in lines:
        head = _HEAD.match(line)
        if head is None:
            if _SAYS_ERROR.search(line):
                others.setdefault(line, line)
        elif head[1] in _ERROR_LEVELS:
            leveled.setdefault(line[head.end() :], line)
    return list((leveled or others).values())


# The part of the result of the module `server` that says what was done, and the same in one line.

STARTED, RESTARTED, ROLLED_BACK, FAILED = "started", "restarted", "rolled back", "failed"
UNINSTALLED, ABSENT, NONE = "uninstalled", "absent", "none"
RAN = (STARTED, RESTARTED)
_MOST_NAMES = 5  # names in the line


def summary(found: Params, *, refusal: str = "", check_mode: bool = False) -> Result:
    """Return the keys of the summary, with ``line``.

    :param found: those that are known, each by its name. :param refusal: why a restart that is due was refused.
    """
    result = {
        "action": NONE,
        "version": "",
        "installed_version": "",
        "restart_required": False,
        "reasons": [],
        "files": 0,
        "upgrade": [],
        "missing_streams": [],
        "audit": {},
        "host_warnings": [],
        "failed": False,
        **found,
    }
    begin = "Check mode, this would be done: " if check_mode else ""
    return {**result, "line": f"{begin}{_text(result, refusal)}"}


def _text(found: Params, refusal: str) -> str:
    """Return what was done, as text."""
    action, reasons = found["action"], first_of(found["reasons"])
    if action in (UNINSTALLED, ABSENT):
        return f"server {action}"
    server = f"server {found['version']}".rstrip()  # the version can be what is missing
    parts = [f"{server}: files changed: {found['files']}"]
    if action in RAN:
        parts.append(f"{action} ({reasons})")
    elif action != NONE:
        parts.append(action)
    elif refusal:
        parts.append(refusal)
    elif found["restart_required"]:
        parts.append(f"a restart is due ({reasons})")
    elif not found["failed"]:
        parts.append("no restart needed")
    if found["installed_version"] not in ("", found["version"]):
        parts.append(f"version {found['installed_version']} before")
    if found["missing_streams"]:
        parts.append(f"streams that are missing: {first_of(found['missing_streams'])}")
    if found["audit"]:
        parts.append(f"audit: {_counted(found['audit']['counts'])}")
    parts += [f"warning: {text}" for text in found["host_warnings"]]
    return "; ".join([*parts, *(["failed"] if found["failed"] and action != FAILED else [])])


def _counted(counts: t.Mapping[str, int]) -> str:
    """Return the numbers of findings as text, without those that only inform about the version."""
    found = (f"{kind} {number}" for kind, number in counts.items() if number and kind != "info")
    return ", ".join(found) or "no problems"


def first_of(texts: t.Sequence[str]) -> str:
    """Return the first texts, and how many others there are."""
    more = f" and {len(texts) - _MOST_NAMES} more" if len(texts) > _MOST_NAMES else ""
    return ", ".join(texts[:_MOST_NAMES]) + more


_LONGEST_REASON, _LONGEST_OLD_REASON, _LONGEST_LOG = 600, 400, 1000  # characters


class Old(t.NamedTuple):
    """The server that ran before the start."""

    address: Address
    version: str
    """Empty if it is unknown."""
    refuses_token: bool
    provision: t.Callable[[], None] | None
    """Makes on it what its files do not have; None if its API cannot be used. Raises OmeError."""


class NotStarted(OmeError):
    """The server did not come up."""

    def __init__(self, text: str, *, rolled_back: bool) -> None:
        super().__init__("host", "start the server", detail=text)
        self.rolled_back = rolled_back
        """Whether the old server runs with the old files."""

    def __str__(self) -> str:
        return self.detail


def why_not_started(error: OmeError, service: ServerService, log: str, start_wait: int) -> str:
    """Return why a server did not come up. :param log: what systemd, podman or docker has logged since."""
    if error.unanswered:
        reason = f"Its API did not respond within {start_wait} seconds."
    else:
        reason = error.detail if isinstance(error, StartFailed) else shortened(str(error), _LONGEST_REASON)
    status = service.exit_status(log)
    return f"{reason} It ended with exit status {status}." if status.strip() else reason


def log_since_start(lines: t.Iterable[str]) -> str:
    """Return the end of a message with what :func:`told` returns."""
    log = shortened(" | ".join(lines), _LONGEST_LOG) or "empty"
    return f"Its log since the start, errors first: {log}"


class ServerStart:
    """Starts a server with its new files, or puts back what ran before."""

    def __init__(
        self, params: Params, memory: ServerMemory, service: ServerService, api: ServerApi, context: Context
    ) -> None:
        self._params, self._memory, self._service = params, memory, service
        self._api, self._context = api, context

    def run(self, new: Address, old: Old) -> None:
        """Start the server. Raises NotStarted."""
        mark = self._service.mark()
        try:
            self._service.restart()
            self._api.prove(new, self._params["version"])
        except OmeError as error:
            raise self._rolled_back(error, mark, old) from None
        self._memory.note_started(self._params["version"], new.url)

    def _rolled_back(self, error: OmeError, mark: Mark, old: Old) -> NotStarted:
        """Put the files back with which the server ran; return the error that says what has happened."""
        logs = self._service.logs(mark)
        reason = why_not_started(error, self._service, logs[0], self._params["start_wait"])
        said = error.said if isinstance(error, StartFailed) else ""
        last = told([said, *logs], self._context.secrets.scrub)
        good, made = self._memory.last_good(), self._memory.made_since()
        known = bool(good) and bool(self._memory.started)
        back: Copies = {}
        if good:
            back, reason = self._old_started(good, made, reason, old)
        if not back and not known:
            # It has never answered. systemd or docker would start it again and again.
            self._service.stop()
        if back:
            reason = self._completed(back, reason, old)
            self._memory.forget_pending()
            version = self._memory.started.get("version", "unknown")
            ended = f"The old files (version {version}) were put back, and the server runs with them."
        elif not known:
            ended = "The server was stopped, because there was nothing to put back."
        else:
            ended = "The server does not run. Manual intervention is required."
        return NotStarted(
            f"The server did not come up with the new files. {reason} {ended} Correct the variables, and run the role "
            f"again. {log_since_start(last)}",
            rolled_back=bool(back),
        )

    def _old_started(self, good: Copies, made: Copies, reason: str, old: Old) -> tuple[Copies, str]:
        """Start the old server; return the files with which it has started, if it has, and the reason with more."""
        self._memory.put_unit_back()
        both = {**good, **made}
        failure = self._try_old(both, old)
        if failure is None:
            return both, reason
        reason = f"{reason} The old server did not start either: {shortened(str(failure), _LONGEST_OLD_REASON)}"
        if not made:
            return {}, reason
        # Perhaps it is one of the files that no start has tried: they are left out.
        if self._try_old(good, old) is not None:
            return {}, f"{reason} Nor did it without the files that were new since its last start."
        left_out = first_of(sorted(posixpath.basename(path) for path in made))
        return good, f"{reason} It started without the files that were new since its last start: {left_out}."

    def _try_old(self, copies: Copies, old: Old) -> OmeError | None:
        """Put files back, and start the old server with them; return why it does not run."""
        try:
            self._memory.put_back(copies)
            self._service.restart()
            self._api.prove(old.address, old.version, may_refuse_token=old.refuses_token)
        except OmeError as error:
            return error
        except OSError as error:
            return OmeError("host", "put the old files back", detail=f"{error.strerror or error}.")
        return None

    def _completed(self, back: Copies, reason: str, old: Old) -> str:
        """Make on the old server what its API had made; return the reason with more.

        What cannot be made on it does not hide why the new one failed.
        """
        if old.provision is None:
            return reason
        try:
            old.provision()
        except OmeError:
            reason = f"{reason} What its files do not have could not be provisioned on the old server."
        # That has written the new files again, with which the server did not start.
        self._memory.put_back(back)
        return reason
