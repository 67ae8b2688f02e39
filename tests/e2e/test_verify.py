# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook verify, on servers that take publishers and serve viewers."""

from __future__ import annotations

import json
import re
import typing as t
import xml.etree.ElementTree as ET

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from jsonschema import Draft202012Validator

from .conftest import LOCAL, REPOSITORY, TOKEN, Project, Run
from .test_documents import SHOWN, blocks

SECRET = "canary-policy-key"
FLEET = yaml.safe_load(next(block.text for block in blocks("guide_verify.rst") if block.mark == "as fleet.yml"))
VERIFY = "streamops.ovenmediaengine.verify"
VIEWERS, ENCODERS = "ovenmediaengine_viewers", "ovenmediaengine_encoders"


@pytest.fixture
def server() -> t.Iterator[Simulator]:
    """A server whose virtual host `default` leaves the host names of others to them."""
    with media_server() as started:
        yield started


def media_server(**options: t.Any) -> Simulator:
    """Return a server that takes publishers and serves viewers."""
    ports = dict.fromkeys(("viewer_ports", "signalling_ports", "rtmp_ports", "thumbnail_ports"), [0])
    return Simulator(**{"token": TOKEN, "default_host_names": ["default.example.com"], **ports, **options})


def variables(server: Simulator, *, few: bool = False, **more: t.Any) -> dict[str, t.Any]:
    """Return the variables of a host. With ``few``, it is tried by one protocol only."""
    viewers = {"ports": {"llhls": server.viewer_ports[0], "webrtc": server.signalling_ports[0]}}
    encoders = {"ports": {"rtmp": server.rtmp_ports[0], "whip": server.signalling_ports[0]}}
    return {
        "ovenmediaengine_api_url": server.url,
        VIEWERS: {**viewers, "connect_to": "127.0.0.1", **({"protocols": ["llhls"]} if few else {})},
        ENCODERS: {**encoders, **({"protocols": ["rtmp"]} if few else {})},
        **more,
    }


def play(
    project: Project,
    hosts: t.Mapping[str, t.Mapping[str, t.Any]],
    *arguments: str,
    playbook: str = VERIFY,
    **more: t.Any,
) -> Run:
    """Run a playbook for servers with the tenant of the guide."""
    common = {
        **LOCAL,
        **FLEET,
        "ovenmediaengine_api_token": TOKEN,
        "signed_policy_secret": SECRET,
        **more,
    }
    inventory = {"all": {"hosts": hosts, "vars": common}}
    (project.directory / "inventory.json").write_text(json.dumps(inventory), encoding="utf-8")
    run = project.play(playbook, "-i", "inventory.json", *arguments)
    assert SECRET not in run.output and TOKEN not in run.output
    return run


def table_of(run: Run, host: str) -> list[str]:
    """Return what the role shows for a host."""
    found = re.search(rf'^ok: \[{host}\] => (\{{\n    "msg": \[[\s\S]*?\n\}})', run.output, re.MULTILINE)
    assert found, run.output
    shown: list[str] = json.loads(found[1])["msg"]
    return shown


def shown_in_the_guide(number: int) -> list[str]:
    """Return the lines of a table of the guide."""
    return [block for block in blocks("guide_verify.rst") if block.language in SHOWN][number].text.splitlines()


def without_times(lines: t.Iterable[str]) -> list[str]:
    """Return lines in which each time is the same, and single blanks."""
    return [" ".join(re.sub(r"\d+\.\d\d s", "0.00 s", line).split()) for line in lines]


@pytest.mark.exhaustive
def test_the_table_of_the_guide(project: Project, server: Simulator) -> None:
    hosts = {
        name: variables(server, ovenmediaengine_in_process=name == "in-process") for name in ("in-process", "module")
    }
    made = play(project, hosts, "--limit", "module", playbook="streamops.ovenmediaengine.provision")
    assert made.status == 0, made.output
    writes = len(server.writes)
    run = play(project, hosts)
    assert run.status == 0, run.output
    for host in hosts:
        assert without_times(table_of(run, host)) == without_times(shown_in_the_guide(0)), run.output
        assert run.recap[host]["changed"] == 0
    assert len(server.writes) == writes
    checked = play(project, hosts, "--check")
    assert checked.status == 0, checked.output
    for host in hosts:
        assert table_of(checked, host)[-1] == "Check mode, this would be tried: 8 rows; 0 cannot be tried"


@pytest.mark.exhaustive
def test_the_stock_configuration_of_the_guide(project: Project) -> None:
    with media_server(default_host_names=["*"]) as server:
        run = play(
            project,
            {"media-1": variables(server)},
            playbook="streamops.ovenmediaengine.provision",
            ovenmediaengine_verify=True,
        )
    assert run.status == 2 and run.recap["media-1"]["failed"] == 1, run.output
    assert without_times(table_of(run, "media-1")) == without_times(shown_in_the_guide(1)), run.output
    assert "Virtual host default takes live.tenant-a.example.com" in run.failure("media-1")


