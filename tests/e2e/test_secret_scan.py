# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No secret is in anything that a run prints, logs, hands to callbacks or writes, whatever the run ends with and
however the secret is spelt.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import html
import json
import pathlib
import re
import shutil
import traceback
import typing as t
from urllib.parse import quote, quote_plus

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions as in_process
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES, ModuleRun, run_module

from .conftest import REPOSITORY, TOKEN, TREE
from .execution_runs import SWITCH
from .rotation import LAPSES, MediaServer, authority
from .secret_scan import Canaries, Leak, Scanner, cores, describe
from .secret_scan_cases import BY_ANSIBLE, MANAGING, Case, Objects, Server, unmet
from .secret_scan_run import Stage, case_tasks, keep, kind_of_end, kinds_in, role

ROLES = ("provision", "export", "import_config", "rotate_certificates", "audit")
# What each role meets beside success and drift.
ROLE_ERRORS = ("unauthorized", "not_json", "redirect", "refused")


# The scanner itself

VALUES = {
    "plain": "canary-text-4711-abcdef",
    "hard": "canary text '\"\\%+&%41=\u00e9\u20ac/ 4711abcdef",
    "emoji": "canary-\U0001f511-&<key>'4711",
}


def _json(value: t.Any, **options: t.Any) -> str:
    return json.dumps(value, **options)


