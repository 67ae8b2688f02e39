# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A day in the life of a server with the three tenants of guide_day.rst: what goes wrong is found, named and healed.

The server is a simulated one, and a real one if the environment names it, see day_servers.py. The story creates and
removes virtual hosts whose names begin with t-day-, and touches no others. On a server that it has not started, it
leaves out the steps that would kill the server or need its disk. Its seconds are in .build/day.md or
.build/day_of_a_real_server.md, and are not judged.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pathlib
import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.recordings_on_disk import TEMPORARY

from .conftest import LOCAL, REPOSITORY, Project, Run
from .day_servers import OwnServer, Server, SimulatedServer, server_of_the_environment
from .encoder import Encoder
from .rotation import FILES, Pair, authority, served
from .rulebooks import Notified, Rulebook, Stopwatch
from .test_documents import blocks, files_of
from .test_recordings import ENTRY, INDEX
from .test_verify import media_server, table_of

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(1800)]
HOST = "media-1"
A, B, C = TENANTS = "t-day-a", "t-day-b", "t-day-c"
HEIGHTS = {A: 720, B: 480, C: 480}
DAYS_LEFT = 5
RECORDING = 1_400_000_000  # bytes; takes no place on the disk
GUIDE = "guide_day.rst"
LEFT_OUT = {
    "A push destination dies": "the test cannot end it",
    "The server is killed, and comes back empty": "the test has not started it",
    "A certificate is about to expire": "the files are on the server",
    "Recordings fill the disk": "the files are on the server",
}
"""Steps that need a server which the test has started, and why."""


class Day:
    """The story: its server, the encoders of the tenants, and the seconds of its steps."""

    def __init__(self, project: Project, server: Server) -> None:
        self.project, self.server = project, server
        self.certificates = project.directory / "letsencrypt/live" / f"live.{A}.example.com"
        self.live_certificate = project.directory / "ome/a"
        self.recordings = project.directory / "recordings"
        self.seconds: list[tuple[str, str, str]] = []
        self.variables = yaml.safe_load(self._fleet())
        self._write_inventory()

    def _fleet(self) -> str:
        """Return the file of the guide, with the names of this test and its paths."""
        text = files_of(GUIDE)["fleet.yml"].replace("tenant-", "t-day-").replace("gigabytes: 500", "gigabytes: 5")
        for path, own in (("/etc/", ""), ("/srv/", "")):
            text = text.replace(path, f"{self.project.directory}/{own}")
        return text

    def _write_inventory(self) -> None:
        server = self.server
        variables = {
            **LOCAL,
            **self.variables,
            "ovenmediaengine_api_url": server.url,
            "ovenmediaengine_api_token": server.token,
            "ovenmediaengine_viewers": {
                "connect_to": server.address,
                "ports": {"llhls": server.viewer_port},
                "protocols": ["llhls"],
            },
            "ovenmediaengine_encoders": {"ports": {"rtmp": server.rtmp_port}, "protocols": ["rtmp"]},
            "audit_read_only_vhosts": ["default"],
            "audit_play": True,
            "stream_keys": {"a": "canary-key-a", "b": "canary-key-b"},
        }
        tenants = variables["tenants"]
        if isinstance(server, OwnServer):
            (endpoint,) = variables["ovenmediaengine_certificate_endpoints"]
            endpoint["port"] = server.viewer_tls_port
        else:
            # The certificate would have to be on the server.
            first = tenants[0]["vhosts"][0]
            first["host"] = first["host"]["names"]
            variables.update(ovenmediaengine_certificates=[], ovenmediaengine_certificate_endpoints=[])
        for task in [task for tenant in tenants for task in tenant["push_tasks"]]:
            task.update(server.destination_of(task))
        for record in [record for tenant in tenants for record in tenant["records"]]:
            record.update({path: server.file_of(self.recordings, record[path]) for path in ("file_path", "info_path")})
        inventory = {"all": {"hosts": {HOST: {}}, "vars": variables}}
        (self.project.directory / "day.json").write_text(json.dumps(inventory), encoding="utf-8")

    def play(self, playbook: str, *arguments: str, fails: bool = False) -> Run:
        """Run a playbook of the collection, or of the test."""
        name = playbook if playbook.endswith(".json") else f"streamops.ovenmediaengine.{playbook}"
        run = self.project.play(name, "-i", "day.json", *arguments)
        assert (run.status != 0) == fails, run.output
        assert "canary" not in run.output
        return run

    def provision(self) -> Run:
        """Provision the server, and prove that the tenants play."""
        run = self.play("provision")
        # Those of which no stream is live are not tried: push tasks and recordings, as long as no encoder is connected.
        assert re.fullmatch(r"\d+ play, 0 fail, \d+ not tried.*", table_of(run, HOST)[-1]), run.output
        return run

    def audit(self, severity: str = "error") -> dict[tuple[str, str, str], dict[str, t.Any]]:
        """Audit the server; return the findings about the tenants, by kind, tenant and field or object.

        :param severity: of the worst; ``none`` if all is well.
        """
        self.play("audit", "-e", "audit_fail_on=none")
        report = json.loads((self.project.directory / "ovenmediaengine-audit/audit.json").read_text(encoding="utf-8"))
        found = {
            (one["kind"], one["vhost"], one["field"] or one["push_task"] or one["record"] or one["stream"]): one
            for one in report["servers"][0]["findings"]
            if one["severity"] != "info" and (one["vhost"] in TENANTS or not one["vhost"])
        }
        worst = min(
            (one["severity"] for one in found.values()), key=("error", "drift", "warning").index, default="none"
        )
        assert worst == severity, found
        return found

    def status(self, tenant: str = "all") -> str:
        """Return what the playbook status says of a tenant."""
        run = self.play("status", "-e", f"tenant={tenant}")
        (shown,) = re.findall(r'"msg": (\[[\s\S]*?\n    \])', run.output)
        return "\n".join(json.loads(shown))

    def put_certificate(self, pair: Pair) -> None:
        """Write a certificate where certbot keeps it, and where the server reads it."""
        write_certificate(self.certificates, pair)
        write_certificate(self.live_certificate, pair, ("cert.pem", "ca.pem", "key.pem"))

    @contextlib.contextmanager
    def step(self, name: str) -> t.Iterator[Timer]:
        """Measure a step."""
        timer = Timer()
        yield timer
        self.seconds.append((name, timer.found, f"{timer.seconds():.1f} s"))

    def table(self) -> str:
        """Return the seconds as a table in Markdown."""
        lines = ["| Step | Found after | Over after |", "|---|---:|---:|"]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in self.seconds)]) + "\n"