def test_provision_proves_that_it_plays(project: Project, server: Simulator) -> None:
    options = {"ovenmediaengine_verify": True, "playbook": "streamops.ovenmediaengine.provision"}
    checked = play(project, {"media-1": variables(server, few=True)}, "--check", **options)
    assert checked.status == 0 and "published" not in checked.output and not server.writes, checked.output
    run = play(project, {"media-1": variables(server, few=True)}, **options)
    assert run.status == 0 and table_of(run, "media-1")[-1] == "2 play, 0 fail, 0 not tried", run.output


@pytest.mark.exhaustive
def test_text_for_no_starts_no_proof(project: Project, server: Simulator) -> None:
    play(project, {"media-1": variables(server)}, playbook="streamops.ovenmediaengine.provision")
    run = play(
        project,
        {"media-1": variables(server)},
        *("-e", "ovenmediaengine_verify=no"),
        playbook="streamops.ovenmediaengine.provision",
    )
    assert run.status == 0 and "unchanged" in run.output and "published" not in run.output, run.output


@pytest.mark.exhaustive
def test_a_host_that_cannot_say_whether_to_prove_does_not_end_the_run(project: Project, server: Simulator) -> None:
    wrong = {"undefined": "{{ nothing }}", "unknown": "perhaps", "missing": "{{ lookup('file', 'nothing') }}"}
    hosts = {name: variables(server, few=True, ovenmediaengine_verify=value) for name, value in wrong.items()}
    right = {"false": variables(server), "null": variables(server, ovenmediaengine_verify=None)}
    run = play(project, {**hosts, **right}, playbook="streamops.ovenmediaengine.provision")
    assert run.status == 2, run.output
    assert {name: recap["failed"] for name, recap in run.recap.items()} == {
        **dict.fromkeys(wrong, 1),
        **dict.fromkeys(right, 0),
    }
    assert "ovenmediaengine_verify: expected a boolean" in run.failure("unknown")
    assert "nothing" in run.failure("undefined") and "nothing" in run.failure("missing")


@pytest.mark.exhaustive
def test_only_servers_of_a_large_fleet_that_are_to_be_verified_are(project: Project, server: Simulator) -> None:
    hosts = {f"media-{number:02}": variables(server, few=True) for number in range(1, 12)}
    options = {"playbook": "streamops.ovenmediaengine.provision"}
    none = play(project, hosts, **options)
    assert none.status == 0 and none.output.count("\nskipping: [") == 1, none.output
    hosts["media-11"]["ovenmediaengine_verify"] = True
    one = play(project, hosts, **options)
    assert one.status == 0 and table_of(one, "media-11")[-1] == "2 play, 0 fail, 0 not tried", one.output
    assert len(re.findall(r" play, 0 fail", one.output)) == 1, one.output
    assert re.search(r'"to be verified": \[\s*"media-11"\s*\]', one.output), one.output
    alone = play(project, hosts, "--tags", "verify", **options)
    assert alone.status == 0 and len(re.findall(r" play, 0 fail", alone.output)) == 1, alone.output
    for tags in (("--skip-tags", "verify"), ("--tags", "report"), ("--check",)):
        without = play(project, hosts, *tags, **options)
        assert without.status == 0 and "to be verified" not in without.output, without.output


@pytest.mark.exhaustive
def test_one_report_of_a_fleet(project: Project, server: Simulator) -> None:
    with media_server() as empty:
        hosts = {
            "media-1": variables(server, few=True),
            "media-2": variables(empty, few=True),
            "media-3": variables(
                server, few=True, ovenmediaengine_api_url="http://127.0.0.1:9", ovenmediaengine_retries=0
            ),
        }
        made = play(project, hosts, "--limit", "media-1", playbook="streamops.ovenmediaengine.provision")
        assert made.status == 0, made.output
        run = play(
            project,
            hosts,
            ovenmediaengine_verify_report_dir="proof",
            ovenmediaengine_verify_concurrency=2,
        )
    assert run.status == 2, run.output
    assert {host: counts["failed"] for host, counts in run.recap.items()} == {"media-1": 0, "media-2": 1, "media-3": 1}
    assert table_of(run, "media-3")[-1].endswith("the first that fails: tenant-a/live: refused")
    report = json.loads((project.directory / "proof/audit.json").read_text(encoding="utf-8"))
    assert [server["status"] for server in report["servers"]] == ["ok", "error", "error"]
    found = [[finding["kind"] for finding in server["findings"]] for server in report["servers"]]
    assert found == [[], ["does_not_play"], ["does_not_play"]]
    Draft202012Validator(json.loads((REPOSITORY / "docs/audit/report.schema.json").read_text("utf-8"))).validate(report)
    played = [(one["protocol_in"], one["protocol_out"], one["verdict"]) for one in report["servers"][0]["playbacks"]]
    assert played == [("rtmp", None, "plays"), ("rtmp", "llhls", "plays")]
    assert "streamops-test-" not in json.dumps(report)
    root = ET.parse(project.directory / "proof/audit.xml").getroot()
    assert root.get("errors") == "2"
    names = [case.get("name") for case in root.iterfind("testsuite[@name='media-1']/testcase")]
    live = "tenant-a/live live.tenant-a.example.com rtmp"
    assert names == ["server", f"{live} streamops-test", f"{live} llhls streamops-test"]
    assert ">Who can watch</h2>" in (project.directory / "proof/audit.html").read_text(encoding="utf-8")