SPELLINGS: dict[str, t.Callable[[str], str]] = {
    "plain": str,
    "upper case": str.upper,
    "JSON": _json,
    "JSON beyond ASCII": lambda value: _json(value, ensure_ascii=False),
    "JSON in JSON": lambda value: _json({"a": _json([value])}),
    "JSON in JSON in JSON": lambda value: _json(_json(_json(value))),
    "all letters escaped": lambda value: "".join(
        f"\\u{unit[0]:02x}{unit[1]:02x}" for unit in re.findall(b"..", value.encode("utf-16-be"), re.DOTALL)
    ),
    "escapes in upper case": lambda value: "".join(
        f"\\u{unit[0]:02X}{unit[1]:02X}" for unit in re.findall(b"..", value.encode("utf-16-be"), re.DOTALL)
    ),
    "JSON safe in HTML": lambda value: re.sub(r"[<>&']", lambda found: f"\\u{ord(found.group()):04x}", _json(value)),
    "repr": repr,
    "repr of bytes": lambda value: repr(value.encode()) if value.isascii() else ascii(value),
    "repr in JSON": lambda value: _json(str({"a": [value]})),
    "quote": quote,
    "quote whole": lambda value: quote(value, safe=""),
    "quote_plus": quote_plus,
    "quote in lower case": lambda value: re.sub("%..", lambda found: found.group().lower(), quote(value, safe="")),
    "quote twice": lambda value: quote(quote(value, safe=""), safe=""),
    "each letter quoted": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "HTML": html.escape,
    "HTML twice": lambda value: html.escape(html.escape(value)),
    "HTML by numbers": lambda value: "".join(f"&#{ord(letter)};" for letter in value),
    "HTML in JSON": lambda value: _json(html.escape(value)),
    "shell": lambda value: "'" + value.replace("'", "'\"'\"'") + "'",
    "YAML": lambda value: yaml.safe_dump({"a": {"b": value}}),
    "YAML beyond ASCII": lambda value: yaml.safe_dump([value], allow_unicode=True),
    "YAML in double quotes": lambda value: yaml.safe_dump([value], default_style='"'),
    "YAML in single quotes": lambda value: yaml.safe_dump([value], default_style="'", allow_unicode=True),
    "YAML folded": lambda value: yaml.safe_dump([f"word word {value} word"], width=10),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 without padding": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "base64 for URLs": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "base64, quoted": lambda value: quote(base64.b64encode(value.encode()).decode(), safe=""),
    "base64 after one letter": lambda value: "Basic " + base64.b64encode(f":{value}".encode()).decode(),
    "base64 after two letters": lambda value: "Basic " + base64.b64encode(f"u:{value}:x".encode()).decode(),
    "base64 after three letters": lambda value: "Basic " + base64.b64encode(f"us:{value}:xy".encode()).decode(),
    "base64 of JSON": lambda value: base64.b64encode(_json({"k": value}).encode()).decode(),
    "base64 in lines": lambda value: base64.encodebytes(f"{'x' * 40}{value}{'y' * 40}".encode()).decode(),
    "its second half": lambda value: value[len(value) // 2 :],
    "coloured": lambda value: f"\x1b[0;31m{value[:12]}\x1b[0m{value[12:]}",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=list(VALUES))
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
def test_every_spelling_is_found(spelling: t.Callable[[str], str], value: str) -> None:
    scanner = Scanner({"it": value, "another": "canary-something-else-entirely"})
    for before, after in (("", ""), ('{"msg": "before ', ' after"}'), ("x=", "&y=1"), ("<a href='", "'>")):
        found = scanner.scan(before + spelling(value) + after, "here")
        assert {(leak.secret, leak.place) for leak in found} == {("it", "here")}


def test_harmless_text_is_not_found() -> None:
    scanner = Scanner(VALUES)
    harmless = [
        "",
        "canary-text-",
        "canary text '\"\\%+&",
        "4711",
        "********",
        base64.b64encode(b"canary-text-").decode(),
        json.dumps({"canary": ["text", "abcdef"]}),
    ]
    harmless += [
        (REPOSITORY / name).read_text(encoding="utf-8")
        for name in ("README.md", "docs/architecture.md", "tests/e2e/conftest.py")
    ]
    assert [leak for text in harmless for leak in scanner.scan(text, "here")] == []


def test_a_secret_without_a_plain_form_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing of quotes"):
        Scanner({"quotes": "\"'\\"})


def test_base64_is_recognized_at_every_alignment() -> None:
    for before in (b"", b"a", b"ab", b"abc"):
        for after in (b"", b"x", b"xy"):
            assert any(core in base64.b64encode(before + b"canary!" + after).decode() for core in cores(b"canary!")), (
                before,
                after,
            )


def test_files_and_their_names_are_searched(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.bin").write_bytes(b"\xff\x00 canary-text-4711-abcdef \xfe")
    (tmp_path / "a" / VALUES["plain"]).write_text("", encoding="utf-8")
    leaks, places = Scanner(VALUES).scan_files(tmp_path / "a")
    assert [leak.place for leak in leaks] == ["a/b/c.bin", f"name of a/{VALUES['plain']}"]
    assert places == ["a/b/c.bin", f"a/{VALUES['plain']}"]


def test_canaries_differ_and_are_the_same_in_every_run() -> None:
    for hard in (False, True):
        one, same, other = Canaries(hard, "one"), Canaries(hard, "one"), Canaries(hard, "other")
        kinds = ("text", "ascii", "path", "query", "user", "digits")
        made = [canary(name, kind) for canary in (one, other) for kind in kinds for name in (f"a {kind}", f"b {kind}")]
        assert len(set(made)) == len(made)
        assert [same(f"a {kind}", kind) for kind in kinds] == [one(f"a {kind}", kind) for kind in kinds]
        assert one("a text") == one.secrets["one a text"]


# Every case, by the modules alone: what a module prints is all that Ansible knows of its run


def all_cases(server: Server) -> list[Case]:
    """Return every case that there is about a server."""
    own = [*server.matrix(), *server.core(), *server.on_writes(), *server.specific(), *server.bad_input()]
    return [*own, *server.examples()]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("hard", "check_mode"),
    [pytest.param(True, False, marks=pytest.mark.long), (False, True)],
    ids=["hard, real, module", "plain, check, in process"],
)
@pytest.mark.timeout(900)
def test_no_module_prints_a_secret(tmp_path: pathlib.Path, hard: bool, check_mode: bool) -> None:
    leaks: list[Leak] = []
    wrong: list[tuple[str, str | None, str, t.Any]] = []
    met: set[str] = set()
    number = crashed = 0
    with Server(tmp_path, hard) as server:
        cases = [case for case in all_cases(server) if not case.interpreter]
        scanner = Scanner(server.canary.secrets)
        for case in cases:
            try:
                run = (
                    in_process.run(case.module, case.options, check_mode=True)
                    if check_mode
                    else run_module(case.module, case.options)
                )
            except (TypeError, ValueError):  # some releases of ansible-core end so if an option is not of its type
                assert case.ends in (None, BY_ANSIBLE, "bad_input"), case.name
                crashed += 1
                leaks += scanner.scan(traceback.format_exc(), case.name)
                continue
            number += 1
            met.update(kinds_in(run))
            end = kind_of_end(run)
            if case.ends not in (None, end) and not (check_mode and case.writes):
                wrong.append((case.name, case.ends, end, run.get("msg")))
            assert server.readable() == [], case.name
            leaks += scanner.scan(
                run.printed if isinstance(run, ModuleRun) else json.dumps(run, default=str), case.name
            )
    assert {case.module for case in cases} == set(MODULES)
    assert not leaks, describe(leaks)
    assert not wrong, wrong
    if not check_mode:
        assert not unmet(met), "each kind of error needs a case, or a reason in NOT_BROUGHT_ABOUT"
    assert crashed <= 4, "ansible-core 2.21 checks all of these"
    record("secret scan", cases=number, leaked=len(leaks))


# Every layer: -vvvv, the log, callbacks, the artifacts of ansible-runner, reports


def role_variables(server: Server, directory: pathlib.Path, kind: str = "") -> dict[str, t.Any]:
    """Return the variables of a host for all roles; with ``kind`` one whose server answers so."""
    connection = server.spoilt(f"all-{kind}") if kind else server.connection()
    certificates = [
        {"vhost": "secure", "certificate": server.file("served.pem"), "private_key": server.file("other.key")}
    ]
    multiplex = server.mine.channel("multiplex_channel", "role-multiplex")
    (source,) = multiplex["source_streams"]
    wrong_source = {**source, "url": server.mine.webhook("source of a channel")}
    return {
        **{f"ovenmediaengine_{name}": value for name, value in connection.items()},
        "ovenmediaengine_vhosts": [server.mine.entry("role-new")],
        "ovenmediaengine_applications": [],
        "ovenmediaengine_push_tasks": server.mine.tasks("role-new"),
        "ovenmediaengine_records": server.mine.records("role-new"),
        "ovenmediaengine_scheduled_channels": [server.mine.channel("scheduled_channel", "role-scheduled")],
        "ovenmediaengine_multiplex_channels": [multiplex],
        "ovenmediaengine_stream_wait_timeout": 0,
        "ovenmediaengine_wait_seconds": 0,
        "ovenmediaengine_viewers": {"connect_to": "127.0.0.1"},
        "ovenmediaengine_encoders": {"ports": {"rtmp": 9, "whip": 9, "srt": 9}},
        "ovenmediaengine_verify_wait_timeout": 5,
        "ovenmediaengine_certificates": certificates,
        "ovenmediaengine_certificate_endpoints": [
            {"host": "127.0.0.1", "port": server.simulator.tls_ports[0], "server_name": "live.example.com"}
        ],
        "import_config_dir": server.file("durable"),
        "import_config_file": f"{directory}/{{{{ inventory_hostname }}}}_config.yml",
        "drift_vhosts": [server.mine.entry("role-drift")],
        "drift_tasks": server.mine.tasks("role-drift"),
        "new_pulls": server.mine.pulls("tv", "role-pull")["streams"],
        "wrong_channels": [{**multiplex, "source_streams": [wrong_source]}],
        "wrong_vhosts": [{**server.mine.vhost("role-new"), "signed_policy": server.canary("in place of a policy")}],
        "wrong_tasks": server.canary("in place of a list"),
        "export_file": f"{directory}/{{{{ inventory_hostname }}}}.yml",
        "audit_report_dir": str(directory / "audit"),
        "audit_fail_on": "none",
        "audit_sampling_interval": 0,
    }


def role_plays(reports: pathlib.Path) -> list[dict[str, t.Any]]:
    """Return all roles: success, drift, recreate, wrong variables and errors."""
    drift = {
        "ovenmediaengine_vhosts": "{{ drift_vhosts }}",
        "ovenmediaengine_push_tasks": "{{ drift_tasks }}",
        "ovenmediaengine_records": [],
    }
    servers = [
        *role("provision", "new"),
        *role("provision", "differs", **drift),
        *role("provision", "recreate", **drift, ovenmediaengine_recreate="{{ true }}"),
        *role("provision", "pull", ovenmediaengine_streams="{{ new_pulls }}"),
        *role("provision", "wrong pull", ovenmediaengine_streams="{{ wrong_tasks }}"),
        *role("provision", "wrong channel", ovenmediaengine_multiplex_channels="{{ wrong_channels }}"),
        *role("provision", "wrong channels", ovenmediaengine_scheduled_channels="{{ wrong_tasks }}"),
        *role("provision", "wrong entry", ovenmediaengine_vhosts="{{ wrong_vhosts }}"),
        *role("provision", "wrong list", ovenmediaengine_push_tasks="{{ wrong_tasks }}"),
        *role("verify", "all"),
        *role("verify", "wrong list", ovenmediaengine_vhosts="{{ wrong_vhosts }}"),
        *role("export", "all"),
        *role("import_config", "all"),
        *role("import_config", "broken file", import_config_dir="{{ import_config_dir | dirname }}/broken"),
        *role("rotate_certificates", "wrong key"),
    ]
    errors = [task for name in ("provision", "verify", "export", "rotate_certificates") for task in role(name, "error")]
    plays = {
        "hard:plain": servers,
        "errors": errors,
        "rotated": role("rotate_certificates", "rotation"),
        "hard:plain:errors": role("audit", "everything"),
    }
    return [{"hosts": hosts, "gather_facts": False, "tasks": tasks} for hosts, tasks in plays.items()]


class Scan:
    """One run of everything in a mode, and what was found in all that it left.

    Some hosts run the modules of the collection in process and some as modules: the single tasks do the one in real
    mode and the other in check mode, and the roles do both in each.
    """

    def __init__(self, directory: pathlib.Path, check: bool) -> None:
        self.check = check
        self.stage = Stage(directory)
        with contextlib.ExitStack() as stack:
            self.servers = {
                name: stack.enter_context(Server(directory / name, name == "hard")) for name in ("hard", "plain")
            }
            self.secrets: dict[str, str] = {"token of the rotated servers": TOKEN}
            self.cases = {name: list(self.chosen(name, server)) for name, server in self.servers.items()}
            plays, hosts = self._plays(), self._hosts(stack, directory)
            self._edited_by_hand()
            for server in self.servers.values():
                self.secrets.update(server.canary.secrets)
            self.secrets.update({f"private key {number}": line for number, line in enumerate(self._keys())})
            self.printed = self.stage.run(plays, hosts, self.groups, check=check)
        self.leaks, self.places = self.stage.scan(Scanner(self.secrets))

    def chosen(self, name: str, server: Server) -> t.Iterator[Case]:
        """Yield cases through all layers: every module with success, drift, change and errors, and some combinations.

        What a module prints is searched for all of them elsewhere. What the layers make of it only depends on whether
        it is a success, a failure or a change.
        """
        if name == ("plain" if self.check else "hard"):
            yield from server.core()
            yield from server.matrix(15)
            yield from server.on_writes(("bad_request",))
            yield from list(server.specific())[:: 6 if self.check else 3]
            yield from list(server.bad_input())[:: 48 if self.check else 24]
            yield from server.examples()

    @staticmethod
    def _keys() -> list[str]:
        return sorted(
            {
                line
                for key in authority().keys
                for line in key.decode().splitlines()
                if len(line) > 20 and not line.startswith("-----")
            }
        )

    def _plays(self) -> list[dict[str, t.Any]]:
        plays = []
        for name, cases in self.cases.items():
            registered = [f"secret_{name}_{number}" for number in range(len(cases))]
            tasks = [*case_tasks(cases, f"secret_{name}"), *keep(registered, self.stage.reports / "results")]
            plays.append({"hosts": name, "gather_facts": False, "tasks": tasks})
        return [*plays, *role_plays(self.stage.reports)]

    def _hosts(self, stack: contextlib.ExitStack, directory: pathlib.Path) -> dict[str, dict[str, t.Any]]:
        hosts = {
            name: {
                **role_variables(server, self.stage.reports),
                f"secret_{name}": [case.options for case in self.cases[name]],
            }
            for name, server in self.servers.items()
        }
        server = self.servers["plain" if self.check else "hard"]
        kinds = ROLE_ERRORS[:2] if self.check else ROLE_ERRORS
        errors = {f"error-{kind.replace('_', '-')}": role_variables(server, self.stage.reports, kind) for kind in kinds}
        rotated = {}
        for name in ("good",) if self.check else ("good", "stuck"):
            media = stack.enter_context(MediaServer(directory / "media" / name))
            if name == "stuck":
                media.simulator.lag(media.simulator.tls_ports[0], None)
            more = {
                "ovenmediaengine_api_token": TOKEN,
                "ovenmediaengine_timeout": PATIENCE,
                **(LAPSES if name == "stuck" else {"ovenmediaengine_certificate_wait_timeout": PATIENCE}),
            }
            rotated[name] = media.variables(**more)
        self.groups = {"errors": list(errors), "rotated": list(rotated)}
        self.as_modules = {"plain", *list(errors)[::2], *list(rotated)[1:]}
        # Without pipelining modules are files on the host, which -vvvv names.
        return {
            name: {**variables, SWITCH: name not in self.as_modules, "ansible_pipelining": False}
            for name, variables in {**hosts, **errors, **rotated}.items()
        }

    def _edited_by_hand(self) -> None:
        """An export that a user has filled in with secrets: the role keeps it, and shows nothing of it."""
        for name in self.servers:
            filled = f"canary-filled-in-{name}-4711-abcdef"
            self.secrets[f"filled in by hand on {name}"] = filled
            (self.stage.reports / f"{name}.yml").write_text(
                f"---\novenmediaengine_secret_x: {filled}\n", encoding="utf-8"
            )


# Where things come to be: what a place is called, by the files that are it.
LAYERS = {
    "printed": r"runner/artifacts/[^/]+/stdout",
    "job events": r"runner/artifacts/[^/]+/job_events/.*",
    "other artifacts": r"runner/(?!artifacts/[^/]+/(stdout|job_events/)).*",
    "log": r"ansible\.log",
    "JSON callback": r"callback\.json",
    "results in files": r"reports/results-\w+\.(plain|json|yml)",
    "reports of audits": r"reports/audit/audit\.(json|xml|html)",
    "exports and their backups": r"reports/\w+\.yml(\.[^/]*)?",
    "what else is left": r".*",
}
# Those that a single task fills.
OF_TASKS = ("printed", "job events", "log", "JSON callback", "results in files")


def layer_of(place: str) -> str:
    """Return the layer that a file belongs to."""
    return next(name for name, pattern in LAYERS.items() if re.fullmatch(f"(name of )?left/{pattern}", place))


@pytest.mark.long
@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
@pytest.mark.timeout(1700)
def test_no_file_of_a_run_has_a_secret(tmp_path: pathlib.Path, check: bool) -> None:
    scan = Scan(tmp_path, check)
    # What a user wrote into a file by hand stays in that file, or in the backup of it, and is nowhere else.
    own = {
        leak.place
        for leak in scan.leaks
        if leak.secret.startswith("filled in") and re.fullmatch(r"left/reports/\w+\.yml(\.[^/]*)?", leak.place)
    }
    leaks = [leak for leak in scan.leaks if leak.place not in own]
    assert not leaks, describe(leaks)
    assert len(own) == 2 and all(place.endswith(".yml") is check for place in own), own

    ends = scan.stage.ends()
    for name, cases in scan.cases.items():
        for case in cases:
            result = ends[name, case.name]
            if case.ends is not None and not (check and case.writes):
                assert kind_of_end(result) == case.ends, (name, case.name, result.get("msg"))
    assert {case.module for cases in scan.cases.values() for case in cases} == set(MODULES)
    _roles_did_what_they_should(scan, ends)

    # The files that modules are copied to, which -vvvv shows. If the host has a Python of its own, a
    # module is used anyway.
    copied = collections.Counter(
        re.findall(rf"^<([^>]+)> PUT \S+ TO \S+/AnsiballZ_(?:{'|'.join(MODULES)})\.py", scan.printed, re.MULTILINE)
    )
    with_own = {name: sum(bool(case.interpreter) for case in cases) for name, cases in scan.cases.items()}
    in_process = {*scan.servers, *scan.groups["errors"], *scan.groups["rotated"]} - scan.as_modules
    assert {host: copied[host] for host in in_process} == {host: with_own.get(host, 0) for host in in_process}
    assert all(copied[host] for host in scan.as_modules)

    # Each layer is there, and has what there was to tell.
    assert {layer_of(place) for place in scan.places} >= {layer for layer in LAYERS if layer != "what else is left"}
    texts = dict.fromkeys(LAYERS, "")
    for place in scan.places:
        texts[layer_of(place)] += (scan.stage.left.parent / place).read_text(encoding="utf-8", errors="replace")
    for layer in OF_TASKS:
        assert texts[layer].count("********") > 100, layer
        assert "Could not read virtual host shared" in texts[layer], layer
    for layer in ("printed", "job events", "log"):
        assert all(f"{module}: unchanged" in texts[layer] for module in MANAGING), layer
    number = sum(map(len, scan.cases.values()))
    for layer in LAYERS:
        if layer != "what else is left":  # it is nothing most of the time
            record(f"secret scan/{layer}", cases=number, leaked=sum(layer_of(leak.place) == layer for leak in leaks))


def _roles_did_what_they_should(scan: Scan, ends: t.Mapping[tuple[str, str], t.Mapping[str, t.Any]]) -> None:
    reports = scan.stage.reports
    assert set(ROLES) <= {one["task"].partition(" : ")[0].rpartition(".")[2] for one in scan.stage.results}
    for name in scan.servers:
        ended = {task for host, task in ends if host == name and task.endswith(", it has failed")}
        wrong = [
            "provision: wrong pull",
            "provision: wrong channel",
            "provision: wrong channels",
            "provision: wrong entry",
            "provision: wrong list",
            "verify: all",  # nothing takes its publishers
            "verify: wrong list",
            "rotate_certificates: wrong key",
            "import_config: broken file",
        ]
        # Check mode does not pull from the origin, which nothing answers for.
        failing = ["provision: differs", *wrong, *([] if scan.check else ["provision: pull"])]
        assert ended == {f"{title}, it has failed" for title in failing}
        assert (reports / f"{name}.yml").exists()
        assert (reports / f"{name}_config.yml").exists() is not scan.check
        files = scan.servers[name].simulator.state.channels.files
        made = {path.rpartition("/")[2] for path in files if "/role-" in path}
        assert made == (set() if scan.check else {"role-scheduled.sch", "role-multiplex.mux"})
    for host in scan.groups["errors"]:
        ended = [
            result for (name, task), result in ends.items() if name == host and task.endswith(": error, it has failed")
        ]
        assert len(ended) == 4, host
    assert (
        [host for host in scan.groups["rotated"] if (host, "rotate_certificates: rotation, it has failed") in ends]
        == []
        if scan.check
        else ["stuck"]
    )
    report = json.loads((reports / "audit" / "audit.json").read_text(encoding="utf-8"))
    assert {server["name"] for server in report["servers"]} == {*scan.servers, *scan.groups["errors"]}


# The scan would find what it looks for


def small_run(
    directory: pathlib.Path, server: Server, cases: t.Sequence[Case], tree: pathlib.Path = TREE
) -> tuple[Stage, list[Leak]]:
    """Run some cases, and search all that they leave."""
    stage = Stage(directory, tree)
    registered = [f"secret_{number}" for number in range(len(cases))]
    tasks = [*case_tasks(cases, "secret"), *keep(registered, stage.reports / "results")]
    stage.run(
        [{"hosts": "one", "gather_facts": False, "tasks": tasks}], {"one": {"secret": [case.options for case in cases]}}
    )
    return stage, stage.scan(Scanner(server.canary.secrets))[0]


@pytest.mark.exhaustive
def test_secrets_of_show_secrets_are_found_in_every_layer(tmp_path: pathlib.Path) -> None:
    with Server(tmp_path / "server", hard=True) as server:
        shown = {**server.connection(), "show_secrets": True}
        names = {
            "vhost_info": {"names": ["shared"]},
            "application_info": {"vhost": "shared"},
            "push_task_info": {"vhost": "shared"},
            "record_info": {"vhost": "shared"},
            "stream_info": {"vhost": "shared"},
        }
        cases = [Case(f"{module}: shown", module, {**options, **shown}) for module, options in names.items()]
        leaks = small_run(tmp_path, server, cases)[1]
    # Those of configuration files, which no module shows.
    in_files = Canaries(True, "hard")
    Objects(in_files, "server's").server()
    theirs = {name for name in server.canary.secrets if " server's " in name and "of the configuration" not in name}
    theirs -= set(in_files.secrets)
    assert len(theirs) > 15
    for layer in OF_TASKS:
        assert {leak.secret for leak in leaks if layer_of(leak.place) == layer} == theirs, layer


# Bugs, as code at the end of files; and what the scan must find then in a run of two cases.
BUGS = {
    # In the difference.
    "_resources/jobs": "PUSH_TASK.fields['stream_key'].secret = False\n",
    # In an error, in base64 alone.
    "_core/secret_store": (
        "def _plain(self, text):\n"
        "    for one in self._values:\n"
        "        text = text.replace(one, MASK)\n"
        "    return text\n\n\n"
        "SecretStore.scrub = _plain\n"
    ),
}
FOUND = {("server's stream key", "plain or escaped"), ("api token", "base64"), ("server's stream key", "base64")}


@pytest.mark.exhaustive
def test_deliberate_bugs_are_found(tmp_path: pathlib.Path) -> None:
    collection = tmp_path / "tree" / "ansible_collections" / "streamops" / "ovenmediaengine"
    for name in ("plugins", "meta"):
        shutil.copytree(REPOSITORY / name, collection / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "galaxy.yml", collection)
    for file, code in BUGS.items():
        with (collection / "plugins" / "module_utils" / f"{file}.py").open("a", encoding="utf-8") as changed:
            changed.write(f"\n\n{code}")
    with Server(tmp_path / "server", hard=False) as server:
        refused = {**server.mine.options("push_task", "shared"), **server.spoilt("write-bad_request")}
        brought_back = {**server.mine.options("push_task", "drift-push-task"), **server.connection()}
        cases = [Case("refused", "push_task", refused), Case("brought back", "push_task", brought_back)]
        leaks = small_run(tmp_path, server, cases, tmp_path / "tree")[1]
    for layer in OF_TASKS:
        found = {(leak.secret, leak.spelling) for leak in leaks if layer_of(leak.place) == layer}
        assert found >= {(f"plain {secret}", spelling) for secret, spelling in FOUND}, layer
