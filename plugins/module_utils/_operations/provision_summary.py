# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sum up what was done to one server: counts, what was missing before, and one line of text."""

from __future__ import annotations

import collections
import typing as t

Result = t.Mapping[str, t.Any]
Counts = t.Mapping[str, int]
_ENDS = ("unchanged", "failed", "skipped")
_MAINTAINED = ("created", "recreated", "deleted", *_ENDS)
_JOBS = ("started", "restarted", "stopped", *_ENDS)
# The parts of the line in the order of their tasks: title and actions.
_PARTS: t.Mapping[str, tuple[str, tuple[str, ...]]] = {
    "vhosts": ("virtual hosts", _MAINTAINED),
    "applications": ("applications", _MAINTAINED),
    "streams": ("streams", ("created", "recreated", *_ENDS)),
    "scheduled_channels": ("scheduled channels", ("created", "updated", *_MAINTAINED[1:])),
    "multiplex_channels": ("multiplex channels", _MAINTAINED),
    "push_tasks": ("push tasks", _JOBS),
    "records": ("recordings", _JOBS),
}
TITLES = {kind: title for kind, (title, _words) in _PARTS.items()}
"""The kinds of objects in words, in the plural."""
# Those that the line has only if objects are listed.
_OPTIONAL = ("streams", "scheduled_channels", "multiplex_channels", "records")
_AGAIN = ("created", "started")
_ALWAYS_PRESENT: tuple[list[str], ...] = ([], ["default"])


def provision_summary(
    api: Result,
    vhosts: Result,
    applications: Result,
    push_tasks: Result,
    nested_position: tuple[int, int] | None = None,
    check_mode: bool = False,
    listed: t.Container[str] = (),
    **optional: Result,
) -> dict[str, t.Any]:
    """Return the summary of a task from the result of the wait for the API and those of the parts.

    ``optional`` are the results of further kinds of objects. ``listed`` are the kinds of which objects are listed.

    ``nested_position`` is for a purge of applications: the index in ``applications["results"]`` of the first
    application that is listed in a virtual host, and the number of these applications.
    """
    if api.get("failed"):  # nothing was reached, whether objects are listed or not
        vhosts = applications = push_tasks = {}
    others = {kind: {} if api.get("failed") else optional.get(kind, {"skipped": True}) for kind in _OPTIONAL}
    results: dict[str, Result] = {"vhosts": vhosts, "applications": applications, "push_tasks": push_tasks, **others}

    flat: Counts = applications.get("counts", {})
    if nested_position and "counts" in applications:
        flat = _flat_counts(applications["results"], *nested_position)
    restored_applications, restored_push_tasks = _count_restored(vhosts, applications, push_tasks)
    recreated = _recreated_parents(vhosts, applications)
    # The counts of each task, and those to add to them.
    first = {**{kind: result.get("counts", {}) for kind, result in results.items()}, "applications": flat}
    second: dict[str, Counts] = {
        "vhosts": {},
        "applications": _moved(vhosts.get("application_counts", {}), restored_applications, "recreated"),
        "push_tasks": _moved({}, restored_push_tasks, "restarted"),
        **{kind: _count_interrupted(result, recreated, check_mode) for kind, result in others.items()},
    }
    counts = {
        kind: {word: first[kind].get(word, 0) + second[kind].get(word, 0) for word in _PARTS[kind][1]}
        for kind in results
    }
    texts, missing = [], {}
    for kind, (title, words) in _PARTS.items():
        if kind in _OPTIONAL and not _is_shown(kind, results[kind], listed):
            continue
        counted = first[kind] or second[kind] or "counts" in results[kind]
        texts.append(f"{title}: {_describe(counts[kind]) if counted else _reason(results[kind])}")
        missing[kind] = counts[kind][words[0]]
    durable = [result for result in results.values() if "restart_required" in result]
    restart_required = any(result["restart_required"] for result in durable)
    line = "; ".join(texts)
    if any("counts" in result for result in results.values()):
        line += f"; missing before: {_describe_missing(missing, vhosts)}"
    if restart_required:
        line += "; a restart of the server is required"
    return {
        **counts,
        **({"restart_required": restart_required} if durable else {}),
        "missing": missing,
        "unreachable_host_names": vhosts.get("unreachable_host_names", {}),
        "failed": any(bool(result.get("failed")) for result in (api, *results.values())),
        "line": ("Check mode, this would be done: " if check_mode else "") + line,
    }


