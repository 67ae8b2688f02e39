# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of all operations, and the argument specs that several of them share.

An operation does the work of one module and imports nothing of Ansible, so that every execution path can run it.
"""

from __future__ import annotations

import typing as t

from .._core.context import Context
from .._core.errors import BadInput
from .._core.secret_store import SecretStore
from .._core.texts import listed
from .._schema.objects import Object
from .._schema.option_forms import expand
from .._schema.validators import addressable, is_addressable

Params = t.Mapping[str, t.Any]
Result = dict[str, t.Any]
AnyOperation = t.TypeVar("AnyOperation", bound="Operation")

# Argument specs of single options.
FLAG = {"type": "bool", "default": False}
TEXT = {"type": "str"}
NAMES = {"type": "list", "elements": "str"}
ONLY_VHOSTS = {**NAMES, "default": ["*"]}
PREDICTED = {"type": "list", "elements": "dict"}
WAIT_TIMEOUT = {"type": "float", "default": 30.0}
LONGEST_WAIT = 86400  # seconds

# The key under which `perform` adds the problems of entries that do not have the types of their options.
INVALID_ENTRIES = "invalid_entries"


def state_option(*choices: str) -> dict[str, t.Any]:
    """Return the argument spec of an option for the desired state; the first choice is the default."""
    return {"type": "str", "choices": list(choices), "default": choices[0]}


def list_of(options: t.Mapping[str, t.Any], *, required: bool = True) -> dict[str, t.Any]:
    """Return the argument spec of a list of dictionaries with these options."""
    return {"type": "list", "elements": "dict", "required": required, "options": dict(options)}


class Referenced(dict[str, t.Any]):
    """The argument spec of objects whose options the documentation of another module describes.

    The documentation refers to that module in place of repeating them. They are checked like all others.
    """


class Operation:
    """The work of one module: options in, result out.

    ``check`` runs before anything is sent. ``run`` talks to the server and returns the result; one with ``failed`` is a
    failure that still has something to report.
    """

    # Whether the module needs a server for every task, so that the connection options are required.
    always_needs_server = True
    # Whether the module has connection options at all. One that only works on files has none.
    has_connection = True
    # Whether the operation makes its clients itself, because the address of its server can change. Then ``run`` gets a
    # function in place of an Api, which takes other values of connection options and returns a client.
    connects_itself = False
    # Whether the module goes on if the connection to its host ends.
    outlives_connection = False
    # Options that are lists in which an invalid entry is a finding, and not the end of the task.
    lists_of_findings: tuple[str, ...] = ()
    # Keys of the result that need no search for secrets: their objects are masked field by field, or shown on request.
    masked_results: tuple[str, ...] = ()

    @classmethod
    def of(cls: type[AnyOperation], **attributes: t.Any) -> type[AnyOperation]:
        """Return this operation for one kind of object, which attributes such as ``kind`` say."""
        return type(cls.__name__, (cls,), {"__module__": cls.__module__, **attributes})

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        """Return the argument spec of the module's options without those of the connection."""
        raise NotImplementedError

    @classmethod
    def defaults(cls) -> dict[str, t.Any]:
        """Return the options of a task that specifies none."""
        return {option: spec.get("default") for option, spec in cls.options().items()}

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        """Return the declarations of the entries of lists among the options, and of the object that the options are;
        None if they are none.
        """
        return {}, None

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        """Return the options of a task in the form that their argument spec takes.

        Runs before any check, so the values can have any type.
        """
        return expand(specified, *cls.declarations())

    def __init__(self, params: Params) -> None:
        """``params`` are the options after the check of the argument spec: coerced, with None for omitted ones."""
        self.params = params

    def collect_secrets(self, secrets: SecretStore) -> None:
        """Add the secrets among the options to the store. Runs before ``check``, so the values can be invalid."""

    def check(self) -> None:
        """Raise BadInput if an option cannot work."""

    def entry_of(self, option: str) -> str:
        """Return the index and name of the list entry that holds an option; empty if no named entry does."""
        return ""

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        """Return what the summary of a task needs beside its result if it failed before the operation ran.

        The options can be invalid.
        """
        return {}

    def in_entry(self, error: BadInput) -> BadInput:
        """Return an error about an option that says which list entry holds it."""
        entry = self.entry_of(error.option)
        return error.within(entry) if entry else error

    @property
    def needs_server(self) -> bool:
        """Whether this task needs a server; if not, ``run`` gets None in place of an Api."""
        return self.has_connection

    def run(self, api: t.Any, context: Context) -> Result:
        """Do the work and return the result. Raises OmeError if there is nothing else to report."""
        raise NotImplementedError


def check_name(name: str, path: str) -> None:
    """Raise BadInput if no request can address this name; ``path`` is that of the option."""
    expected = addressable(name)
    if expected:
        raise BadInput(path, f"{expected}, got {name!r}")


def check_names(params: Params, *options: str) -> None:
    """Raise BadInput if no request can address a name in one of these options: texts, or lists of them."""
    for option in options:
        value = params[option]
        if isinstance(value, list):
            for index, name in enumerate(value):
                check_name(name, f"{option}[{index}]")
        elif value is not None:
            check_name(value, option)


def addressable_names(names: t.Iterable[str], what: str, context: Context) -> list[str]:
    """Return the names that requests can address, sorted; warn about the others. ``what`` names the objects."""
    names = sorted(names)
    unaddressable = [name for name in names if not is_addressable(name)]
    if unaddressable:
        shown = listed([repr(name) for name in unaddressable])
        context.warn(f"The result lacks {what} that cannot be addressed because of their names: {shown}.")
    return [name for name in names if name not in unaddressable]


def check_only_vhosts(params: Params) -> None:
    """Raise BadInput if the option ``only_vhosts`` is empty, which could mean all of them or none."""
    if not params["only_vhosts"]:
        raise BadInput("only_vhosts", "expected at least one name or pattern")


def check_wait_timeout(params: Params) -> None:
    """Raise BadInput if the option `wait_timeout`, in seconds, is not between 0 and a day."""
    if not 0 <= params["wait_timeout"] <= LONGEST_WAIT:
        raise BadInput("wait_timeout", f"expected seconds, from 0 to {LONGEST_WAIT}, got {params['wait_timeout']:g}")
