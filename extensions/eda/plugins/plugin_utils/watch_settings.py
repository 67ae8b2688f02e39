# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the event source `server_state`."""

from __future__ import annotations

import re
import ssl
import typing as t
from urllib.parse import urlsplit

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.validators import http_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import Endpoint

from .alerts import OF_RECEIVER, settings_in
from .alerts import Settings as AlertSettings
from .events import server_label
from .expectations import Files, endpoint_of
from .options import Options

_KNOWN = (
    "servers",
    "expectations",
    "interval",
    "jitter",
    "timeout",
    "compare_interval",
    "throttle",
    "remind",
    "stuck_after",
    "streams",
    "expected_streams",
    "unmet_after",
    "alerts",
    "certificate_days",
    "certificate_interval",
)
_KNOWN_OF_SERVER = (
    "name",
    "api_url",
    "api_token_env",
    "api_token_file",
    "validate_certs",
    "ca_path",
    "client_cert",
    "client_key",
    "expectations",
    "endpoints",
)
_KNOWN_OF_ENDPOINT = ("host", "port", "server_name")


class WatchedServer(t.NamedTuple):
    """One entry of the list of servers."""

    name: str
    api_url: str
    api_token: str
    token_source: str
    tls: ssl.SSLContext | None
    expectations: str | None
    endpoints: tuple[Endpoint, ...]

    @property
    def host(self) -> str:
        """Return the host of the API."""
        return urlsplit(self.api_url).hostname or ""


class Settings(t.NamedTuple):
    """The options of the source. Times are in seconds."""

    servers: tuple[WatchedServer, ...]
    interval: float
    jitter: float
    timeout: float
    compare_interval: float
    throttle: float
    remind: float
    stuck_after: float
    streams: bool
    unmet_after: float
    alerts: AlertSettings | None
    certificate_days: int
    certificate_interval: float


def settings_of(args: t.Any, files: Files) -> Settings:
    """Return the options of the source, checked, with the files that they name. Raises BadInput."""
    options = Options(args, _KNOWN)
    common = options.text("expectations")
    files.streams = options.boolean("expected_streams", default=False)
    contexts: dict[tuple[t.Any, ...], ssl.SSLContext] = {}
    servers: list[WatchedServer] = []
    for entry in options.entries("servers", _KNOWN_OF_SERVER, required=True):
        server = _server(entry, common, contexts, files)
        if any(one.name == server.name for one in servers):
            entry.refuse("name", f"expected each name once, got {server.name!r} again")
        servers.append(server)
    interval = options.number("interval", 5.0, 0.1, 3600.0)
    return Settings(
        tuple(servers),
        interval,
        options.number("jitter", 0.1, 0.0, 0.5),
        options.number("timeout", 5.0, 0.1, 300.0),
        options.number("compare_interval", max(15.0, interval), 0.1, 86_400.0),
        options.number("throttle", 10.0, 0.0, 3600.0),
        options.number("remind", 0.0, 0.0, 86_400.0),
        options.number("stuck_after", 30.0, 1.0, 3600.0),
        options.boolean("streams", default=True),
        options.number("unmet_after", 10.0, 0.0, 3600.0),
        _alerts(options, files),
        options.integer("certificate_days", 30, 0, 36_500),
        options.number("certificate_interval", 3600.0, 1.0, 604_800.0),
    )


def _server(
    entry: Options, common: str | None, contexts: dict[tuple[t.Any, ...], ssl.SSLContext], files: Files
) -> WatchedServer:
    name = entry.required_text("name", server_label)
    url = entry.required_text("api_url")
    if _api_url(url) is not None:
        entry.refuse("api_url", "expected a URL such as 'http://media1.example.com:8081', without user and query")
    expectations = entry.text("expectations", common)
    try:
        files.get(expectations)
    except BadInput as error:
        if error.option != "expectations":
            raise
        entry.refuse("expectations", error.expected)
    endpoints = []
    for index, endpoint in enumerate(entry.entries("endpoints", _KNOWN_OF_ENDPOINT)):
        values = {option: endpoint.text(option) for option in ("host", "server_name")}
        found = endpoint_of(values, entry.path(f"endpoints[{index}]"))
        endpoints.append(found._replace(port=endpoint.integer("port", 443, 1, 65535)))
    variable, file = entry.text("api_token_env"), entry.text("api_token_file")
    return WatchedServer(
        name,
        url,
        entry.secret("api_token"),
        f"the environment variable {variable}" if variable else str(file),
        _tls(entry, url, contexts),
        expectations,
        tuple(endpoints),
    )


def _alerts(options: Options, files: Files) -> AlertSettings | None:
    """Return how the alerts are received that start a comparison; None if none are."""
    nested = options.nested("alerts", OF_RECEIVER)
    if nested is not None and not files.streams:
        options.refuse("alerts", "expected expected_streams: true beside it, because alerts start their comparison")
    return None if nested is None else settings_in(nested)


def _api_url(value: str) -> str | None:
    parts = urlsplit(value) if http_url(value) is None else None
    if parts is None or parts.username is not None or parts.query or parts.fragment or re.search(r"\s", value):
        return "invalid"
    return None


def _tls(entry: Options, url: str, contexts: dict[tuple[t.Any, ...], ssl.SSLContext]) -> ssl.SSLContext | None:
    """Return what connections are secured by; None for HTTP. Servers with the same files share it."""
    validate, ca_path = entry.boolean("validate_certs", default=True), entry.text("ca_path")
    client_cert, client_key = entry.file("client_cert"), entry.file("client_key")
    if not url.lower().startswith("https:"):
        return None
    key = (validate, ca_path, client_cert, client_key)
    if key not in contexts:
        try:
            context = ssl.create_default_context(cafile=ca_path)
        except (OSError, ValueError):
            entry.refuse("ca_path", f"expected a file with certificates in PEM form; {ca_path} cannot be used")
        if not validate:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if client_cert is not None:
            try:
                context.load_cert_chain(client_cert, client_key)
            except (OSError, ValueError):
                text = "expected a certificate in PEM form with its key, here or in client_key"
                entry.refuse("client_cert", f"{text}; {client_cert} cannot be used")
        contexts[key] = context
    return contexts[key]
