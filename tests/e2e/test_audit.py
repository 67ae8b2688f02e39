# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook audit, as a user runs them, and their reports, as programs read them."""

from __future__ import annotations

import json
import pathlib
import re
import typing as t

import jsonschema
import junitparser
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_metrics import STATES, audit_metrics
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_page import audit_page
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.unit.reading_metrics import parsed

from .audited_fleet import HOSTILE, NAMES, Fleet, expiring, wanted
from .browser import PHONE, WIDE, opened
from .conftest import BOTH_PATHS, REPOSITORY, Project, Run

NOT_AUDITED = {
    "mistyped-1": "audit_failed",
    "mistyped-3": "audit_failed",
    "silent-1": "refused",
    "unreachable-1": "host_unreachable",
}


class Audited(t.NamedTuple):
    """A fleet after its audit."""

    fleet: Fleet
    run: Run
    report: dict[str, t.Any]

    def server(self, name: str) -> dict[str, t.Any]:
        """Return what the report says of a server."""
        return next(server for server in self.report["servers"] if server["name"] == name)

    def kinds(self, name: str) -> list[tuple[str, str]]:
        """Return severities and kinds of the findings of a server, without those of the severity info."""
        return [(one["severity"], one["kind"]) for one in self.server(name)["findings"] if one["severity"] != "info"]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Audited]:
    """Provide one audit of a fleet with everything, which shows all that Ansible can show."""
    project = Project(tmp_path_factory.mktemp("audited"))
    with Fleet(project) as fleet:
        fleet.with_everything()
        run = fleet.audit("-vvvv", "--diff", ANSIBLE_SHOW_CUSTOM_STATS="1")
        assert fleet.reports.is_dir(), run.output
        yield Audited(fleet, run, fleet.report())


def schema() -> t.Any:
    """Return the schema that the collection documents."""
    return json.loads((REPOSITORY / "docs/audit/report.schema.json").read_text(encoding="utf-8"))


def cases(path: pathlib.Path) -> dict[tuple[str, str], list[t.Any]]:
    """Return the test cases of a JUnit file by suite and name, with their results."""
    return {
        (suite.name, case.name): case.result for suite in junitparser.JUnitXml.fromfile(str(path)) for case in suite
    }


