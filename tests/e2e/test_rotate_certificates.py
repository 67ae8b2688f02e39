# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook rotate_certificates, as a user runs them, on real files and with real handshakes.

Every run is at -vvvv, and :func:`rotation.rotate` looks for keys in what it prints.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pathlib
import re
import select
import stat
import struct
import subprocess
import threading
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import LOCAL, REPOSITORY, TOKEN, Project
from .rotation import LAPSES, LONG_AGO, SILENT, MediaServer, authority, failure, outcome, rotate


class Row(t.NamedTuple):
    """What is wrong, and where it must end."""

    spoil: t.Callable[[MediaServer], object]
    outcome: str
    words: tuple[str, ...] = ()
    ports: int = 1
    tls: bool = True
    reloads: int = 0
    variables: dict[str, t.Any] = {}


def _nothing(_server: MediaServer) -> None:
    pass


def _file(name: str, content: t.Callable[[MediaServer], bytes]) -> t.Callable[[MediaServer], object]:
    return lambda server: (server.coming / name).write_bytes(content(server))


def _cut_out(server: MediaServer) -> bytes:
    lines = server.new.certificate.splitlines(keepends=True)
    return b"".join(lines[:3] + lines[4:])


def _chain_in_wrong_order(_server: MediaServer) -> bytes:
    return authority().root.cert_pem.bytes() + authority().chain


def _expired(server: MediaServer) -> None:
    server.write(server.coming, authority().issue(until=LONG_AGO))


UNTOUCHED, RESTORED = "untouched", "restored"
ROWS = {
    "good": Row(_nothing, "rotated", reloads=1),
    "broken": Row(_file("cert.pem", _cut_out), UNTOUCHED, ("is broken",)),
    "missing": Row(lambda server: (server.coming / "privkey.pem").unlink(), UNTOUCHED, ("privkey.pem",)),
    "other-key": Row(
        _file("privkey.pem", lambda server: authority().issue().key),
        UNTOUCHED,
        ("key_mismatch", "coming/privkey.pem does not belong to"),
    ),
    "expired": Row(_expired, UNTOUCHED, ("expired at 2020-01-01", "coming/cert.pem")),
    "unreadable": Row(
        lambda server: server.simulator.fail_reload("t-live"),
        RESTORED,
        ("old files are back, and the old certificate is served", "valid until"),
        reloads=2,
        variables=LAPSES,
    ),
    "wrong-order": Row(_file("chain.pem", _chain_in_wrong_order), UNTOUCHED, ("chain_order", "coming/chain.pem")),
    "slow": Row(lambda server: server.simulator.delay_reloads(2), "rotated", reloads=1),
    "one-lags": Row(
        lambda server: server.simulator.lag(server.simulator.tls_ports[1]),
        RESTORED,
        ("1 of 3 endpoints", "old files are back"),
        3,
        reloads=2,
        variables=LAPSES,
    ),
    "unreachable": Row(
        lambda server: server.simulator.listener(server.simulator.tls_ports[1], "down"),
        UNTOUCHED,
        ("Nothing listens at", "Nothing was changed"),
        2,
    ),
    "without-tls": Row(_nothing, UNTOUCHED, ("t-live has no TLS", "Nothing was changed"), tls=False),
    "silent": Row(
        lambda server: server.simulator.listener(server.simulator.tls_ports[1], "hang"),
        UNTOUCHED,
        ("did not complete a TLS", "Nothing was changed"),
        2,
        variables=SILENT,
    ),
}


