# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""With which values a server does not start: Server.xml, Logger.xml and virtual hosts.

server-facts: Values that servers refuse. :mod:`application_rules` has those of applications.

The server has no check without a start, and one such value keeps all of it from starting.
"""

from __future__ import annotations

import typing as t

from .._core.macros import has_macro
from . import listening, srt_options
from .application_rules import bitrate
from .ports import address, candidate, ports, relay, single_port
from .refusals import (
    Check,
    Expected,
    Refusal,
    Refusals,
    Rule,
    Value,
    at_least,
    each_once,
    never,
    not_empty,
    one_of,
    required,
    single,
)

_THREADS_SINCE = (0, 20, 0)
_PASSPHRASE_LENGTHS = range(10, 80)  # bytes
_SIDES = "bind.providers|publishers"
_WEBRTC = f"{_SIDES}.webrtc"
_ICE = f"{_WEBRTC}.ice_candidates"
_threads = at_least(1, "the server does not start without a thread")


def _threads_unless_per_socket(provider: Value) -> Refusals:
    """Check the threads of a provider, which starts one for each socket if that is on."""
    if provider.get("thread_per_socket") in (None, False) and provider.get("worker_count") is not None:
        yield from (one._replace(option="worker_count") for one in _threads(provider["worker_count"]))


def _passphrase(value: t.Any) -> Refusals:
    """Check the passphrase of SRT, which is a secret; the length counts in UTF-8."""
    if not has_macro(value) and len(str(value).encode()) not in _PASSPHRASE_LENGTHS:
        yield Refusal("", "expected 10 to 79 characters (bytes of UTF-8), as SRT does")


def _redis_host(value: t.Any) -> Expected:
    return None if str(value).count(":") == 1 else "expected 'host:port' such as '127.0.0.1:6379'"


def _each(check: t.Callable[[t.Any], Expected]) -> Check:
    """Return the check of each text of a list."""
    one_text = single(check)

    def found(texts: t.Any) -> Refusals:
        for index, text in enumerate(texts if isinstance(texts, list) else ()):
            yield from (one._replace(option=f"[{index}]") for one in one_text(text))

    return found


SERVER = (
    Rule("type", one_of("origin", "edge", exactly=True), "config/items/server.h:144"),
    Rule("ip", not_empty, "config/items/server.h:147, config/engine/child.cpp:127"),
    Rule("ip", _each(address), "ovsocket/socket_address.cpp:292, rtmp_provider.cpp:103, srt_provider.cpp:72"),
    Rule("ip", listening.shared_addresses, "ovsocket/server_socket.cpp:49, socket.cpp:421"),
    Rule("bind.managers.api.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule("bind.providers.rtmp|ovt|rtsp|rtspc.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule("bind.publishers.llhls|hls|ovt|thumbnail.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule(f"{_WEBRTC}.signalling.port|tls_port", single(single_port), "singular_port.h:44, 50"),
    Rule(f"{_SIDES}.srt.port|tls_port", single(ports), "ranged_port.h:46, 63, 76"),
    Rule("bind.providers.mpegts.port|tls_port", single(ports), "ranged_port.h:46 to 76, physical_port.cpp:109"),
    Rule("bind", listening.http_and_https, "http_server_manager.cpp:39, 150"),
    Rule("bind", listening.srt_and_udp, "libsrt 1.5.2 channel.cpp binds without SO_REUSEADDR"),
    Rule("", listening.api_without_token, "api_server.cpp:56, main.cpp:165"),
    Rule("bind.managers.api.worker_count", _threads, "api_server.cpp:136, socket_pool.h:149"),
    Rule("bind.publishers.llhls|hls|thumbnail.worker_count", _threads, "llhls_publisher.cpp:90, socket_pool.h:149"),
    Rule("bind.publishers.ovt.worker_count", _threads, "ovt_publisher.cpp:64, socket_pool.h:149"),
    Rule("bind.publishers.srt.worker_count", _threads, "srt_publisher.cpp:77, socket_pool.h:149"),
    Rule("bind.providers.rtmp|srt.worker_count", _threads, "0.18.0 rtmp_provider.cpp:92", before=_THREADS_SINCE),
    Rule(
        "bind.providers.rtmp|srt",
        _threads_unless_per_socket,
        "rtmp_provider.cpp:93, srt_provider.cpp:84, socket_pool.cpp:48",
        since=_THREADS_SINCE,
    ),
    Rule(f"{_WEBRTC}.signalling.worker_count", _threads, "webrtc_publisher.cpp:47, webrtc_provider.cpp:43"),
    Rule(f"{_ICE}.ice_worker_count", _threads, "ice_port_manager.cpp:65"),
    Rule(f"{_ICE}.tcp_relay_worker_count", _threads, "ice_port_manager.cpp:122"),
    Rule(f"{_ICE}.tcp_ice_worker_count", _threads, "0.21.0 ice_port.cpp", since=(0, 21, 0)),
    Rule(f"{_ICE}.ice_candidate", _each(candidate), "ice_port_manager.cpp:391, 408, socket_address.cpp:45 to 66"),
    Rule(f"{_ICE}.tcp_relay", _each(relay), "rtc_signalling_server.cpp:57, socket_address.cpp:45 to 66"),
    Rule(f"{_WEBRTC}.ice_servers[].urls", not_empty, "common/urls.h:26, config/engine/child.cpp:127"),
    Rule(f"{_WEBRTC}.ice_servers[]", required("urls"), "ice_server.h:34"),
    Rule(f"{_SIDES}.srt.passphrase", _passphrase, "libsrt 1.5.2 socketconfig.cpp:407"),
    Rule(f"{_SIDES}.srt.options[]", required("key", "value"), "common/option.h:28"),
    Rule(f"{_SIDES}.srt.options[]", srt_options.refused, "srt_option_processor.cpp:119, libsrt 1.5.2 socketconfig.cpp"),
    Rule("alert.rules.ingress.min_bitrate|max_bitrate", single(bitrate), "ingress.h:74, 90"),
    Rule("managers.api.cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
    Rule("defaults.cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
)
"""What keeps a server from starting in Server.xml (option `server`)."""

LOGGER = (
    Rule("tags", not_empty, "config_logger_loader.cpp:45"),
    Rule(
        "tags[].level",
        never("expected another level than trace, which needs OvenMediaEngine 0.20.0 or later", "trace"),
        "0.18.0 config_logger_loader.cpp:95",
        before=(0, 20, 0),
    ),
)
"""What keeps a server from starting in Logger.xml (option `logger`)."""

VIRTUAL_HOST = (
    Rule("origins.origin[]", required("location", "pass"), "origins/origin.h:32"),
    Rule("origins.origin[].pass", required("scheme", "urls"), "origins/pass.h:29"),
    Rule("origins.origin[].pass.urls", required("url"), "common/urls.h:26"),
    Rule("origins.origin[].pass.urls.url", not_empty, "common/urls.h:26, config/engine/child.cpp:127"),
    Rule("origin_map_store.redis_server.host", single(_redis_host), "redis_server.h:33"),
    Rule("cross_domains.headers[]", required("key", "value"), "common/option.h:28"),
    Rule("applications", each_once("name"), "orchestrator.cpp:204"),
)
"""What keeps a server from starting in a virtual host (option form, with `applications`)."""
