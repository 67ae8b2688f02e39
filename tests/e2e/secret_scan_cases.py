# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the scan for secrets runs: every module and role, every way to end, with a secret wherever there can be one."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import json
import pathlib
import tempfile
import typing as t
from urllib.parse import quote

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.module_examples import ANY_END, EVERY, SUCCESS
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED, OPERATIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

from .rotation import Pair, authority
from .secret_scan import Canaries
from .secret_scan_echo import OTHERS, Echo

# What a case ends with that is no key of ADVICE, beside SUCCESS.
BY_ANSIBLE = "refused by ansible-core"
# Errors that no case of a playbook brings about, and why. A kind that is neither here nor met by a case fails the test.
_OF_PLAYING = (
    *(kind for kind in ADVICE if kind.startswith("play_") and kind != "play_connection"),
    *("job_silent", "no_output", "not_as_expected", "publish_allowed", "push_silent", "stream_name_used"),
    "test_stream_elsewhere",
)
NOT_BROUGHT_ABOUT: dict[str, str] = {
    **dict.fromkeys(_OF_PLAYING, "the tests of playing bring it about, on a server with viewers; its URLs are masked"),
    "dump_differs": "the tests of hls_dump bring it about; its message has no value of an option",
    "proxy": "a proxy is set by the environment, which only cases with a Python of their own have",
}

OF_THE_MACHINE = ("host",)
"""Errors that the example of server_restart brings about where no systemd runs; the tests of others do everywhere."""

ASKING = tuple(module for module in CONNECTED if not module_examples.examples()[module].asks_own_server)
"""Modules that send requests to the server of a case."""
CHANNELS = ("scheduled_channel", "multiplex_channel")
JOBS = ("push_task", "push_tasks", "record", "records")
MANAGING = ("vhost", "vhosts", "application", "applications", *JOBS)
# Every request of a module is spoilt so, by the server; or there is nothing that could answer.
EVERYWHERE = ("unauthorized", "bad_request", "server_error", "controller_not_found", *OTHERS)
NOWHERE = ("refused", "unresolved", "tls", "wrong_scheme")
ON_WRITES = (
    "server_error",
    "bad_request",
    "unauthorized",
    "conflict",
    "duplicate_id",
    "read_only",
    "gateway",
    "connection_lost",
    "rate_limited",
    "not_json",
)


@dataclasses.dataclass
class Case:
    """One task."""

    name: str
    module: str
    options: dict[str, t.Any]
    ends: str | None = SUCCESS
    """The kind of error, :data:`SUCCESS`, :data:`BY_ANSIBLE`, or None if any end will do."""
    writes: bool = False
    """Whether it ends so only if something is sent that changes the server, which check mode does not do."""
    interpreter: str = ""
    """The Python of the host, if it has an environment of its own."""


_EXPORTED = tempfile.TemporaryDirectory(prefix="exported-")
_OPTIONS = module_examples.options(pathlib.Path(_EXPORTED.name))


class Objects:
    """The options of virtual hosts, applications, push tasks and recordings with secrets in all places.

    :param canary: makes the secrets.
    :param whose: whose secrets they are, those of the task, or those of another client that only the server knows.
    """

    def __init__(self, canary: Canaries, whose: str) -> None:
        self._canary = canary
        self._whose = whose

    def secret(self, name: str, kind: str = "text") -> str:
        """Return a secret."""
        return self._canary(f"{self._whose} {name}", kind)

    def webhook(self, name: str) -> str:
        """Return a URL with secrets in it; one of them percent-encoded, as it should be."""
        user, password = self.secret(f"{name} user", "user"), quote(self.secret(f"{name} password"), safe="")
        return f"https://{user}:{password}@hooks.example.com/x?key={self.secret(f'{name} query', 'query')}&mode=caller"

    def vhost(self, name: str, **more: t.Any) -> dict[str, t.Any]:
        """Return a virtual host."""
        password, query = self.secret("origin password", "user"), self.secret("origin query", "query")
        origin = f"origin:{password}@origin.example.com:9000/live?token={query}"
        return {
            "name": name,
            "host": {"names": [f"{name}.example.com"]},
            "signed_policy": {
                "policy_query_key_name": "policy",
                "signature_query_key_name": "signature",
                "secret_key": self.secret("policy key"),
                "enables": {"providers": ["rtmp"]},
            },
            "admission_webhooks": {
                "control_server_url": self.webhook("admission"),
                "secret_key": self.secret("admission key"),
                "timeout": 2000,
                "enables": {"providers": ["rtmp"]},
            },
            "origins": {"origin": [{"location": "/live", "pass": {"scheme": "ovt", "urls": {"url": [origin]}}}]},
            "origin_map_store": {
                "origin_host_name": "a.example.com",
                "redis_server": {"host": "192.0.2.1:6379", "auth": self.secret("redis auth")},
            },
            **more,
        }

    def app(self, vhost: str | None, name: str = "live") -> dict[str, t.Any]:
        """Return an application; of a virtual host, or for the inside of one."""
        queries = [
            {"key": "accessToken", "value": self.secret("extra token")},
            {"key": "open", "value": self.webhook("extra")},
        ]
        return {
            **({"vhost": vhost} if vhost is not None else {}),
            "name": name,
            "providers": {"rtmp": {}},
            "publishers": {"push": {}, "file": {}, "llhls": {"extra": {"defaultQueryString": {"queries": queries}}}},
            "transcode_webhook": {
                "enable": True,
                "control_server_url": self.webhook("transcode"),
                "secret_key": self.secret("transcode key"),
            },
        }

    def tasks(self, vhost: str, app: str = "live") -> list[dict[str, t.Any]]:
        """Return push tasks."""
        common = {"vhost": vhost, "app": app, "stream": {"name": "main"}}
        user, token = f"u:{self.secret('push password', 'user')}", self.secret("push query", "query")
        srt = f"streamid={self.secret('srt streamid', 'query')}&passphrase={self.secret('srt passphrase', 'query')}"
        return [
            {
                **common,
                "id": "key",
                "protocol": "rtmp",
                "url": f"rtmp://{user}@one.example.com/live?token={token}",
                "stream_key": self.secret("stream key"),
            },
            {
                **common,
                "id": "path",
                "protocol": "rtmp",
                "url": f"rtmps://two.example.com/live/{self.secret('path key', 'path')}",
                "stream_key": "",
            },
            {**common, "id": "srt", "protocol": "srt", "url": f"srt://three.example.com:9?mode=caller&{srt}"},
        ]

    def restream(self, vhost: str) -> dict[str, t.Any]:
        """Return the options that push a stream to several platforms."""
        tasks = self.tasks(vhost)
        fields = ("url", "protocol", "stream_key")
        platforms = [{"name": one["id"], **{field: one[field] for field in fields if field in one}} for one in tasks]
        keys = {"path": self.secret("stream key of a platform"), "none": self.secret("stream key of no platform")}
        platforms[1].pop("stream_key")
        place = {"vhost": vhost, "app": "live", "stream": "main"}
        return {**place, "chosen": "all", "platforms": platforms, "stream_keys": keys}

    def records(self, vhost: str, app: str = "live") -> list[dict[str, t.Any]]:
        """Return a recording."""
        return [
            {
                "vhost": vhost,
                "app": app,
                "id": "record",
                "stream": {"name": "main"},
                "file_path": "/${Stream}_${StartTime:YYYYMMDDhhmmss}.ts",
                "metadata": self.secret("metadata"),
            }
        ]

    def pull(self, vhost: str, name: str = "pulled") -> dict[str, t.Any]:
        """Return a pulled stream."""
        user, token = f"u:{self.secret('origin user', 'user')}", self.secret("pull query", "query")
        url = f"rtsp://{user}@origin.example.com/live?token={token}"
        return {"vhost": vhost, "app": "live", "name": name, "urls": [url], "wait_timeout": 0}

    def pulls(self, vhost: str, *names: str) -> dict[str, t.Any]:
        """Return the options of a list of pulled streams."""
        entries = [self.pull(vhost, name) for name in names or ("pulled", "other")]
        return {
            "streams": [{key: value for key, value in entry.items() if key != "wait_timeout"} for entry in entries],
            "wait_timeout": 0,
        }

    def entry(self, vhost: str) -> dict[str, t.Any]:
        """Return a virtual host with an application inside."""
        return self.vhost(vhost, applications=[self.app(None)])

    def server(self) -> dict[str, t.Any]:
        """Return the server's own configuration."""
        servers = [{"urls": ["turn:t.example.com"], "user_name": "u", "credential": self.secret("turn credential")}]
        return {
            "bind": {
                "providers": {"srt": {"passphrase": self.secret("srt port passphrase")}},
                "publishers": {"webrtc": {"ice_servers": servers}},
            },
            "managers": {"api": {"access_token": self.secret("access token")}},
            "alert": {"url": self.webhook("alert"), "secret_key": self.secret("alert key"), "timeout": 1000},
            "analytics": {"user_key": self.secret("user key")},
        }

    def configuration(self, directory: str, vhost: str) -> dict[str, t.Any]:
        """Return the options of configuration files in a directory."""
        return {
            "config_dir": directory,
            "version": NEWEST,
            "server": self.server(),
            "logger": {},
            "vhosts": [self.entry(vhost)],
            "push_tasks": self.tasks(vhost),
            "records": self.records(vhost),
        }

    def channel(self, module: str, name: str = "channel") -> dict[str, t.Any]:
        """Return a channel of the static virtual host `tv`. It has no secrets of its own."""
        place, url = {"vhost": "tv", "app": "live", "name": name}, "stream://tv/live/main"
        program = {"name": "live", "scheduled": "2020-01-01T00:00:00Z", "items": [{"url": url}]}
        tracks = [{"source_track_name": "bypass_video", "new_track_name": "video"}]
        return {
            "scheduled_channel": {**place, "programs": [program]},
            "multiplex_channel": {**place, "source_streams": [{"name": "one", "url": url, "track_map": tracks}]},
        }[module]

    def options(self, module: str, vhost: str) -> dict[str, t.Any]:
        """Return the options of a module that is about one virtual host and all that is in it."""
        example = module_examples.examples()[module]
        if example.with_secrets is not None:
            return dict(example.with_secrets(self, vhost))
        secrets = {
            option: self.secret(f"{module} {option}")
            for option, spec in OPERATIONS[module].options().items()
            if spec.get("no_log") and spec["type"] == "str"
        }
        return {**module_examples.placed(_OPTIONS[module], vhost=vhost, app="live", stream="sent"), **secrets}

    @staticmethod
    def exported(name: str) -> str:
        """Return the path of a file that a module writes on the controller."""
        return f"{_EXPORTED.name}/{name}"


