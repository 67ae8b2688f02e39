# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must hold after every run with hostile options, and against every hostile server."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_coverage, running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import Place, spelled, with_value
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED, argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

REFUSED, ACCEPTED, NOT_TAKEN = "refused", "accepted", "not taken by the server"

NAME = re.compile(r"[A-Za-z0-9._-]+")
_PATHS = "|".join(sorted({row.pattern(NAME.pattern, NAME.pattern) for row in api_coverage.rows() if row.modules}))
"""Those of the calls that modules use."""
KEY = re.compile(r"[A-Za-z0-9_]+")


class Broken(AssertionError):
    """A rule that did not hold."""


_READ_BEFORE = ("/v1/version", "/v1/vhosts")  # the second is the wait of the module provision
_CURRENT = re.compile(r"/v1/vhosts/[^/]+/apps/[^/:]+")


def demand(holds: Any, rule: str, about: str) -> None:
    """Raise Broken unless a rule holds."""
    if not holds:
        raise Broken(f"{rule}: {about}"[:2000])


def run_safely(module: str, options: Mapping[str, Any], about: str, *, check_mode: bool = False) -> ModuleRun:
    """Run a module, which must end with a result in JSON or a clean error of a known kind, and never with a
    traceback.
    """
    try:
        run = running_modules.run_module(module, dict(options), check_mode=check_mode)
    except BaseException as error:
        raise Broken(f"the module ended in {type(error).__name__}: {about}"[:2000]) from error
    demand(
        "exception" not in run and "Traceback" not in run.printed and "MODULE FAILURE" not in run.printed,
        "no traceback",
        about,
    )
    demand(json.loads(run.printed, parse_constant=_no_constant) is not None, "the result is JSON", about)
    if run.failed and "error" in run:
        demand(run["error"]["kind"] in ADVICE, "errors are of a known kind", f"{about}: {run['error']}")
    demand(
        all(len(message) <= 2000 for message in messages_of(run)), "no message is longer than 2,000 characters", about
    )
    for warning in run.warnings:
        demand(warning.isprintable(), "warnings can be printed", f"{about}: {warning!r}")
    return run