class Timer(Stopwatch):
    """The seconds of a step."""

    found = "–"

    def is_found(self) -> None:
        """Note that what has happened is known now."""
        self.found = f"{self.seconds():.1f} s"


@contextlib.contextmanager
def on_air(day: Day) -> t.Iterator[dict[str, Encoder]]:
    """Provide the encoders of the tenants."""
    with contextlib.ExitStack() as stack:
        address = f"{day.server.address}:{day.server.rtmp_port}"
        yield {
            tenant: stack.enter_context(
                Encoder(f"rtmp://live.{tenant}.example.com:{day.server.rtmp_port}/live/main", address, height)
            )
            for tenant, height in HEIGHTS.items()
        }


def wait_until_live(day: Day) -> None:
    """Wait until the encoders of all tenants are connected."""
    for tenant, height in HEIGHTS.items():
        day.server.wait_until_it_plays(tenant, height)


def three_tenants(day: Day) -> None:
    """They are created and play."""
    with day.step("Three tenants are created, and play"):
        run = day.provision()
        assert "virtual hosts: 3 created" in run.output and "push tasks: 3 started" in run.output
        assert [line.split()[0] for line in table_of(run, HOST)[1:4]] == [f"{tenant}/live" for tenant in TENANTS]


def encoders_connect(day: Day) -> None:
    """All is well."""
    with day.step("Their encoders connect, and nothing is wrong"):
        wait_until_live(day)
        wait_until(lambda: all(day.server.push_state(tenant) == "pushing" for tenant in (A, B)))
        day.audit(severity="none")
        all_is_well(day)


def all_is_well(day: Day) -> None:
    """The status of each tenant says so."""
    head, *rows = [line.split("  ") for line in day.status().splitlines()]
    assert head[0] == "server"
    states = {row[1].strip(): row for row in rows if len(row) > 2 and row[1].strip() in TENANTS}
    assert sorted(states) == sorted(TENANTS)
    assert all("as listed" in row for row in ("  ".join(one) for one in states.values())), rows
    assert not [row for row in rows if re.match(r"(new )?(error|drift|warning) ", row[0]) and any_tenant(row)], rows


def any_tenant(row: t.Sequence[str]) -> bool:
    """Return whether a line is about one of the tenants."""
    return any(tenant in " ".join(row) for tenant in TENANTS)


