# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit as one HTML page, which needs no other files."""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import typing as t

import jinja2
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import (
    DRIFT,
    ERROR,
    INFO,
    SEVERITIES,
    WARNING,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import FAILS, NOT_TRIED
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASKS, RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import ALL_VHOSTS, OK, natural
from markupsafe import Markup

Record = t.Mapping[str, t.Any]
# A server lacks everything after a restart. More findings of one kind than this become one row.
MANY = 5
# Virtual hosts on the fewest servers share a column, so that a fleet with different virtual hosts on each server does
# not need a column for each.
MOST_COLUMNS = 100
LONGEST_VALUE = 600
_RANK = {severity: rank for rank, severity in enumerate((*SEVERITIES, OK))}
_WORDS = {
    ERROR: ("error", "errors"),
    DRIFT: ("drift", "drifts"),
    WARNING: ("warning", "warnings"),
    INFO: ("note", "notes"),
}
# States of a virtual host on a server: sign, word and severity.
STATES = {
    "error": ("✖", "error", ERROR),
    "drift": ("≠", "differs", DRIFT),
    "missing": ("−", "missing", DRIFT),
    "not_listed": ("+", "not listed", DRIFT),
    "warning": ("▲", "warning", WARNING),
    "info": ("✓", "as listed", OK),
    "ok": ("✓", "as listed", OK),
}
# Kinds of findings about fields, with the words for all fields of an object in one row; {} is their number.
_DIFFERENCES = {
    "differs": "is not as listed{}.",
    "restart_due": "is not as listed{} until the server restarts.",
    "not_durable": "is not as listed{} in its file.",
}
# Kinds of findings that a server can have very many of, with the words for all of them in one row.
_NAMES = {
    "missing": ("objects", "are listed and not on the server."),
    "not_listed": ("objects", "are on the server and not listed."),
    "not_durable": ("objects", "are in no file from which the server starts: a restart loses them."),
    "push_error": ("push tasks", f"are {PUSH_TASKS.in_error}"),
    "push_stalled": ("push tasks", "say that they push, and send nothing."),
    "push_doubled": ("push tasks", "run twice: the server's stream map has started them, too."),
    "record_doubled": ("recordings", "run twice: the server's stream map has started them, too."),
    "push_waiting": ("push tasks", "wait, although their streams are live."),
    "input_without_output": ("streams", "are live, but the server makes no output of them."),
    "record_error": ("recordings", f"are {RECORDS.in_error}"),
    "record_stalled": ("recordings", "do not record, although their streams are live."),
    "channel_not_playing": ("channels", "do not play."),
    "handshake_failed": ("TLS ports", "serve no certificate."),
    "certificate_expired": ("TLS ports", "serve a certificate that has expired."),
    "certificate_expiring": ("TLS ports", "serve a certificate that expires soon."),
    "certificate_differs": ("TLS ports", "serve another certificate than the one of the file."),
}
# Fields of findings about objects inside of applications, with the words for the object. Only the message has the type
# of a channel.
_INSIDE = {
    "push_task": ("Push task",),
    "record": ("Recording",),
    "stream": ("Stream",),
    "channel": ("Scheduled channel", "Multiplex channel", "Channel"),
}


def audit_page(report: Record, template: str, style: str = "", script: str = "") -> str:
    """Return the page."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(value=_value, rate=rate_of, count=_count, seconds=_seconds)
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return environment.from_string(str(template)).render(
        page=Page(report), style=Markup(style), script=Markup(script), policy=policy, states=STATES
    )


def _source(text: str) -> str:
    """Return the source expression of a content security policy for a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _value(value: t.Any) -> str:
    """Return a value in words."""
    text = (
        "nothing"
        if value is None
        else value
        if isinstance(value, str) and value
        else json.dumps(value, ensure_ascii=False)
    )
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + " … (all of it in audit.json)"


def rate_of(bits: int | None) -> str:
    """Return a bit rate in words."""
    if bits is None:
        return "–"
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits >= size:
            return f"{bits / size:.1f} {unit}"
    return f"{bits} bit/s"


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.2f} s"


def _count(number: int, severity: str) -> str:
    """Return the number of findings in words."""
    return f"{number:,} {_WORDS[severity][number != 1]}"


