# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What scheduled and multiplex channels have in common: names and sources.

Source: server-facts: Streams, recordings, channels, output profiles.
"""

from __future__ import annotations

import typing as t

from .._core.secret_store import SecretStore, mask_url
from .._schema import validators as checks
from .._schema.fields import Field, String

KEY = ("vhost", "app", "name")
INTERRUPTION = "A recreate ends the channel for its viewers before it starts again."
SETTLES = 5.0  # seconds until the server has noticed a written file, and has missed a deleted one three times


def key_fields() -> list[Field]:
    """Declare the options that identify a channel; its stream has its name."""
    return [String(option, required=True, check=checks.addressable) for option in KEY]


def _is_stream(url: str) -> bool:
    scheme, separator, place = url.partition("://")
    names = place.split("/")
    return scheme.lower() == "stream" and bool(separator) and len(names) == 3 and all(map(checks.is_addressable, names))


def _is_file(url: str) -> bool:
    path = url[len("file://") :]
    return url.lower().startswith("file://") and bool(path.strip("/ ")) and ".." not in path.split("/")


def stream_url(url: str) -> str | None:
    """Check the URL of a stream of the same server."""
    return None if _is_stream(url) else "expected 'stream://vhost/app/stream'"


def source_url(url: str) -> str | None:
    """Check the URL of a stream of the same server, or of a file below the directory of the provider."""
    if _is_stream(url) or (_is_file(url) and checks.one_line(url) is None):
        return None
    return "expected 'file://path' below MediaRootDir, without '..', or 'stream://vhost/app/stream'"


class Source(String):
    """The URL of a file or a stream of the server itself: it has no secrets unless it is invalid."""

    def _is_valid(self, value: t.Any) -> bool:
        return isinstance(value, str) and self.check is not None and self.check(value) is None

    def mask(self, value: t.Any) -> t.Any:
        return mask_url(value) if isinstance(value, str) and not self._is_valid(value) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        if isinstance(value, str) and not self._is_valid(value):
            secrets.add_url(value)
