# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-rulebook runs the rulebooks of the collection against servers that restart, fail and flap."""

from __future__ import annotations

import json
import typing as t

import pytest
import requests
from ansible_collections.streamops.ovenmediaengine.extensions.eda.plugins.plugin_utils.alerts import signature_of
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator, ports

from .conftest import REPOSITORY, TOKEN, Project
from .rulebooks import LISTED, Notified, Rulebook, Stopwatch, is_complete, overlapping, polls, writes
from .test_documents import shown_in
from .test_verify import media_server
from .test_verify import variables as media_variables

pytestmark = pytest.mark.long
SERVER = "media1"
RESTARTS = 20
FLAPS = 10


def restored(rulebook: Rulebook, *sims: Simulator) -> None:
    """Wait until servers have everything, and nothing runs any more."""
    for sim in sims:
        rulebook.wait_until(lambda sim=sim: is_complete(sim), "the rebuild")  # type: ignore[misc]


@needs("java")
@pytest.mark.timeout(600)
def test_a_restore_ends_when_viewers_can_play(project: Project) -> None:
    with media_server() as sim:
        rulebook = Rulebook(project, "restore_after_restart", {SERVER: sim}, heal_throttle=1)
        variables = {**media_variables(sim, few=True), "ovenmediaengine_verify": True}
        project.inventory({SERVER: sim.url}, ovenmediaengine_http_headers={}, **variables)
        with rulebook:
            rulebook.wait_until(lambda: len(rulebook.runs()) == 1, "the end of the first run")
            sim.restart()
            rulebook.wait_until(lambda: len(rulebook.runs()) == 2, "the end of the run")
            shown = rulebook.output
    assert shown.count(", 0 fail, 4 not tried") == 2


@needs("java")
@pytest.mark.timeout(1800)
def test_server_is_restored_after_each_restart(
    project: Project, sim: Simulator, record_property: t.Callable[[str, object], None]
) -> None:
    """Each restart is followed by one rebuild of the same requests: nothing is missing and nothing doubled."""
    seconds: list[float] = []
    with Rulebook(project, "restore_after_restart", {SERVER: sim}, heal_throttle=1) as rulebook:
        restored(rulebook, sim)
        rulebook.wait_until(lambda: len(rulebook.runs()) == 1, "the end of the first run")
        expected = writes(sim)
        assert expected
        for number in range(RESTARTS):
            sim.clear_log()
            if number % 2:  # It is down for a while; otherwise it is back before a poll can see that.
                sim.inject("refuse", variant="now", seconds=3600)
            sim.restart()
            sim.clear_faults()
            watch = Stopwatch()  # The server answers from here on.
            restored(rulebook, sim)
            seconds.append(watch.seconds())
            rulebook.wait_until(lambda: len(rulebook.runs()) == number + 2, "the end of the run")  # noqa: B023
            assert writes(sim) == expected
        assert overlapping(rulebook.runs()) == []
        # Whatever comes late would be seen by now: two more comparisons found nothing to do.
        done = polls(sim)
        rulebook.wait_until(lambda: polls(sim) >= done + 15, "more polls")
        assert len(rulebook.runs()) == RESTARTS + 1
        assert writes(sim) == expected
    assert TOKEN not in rulebook.output
    assert "canary" not in rulebook.output
    record_property("seconds", [round(one, 1) for one in seconds])
    print(f"restored {RESTARTS} times within {min(seconds):.1f} to {max(seconds):.1f} s")


@needs("java")
@pytest.mark.timeout(1800)
def test_two_servers_and_one_that_flaps(project: Project, sim: Simulator) -> None:
    """Servers are restored by themselves, one that flaps in one run at a time."""
    with Simulator(token=TOKEN, stop_delay=0.2) as other:
        sims = {SERVER: sim, "media2": other}
        with Rulebook(project, "restore_after_restart", sims, heal_throttle=2) as rulebook:
            restored(rulebook, sim, other)
            rulebook.wait_until(lambda: len(rulebook.runs()) == 2, "the end of the first runs")
            expected = {name: writes(one) for name, one in sims.items()}
            for one in sims.values():
                one.clear_log()
                one.restart()
            restored(rulebook, sim, other)
            rulebook.wait_until(lambda: len(rulebook.runs()) == 4, "the end of both runs")
            assert {name: writes(one) for name, one in sims.items()} == expected
            assert sorted(run.hosts for run in rulebook.runs()) == [(SERVER,), (SERVER,), ("media2",), ("media2",)]

            other.clear_log()
            for _time in range(FLAPS):
                sim.restart()
                before = polls(sim)
                rulebook.wait_until(lambda: polls(sim) > before, "the next poll")  # noqa: B023
            rulebook.wait_until(lambda: is_complete(sim) and polls(sim) > before + 15, "the end of the flapping")
            runs = rulebook.runs()
            assert overlapping(runs) == []
            assert 5 <= len(runs) <= 4 + FLAPS
            assert is_complete(sim)
            # The other server was left alone.
            assert other.writes == []

        # Whatever happens while no rulebook runs is found when it starts.
        for one in sims.values():
            one.clear_log()
            one.restart()
        with Rulebook(project, "restore_after_restart", sims) as rulebook:
            restored(rulebook, sim, other)
            ended = len(runs) + 2
            rulebook.wait_until(lambda: len(rulebook.runs()) == ended, "the end of the runs")
            assert {name: writes(one) for name, one in sims.items()} == expected
            assert overlapping(rulebook.runs()) == []