# Versions differ in what they answer to a reload, and to one of a virtual host without TLS. The other rows end before
# the server is asked for that, and need no other version; test_cert_reload.py has all of them, by the module, for each.
OF_VERSIONS = ("good", "unreadable", "one-lags", "without-tls")
VERSIONS = {"0.20.0": tuple(ROWS), "0.18.0": OF_VERSIONS, "0.15.10": OF_VERSIONS}


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_the_table(project: Project, version: str) -> None:
    """Each row is a server of its own; they are rotated concurrently to save time."""
    rows = {name: ROWS[name] for name in VERSIONS[version]}
    with contextlib.ExitStack() as stack:
        servers = {}
        for name, row in rows.items():
            servers[name] = stack.enter_context(MediaServer(project.directory / name, version, row.ports, tls=row.tls))
            row.spoil(servers[name])
        hosts = {
            name: server.variables(ovenmediaengine_certificates_remote_src=True, **rows[name].variables)
            for name, server in servers.items()
        }
        run = rotate(project, hosts, at_once=True)
        wrong = {}
        for name, row in rows.items():
            server, reported = servers[name], failure(run, name)
            faults = [f"it does not say {word!r}, but {reported}" for word in row.words if word not in reported]
            if outcome(run, name) != f"certificates: t-live {row.outcome}":
                faults.append(f"it ends with {outcome(run, name)!r}: {reported}")
            if (run.recap[name]["failed"] == 0) != (row.outcome == "rotated"):
                faults.append(f"{run.recap[name]}")
            if server.reloads != row.reloads:
                faults.append(f"{server.reloads} reloads")
            if row.outcome == "rotated":
                faults += _not_rotated(server)
            else:
                # Byte for byte, the same modes, and no backup is left.
                faults += [] if server.snapshot() == server.before else ["the files are not as before"]
                answering = [
                    position
                    for position in range(row.ports)
                    if row.tls and (name not in ("unreachable", "silent") or position != 1)
                ]
                faults += [
                    f"port {position} does not serve the old one"
                    for position in answering
                    if server.served(position) != server.old.fingerprint
                ]
            if faults:
                wrong[name] = faults
        assert not wrong, json.dumps(wrong, indent=1)


def _not_rotated(server: MediaServer) -> list[str]:
    """Return what is not as it must be after a good rotation."""
    files = {name: entry for name, entry in server.snapshot().items() if not name.endswith("~")}
    wanted = {
        "cert.pem": (server.new.certificate, 0o644),
        "chain.pem": (authority().chain, 0o644),
        "privkey.pem": (server.new.key, 0o600),
    }
    faults = [] if files == wanted else [f"not in place: {[name for name in files if files[name] != wanted.get(name)]}"]
    if server.served() != server.new.fingerprint:
        faults.append("the new certificate is not served")
    if [path.read_bytes() for path in server.backups] != [server.old.certificate, server.old.key]:
        faults.append("the backups are not the old files")
    if any(path.stat().st_mode & 0o077 for path in server.backups):
        faults.append("others can read a backup")
    return faults


@pytest.mark.long
def test_a_second_run_after_check_mode_and_a_run_changes_nothing(project: Project) -> None:
    with MediaServer(project.directory / "one", ports=2) as server:
        hosts = {"one": server.variables(ovenmediaengine_certificate_backups=1)}
        checked = rotate(project, hosts, "--check", "--diff")
        assert checked.status == 0, checked.output
        assert outcome(checked, "one") == "Check mode, this would be done: certificates: t-live rotated"
        assert checked.recap["one"]["changed"] > 0
        assert server.snapshot() == server.before and not server.simulator.writes

        assert rotate(project, hosts, "--diff").recap["one"]["changed"] > 0
        assert _not_rotated(server) == []

        server.simulator.clear_log()
        before = server.snapshot()
        again = rotate(project, hosts, "--diff")
        assert (again.status, again.recap["one"]["changed"]) == (0, 0), again.output
        assert outcome(again, "one") == "certificates: t-live unchanged"
        assert server.reloads == 0 and not server.simulator.writes
        assert server.snapshot() == before

        # Another rotation: the only backup that is kept is that of the last.
        third = authority().issue()
        server.write(server.coming, third)
        assert outcome(rotate(project, hosts), "one") == "certificates: t-live rotated"
        assert server.served() == server.served(1) == third.fingerprint
        assert [path.read_bytes() for path in server.backups] == [server.new.certificate, server.new.key]


