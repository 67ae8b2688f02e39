# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hide secrets in the results and messages of a task."""

from __future__ import annotations

import functools
import typing as t

from .._core.secret_store import MASK, SecretStore, is_ordinary, mask_url, url_secrets
from .._core.texts import shortened
from .._operations.base import Result
from .._schema.extra import EXTRA, Extra

# The names of options that hold secrets, and of those that hold URLs, which can contain secrets.
#
# The names count in every module and at every level: a secret at a wrong place is still a secret. `make format`
# writes them from the argument specs of all modules. They are not derived here, because each module would then carry
# all declarations to the managed host and compile them there.

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
        "viewer_headers",
    )
)
"""The names of all options that hold secrets."""

URL_OPTIONS: dict[str, bool] = {"api_url": False, "control_server_url": False, "url": True, "urls": False}
"""The names of all options that hold URLs, and whether a text under this name is the destination of a push."""

WITHOUT_NAMES = SECRET_OPTIONS | {EXTRA}
"""Options in which no names of objects are looked for, because they hold secrets or can hold some."""


# Characters. Ansible hides such values wherever they occur in the output. Shorter ones would make it unreadable without
# keeping a secret.
SHORTEST_URL_SECRET = 4
# The text that ansible-core before 2.22 writes in place of a value that is a secret.
_NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"


class LongestFirst(set[str]):
    """A set of secrets that iterates over the longest first.

    ansible-core 2.16 and 2.17 replace secrets in the order of iteration. If a secret is part of a longer one and is
    replaced first, the longer one is not found.
    """

    def __iter__(self) -> t.Iterator[str]:
        return iter(sorted(super().__iter__(), key=len, reverse=True))


def split_secrets(secrets: t.Iterable[str], names: t.Collection[str] = ()) -> tuple[LongestFirst, set[str]]:
    """Return the secrets that ansible-core hides, and those that only this collection hides.

    ansible-core hides a secret wherever its letters occur, even in names, numbers and other words. So it does not get
    secrets that are part of a name, that are digits, or that are ordinary words.
    """
    all_names = "\n".join(names)
    careful = {secret for secret in secrets if secret.isdigit() or is_ordinary(secret) or secret in all_names}
    return LongestFirst(set(secrets) - careful), careful


def without_values(value: t.Any, secrets: t.Collection[str]) -> t.Any:
    """Return a result without these secrets, wherever their letters occur in it.

    ansible-core before 2.22 does the same with the result of a module. From 2.22 on it hides secrets only when it
    displays results, so a playbook could register them.
    """
    if not secrets:
        return value
    ordered, whole = list(secrets), frozenset(secrets)

    # A long result repeats most of its texts, such as the mask.
    @functools.cache
    def shown(text: str) -> str:
        if text in whole:
            return _NO_LOG
        for secret in ordered:
            text = text.replace(secret, MASK)
        return text

    def hide(part: t.Any) -> t.Any:
        if isinstance(part, dict):
            return {key: hide(item) for key, item in part.items()}
        if isinstance(part, (list, tuple)):
            return [hide(item) for item in part]
        if isinstance(part, str):
            return shown(part)
        if isinstance(part, (int, float)) and not isinstance(part, bool) and shown(str(part)) != str(part):
            return _NO_LOG
        return part

    return hide(value)


def finish(
    result: Result, params: t.Mapping[str, t.Any], secrets: t.Collection[str], names: t.Collection[str]
) -> tuple[Result, LongestFirst]:
    """Return the result with the options in it, and the secrets that ansible-core still has to hide.

    ``secrets`` are all that the options hold, ``names`` are never masked.
    """
    everywhere, careful = split_secrets(secrets, names)
    if not careful:
        return {**result, "invocation": {"module_args": dict(params)}}, everywhere
    store = SecretStore()
    store.add(*careful)
    store.keep(names)
    return store.scrub_tree({**result, "invocation": {"module_args": _masked(params, careful)}}), everywhere


def _masked(value: t.Any, careful: t.Collection[str], option: str = "", *, in_list: bool = False) -> t.Any:
    """Return the value of an option in which the secrets that ansible-core does not hide are masked."""
    if option in SECRET_OPTIONS:
        if isinstance(value, dict):
            return {key: _masked(item, careful, option) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [_masked(item, careful, option) for item in value]
        # ansible-core hides the other secrets.
        return _NO_LOG if str(value) in careful and not isinstance(value, bool) else value
    if option == EXTRA:
        return Extra([]).mask(value)
    if isinstance(value, t.Mapping):
        return {key: _masked(item, careful, _inside(option, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item, careful, option, in_list=True) for item in value]
    if isinstance(value, str) and _may_be_url(option, value):
        return mask_url(value, destination=_is_destination(option, in_list))
    return value


def _inside(option: str, key: t.Any) -> t.Any:
    """Return the option of a value in an object; the entries of ``urls`` are no destinations."""
    return option if option == "urls" and key == "url" else key


def _may_be_url(option: str, text: str) -> bool:
    """Return whether a text under this option is treated as a URL, even if it is not a valid one."""
    return option in URL_OPTIONS or "://" in text


def _is_destination(option: str, in_list: bool) -> bool:
    """Return whether a URL under this option is the destination of a push, which is never in a list."""
    return URL_OPTIONS.get(option, False) and not in_list


def without_secrets(text: str, secrets: t.Iterable[str]) -> str:
    """Return a message of ansible-core about options without secrets, which it may repeat in escaped form."""
    store = SecretStore()
    store.add(*secrets)
    return shortened(store.scrub(text))


def secrets_in(value: t.Any) -> set[str]:
    """Return the secrets inside of options, which may be invalid.

    These are the texts under options that hold secrets, the secret parts of URLs, and private keys in place of paths.
    """
    found: set[str] = set()
    # Each with whether it is under an option that holds secrets, the option, and whether it is in a list.
    pending: list[tuple[t.Any, bool, t.Any, bool]] = [(value, False, "", False)]
    while pending:
        one, secret, option, in_list = pending.pop()
        if isinstance(one, str):
            if secret or "PRIVATE KEY" in one:
                found.add(one)
            elif _may_be_url(option, one):
                found |= url_secrets(one, destination=_is_destination(option, in_list))
        elif isinstance(one, dict):
            if EXTRA in one:
                store = SecretStore()
                Extra([]).collect_secrets(one[EXTRA], store)
                found |= store.values
            pending += [
                (item, secret or key in SECRET_OPTIONS, _inside(option, key), False)
                for key, item in one.items()
                if item is not None
            ]
        elif isinstance(one, (list, tuple)):
            pending += [(item, secret, option, True) for item in one]
        elif secret and isinstance(one, (int, float)) and not isinstance(one, bool):
            found.add(str(one))
    return found
