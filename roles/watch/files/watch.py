# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Restores a media server after a restart. A timer of systemd runs this program every few seconds.

It sends one request, which returns the start time of the server. If state.json has another start time, or none, it
runs the playbook provision for this server, and writes the start time to state.json if the playbook succeeds. After a
failure it waits, longer each time, as backoff.json says. To run the playbook at once, delete both files.

The role watch of the collection streamops.ovenmediaengine has written this file. Changes by hand are overwritten.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import http.client
import ipaddress
import json
import os
import pathlib
import signal
import ssl
import subprocess
import sys
import time
import typing as t
from datetime import datetime, timezone
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import proxy_bypass_environment

NOTICE, WARNING, ERROR = 5, 4, 3
_LARGEST_RESPONSE = 1 << 20
_SECONDS_TO_END = 10
_PATH = "/v1/stats/current"


class Unavailable(Exception):
    """The start time cannot be read. The text is for the journal and has no secret."""


def say(text: str, level: int = NOTICE) -> None:
    """Write a line to the journal, or to a terminal."""
    # systemd takes the level from the beginning of a line: sd-daemon(3).
    print(f"<{level}>{text}" if "JOURNAL_STREAM" in os.environ else text, flush=True)


def read_json(path: pathlib.Path) -> dict[str, t.Any]:
    """Return the content of a file; empty if it does not exist or is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: pathlib.Path, content: t.Mapping[str, t.Any]) -> None:
    """Replace a file as a whole, so that a crash leaves the old or the new content."""
    temporary = path.with_suffix(".new")
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@contextlib.contextmanager
def deadline(seconds: float) -> t.Iterator[None]:
    """Raise TimeoutError after some seconds, even if a response arrives byte by byte."""

    def end(*_arguments: object) -> None:
        raise TimeoutError("timed out")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def read_start_time(settings: t.Mapping[str, t.Any]) -> str:
    """Return the start time of the server in UTC. :raises Unavailable: it cannot be read."""
    try:
        with deadline(2 * settings["timeout"]):
            status, body = _get(settings)
    except OSError as error:
        # The text of other errors can have the value of a header.
        reason = getattr(error, "verify_message", None) or error.strerror or str(error) or type(error).__name__
        raise Unavailable(f"does not answer ({reason}). Nothing is restored until it does.") from None
    except (http.client.HTTPException, ValueError) as error:
        raise Unavailable(
            f"does not answer as OvenMediaEngine does ({type(error).__name__}). Check ovenmediaengine_api_url."
        ) from None
    if status in (401, 403):
        raise Unavailable(
            f"rejects the access token (HTTP {status}). Correct ovenmediaengine_api_token, and run the playbook watch."
        )
    try:
        found = datetime.fromisoformat(json.loads(body)["response"]["createdTime"])
        # The server writes its local time, whose offset changes with daylight saving time.
        return found.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    except (LookupError, OverflowError, RecursionError, TypeError, ValueError):
        raise Unavailable(f"sends no start time (HTTP {status}). Check ovenmediaengine_api_url.") from None


def _tls_context(settings: t.Mapping[str, t.Any]) -> ssl.SSLContext:
    """Return how the certificate of the server is verified. :raises Unavailable: a file cannot be read."""
    try:
        context = ssl.create_default_context(cafile=settings["ca_path"])
        if settings["client_cert"]:
            context.load_cert_chain(settings["client_cert"], settings["client_key"])
    except OSError as error:
        raise Unavailable(
            f"was not asked, because a file of ovenmediaengine_ca_path, _client_cert or _client_key is unusable "
            f"({error.strerror or type(error).__name__}). Correct the variable or the file."
        ) from None
    if not settings["validate_certs"]:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _proxy(url: SplitResult, environment: t.Mapping[str, str]) -> SplitResult | None:
    """Return the proxy for a URL, by the environment variables that the playbook uses, too; None if there is none."""

    def variable(name: str) -> str:
        return environment.get(name) or environment.get(name.upper()) or ""

    host, ignored = url.hostname or "", variable("no_proxy")
    proxy = variable(f"{url.scheme}_proxy") or variable("all_proxy")
    if not proxy or proxy_bypass_environment(url.netloc.rpartition("@")[2], {"no": ignored}) or _in(host, ignored):
        return None
    return urlsplit(proxy if "://" in proxy else f"http://{proxy}")


def _in(host: str, networks: str) -> bool:
    """Return whether a host is an address in one of the networks, which commas separate."""
    for network in networks.split(","):
        with contextlib.suppress(ValueError):
            if "/" in network and ipaddress.ip_address(host) in ipaddress.ip_network(network.strip(), strict=False):
                return True
    return False


def _basic(credential: str) -> str:
    return f"Basic {base64.b64encode(credential.encode()).decode()}"


def _connection(
    settings: t.Mapping[str, t.Any], url: SplitResult, proxy: SplitResult | None
) -> http.client.HTTPConnection:
    """Return a connection to the server, or to a proxy. :raises Unavailable: it cannot use this proxy."""
    if proxy is not None and proxy.scheme != "http":
        raise Unavailable(
            "was not asked, because the watcher can use only proxies with http://. Correct http_proxy, https_proxy or "
            "all_proxy of watch_environment, or list the server in no_proxy."
        )
    to = url if proxy is None else proxy
    if url.scheme != "https":
        return http.client.HTTPConnection(to.hostname or "", to.port, timeout=settings["timeout"])
    connection = http.client.HTTPSConnection(
        to.hostname or "",
        to.port or (443 if proxy is None else 80),
        timeout=settings["timeout"],
        context=_tls_context(settings),
    )
    if proxy is not None:
        connection.set_tunnel(url.hostname or "", url.port or 443, headers=_for_proxy(proxy))
    return connection


def _for_proxy(proxy: SplitResult) -> dict[str, str]:
    """Return the headers with the credential of a proxy."""
    if proxy.username is None:
        return {}
    return {"Proxy-Authorization": _basic(f"{unquote(proxy.username)}:{unquote(proxy.password or '')}")}


def _get(settings: t.Mapping[str, t.Any]) -> tuple[int, bytes]:
    """Send the request; return status and body."""
    url = urlsplit(settings["api_url"])
    proxy = _proxy(url, {**os.environ, **settings["environment"]})
    path = url.path.rstrip("/") + _PATH
    headers = {**settings["http_headers"], "Authorization": _basic(settings["api_token"]), "Connection": "close"}
    if proxy is not None and url.scheme != "https":
        path = f"http://{url.netloc.rpartition('@')[2]}{path}"
        headers.update(_for_proxy(proxy))
    with contextlib.closing(_connection(settings, url, proxy)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read(_LARGEST_RESPONSE)


def run_playbook(settings: t.Mapping[str, t.Any], lock: int) -> str:
    """Run the playbook. Its output goes to the journal. Return why it failed; empty if it succeeded."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "ANSIBLE_NOCOLOR": "1", **settings["environment"]}
    # The playbook keeps the lock, even if this program is killed.
    with subprocess.Popen(
        settings["command"], env=environment, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=[lock]
    ) as playbook:
        try:
            status = playbook.wait(settings["run_timeout"])
            return f"exit status {status}" if status else ""
        except subprocess.TimeoutExpired:
            return f"ended after {settings['run_timeout']} seconds"
        finally:
            _end(playbook)


