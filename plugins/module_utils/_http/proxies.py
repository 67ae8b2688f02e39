# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the proxy that requests takes from the environment, for messages."""

from __future__ import annotations

import contextlib
import os
import typing as t
from urllib.parse import urlsplit

from .._core.secret_urls import mask_url

with contextlib.suppress(ImportError):  # the client says so before anything of this is used
    import requests.utils


class Proxy(t.NamedTuple):
    """A proxy of the environment."""

    url: str  # its credentials are masked
    variable: str  # the environment variable that sets it; empty if it comes from settings of the operating system

    def __str__(self) -> str:
        return f"the proxy {self.url} {f'of {self.variable}' if self.variable else 'of the system'}"


def proxy_of(url: str, proxies: t.Mapping[str, str]) -> Proxy | None:
    """Return the proxy that requests uses for a URL; None for a direct connection.

    ``proxies`` are those of the environment for this URL, so that `no_proxy` is taken into account.
    """
    used = requests.utils.select_proxy(url, proxies)
    if not used:
        return None
    names = (f"{urlsplit(url).scheme.lower()}_proxy", "all_proxy")
    # Names in lower case win, as in urllib.
    variables = [name for name, value in os.environ.items() if name.lower() in names and value == used]
    return Proxy(mask_url(used), max(variables, key=str.islower, default=""))