@pytest.mark.long
def test_a_fleet_stops_at_the_first_that_fails(project: Project) -> None:
    with contextlib.ExitStack() as stack:
        fleet = {
            f"media-{number}": stack.enter_context(MediaServer(project.directory / str(number))) for number in (1, 2, 3)
        }
        one, two, three = fleet.values()
        two.simulator.fail_reload("t-live")
        run = rotate(
            project, {name: server.variables(**(LAPSES if server is two else {})) for name, server in fleet.items()}
        )
        assert run.status == 2
        assert outcome(run, "media-1") == "certificates: t-live rotated"
        assert outcome(run, "media-2") == "certificates: t-live restored"
        assert _not_rotated(one) == []
        assert (two.snapshot(), two.served()) == (two.before, two.old.fingerprint)
        assert "media-3" not in run.recap
        assert (three.snapshot(), three.served(), three.simulator.log) == (three.before, three.old.fingerprint, [])


@pytest.mark.long
def test_files_on_the_media_server_and_several_virtual_hosts(project: Project) -> None:
    """The second of three virtual hosts fails: the first is rotated, the third is left alone."""
    with MediaServer(project.directory / "one") as server:
        folders = {}
        for letter in "bc":
            folders[letter] = (project.directory / f"live-{letter}", project.directory / f"coming-{letter}")
            for folder in folders[letter]:
                folder.mkdir()
                server.write(folder, authority().issue(f"{letter}.example.com"))
            server.add(f"t-{letter}", f"{letter}.example.com", folders[letter][0])
        before = {letter: server.served(0, f"{letter}.example.com") for letter in "bc"}
        contents = {path: path.read_bytes() for letter in "bc" for path in folders[letter][0].iterdir()}
        server.simulator.fail_reload("t-b")
        entries = [{"vhost": "t-live", "certbot_live": str(server.coming)}]
        for letter in "bc":
            files = {"certificate": "cert.pem", "private_key": "privkey.pem", "chain": "chain.pem"}
            entries.append(
                {"vhost": f"t-{letter}", **{option: str(folders[letter][1] / name) for option, name in files.items()}}
            )
        run = rotate(
            project,
            {
                "one": server.variables(
                    ovenmediaengine_certificates=entries, ovenmediaengine_certificates_remote_src=True, **LAPSES
                )
            },
        )
        assert run.status == 2
        assert outcome(run, "one") == "certificates: t-b restored, t-c untouched, t-live rotated"
        assert _not_rotated(server) == []
        assert {letter: server.served(0, f"{letter}.example.com") for letter in "bc"} == before
        assert {path: path.read_bytes() for letter in "bc" for path in folders[letter][0].iterdir()} == contents