def _end(playbook: subprocess.Popen[bytes]) -> None:
    """End a playbook that still runs, and what it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if playbook.poll() is None:
            os.killpg(playbook.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                playbook.wait(_SECONDS_TO_END)


def watch(directory: pathlib.Path, now: t.Callable[[], float] = time.time) -> int:
    """Read the start time once, and restore the server if it has restarted. Return the exit status."""
    settings = json.loads((directory / "watch.json").read_text(encoding="utf-8"))
    name, state_file, backoff_file = settings["name"], directory / "state.json", directory / "backoff.json"
    with open(directory / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Another run for {name} has not ended yet. This run does nothing.")
            return 0
        state = read_json(state_file)
        before, problem = state.get("start_time"), state.get("problem")
        try:
            started = read_start_time(settings)
        except Unavailable as error:
            # Each problem is reported once and not each time.
            if problem != str(error):
                say(f"{name} {error}", WARNING)
                write_json(state_file, {**state, "problem": str(error)})
            return 0
        if started == before:
            if problem:
                say(f"{name} answers again and has not restarted.")
                write_json(state_file, {"start_time": started})
            return 0
        backoff = read_json(backoff_file)
        # A clock that was set back does not stop the watcher.
        if 0 < backoff.get("next_attempt", 0) - now() <= settings["retry_max_seconds"]:
            return 0
        say(
            f"{name} has restarted: up since {started} (previously {before}). Restoring it."
            if before
            else f"{name} is up since {started}, and no earlier run has restored it. Restoring what is missing."
        )
        failure = run_playbook(settings, lock.fileno())
        if failure:
            failures = backoff.get("failures", 0) + 1
            delay = min(settings["retry_seconds"] * 2 ** min(failures - 1, 20), settings["retry_max_seconds"])
            write_json(backoff_file, {"failures": failures, "next_attempt": now() + delay})
            times = "1 time" if failures == 1 else f"{failures} times in a row"
            say(
                f"{name} is not restored: the playbook failed {times} ({failure}). "
                f"The next attempt is in {delay} seconds. The lines above have the reason.",
                ERROR,
            )
            return 1
        write_json(state_file, {"start_time": started})
        backoff_file.unlink(missing_ok=True)
        say(f"{name} is as defined again.")
        return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_arguments: sys.exit(143))
    sys.exit(watch(pathlib.Path(sys.argv[1])))