class Server:
    """A server with objects of another client, what spoils its responses, and the cases about it.

    :param directory: for files that cases read; nothing in it is searched for secrets.
    """

    def __init__(self, directory: pathlib.Path, hard: bool) -> None:
        self.directory = directory
        self.canary = Canaries(hard, "hard" if hard else "plain")
        self.token = self.canary("api token")
        self.mine = Objects(self.canary, "task's")
        self.theirs = Objects(self.canary, "server's")
        self.simulator = Simulator("later", token=self.token, stop_delay=0.1, tls_ports=[0])
        self.echo = Echo(self.simulator)
        self.tls = Simulator(token=self.token, tls=True)
        self.served, self.other = authority().issue(), authority().issue()

    def __enter__(self) -> Server:
        self.directory.mkdir(parents=True, exist_ok=True)
        for pair, name in ((self.served, "served"), (self.other, "other"), (self._expiring(), "expiring")):
            self._write(pair, name)
        for name, key in (("served", self.served.key), ("other", self.other.key)):
            for number, line in enumerate(key.decode().split("\n")):
                if len(line) > 20 and not line.startswith("-----"):
                    self.canary.secrets[f"{self.canary.prefix} private key {name}, line {number}"] = line
        self.simulator.start()
        self.tls.start()
        self._make()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.tls.stop()
        self.simulator.stop()

    @staticmethod
    def _expiring() -> Pair:
        return authority().issue(
            "soon.example.com", until=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=9, hours=1)
        )

    def _write(self, pair: Pair, name: str) -> None:
        (self.directory / f"{name}.pem").write_bytes(pair.certificate)
        (self.directory / f"{name}.key").write_bytes(pair.key)

    def file(self, name: str) -> str:
        """Return the path of a file that cases read."""
        return str(self.directory / name)

    def _make(self) -> None:
        """Make objects as another client, past Ansible."""
        names = ["shared", "fixed", "role-drift", "home", *(f"drift-{module.replace('_', '-')}" for module in MANAGING)]
        names += [
            "late-delete-application",
            "late-create-vhost",
            "late-create-application",
            "late-stop-push-task",
            "late-create-push-task",
            "late-stop-record",
            "late-create-record",
        ]
        full = [name for name in names if name not in ("fixed", "home")]
        made = [
            run_module(
                "vhosts",
                connection(self.simulator, vhosts=[self.theirs.vhost(name) for name in names if name != "fixed"]),
            ),
            run_module(
                "applications", connection(self.simulator, applications=[self.theirs.app(name) for name in full])
            ),
            # One after the other because the server lists them in this order, and its words are cut if they are too
            # many.
            run_module(
                "push_tasks",
                connection(
                    self.simulator, concurrency=1, tasks=[task for name in full for task in self.theirs.tasks(name)]
                ),
            ),
            run_module(
                "records",
                connection(
                    self.simulator,
                    concurrency=1,
                    records=[record for name in full for record in self.theirs.records(name)],
                ),
            ),
        ]
        assert not any(one.failed for one in made), [one.get("msg") for one in made]
        self._make_files()
        raw = self.simulator.state.virtual_hosts["shared"].config
        self.simulator.add_static_virtual_host(
            {**raw, "name": "fixed"},
            [app.config for app in self.simulator.state.virtual_hosts["shared"].applications.values()],
        )
        camera = self.theirs.secret("camera password", "user")
        source = f"rtsp://u:{camera}@camera.example.com/live?token={self.theirs.secret('camera token', 'query')}"
        self.simulator.state.stream_appears("shared", "live", "camera", source_type="RtspPull", source_url=source)
        self.simulator.stream_appears("shared", "live", "sent")
        config = {
            "stream_name": "main",
            "url": "rtmp://config.example.com/app",
            "stream_key": self.theirs.secret("key of the configuration"),
        }
        self.simulator.add_config_task("fixed", "live", id="configured", **config)
        providers = {
            "rtmp": {},
            "schedule": {"mediaRootDir": "/srv/media", "scheduleFilesDir": "/srv/schedules"},
            "multiplex": {"muxFilesDir": "/srv/multiplex"},
            "rtspPull": {},
        }
        self.simulator.add_static_virtual_host(
            {"name": "tv", "host": {"names": ["tv.example.com"]}},
            [
                {"name": "live", "type": "live", "providers": providers, "publishers": {"llhls": {}}},
                {"name": "plain", "type": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}},
            ],
        )
        self.simulator.stream_appears("tv", "live", "taken")
        metadata = self.theirs.secret("metadata of the configuration")
        self.simulator.add_config_record("fixed", "live", id="configured", stream_name="main", metadata=metadata)
        for name, file in (("secure", "served"), ("soon", "expiring")):
            tls = {"certPath": self.file(f"{file}.pem"), "keyPath": self.file(f"{file}.key")}
            host = "live.example.com" if name == "secure" else "soon.example.com"
            self.simulator.add_static_virtual_host({"name": name, "host": {"names": [host], "tls": tls}})

    def _make_files(self) -> None:
        """Write configuration directories with the secrets of the server: one is as it should be, and one is broken."""
        for name in ("durable", "broken"):
            done = run_module("server_config", self.theirs.configuration(self.file(name), "durable"))
            assert not done.failed, done.get("msg")
        broken = self.directory / "broken" / "VHost_durable.xml"
        broken.write_text(broken.read_text(encoding="utf-8").replace("</VirtualHost>", ""), encoding="utf-8")
        done = run_module("server_config", self.theirs.configuration(self.file("old"), "durable"))
        assert not done.failed, done.get("msg")
        old = self.directory / "old" / "Server.xml"
        old.write_text(old.read_text(encoding="utf-8").replace('version="8"', 'version="7"'), encoding="utf-8")

    def connection(self, **more: t.Any) -> dict[str, t.Any]:
        """Return the connection options."""
        headers = {"X-Gateway-Key": self.canary("header value", "ascii")}
        return {"api_url": self.simulator.url, "api_token": self.token, "http_headers": headers, "retries": 0, **more}

    def spoilt(self, prefix: str) -> dict[str, t.Any]:
        """Return the connection options for what goes wrong in a way."""
        kind = prefix.partition("-")[2]
        if kind == "refused":
            return self.connection(api_url="http://127.0.0.1:9")
        if kind == "unresolved":
            return self.connection(api_url="http://nowhere.invalid:8081")
        if kind == "wrong_scheme":
            return self.connection(api_url=self.simulator.url.replace("http:", "https:"))
        if kind == "tls":
            return self.connection(api_url=self.tls.url)
        return self.connection(api_url=self.echo.url(prefix), timeout=0.4 if kind == "timeout" else PATIENCE)

    def interpreter(self, name: str, **environment: str) -> str:
        """Return a Python with an environment of its own, as a host has one: nothing of it is in what Ansible says."""
        path = self.directory / name
        lines = [f"export {key}={_quoted(value)}" for key, value in environment.items()]
        path.write_text("\n".join(["#!/bin/sh", *lines, 'exec "$CANARY_PYTHON" "$@"', ""]), encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    # Cases

    def matrix(self, every: int = 1) -> t.Iterator[Case]:
        """Yield every module with each common error; with ``every`` each module with some of them in turn."""
        for number, module in enumerate(ASKING):
            ends = module_examples.examples()[module].ends
            for position, kind in enumerate((*EVERYWHERE, *NOWHERE)):
                # A reload that fails has a kind of its own, which nothing else brings about.
                if (number + position) % every and (module, kind) != ("cert_reload", "server_error"):
                    continue
                options = {**self.mine.options(module, "shared"), **self.spoilt(f"all-{kind}")}
                end = ends.get(kind, ends.get(EVERY, kind))
                yield Case(f"{module}: {kind}", module, options, None if end == ANY_END else end, end == SUCCESS)

    def core(self) -> t.Iterator[Case]:
        """Yield success and drift of every module."""
        for module in MANAGING:
            there, new = f"drift-{module.replace('_', '-')}", "home" if "vhost" not in module else f"new-{module}"
            absent = {"state": "stopped" if module in JOBS else "absent"}
            if module in JOBS:
                new = there
            options = {**self.mine.options(module, new), **self.connection()}
            if module in JOBS:
                for job in options.get("tasks", options.get("records", [options])):
                    job["id"] = f"new-{module.replace('_', '-')}-{job['id']}"
            yield Case(f"{module}: not there", module, options)
            yield Case(f"{module}: unchanged", module, options)
            drift = {**self.mine.options(module, there), **self.connection()}
            if module not in JOBS:
                yield Case(f"{module}: differs", module, drift, "items_failed" if module.endswith("s") else "differs")
            recreate = {} if module in JOBS else {"recreate": True}
            yield Case(f"{module}: drift, brought back", module, {**drift, **recreate})
            yield Case(f"{module}: removed", module, {**drift, **absent})
        for module in CHANNELS:
            renditions = [{"name": "one", "video": "video"}]
            own: dict[str, t.Any] = {"playlists": [{"name": "one", "file_name": "one", "renditions": renditions}]}
            other: dict[str, t.Any] = {"playlists": []}
            if module == "scheduled_channel":
                own, other = {}, {"stream": {"video_track": False}}
            channel = {**self.mine.channel(module), **own, **self.connection()}
            yield Case(f"{module}: not there", module, channel)
            yield Case(f"{module}: unchanged", module, channel)
            # In check mode there is no channel that could differ.
            yield Case(f"{module}: differs", module, {**channel, **other}, "differs", writes=True)
            yield Case(f"{module}: drift, brought back", module, {**channel, **other, "recreate": True})
            yield Case(f"{module}_info: all", f"{module}_info", self.connection())
            yield Case(f"{module}: removed", module, {**channel, "state": "absent"})
            entries = [{**self.mine.channel(module, name), **own} for name in ("one", "two")]
            many = {f"{module}s": entries, **self.connection()}
            yield Case(f"{module}s: not there", f"{module}s", many)
            yield Case(f"{module}s: unchanged", f"{module}s", many)
            options = {**many, f"{module}s": [{**entries[0], **other}]}
            yield Case(f"{module}s: differs", f"{module}s", options, "items_failed", writes=True)
            yield Case(f"{module}s: purged", f"{module}s", {**options, "recreate": True, "purge": True})
            yield Case(f"{module}s: removed", f"{module}s", {**many, "state": "absent"})
        for module in ("vhost_info", "application_info", "push_task_info", "record_info", "stream_info", "server_info"):
            yield Case(f"{module}: all", module, self.connection())
            yield Case(f"{module}: one", module, {**self.mine.options(module, "shared"), **self.connection()})
        yield from self.files()
        yield from self.durable()
        yield Case(
            "audit_info: drift", "audit_info", {**self.mine.options("audit_info", "shared"), **self.connection()}
        )
        yield Case(
            "audit_info: as listed", "audit_info", {**self.theirs.options("audit_info", "shared"), **self.connection()}
        )

    def examples(self) -> t.Iterator[Case]:
        """Yield the example of each module that no other case lets succeed."""
        succeeding = {case.module for case in (*self.core(), *self.specific()) if case.ends == SUCCESS}
        for module, example in module_examples.examples().items():
            if module not in succeeding:
                access = self.connection() if module in CONNECTED else {}
                end = example.ends.get(SUCCESS, SUCCESS)
                options = {**self.mine.options(module, "shared"), **access}
                yield Case(f"{module}: example", module, options, None if end == ANY_END else end)

    def files(self) -> t.Iterator[Case]:
        """Yield configuration files through their life, and what goes wrong with them."""
        mine, theirs = (one.configuration(self.file("conf"), "shared") for one in (self.mine, self.theirs))
        module = "server_config"
        yield Case("server_config: not there", module, theirs)
        yield Case("server_config: unchanged", module, theirs)
        yield Case("server_config: differs", module, mine)
        yield Case(
            "server_config: unsupported_option",
            module,
            {**mine, "version": "0.18.0", "server": {**mine["server"], "defaults": {}}},
            "unsupported_option",
        )
        yield Case("server_config: config_file", module, {**mine, "config_dir": self.file("served.pem")}, "config_file")
        yield Case("server_config: config_version", module, {**mine, "config_dir": self.file("old")}, "config_version")
        for option in ("server", "alert", "extra"):
            wrong: dict[str, t.Any] = {**mine["server"], option: self.mine.secret(f"in place of {option}")}
            yield Case(
                f"server_config: text as {option}",
                module,
                {**mine, "server": wrong[option] if option == "server" else wrong},
                BY_ANSIBLE,
            )
        yield Case(
            "server_config: bad_input", module, {**mine, "server": {**mine["server"], "name": "\n"}}, "bad_input"
        )
        imported = {"config_dir": self.file("durable"), "dest": f"{_EXPORTED.name}/{self.directory.name}.yml"}
        yield Case("config_import: written", "config_import", imported)
        yield Case("config_import: in clear text", "config_import", {**imported, "show_secrets": True})
        report = {"report_dir": self.file("report")}
        yield Case("audit_report: no result", "audit_report", {**report, "registered": "not_registered"})
        yield Case("audit_report: bad_input", "audit_report", report, "bad_input")
        watcher = {"name": "w", "unit": "w", "directory": self.file("watcher"), "state": "absent"}
        contents = {name: self.mine.secret(name) for name in ("settings_content", "inventory_content")}
        yield Case("server_config: removed", module, {**mine, "state": "absent"})
        places = {name: self.file(f"server/{name}") for name in ("config_dir", "log_dir", "data_dir", "unit_dir")}
        server = {
            **places,
            "backend": "systemd",
            "binary": "/none",
            "version": NEWEST,
            **{
                option: value
                for option, value in mine.items()
                if option in ("server", "vhosts", "push_tasks", "records")
            },
            "api_token": mine["server"]["managers"]["api"]["access_token"],
            "previous_api_token": self.mine.secret("the previous token"),
            "environment_variables": {"NAME": self.mine.secret("an environment variable")},
        }
        yield Case("server: absent", "server", {**server, "state": "absent"})
        yield Case("server: no program", "server", server, "bad_input")
        yield Case("server: bad_input", "server", {**server, "unit": "a b"}, "bad_input")
        yield Case("watcher: absent", "watcher", {**watcher, **contents})
        yield Case("watcher: bad_input", "watcher", {**watcher, **contents, "unit": "a b"}, "bad_input")

    def durable(self) -> t.Iterator[Case]:
        """Yield durable objects, whose files have other secrets first."""
        directory = {"durable": True, "config_dir": self.file("durable"), **self.connection()}
        lists = {
            "vhosts": [self.mine.vhost("durable")],
            "applications": [self.mine.app("durable")],
            "push_tasks": self.mine.tasks("durable"),
            "records": self.mine.records("durable"),
        }
        whole = {"vhosts": [self.mine.entry("durable")]}
        yield Case("audit_info: not durable", "audit_info", {**lists, **directory})
        yield Case("vhosts: durable", "vhosts", {**whole, **directory})
        yield Case("vhosts: durable, unchanged", "vhosts", {**whole, **directory})
        # Check mode has created no virtual host before.
        for module in ("applications", "push_tasks", "records"):
            options = {"tasks" if module == "push_tasks" else module: lists[module], **directory}
            yield Case(f"{module}: durable", module, options, writes=True)
        yield Case("audit_info: durable", "audit_info", {**lists, **directory})
        yield Case("vhosts: durable, removed", "vhosts", {**whole, **directory, "state": "absent"})
        broken = {**self.mine.entry("durable"), **directory, "config_dir": self.file("broken")}
        yield Case("vhost: durable, broken file", "vhost", broken, "bad_input")

    def readable(self) -> list[str]:
        """Return the configuration files that others can read."""
        files = [path for name in ("conf", "durable") for path in (self.directory / name).rglob("*.xml")]
        return [path.name for path in files if path.stat().st_mode & 0o077]

    def on_writes(self, kinds: t.Sequence[str] = ON_WRITES) -> t.Iterator[Case]:
        """Yield writes that the server refuses with a repetition of what was read; the cases share their objects."""
        for module in (*MANAGING, "cert_reload"):
            for kind in kinds:
                options = {**self.mine.options(module, "shared"), **self.spoilt(f"write-{kind}")}
                if module in MANAGING and module not in JOBS:
                    options["recreate"] = True
                yield Case(f"{module}: {kind} on writes", module, options, None, writes=True)
        for module in CHANNELS:
            for kind in kinds:
                options = {**self.mine.channel(module, "other"), **self.spoilt(f"write-{kind}"), "wait_timeout": 0}
                yield Case(f"{module}: {kind} on writes", module, options, None, writes=True)
                many = {f"{module}s": [self.mine.channel(module, "other")], **self.spoilt(f"write-{kind}")}
                yield Case(f"{module}s: {kind} on writes", f"{module}s", {**many, "wait_timeout": 0}, None, writes=True)
        for scope, module in (
            ("delete", "application"),
            ("create", "vhost"),
            ("create", "application"),
            ("stop", "push_task"),
            ("create", "push_task"),
            ("stop", "record"),
            ("create", "record"),
        ):
            options = {
                **self.mine.options(module, f"late-{scope}-{module.replace('_', '-')}"),
                **self.spoilt(f"{scope}-server_error"),
            }
            yield Case(
                f"{module}: {scope} fails",
                module,
                {**options, **({} if module in JOBS else {"recreate": True})},
                None,
                writes=True,
            )

    def _of_streams(self) -> t.Iterator[Case]:
        """Yield pulls and actions of streams, and their own errors."""
        on, camera = self.connection, {"vhost": "shared", "app": "live", "name": "camera"}
        pull = self.mine.pull("shared")
        yield Case("stream: differs", "stream", {**pull, **camera, **on()}, "differs")
        yield Case("stream: provider_missing", "stream", {**pull, **on()}, "provider_missing")
        unreachable = {**pull, **on(), "vhost": "tv"}
        yield Case("stream: no origin", "stream", unreachable, "origin_unreachable", writes=True)
        for kind, ends in (("origin_unreachable", None), ("gateway", None), ("server_error", None)):
            yield Case(f"stream: {kind}", "stream", {**pull, **self.spoilt(f"write-{kind}")}, ends, writes=True)
            many = {**self.mine.pulls("shared"), **self.spoilt(f"write-{kind}")}
            yield Case(f"streams: {kind}", "streams", many, ends, writes=True)
        for name, ends in (
            ("differs", ("camera",)),
            ("not_pulled", ("sent",)),
            ("provider_missing", ("pulled", "more")),
        ):
            yield Case(f"streams: {name}", "streams", {**self.mine.pulls("shared", *ends), **on()}, "items_failed")
        yield Case("stream: deleted", "stream", {**camera, **on(), "state": "absent", "wait_timeout": 10})
        for module in ("stream_event", "stream_conclude"):
            yield Case(f"{module}: sent", module, {**self.mine.options(module, "shared"), **on()})
            gone = {**self.mine.options(module, "shared"), "stream": "none"}
            yield Case(f"{module}: stream_not_found", module, {**gone, **on()}, "stream_not_found")
        cue = {
            **self.mine.options("stream_event", "shared"),
            "frames": None,
            "format": "cue",
            "cue": {"cue_type": "out"},
        }
        yield Case("stream_event: unsupported_option", "stream_event", {**cue, **on()}, "unsupported_option")
        speech = {**self.mine.options("stream_stt", "shared"), "state": "started"}
        yield Case("stream_stt: stt_not_configured", "stream_stt", {**speech, **on()}, "stt_not_configured")
        dump = self.mine.options("hls_dump", "shared")
        yield Case("hls_dump: started", "hls_dump", {**dump, **on()})
        yield Case("hls_dump: unchanged", "hls_dump", {**dump, **on()})
        yield Case("hls_dump_info: all", "hls_dump_info", {**self.mine.options("hls_dump_info", "shared"), **on()})
        yield Case("hls_dump: stopped", "hls_dump", {**dump, **on(), "state": "stopped"})
        yield Case("hls_dump: dump_id_used", "hls_dump", {**dump, **on()}, "dump_id_used", writes=True)
        for kind in ("output_stream_not_found", "llhls_publisher_missing"):
            options = {**dump, "id": "other", **self.spoilt(f"write-{kind}")}
            yield Case(f"hls_dump: {kind}", "hls_dump", options, kind, writes=True)
        for kind in ("unsupported_call", "unsafe_version"):
            options = {**self.mine.options("stream_conclude", "shared"), **self.spoilt(f"version-{kind}")}
            yield Case(f"stream_conclude: {kind}", "stream_conclude", options, kind)
        yield Case("stream: not_pulled", "stream", {**camera, "name": "sent", **on(), "state": "absent"}, "not_pulled")

    def specific(self) -> t.Iterator[Case]:
        """Yield errors that take a certain state of the server."""
        on = self.connection
        for module in MANAGING[:4]:
            ends = "items_failed" if module.endswith("s") else "read_only"
            yield Case(
                f"{module}: read_only", module, {**self.mine.options(module, "fixed"), **on(), "recreate": True}, ends
            )
        gone = {**self.mine.app("home", "gone"), "providers": {"file": {}}}  # 0.21.0 has this provider no longer
        yield Case("application: unsupported_option", "application", {**gone, **on()}, "unsupported_option")
        hidden = {**self.mine.vhost("hidden"), "host": {"names": ["hidden.example.com"]}, "require_reachable": True}
        yield Case("vhost: unreachable", "vhost", {**hidden, **on()}, "unreachable")
        yield from self._of_streams()
        task = self.mine.tasks("shared")[0]
        yield Case(
            "push_task: vhost_not_found",
            "push_task",
            {**task, "vhost": "nowhere", **on()},
            "vhost_not_found",
            writes=True,
        )
        yield Case(
            "push_task: application_not_found",
            "push_task",
            {**task, "app": "nowhere", **on()},
            "application_not_found",
            writes=True,
        )
        yield Case(
            "push_task: push_publisher_missing",
            "push_task",
            {**task, **self.spoilt("write-push_publisher_missing")},
            "push_publisher_missing",
            writes=True,
        )
        yield Case(
            "push_task: task_not_found",
            "push_task",
            {**task, "id": "other", **self.spoilt("write-task_not_found")},
            "task_not_found",
            writes=True,
        )
        yield Case(
            "push_task: duplicate_id",
            "push_task",
            {**task, "id": "other", **self.spoilt("write-duplicate_id")},
            "duplicate_id",
            writes=True,
        )
        yield Case(
            "push_task: conflict",
            "push_task",
            {**task, "id": "other", **self.spoilt("write-conflict")},
            None,
            writes=True,
        )
        yield Case(
            "vhost: conflict",
            "vhost",
            {**self.mine.vhost("other"), **self.spoilt("write-conflict")},
            "conflict",
            writes=True,
        )
        yield Case(
            "vhost: lost", "vhost", {**self.mine.vhost("losing"), **self.spoilt("lost-vhost")}, "lost", writes=True
        )
        yield Case(
            "push_task: configured_task",
            "push_task",
            {**task, "vhost": "fixed", "id": "configured", **on()},
            "configured_task",
        )
        yield Case(
            "push_tasks: configured_task",
            "push_tasks",
            {"tasks": [{**task, "vhost": "fixed", "id": "configured"}], **on()},
            "items_failed",
        )
        channel = self.mine.channel("scheduled_channel", "patched")
        yield Case("scheduled_channel: patched", "scheduled_channel", {**channel, **on()})
        yield Case(
            "scheduled_channel: stream_not_found",
            "scheduled_channel",
            {**channel, "programs": [], **self.spoilt("write-stream_not_found")},
            "stream_not_found",
            writes=True,
        )
        for module in CHANNELS:
            taken = {**self.mine.channel(module, "taken"), **on()}
            yield Case(f"{module}: name_taken", module, taken, "name_taken", writes=module == "multiplex_channel")
            plain = {**self.mine.channel(module), "app": "plain", **on()}
            yield Case(f"{module}: provider_missing", module, plain, "provider_missing")
        record = self.mine.records("shared")[0]
        for kind in ("file_publisher_missing", "record_not_found", "duplicate_record"):
            other = {**record, "id": "other", **self.spoilt(f"write-{kind}")}
            yield Case(f"record: {kind}", "record", other, kind, writes=True)
        configured = {**record, "vhost": "fixed", "id": "configured"}
        yield Case("record: configured_record", "record", {**configured, **on()}, "configured_record")
        yield Case("records: configured_record", "records", {"records": [configured], **on()}, "items_failed")
        self.simulator.destination("rtmp://one.example.com", "refuse")
        slow = {**task, "id": "slow", "wait_for": "pushing", "wait_timeout": 0.3}
        yield Case("push_task: wait_timeout", "push_task", {**slow, **on()}, "wait_timeout", writes=True)
        for module in ("vhost_info", "application_info", "push_task_info", "record_info", "stream_info"):
            yield Case(
                f"{module}: retries",
                module,
                {**self.mine.options(module, "shared"), **self.spoilt("all-gateway"), "retries": 1},
                "gateway",
            )
        yield from self._certificates()
        yield from self._environment()
        # The layers take each third of these cases, of which some need the one before: new ones come last.
        timed = {**self.mine.app("home", "timed"), "publishers": {"llhls": {"chunk_duration": "${env:CHUNK:0.5}"}}}
        yield Case("application: file_macro", "application", {**timed, **on()}, "file_macro")

    def _certificates(self) -> t.Iterator[Case]:
        port = self.simulator.tls_ports[0]
        secure = {
            "vhost": "secure",
            "endpoint": [{"host": "127.0.0.1", "port": port, "server_name": "live.example.com"}],
            **self.connection(),
            "timeout": PATIENCE,
        }
        soon = {
            **secure,
            "vhost": "soon",
            "endpoint": [{"host": "127.0.0.1", "port": port, "server_name": "soon.example.com"}],
        }
        served, other, key = self.file("served.pem"), self.file("other.pem"), self.file("served.key")
        both = self.directory / "both.pem"
        both.write_bytes(self.served.key + self.served.certificate + b"canary garbage")
        broken = self.directory / "broken.key"
        broken.write_bytes(self.other.key[:400] + b"!!" + self.other.key[400:])
        wait = {"wait_timeout": 0.3}
        yield Case("cert_reload: served", "cert_reload", {**secure, "certificate": served})
        yield Case("cert_reload: reloaded", "cert_reload", {**secure, "force": True, "wait_timeout": PATIENCE})
        yield Case(
            "cert_reload: certificate_not_served",
            "cert_reload",
            {**secure, "certificate": other, **wait},
            "certificate_not_served",
            writes=True,
        )
        nameless = [{"host": "127.0.0.1", "port": port, "server_name": "127.0.0.1"}]
        yield Case(
            "cert_reload: shadowed", "cert_reload", {**soon, "certificate": other, "endpoint": nameless}, "shadowed"
        )
        yield Case(
            "cert_reload: handshake_failed",
            "cert_reload",
            {**secure, "certificate": served, "endpoint": [{"port": 9}], **wait},
            "handshake_failed",
            writes=True,
        )
        yield Case(
            "cert_reload: certificate_expiring",
            "cert_reload",
            {**soon, "fail_if_days_left_below": 30},
            "certificate_expiring",
            writes=True,
        )
        yield Case(
            "cert_reload: chain_not_verified",
            "cert_reload",
            {**secure, "verify_chain": True},
            "chain_not_verified",
            writes=True,
        )
        for name, file in (("a key", key), ("nothing", "/nowhere.pem"), ("a key and more", str(both))):
            yield Case(
                f"cert_reload: certificate file is {name}",
                "cert_reload",
                {**secure, "certificate": file, **wait},
                None if file == str(both) else "certificate_file",
            )
            info = {"certificate": file, "private_key": key, "chain": file}
            yield Case(f"certificate_info: certificate file is {name}", "certificate_info", info)
        yield Case(
            "certificate_info: as it should be",
            "certificate_info",
            {**secure, "certificate": served, "private_key": key},
        )
        yield Case(
            "certificate_info: key of another",
            "certificate_info",
            {"certificate": served, "private_key": self.file("other.key")},
        )
        yield Case(
            "certificate_info: broken key", "certificate_info", {"certificate": served, "private_key": str(broken)}
        )
        pem = self.served.key.decode()
        for option in ("certificate", "private_key", "chain"):
            yield Case(
                f"certificate_info: PEM as {option}",
                "certificate_info",
                {"certificate": served, option: pem},
                "bad_input",
            )
        for option in ("client_key", "client_cert", "ca_path"):
            ends = "bad_input" if option == "client_key" else None
            yield Case(
                f"vhost_info: PEM as {option}",
                "vhost_info",
                {**self.connection(api_url=self.tls.url), option: pem},
                ends,
            )
            yield Case(
                f"push_task: one line of PEM as {option}",
                "push_task",
                {**self.mine.tasks("shared")[0], **self.connection(), option: pem.replace("\n", " ")},
                None,
            )
        certificates = [
            {"vhost": "secure", "certificate": other, "endpoint": secure["endpoint"]},
            {"certificate": key},
            {"certificate": pem},
            pem,
        ]
        yield Case("audit_info: certificates", "audit_info", {"certificates": certificates, **self.connection()}, None)

    def _environment(self) -> t.Iterator[Case]:
        """Yield secrets that a host has in its environment."""
        user, password = quote(self.canary("proxy user", "user"), safe=""), self.canary("proxy password", "user")
        good, bad = f"http://{user}:{quote(password, safe='')}@127.0.0.1:9", f"http://{user}:{password}@127.0.0.1:nine"
        proxy = self.interpreter("proxied", HTTP_PROXY=good, http_proxy=good)
        broken = self.interpreter("badly-proxied", HTTP_PROXY=bad, http_proxy=bad)
        for module in ("vhost_info", "push_task", "audit_info"):
            options = {**self.mine.options(module, "shared"), **self.connection()}
            ends = None if module == "audit_info" else "proxy"
            yield Case(f"{module}: proxy refuses", module, options, ends, interpreter=proxy)
            yield Case(f"{module}: proxy cannot be used", module, options, None, interpreter=broken)
        encoded = base64.b64encode(self.canary("token in Base64", "ascii").encode()).decode()
        for name, token in (
            ("in Base64", encoded),
            ("with Basic", f"Basic {self.canary('token with Basic', 'ascii')}"),
            ("with quotes", f'"{self.canary("token with quotes", "ascii")}"'),
        ):
            options = {"names": ["shared"], **self.connection(api_token=token)}
            yield Case(f"vhost_info: token {name}", "vhost_info", options, "unauthorized")
        text = f"http://u:{quote(self.canary('proxy password beyond Latin-1'), safe='')}@127.0.0.1:9"
        beyond = self.interpreter("proxied-beyond", HTTP_PROXY=text, http_proxy=text)
        yield Case(
            "vhost_info: proxy with any letters",
            "vhost_info",
            {"names": ["shared"], **self.connection()},
            None,
            interpreter=beyond,
        )
        headers = {"X-Gateway-Key": self.canary("header of the environment", "ascii")}
        known = {"OVENMEDIAENGINE_API_TOKEN": self.token, "OVENMEDIAENGINE_HTTP_HEADERS": json.dumps(headers)}
        wrong = {**known, "OVENMEDIAENGINE_API_TOKEN": self.canary("wrong token of the environment")}
        for name, environment, ends in (
            ("environment", known, SUCCESS),
            ("environment refused", wrong, "unauthorized"),
        ):
            own = self.interpreter(name.replace(" ", "-"), **environment)
            yield Case(
                f"vhost_info: {name}",
                "vhost_info",
                {"api_url": self.simulator.url, "names": ["shared"]},
                ends,
                interpreter=own,
            )
        own = self.interpreter(
            "bad-headers",
            **{**known, "OVENMEDIAENGINE_HTTP_HEADERS": f"X-Key {self.canary('header that is no header', 'ascii')}"},
        )
        yield Case(
            "vhost_info: bad headers of the environment",
            "vhost_info",
            {"api_url": self.simulator.url},
            BY_ANSIBLE,
            interpreter=own,
        )

    def bad_input(self) -> t.Iterator[Case]:
        """Yield options that cannot work, each with secrets, some of them where no secret belongs."""
        for number, (module, options, ends) in enumerate(self._bad_input()):
            yield Case(f"{module}: bad input {number}", module, {**self.connection(), **options}, ends)

    def _bad_input(self) -> t.Iterator[tuple[str, dict[str, t.Any], str | None]]:
        task, vhost, app = self.mine.tasks("shared")[0], self.mine.vhost("new"), self.mine.app("shared")
        key, url, any_end = task["stream_key"], task["url"], None
        path_key = self.mine.secret("path key", "path")
        digits = int(self.canary("number as a key", "digits"))
        odd = self.canary("of the wrong type")
        # Misspelt, or in the API's spelling.
        for option in ("streamkey", "streamKey", "key", "passphrase"):
            yield "push_task", {**task, option: odd}, BY_ANSIBLE
            yield "push_tasks", {"tasks": [{**task, option: odd}]}, BY_ANSIBLE
        yield "vhost", {**vhost, "signed_policyy": vhost["signed_policy"]}, BY_ANSIBLE
        yield "vhost", {**vhost, "signed_policy": {**vhost["signed_policy"], "secretKey": odd}}, BY_ANSIBLE
        yield (
            "vhosts",
            {"vhosts": [{**vhost, "admission_webhooks": {**vhost["admission_webhooks"], "secretKey": odd}}]},
            BY_ANSIBLE,
        )
        yield (
            "vhosts",
            {"vhosts": [{**vhost, "applications": [{**app, "transcode_webhook": {"secretKey": odd}}]}]},
            BY_ANSIBLE,
        )
        yield "application", {**app, "transcode_webhook": {"secretKey": odd}}, BY_ANSIBLE
        yield "vhost_info", {"apitoken": odd}, BY_ANSIBLE
        # URLs of channels that are none: secrets in them are masked.
        scheduled, multiplex = self.mine.channel("scheduled_channel"), self.mine.channel("multiplex_channel")
        (program,), (source,) = scheduled["programs"], multiplex["source_streams"]
        for wrong in (url, self.mine.webhook("channel")):
            yield "scheduled_channel", {**scheduled, "programs": [{**program, "items": [{"url": wrong}]}]}, "bad_input"
            yield "multiplex_channel", {**multiplex, "source_streams": [{**source, "url": wrong}]}, "bad_input"
            entry = {**scheduled, "fallback_program": {"items": [{"url": wrong}]}}
            yield "scheduled_channels", {"scheduled_channels": [scheduled, entry]}, "bad_input"
            entry = {**multiplex, "source_streams": [{**source, "url": wrong}]}
            yield "multiplex_channels", {"multiplex_channels": [multiplex, entry]}, "bad_input"
            pulls = self.mine.pulls("shared")["streams"]
            yield "streams", {"streams": [pulls[0], {**pulls[1], "urls": [wrong]}]}, "bad_input"
        record = self.mine.records("shared")[0]
        yield "record", {**record, "Metadata": odd}, BY_ANSIBLE
        yield "record", {**record, "interval": 5, "schedule": "0 * *"}, "bad_input"
        yield "records", {"records": [{**record, "file_path": "x.ts"}]}, "bad_input"
        # Of the wrong type: secrets, URLs, and groups with secrets.
        for wrong in ({"value": odd}, [odd], [[{"a": odd}]], digits, {"stream_key": odd}):
            yield "push_task", {**task, "stream_key": wrong, "check": 1}, BY_ANSIBLE
            yield "push_task", {**task, "stream_key": wrong, "timeout": 0}, "bad_input"
            yield "push_tasks", {"tasks": [{**task, "stream_key": wrong}], "timeout": 0}, "bad_input"
            yield (
                "vhost",
                {**vhost, "signed_policy": {**vhost["signed_policy"], "secret_key": wrong}, "timeout": 0},
                "bad_input",
            )
            yield (
                "vhosts",
                {
                    "vhosts": [{**vhost, "origin_map_store": {"redis_server": {"host": "a:1", "auth": wrong}}}],
                    "timeout": 0,
                },
                "bad_input",
            )
            yield (
                "application",
                {**app, "transcode_webhook": {**app["transcode_webhook"], "secret_key": wrong}, "timeout": 0},
                "bad_input",
            )
            yield "audit_info", {"push_tasks": [{**task, "stream_key": wrong}]}, SUCCESS
            yield "vhost_info", {"api_token": wrong, "timeout": 0}, "bad_input"
            yield "vhost_info", {"http_headers": wrong, "timeout": 0}, any_end
        for wrong in (digits, [odd], [[odd]], [{"token": [odd]}]):
            yield (
                "applications",
                {
                    "applications": [{**app, "publishers": {"llhls": {"extra": {"tokens": wrong, "secret": wrong}}}}],
                    "timeout": 0,
                },
                "bad_input",
            )
        for wrong in ({"url": url}, [url], [[url]]):
            yield "push_task", {**task, "url": wrong}, "bad_input"
            yield "push_tasks", {"tasks": [{**task, "url": wrong}]}, "bad_input"
            yield (
                "vhost",
                {**vhost, "admission_webhooks": {**vhost["admission_webhooks"], "control_server_url": wrong}},
                "bad_input",
            )
            yield "audit_info", {"push_tasks": [{**task, "url": wrong}]}, SUCCESS
        for wrong in ([{"secret_key": odd}], [[{"secret_key": odd}]], [{"auth": odd, "stream_key": odd}]):
            yield "push_task", {**task, "stream": wrong}, BY_ANSIBLE
            yield "push_tasks", {"tasks": wrong}, BY_ANSIBLE
            yield "push_tasks", {"tasks": [{**task, "stream": wrong}]}, BY_ANSIBLE
            yield "vhost", {**vhost, "signed_policy": wrong}, BY_ANSIBLE
            yield "vhosts", {"vhosts": [{**vhost, "origin_map_store": {"redis_server": wrong}}]}, BY_ANSIBLE
            yield "application", {**app, "transcode_webhook": wrong}, BY_ANSIBLE
            yield (
                "audit_info",
                {
                    "push_tasks": [{**task, "stream": wrong}, wrong],
                    "vhosts": [{**vhost, "signed_policy": wrong}, wrong],
                },
                SUCCESS,
            )
        for text in (odd, f"secret_key={odd}", json.dumps({"secret_key": odd})[:-3]):
            yield "vhost", {**vhost, "signed_policy": text, "timeout": 0}, any_end
            yield "vhosts", {"vhosts": text}, BY_ANSIBLE
            yield "push_tasks", {"tasks": [text]}, BY_ANSIBLE
            yield "application", {**app, "transcode_webhook": text, "timeout": 0}, any_end
            yield "vhost_info", {"http_headers": text}, any_end
        # A secret where something else belongs, in a task that has it where it belongs, too.
        for option in ("state", "wait_for", "wait_timeout", "timeout", "retries", "validate_certs", "http_headers"):
            yield "push_task", {**task, option: key}, BY_ANSIBLE
        for option in (
            ("vhost", "app", "id") if self.canary.hard else ()
        ):  # the plain ones can be names, and are none the less
            yield "push_task", {**task, option: key}, "bad_input"
            yield "push_tasks", {"tasks": [{**task, option: key}, {**task, option: key}]}, "bad_input"
        yield "push_task", {**task, "protocol": key}, "bad_input"
        yield "push_task", {**task, "url": key}, "bad_input"
        # URLs that are none, or of another protocol.
        for scheme in ("", "rtmp:", "rtmp:/", "rtmp//", "http://", "srt://", "udp://", "rtmp:// "):
            yield "push_task", {**task, "url": f"{scheme}one.example.com/live/{path_key}"}, "bad_input"
        yield "push_task", {**task, "protocol": "srt", "url": f"rtmp://one.example.com/live/{path_key}"}, "bad_input"
        yield "push_task", {**task, "protocol": "mpegts"}, "bad_input"
        yield (
            "push_task",
            {**task, "protocol": "srt", "url": self.mine.tasks("shared")[2]["url"].replace("caller", "listener")},
            "bad_input",
        )
        yield "push_tasks", {"tasks": [task, task]}, "bad_input"
        yield "push_tasks", {"tasks": [{**task, "stream_key": "********"}]}, "bad_input"
        yield "push_task", {name: value for name, value in task.items() if name != "stream_key"}, "bad_input"
        yield "push_task", {**task, "stream": {"name": f"{odd}\n"}, "stream_key": odd}, any_end
        yield (
            "vhost",
            {**vhost, "admission_webhooks": {**vhost["admission_webhooks"], "control_server_url": url}},
            "bad_input",
        )
        yield (
            "vhost",
            {**vhost, "origin_map_store": {"redis_server": {"host": f"u:{odd}@192.0.2.1:6379", "auth": odd}}},
            any_end,
        )
        yield "application", {**app, "publishers": {"llhls": {"extra": {"bad key": {"token": odd}}}}}, "bad_input"
        yield "application", {**app, "publishers": {"llhls": {"extra": {"segmentCount": {"token": odd}}}}}, "bad_input"
        yield (
            "application",
            {**app, "publishers": {"llhls": {"extra": {"accessToken": odd, "login": [{"password": odd}]}}}},
            any_end,
        )
        # The connection.
        user = self.canary("user info of the API's URL", "user")
        for api_url in (
            f"http://{user}@127.0.0.1:1",
            f"http://u:{user}@127.0.0.1:1",
            f"http://127.0.0.1:1/?token={user}",
            f"http://127.0.0.1:1/#{user}",
            f"u:{user}@127.0.0.1:1",
        ):
            yield "vhost_info", {"api_url": api_url}, "bad_input"
        yield (
            "vhost_info",
            {"http_headers": {"Authorization": f"Bearer {self.canary('own authorization', 'ascii')}"}},
            "bad_input",
        )
        yield "vhost_info", {"http_headers": {"X Key": odd}}, "bad_input"
        yield (
            "vhost_info",
            {"http_headers": {"X-Key": [odd], "X-Other": {"a": odd}, "X-Number": digits}, "timeout": 0},
            "bad_input",
        )
        yield "vhost_info", {"http_headers": {"X-Key": f"{odd}\nX-Other: {odd}"}}, "bad_input"
        yield "vhost_info", {"api_token": f"{self.token}\n{odd}"}, "bad_input"
        yield "vhost_info", {"api_token": digits}, "unauthorized"
        # The platforms of a stream.
        restream = self.mine.restream("shared")
        for wrong in (odd, [odd], f"one={odd}", {"one": [odd]}):
            yield "restream", {**restream, "stream_keys": wrong, "timeout": 0}, any_end
        yield "restream", {**restream, "platforms": [odd]}, BY_ANSIBLE
        yield "restream", {**restream, "platforms": [{**restream["platforms"][0], "key": odd}]}, BY_ANSIBLE
        yield "restream", {**restream, "chosen": "nowhere"}, "bad_input"
        yield "restream", {**restream, "platforms": [{**restream["platforms"][0], "url": odd}]}, any_end


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\"'\"'") + "'"


def unmet(met: t.Collection[str]) -> set[str]:
    """Return the kinds of errors that no case has met, and those that are said not to be met and have been."""
    return (
        (set(ADVICE) - set(met) - set(NOT_BROUGHT_ABOUT) - set(OF_THE_MACHINE))
        | (set(NOT_BROUGHT_ABOUT) & set(met))
        | (set(NOT_BROUGHT_ABOUT) - set(ADVICE))
    )
