# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks after a run of which a request failed; they read the server and do not trust the module.

Either the task succeeds and the state is as desired, or it fails and reports the true state. No job runs twice,
no request that took effect is sent again, no object disappears silently, and no secret is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import (
    Label,
    View,
    asked_to_make,
    describe,
    doubles,
    is_there,
    kind_of,
    strays,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.scenarios import CANARY, Scenario
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun

SINGLE = ("vhost", "application", "push_task", "record", "scheduled_channel", "multiplex_channel", "stream", "hls_dump")
# Actions after which an object must be there as wanted, and those after which there must be none.
_PRESENT = ("created", "recreated", "updated", "started", "restarted", "unchanged")
_ABSENT = ("deleted", "stopped")
# Errors that mean that the object, or its parent, is not there.
_GONE_KINDS = (
    "lost",
    "vhost_not_found",
    "application_not_found",
    "task_not_found",
    "record_not_found",
    "stream_not_found",
)
_GONE_WORDS = re.compile(
    r"could not be (restarted|restored|verified)|missing|is gone|are gone|no longer|lost|is not there|not known",
    re.IGNORECASE,
)


class Ledger:
    """The simulator's hook nearest to its work: finds creates and starts that are sent again although they had taken
    effect.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._state = simulator.state
        self._made: set[Label] = set()
        self.repeated: list[str] = []

    def clear(self) -> None:
        """Forget what was made so far."""
        self._made.clear()
        self.repeated.clear()

    async def __call__(self, exchange: Any, work: Any) -> Any:
        """The simulator's hook."""
        asked = set(asked_to_make(exchange.method, exchange.target, exchange.record.body))
        before = {label for label in asked if is_there(self._state, label)}
        self.repeated += [
            f"{describe(label)} is made once more although that took effect" for label in sorted(before & self._made)
        ]
        try:
            return await work()
        finally:
            self._made |= {label for label in asked - before if is_there(self._state, label)}


@dataclass
class Verdict:
    """What is not as it must be; the names are those of the columns of tests/robustness.py."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    leaked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        """Return everything, in words."""
        return [f"{kind}: {text}" for kind, texts in vars(self).items() for text in texts]

    def add(self, other: Verdict) -> None:
        """Add what was found elsewhere."""
        for kind, texts in vars(other).items():
            getattr(self, kind).extend(texts)


class Report(NamedTuple):
    """What a result says of one object."""

    label: Label
    action: str
    msg: str
    kind: str


class Seen(NamedTuple):
    """The server before and after a run, and as a good run would have left it."""

    before: View
    after: View
    goal: View
    writes: bool
    """Whether the run has sent a request that changes anything."""
    emptied: bool = False
    """Whether the server lost all that the API had made, meanwhile."""
    known: frozenset[Label] = frozenset()
    """If it did: what the run had read before."""

    def made_anew(self, report: Report) -> bool:
        """Return whether an object was made of the options alone: the old one was lost before the run could read it."""
        return (
            self.emptied
            and report.action == "created"
            and report.label not in self.known
            and report.label in self.after
        )


def _results(run: ModuleRun) -> list[Any]:
    """Return the entries of a result, those of a task of several parts in order."""
    return [entry for part in (run, *run.get("parts", {}).values()) for entry in part.get("results", ())]


def reports(run: ModuleRun, scenario: Scenario) -> Iterator[Report]:
    """Yield what the result says of each object."""
    entries: list[Any] = []
    if scenario.module in SINGLE and "action" in run:
        options = scenario.options
        label = {key: options[key] for key in ("vhost", "app", "id", "name") if key in options}
        entries = [
            {**label, **{key: run.get(key) for key in ("action", "msg", "error") if key in run}},
            *run.get("application_results", ()),
        ]
    for entry in _results(run):
        entries += [entry, *entry.get("applications", ())]
    for entry in entries:
        label = tuple(entry[key] for key in ("vhost", "app", "id", "name") if key in entry)
        yield Report(label, entry["action"], entry.get("msg") or "", (entry.get("error") or {}).get("kind", ""))


def judge(scenario: Scenario, run: ModuleRun, seen: Seen, simulator: Simulator, ledger: Ledger) -> Verdict:
    """Return the verdict on a run that met a fault."""
    verdict = Verdict(doubled=[*doubles(simulator.state), *strays(simulator.state), *ledger.repeated])
    if CANARY in run.printed:
        verdict.leaked.append("a canary is shown")
    verdict.wrong += odd_output(run)
    verdict.wrong += _odd_change(scenario, run, seen)
    for report in reports(run, scenario):
        verdict.wrong += _untrue(report, seen)
    anew = {report.label for report in reports(run, scenario) if seen.made_anew(report)}
    # Of the contents, a run that loses the server can tell no more than it had read of it.
    held = scenario.held - (scenario.carried - seen.known if seen.emptied else frozenset())
    if not run.failed:
        for label in sorted(
            (held | scenario.gone if seen.emptied else seen.before.keys() | seen.goal.keys() | seen.after.keys()) - anew
        ):
            if seen.after.get(label) != seen.goal.get(label):
                kind = verdict.lost if label not in seen.after and label in seen.before else verdict.wrong
                kind.append(f"success, but {describe(label)} is {_form(seen.after, label)}")
        return verdict
    if (
        scenario.carried
        and scenario.module in SINGLE
        and seen.after != seen.before
        and not seen.emptied
        and "not_put_back" not in run
    ):
        verdict.wrong.append(f"nothing says what is back: {run.get('msg')}")
    # A run that ended before it could say anything of any object has claimed nothing that a restart has taken.
    claims = any(True for _report in reports(run, scenario))
    for label in sorted((seen.before.keys() | seen.goal.keys() | seen.after.keys()) - anew):
        form = seen.after.get(label)
        if form in (seen.before.get(label), seen.goal.get(label)):
            continue
        if form is not None:
            origin = (
                "has a form that nobody asked for"
                if label in seen.before or label in seen.goal
                else "has come from nowhere"
            )
            verdict.wrong.append(f"{describe(label)} {origin}: {form}")
        elif (not seen.emptied or (label in held and claims and _reached(label, run, scenario))) and not _named(
            label, run, scenario, seen.after
        ):
            verdict.lost.append(f"{describe(label)} is gone, and not named: {run.get('msg')}")
    return verdict


def judge_next(
    scenario: Scenario, run: ModuleRun, again: ModuleRun, seen: Seen, after: View, final: View
) -> Iterator[str]:
    """Yield what is wrong after the next run, without a fault, and the one after it (``again``).

    ``after`` is the state in which the next run began.
    """
    goal = seen.goal
    failing = bool(scenario.refused)
    if run.failed is not failing:
        yield f"the next run {'fails' if run.failed else 'does not fail'}: {run.get('msg')}"
    for label in sorted(goal.keys() | after.keys() | final.keys()):
        if label in scenario.changed and after.get(label) not in (seen.before[label], goal[label]):
            # What it had beside the options is not known any more: it is made of these alone, and the run after that
            # has nothing to add.
            good = label in final
        else:
            good = final.get(label) == (goal if label in scenario.claimed else after).get(label)
        if not good:
            yield f"the next run leaves {describe(label)}: {_form(final, label)}"
    if again.failed is not failing:
        yield f"the run after the next {'fails' if again.failed else 'does not fail'}: {again.get('msg')}"
    if again["changed"] is not scenario.always_changed:
        yield f"the run after the next reports changed {again['changed']}"


def odd_output(run: ModuleRun) -> Iterator[str]:
    """Yield a traceback, or a failure without information."""
    if "Traceback" in run.printed or "exception" in run:
        yield f"a traceback: {run.get('msg')}"
    if run.failed and (not run.get("msg") or run.get("error", {}).get("kind") not in ADVICE):
        yield f"a failure without a reason: {run.get('msg')}, {run.get('error')}"
    elif run.failed and run["error"]["kind"] == "bad_input":
        yield f"the options are blamed: {run['msg']}"


def _odd_change(scenario: Scenario, run: ModuleRun, seen: Seen) -> Iterator[str]:
    """Yield whether `changed` is true if an object differs from before, and false if nothing was asked of the
    server.
    """
    labels = seen.after.keys() if seen.emptied else seen.after.keys() | seen.before.keys()
    different = [describe(label) for label in sorted(labels) if seen.after.get(label) != seen.before.get(label)]
    if different and not run["changed"]:
        yield f"changed is false, but another than before is {', '.join(different[:5])}; {run.get('msg')}"
    is_unknown = run.failed and any(words in run["msg"] for words in ("not known", "could not be verified"))
    if run["changed"] and not seen.writes and not seen.emptied and not is_unknown:
        yield f"changed is true, but nothing was written; {run.get('msg')}"


def _untrue(report: Report, seen: Seen) -> Iterator[str]:
    """Yield what the entry of one object says that is not so."""
    label, action = report.label, report.action
    if action == "failed":
        if not report.msg or report.kind not in ADVICE:
            yield f"{describe(label)} failed without a reason"
        return
    form = seen.after.get(label)
    if action in _ABSENT and form is not None:
        yield f"{describe(label)} is reported as {action}, and is there"
    # An object that is wanted to be absent is unchanged if there was none.
    if action in _PRESENT and form != seen.goal.get(label) and not seen.made_anew(report):
        yield f"{describe(label)} is reported as {action}, and is {_form(seen.after, label)}"
    if not seen.emptied and action == "unchanged" and form != seen.before.get(label):
        yield f"{describe(label)} is reported as unchanged, and was another before"
    if not seen.emptied and action in ("created", "started") and label in seen.before:
        yield f"{describe(label)} is reported as {action}, and was there before"


def _reached(label: Label, run: ModuleRun, scenario: Scenario) -> bool:
    """Return whether a task of several parts has come to an object, or to what it is in."""
    spoken = {report.label for report in reports(run, scenario)}
    return "parts" not in run or any(label[:size] in spoken for size in range(1, len(label) + 1))


def _named(label: Label, run: ModuleRun, scenario: Scenario, after: View) -> bool:
    """Return whether the result says that an object is missing, or its parent."""
    if len(label) > 1 and label[:-1] not in after and _named(label[:-1], run, scenario, after):
        return True
    inner = "/".join(label[1:])
    word = kind_of(label)
    names = {f"{word} {'/'.join(label)}", *([f"{word} {inner}"] if inner else [])}
    entries = [run, *_results(run), *run.get("application_results", ())]
    for entry in entries:
        put_back = entry.get("not_put_back") or ()
        if names & set(put_back) and names & {name for name in names if name in (entry.get("msg") or "")}:
            return True
    # What a message says of a virtual host or an application is also said of what is in it.
    sizes = range(1, len(label) + 1)
    holders = {"/".join(label[:size]) for size in sizes}
    for report in reports(run, scenario):
        if report.action == "failed" and report.label == label[: len(report.label)]:
            if report.label == label and (report.kind in _GONE_KINDS or _GONE_WORDS.search(report.msg)):
                return True
            if report.kind in _GONE_KINDS and any(
                re.search(rf"\b{re.escape(name)}\b", report.msg) for name in names | holders
            ):
                return True
    kind = (run.get("error") or {}).get("kind")
    return kind in _GONE_KINDS and any(re.search(rf"\b{re.escape(name)}\b", run["msg"]) for name in names | holders)


def _form(view: View, label: Label) -> str:
    return f"there: {view[label]}" if label in view else "not there"
