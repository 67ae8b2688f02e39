# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hide secrets in what leaves a task."""

from __future__ import annotations

import functools
import typing as t

from .._core.secret_urls import MASK, mask_url, url_secrets
from .._core.secrets import SecretStore, is_ordinary
from .._core.texts import shortened
from .._operations.base import Result
from .._schema.extra import EXTRA, Extra
from .options import SECRET_OPTIONS

# Ansible blots out such values wherever they occur in the output; shorter ones would make it unreadable and keep
# nothing secret.
SHORTEST_URL_SECRET = 4
# Options that are URLs, also where what they hold is none.
_URLS = ("api_url", "control_server_url", "url", "urls")
# Parts of a result that are masked field by field already, and that show_secrets opens; scrubbing them would undo that.
MASKED_BY_FIELD = ("vhost", "vhosts", "application", "applications", "push_task", "tasks", "diff")


class LongestFirst(set[str]):
    """Secrets, the longest first: ansible-core 2.16 and 2.17 take them as they come, and one inside of another would
    keep that from being found.
    """

    def __iter__(self) -> t.Iterator[str]:
        return iter(sorted(super().__iter__(), key=len, reverse=True))


# What ansible-core before 2.22 writes in place of a text that is a secret.
_NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
# Options that hold secrets, or can: no name of an object is in them.
WITHOUT_NAMES = frozenset((*SECRET_OPTIONS, EXTRA))


def blotted_out(secrets: t.Iterable[str], names: t.Collection[str] = ()) -> tuple[LongestFirst, set[str]]:
    """Part secrets into those that ansible-core may blot out, and those that only this collection hides.

    ansible-core blots a secret out wherever its letters stand, in names, numbers and other words too. So it gets
    neither what is in a name nor what could be a number or says too little.
    """
    all_names = "\n".join(names)
    careful = {secret for secret in secrets if secret.isdigit() or is_ordinary(secret) or secret in all_names}
    return LongestFirst(set(secrets) - careful), careful


def without_values(value: t.Any, secrets: t.Collection[str]) -> t.Any:
    """Return a result without these secrets, wherever their letters are in it.

    ansible-core before 2.22 does the same to what a module returns. From 2.22 on it hides secrets only where it
    displays results, so that a playbook could register them, and in other words.
    """
    if not secrets:
        return value
    ordered, whole = list(secrets), frozenset(secrets)

    # Of a thousand fields that are masked already, one is looked at.
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
    """Return the result with the options, and the secrets that ansible-core is to blot out of it.

    ``secrets`` are all among the options, ``names`` what is never masked.
    """
    everywhere, careful = blotted_out(secrets, names)
    if not careful:
        return {**result, "invocation": {"module_args": dict(params)}}, everywhere
    store = SecretStore()
    store.add(*careful)
    store.keep(names)
    return store.scrub_tree({**result, "invocation": {"module_args": _masked(params, careful)}}), everywhere


def _masked(value: t.Any, careful: t.Collection[str], option: str = "") -> t.Any:
    """Options in which secrets that ansible-core must not look for are masked by what the options are."""
    if option in SECRET_OPTIONS:
        if isinstance(value, dict):
            return {key: _masked(item, careful, option) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [_masked(item, careful, option) for item in value]
        # ansible-core masks the others, of which a whole value costs it one look.
        return _NO_LOG if str(value) in careful and not isinstance(value, bool) else value
    if option == EXTRA:
        return Extra([]).mask(value)
    if isinstance(value, t.Mapping):
        return {key: _masked(item, careful, key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_masked(item, careful, "urls" if option == "url" else option) for item in value]
    if isinstance(value, str) and (option in _URLS or "://" in value):
        return mask_url(value, destination=option == "url")
    return value


def without_secrets(text: str, secrets: t.Iterable[str]) -> str:
    """What ansible-core says of options without their values, which it repeats in its own words, escaped, where it
    would not recognize them.
    """
    store = SecretStore()
    store.add(*secrets)
    return shortened(store.scrub(text))


def secrets_in(value: t.Any, names: t.Collection[str]) -> set[str]:
    """The texts under options of these names, the secret parts of every URL, and private keys in place of paths,
    inside of options of any form.
    """
    found: set[str] = set()
    pending: list[tuple[t.Any, bool, t.Any]] = [
        (value, False, "")
    ]  # with whether it stands under such a name, and under which option
    while pending:
        one, secret, option = pending.pop()
        if isinstance(one, str):
            if secret or "PRIVATE KEY" in one:
                found.add(one)
            elif option in _URLS or "://" in one:
                found |= url_secrets(one, destination=option == "url")
        elif isinstance(one, dict):
            if EXTRA in one:
                store = SecretStore()
                Extra([]).collect_secrets(one[EXTRA], store)
                found |= store.values
            pending += [(item, secret or key in names, key) for key, item in one.items() if item is not None]
        elif isinstance(one, (list, tuple)):  # a list of URLs is that of an origin
            pending += [(item, secret, "urls" if option == "url" else option) for item in one]
        elif secret and isinstance(one, (int, float)) and not isinstance(one, bool):
            found.add(str(one))
    return found
