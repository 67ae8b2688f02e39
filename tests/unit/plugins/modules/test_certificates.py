# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module certificates: files in place, reload, proof by handshakes, and the way back, also after a kill.

tests/e2e/test_rotate_certificates.py has the same by the role, with what a user sees.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import Issued, Site
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.concurrent_writers import (
    TREE,
    Writer,
    Writers,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

PACKAGE = "ansible_collections.streamops.ovenmediaengine.plugins"


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version, with two TLS ports."""
    with Simulator(tls_ports=(0, 0)) as running:
        yield running


@pytest.fixture
def site(current: Simulator, tmp_path: Path) -> Site:
    """A virtual host that serves the old certificate."""
    return Site(current, tmp_path).create()


def entry(site: Site, issued: Issued | None = None, **more: Any) -> dict[str, Any]:
    """Return an entry of the list with what a certificate holds."""
    issued = issued or site.new
    return {
        "vhost": site.name,
        "certificate_content": issued.cert.decode(),
        "private_key_content": issued.key.decode(),
        "chain_content": b"".join(issued.chain).decode(),
        **more,
    }


def options(site: Site, **more: Any) -> dict[str, Any]:
    """Return the options for the new certificate, unless others are given."""
    given = {"certificates": [entry(site)], "endpoints": site.endpoints(), "wait_timeout": 0.3, **more}
    return connection(site.simulator, **given)


def rotate(site: Site, *, check_mode: bool = False, **more: Any) -> ModuleRun:
    """Run the module."""
    return site.run("certificates", check_mode=check_mode, **options(site, **more))


def in_place(site: Site) -> tuple[bytes, bytes, bytes]:
    """Return what certificate, chain and key hold."""
    return site.cert.read_bytes(), site.chain.read_bytes(), site.key.read_bytes()


def contents(issued: Issued) -> tuple[bytes, bytes, bytes]:
    """Return what they hold for a certificate."""
    return issued.cert, b"".join(issued.chain), issued.key


def served(site: Site) -> str:
    """Return what the ports serve, as the simulator knows it."""
    loaded = site.simulator.state.virtual_hosts[site.name].certificate_at(site.simulator.state.clock.now())
    return str(loaded.fingerprint)


def hidden(site: Site) -> list[str]:
    """Return what a run has left beside the files: the lock, a journal, temporary files."""
    return sorted(path.name for path in site.directory.iterdir() if path.name.startswith("."))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_check_run_and_second_run(site: Site) -> None:
    site.key.chmod(0o600)
    checked = rotate(site, check_mode=True)
    assert (checked["vhosts"], checked["changed"]) == ({"aa": "rotated"}, True)
    assert checked["line"] == "Check mode, this would be done: certificates: aa rotated"
    assert in_place(site) == contents(site.old) and site.reloads == [] and hidden(site) == []

    run = rotate(site)
    assert not run.failed and run["vhosts"] == {"aa": "rotated"} and run["line"] == "certificates: aa rotated"
    assert in_place(site) == contents(site.new) and served(site) == site.new.fingerprint and hidden(site) == []
    (result,) = run["results"]
    assert result["certificate"]["fingerprint"] == site.new.fingerprint
    assert [one["after"]["fingerprint"] for one in result["endpoints"]] == [site.new.fingerprint] * 2
    copies = {one["path"]: one["backup"] for one in result["files"]}
    assert Path(copies[str(site.key)]).read_bytes() == site.old.key and mode(Path(copies[str(site.key)])) == 0o600
    assert run["diff"] == checked["diff"]
    assert run["diff"]["after"]["aa"]["files"][str(site.key)] == "mode 0600, new content"

    again = rotate(site)
    assert not again["changed"] and again["vhosts"] == {"aa": "unchanged"} and len(site.reloads) == 1
    assert [one["changed"] for one in again["results"][0]["files"]] == [False] * 3


def test_a_run_whose_connection_ends_finishes(site: Site) -> None:
    """The end of an SSH connection is SIGHUP for the module, here while the server reloads."""
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": options(site)})
    process = subprocess.Popen(
        [sys.executable, "-m", f"{PACKAGE}.modules.certificates", arguments],
        cwd=TREE,
        env={**os.environ, "PYTHONPATH": str(TREE)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    site.simulator.meanwhile("POST", "", lambda: process.send_signal(signal.SIGHUP))
    printed = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0 and json.loads(printed)["vhosts"] == {"aa": "rotated"}
    assert served(site) == site.new.fingerprint and hidden(site) == [] and len(site.reloads) == 1


def test_a_mode_alone_is_changed_without_a_copy(site: Site) -> None:
    site.place(site.new)
    assert not site.reload(force=True).failed
    site.key.chmod(0o644)
    site.simulator.clear_log()
    run = rotate(site, mode="0640", key_mode="0600")
    assert run["vhosts"] == {"aa": "rotated"} and site.reloads == []
    assert (mode(site.key), mode(site.cert)) == (0o600, 0o640)
    assert [one["backup"] for one in run["results"][0]["files"]] == [None] * 3


def test_files_of_the_host_are_read_there(site: Site, tmp_path: Path) -> None:
    live = tmp_path / "live"
    live.mkdir()
    for name, content in zip(("cert.pem", "chain.pem", "privkey.pem"), contents(site.new)):
        (live / name).write_bytes(content)
    run = rotate(site, certificates=[{"vhost": "aa", "certbot_live": str(live)}], remote_src=True)
    assert run["vhosts"] == {"aa": "rotated"} and in_place(site) == contents(site.new)
    (live / "privkey.pem").unlink()
    run = rotate(site, certificates=[{"vhost": "aa", "certbot_live": str(live)}], remote_src=True)
    assert run.failed and "(missing)" in run["msg"] and str(live / "privkey.pem") in run["msg"]


def test_the_newest_copies_remain(site: Site) -> None:
    for day in (3, 1, 2):
        site.written(f"aa-key.pem.2025010{day}T000000000000Z~", b"")
    other = site.written("aa-key.pem.txt~", b"")
    assert rotate(site, backups=2)["vhosts"] == {"aa": "rotated"}
    left = sorted(path.name for path in site.directory.glob("aa-key.pem.*"))
    assert left[0] == "aa-key.pem.20250103T000000000000Z~" and len(left) == 3 and Path(other).name in left


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_owner_and_group(site: Site) -> None:
    os.chown(site.cert, 12345, 12345)
    assert rotate(site)["vhosts"] == {"aa": "rotated"}
    assert (site.cert.stat().st_uid, site.key.stat().st_uid) == (12345, 0)
    run = rotate(site, owner="nobody", group="54321")
    assert run["vhosts"] == {"aa": "rotated"} and {path.stat().st_gid for path in (site.cert, site.key)} == {54321}
    assert not rotate(site, owner="nobody", group="54321")["changed"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"mode": 644}, 'mode: expected a mode in quotes, such as "0640", got 644'),
        ({"owner": "t-nobody"}, "owner: expected a user of the host, got 't-nobody'"),
        ({"group": "t-nobody"}, "group: expected a group of the host, got 't-nobody'"),
        ({"backups": -1}, "backups: expected a whole number, 0 or more, got -1"),
        ({"endpoints": []}, "endpoints: expected at least one, because only a handshake shows what is served"),
        ({"endpoints": [{"port": 0}]}, "endpoints[0].port: expected a port from 1 to 65535, got 0"),
        (
            {"certificates": [{"vhost": "aa", "certificate": "/x"}]},
            "certificates[0]: expected either certbot_live or certificate and private_key, for aa",
        ),
        (
            {"certificates": [{"vhost": "aa", "certbot_live": "/x"}] * 2},
            "certificates[1].vhost: expected each virtual host once",
        ),
        (
            {"certificates": [{"vhost": "aa", "certbot_live": "/x", "endpoints": []}]},
            "certificates[0].endpoints: expected at least one",
        ),
        (
            {"certificates": [{"vhost": "aa", "certificate": "-----BEGIN X", "private_key": "/x"}]},
            "certificates[0].certificate: expected the path of a file in PEM form, not what the file holds",
        ),
    ],
)
def test_options_that_cannot_work_are_refused(site: Site, wrong: dict[str, Any], said: str) -> None:
    run = rotate(site, **wrong)
    assert run.failed and run["error"]["kind"] == "bad_input" and said in run["msg"], run["msg"]
    assert site.simulator.log == []


def test_what_cannot_be_read_is_named(site: Site, tmp_path: Path) -> None:
    run = rotate(site, certificates=[entry(site, cert_path=str(tmp_path / "none/cert.pem"))])
    assert run.failed and f"The directory {tmp_path / 'none'} cannot be read" in run["msg"]
    assert "Nothing was changed." in run["msg"] and run["vhosts"] == {"aa": "untouched"}
    (tmp_path / "dir").mkdir()
    run = rotate(site, certificates=[entry(site, cert_path=str(tmp_path / "dir"))])
    assert run.failed and f"{tmp_path / 'dir'} cannot be read: Is a directory." in run["msg"]


def test_a_write_that_fails_is_undone(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.replace

    def replace(source: str, path: str) -> None:
        # The new key; the old one may come back.
        if path == str(site.key) and Path(source).read_bytes() == site.new.key:
            raise OSError(28, "No space left on device", path)
        real(source, path)

    monkeypatch.setattr(os, "replace", replace)
    run = rotate(site)
    assert run.failed and run["vhosts"] == {"aa": "restored"} and "No space left on device" in run["msg"]
    assert in_place(site) == contents(site.old) and served(site) == site.old.fingerprint
    assert hidden(site) == [] and list(site.directory.glob("*~")) == []


def test_what_cannot_be_restored_is_said_and_stays_for_the_next_run(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.simulator.fail_reload("aa")
    real = os.replace

    def replace(source: str, path: str) -> None:
        if path == str(site.key) and Path(source).read_bytes() == site.old.key:
            raise OSError(28, "No space left on device", path)
        real(source, path)

    monkeypatch.setattr(os, "replace", replace)
    run = rotate(site)
    assert run["vhosts"] == {"aa": "failed"} and run["changed"]
    assert f"RESTORING THE OLD FILES FAILED, TOO: {site.key}: No space left on device. Restore them" in run["msg"]
    monkeypatch.undo()
    site.simulator.fail_reload("aa", fails=False)
    again = rotate(site)
    assert again["vhosts"] == {"aa": "rotated"} and in_place(site) == contents(site.new) and hidden(site) == []


# -- killed at any point -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    """Processes that can be killed."""
    with Writers() as running:
        yield running


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "before, fails",
    [
        ("certificate", True),
        ("nothing", False),
        pytest.param("certificate", False, marks=pytest.mark.long),
        pytest.param("nothing", True, marks=pytest.mark.long),
    ],
)
def test_a_kill_at_any_point_never_leaves_a_broken_pair(site: Site, writers: Writers, before: str, fails: bool) -> None:
    """Before each call for a file the process is killed; check mode and the next run then find a whole pair,
    and end as if nothing had happened. With ``fails`` it is killed on its way back.
    """

    def fresh() -> None:
        for path in site.directory.glob("*~"):
            path.unlink()
        for path, content in zip((site.cert, site.chain, site.key), contents(site.old)):
            path.write_bytes(content)
            path.chmod(0o600)
        site.simulator.fail_reload("aa", fails=False)
        assert not site.reload(force=True, certificate=None, endpoint=None).failed
        if before == "nothing":
            for path in (site.cert, site.chain, site.key):
                path.unlink()
        site.simulator.fail_reload("aa", fails=fails)

    fresh()
    (whole,) = writers.run([Writer("certificates", options(site, wait_timeout=0))])
    assert not whole.killed and whole.steps > 20
    for number in range(1, whole.steps + 1):
        fresh()
        (end,) = writers.run([Writer("certificates", options(site, wait_timeout=0), number)])
        assert end.killed, number
        site.simulator.fail_reload("aa", fails=False)
        left = in_place(site) if site.cert.exists() and site.key.exists() and site.chain.exists() else ()
        predicted = rotate(site, check_mode=True)
        assert not predicted.failed, (number, predicted["msg"])
        run = rotate(site)
        assert not run.failed and run["vhosts"]["aa"] in ("rotated", "unchanged"), (number, run)
        assert predicted["vhosts"] == run["vhosts"], (number, left)
        assert in_place(site) == contents(site.new), number
        assert served(site) == site.new.fingerprint and hidden(site) == [], (number, hidden(site))
        assert not rotate(site)["changed"], number


def test_an_interrupted_rotation_is_undone_before_anything_else(site: Site, writers: Writers) -> None:
    site.key.chmod(0o600)
    number = 0
    while (site.cert.read_bytes() == site.new.cert) == (site.key.read_bytes() == site.new.key):
        number += 1
        (end,) = writers.run([Writer("certificates", options(site), number)])
        assert end.killed
    run = rotate(site, certificates=[entry(site, site.old)])
    assert run["vhosts"] == {"aa": "unchanged"} and in_place(site) == contents(site.old)
    assert any("was interrupted. The old files are back." in warning for warning in run.warnings)
