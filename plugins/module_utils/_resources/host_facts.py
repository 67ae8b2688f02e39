# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a configuration needs of the server's host, and what no check of a file can know."""

from __future__ import annotations

import typing as t

from .listening import opened
from .refusals import Value
from .srt_options import DEVICE_OPTION

_STARTS_WITHOUT = "Without it, the server starts, and answers no TLS client."
_CERTIFICATE = {
    "cert_path": "The file must be there, with a certificate. ",
    "key_path": "The file must be there, with the key of the certificate. ",
    "chain_cert_path": "The file must be there, with the chain of the certificate. ",
}


class Fact(t.NamedTuple):
    """An option whose value only the host decides, and why."""

    option: str
    reason: str


def of_server(server: Value) -> list[Fact]:
    """Return what Server.xml (option form) needs of the host."""
    found = [
        Fact(f"server.ip[{index}]", "The host must have the address, or the name must resolve to one of its own.")
        for index, address in enumerate(server.get("ip", []))
        if address != "*"
    ]
    bind = server.get("bind", {})
    ports = opened(bind)
    if ports:
        tcp = {number for one in ports if one.kind in ("http", "https", "tcp") for number in one.numbers}
        udp = {number for one in ports if one.kind not in ("http", "https", "tcp") for number in one.numbers}
        texts = [f"{kind} {_ranges(numbers)}" for kind, numbers in (("TCP", tcp), ("UDP", udp)) if numbers]
        low = " The server's user must be allowed ports below 1024." if min(tcp | udp) < 1024 else ""
        found.append(Fact("server.bind", f"No other process may have the ports {' and '.join(texts)}.{low}"))
    for side in ("providers", "publishers"):
        for index, option in enumerate(bind.get(side, {}).get("srt", {}).get("options", [])):
            if option.get("key") == DEVICE_OPTION:
                found.append(
                    Fact(f"server.bind.{side}.srt.options[{index}]", "The host must have the network interface.")
                )
    found += _certificate("server.managers.host", server.get("managers", {}).get("host", {}))
    for index, _model in enumerate(server.get("modules", {}).get("whisper", {}).get("preload_model", [])):
        found.append(
            Fact(f"server.modules.whisper.preload_model[{index}].path", "The file of the model must be there.")
        )
    return found


def of_virtual_hosts(vhosts: t.Iterable[tuple[str, Value]]) -> list[Fact]:
    """Return what virtual hosts (path and option form) need of the host."""
    return [fact for path, vhost in vhosts for fact in _certificate(f"{path}.host", vhost.get("host", {}))]


def _certificate(path: str, host: Value) -> list[Fact]:
    tls = host.get("tls", {})
    return [
        Fact(f"{path}.tls.{option}", f"{reason}{_STARTS_WITHOUT}")
        for option, reason in _CERTIFICATE.items()
        if tls.get(option)
    ]


def _ranges(numbers: t.AbstractSet[int]) -> str:
    """Return ports as text, with ranges: `80, 10000-10004`."""
    texts: list[str] = []
    first = last = -1
    for number in [*sorted(numbers), -1]:
        if number != last + 1:
            if last > 0:
                texts.append(str(first) if first == last else f"{first}-{last}")
            first = number
        last = number
    return ", ".join(texts)
