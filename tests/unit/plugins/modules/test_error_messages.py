# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What users meet when something is wrong: each failure says what was tried, what happened, and what to do."""

from __future__ import annotations

import base64
import http.server
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import covers
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate_reader import (
    parse_certificate,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, make_virtual_host

READ_ONLY_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("vhost_info", {}),
    ("vhost", {"name": "t-a", "host": {"names": ["a"]}}),
    ("vhosts", {"vhosts": [{"name": "t-a", "host": {"names": ["a"]}}]}),
    ("push_task_info", {"vhost": "default"}),
    ("push_task", TASK),
    ("push_tasks", {"tasks": [TASK]}),
    ("cert_reload", {}),
]


def failure(
    module: str, options: dict[str, Any], kind: str, *, check_mode: bool = False, changed: bool = False
) -> running_modules.ModuleRun:
    """Runs a module that must fail with this kind of error, and checks what its message owes the user."""
    run = running_modules.run_module(module, options, check_mode=check_mode)
    assert run.failed and run.get("changed", False) is changed, run
    assert run["error"]["kind"] == kind, run["msg"]
    assert ADVICE[kind].remedy in run["msg"]
    assert run["error"]["attempted"] in run["msg"]
    assert "canary" not in run.printed
    return run


@pytest.mark.parametrize(("module", "options"), READ_ONLY_CALLS, ids=[module for module, _options in READ_ONLY_CALLS])
class TestConnection:
    """Every module says the same of the same trouble."""

    def test_wrong_token(self, current: Simulator, module: str, options: dict[str, Any]) -> None:
        run = failure(module, connection(current, **{**options, "api_token": "canary-wrong-token"}), "unauthorized")
        assert "api_token" in run["msg"] and "AccessToken" in run["msg"]
        assert "Invalid credential" in run["msg"]
        assert run["error"]["status"] == 401 and len(current.log) == 1

    def test_no_server(self, module: str, options: dict[str, Any]) -> None:
        with socket.socket() as held:  # bound and not listening: nobody else can take the port, nobody answers
            held.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{held.getsockname()[1]}"
            run = failure(module, {"api_url": url, "api_token": "canary-token", "retries": 1, **options}, "refused")
        assert "Connection refused" in run["msg"] and url.removeprefix("http://") in run["msg"]
        assert len(run["retries"]) == 1

    def test_html_in_place_of_json(self, web_page: str, module: str, options: dict[str, Any]) -> None:
        # Behind the page the server may have reloaded its certificates; the others begin with a read.
        run = failure(
            module,
            {"api_url": web_page, "api_token": "canary-token", **options},
            "not_json",
            changed=module == "cert_reload",
        )
        assert "proxy or login page" in run["msg"]

    def test_certificate_that_does_not_verify(self, tls: Simulator, module: str, options: dict[str, Any]) -> None:
        run = failure(module, connection(tls, **options), "tls")
        assert "ca_path" in run["msg"] and "certificate" in run["msg"]
        assert tls.log == []


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda token: base64.b64encode(token.encode()).decode(),
            "It looks like Base64: give it as it is in Server.xml",
        ),
        (lambda token: f"Basic {token}", "It begins with 'Basic ': give the token alone, and not encoded."),
        (lambda token: f"basic {base64.b64encode(token.encode()).decode()}", "It begins with 'Basic '"),
        (lambda token: f"Authorization: Bearer {token}", "It begins with 'Bearer '"),
        (lambda token: f"{token} ", "It begins or ends with a blank."),
        (lambda token: f'"{token}"', "It has quotes around it"),
        (lambda token: f"other-{token}", None),
    ],
)
def test_a_token_that_was_encoded_or_decorated_is_recognized_when_it_is_refused(
    current: Simulator, spoil: Callable[[str], str], said: str | None
) -> None:
    token = spoil(current.token)
    run = failure("vhost_info", connection(current, api_token=token), "unauthorized")
    meaning = run["error"]["meaning"]
    assert said in meaning if said else meaning == ADVICE["unauthorized"].meaning
    assert token not in run.printed and base64.b64encode(token.encode()).decode() not in run.printed
    assert current.token not in run.printed
    assert len(run["msg"]) < 400


def test_a_gateway_that_wants_credentials_of_its_own(web_page: str) -> None:
    run = failure("vhost_info", {"api_url": f"{web_page}/401", "api_token": "canary-token"}, "unauthorized")
    assert "it wants credentials of its own: set http_headers" in run["msg"]


