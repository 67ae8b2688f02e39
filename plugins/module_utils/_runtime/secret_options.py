# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names of options that hold secrets, and of those that hold URLs, which can contain secrets.

The names count in every module and at every level: a secret at a wrong place is still a secret. `make format` writes
them from the argument specs of all modules and the declarations of all resources. They are not derived here, because
each module would then carry all declarations to the managed host and compile them there.
"""

from __future__ import annotations

from .._schema.extra import EXTRA

SECRET_OPTIONS = frozenset(
    (
        "access_token",
        "api_token",
        "auth",
        "credential",
        "environment_variables",
        "http_headers",
        "inventory_content",
        "metadata",
        "passphrase",
        "previous_api_token",
        "private_key_content",
        "secret_key",
        "settings_content",
        "stream_key",
        "stream_keys",
        "user_data",
        "user_key",
    )
)
"""The names of all options that hold secrets."""

URL_OPTIONS: dict[str, bool] = {"api_url": False, "control_server_url": False, "url": True, "urls": False}
"""The names of all options that hold URLs, and whether a text under this name is the destination of a push."""

WITHOUT_NAMES = SECRET_OPTIONS | {EXTRA}
"""Options in which no names of objects are looked for, because they hold secrets or can hold some."""
