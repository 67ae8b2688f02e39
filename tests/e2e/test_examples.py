# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The EXAMPLES of the modules' documentation work unchanged."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import ROOT, Issued
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

from .conftest import LOCAL, REPOSITORY, TOKEN, Project

MODULES = sorted(path for path in (REPOSITORY / "plugins" / "modules").glob("*.py") if path.stem != "__init__")
# The variables that examples use.
SECRETS = {
    name: f"value-of-{name}"
    for name in (
        "archive_passphrase",
        "camera_password",
        "platform_stream_key",
        "signed_policy_secret",
        "webhook_secret",
    )
}


def examples(path: pathlib.Path) -> str:
    """Return the text of EXAMPLES in a module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [target.id for target in node.targets if isinstance(target, ast.Name)] == [
            "EXAMPLES"
        ]:
            return t.cast(str, ast.literal_eval(node.value))
    raise AssertionError(f"{path.name} has no EXAMPLES")


@pytest.fixture
def sim() -> t.Iterator[Simulator]:
    """Provide a server with three TLS ports."""
    with Simulator(token=TOKEN, stop_delay=0.2, tls_ports=(0, 0, 0), scene="media") as started:
        yield started


def renewed_certificates(directory: pathlib.Path, sim: Simulator) -> tuple[dict[str, str], dict[str, str]]:
    """Return a virtual host `events` whose certificate has been renewed and is not served yet.

    :returns: the texts of examples and their replacements, and variables about the new certificate.
    """
    old, new = Issued("events.example.com"), Issued("events.example.com")
    certs, live = directory / "certs", directory / "live"
    for folder in (certs / "events", certs / "api", live):
        folder.mkdir(parents=True)
    files = {"cert.pem": new.cert, "chain.pem": b"".join(new.chain), "privkey.pem": new.key}
    served = {
        "certPath": certs / "events" / "cert.pem",
        "keyPath": certs / "events" / "privkey.pem",
        "chainCertPath": certs / "events" / "chain.pem",
    }
    (certs / "ca.pem").write_bytes(ROOT.cert_pem.bytes())
    for issued in (old, new):
        for path, content in zip(served.values(), (issued.cert, issued.key, b"".join(issued.chain))):
            path.write_bytes(content)
        if issued is old:
            tls = {name: str(path) for name, path in served.items()}
            sim.add_static_virtual_host({"name": "events", "host": {"names": ["events.example.com"], "tls": tls}})
    for name, content in files.items():
        (live / name).write_bytes(content)
    (certs / "api" / "cert.pem").write_bytes(new.cert)
    ports = {f"port: {number}": f"port: {port}" for number, port in zip((443, 3334, 8082), sim.tls_ports)}
    places = {
        "/etc/ovenmediaengine/certs": str(certs),
        "/etc/letsencrypt/live/events.example.com": str(live),
        "files/events": str(live),
        "media-1.example.com": "127.0.0.1",
    }
    variables = {
        "events_fingerprint": new.fingerprint,
        "events_certificate": new.cert.decode(),
        "events_private_key": new.key.decode(),
        "events_chain": b"".join(new.chain).decode(),
    }
    return {**ports, **places}, variables


def prepare_media(sim: Simulator) -> None:
    """Give the application `app` a live stream, and what recordings and pulls need; let the origins send."""
    default = sim.state.virtual_hosts["default"]
    media = default.applications["media"].config
    sim.add_static_virtual_host(default.config, [{**media, "name": "app"}, media])
    sim.stream_appears("default", "app", "main")
    sim.speech("default", "app", "main", [{"label": "English", "model": "small.bin", "language": "auto"}])
    for path in MODULES:
        text = examples(path).replace("{{ camera_password }}", SECRETS["camera_password"])
        for url in re.findall(r"(?:rtsp|ovt)://[^\s,\"'\]]+", text):
            sim.origin(url)


def prepare_durable(directory: pathlib.Path, sim: Simulator) -> None:
    """Make the configuration directory of durable examples, with the virtual hosts that they take for there.

    `tenant-d` is for virtual hosts and applications; `tenant-e` has the application of push tasks and recordings.
    """
    jobs = config_files.application("live", "<Push/><FILE/>")
    names = {name: f"live.{name}.example.com" for name in ("tenant-d", "tenant-e")}
    config_files.write(
        directory,
        **{
            "Server": config_files.server('<VirtualHost include="VHost*.xml"/>'),
            "VHost_tenant-d": config_files.virtual_host("tenant-d", host_name=names["tenant-d"]),
            "VHost_tenant-e": config_files.virtual_host("tenant-e", host_name=names["tenant-e"], applications=jobs),
        },
    )
    running: list[dict[str, t.Any]] = [{"name": name, "host": {"names": [host]}} for name, host in names.items()]
    running[1]["applications"] = [{"name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}, "file": {}}}]
    made = run_module("vhosts", connection(sim, vhosts=running))
    assert not made.failed, made
    sim.clear_log()


def test_each_module_has_examples() -> None:
    for path in MODULES:
        module = f"streamops.ovenmediaengine.{path.stem}"
        tasks = yaml.safe_load(examples(path))
        assert all(task.get("name") for task in tasks), path.name
        # The first example of a module shows the connection, and no more than that is spent on it.
        assert module in tasks[0], path.name
        shown = [path.stem in CONNECTED] + [False] * (len(tasks) - 1)
        assert ["api_url" in (task.get(module) or {}) for task in tasks] == shown, path.name


@pytest.mark.long
def test_examples_run(project: Project, sim: Simulator) -> None:
    plays = []
    places, renewed = renewed_certificates(project.directory, sim)
    for path in MODULES:
        text = examples(path).replace("http://127.0.0.1:8081", sim.url)
        for place, here in places.items() if path.stem.startswith("cert") else ():
            text = text.replace(place, here)
        if path.stem in ("server", "watcher"):
            continue  # need a systemd; the examples of their roles run on a fake
        if path.stem in ("playback_info", "test_stream", "verify"):
            continue  # need publishers and viewers; tests of their own have them
        if path.stem == "config_import":  # reads what is there
            text = text.replace("/etc/ovenmediaengine", str(project.directory / "durable"))
        elif path.stem.startswith("recorded_file"):
            text = text.replace("/srv/recordings", str(project.directory))
        elif path.stem not in CONNECTED:
            text = text.replace("/etc/ovenmediaengine", str(project.directory / "conf"))
        elif not path.stem.startswith("cert"):
            text = text.replace("config_dir: /etc/ovenmediaengine", f"config_dir: {project.directory / 'durable'}")
        if path.stem in ("push_tasks", "records"):
            text = text.replace("tenant-d", "tenant-e")
        plays.append({"name": path.stem, "hosts": "all", "gather_facts": False, "tasks": yaml.safe_load(text)})
    (project.directory / "examples.json").write_text(json.dumps(plays), encoding="utf-8")
    (project.directory / "variables.json").write_text(
        json.dumps({**SECRETS, **renewed, "ovenmediaengine_api_token": TOKEN}), encoding="utf-8"
    )
    (project.directory / "inventory.json").write_text(json.dumps({"all": {"hosts": {"one": LOCAL}}}), encoding="utf-8")
    arguments = ("examples.json", "-i", "inventory.json", "-e", "@variables.json")
    prepare_media(sim)
    prepare_durable(project.directory / "durable", sim)

    checked = project.play(*arguments, "--check", OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert checked.status == 0, checked.output
    assert not sim.writes

    run = project.play(*arguments, OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert run.status == 0, run.output
    tasks = sum(len(play["tasks"]) for play in plays)
    assert run.recap["one"]["ok"] == checked.recap["one"]["ok"] == tasks
