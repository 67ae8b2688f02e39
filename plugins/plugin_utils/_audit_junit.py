# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit as JUnit XML, for continuous integration.

Each server is a test suite. The server itself, each virtual host with its applications, each push task, recording,
pulled stream and channel, each certificate, and all that was played and did not fail, is a test case. A finding about
several virtual hosts belongs to the test case of the first. Those of the others are skipped, unless they have errors or
drift of their own.
"""

from __future__ import annotations

import json
import re
import typing as t
from xml.etree import ElementTree

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import DRIFT, ERROR
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import FAILS, NOT_TRIED

# Characters that XML 1.0 does not allow, not even escaped (https://www.w3.org/TR/xml/#charsets).
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SERVER = "server"
# The objects inside of applications: the key of a server, the field of findings, the words, and the key of the name.
INSIDE = (
    ("push_tasks", "push_task", "push task", "id"),
    ("records", "record", "recording", "id"),
    ("streams", "stream", "pulled stream", "name"),
    ("channels", "channel", "channel", "name"),
)
Finding = t.Mapping[str, t.Any]


def audit_junit(report: t.Mapping[str, t.Any]) -> str:
    """Return the report as JUnit XML."""
    root = ElementTree.Element("testsuites", {"name": "OvenMediaEngine audit"})
    for server in report["servers"]:
        _add_suite(root, server, report["generated_at"])
    for total in ("tests", "failures", "errors"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _text(value: t.Any) -> str:
    return _IMPOSSIBLE.sub("\ufffd", str(value))


def _add_suite(root: ElementTree.Element, server: t.Mapping[str, t.Any], time: str) -> None:
    attributes = {
        "name": _text(server["name"]),
        "hostname": _text(server["name"]),
        "timestamp": _text(time).rstrip("Z"),
        "time": "0",
    }
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    cases = _cases(server)
    shared = {
        ("virtual host", name): finding
        for finding in server["findings"]
        if finding["severity"] in (ERROR, DRIFT)
        for name in finding.get("vhosts", ())
    }
    for (what, name), findings in cases.items():
        case = _add_case(suite, f"{server['name']}.{what}", f"{what} {name}".rstrip(), findings)
        if (what, name) in shared and not any(finding["severity"] in (ERROR, DRIFT) for finding in findings):
            first = shared[what, name]["vhost"]
            case.insert(0, ElementTree.Element("skipped", {"message": _text(f"See virtual host {first}.")}))
    for what, one in _played(server):
        case = _add_case(suite, f"{server['name']}.playback", what, [])
        if one["verdict"] == NOT_TRIED:
            ElementTree.SubElement(case, "skipped", {"message": _text(one["msg"])})
    suite.set("tests", str(len(suite)))
    for total, outcome in (("errors", "error"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(total, str(len(suite.findall(f"testcase/{outcome}"))))


def _played(server: t.Mapping[str, t.Any]) -> t.Iterator[tuple[str, t.Mapping[str, t.Any]]]:
    """Yield what was played and did not fail, with a name: failures are findings."""
    for one in server.get("playbacks", ()):
        if one["verdict"] != FAILS:
            parts = (one["host_name"], one.get("protocol_in"), one["protocol_out"], one.get("id"))
            signed = {True: "signed", False: "without signature", None: None}[one["signed"]]
            place = f"{one['vhost']}/{one['app']}"
            yield " ".join(str(part) for part in (place, *parts, signed, one["stream"]) if part), one


def _cases(server: t.Mapping[str, t.Any]) -> dict[tuple[str, str], list[Finding]]:
    """Return the findings of each test case. A test case without findings passes."""
    cases: dict[tuple[str, str], list[Finding]] = {(SERVER, ""): []}
    cases.update({("virtual host", vhost["name"]): [] for vhost in server["vhosts"]})
    for key, _field, words, name in INSIDE:
        cases.update({(words, f"{one['vhost']}/{one['app']}/{one[name]}"): [] for one in server[key]})
    cases.update({("certificate", f"{one['vhost']} {one['endpoint']}".strip()): [] for one in server["certificates"]})
    expected = {f"{one['vhost']}/{one['app']}/{one['name']}": one for one in server["expected_streams"]}
    cases.update({("expected stream", name): [] for name in expected})
    for finding in server["findings"]:
        case = _case_of(finding)
        # Most live streams are not listed, and only those that are have a test case without a finding.
        if case[0] == "pulled stream" and case not in cases:
            case = ("stream", case[1])
        cases.setdefault(case, []).append(finding)
    return cases


def _case_of(finding: Finding) -> tuple[str, str]:
    if finding["endpoint"]:
        return "certificate", f"{finding['vhost']} {finding['endpoint']}".strip()
    for _key, field, words, _name in INSIDE:
        if finding[field]:
            return words, f"{finding['vhost']}/{finding['application']}/{finding[field]}"
    return ("virtual host", finding["vhost"]) if finding["vhost"] else (SERVER, "")


def _add_case(
    suite: ElementTree.Element, classname: str, name: str, findings: t.Sequence[Finding]
) -> ElementTree.Element:
    case = ElementTree.SubElement(suite, "testcase", {"classname": _text(classname), "name": _text(name), "time": "0"})
    bad = [finding for finding in findings if finding["severity"] in (ERROR, DRIFT)]
    if bad:
        worst = ERROR if any(finding["severity"] == ERROR for finding in bad) else DRIFT
        first = next(finding for finding in bad if finding["severity"] == worst)
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        attributes = {"type": _text(first["kind"]), "message": _text(first["message"] + more)}
        ElementTree.SubElement(case, "error" if worst == ERROR else "failure", attributes).text = "\n".join(
            map(_line, bad)
        )
    rest = [finding for finding in findings if finding["severity"] not in (ERROR, DRIFT)]
    if rest:
        ElementTree.SubElement(case, "system-out").text = "\n".join(map(_line, rest))
    return case


def _line(finding: Finding) -> str:
    change = ""
    if finding["found"] is not None or finding["wanted"] is not None:
        change = f" On the server: {_value(finding['found'])}"
        change += "." if finding["wanted"] is None else f"; listed: {_value(finding['wanted'])}."
    return _text(f"{finding['severity']}: {finding['message']}{change}")


def _value(value: t.Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