def publisher_degrades(day: Day, encoder: Encoder) -> None:
    """Its picture becomes small; then it is as before."""
    with day.step("A publisher degrades") as timer:
        encoder.height = 360
        day.server.wait_until_it_plays(A, 360)
        found = day.audit()
        timer.is_found()
        assert list(found) == [("stream_below_expectation", A, "min_height")]
        message = f"Stream {A}/live/main is below what is expected: min_height is 720, and it has 360.0."
        assert found["stream_below_expectation", A, "min_height"]["message"] == message
        assert f"new error on {HOST}: {message}" in day.status(A)
        assert message not in day.status(B)
        encoder.height = HEIGHTS[A]
        wait_until_live(day)
        day.audit(severity="none")


def push_destination_dies(day: Day, server: OwnServer) -> None:
    """A rulebook hands it over; the server connects again when the destination is back."""
    listed = {name: value for name, value in day.variables.items() if name.startswith("ovenmediaengine_")}
    del listed["ovenmediaengine_verify"]
    templates = {name: render(value, day.variables) for name, value in listed.items()}
    with Notified() as notified:
        settings = {"heal_interval": 1, "heal_compare_interval": 1, "heal_notify_url": notified.url}
        with Rulebook(day.project, "push_watch", {HOST: server}, listed=templates, **settings) as rulebook:
            rulebook.wait_until(lambda: "Waiting for events" in rulebook.output, "its start")
            with day.step("A push destination dies") as timer:
                server.end_destination()
                rulebook.wait_until(lambda: notified.events, "the notification")
                timer.is_found()
                (event,) = notified.events
                assert (event["kind"], event["vhost"], event["id"]) == ("push_error", B, "platform")
                found = day.audit()
                assert list(found) == [("push_error", B, "platform")]
                assert f"error on {HOST}: {found['push_error', B, 'platform']['message']}" in day.status(B)
                server.start_destination()
                wait_until(lambda: day.server.push_state(B) == "pushing")
                day.audit(severity="none")


def render(value: t.Any, variables: t.Mapping[str, t.Any]) -> t.Any:
    """Return the list that the file of the guide makes of all tenants."""
    if not isinstance(value, str):
        return value
    (key,) = re.findall(r"attribute='(\w+)'", value)
    return [entry for tenant in variables["tenants"] for entry in tenant[key]]


def server_is_killed(day: Day, server: OwnServer) -> None:
    """It comes back without its tenants, and is provisioned."""
    with day.step("The server is killed, and comes back empty") as timer:
        server.kill()
        found = day.audit()
        timer.is_found()
        assert {("missing", tenant, "") for tenant in TENANTS} <= set(found)
        assert {("stream_missing", tenant, "main") for tenant in TENANTS} <= set(found)
        assert f"drift on {HOST}: Virtual host {C} is listed and not on the server." in day.status(C)
        run = day.provision()
        assert "all virtual hosts were missing, as after a restart of the server" in run.output
        wait_until_live(day)
        wait_until(lambda: all(day.server.push_state(tenant) == "pushing" for tenant in (A, B)))
        day.audit(severity="none")


def certificate_expires(day: Day, server: OwnServer) -> None:
    """It is found days before, and rotated."""
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=DAYS_LEFT, hours=1)
    day.put_certificate(certificate(until=end))
    assert day.server.read("cert_reload", vhost=A)["changed"]
    with day.step("A certificate is about to expire") as timer:
        found = day.audit(severity="warning")
        timer.is_found()
        (((kind, tenant, _field), finding),) = found.items()
        assert (kind, tenant) == ("certificate_expiring", A)
        assert f"is valid for {DAYS_LEFT} more days" in finding["message"]
        status = day.status(A)
        assert f"{DAYS_LEFT} days" in status.splitlines()[1] and finding["message"] in status
        renewed = certificate()
        write_certificate(day.certificates, renewed)
        authority().root.cert_pem.write_to_path(str(day.project.directory / "ca.pem"))
        viewers = {
            "connect_to": day.server.address,
            "ports": {"llhls": server.viewer_tls_port},
            "protocols": ["llhls"],
            "chain_ca_path": str(day.project.directory / "ca.pem"),
        }
        run = day.play("rotate_certificates", "-e", json.dumps({"ovenmediaengine_viewers": viewers}))
        assert f"certificates: {A} rotated" in run.output
        assert {line.split()[0].split("/")[0] for line in table_of(run, HOST)[1:-1]} == {A}
        assert served(server.viewer_tls_port, f"live.{A}.example.com") == renewed.fingerprint
        day.audit(severity="none")


def certificate(until: datetime.datetime | None = None) -> Pair:
    """Return a new certificate of the first tenant."""
    return authority().issue(f"live.{A}.example.com", until=until)