class Page:
    """The data of the template, in the order of the page."""

    def __init__(self, report: Record) -> None:
        self.generated_at: str = report["generated_at"]
        self.servers: t.Sequence[Record] = report["servers"]
        self.counts: t.Mapping[str, int] = report["counts"]
        self.status: str = report["status"]
        self.wrong = sum(server["status"] in (ERROR, DRIFT) for server in self.servers)
        self.silent = sum(not server["reachable"] for server in self.servers)  # includes servers that were not asked
        limits = {tuple(server["only_vhosts"]) for server in self.servers}
        self.only = sorted({name for limit in limits for name in limit}) if limits != {tuple(ALL_VHOSTS)} else []
        self.versions = collections.Counter(
            str(server["version"] or "unknown") for server in self.servers if server["reachable"]
        )
        self.findings = sorted(
            (row for server in self.servers for row in _rows(server)), key=lambda row: int(row["rank"])
        )
        self.notes = self._notes()
        self.columns, self.others = self._columns()
        self.matrix = sorted(map(self._matrix_row, self.servers), key=lambda row: int(row["rank"]))
        self.push_tasks = self._inside("push_tasks", "push_task", "id")
        self.records = self._inside("records", "record", "id")
        self.streams = self._inside("streams", "stream", "name")
        self.channels = self._inside("channels", "channel", "name")
        self.playbacks = sorted(
            (row for server in self.servers for row in _played(server)), key=lambda row: int(row["rank"])
        )
        self.expected_streams = sorted(
            (row for server in self.servers for row in _expected(server)), key=lambda row: int(row["rank"])
        )
        self.certificates = sorted(
            (row for server in self.servers for row in _certificates(server)),
            key=lambda row: (row["rank"], row["days"]),
        )

    @property
    def verdict(self) -> str:
        """Return the heading: whether the servers are as listed."""
        number = len(self.servers)
        if number < 2:
            return (
                "The server is not as it should be"
                if self.wrong
                else "The server is as listed"
                if number
                else "No server was audited"
            )
        if self.wrong:
            differ = "is not as it" if self.wrong == 1 else "are not as they"
            return f"{self.wrong:,} of {number:,} servers {differ} should be"
        return f"All {number:,} servers are as listed"

    @property
    def summary(self) -> str:
        """Return the numbers of findings in one line."""
        return ", ".join(_count(self.counts[severity], severity) for severity in (ERROR, DRIFT, WARNING))

    def _inside(self, key: str, field: str, name: str) -> list[dict[str, t.Any]]:
        """Return the rows of objects inside of applications, the worst first; ``field`` is that of findings."""
        rows = (row for server in self.servers for row in _inside(server, key, field, name))
        return sorted(rows, key=lambda row: int(row["rank"]))

    def _notes(self) -> list[dict[str, t.Any]]:
        """Return each info once, with the servers that have it."""
        servers: dict[str, list[str]] = {}
        for server in self.servers:
            for finding in server["findings"]:
                if finding["severity"] == INFO:
                    servers.setdefault(finding["message"], []).append(server["name"])
        return [{"message": message, "servers": names} for message, names in servers.items()]

    def _columns(self) -> tuple[list[str], bool]:
        """Return the virtual hosts with a column of their own, and whether there are others."""
        numbers = collections.Counter(vhost["name"] for server in self.servers for vhost in server["vhosts"])
        chosen = sorted(numbers, key=lambda name: (-numbers[name], name))[:MOST_COLUMNS]
        return sorted(chosen, key=natural), len(numbers) > len(chosen)

    def _matrix_row(self, server: Record) -> dict[str, t.Any]:
        states = {vhost["name"]: vhost["status"] for vhost in server["vhosts"]}
        bad = [name for name, state in states.items() if STATES[state][2] != OK]
        known = set(self.columns)
        others = {name: state for name, state in states.items() if name not in known}
        return {
            "server": server,
            "rank": _RANK[_shown(server["status"])],
            "severity": _shown(server["status"]),
            "cells": [states.get(name) for name in self.columns],
            "others": {name: state for name, state in others.items() if STATES[state][2] != OK},
            "others_ok": sum(STATES[state][2] == OK for state in others.values()),
            # The filter of the page finds the servers that have a problem with a virtual host.
            "text": " ".join([server["name"], str(server["version"] or ""), *bad]).lower(),
        }


def _shown(status: str) -> str:
    return OK if status == INFO else status


def _rows(server: Record) -> t.Iterator[dict[str, t.Any]]:
    """Yield the rows of a server.

    Differences of one object share a row, and so do many findings of one kind, and all with the same message.
    """
    groups: dict[tuple[t.Any, ...], list[Record]] = {}
    numbers = collections.Counter(finding["kind"] for finding in server["findings"])
    for number, finding in enumerate(server["findings"]):
        if finding["severity"] == INFO:
            continue
        place = tuple(finding[part] for part in ("vhost", "application", *_INSIDE))
        key: tuple[t.Any, ...] = (number,)
        if finding["kind"] in _DIFFERENCES and finding["field"]:
            key = (finding["kind"], *place)
        elif finding["kind"] not in _NAMES:
            key = (finding["severity"], finding["kind"], _message(finding))
        elif numbers[finding["kind"]] > MANY:
            key = (finding["kind"],)
        groups.setdefault(key, []).append(finding)
    for findings in groups.values():
        yield _row(server["name"], findings)