def messages_of(value: Any) -> Iterator[str]:
    """Yield all messages in a result, its warnings among them, at every level."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("msg", "message", "meaning", "server_message", "attempted", "remedy") and isinstance(item, str):
                yield item
            elif key in ("warnings", "retries"):
                yield from texts_in(item)
            elif key not in ("diff", "invocation"):
                yield from messages_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from messages_of(item)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def check_requests(simulator: Simulator, about: str, *, prefix: str = "") -> None:
    """Check that the server lives and has received only whole API requests with harmless names and keys.

    :param prefix: a pattern of what can precede the paths of the API.
    """
    demand(not simulator.died, "the server lives", about)
    for record in simulator.log:
        demand(
            re.fullmatch(f"{prefix}(?:{_PATHS})", record.path),
            "only paths of the API are asked for",
            f"{about}: {record.path!r}",
        )
        demand(all(KEY.fullmatch(key) for key in keys_in(record.body)), "keys are plain", f"{about}: {record.path!r}")
        if record.path.endswith((":startPush", ":stopPush", ":startRecord", ":stopRecord")):
            demand(
                NAME.fullmatch(record.body["id"]),
                "ids of push tasks and recordings are plain",
                f"{about}: {record.body['id']!r}",
            )
        demand("x-smuggled" not in {name.lower() for name in record.headers}, "no header is smuggled in", about)


def keys_in(value: Any) -> Iterator[str]:
    """Yield all keys at every level of a JSON value."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from keys_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_in(item)


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts at every level of a JSON value."""
    if isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def fresh(simulator: Simulator) -> None:
    """Bring the simulator to its first state, with what the examples of the modules need."""
    with simulator.state.lock:
        simulator.state.channels.files.clear()  # they would survive the restart
    simulator.restart()
    module_examples.prepare(simulator)
    simulator.clear_log()


def held(simulator: Simulator) -> list[Any]:
    """Return everything that the server holds."""
    state = simulator.state
    with state.lock:
        found: list[Any] = [vhost.config for vhost in state.virtual_hosts.values()]
        found += [app.config for vhost in state.virtual_hosts.values() for app in vhost.applications.values()]
        found += [file.content for file in state.channels.files.values()]
        found += [event.body for event in state.world.events]
        found += [dataclasses.asdict(push) for pushes in state.push_applications.values() for push in pushes]
        found += [
            vars(record)
            for held in state.records.applications.values()
            for one in held
            for record in one.records.values()
        ]
    return found


def folded(text: str) -> str:
    """Return a text without what the server, and so the collection, takes off it (server-facts: Push tasks)."""
    return text.strip().rstrip("/").lower()


def check_option(simulator: Simulator, module: str, place: Place, value: str, **others: Any) -> str:
    """Run a module with a hostile value at one place, check all that must hold, and report what became of the value.

    :param others: further options of the module, such as another state, and ``check_mode``.
    """
    check_mode = bool(others.pop("check_mode", False))
    about = f"{module}: {place} = {value[:80]!r} {others or ''}{' in check mode' if check_mode else ''}"
    fresh(simulator)
    access = connection(simulator, retries=0) if module in CONNECTED else {}
    options = {**access, **with_value(module, place, value), **others}
    prefix = ""
    if place.path == ("api_url",) and not place.as_key:
        prefix = "(?:/[^?#]*)?"
        options["api_url"] = f"{simulator.url}/{value}"
    run = run_safely(module, options, about, check_mode=check_mode)
    check_requests(simulator, about, prefix=prefix)
    demand(
        not (check_mode or module.endswith("_info")) or simulator.writes == [],
        "check mode and reading write nothing",
        about,
    )
    if _is_refused(run, module, place):
        # What an application lacks, the one on the server may have, so that it is read before anything is written.
        asked = [one for one in simulator.log if one.path not in _READ_BEFORE and not _CURRENT.fullmatch(one.path)]
        demand(
            simulator.writes == [] and (asked == [] or module == "audit_info"),
            "nothing is sent where an option is refused",
            f"{about}: {simulator.log}",
        )
        if value.strip() or place.path[:1] != (
            "http_headers",
        ):  # if a blank is a secret, ansible-core hides all blanks of the message
            _demand_named(run, module, place, about)
        return REFUSED
    if run.failed:
        demand(
            run.get("error", {}).get("kind") not in (None, "connection_lost", "unexpected_answer", "not_json"),
            "failures say why",
            f"{about}: {run['msg']}",
        )
        return NOT_TAKEN
    # Of the name of a platform, only an ID is made, in which a dot can become two.
    if not check_mode and (module, spelled(place.path)) != ("restream", "platforms[0].name"):
        _check_kept(simulator, value, about)
    return ACCEPTED


def _is_refused(run: ModuleRun, module: str, place: Place) -> bool:
    """Return whether the option was refused, rather than something that the server says."""
    if module == "audit_info":
        return (
            any(
                _is_about(finding["field"], place)
                for finding in run.get("findings", ())
                if finding["kind"] == "bad_input"
            )
            or "findings" not in run
        )
    return run.failed and ("error" not in run or (run["error"]["kind"] == "bad_input" and "results" not in run))


def _is_about(named: str, place: Place) -> bool:
    """Return whether the name of an option is that of the place, or of what holds it."""
    named = named.replace("'", "")
    return bool(named) and (f"{place}.".startswith(f"{named}.") or named.startswith(spelled(place.path)))


def _demand_named(run: ModuleRun, module: str, place: Place, about: str) -> None:
    """Check that a refusal names the option: ours by its full name, ansible-core's by its last part or full name."""
    if module == "audit_info" and "findings" in run:
        return  # _is_refused has looked at the name
    if "error" in run:
        demand(
            _is_about(run["msg"].split(": ")[0], place) or run["msg"].startswith(f"{spelled(place.path)}."),
            "the full name of the option",
            f"{about}: {run['msg']}",
        )
    elif place.as_key:
        demand("nsupported parameters" in run["msg"], "the key is said to be unknown", f"{about}: {run['msg']}")
    else:
        name = [step for step in place.path if isinstance(step, str)][-1]
        demand(name in run["msg"], "the name of the option", f"{about}: {run['msg']}")