@pytest.mark.long
def test_special_cases(project: Project) -> None:
    """Each is a server of its own; they run concurrently."""
    with contextlib.ExitStack() as stack:

        def start(name: str, **options: t.Any) -> MediaServer:
            return stack.enter_context(MediaServer(project.directory / name, **options))

        # No certificate yet, and the server takes the new one.
        first = start("first", placed=False)
        # No certificate yet, and the server does not take the new one.
        first_fails = start("first-fails", placed=False)
        first_fails.simulator.fail_reload("t-live")
        # Nothing answers because nothing was loaded at the start; with leave to go on, the rotation mends that.
        broken = start("broken", placed=False)
        broken.write(broken.live, broken.old)
        (broken.live / "cert.pem").write_text("broken")
        # Only the chain is another: the certificate that is served proves nothing, so there must be a reload.
        chain = start("chain")
        chain.write(chain.coming, chain.old, authority().chain + authority().root.cert_pem.bytes())
        # The certificate is served, and clients would refuse it.
        refused = start("refused")
        # Replaced by another process; the server cannot read it.
        in_place = start("in-place")
        in_place.write(in_place.live, in_place.new)
        in_place.simulator.fail_reload("t-live")
        (in_place.live / "privkey.pem").chmod(0o600)
        in_place_before = in_place.snapshot()
        # Too few days left, and a directory that is not there.
        short = start("short")
        nowhere = start("nowhere")
        ca_path = project.directory / "root.pem"
        authority().root.cert_pem.write_to_path(str(ca_path))
        other_ca = project.directory / "other.pem"
        other_ca.write_bytes(authority().issuer.issue_cert("x.example.com").cert_chain_pems[0].bytes())
        verify = {"ovenmediaengine_certificate_verify_chain": True}
        entry = {
            "vhost": "t-live",
            "certbot_live": str(nowhere.coming),
            "cert_path": str(nowhere.live / "none/cert.pem"),
        }
        run = rotate(
            project,
            {
                "first": first.variables(**verify, ovenmediaengine_certificate_chain_ca_path=str(ca_path)),
                "first-fails": first_fails.variables(**LAPSES),
                "broken": broken.variables(ovenmediaengine_certificate_check_endpoints_first=False),
                "chain": chain.variables(),
                "refused": refused.variables(**verify, ovenmediaengine_certificate_chain_ca_path=str(other_ca)),
                "in-place": in_place.variables(**LAPSES),
                "short": short.variables(ovenmediaengine_certificate_min_days_left=1000000),
                "nowhere": nowhere.variables(ovenmediaengine_certificates=[entry]),
            },
            at_once=True,
        )
        ends = {name: outcome(run, name).rpartition(" ")[2] for name in run.recap}
        reported = {name: failure(run, name) for name in run.recap}
        assert ends == {
            "first": "rotated",
            "first-fails": "removed",
            "broken": "rotated",
            "chain": "rotated",
            "refused": "restored",
            "in-place": "failed",
            "short": "untouched",
            "nowhere": "untouched",
        }, reported
        assert first.served() == first.new.fingerprint and broken.served() == broken.new.fingerprint
        assert first_fails.snapshot() == {} and "There was no certificate before" in reported["first-fails"]
        assert chain.reloads == 1 and [path.name.split(".")[0] for path in chain.backups] == ["chain"]
        assert (refused.snapshot(), refused.served()) == (
            refused.before,
            refused.old.fingerprint,
        ) and "clients would refuse it" in reported["refused"]
        assert in_place.snapshot() == in_place_before and "nothing to restore" in reported["in-place"]
        assert short.snapshot() == short.before and "ovenmediaengine_certificate_min_days_left" in reported["short"]
        assert "If it does not exist, create it" in reported["nowhere"] and nowhere.snapshot() == nowhere.before


@pytest.mark.long
def test_invalid_variables_are_refused(project: Project, tmp_path: pathlib.Path) -> None:
    with MediaServer(tmp_path / "one") as server:
        entries = [{"vhost": "t-live", "certbot_live": "/x", "certificate": "/y"}]
        hosts = {
            "both": server.variables(ovenmediaengine_certificates=entries),
            "no-endpoint": server.variables(ovenmediaengine_certificate_endpoints=[]),
            "mode": server.variables(ovenmediaengine_certificate_key_mode=600),
            "not-there": server.variables(
                ovenmediaengine_certificates=[{"vhost": "t-none", "certbot_live": str(server.coming)}]
            ),
            "no-place": server.variables(
                ovenmediaengine_certificates=[
                    {"vhost": "default", "certbot_live": str(server.coming), "chain_cert_path": ""}
                ]
            ),
        }
        run = rotate(project, hosts, at_once=True)
        reported = {name: failure(run, name) for name in hosts}
        assert "either certbot_live or certificate and private_key" in reported["both"]
        assert "only a handshake shows" in reported["no-endpoint"]
        assert "no virtual host t-none" in reported["not-there"]
        assert reported["no-place"]
        assert reported["mode"] == (
            'ovenmediaengine_certificate_key_mode: expected a mode in quotes, such as "0640", got 600.'
        )
        assert all(outcome(run, name).endswith(" untouched") for name in hosts)
        assert server.snapshot() == server.before and not server.simulator.writes


