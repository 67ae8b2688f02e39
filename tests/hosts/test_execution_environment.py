# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment: ansible-builder makes it from an image of Debian's packages, and jobs run in it."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import typing as t
from importlib.metadata import version

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import LOCAL
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import VHOSTS, vhost
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tools import artifact, fresh

from .guest import BUILD, Guest
from .media import Media

PACKAGES = (
    "ansible-core,python3-ansible-runner,openssh-client,python3-requests,python3-yaml"
    # What ansible-builder installs in its stages, where no package index can be reached.
    ",python3-pip,python3-distro,python3-packaging,python3-parsley,python3-pbr,python3-cffi-backend"
)
BASE, IMAGE = "localhost/execution-environment-base:1", "localhost/execution-environment:1"
CONTEXT, ARCHIVE, RUNNER = "root/context", "root/base.tar", "root/runner"
"""In the host."""
COLLECTION = "collection.tar.gz"
DEFINITION = {
    "version": 3,
    "images": {"base_image": {"name": BASE}},
    "dependencies": {"galaxy": {"collections": [{"name": COLLECTION, "type": "file"}]}},
    "additional_build_files": [{"src": COLLECTION, "dest": "."}],
    # Nothing is missing in the base image. The first process of a container would come from a package index.
    "options": {"package_manager_path": "/bin/true", "skip_pip_install": True, "container_init": {}},
}


def run(*command: str, directory: pathlib.Path | None = None) -> None:
    """Run a command of this machine."""
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"


def base_image(guest: Guest) -> None:
    """Make the image that the execution environment is based on, of Debian's packages."""
    root = fresh.build("trixie", BUILD / "execution-environment", PACKAGES)
    # Debian has no package of it.
    libraries = root / "usr/lib/python3/dist-packages"
    run("uv", "pip", "install", "--quiet", "--no-deps", f"--target={libraries}", f"bindep=={version('bindep')}")
    run("tar", "--create", f"--file={guest.root / ARCHIVE}", f"--directory={root}", "--exclude=./var/lib/apt/*", ".")
    guest.run("podman", "import", "--change", "ENV PIP_NO_INDEX=1", f"/{ARCHIVE}", BASE)
    guest.run("rm", f"/{ARCHIVE}")


@pytest.fixture(scope="module")
def environment(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Guest:
    """Provide the host with an execution environment that has the artifact of the collection."""
    base_image(guest)
    work = tmp_path_factory.mktemp("environment")
    artifact.copy_repository(work / "source")
    run("ansible-galaxy", "collection", "build", "--output-path", str(work), str(work / "source"))
    next(work.glob("*.tar.gz")).rename(work / COLLECTION)
    (work / "execution-environment.yml").write_text(yaml.safe_dump(DEFINITION), encoding="utf-8")
    context = guest.root / CONTEXT
    words = ["create", "--output-filename=Containerfile", "--file=execution-environment.yml", f"--context={context}"]
    run(sys.executable, "-m", "ansible_builder", *words, directory=work)
    # The command of `ansible-builder build`, on the host that has podman.
    guest.run("podman", "build", "--file", f"/{CONTEXT}/Containerfile", "--tag", IMAGE, f"/{CONTEXT}")
    return guest


def job(media: Media, *arguments: str) -> dict[str, t.Any]:
    """Run the playbook provision in the execution environment, as AWX does. :returns: the counts of the server."""
    hosts = {media.name: {**LOCAL, **media.variables, "ovenmediaengine_api_url": media.url}}
    playbook = [{"import_playbook": "streamops.ovenmediaengine.provision"}]
    media.guest.write(f"/{RUNNER}/inventory/hosts.json", json.dumps({"all": {"hosts": hosts}}))
    media.guest.write(f"/{RUNNER}/project/site.yml", json.dumps(playbook))
    words = ["podman", "run", "--rm", "--network=host", "--user=0", f"--volume=/{RUNNER}:/runner", IMAGE]
    words += ["ansible-runner", "run", "/runner", "--playbook=site.yml", "--ident=job", "--rotate-artifacts=1"]
    output = media.guest.run(*words, *(["--cmdline", " ".join(arguments)] if arguments else []))
    kept = media.guest.run("cat", f"/{RUNNER}/artifacts/job/stdout")
    assert "canary" not in output + kept
    assert media.guest.run("cat", f"/{RUNNER}/artifacts/job/rc") == "0", output
    events = f"/{RUNNER}/artifacts/job/job_events"
    stats = media.guest.run("sh", "-c", f"cat $(grep --files-with-matches playbook_on_stats {events}/*.json)")
    media.guest.run("rm", "--recursive", f"/{RUNNER}")
    found = json.loads(stats)["event_data"]
    return {name: found[name].get(media.name, 0) for name in ("ok", "changed", "failures", "dark")}


@pytest.mark.parametrize("media", ["quadlet"], indirect=True, scope="class")
class TestJobs:
    """Each test goes on with what the one before has left."""

    def test_a_job_predicts_makes_and_leaves_alone(self, environment: Guest, media: Media) -> None:
        assert environment is media.guest and media.play().status == 0
        media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-made")]
        checked = job(media, "--check", "--diff")
        assert checked["changed"] and media.vhosts() == {"t-a"}
        made = job(media)
        assert made == checked and media.has_its_vhosts()
        again = job(media)
        assert again == {**made, "changed": 0}