@pytest.mark.exhaustive
def test_every_finding_is_in_the_report(audited: Audited) -> None:
    jsonschema.validate(audited.report, schema(), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    assert [server["name"] for server in audited.report["servers"]] == sorted(audited.fleet.hosts)
    assert audited.report["status"] == "error"
    for name in ("edge-1", "edge-2", "origin-3"):
        assert audited.kinds(name) == []
        assert audited.server(name)["status"] == "info"
    assert sorted(audited.kinds("edge-3")) == [("drift", "differs")] * 5 + [
        ("drift", "missing"),
        ("drift", "not_listed"),
        ("warning", "unaddressable"),
    ]
    assert set(audited.kinds("edge-4")) == {("drift", "missing")} and len(audited.kinds("edge-4")) == 3 * len(NAMES)
    assert audited.kinds("edge-5") == [("error", "push_error")]
    assert audited.kinds("edge-6") == [("error", "push_stalled")] * len(NAMES)
    assert sorted(audited.kinds("media-1")) == [
        ("drift", "missing"),
        ("error", "channel_not_playing"),
        ("error", "record_stalled"),
    ]
    assert audited.kinds("origin-1") == [("warning", "certificate_expiring")]
    assert audited.kinds("origin-2") == [("drift", "certificate_differs")]
    assert audited.kinds("mistyped-2") == [("error", "bad_input")]
    for name, kind in NOT_AUDITED.items():
        assert audited.kinds(name) == [("error", kind)], audited.server(name)
        assert audited.server(name)["reachable"] is False
    assert audited.server("edge-1")["version"] == "0.20.0" and audited.server("origin-3")["version"] is None
    states = {vhost["name"]: vhost["status"] for vhost in audited.server("edge-3")["vhosts"]}
    assert (states["t-arena"], states["t-by-hand"], states["t-zoo"], states["t-stadium"]) == (
        "drift",
        "not_listed",
        "missing",
        "ok",
    )
    pushing = {task["vhost"]: task["bits_per_second"] for task in audited.server("edge-5")["push_tasks"]}
    assert pushing["t-arena"] > 0 and pushing["t-club"] is None and pushing["t-school"] is None


@pytest.mark.exhaustive
def test_each_host_with_findings_fails_with_one_short_line_after_the_report(audited: Audited) -> None:
    assert audited.run.status == 2
    counts = audited.report["counts"]
    failing = {
        server["name"]: server["counts"]
        for server in audited.report["servers"]
        if server["counts"]["error"] or server["counts"]["drift"]
    }
    assert len(failing) == len(audited.fleet.hosts) - 4
    for name, own in failing.items():
        message = f"{own['error']} error, {own['drift']} drift: see {audited.fleet.reports}/audit.html"
        assert re.search(
            rf'\[{re.escape(name)}\]: FAILED! => {{[^}}]*"msg": "{re.escape(message)}"', audited.run.output
        )
    assert (
        f"servers: {len(audited.fleet.hosts)}, 4 as listed, {len(NOT_AUDITED)} not audited; "
        f"findings: {counts['error']} error" in audited.run.output
    )
    assert all(recap["changed"] == 0 for recap in audited.run.recap.values())
    assert {name for name, recap in audited.run.recap.items() if recap["failed"]} == set(failing)
    assert sum(recap["unreachable"] for recap in audited.run.recap.values()) == 0
    stats = json.loads(re.findall(r"^\s*RUN: (\{.*\})$", audited.run.output, re.MULTILINE)[0])["ovenmediaengine_audit"]
    assert {severity: stats[severity] for severity in counts} == counts
    assert (stats["status"], stats["failed"], stats["servers"], stats["not_audited"]) == (
        "error",
        True,
        len(audited.fleet.hosts),
        len(NOT_AUDITED),
    )
    assert stats["report_dir"] == str(audited.fleet.reports)


def test_junit_reports_failures(audited: Audited) -> None:
    path = audited.fleet.reports / "audit.xml"
    suites = junitparser.JUnitXml.fromfile(str(path))
    found = cases(path)
    assert [suite.name for suite in suites] == sorted(audited.fleet.hosts)
    assert suites.tests == len(found) == sum(suite.tests for suite in suites)
    assert suites.errors == sum(isinstance(one, junitparser.Error) for results in found.values() for one in results)
    assert suites.failures == sum(isinstance(one, junitparser.Failure) for results in found.values() for one in results)
    assert not found["edge-1", "virtual host t-arena"] and not found["edge-1", "push task t-arena/live/platform"]
    (missing,) = found["edge-3", "virtual host t-zoo"]
    assert isinstance(missing, junitparser.Failure) and missing.type == "missing" and "t-zoo" in missing.message
    (refused,) = found["edge-5", "push task t-club/live/platform"]
    assert isinstance(refused, junitparser.Error) and refused.type == "push_error"
    for case, result, kind in (
        ("recording t-studio/live/archive", junitparser.Error, "record_stalled"),
        ("pulled stream t-studio/live/camera", junitparser.Failure, "missing"),
        ("channel t-studio/live/tv1", junitparser.Error, "channel_not_playing"),
    ):
        assert [(type(one), one.type) for one in found["media-1", case]] == [(result, kind)]
    (differs,) = found["edge-3", "virtual host t-arena"]
    assert (
        'On the server: ["live.arena.example.com"]; listed: ["live.arena.example.com", "*.arena.example.com"].'
        in differs.text
    )
    for name, kind in NOT_AUDITED.items():
        assert [(type(one), one.type) for one in found[name, "server"]] == [(junitparser.Error, kind)]
    certificates = {suite: results for (suite, name), results in found.items() if name.startswith("certificate ")}
    assert {suite: [type(one) for one in results] for suite, results in certificates.items()} == {
        "origin-1": [],
        "origin-2": [junitparser.Failure],
    }


def test_metrics_say_what_the_report_says(audited: Audited) -> None:
    path = audited.fleet.reports / "audit.prom"
    assert path.stat().st_mode & 0o777 == 0o644
    assert not path.with_name("audit.prom.new").exists()
    text = path.read_text(encoding="utf-8")
    assert text == audit_metrics(audited.report) and text.endswith("\n") and "\n\n" not in text
    found = parsed(text)
    assert (
        found["server_reachable"]
        == {(name,): float(name not in NOT_AUDITED) for name in audited.fleet.hosts}
        == {(server["name"],): float(server["reachable"]) for server in audited.report["servers"]}
    )
    for server in audited.report["servers"]:
        for one in server["findings"]:
            assert found["findings"][server["name"], one["severity"], one["kind"]] > 0
    assert sum(found["findings"].values()) == sum(audited.report["counts"].values())
    assert found["findings"]["edge-6", "error", "push_stalled"] == len(NAMES)
    assert found["push_tasks"]["edge-5", "t-club", "error"] == found["push_tasks"]["edge-5", "t-school", "ready"] == 1
    (record,) = audited.server("media-1")["records"]
    assert found["records"] == {("media-1", "t-studio", record["state"]): 1} and record["state"] in STATES
    assert found["streams"] == {("media-1", "t-studio", "missing"): 1}
    assert found["channels"] == {("media-1", "t-studio", "scheduled", "offair"): 1}
    matching = {server: value for (server, _vhost, _endpoint), value in found["certificate_matches_file"].items()}
    assert matching == {"origin-1": 1, "origin-2": 0}
    ends = {server: value for (server, *_rest), value in found["certificate_not_after_timestamp_seconds"].items()}
    assert (ends["origin-1"] - found["end_timestamp_seconds"][()]) // 86400 in (8, 9)
    # Two samples of the pushes are two seconds apart.
    assert found["duration_seconds"][()] >= 2


@pytest.mark.exhaustive
def test_server_names_are_neither_executed_nor_rendered_as_html(audited: Audited) -> None:
    texts = [
        (audited.fleet.reports / name).read_text(encoding="utf-8") for name in ("audit.json", "audit.xml", "audit.html")
    ]
    assert json.dumps(HOSTILE)[1:-1] in texts[0]
    assert all("{{ 7 * 191 }}" in text and "1337" not in text for text in texts)
    assert all("<script>document" not in text for text in texts[1:])


def page_of(audited: Audited) -> pathlib.Path:
    """Return the page of the fleet."""
    return audited.fleet.reports / "audit.html"


@pytest.mark.long
def test_the_page_opens_filters_and_sorts(audited: Audited) -> None:
    with opened(page_of(audited)) as one:
        page = one.page
        errors, drifts = audited.report["counts"]["error"], audited.report["counts"]["drift"]
        assert page.title() == f"{errors} errors, {drifts} drifts, 2 warnings – OvenMediaEngine audit"
        wrong = sum(server["status"] in ("error", "drift") for server in audited.report["servers"])
        assert page.inner_text("h1") == f"{wrong} of {len(audited.fleet.hosts)} servers are not as they should be"
        findings = one.rows("findings")
        assert len(one.rows("matrix")) == len(audited.fleet.hosts)
        assert findings.index("edge-5") < findings.index("edge-3"), "errors come first"
        (row,) = [text for text in page.locator(".findings tbody tr").all_inner_texts() if "t-studio/live/tv1" in text]
        assert "Scheduled channel t-studio/live/tv1 does not play: " in row and row.count("t-studio/live/tv1") == 1

        page.fill("#text", "T-ZOO missing")
        one.wait_for(".findings tbody tr:not([hidden])", 0)
        page.fill("#text", "t-ZOO")
        one.wait_for(".findings tbody tr:not([hidden])", 1)
        assert (one.rows("findings"), one.rows("matrix"), one.rows("pushes")) == (["edge-3"], ["edge-3"], [])
        assert page.is_visible("#pushes .none")
        assert page.inner_text("#count").startswith(
            f"Matching: 1 of {len(findings)} findings; 1 of {len(audited.fleet.hosts)} servers; 0 of "
        )
        page.click("button[type=reset]")
        one.wait_for(".findings tbody tr:not([hidden])", len(findings))
        for severity in ("drift", "warning", "ok"):
            page.uncheck(f"input[value={severity}]")
        # What is unchecked is put into effect a moment later, on a busy machine one after the other.
        for severity in ("drift", "warning", "ok"):
            one.wait_for(f"tbody tr[data-s={severity}]:not([hidden])", 0)
        assert set(one.rows("findings")) == {"edge-5", "edge-6", "media-1", "mistyped-2", *NOT_AUDITED}
        assert set(one.rows("pushes")) == {"edge-5", "edge-6", "media-1"}, "recordings and channels are such tables"
        page.click("button[type=reset]")

        for direction, backwards in (("ascending", False), ("descending", True)):
            page.click(".matrix thead th:first-child button")
            assert page.get_attribute(".matrix thead th:first-child", "aria-sort") == direction
            assert one.rows("matrix") == sorted(audited.fleet.hosts, reverse=backwards)
        assert page.get_attribute(".matrix thead th:nth-child(2)", "aria-sort") == "none"
        page.click(".certificates thead th:nth-child(4) button")
        assert one.rows("certificates") == ["origin-1", "origin-2"]
        page.click(".certificates thead th:nth-child(4) button")
        assert one.rows("certificates") == ["origin-2", "origin-1"], "days are numbers"

        page.emulate_media(media="print")
        assert not page.is_visible("#filter") and page.is_visible(".matrix")
        assert one.requests == [page_of(audited).as_uri()]
        assert one.complaints == []


@pytest.mark.long
def test_the_page_works_by_keyboard(audited: Audited) -> None:
    with opened(page_of(audited)) as one:
        page = one.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip" and page.is_visible(".skip")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "text"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.type("edge-3")
        one.wait_for(".matrix tbody tr:not([hidden])", 1)
        for _box in range(4):
            page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert not page.is_checked("input[value=ok]")
        for _step in range(3):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent.trim()") == "Server"
        page.keyboard.press("Enter")
        assert page.get_attribute(".findings thead th:nth-child(2)", "aria-sort") == "ascending"
        page.focus("button[data-f='edge-3 t-zoo']")
        assert page.inner_text("button[data-f='edge-3 t-zoo'] .hidden") == "t-zoo on edge-3: missing"
        page.keyboard.press("Enter")
        assert one.rows("findings") == ["edge-3"] and page.input_value("#text") == "edge-3 t-zoo"
        assert page.evaluate("document.activeElement.id") == "findings"
        assert one.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_page_is_accessible(audited: Audited, size: tuple[int, int], scheme: str) -> None:
    with opened(page_of(audited), size=size, scheme=scheme) as one:
        assert one.violations() == []
        assert one.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        dark = one.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        assert dark == (scheme == "dark")
        colour = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", colour)[:3])) < 384) == dark
        one.page.emulate_media(media="print", color_scheme=t.cast("t.Any", scheme))
        on_paper = [
            one.page.evaluate("(selector) => getComputedStyle(document.querySelector(selector)).color", part)
            for part in ("body", "h1", "del", "ins", ".label")
        ]
        assert all(sum(map(int, re.findall(r"\d+", colour)[:3])) < 384 for colour in on_paper), (
            "paper is white, whatever the screen is"
        )


@pytest.mark.long
def test_a_page_of_500_servers_with_50_virtual_hosts_each(
    project: Project, record_property: t.Callable[[str, object], None]
) -> None:
    """Times are recorded, and not judged: they are the machine's. That rows are shown in part keeps them short."""
    report = audit_report({f"media-{number}": _big(number) for number in range(500)}, "2026-01-31T03:00:00Z")
    role = REPOSITORY / "roles/audit"
    texts = [
        (role / name).read_text(encoding="utf-8")
        for name in ("templates/audit.html.j2", "files/audit.css", "files/audit.js")
    ]
    path = project.directory / "audit.html"
    path.write_text(audit_page(report, *texts), encoding="utf-8")
    with opened(path) as one:
        times = one.page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
        record_property("ms until interactive", round(times["domInteractive"]))
        record_property("ms until loaded", round(times["loadEventEnd"]))
        assert one.page.evaluate("document.querySelectorAll('.matrix tbody tr').length") == 500
        assert one.page.evaluate("document.querySelectorAll('.matrix thead .turned').length") == 50
        assert len(one.rows("matrix")) == len(one.rows("pushes")) == 100
        for words, number in (("media-42", 11), ("", 100), ("t-7 media-407", 1)):
            milliseconds = one.page.evaluate(
                """(words) => {
                    const start = performance.now();
                    document.getElementById("text").value = words;
                    document.getElementById("filter").requestSubmit();
                    document.body.getBoundingClientRect();
                    return performance.now() - start;
                }""",
                words,
            )
            record_property(f"ms to filter by {words!r}", round(milliseconds))
            assert len(one.rows("matrix")) == number
        one.page.click("button[type=reset]")
        one.page.wait_for_selector("#matrix .more:not([hidden])", state="attached")
        one.page.evaluate("document.querySelector('#matrix .more').click()")
        assert len(one.rows("matrix")) == 500
        assert one.complaints == []


def _big(number: int) -> dict[str, t.Any]:
    """Return what a server of a large fleet can be like: one in ten has lost a virtual host."""
    names = [f"t-{index}" for index in range(50)]
    lost = names[7] if number % 10 == 7 else ""
    missing = {
        "severity": "drift",
        "kind": "missing",
        "message": f"Virtual host {lost} is listed and not on the server.",
        "vhost": lost,
    }
    vhost = {"listed": True, "read_only": False}
    task = {
        "app": "live",
        "id": "platform",
        "protocol": "rtmp",
        "url": "rtmp://ingest.example.com/live/********",
        "state": "pushing",
    }
    task_rest = {"bits_per_second": 4_000_000, "listed": True, "is_config": False}
    return {
        "reachable": True,
        "version": "0.20.0",
        "findings": [missing] if lost else [],
        "vhosts": [
            {**vhost, "name": name, "present": name != lost, "status": "missing" if name == lost else "ok"}
            for name in names
        ],
        "push_tasks": [{**task, **task_rest, "vhost": name} for name in names[:10]],
        "certificates": [],
    }


def lone(fleet: Fleet, name: str, **variables: t.Any) -> Simulator:
    """Return one server alone, so that a run takes a moment only.

    Its pushes are past connecting, however soon the first run looks.
    """
    return fleet.add(name, clock=ManualClock(), **{"audit_sampling_interval": 0, **variables})


@pytest.mark.long
def test_halves_of_surrogate_pairs_are_in_every_report(project: Project, sim: Simulator) -> None:
    lone = "x\ud800y"
    for name in ("t-odd", lone):
        vhost = sim.state.create_virtual_host({"name": name, "host": {"names": [lone]}})
        for app in ("live", lone):
            sim.state.create_application(
                vhost, {"name": app, "type": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}
            )
    push = sim.state.add_config_task(
        "t-odd", "live", id=lone, stream_name=lone, url="rtmp://h.example.com/live", stream_key="canary"
    )
    push.is_config = False
    listed = [{"name": "t-odd", "host": {"names": ["odd.example.com"]}}]
    project.inventory(
        dict.fromkeys(BOTH_PATHS, sim.url),
        ovenmediaengine_vhosts=listed,
        ovenmediaengine_applications=[],
        ovenmediaengine_push_tasks=[],
        audit_report_dir="report",
        audit_sampling_interval=0,
    )
    run = project.play("streamops.ovenmediaengine.audit", "-i", "inventory.json")
    assert run.status == 2 and "see " in run.output, run.output
    reports = {path.suffix: path.read_text(encoding="utf-8") for path in (project.directory / "report").iterdir()}
    assert set(reports) == {".json", ".xml", ".html", ".prom"}
    assert r"x\\ud800y" in reports[".json"] and all(r"x\ud800y" in reports[kind] for kind in (".xml", ".html"))
    first, second = (server["findings"] for server in json.loads(reports[".json"])["servers"])
    assert first == second and any(r"x\ud800y" in finding["message"] for finding in first)
    exported = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json")
    assert exported.status == 0, exported.output
    for path in BOTH_PATHS:
        assert r"x\ud800y" in (project.directory / f"ovenmediaengine-{path}.yml").read_text(encoding="utf-8")


@pytest.mark.long
def test_exit_status(project: Project) -> None:
    with Fleet(project) as fleet:
        lone(fleet, "one").clear_log()
        fleet.hosts["one"]["ovenmediaengine_push_tasks"] = wanted()["ovenmediaengine_push_tasks"][1:]
        for fail_on, status, arguments in (("error", 0, []), ("drift", 2, ["--check"])):
            run = fleet.audit(*arguments, "-e", f"audit_fail_on={fail_on}", "-e", "audit_report_dir=here/there")
            assert run.status == status, run.output
            assert (
                json.loads((project.directory / "here/there/audit.json").read_text(encoding="utf-8"))["counts"]["drift"]
                == 1
            )
            assert (project.directory / "here/there/audit.html").stat().st_size > 10_000
            assert (project.directory / "here/there/audit.prom").is_file()
            for path in (project.directory / "here/there").iterdir():
                path.unlink()


@pytest.mark.long
def test_metrics_are_replaced_in_the_directory_of_a_collector(project: Project) -> None:
    directory = project.directory / "collector"
    before = directory / "fleet.prom"
    directory.mkdir()
    before.write_text("ovenmediaengine_audit_servers 1\n", encoding="utf-8")
    link = project.directory / "open.prom"
    link.hardlink_to(before)
    with Fleet(project) as fleet:
        lone(fleet, "one").clear_log()
        for arguments in (["--check"], []):
            run = fleet.audit(*arguments, "-e", "audit_metrics_file=collector/fleet.prom", "-e", "audit_fail_on=none")
            assert run.status == 0, run.output
            assert [path.name for path in directory.iterdir()] == ["fleet.prom"]
            assert parsed(before.read_text(encoding="utf-8"))["server_reachable"] == {("one",): 1}
            assert not (fleet.reports / "audit.prom").exists()
        assert link.read_text(encoding="utf-8") == "ovenmediaengine_audit_servers 1\n", (
            "a reader of it is not disturbed"
        )
        merged = project.play(
            "streamops.ovenmediaengine.merge_audits",
            "-i",
            "one,two",
            "-e",
            f"audit_parts_dir={fleet.reports}",
            "-e",
            "audit_report_dir=merged",
            "-e",
            "audit_metrics_file=collector/fleet.prom",
            "-e",
            "audit_fail_on=none",
        )
        assert merged.status == 0, merged.output
        assert parsed(before.read_text(encoding="utf-8"))["server_reachable"] == {("one",): 1, ("two",): 0}


@pytest.mark.long
@pytest.mark.parametrize(("fail_on", "status"), [("error", 2), ("none", 0)])
def test_exit_status_if_no_server_can_be_audited(project: Project, fail_on: str, status: int) -> None:
    """The first host and all others fail, and there is a report all the same."""
    with Fleet(project) as fleet:
        fleet.add_silent("a-first", **fleet.out_of_reach())
        fleet.add_silent("b-second", ovenmediaengine_vhosts="{{ not_there }}", ovenmediaengine_timeout="soon")
        run = fleet.audit(variables={"audit_fail_on": fail_on})
        assert run.status == status, run.output
        assert [(server["name"], server["findings"][0]["kind"]) for server in fleet.report()["servers"]] == [
            ("a-first", "host_unreachable"),
            ("b-second", "audit_failed"),
        ]


@pytest.mark.long
def test_warnings_never_fail_and_the_same_state_gives_the_same_report(project: Project) -> None:
    with Fleet(project) as fleet:
        sim = lone(fleet, "one")
        fleet.hosts["one"]["ovenmediaengine_push_tasks"][0]["url"] = (
            fleet.hosts["one"]["ovenmediaengine_push_tasks"][0]["url"] + "/"
        )
        fleet.hosts["one"]["ovenmediaengine_certificates"] = fleet.serve(sim, expiring(), "soon")
        sim.clear_log()
        reports = []
        for _run in range(2):
            run = fleet.audit(variables={"audit_fail_on": "drift"})
            assert run.status == 0, run.output
            reports.append(fleet.report())
        assert reports[0]["counts"]["warning"] == 1
        times = {"generated_at": "", "started_at": ""}
        assert {**reports[0], **times} == {**reports[1], **times}