def _row(server: str, findings: t.Sequence[Record]) -> dict[str, t.Any]:
    first = findings[0]
    row = {
        "server": server,
        "severity": first["severity"],
        "rank": _RANK[first["severity"]],
        "object": _object(first),
        "message": _message(first),
    }
    row.update(items=[], changes=[])
    if first["kind"] in _DIFFERENCES and first["field"]:
        number = "" if len(findings) == 1 else f" in {len(findings)} fields"
        row["message"] = _DIFFERENCES[first["kind"]].format(number)
        row["changes"] = findings
    elif len(findings) > 1:
        what, text = _NAMES.get(first["kind"], ("objects", row["message"]))
        row.update(object=f"{len(findings)} {what}", message=text, items=[_object(finding) for finding in findings])
    elif first.get("vhosts"):
        row["object"] = f"{len(first['vhosts'])} virtual hosts"
        row["items"] = [f"Virtual host {name}" for name in first["vhosts"]]
    elif first["kind"] != "does_not_play" and (first["found"] is not None or first["wanted"] is not None):
        row["changes"] = findings
    return row


def _message(finding: Record) -> str:
    """Return a message without the object, which a row shows before it."""
    message: str = finding["message"].replace("The certificate at", "Certificate at", 1)
    for start in (_object(finding), finding["endpoint"]):
        for end in (" ", ": "):
            message = message[len(start + end) :] if start and message.startswith(f"{start}{end}") else message
    return message.strip()


def _object(finding: Record) -> str:
    """Return the object of a finding in words."""
    if finding["endpoint"]:
        return f"Certificate at {finding['endpoint']}"
    for field, words in _INSIDE.items():
        if finding[field]:
            names = [f"{word} {finding['vhost']}/{finding['application']}/{finding[field]}" for word in words]
            return next((name for name in names if finding["message"].startswith(f"{name} ")), names[-1])
    if finding["application"]:
        return f"Application {finding['vhost']}/{finding['application']}"
    if finding["vhost"]:
        return f"Virtual host {finding['vhost']}"
    return ""


def _worst(findings: t.Iterable[Record]) -> str:
    return min((_shown(finding["severity"]) for finding in findings), key=_RANK.__getitem__, default=OK)


def _inside(server: Record, key: str, field: str, name: str) -> t.Iterator[dict[str, t.Any]]:
    about: dict[tuple[str, str, str], list[Record]] = {}
    for finding in server["findings"]:
        about.setdefault((finding["vhost"], finding["application"], finding[field]), []).append(finding)
    for one in server[key]:
        findings = about.get((one["vhost"], one["app"], one[name]), [])
        severity = _worst(findings)
        kinds = {finding["kind"] for finding in findings}
        row = {"server": server["name"], "one": one, "severity": severity, "rank": _RANK[severity]}
        yield {**row, "stalled": bool(kinds & {"push_stalled", "record_stalled"}), "waits": "push_waiting" in kinds}


def _played(server: Record) -> t.Iterator[dict[str, t.Any]]:
    for one in server["playbacks"]:
        severity = {FAILS: ERROR, NOT_TRIED: WARNING}.get(one["verdict"], OK)
        latency = "" if one["latency"] is None else f"latency {_seconds(one['latency'])}"
        signed = {True: ", signed", False: ", without signature", None: ""}[one["signed"]]
        stage = "" if one["stage"] is None else f": {one['stage'].replace('_', ' ')}"
        # The message of what fails is that of its finding.
        reason = one["msg"].rstrip(".") if one["verdict"] == NOT_TRIED else ""
        yield {
            "server": server["name"],
            "one": one,
            "severity": severity,
            "rank": _RANK[severity],
            "title": "/".join(filter(None, (one["vhost"], one["app"], one["stream"] or one.get("id")))),
            "details": ". ".join(filter(None, (one["host_name"], reason, latency))),
            "protocols": " → ".join(filter(None, (one.get("protocol_in"), one["protocol_out"]))) + signed,
            "result": one["verdict"].replace("_", " ") + stage,
        }


def _expected(server: Record) -> t.Iterator[dict[str, t.Any]]:
    for one in server["expected_streams"]:
        severity = ERROR if one["state"] in ("missing", "below") else OK
        size = f"{one['width']:g}×{one['height']:g}" if one["width"] and one["height"] else ""
        rates = [
            rate_of(int(one["bitrate"])) if one["bitrate"] else "",
            f"{one['framerate']:g}/s" if one["framerate"] else "",
        ]
        audio = {True: "audio", False: "no audio", None: ""}[one["audio"]]
        yield {
            "server": server["name"],
            "severity": severity,
            "rank": _RANK[severity],
            "title": f"{one['vhost']}/{one['app']}/{one['name']}",
            "details": ", ".join(filter(None, (size, *rates, audio))),
            "state": {"met": "as expected", "below": "below", "missing": "missing", "not_due": "not now"}[one["state"]],
        }


def _certificates(server: Record) -> t.Iterator[dict[str, t.Any]]:
    for one in server["certificates"]:
        severity = _worst(
            finding
            for finding in server["findings"]
            if (finding["vhost"], finding["endpoint"]) == (one["vhost"], one["endpoint"])
        )
        # A certificate that could not be read sorts before all others.
        days = one["certificate"]["days_left"] if one["certificate"] else -1_000_000
        yield {"server": server["name"], "one": one, "severity": severity, "rank": _RANK[severity], "days": days}
