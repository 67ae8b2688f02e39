# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The path of a new user from the first stream to an audit in CI, with exit statuses and last lines compared with what
the guides show.

test_documents.test_readme_as_a_new_user_types_it types the README before this, and test_documents runs each command of
the guides unchanged.
"""

from __future__ import annotations

import json
import re
import typing as t
import urllib.error
import urllib.request

import junitparser
import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _variables
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import REPOSITORY, Project, Run
from .test_documents import REACHABLE, SHOWN, Desk, blocks, shown_in, started

HOST = "media-1.example.com"
PROVISION = "ansible-playbook streamops.ovenmediaengine.provision -i inventory.yml -e @secrets.yml"
ROLES = sorted(path.name for path in (REPOSITORY / "roles").iterdir())
TENANT_C = {
    "ovenmediaengine_vhosts": [{"name": "tenant-c", "host": {"names": ["live.tenant-c.example.com"]}}],
    "ovenmediaengine_applications": [
        {"vhost": "tenant-c", "name": "live", "providers": ["rtmp"], "publishers": ["llhls", "push"]}
    ],
    "ovenmediaengine_push_tasks": [
        {
            "vhost": "tenant-c",
            "app": "live",
            "id": "backup",
            "stream": {"name": "main"},
            "protocol": "mpegts",
            "url": "udp://backup.example.com:5001",
        }
    ],
}


def summary(output: str, host: str = HOST) -> str:
    """Return the last line that a role says of a host."""
    return Run(0, output, {}).summary(host)


def shape(text: str) -> str:
    """Return a line without its numbers and without the directory of the test."""
    return re.sub(r"\d+", "N", re.sub(r"/\S*(?=/audit\.html)", "", text))


def words(output: str) -> str:
    """Return an output as one line: ansible-core breaks long messages."""
    return " ".join(output.split())


def publish(server: Simulator, host: str) -> tuple[int, t.Any]:
    """Send a stream as the encoder of the guide does; return the status and the answer."""
    body = json.dumps({"host": host, "app": "live", "stream": "main"}).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"{server.url}/_simulator/publish", body, method="POST"), timeout=PATIENCE
        ) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.exhaustive
@pytest.mark.parametrize("reachable", (False, True), ids=("stock_configuration", "wildcard_taken_out"))
def test_guide_first_stream(project: Project, reachable: bool) -> None:
    plays = [block.text for block in blocks("guide_first_stream.rst") if block.language == "yaml"]
    with started([HOST], REACHABLE if reachable else ("*",)) as servers:
        desk = Desk("guide_first_stream.rst", project, servers)
        for name, text in zip(("application", "check"), plays, strict=True):
            desk.write(f"{name}.yml", text)
        # Whoever reads the guide has run the playbook of the README before.
        desk.write("tenant.yml", next(block.text for block in blocks("README.md") if block.language == "yaml"))
        desk.run("ansible-playbook tenant.yml")
        made = desk.run("ansible-playbook application.yml")
        assert re.search(r"^localhost +: ok=1 +changed=1 .* failed=0 ", made, re.MULTILINE), made
        assert ("Replace <Name>*</Name> of virtual host default" in words(made)) is not reachable, made
        status, answer = publish(desk.server, "live.studio.example.com")
        checked = desk.run("ansible-playbook check.yml")
        found = json.loads(checked[checked.index("=> {") + 3 : checked.index("PLAY RECAP")])["streams.json.response"]
        if reachable:
            assert status == 200 and answer == {"vhost": "studio", "app": "live", "stream": "main"}
            assert found == ["main"]
        else:
            # What the guide says to look for: the list without the stream, the name in the server's log, and the remedy
            # that the task has named already.
            assert status == 404 and "#default#live" in answer["error"]
            assert found == []
        (name,) = re.findall(r"The server's log then names ``(\S+)``", shown_text("guide_first_stream.rst"))
        assert name == "#default#live"


def shown_text(name: str) -> str:
    """Return the text of a guide as one line."""
    return words((REPOSITORY / "docs/docsite/rst" / name).read_text(encoding="utf-8"))


def options(role: str) -> list[str]:
    """Return the variables of a role, by its argument specs."""
    specs = yaml.safe_load((REPOSITORY / "roles" / role / "meta/argument_specs.yml").read_text(encoding="utf-8"))[
        "argument_specs"
    ]
    return sorted({name for entry in specs.values() for name in entry["options"]})


@pytest.mark.exhaustive
@pytest.mark.parametrize("role", ROLES)
def test_a_typo_in_each_variable_of_a_role_is_refused(role: str) -> None:
    typos = {
        typo: name
        for name in options(role)
        for typo in (name[:-1], name + name[-1], name.removesuffix("s") if name.endswith("s") else f"{name}s")
    }
    names = sorted(typos)
    for begin in range(0, len(names), 5):  # a message names five
        typed = names[begin : begin + 5]
        variables = {"ansible_role_name": f"streamops.ovenmediaengine.{role}", **dict.fromkeys(typed, "x")}
        result = _variables.refusal(variables, lambda value: value) or {}
        assert result.get("failed") and result["msg"].endswith(" Nothing was sent."), typed
        for typo in typed:
            assert f"{typo} (did you mean {typos[typo]}?)" in result["msg"], typo


@pytest.mark.exhaustive
def test_path_of_a_new_user(project: Project) -> None:
    with started([HOST], REACHABLE) as servers:
        desk = Desk("guide_provision.rst", project, servers)
        desk.save_files()
        fleet = yaml.safe_load((desk.directory / "fleet.yml").read_text(encoding="utf-8"))
        three = {name: fleet[name] + TENANT_C[name] for name in fleet}
        desk.write("fleet.yml", yaml.safe_dump(three))
        provision_three_tenants(desk)
        mistype_two_variables(desk, three)
        purge_the_third_tenant(desk, fleet)
        export_and_provision_from_the_file(desk)
        audit_in_ci(desk, fleet)


def provision_three_tenants(desk: Desk) -> None:
    """The guide shows the last line of two tenants."""
    shown = re.sub(r"\b2\b", "3", shown_in("guide_provision.rst", 0))
    checked = desk.run(f"{PROVISION} -e @fleet.yml --check --diff")
    assert summary(checked) == f"Check mode, this would be done: {shown}" and not desk.server.writes
    first = desk.run(f"{PROVISION} -e @fleet.yml")
    assert summary(first) == shown and "changed=1 " in first.splitlines()[-2], first
    second = desk.run(f"{PROVISION} -e @fleet.yml")
    assert "changed=0 " in second and "failed=0 " in second, second
    assert summary(second) == (
        "virtual hosts: 0 created, 0 recreated, 0 deleted, 3 unchanged, 0 failed; "
        "applications: 0 created, 0 recreated, 0 deleted, 3 unchanged, 0 failed; "
        "push tasks: 0 started, 0 restarted, 0 stopped, 3 unchanged, 0 failed; missing before: nothing"
    )
    assert publish(desk.server, "live.tenant-c.example.com")[1] == {
        "vhost": "tenant-c",
        "app": "live",
        "stream": "main",
    }


def mistype_two_variables(desk: Desk, variables: dict[str, t.Any]) -> None:
    """test_a_typo_in_each_variable_of_a_role_is_refused has all of them; here two are typed."""
    desk.server.clear_log()
    mistyped = {name.replace("_vhosts", "_vhost"): value for name, value in variables.items()}
    desk.write("mistyped.yml", yaml.safe_dump(mistyped))
    output = desk.run(f"{PROVISION} -e @mistyped.yml -e ovenmediaengine_purge_vhosts=true", fails=True)
    assert shown_in("guide_provision.rst", 1) in words(output) and "failed=1 " in output, output
    output = desk.run(
        "ansible-playbook streamops.ovenmediaengine.export -i inventory.yml -e export_fil=x.yml", fails=True
    )
    assert "The role export has no such variable: export_fil (did you mean export_file?)." in words(output)
    assert not desk.server.log and not list(desk.directory.glob("ovenmediaengine-*"))


def purge_the_third_tenant(desk: Desk, listed: dict[str, t.Any]) -> None:
    """A purge needs its list, and check mode says what it takes away.

    Test_role_variables has refusals in both modes; here each is seen in one.
    """
    desk.server.clear_log()
    purge = f"{PROVISION} -e ovenmediaengine_purge_vhosts=true"
    output = desk.run(purge, fails=True)
    assert "ovenmediaengine_purge_vhosts needs ovenmediaengine_vhosts, which is not defined." in words(output), output
    output = desk.run(f"{purge} -e '{{\"ovenmediaengine_vhosts\": []}}' --check", fails=True)
    assert "Set ovenmediaengine_purge_everything: true to do so" in words(output), output
    assert not desk.server.log
    desk.write("two.yml", yaml.safe_dump(listed))
    checked = desk.run(f"{purge} -e @two.yml --check")
    assert not desk.server.writes and "tenant-c" in desk.server.state.virtual_hosts
    done = desk.run(f"{purge} -e @two.yml")
    assert summary(checked) == f"Check mode, this would be done: {summary(done)}"
    assert summary(done).startswith("virtual hosts: 0 created, 0 recreated, 1 deleted, 2 unchanged, 0 failed;"), done
    assert set(desk.server.state.virtual_hosts) == {"default", "tenant-a", "tenant-b"}


def export_and_provision_from_the_file(desk: Desk) -> None:
    """The file and its secrets are all that provision needs."""
    exported = desk.run("ansible-playbook streamops.ovenmediaengine.export -i inventory.yml")
    assert shape(summary(exported)).startswith(shape(shown_in("guide_adopt.rst", 0)))
    assert summary(exported).startswith("virtual hosts: 2; applications: 2; push tasks: 2; secrets to fill in: 2;")
    text = (desk.directory / f"ovenmediaengine-{HOST}.yml").read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"ovenmediaengine_secret_\w+", text)))
    secrets = yaml.safe_load((desk.directory / "secrets.plain").read_text(encoding="utf-8"))
    values = {name: secrets["webhook_secret" if "webhook" in name else "platform_stream_key"] for name in names}
    desk.write("exported-secrets.yml", yaml.safe_dump(values))
    command = f"ansible-playbook streamops.ovenmediaengine.provision -i inventory.yml -e @ovenmediaengine-{HOST}.yml"
    desk.server.clear_log()
    assert any(name in desk.run(command, fails=True) for name in names) and not desk.server.writes
    output = desk.run(f"{command} -e @exported-secrets.yml")
    assert "changed=0 " in output and summary(output).endswith("missing before: nothing"), output


def audit_in_ci(desk: Desk, listed: dict[str, t.Any]) -> None:
    """The job of the guide runs as its runner does: it fails by the exit status, and keeps the artifacts in both
    cases.
    """
    (text,) = [
        block.text for block in blocks("guide_audits.rst") if block.language in SHOWN and "script:" in block.text
    ]
    job = yaml.safe_load(text)["audit"]
    desk.write("fleet.yml", yaml.safe_dump(listed))
    desk.run("ansible-vault encrypt secrets.yml")
    desk.environment["VAULT_PASSWORD_FILE"] = desk.environment.pop("ANSIBLE_VAULT_PASSWORD_FILE")
    (shown,) = [
        json.loads(block.text)["ovenmediaengine_audit"]
        for block in blocks("guide_audits.rst")
        if block.language in SHOWN and 'ovenmediaengine_audit"' in block.text
    ]
    (numbers,) = set(shown["failed_hosts"].values())
    desk.server.clear_log()
    for drift in (False, True):
        if drift:
            desk.server.state.create_virtual_host({"name": "by-hand", "host": {"names": ["by-hand.example.com"]}})
        output = desk.run("\n".join(["set -e", *job["script"]]), fails=drift)
        assert shape(summary(output)) == shape(shown["line"])
        assert f"servers: 1, {int(not drift)} as listed; findings: 0 error, {int(drift)} drift, 0 warning, " in summary(
            output
        )
        assert re.search(rf"^{HOST} .* changed=0 .* failed={int(drift)} ", output.splitlines()[-2] + " "), output
        (directory,) = job["artifacts"]["paths"]
        assert (f"{numbers}: see {desk.directory}/{directory}/audit.html" in words(output)) is drift, output
        cases = junitparser.JUnitXml.fromfile(str(desk.directory / job["artifacts"]["reports"]["junit"]))
        assert (cases.failures, cases.errors) == (int(drift), 0)
        report = json.loads((desk.directory / directory / "audit.json").read_text(encoding="utf-8"))
        assert report["counts"]["drift"] == int(drift) and (desk.directory / directory / "audit.html").is_file()
    assert not desk.server.writes