@needs("java")
@pytest.mark.timeout(1800)
def test_push_that_is_stuck_is_restarted_once_and_then_reported(project: Project, sim: Simulator) -> None:
    """The first time a push task sends nothing it is restarted; then somebody is notified."""
    sim.stream_appears("default", "app", "main")
    assert project.inventory({SERVER: sim.url}, ovenmediaengine_http_headers={})
    ended = project.provision()
    assert ended.status == 0, ended.output
    with Notified() as notified:
        sim.state.set_destination("rtmp://one.example.com/live", "hang")
        sim.clear_log()
        variables = {
            "heal_compare_interval": 1,
            "heal_interval": 1,
            "heal_stuck_after": 5,
            "heal_notify_url": notified.url,
        }
        # It sends for as long as it does not connect again.
        with Rulebook(project, "push_watch", {SERVER: sim}, **variables) as rulebook:
            rulebook.wait_until(lambda: polls(sim) > 2, "the first polls")
            ended = project.play(
                "streamops.ovenmediaengine.restart_push",
                "-i",
                "inventory.json",
                "-e",
                json.dumps({"restart_push": {"vhost": "default", "app": "app", "id": "t-1"}}),
            )
            assert ended.status == 0, ended.output
            rulebook.wait_until(lambda: notified.events, "the notification")
            (event,) = notified.events
            assert (event["kind"], event["id"], event["times"]) == ("push_stuck", "t-1", 2)
            stops = [record for record in sim.writes if record.path.endswith(":stopPush")]
            assert [record.body["id"] for record in stops] == ["t-1", "t-1"]  # by this test, and by the rulebook
            assert is_complete(sim)
        assert "canary" not in rulebook.output