@pytest.fixture
def web_page() -> Iterator[str]:
    """The address of a web server that answers everything with a page, with status 401 below `/401`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            page = b"<!DOCTYPE html><html><body>Please log in</body></html>"
            self.send_response(401 if self.path.startswith("/401") else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        do_POST = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_arguments: Any) -> None:
            """Says nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def tls() -> Iterator[Simulator]:
    with Simulator(tls=True) as running:
        yield running


def test_tls_with_the_right_authority(tls: Simulator) -> None:
    assert not running_modules.run_module("vhost_info", connection(tls, ca_path=tls.ca_path)).failed
    assert not running_modules.run_module("vhost_info", connection(tls, validate_certs=False)).failed


def test_missing_authority_file(tls: Simulator) -> None:
    run = failure("vhost_info", connection(tls, ca_path="/nonexistent/ca.pem"), "tls")
    assert "file for TLS" in run["msg"] and tls.log == []


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
class TestReadOnlyVirtualHost:
    """The virtual host `default` comes from the server's configuration file."""

    def options(self, module: str, state: str, **fields: Any) -> dict[str, Any]:
        vhost = {"name": "default", **fields}
        return {"state": state, "recreate": True, **(vhost if module == "vhost" else {"vhosts": [vhost]})}

    def error(self, run: running_modules.ModuleRun) -> dict[str, Any]:
        return run.get("results", [run])[0]["error"]

    def test_equal_is_fine(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        run = running_modules.run_module(
            module,
            connection(simulator, **self.options(module, "present", host={"names": ["*"]})),
            check_mode=check_mode,
        )
        assert not run.failed and not run["changed"]
        assert simulator.writes == []

    def test_different_fails(self, current: Simulator, module: str, check_mode: bool) -> None:
        run = running_modules.run_module(
            module,
            connection(current, **self.options(module, "present", host={"names": ["other"]})),
            check_mode=check_mode,
        )
        assert run.failed and not run["changed"]
        assert (
            self.error(run)["kind"] == "read_only"
            and "Change it in the server's configuration file" in run["msg"]
            and "host.names" in run["msg"]
        )
        # A real run makes sure by posting no application at all, which creates nothing.
        assert [(record.path, record.body) for record in current.writes] == (
            [] if check_mode else [("/v1/vhosts/default/apps", [])]
        )

    def test_absent_fails(self, current: Simulator, module: str, check_mode: bool) -> None:
        run = running_modules.run_module(
            module, connection(current, **self.options(module, "absent")), check_mode=check_mode
        )
        assert run.failed and not run["changed"]
        assert self.error(run)["kind"] == "read_only" and "Change it in the server's configuration file" in run["msg"]


@pytest.mark.parametrize("state", ("absent", "present"))
def test_read_only_is_found_before_pushes_are_stopped(simulator: Simulator, state: str) -> None:
    """Also where no read can tell (0.15.10): the pushes of the virtual host must go on."""
    running_modules.run_module("push_task", connection(simulator, **TASK))
    simulator.clear_log()
    run = running_modules.run_module(
        "vhost", connection(simulator, name="default", host={"names": ["other"]}, state=state, recreate=True)
    )
    assert run.failed and run["error"]["kind"] == "read_only" and not run["changed"]
    assert [record.path for record in simulator.writes] in ([], ["/v1/vhosts/default/apps"])
    assert len(running_modules.run_module("push_task_info", connection(simulator, vhost="default"))["tasks"]) == 1


@pytest.mark.parametrize("module", ("push_task", "push_tasks"))
class TestPushTasks:
    """Where push tasks cannot be started."""

    def error(
        self, simulator: Simulator, module: str, check_mode: bool = False, **fields: Any
    ) -> tuple[running_modules.ModuleRun, dict[str, Any]]:
        task = {**TASK, **fields}
        run = running_modules.run_module(
            module,
            connection(simulator, **(task if module == "push_task" else {"tasks": [task]})),
            check_mode=check_mode,
        )
        return run, run.get("results", [run])[0].get("error", {})

    def test_missing_virtual_host(self, simulator: Simulator, module: str) -> None:
        run, error = self.error(simulator, module, vhost="t-nope")
        assert run.failed and error["kind"] == "vhost_not_found" and "restart" in run["msg"] and "t-nope" in run["msg"]

    def test_missing_application(self, simulator: Simulator, module: str) -> None:
        run, error = self.error(simulator, module, app="nope")
        assert run.failed and error["kind"] == "application_not_found" and "default/nope" in run["msg"]

    @pytest.mark.parametrize("fields", ({"vhost": "t-nope"}, {"app": "nope"}))
    def test_check_mode_predicts_what_an_earlier_task_would_have_made(
        self, simulator: Simulator, module: str, fields: dict[str, str]
    ) -> None:
        run, _error = self.error(simulator, module, check_mode=True, **fields)
        assert not run.failed and run["changed"]
        assert "does not exist yet" in run.warnings[0]

    @pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
    def test_application_without_push_publisher(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        run, error = self.error(simulator, module, check_mode=check_mode, app="nopush")
        assert run.failed and error["kind"] == "push_publisher_missing" and "publishers: {push: {}}" in run["msg"]

    @pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
    def test_task_of_the_servers_configuration(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        simulator.add_config_task(
            "default",
            "app",
            id="t-p",
            stream_name="main",
            protocol="rtmp",
            url="rtmp://elsewhere.example.com/app",
            stream_key="canary-other",
        )
        simulator.clear_log()
        run, error = self.error(simulator, module, check_mode=check_mode)
        assert run.failed and error["kind"] == "configured_task" and simulator.writes == []
        run, error = self.error(
            simulator, module, check_mode=check_mode, url="rtmp://elsewhere.example.com/app", stream_key="canary-other"
        )
        assert not run.failed and not run["changed"] and simulator.writes == []


def test_srt_is_refused_by_an_old_server_in_its_own_words() -> None:
    with Simulator(version="0.15.10") as old:
        run = failure(
            "push_task",
            connection(old, **{**TASK, "protocol": "srt", "url": "srt://push.example.com:9999", "stream_key": ""}),
            "bad_request",
        )
        assert "Could not find protocol 'srt'" in run["msg"]


def test_refused_destination_puts_the_old_task_back() -> None:
    with Simulator(version="0.15.10") as old:
        running_modules.run_module("push_task", connection(old, **TASK))
        run = running_modules.run_module(
            "push_task",
            connection(old, **{**TASK, "protocol": "srt", "url": "srt://push.example.com:9999", "stream_key": ""}),
        )
        assert run.failed and run["changed"] and "was restarted" in run["msg"]
        assert run["push_task"]["protocol"] == "rtmp"
        found = running_modules.run_module(
            "push_task_info", connection(old, vhost="default", app="app", show_secrets=True)
        )["tasks"]
        assert [(task["id"], task["url"], task["stream_key"]) for task in found] == [("t-p", TASK["url"], "canary-key")]


def test_reload_that_fails_on_an_old_server() -> None:
    for version in ("0.15.10", "documented"):
        with Simulator(version=version) as old:
            old.fail_reload("default")
            run = failure("cert_reload", connection(old, vhost="default"), "reload_failed")
            assert "stays in use" in run["msg"]


def test_reload_of_an_unknown_virtual_host(simulator: Simulator) -> None:
    failure("cert_reload", connection(simulator, vhost="t-nope"), "vhost_not_found")
    predicted = running_modules.run_module("cert_reload", connection(simulator, vhost="t-nope"), check_mode=True)
    assert predicted["changed"] and "t-nope" in predicted.warnings[0]


def test_reload(simulator: Simulator) -> None:
    for options in ({"vhost": "default"}, {}):
        simulator.clear_log()
        assert running_modules.run_module("cert_reload", connection(simulator, **options), check_mode=True)["changed"]
        assert simulator.writes == []
        run = running_modules.run_module("cert_reload", connection(simulator, **options))
        assert run["changed"] and not run.failed
        assert [record.path for record in simulator.writes] == [
            "/v1/vhosts/default:reloadCertificate" if options else "/v1/vhosts:reloadAllCertificates"
        ]


def test_api_url_that_ends_with_the_version(current: Simulator) -> None:
    run = failure("vhost_info", {**connection(current), "api_url": f"{current.url}/v1"}, "controller_not_found")
    assert "without /v1" in run["msg"]


def test_missing_application_to_read(simulator: Simulator) -> None:
    failure("push_task_info", connection(simulator, vhost="t-nope"), "vhost_not_found")
    failure("push_task_info", connection(simulator, vhost="default", app="nope"), "application_not_found")
    missing = running_modules.run_module("push_task_info", connection(simulator, vhost="default", app="app", id="nope"))
    assert missing["tasks"] == [] and not missing.failed
    assert running_modules.run_module("vhost_info", connection(simulator, names=["t-nope", "default"]))["missing"] == [
        "t-nope"
    ]


class TestServerWithoutApplicationCalls:
    """A server that answers `Controller not found` to everything about applications but push tasks."""

    @pytest.fixture(autouse=True)
    def without(self, current: Simulator) -> None:
        for method in ("GET", "POST", "DELETE"):
            fault = current.inject(
                "status", method=method, status=404, times=-1, message="[HTTP] Controller not found (404)"
            )
            fault.matches = lambda exchange, method=method: (
                exchange.method == method and "/apps" in exchange.target and ":" not in exchange.target
            )

    def test_virtual_hosts(self, current: Simulator) -> None:
        options = {"name": "t-a", "host": {"names": ["a.example.com"]}}
        change = {**options, "host": {"names": ["b.example.com"]}, "recreate": True}
        for given, action in (
            (options, "created"),
            (change, "recreated"),
            ({"name": "t-a", "state": "absent"}, "deleted"),
        ):
            assert running_modules.run_module("vhost", connection(current, **given))["action"] == action

    def test_push_tasks(self, current: Simulator) -> None:
        assert (
            running_modules.run_module("push_task", connection(current, **TASK), check_mode=True)["action"] == "started"
        )
        assert running_modules.run_module("push_task", connection(current, **TASK))["action"] == "started"
        failure("push_task_info", connection(current, vhost="default"), "controller_not_found")


def test_check_mode_tells_of_a_server_that_fails(current: Simulator) -> None:
    current.inject("status", method="GET", path="/apps/app", status=500, times=-1)
    failure("push_task", connection(current, **TASK), "server_error", check_mode=True)


def test_virtual_host_that_the_server_refuses(current: Simulator) -> None:
    """What only the server can judge is reported in its own words, item by item."""
    current.inject("status", method="POST", path="/v1/vhosts", status=400, times=-1)
    run = failure("vhost", connection(current, name="t-a", host={"names": ["a"]}), "bad_request")
    assert "injected fault" in run["msg"]


def test_many_failures_are_summed_up(current: Simulator) -> None:
    tasks = [{**TASK, "id": f"t-{number}", "app": "nope"} for number in range(8)]
    run = running_modules.run_module("push_tasks", connection(current, tasks=tasks))
    assert (
        run["counts"] == {"failed": 8}
        and run["msg"].startswith("8 of 8 push tasks failed.")
        and "t-0, default/nope/t-1, … and 6 more." in run["msg"]
    )
    assert run["error"]["kind"] == "items_failed"
    assert run["msg"].count("The virtual host has no application with this name") == 1


@pytest.mark.parametrize("in_process", (True, False), ids=("in process", "module"))
def test_a_lost_connection_is_told_once_for_all_items(current: Simulator, in_process: bool) -> None:
    vhosts = [{"name": f"t-r{number:04}", "host": {"names": [f"r{number}.example.com"]}} for number in range(1650)]
    current.inject("status", method="POST", path="/v1/vhosts", status=500, times=-1)
    options = connection(current, vhosts=vhosts, retries=0)
    run = actions.run("vhosts", options) if in_process else running_modules.run_module("vhosts", options)
    assert run["msg"].startswith("1,650 of 1,650 virtual hosts failed. Could not create virtual host")
    assert run["msg"].endswith(" Items: t-r0000, t-r0001, … and 1,648 more.")
    assert len(run["msg"]) < 600 and run["msg"].count(ADVICE["server_error"].remedy) == 1
    assert len(run["results"]) == 1650 and all(entry["error"]["kind"] == "server_error" for entry in run["results"])


@pytest.mark.parametrize("names", (["t-a", "t-b"], ["a", "server"], ["x.y", "x"], ["vhosts", "POST"]), ids="/".join)
def test_items_that_fail_for_the_same_cause_are_named_after_it(current: Simulator, names: list[str]) -> None:
    tasks = [{**TASK, "id": f"t-{number}", "vhost": name} for number, name in enumerate(names)]
    run = running_modules.run_module("push_tasks", connection(current, tasks=tasks))
    assert run["msg"].startswith(f"{len(names)} of {len(names)} push tasks failed. Could not ")
    assert run["msg"].endswith(f" Items: {', '.join(f'{name}/app/t-{number}' for number, name in enumerate(names))}.")
    assert run["msg"].count(ADVICE["vhost_not_found"].remedy) == 1


def test_items_that_fail_for_different_causes_are_told_apart(current: Simulator) -> None:
    tasks = [
        {**TASK, "id": f"t-{number}", "vhost": name} for number, name in enumerate(("t-none", "default", "t-nowhere"))
    ]
    tasks[1]["app"] = "nope"
    run = running_modules.run_module("push_tasks", connection(current, tasks=tasks))
    assert "Items: t-none/app/t-0, t-nowhere/app/t-2." in run["msg"] and "[default/nope/t-1] Could not" in run["msg"]


def test_names_that_cannot_be_addressed_are_left_out_of_info(current: Simulator) -> None:
    make_virtual_host(current, "t a")
    run = running_modules.run_module("vhost_info", connection(current))
    assert [vhost["name"] for vhost in run["vhosts"]] == ["default"] and "'t a'" in run.warnings[0]


def test_applications_that_cannot_be_addressed_are_left_alone(current: Simulator) -> None:
    make_virtual_host(
        current, "t-a", applications=[{"name": name, "type": "live"} for name in ("live", "not addressable")]
    )
    run = running_modules.run_module(
        "vhost", connection(current, name="t-a", host={"names": ["b"]}, recreate=True), check_mode=True
    )
    assert run["would_drop"]["applications"] == ["live"] and "'not addressable'" in run.warnings[0]


def test_tls_files_that_belong_together(current: Simulator) -> None:
    options = {"name": "t-a", "host": {"names": ["a"], "tls": {"cert_path": "/etc/certs/cert.pem"}}}
    run = running_modules.run_module("vhost", connection(current, **options))
    assert run["action"] == "created" and "key_path" in run.warnings[0]


def test_stream_key_that_breaks_an_srt_url(current: Simulator) -> None:
    run = running_modules.run_module(
        "push_task", connection(current, **{**TASK, "protocol": "srt", "url": "srt://push.example.com:9999"})
    )
    assert run["action"] == "started" and "streamid" in run.warnings[0]


@pytest.mark.parametrize(
    "url", ["http://a..b", "http://.a", f"http://{'a' * 64}.example.com", "http://*.example.com", "http://a\u3002.b"]
)
def test_a_host_that_no_request_can_be_sent_to_is_refused_by_the_name_of_the_option(url: str) -> None:
    run = running_modules.run_module("vhost_info", {"api_url": url, "api_token": "canary-token"})
    assert run.failed and run["error"]["kind"] == "bad_input"
    assert run["msg"].startswith("api_url: expected ") and url in run["msg"]


@pytest.mark.parametrize("escaped", ["%25", "%"])
def test_the_zone_of_an_address(escaped: str) -> None:
    """It is resolved, also if it is spelled as RFC 6874 has it. What comes after that depends on the machine."""
    interface = socket.if_nameindex()[0][1]
    url = f"http://[fe80::1{escaped}{interface}]:9"
    run = running_modules.run_module(
        "vhost_info", {"api_url": url, "api_token": "canary-token", "retries": 0, "timeout": 0.3}
    )
    assert run.failed and run["error"]["kind"] in ("refused", "timeout"), run["msg"]
    endpoint = {"host": f"fe80::1{escaped}{interface}", "port": 9}
    seen = running_modules.run_module("certificate_info", {"endpoint": endpoint, "timeout": 0.3})
    assert not seen.failed and "cannot be resolved" not in seen["endpoints"][0]["error"], seen
    by_url = running_modules.run_module("certificate_info", {"api_url": url, "endpoint": {"port": 9}, "timeout": 0.3})
    assert "cannot be resolved" not in by_url["endpoints"][0]["error"], by_url


def test_an_address_with_a_zone_is_covered_by_its_certificate() -> None:
    made = trustme.CA().issue_cert("fe80::1").cert_chain_pems[0].bytes().decode()
    certificate = parse_certificate(ssl.PEM_cert_to_DER_cert(made))
    assert (
        covers(certificate, "fe80::1%eth0")
        and covers(certificate, "[fe80::1%25eth0]")
        and not covers(certificate, "fe80::2%eth0")
    )