def _mode(path: pathlib.Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextlib.contextmanager
def _watched(folders: t.Iterable[pathlib.Path], *keys: bytes) -> t.Iterator[list[tuple[str, int]]]:
    """Provide every file in the folders that others could read at any instant while it held a private key."""
    libc, seen = ctypes.CDLL(None, use_errno=True), []
    descriptor = libc.inotify_init1(os.O_NONBLOCK)
    mask = 0x4 | 0x2 | 0x8 | 0x80 | 0x100  # attributes, written, closed, moved to, created
    watches = {libc.inotify_add_watch(descriptor, str(folder).encode(), mask): folder for folder in folders}
    over = threading.Event()
    poll = select.poll()  # select.select refuses descriptors above 1,023
    poll.register(descriptor, select.POLLIN)

    def look() -> None:
        while not over.is_set():
            if not poll.poll(50):
                continue
            content, position = os.read(descriptor, 65536), 0
            while position < len(content):
                watch, _mask, _cookie, length = struct.unpack_from("iIII", content, position)
                name = content[position + 16 : position + 16 + length].rstrip(b"\0").decode()
                position += 16 + length
                with contextlib.suppress(OSError), (watches[watch] / name).open("rb") as file:
                    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                    if mode & 0o077 and any(map(file.read().__contains__, keys)):
                        seen.append((name, mode))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        os.close(descriptor)


@pytest.mark.long
def test_one_file_for_certificate_and_key_has_the_mode_of_the_key(project: Project) -> None:
    """Also if one path is a link to the other, and the old file was readable for others. The owner stays."""
    with MediaServer(project.directory / "one") as server:
        both = server.live / "both.pem"
        both.write_bytes(server.old.certificate + server.old.key)
        both.chmod(0o644)  # as earlier releases have left it
        owner = 12345 if os.geteuid() == 0 else os.geteuid()
        os.chown(both, owner, -1)
        (server.live / "key.pem").symlink_to(both)
        coming = server.coming / "both.pem"
        coming.write_bytes(server.new.certificate + server.new.key)
        del server.simulator.state.virtual_hosts["t-live"]
        tls = {
            "certPath": str(both),
            "keyPath": str(server.live / "key.pem"),
            "chainCertPath": str(server.live / "chain.pem"),
        }
        server.simulator.add_static_virtual_host(
            {"name": "t-live", "host": {"names": ["live.example.com"], "tls": tls}}
        )
        entry = {
            "vhost": "t-live",
            "certificate": str(coming),
            "private_key": str(coming),
            "chain": str(server.coming / "chain.pem"),
        }
        hosts = {"one": server.variables(ovenmediaengine_certificates=[entry])}
        with _watched([server.live], server.new.key) as seen:
            first = rotate(project, hosts)
        assert outcome(first, "one") == "certificates: t-live rotated", failure(first, "one")
        assert (_mode(both), both.read_bytes(), both.stat().st_uid) == (0o600, coming.read_bytes(), owner)
        assert (server.live / "key.pem").is_symlink() and server.served() == server.new.fingerprint
        assert seen == [] and [_mode(path) for path in server.backups] == [0o600]
        again = rotate(project, hosts)
        assert outcome(again, "one") == "certificates: t-live unchanged" and again.recap["one"]["changed"] == 0


@pytest.mark.parametrize("mode", [0o600, pytest.param("{{ 0 + 384 }}", marks=pytest.mark.long)])
def test_a_mode_without_quotes_is_the_one_that_was_meant(project: Project, mode: t.Any) -> None:
    """YAML makes a number of 0600, of which ansible-core 2.16 makes the text 384."""
    with MediaServer(project.directory / "one") as server:
        run = rotate(project, {"one": server.variables(ovenmediaengine_certificate_key_mode=mode)})
        if run.status:
            assert "is not a mode: 384" in failure(run, "one") and server.snapshot() == server.before
        else:
            assert _mode(server.live / "privkey.pem") == 0o600


@pytest.mark.long
def test_a_key_is_never_readable_for_others(project: Project) -> None:
    """Neither in a new file, nor in the backup, nor where the old file was readable for others."""
    with MediaServer(project.directory / "old") as old, MediaServer(project.directory / "new", placed=False) as new:
        (old.live / "privkey.pem").chmod(0o600)
        with _watched([old.live, new.live], old.old.key, old.new.key, new.new.key) as seen:
            run = rotate(project, {"old": old.variables(), "new": new.variables()}, at_once=True)
        assert run.status == 0 and seen == []
        assert [_mode(server.live / "privkey.pem") for server in (old, new)] == [0o600, 0o600]


@pytest.mark.long
def test_two_files_for_one_destination_are_refused(project: Project) -> None:
    with MediaServer(project.directory / "one") as server:
        server.add("t-other", "other.example.com", server.live)
        other = project.directory / "other"
        other.mkdir()
        server.write(other, authority().issue("other.example.com"))
        here = {"vhost": "t-live", "certbot_live": str(server.coming)}
        run = rotate(
            project,
            {
                "within": server.variables(
                    ovenmediaengine_certificates=[{**here, "key_path": str(server.live / "./cert.pem")}]
                ),
                "between": server.variables(
                    ovenmediaengine_certificates=[here, {"vhost": "t-other", "certbot_live": str(other)}]
                ),
            },
            at_once=True,
        )
        reported = {name: failure(run, name) for name in ("within", "between")}
        assert (
            "the private key of the virtual host t-live are different files with the same destination"
            in reported["within"]
        )
        assert (
            "The certificate of the virtual host t-live and the certificate of the virtual host t-other "
            "are different files" in reported["between"]
        )
        assert all("Nothing was changed" in text and len(text) < 2000 for text in reported.values())
        assert server.snapshot() == server.before and server.reloads == 0


@pytest.mark.long
def test_virtual_hosts_that_share_files(project: Project) -> None:
    """The second is reloaded for a new chain too; if its proof fails, the files stay, and the message says who
    placed them.
    """
    with MediaServer(project.directory / "good") as good, MediaServer(project.directory / "bad") as bad:
        good.write(good.coming, good.old, authority().chain + authority().root.cert_pem.bytes())
        hosts = {}
        for name, server in (("good", good), ("bad", bad)):
            server.add("t-twin", "live.example.com", server.live)
            entries = [{"vhost": vhost, "certbot_live": str(server.coming)} for vhost in ("t-live", "t-twin")]
            for entry in entries:
                entry["endpoints"] = [
                    {"port": port, "server_name": "live.example.com"} for port in server.simulator.tls_ports
                ]
            hosts[name] = server.variables(ovenmediaengine_certificates=entries)
        run = rotate(project, {"good": hosts["good"]})
        assert outcome(run, "good") == "certificates: t-live rotated, t-twin rotated", failure(run, "good")
        assert [record.path.rpartition("/")[2] for record in good.simulator.log if "eload" in record.path] == [
            "t-live:reloadCertificate",
            "t-twin:reloadCertificate",
        ]
        again = rotate(project, {"good": hosts["good"]})
        assert (
            outcome(again, "good") == "certificates: t-live unchanged, t-twin unchanged"
            and again.recap["good"]["changed"] == 0
        )

        bad.add("t-zz", "zz.example.com", bad.live)
        entries = [
            {"vhost": "t-live", "certbot_live": str(bad.coming)},
            {"vhost": "t-zz", "certbot_live": str(bad.coming)},
        ]
        bad.simulator.fail_reload("t-zz")
        accepted = {"ovenmediaengine_certificate_accept": ["name_not_covered"]}
        run = rotate(project, {"bad": bad.variables(ovenmediaengine_certificates=entries, **accepted, **LAPSES)})
        reported = failure(run, "bad")
        assert outcome(run, "bad") == "certificates: t-live rotated, t-zz failed"
        assert (
            "also those of the virtual host t-live, which serves the new certificate since this run placed them. "
            "They stay." in reported
        )
        assert "before this run" not in reported and bad.served() == bad.new.fingerprint


@pytest.mark.long
def test_a_shadowed_virtual_host_is_reported(project: Project) -> None:
    """`*` in a virtual host that sorts before: known before anything is touched. Nobody claims the loss of what was
    not served before.
    """
    with contextlib.ExitStack() as stack:
        servers, hosts = {}, {}
        for name in ("hidden", "both", "unknown"):
            servers[name] = server = stack.enter_context(MediaServer(project.directory / name))
            other = server.live.parent / "default"
            other.mkdir()
            # A wildcard would cover the name as well.
            server.write(other, authority().issue("*.example.com" if name == "unknown" else "default.example.com"))
            server.add("a-default", "*", other)
            if name == "unknown":
                (other / "cert.pem").unlink()  # not for the module to read, as in a container
            before = server.served()
            assert before not in (server.old.fingerprint, None)
            entries = [{"vhost": "t-live", "certbot_live": str(server.coming)}]
            if name == "both":
                entries.insert(
                    0,
                    {
                        "vhost": "a-default",
                        "certbot_live": str(server.coming),
                        "endpoints": [{"port": server.simulator.tls_ports[0]}],
                    },
                )
            hosts[name] = server.variables(
                ovenmediaengine_certificates=entries, **(LAPSES if name == "unknown" else {})
            )
        run = rotate(project, hosts, at_once=True)
        reported = {name: failure(run, name) for name in hosts}
        ends = {name: outcome(run, name).removeprefix("certificates: ") for name in hosts}
        assert ends == {
            "hidden": "t-live untouched",
            "both": "a-default rotated, t-live rotated",
            "unknown": "t-live restored",
        }, reported
        assert (
            "alphabetical order of names, with a host name that matches: a-default (*)" in reported["hidden"]
            and "(shadowed)" in reported["hidden"]
        )
        assert servers["hidden"].reloads == 0 and servers["hidden"].snapshot() == servers["hidden"].before
        assert servers["both"].served() == servers["both"].new.fingerprint
        assert (
            "each endpoint serves what it served before, which was not the old certificate of this virtual host"
            in reported["unknown"]
        )
        assert "a-default (*)" in reported["unknown"] and "NOT PROVEN" not in run.output
        assert servers["unknown"].snapshot() == servers["unknown"].before


GUIDE = (REPOSITORY / "docs/docsite/rst/guide_rotate_certificates.rst").read_text(encoding="utf-8")


def _blocks() -> list[tuple[str, str]]:
    """Return the blocks of code in the guide that say how they are tested: what they say, and the code."""
    found = re.findall(r"^\.\. tested: (.+)\n\n\.\. code-block:: \S+\n\n((?:(?: {4}.*)?\n)+)", GUIDE, re.MULTILINE)
    assert len(found) == len(re.findall(r"code-block:: (?:yaml|bash)", GUIDE))
    return [(mark, re.sub(r"^ {4}", "", text, flags=re.MULTILINE)) for mark, text in found]


def _printed() -> list[str]:
    """Return what the guide shows as output."""
    return [
        " ".join(text.split())
        for text in re.findall(r"^\.\. code-block:: text\n\n((?:(?: {4}.*)?\n)+)", GUIDE, re.MULTILINE)
    ]


def _without_own_names(text: str) -> str:
    """Return the report of a failed proof without the names, addresses, fingerprints and dates of its server."""
    for pattern, word in (
        (r"virtual host \S+\.", "virtual host NAME."),
        (r"Served now:\s+\S+ \(\S+\): it serves .*? \(\w{16}…, valid until [\dTZ:-]+\)", "Served now: ENDPOINT"),
    ):
        text = re.sub(pattern, word, text, flags=re.DOTALL)
    return " ".join(text.split())


@pytest.mark.long
def test_a_failed_proof_is_reported_as_in_the_guide(project: Project) -> None:
    """The guide leaves out why the proof has failed, and what to do."""
    with MediaServer(project.directory / "one") as server:
        server.simulator.fail_reload("t-live")
        run = rotate(project, {"one": server.variables(**LAPSES)})
        assert run.status == 2 and outcome(run, "one") == "certificates: t-live restored"
        begin, end, _remedy = _without_own_names(_printed()[1]).split("...")
        reported = _without_own_names(failure(run, "one"))
        assert reported.startswith(begin) and end in reported, reported


@pytest.mark.long
def test_the_examples_of_the_guide_work(project: Project) -> None:
    """The hook of certbot rotates one certificate, the play the other, and the alarm has nothing to say then."""
    place = project.directory
    with MediaServer(place / "one", ports=2) as server:
        coming, live = {}, {}
        for letter in "ab":
            name = f"live.tenant-{letter}.example.com"
            live[letter], coming[letter] = place / "served" / letter, place / "letsencrypt" / name
            for folder in (live[letter], coming[letter]):
                folder.mkdir(parents=True)
                server.write(folder, authority().issue(name))
            server.add(f"tenant-{letter}", name, live[letter])
        wanted = {letter: (coming[letter] / "cert.pem").read_bytes() for letter in "ab"}
        hosts = {
            "media-1": {"ovenmediaengine_api_url": server.simulator.url, "ovenmediaengine_api_token": TOKEN, **LOCAL}
        }
        (place / "inventory.yml").write_text(json.dumps({"media": {"hosts": hosts}}), encoding="utf-8")

        shown = dict(_blocks())
        variables = yaml.safe_load(shown["as certificates.yml"])
        entries = variables["ovenmediaengine_certificates"]
        assert [entry["vhost"] for entry in entries] == ["tenant-a", "tenant-b"]
        entries[0]["certbot_live"] = str(coming["a"])
        for option in ("certificate", "private_key", "chain"):  # beside the inventory, where the guide has them
            (place / entries[1][option]).parent.mkdir(parents=True, exist_ok=True)
            (place / entries[1][option]).write_bytes((coming["b"] / pathlib.Path(entries[1][option]).name).read_bytes())
        variables["ovenmediaengine_certificate_endpoints"] = [{"port": port} for port in server.simulator.tls_ports]
        (place / "certificates.yml").write_text(json.dumps(variables), encoding="utf-8")
        (place / "lineages").mkdir()
        for_a = {**variables, "ovenmediaengine_certificates": entries[:1]}
        (place / "lineages/live.tenant-a.example.com.yml").write_text(json.dumps(for_a), encoding="utf-8")

        (place / "hook").write_text(shown["hook"], encoding="utf-8")
        for lineage, status in ((coming["b"], 0), (place / "a;b", 1), (coming["a"], 0)):
            environment = {
                **project.environment,
                "RENEWED_LINEAGE": str(lineage),
                "OVENMEDIAENGINE_PROJECT": str(place),
            }
            hook = subprocess.run(
                ["sh", "hook"],
                cwd=place,
                env=environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            assert hook.returncode == status, hook.stdout + hook.stderr
        assert [(live[letter] / "cert.pem").read_bytes() == wanted[letter] for letter in "ab"] == [True, False]
        assert server.reloads == 1

        # The guide's own command, from its directory and from elsewhere.
        shape = (
            r"^    \$ ansible-playbook (streamops\S+rotate_certificates) "
            r"(-i inventory.yml) (-e @certificates.yml) (--check)$"
        )
        command = re.search(shape, GUIDE, re.MULTILINE)
        assert command is not None
        elsewhere = Project(place / "elsewhere")
        elsewhere.directory.mkdir()
        for checked in (
            project.play(*" ".join(command.groups()).split()),
            elsewhere.play(
                command[1], "-i", str(place / "inventory.yml"), "-e", f"@{place / 'certificates.yml'}", "--check"
            ),
        ):
            assert (
                checked.status == 0
                and "this would be done: certificates: tenant-a unchanged, tenant-b rotated" in checked.output
            ), checked.output

        playbooks = []
        for number, text in enumerate(text for mark, text in _blocks() if mark == "play"):
            (place / f"play-{number}.yml").write_text(text, encoding="utf-8")
            playbooks.append(f"play-{number}.yml")
        run = project.play(playbooks[0], *playbooks[1:], "-i", "inventory.yml")
        assert run.status == 0, run.output
        assert _printed()[0] in run.output
        assert (live["b"] / "cert.pem").read_bytes() == wanted["b"] and server.reloads == 2
        # What needs a controller is only read.
        assert all("hosts" in play for play in yaml.safe_load(shown["syntax only"]))


def test_the_guide_lists_the_variables_of_the_role() -> None:
    options = yaml.safe_load(
        (REPOSITORY / "roles/rotate_certificates/meta/argument_specs.yml").read_text(encoding="utf-8")
    )["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((REPOSITORY / "roles/rotate_certificates/defaults/main.yml").read_text(encoding="utf-8"))
    assert {name: spec["default"] for name, spec in options.items() if "default" in spec} == defaults
    for name, spec in options.items():
        if "certificate" not in name:
            continue
        default = spec.get("default")
        words = str(default).lower() if isinstance(default, bool) else str(default)
        assert re.search(
            rf"``{name}``.*\n     - {'none' if default is None else f'``{re.escape(words)}``'}\n", GUIDE
        ), name