def _check_kept(simulator: Simulator, value: str, about: str) -> None:
    """Check that the request has the specified value and the server has the requested one."""
    server = {folded(text) for text in texts_in(held(simulator))}
    given = [part for part in value.split(",") if folded(part)]
    for record in simulator.writes:
        for text in texts_in(record.body):
            demand(
                {folded(part) for part in text.split(",")} & server or folded(text) in server or not folded(text),
                "the server has what was sent",
                about,
            )
    bodies = {folded(text) for record in simulator.writes for text in texts_in(record.body)}
    if any(folded(part) in whole for whole in bodies for part in given):
        demand(
            folded(value) in bodies | server or any(folded(part) in server for part in given),
            "what is sent is what was given",
            about,
        )


def check_audit(simulator: Simulator, places_of: Sequence[Place], value: str, at_once: int = 25) -> tuple[int, int]:
    """Do the same for audits.

    Many places are put into entries of their own and looked at in one run; says how many were tried, and refused.
    """
    fresh(simulator)
    refused = 0
    # Those of a dictionary, such as `viewers`, cannot be looked at together.
    alone = {option for option, spec in argument_spec("audit_info").items() if spec.get("type") == "dict"} - {
        "http_headers"
    }
    apart = [place for place in places_of if len(place.path) < 3 or place.path[0] in alone]
    for place in apart:
        refused += check_option(simulator, "audit_info", place, value) == REFUSED
    inside = [place for place in places_of if len(place.path) >= 3 and place.path[0] not in alone]
    for start in range(0, len(inside), at_once):
        portion = inside[start : start + at_once]
        options: dict[str, Any] = {}
        entries: list[tuple[Place, str]] = []
        for number, place in enumerate(portion):
            name = str(place.path[0])
            made = with_value("audit_info", place, value)[name]
            if name == "http_headers":
                options[name] = made
                continue
            entry = made[0]
            # Each is about an object of its own because a name that comes twice would be refused for that.
            own = {"vhosts": "name", "applications": "name", "push_tasks": "id"}.get(name)
            if own is not None and isinstance(entry, dict) and place.path[2:] != (own,):
                entry[own] = f"t-{number}"
            options.setdefault(name, []).append(entry)
            entries.append((place, f"{name}[{len(options[name]) - 1}]"))
        about = f"audit_info: {portion[0]} to {portion[-1]} = {value[:80]!r}"
        simulator.clear_log()
        run = run_safely("audit_info", {**connection(simulator, retries=0), **options}, about)
        check_requests(simulator, about)
        demand(simulator.writes == [], "an audit writes nothing", about)
        if run.failed:  # for an option of the connection
            demand(
                run["error"]["kind"] == "bad_input" and simulator.log == [],
                "an audit fails for the connection alone",
                f"{about}: {run['msg']}",
            )
            refused += len(entries)
            continue
        bad = [finding for finding in run["findings"] if finding["kind"] == "bad_input"]
        named = {re.match(r"\w+\[\d+\]", finding["field"]).group() for finding in bad if finding["field"]}  # type: ignore[union-attr]
        # An application that is not there, and that the server would refuse, has its own finding.
        lacking = [finding for finding in bad if not finding["field"]]
        demand(all(finding["application"] for finding in lacking), "findings name what was given", about)
        demand(named <= {path for _place, path in entries}, "findings name what was given", f"{about}: {sorted(named)}")
        refused += len(named)
    return len(places_of), refused