def _recreated_parents(vhosts: Result, applications: Result) -> set[tuple[str, str | None]]:
    """Return the recreated applications as virtual host and name, and recreated virtual hosts with None as name."""
    of_vhosts = vhosts.get("results", ())
    apps = [app for entry in of_vhosts for app in entry.get("applications", ())]
    apps += applications.get("results", ())
    return {
        *((entry["name"], None) for entry in of_vhosts if entry["action"] == "recreated"),
        *((app["vhost"], app["name"]) for app in apps if app["action"] == "recreated"),
    }


def _count_interrupted(result: Result, recreated: set[tuple[str, str | None]], check_mode: bool) -> Counts:
    """Return the changes of the counts for objects that the recreation of a parent interrupts.

    It ends pulls and recordings, so that their task creates them again; channels come back with their application. In
    check mode all of them are still there, and the task reports `unchanged`.
    """
    moved: collections.Counter[str] = collections.Counter()
    for entry in result.get("results", ()):
        if not {(entry["vhost"], None), (entry["vhost"], entry["app"])} & recreated:
            continue
        action = entry["action"]
        if action == "unchanged" or (action in _AGAIN and not check_mode):
            word = "restarted" if "id" in entry else "recreated"
            moved.update({word: 1})
            moved.subtract({action: 1})
    return moved


def _is_shown(kind: str, result: Result, listed: t.Container[str]) -> bool:
    """Return whether the line has a kind of objects that need not be listed."""
    if not result or result.get("not_selected"):
        return kind in listed
    return not result.get("skipped")


def _flat_counts(results: t.Sequence[Result], position: int, number: int) -> Counts:
    """Count the actions without the applications that are listed in virtual hosts.

    The task for virtual hosts has counted these.
    """
    return collections.Counter(entry["action"] for entry in [*results[:position], *results[position + number :]])


def _count_restored(vhosts: Result, applications: Result, push_tasks: Result) -> tuple[int, int]:
    """Count the applications and the push tasks that the recreation of a parent has restored.

    The task that lists them finds them as listed and reports ``unchanged``.
    """
    nested = [app for entry in vhosts.get("results", ()) for app in entry.get("applications", ())]
    apps = [*nested, *applications.get("results", ())]
    restored = set()
    for entry in (*vhosts.get("results", ()), *apps):
        if entry["action"] == "recreated":
            contents = entry.get("carried_over", entry.get("would_drop", {}))
            names = (*contents.get("applications", ()), *contents.get("push_tasks", ()))
            restored |= {f"{entry.get('vhost', entry['name'])}/{name}" for name in names}
    # An application that is listed in a virtual host comes again in the results of a purge. The first result counts.
    first: dict[str, str] = {}
    for app in apps:
        first.setdefault(f"{app['vhost']}/{app['name']}", app["action"])
    tasks = {f"{task['vhost']}/{task['app']}/{task['id']}": task["action"] for task in push_tasks.get("results", ())}
    return sum(first.get(key) == "unchanged" for key in restored), sum(
        tasks.get(key) == "unchanged" for key in restored
    )


def _moved(counts: Counts, number: int, word: str) -> Counts:
    """Return the counts with ``number`` objects under ``word`` and no longer under ``unchanged``."""
    if not number:
        return counts
    return {**counts, word: counts.get(word, 0) + number, "unchanged": counts.get("unchanged", 0) - number}


def _describe(counts: Counts) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number or word != "skipped")


def _reason(result: Result) -> str:
    """Return why a task has no counts."""
    if not result:
        return "not reached"
    if result.get("not_selected"):
        return "not selected"
    return "none listed" if result.get("skipped") else "failed"


def _describe_missing(missing: Counts, vhosts: Result) -> str:
    if not any(missing.values()):
        return "nothing"
    text = ", ".join(f"{_PARTS[kind][0]} {number}" for kind, number in missing.items())
    unlisted = vhosts.get("unlisted")
    listed = [entry for entry in vhosts.get("results", ()) if entry["name"] not in (unlisted or ())]
    if missing["vhosts"] and missing["vhosts"] >= len(listed) and unlisted in _ALWAYS_PRESENT:
        text += " (all virtual hosts were missing, as after a restart of the server)"
    return text