def write_certificate(folder: pathlib.Path, pair: Pair, names: t.Sequence[str] = FILES) -> None:
    """Write the files of a certificate, by default as certbot names them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in zip(names, (pair.certificate, authority().chain, pair.key)):
        (folder / name).write_bytes(content)


def recordings_fill_the_disk(day: Day) -> None:
    """The oldest are removed until the limit is met; one that is being written stays."""
    folder = day.recordings / "old"
    folder.mkdir(parents=True)
    entry = ENTRY.replace("/live/", "/old/").format
    names = [f"2026010{number}.mp4" for number in range(1, 7)]
    (folder / "index.xml").write_text(INDEX.format(entries="".join(map(entry, names))), encoding="utf-8")
    for number, name in enumerate((TEMPORARY, *names)):
        path = folder / name
        path.touch()
        os.truncate(path, RECORDING)
        moment = path.stat().st_mtime - 86400 * (30 - number)
        os.utime(path, (moment, moment))
    with (folder / TEMPORARY).open("ab"), day.step("Recordings fill the disk") as timer:
        checked = day.play("recordings", "--check", "--diff")
        timer.is_found()
        assert f"3 files would be removed, {3 * RECORDING / 10**9} GB would be freed" in checked.summary(HOST)
        assert all(f"/old/{name}" in checked.output for name in names[:3]) and TEMPORARY not in checked.output
        run = day.play("recordings")
        assert "3 files removed" in run.summary(HOST)
        assert {path.name for path in folder.iterdir()} >= {TEMPORARY, "index.xml", *names[3:]}
        assert sum(path.stat().st_size for path in folder.glob("*.mp4")) <= 5 * 10**9
        assert day.play("recordings").recap[HOST]["changed"] == 0


def evening(day: Day) -> None:
    """All is well again."""
    with day.step("In the evening all is well"):
        day.audit(severity="none")
        all_is_well(day)


def a_day(day: Day, name: str) -> None:
    """Tell the whole story.

    :param name: of the page with its seconds.
    """
    day.put_certificate(certificate())
    three_tenants(day)
    with on_air(day) as encoders:
        encoders_connect(day)
        publisher_degrades(day, encoders[A])
        if isinstance(day.server, OwnServer):
            push_destination_dies(day, day.server)
            server_is_killed(day, day.server)
            certificate_expires(day, day.server)
            recordings_fill_the_disk(day)
        else:
            day.seconds += [(name, "left out", reason) for name, reason in LEFT_OUT.items()]
        evening(day)
    page = REPOSITORY / ".build" / name
    page.parent.mkdir(exist_ok=True)
    page.write_text(day.table(), encoding="utf-8")


@needs("java")
def test_a_day_in_the_life(project: Project) -> None:
    with media_server(viewer_tls_ports=[0], stop_delay=0.2) as simulator:
        a_day(Day(project, SimulatedServer(simulator)), "day.md")


@pytest.mark.long
def test_a_day_of_a_real_server(project: Project) -> None:
    with server_of_the_environment(project.directory) as server:
        names = server.read("vhost_info")["vhosts"]
        assert not [vhost for vhost in names if vhost["name"] in TENANTS], "they are those of an earlier run"
        if any("*" in (vhost.get("host") or {}).get("names", ()) for vhost in names):
            pytest.skip("A virtual host takes all host names: give it that of the server in Server.xml")
        day = Day(project, server)
        try:
            a_day(day, "day_of_a_real_server.md")
        finally:
            remove(day)
        assert server.read("vhost_info")["vhosts"] == names


def remove(day: Day) -> None:
    """Remove the tenants, and nothing else."""
    module = {"vhosts": [{"name": tenant} for tenant in TENANTS], "state": "absent"}
    connection = {"api_url": "{{ ovenmediaengine_api_url }}", "api_token": "{{ ovenmediaengine_api_token }}"}
    play = {
        "hosts": "all",
        "gather_facts": False,
        "tasks": [{"streamops.ovenmediaengine.vhosts": {**connection, **module}}],
    }
    (day.project.directory / "remove.json").write_text(json.dumps([play]), encoding="utf-8")
    day.play("remove.json")


def test_ten_lines_for_each_tenant() -> None:
    text = next(block.text for block in blocks(GUIDE) if block.mark == "as fleet.yml")
    tenants = text.partition("tenants:\n")[2].strip("\n").split("\n\n")
    assert [len(tenant.splitlines()) for tenant in tenants] == [10, 10, 10]