@needs("java")
@pytest.mark.timeout(1800)
def test_certificate_that_ends_soon(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Somebody is notified of a certificate that ends soon, and the rotation runs for this server."""
    import datetime

    import trustme

    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=10)
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    trustme.CA().issue_cert("127.0.0.1", not_after=end).private_key_and_cert_chain_pem.write_to_path(file)
    with (
        Notified() as notified,
        Simulator(token=TOKEN) as sim,
        Simulator(token=TOKEN, tls_cert=str(file), tls_key=str(file)) as secure,
    ):
        variables: dict[str, t.Any] = {"heal_notify_url": notified.url}
        entry = {"name": SERVER, "api_url": sim.url, "api_token_env": "TEST_TOKEN"}
        variables["heal_servers"] = [{**entry, "endpoints": [{"port": secure.port}]}]
        with Rulebook(project, "certificates", {SERVER: sim}, **variables) as rulebook:
            rulebook.wait_until(lambda: len(rulebook.runs()) == 2, "both runs")
            (event,) = notified.events
            assert event["kind"] == "certificate_expiring"
            assert event["days_left"] in (9, 10)
            assert event["endpoint"].startswith(f"127.0.0.1:{secure.port}")
            assert [run.hosts for run in rulebook.runs()] == [(SERVER,), (SERVER,)]
            assert "streamops.ovenmediaengine.rotate_certificates" in rulebook.output


@needs("java")
@pytest.mark.timeout(1800)
def test_alert_becomes_an_event_of_a_rule(project: Project) -> None:
    """A recorded alert of a server triggers a rule; a forged one does not."""
    recording = json.loads((REPOSITORY / f"tests/wire/alerts/{NEWEST}.json").read_text(encoding="utf-8"))
    callback = recording["callbacks"][1]
    holder = ports.held("127.0.0.1")
    port = ports.port_of(holder)
    holder.close()
    source = {"port": port, "server": SERVER, "secret_key_env": "TEST_SECRET"}
    rule = {
        "name": "The picture is too small",
        "condition": 'event.ovenmediaengine.kind == "alert" and "INGRESS_WIDTH_SMALL" in event.ovenmediaengine.codes',
        "action": {"run_playbook": {"name": "streamops.ovenmediaengine.notify"}},
    }
    book = [
        {
            "name": "Alerts",
            "hosts": "all",
            "sources": [{"streamops.ovenmediaengine.alert": source}],
            "rules": [rule],
        }
    ]
    (project.directory / "alerts.yml").write_text(json.dumps(book), encoding="utf-8")

    def send(signature: str) -> int:
        headers = {"X-OME-Signature": signature}
        try:
            url = f"http://127.0.0.1:{port}/alert"
            return requests.post(url, data=callback["body"].encode(), headers=headers, timeout=60).status_code
        except requests.ConnectionError:
            return 0

    with Rulebook(project, "alerts.yml", {}, TEST_SECRET=recording["secret_key"]) as rulebook:
        rulebook.wait_until(lambda: send("x" * 27) == 401, "the start of the source")
        assert rulebook.runs() == []
        assert send(callback["headers"]["X-OME-Signature"]) == 204
        assert send(callback["headers"]["X-OME-Signature"]) == 409
        rulebook.wait_until(lambda: len(rulebook.runs()) == 1, "the run")
        assert "INGRESS_WIDTH_SMALL" in rulebook.output


@needs("java")
@pytest.mark.timeout(1800)
def test_streams_that_are_not_as_expected_are_reported_and_so_is_their_return(project: Project, sim: Simulator) -> None:
    """The start finds what is missing; then only alerts start comparisons, because the next poll is in an hour."""
    recording = json.loads((REPOSITORY / f"tests/wire/alerts/{NEWEST}.json").read_text(encoding="utf-8"))
    body = json.loads(recording["callbacks"][0]["body"])
    place = {"vhost": "default", "app": "app", "stream": "main"}
    night = {"from": "2020-01-01T22:00", "until": "2020-01-02T06:00", "time_zone": "Europe/Berlin"}
    streams = [{**place, "min_height": 100, "audio": True}, {**place, "stream": "night", **night}]
    holder = ports.held("127.0.0.1")
    port = ports.port_of(holder)
    holder.close()

    def send(code: str) -> None:
        """Send an alert as the server would."""
        body["messages"][0]["code"], body["sourceUri"] = code, "#default#app/main"
        data = json.dumps(body).encode()
        headers = {"X-OME-Signature": signature_of(data, b"canary-alert-secret")}
        assert (
            requests.post(f"http://127.0.0.1:{port}/alert", data=data, headers=headers, timeout=60).status_code == 204
        )

    with Notified() as notified:
        variables = {
            "heal_interval": 3600,
            "heal_compare_interval": 3600,
            "heal_unmet_after": 1,
            "heal_throttle": 0,
            "heal_alerts": {"port": port, "secret_key_env": "TEST_SECRET"},
            "heal_notify_url": notified.url,
            "TEST_SECRET": "canary-alert-secret",
        }
        listed = {**LISTED, "ovenmediaengine_expected_streams": list(streams)}
        with Rulebook(project, "expected_streams", {SERVER: sim}, listed=listed, **variables) as rulebook:
            rulebook.wait_until(lambda: len(notified.events) == 1, "the first notification")
            sim.stream_appears("default", "app", "main")
            send("INGRESS_STREAM_CREATED")
            rulebook.wait_until(lambda: len(notified.events) == 2, "the notification of the return")
            sim.stream_disappears("default", "app", "main")
            send("INGRESS_STREAM_DELETED")
            rulebook.wait_until(lambda: len(notified.events) == 3, "the notification of the end")
            rulebook.wait_until(lambda: len(rulebook.runs()) == 3, "the end of the runs")
            assert {run.hosts for run in rulebook.runs()} == {(SERVER,)}
    kinds = ["stream_missing", "stream_as_expected", "stream_missing"]
    assert [(event["kind"], event["server"], event["stream"]) for event in notified.events] == [
        (kind, SERVER, "main") for kind in kinds
    ]
    assert (notified.events[1]["height"], notified.events[1]["audio"]) == (168, True)
    assert sim.writes == []
    assert "canary" not in rulebook.output


@needs("java")
@pytest.mark.timeout(1800)
def test_a_rulebook_prints_once_that_a_token_is_refused(project: Project, sim: Simulator) -> None:
    """Without an option of its own, because nobody would look for the reason with one."""
    with Rulebook(
        project, "restore_after_restart", {SERVER: sim}, arguments=(), TEST_TOKEN="canary-wrong-token"
    ) as rulebook:
        rulebook.wait_until(lambda: "cannot be watched" in rulebook.output, "the report")
        done = len(sim.log)
        rulebook.wait_until(lambda: len(sim.log) >= done + 5, "more polls")
        assert rulebook.output.count("cannot be watched") == 1
        (line,) = [line for line in rulebook.output.splitlines() if "cannot be watched" in line]
        message = line.partition(" - ERROR - ")[2].replace(SERVER, "media-1.example.com")
        message = message.replace("TEST_TOKEN", "OVENMEDIAENGINE_API_TOKEN")
        shown = shown_in("guide_after_restart.rst", 1, "Restore with Event-Driven Ansible")
        assert f"... - ERROR - {message}" in shown
        assert rulebook.runs() == [] and sim.writes == []
    assert "canary" not in rulebook.output
