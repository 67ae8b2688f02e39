# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration directories for tests of the simulator."""

from __future__ import annotations

from pathlib import Path

TOKEN = "file-token"
PUSH = "<Push/>"
OUTPUT = (
    "<OutputProfiles><OutputProfile><Name>bypass</Name><OutputStreamName>${OriginStreamName}</OutputStreamName>"
    "<Encodes><Video><Bypass>true</Bypass></Video><Audio><Bypass>true</Bypass></Audio></Encodes>"
    "</OutputProfile></OutputProfiles>"
)
"""One output of each stream; without it the server makes none."""


def application(name: str = "live", publishers: str = PUSH, output: str = OUTPUT) -> str:
    """Return the element of an application."""
    return (
        f"<Application><Name>{name}</Name><Type>live</Type><Providers><RTMP/></Providers>"
        f"<Publishers>{publishers}</Publishers>{output}</Application>"
    )


def virtual_host(name: str, *parts: str, host_name: str = "*", applications: str = "") -> str:
    """Return the element of a virtual host. :param parts: more of what is in it."""
    return (
        f"<VirtualHost><Name>{name}</Name><Host><Names><Name>{host_name}</Name></Names></Host>{''.join(parts)}"
        f"<Applications>{applications}</Applications></VirtualHost>"
    )


def server(hosts: str, port: int = 8081, bind: str = "", managers: str = "", more: str = "", version: str = "8") -> str:
    """Return the content of Server.xml.

    :param hosts: what is in ``VirtualHosts``.
    :param bind: more of what is in ``Bind``. :param managers: ``Host`` of ``Managers``, with any name by default.
    """
    managers = managers or "<Host><Names><Name>*</Name></Names></Host>"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<Server version="{version}"><Name>origin</Name><Type>origin</Type>'
        f"<IP>*</IP>{more}<Bind><Managers><API><Port>{port}</Port></API></Managers>{bind}</Bind>"
        f"<Managers>{managers}<API><AccessToken>{TOKEN}</AccessToken></API></Managers>"
        f"<VirtualHosts>{hosts}</VirtualHosts></Server>"
    )


def write(directory: Path, **files: str) -> Path:
    """Write files ``NAME.xml``. :returns: the directory."""
    directory.mkdir(exist_ok=True)
    for name, content in files.items():
        (directory / f"{name}.xml").write_text(content, encoding="utf-8")
    return directory
